"""Scenes by seed: a camera somewhere, a table, a light, and coasters lying as they do in a game."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from calibration.render.rest import drop, in_box, leaning
from calibration.render.scene import Box, Develop, Disc, Light, Rgb, Scene, Surface
from calibration.render.surfaces import KINDS as SURFACES
from calibration.render.view import look_at, pinhole
from calibration.sheets import BOX
from calibration.sheets.table import loose_layout
from referee.errors import ConfigError
from referee.formats import PieceSet

KINDS = ("singles", "knife", "pile", "box", "lid", "tramp")
LAYOUT = replace(loose_layout(BOX), box=None)
"""The loose markers where the printed sheet asks for them."""
_BOXES: tuple[Rgb, ...] = ((0.07, 0.20, 0.45), (0.62, 0.50, 0.10), (0.42, 0.06, 0.06), (0.33, 0.22, 0.12))
_WIDTH_SEEN_MM = 860.0
"""Width of table that the picture shows at the middle, so that all four markers are in it."""
_REACH_MM = 260.0, 175.0


@dataclass(frozen=True)
class Spec:
    """What kind of scene to deal; the seed gives the rest."""

    kind: str
    pieces: PieceSet
    size: tuple[int, int] = (1920, 1080)
    tilt_deg: float | None = None
    surface: str | None = None
    distortion: float | None = None


def deal(spec: Spec, seed: int) -> Scene:
    """The scene number `seed` of that kind."""
    if spec.kind not in KINDS:
        raise ConfigError(f"no scenes of kind {spec.kind!r}: there are {', '.join(KINDS)}")
    rng = np.random.default_rng([seed, KINDS.index(spec.kind)])
    scene = stage(spec, rng, seed)
    hands = {
        "singles": _singles,
        "knife": _knife,
        "pile": _pile,
        "box": _box,
        "lid": _lid,
        "tramp": _tramp,
    }
    return hands[spec.kind](scene, rng)


def stage(spec: Spec, rng: np.random.Generator, seed: int) -> Scene:
    width = spec.size[0]
    focal = width * float(rng.uniform(0.80, 1.02))
    k1 = float(rng.uniform(-0.09, 0.02)) if spec.distortion is None else spec.distortion
    camera = pinhole(spec.size, focal, (k1, -0.15 * k1, 0.0, 0.0, 0.0))
    tilt = float(rng.uniform(0, 50)) if spec.tilt_deg is None else spec.tilt_deg
    distance = focal * _WIDTH_SEEN_MM / width * (1 + 0.0035 * tilt) * float(rng.uniform(1.0, 1.15))
    target = (float(rng.uniform(-15, 15)), float(rng.uniform(-15, 15)) - 0.6 * tilt)
    view = look_at(camera, target, distance, tilt, float(rng.uniform(-18, 18)), float(rng.uniform(-3, 3)))
    kind = str(rng.choice(SURFACES)) if spec.surface is None else spec.surface
    warm = float(rng.uniform(-0.1, 0.1))
    light = Light(
        azimuth_deg=float(rng.uniform(0, 360)),
        elevation_deg=float(rng.uniform(45, 75)),
        softness_deg=float(rng.uniform(4, 11)),
        ambient=float(rng.uniform(0.45, 0.7)),
        colour=(1 + warm, 1.0, 1 - warm),
        falloff=(float(rng.uniform(-0.35, 0.35)), float(rng.uniform(-0.35, 0.35))),
    )
    look = Develop(
        exposure=float(rng.uniform(0.7, 1.0)),
        white_balance=(1 - 0.5 * warm, 1.0, 1 + 0.5 * warm),
        blur_px=float(rng.uniform(0.5, 0.9)),
        vignette=float(rng.uniform(0.1, 0.4)),
        noise=float(rng.uniform(0.5, 1.4)),
        sharpen=float(rng.uniform(0.2, 0.7)),
        jpeg_quality=int(rng.integers(86, 95)),
    )
    return Scene(view, LAYOUT, spec.pieces, surface=Surface(kind, seed), light=light, develop=look)


def animals(scene: Scene, rng: np.random.Generator, count: int) -> list[str]:
    return [str(v) for v in rng.permutation([p.id for p in scene.pieces.pieces if p.animal])[:count]]


def face_up(rng: np.random.Generator) -> str:
    return "front" if rng.random() < 0.5 else "back"


def any_angle(rng: np.random.Generator) -> float:
    return float(rng.uniform(-180, 180))


def free_place(
    discs: list[Disc], rng: np.random.Generator, radius: float, box: Box | None = None
) -> tuple[float, float] | None:
    """A place where a coaster touches nothing and covers no marker; None where the table is full."""
    for _ in range(400):
        at = float(rng.uniform(-_REACH_MM[0], _REACH_MM[0])), float(rng.uniform(-_REACH_MM[1], _REACH_MM[1]))
        taken = [(*d.center_mm[:2], 2 * radius) for d in discs]
        taken += [(*m, radius + 0.9 * LAYOUT.marker_mm) for m in LAYOUT.marker_centers_mm.values()]
        if box is not None:
            taken.append((*box.center_mm, radius + 0.75 * box.size.outer_mm))
        if all(np.hypot(at[0] - x, at[1] - y) > keep + 4 for x, y, keep in taken):
            return at
    return None


def _singles(scene: Scene, rng: np.random.Generator) -> Scene:
    discs: list[Disc] = []
    for piece in animals(scene, rng, int(rng.integers(6, 11))):
        at = free_place(discs, rng, scene.pieces.radius_mm)
        if at is not None:
            discs.append(drop(scene.pieces, piece, at, any_angle(rng), face_up(rng), discs))
    return replace(scene, discs=tuple(discs))


def _knife(scene: Scene, rng: np.random.Generator) -> Scene:
    """Three pairs whose rims are within 2.6 mm of touching."""
    names = animals(scene, rng, 6)
    middles = [(-165.0, 60.0), (150.0, 80.0), (0.0, -100.0)]
    discs: list[Disc] = []
    for i, (x, y) in enumerate(middles):
        width = float(rng.uniform(-2.6, 2.6))
        discs += pair(
            scene.pieces,
            (names[2 * i], names[2 * i + 1]),
            (x + float(rng.uniform(-12, 12)), y + float(rng.uniform(-12, 12))),
            width,
            any_angle(rng),
            (face_up(rng), face_up(rng)),
            (any_angle(rng), any_angle(rng)),
        )
    return replace(scene, discs=tuple(discs))


def pair(
    pieces: PieceSet,
    names: tuple[str, str],
    middle_mm: tuple[float, float],
    overlap_mm: float,
    direction_deg: float,
    faces: tuple[str, str],
    angles_deg: tuple[float, float],
) -> tuple[Disc, Disc]:
    """Two coasters about `middle_mm`, the second on the first if they overlap (negative: a gap)."""
    half = pieces.radius_mm - overlap_mm / 2
    ahead = half * np.array([np.cos(np.radians(direction_deg)), np.sin(np.radians(direction_deg))])
    below = drop(
        pieces, names[0], (middle_mm[0] - ahead[0], middle_mm[1] - ahead[1]), angles_deg[0], faces[0], ()
    )
    above = drop(
        pieces,
        names[1],
        (middle_mm[0] + ahead[0], middle_mm[1] + ahead[1]),
        angles_deg[1],
        faces[1],
        (below,),
    )
    return below, above


def _heap(
    scene: Scene, rng: np.random.Generator, names: list[str], spread: float, discs: list[Disc]
) -> list[Disc]:
    for piece in names:
        at = float(rng.normal(0, spread)), float(rng.normal(0, spread * 0.8))
        discs.append(drop(scene.pieces, piece, at, any_angle(rng), face_up(rng), discs))
    return discs


def _pile(scene: Scene, rng: np.random.Generator) -> Scene:
    names = animals(scene, rng, int(rng.integers(7, 13)))
    return replace(scene, discs=tuple(_heap(scene, rng, names, float(rng.uniform(60, 95)), [])))


def _tramp(scene: Scene, rng: np.random.Generator) -> Scene:
    mat = next(p.id for p in scene.pieces.pieces if not p.animal)
    first = drop(
        scene.pieces,
        mat,
        (float(rng.uniform(-25, 25)), float(rng.uniform(-25, 25))),
        any_angle(rng),
        face_up(rng),
        (),
    )
    names = animals(scene, rng, int(rng.integers(4, 8)))
    return replace(scene, discs=tuple(_heap(scene, rng, names, 85.0, [first])))


def _placed_box(rng: np.random.Generator, lid: bool) -> Box:
    return Box(
        (float(rng.uniform(-40, 40)), float(rng.uniform(-25, 35))),
        float(rng.uniform(-45, 45)),
        replace(BOX, lid=lid),
        _BOXES[int(rng.integers(len(_BOXES)))],
    )


def _around(
    scene: Scene, rng: np.random.Generator, box: Box, names: list[str], discs: list[Disc]
) -> list[Disc]:
    """The first name leans on the box, the others lie about, some of them on one another."""
    lean = leaning(
        scene.pieces, names[0], box, int(rng.integers(4)), float(rng.uniform(-25, 25)),
        float(rng.uniform(46, 66)), any_angle(rng), face_up(rng),
    )  # fmt: skip
    for i, piece in enumerate(names[1:]):
        if i % 3 == 2 and discs and discs[-1].state in ("flat", "resting"):
            turn = np.radians(any_angle(rng))
            near = discs[-1].center_mm[:2] + float(rng.uniform(40, 85)) * np.array(
                [np.cos(turn), np.sin(turn)]
            )
            apart = np.hypot(*(near - box.center_mm)) > scene.pieces.radius_mm + 76
            if apart and np.hypot(*(near - lean.center_mm[:2])) > 2 * scene.pieces.radius_mm + 20:
                on = [d for d in discs if d.state in ("flat", "resting")]
                discs.append(drop(scene.pieces, piece, (near[0], near[1]), any_angle(rng), face_up(rng), on))
                continue
        at = free_place([*discs, lean], rng, scene.pieces.radius_mm, box)
        if at is not None:
            discs.append(drop(scene.pieces, piece, at, any_angle(rng), face_up(rng), ()))
    return [*discs, lean]


def _box(scene: Scene, rng: np.random.Generator) -> Scene:
    box = _placed_box(rng, lid=False)
    names = animals(scene, rng, int(rng.integers(6, 10)))
    inside = int(rng.integers(1, 4))
    discs = [
        in_box(
            scene.pieces,
            p,
            box,
            (float(rng.uniform(-3, 3)), float(rng.uniform(-3, 3))),
            any_angle(rng),
            face_up(rng),
            i,
        )
        for i, p in enumerate(names[:inside])
    ]
    rest = names[inside:]
    if rng.random() < 0.5:
        # Across a corner: the rims of two walls carry it, its middle is inside their triangle.
        corner = np.radians(box.yaw_deg + 45 + 90 * int(rng.integers(4)))
        away = (box.size.outer_mm / 2 - float(rng.uniform(14, 20))) * np.sqrt(2)
        at = box.center_mm[0] + away * np.cos(corner), box.center_mm[1] + away * np.sin(corner)
        discs.append(
            drop(scene.pieces, rest[0], (float(at[0]), float(at[1])), any_angle(rng), face_up(rng), (), box)
        )
        rest = rest[1:]
    return replace(scene, box=box, discs=tuple(_around(scene, rng, box, rest, discs)))


def _lid(scene: Scene, rng: np.random.Generator) -> Scene:
    box = _placed_box(rng, lid=True)
    names = animals(scene, rng, int(rng.integers(6, 10)))
    above = int(rng.integers(1, 4))
    discs: list[Disc] = []
    for piece in names[:above]:
        at = (box.center_mm[0] + float(rng.uniform(-32, 32)), box.center_mm[1] + float(rng.uniform(-32, 32)))
        discs.append(drop(scene.pieces, piece, at, any_angle(rng), face_up(rng), discs, box))
    return replace(scene, box=box, discs=tuple(_around(scene, rng, box, names[above:], discs)))

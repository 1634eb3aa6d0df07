"""Scenes by seed in which something is amiss: things that are no coasters, odd light, worn coasters, hands.

Each holds sound coasters as well, one pair of them close to touching, whose truth is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.render.arms import Player, open_hand
from calibration.render.arrange import LAYOUT, Spec, animals, any_angle, face_up, free_place, pair, stage
from calibration.render.develop import to_linear
from calibration.render.rest import drop
from calibration.render.scene import Disc, Rgb, Round, Scene, Slab, Surface, Thing, disc, flat
from calibration.render.view import Image, whole
from referee.errors import ConfigError

_FACE_PX = 512
_SKIN: Rgb = (0.55, 0.36, 0.27)
_WALLS: tuple[Rgb, ...] = ((0.80, 0.78, 0.74), (0.12, 0.28, 0.45), (0.55, 0.12, 0.09), (0.10, 0.10, 0.11))
_METALS: tuple[Rgb, ...] = ((0.60, 0.45, 0.16), (0.55, 0.55, 0.54), (0.45, 0.20, 0.09))


@dataclass(frozen=True, eq=False)
class _Dealt:
    """A scene while it is being dealt."""

    scene: Scene
    rng: np.random.Generator

    def between(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def one_of(self, colours: tuple[Rgb, ...]) -> Rgb:
        return colours[int(self.rng.integers(len(colours)))]

    def place(self) -> tuple[float, float]:
        """Somewhere on the table, clear of the markers."""
        return free_place([], self.rng, 90.0) or (0.0, 0.0)

    def with_sound(self, count: int = 5) -> Scene:
        """The scene with sound coasters where nothing lies yet, and where there is room a pair within 3 mm
        of touching."""
        scene, rng = self.scene, self.rng
        radius, taken = scene.pieces.radius_mm, {d.piece for d in scene.discs}
        names = [n for n in animals(scene, rng, 20) if n not in taken]
        discs = list(scene.discs)
        for _ in range(60):
            middle = free_place(discs, rng, 2 * radius)
            if middle is not None and self._clear(middle, 2.1 * radius):
                couple = pair(
                    scene.pieces, (names.pop(), names.pop()), middle, self.between(-3, 3), any_angle(rng),
                    (face_up(rng), face_up(rng)), (any_angle(rng), any_angle(rng)),
                )  # fmt: skip
                discs += couple
                break
        for _ in range(60):
            at = free_place(discs, rng, radius)
            if at is not None and self._clear(at, radius) and len(discs) - len(scene.discs) < count:
                discs.append(drop(scene.pieces, names.pop(), at, any_angle(rng), face_up(rng), ()))
        return replace(scene, discs=tuple(discs))

    def _clear(self, at: tuple[float, float], reach: float) -> bool:
        return all(np.hypot(*np.subtract(at, t.center_mm)) > _reach(t) + reach + 3 for t in self.scene.things)


def _reach(thing: Thing) -> float:
    return thing.radius_mm if isinstance(thing, Round) else float(np.hypot(*thing.size_mm)) / 2


def deal_strange(spec: Spec, seed: int) -> Scene:
    """The scene number `seed` of that kind of strangeness."""
    if spec.kind not in STRANGE:
        raise ConfigError(f"nothing strange of kind {spec.kind!r}: there is {', '.join(STRANGE)}")
    rng = np.random.default_rng([seed, 1 + list(STRANGE).index(spec.kind), 77])
    return STRANGE[spec.kind](_Dealt(stage(spec, rng, seed), rng))


def ringed(rings: list[tuple[float, Rgb]]) -> Image:
    """A square picture of rings about its middle: (share of the radius, colour), the outermost first."""
    n = _FACE_PX
    away = np.hypot(*np.meshgrid(*(np.linspace(-1, 1, n, dtype=np.float32),) * 2))
    face = np.full((n, n, 3), rings[0][1], np.float32)
    for share, colour in rings[1:]:
        face[away < share] = colour
    return face


def starred(ground: Rgb, ink: Rgb, points: int) -> Image:
    """The face of a coaster from elsewhere: a star within a ring, and letters."""
    n = _FACE_PX
    face = ringed([(1, ink), (0.93, ground), (0.80, ink), (0.74, ground)])
    turn = np.pi * np.arange(2 * points) / points
    reach = np.where(np.arange(2 * points) % 2, 0.28, 0.62) * n / 2
    star = n / 2 + reach[:, None] * np.stack((np.cos(turn), np.sin(turn)), 1)
    cv2.fillPoly(face, [np.rint(star).astype(np.int32)], ink)
    letters = np.zeros((n, n), np.uint8)
    cv2.putText(letters, "BAR", (n // 2 - 62, n // 2 + 22), cv2.FONT_HERSHEY_DUPLEX, 2, 255, 4)
    face[letters > 0] = ground
    return face


def beside(dealt: _Dealt, thing: Thing, gap_mm: float) -> Scene:
    """The scene with the thing in it and a coaster next to it."""
    scene, rng = dealt.scene, dealt.rng
    a = np.radians(any_angle(rng))
    away = _reach(thing) + scene.pieces.radius_mm + gap_mm
    at = thing.center_mm[0] + away * float(np.cos(a)), thing.center_mm[1] + away * float(np.sin(a))
    name = animals(scene, rng, 1)[0]
    near = drop(scene.pieces, name, at, any_angle(rng), face_up(rng), ())
    return replace(scene, discs=(*scene.discs, near), things=(*scene.things, thing))


def _plate(d: _Dealt) -> Scene:
    """With a coaster in it."""
    radius, high = d.between(80, 115), d.between(6, 14)
    white, band = d.one_of(_WALLS[:1] + _METALS[1:2]), d.one_of(_WALLS)
    face = ringed([(1, white), (0.95, band), (0.90, white), (0.66, (0.7, 0.68, 0.64)), (0.645, white)])
    at = d.place()
    plate = Round("plate", at, radius, high, face, white)
    name = animals(d.scene, d.rng, 1)[0]
    pose = flat(*at, d.scene.pieces.thickness_mm, any_angle(d.rng), face_up(d.rng), high)
    scene = replace(d.scene, things=(plate,), discs=(disc(name, pose, "resting"),))
    return _Dealt(scene, d.rng).with_sound(4)


def _cup(d: _Dealt) -> Scene:
    wall = d.one_of(_WALLS)
    face = ringed([(1, wall), (0.88, (0.16, 0.08, 0.04))])
    cup = Round("cup", d.place(), d.between(34, 46), d.between(60, 100), face, wall)
    return _Dealt(beside(d, cup, d.between(2, 12)), d.rng).with_sound()


def _coin(d: _Dealt) -> Scene:
    metal = d.one_of(_METALS)
    dark = (metal[0] * 0.6, metal[1] * 0.6, metal[2] * 0.6)
    face = ringed([(1, metal), (0.9, dark), (0.84, metal), (0.4, dark)])
    coin = Round("coin", d.place(), d.between(10, 16), 2.2, face, dark)
    return _Dealt(beside(d, coin, d.between(2, 12)), d.rng).with_sound()


def _phone(d: _Dealt) -> Scene:
    cells = np.full((75, 36, 3), 0.02, np.float32)
    cells[3:-3, 1:-1] = (0.05, 0.07, 0.12)
    cells[6:10, 4:10] = 0.5
    phone = Slab("phone", d.place(), (72.0, 150.0), 8.0, cells, (0.03, 0.03, 0.03), any_angle(d.rng))
    return _Dealt(beside(d, phone, d.between(2, 12)), d.rng).with_sound()


def _tape(d: _Dealt) -> Scene:
    card: Rgb = (0.42, 0.30, 0.18)
    face = ringed([(1, d.one_of(_WALLS)), (0.86, card), (0.79, (0.05, 0.04, 0.035))])
    tape = Round("tape", d.place(), d.between(38, 52), d.between(12, 25), face, d.one_of(_WALLS))
    return _Dealt(beside(d, tape, d.between(2, 12)), d.rng).with_sound()


def _foreign(d: _Dealt) -> Scene:
    """A coaster of the same size from elsewhere."""
    ground, ink = (_WALLS[int(i)] for i in d.rng.permutation(len(_WALLS))[:2])
    radius, thickness = d.scene.pieces.radius_mm, d.scene.pieces.thickness_mm
    face = starred(ground, ink, int(d.rng.integers(4, 8)))
    other = Round("foreign", d.place(), radius, thickness, face, (0.5, 0.4, 0.3), any_angle(d.rng))
    return _Dealt(beside(d, other, d.between(2, 12)), d.rng).with_sound()


def _photo(d: _Dealt) -> Scene:
    """A coaster's picture, cut out of paper at another scale."""
    name = animals(d.scene, d.rng, 1)[0]
    piece = next(p for p in d.scene.pieces.pieces if p.id == name)
    picture = cv2.imread(str(piece.front if d.rng.random() < 0.5 else piece.back), cv2.IMREAD_COLOR)
    assert picture is not None, piece.front
    scale = d.between(0.55, 0.8) if d.rng.random() < 0.5 else d.between(1.25, 1.6)
    radius = scale * d.scene.pieces.radius_mm
    face = to_linear(np.asarray(picture, np.uint8))
    photo = Round("photo", d.place(), radius, 0.2, face, (0.8, 0.8, 0.8), any_angle(d.rng))
    return _Dealt(replace(d.scene, things=(photo,)), d.rng).with_sound()


def _hand(d: _Dealt) -> Scene:
    """On a pile."""
    discs: list[Disc] = []
    for name in animals(d.scene, d.rng, 5):
        at = d.between(-45, 45), d.between(-40, 40)
        discs.append(drop(d.scene.pieces, name, at, any_angle(d.rng), face_up(d.rng), discs))
    spot = np.array([d.between(-40, 40), d.between(-40, 20), 4.0])
    limbs = open_hand(_player(d), spot)
    return _Dealt(replace(d.scene, discs=tuple(discs), limbs=limbs), d.rng).with_sound(4)


def _marker(d: _Dealt) -> Scene:
    """One marker under a hand."""
    x, y = list(LAYOUT.marker_centers_mm.values())[int(d.rng.integers(2))]
    limbs = open_hand(_player(d), np.array([x, y, 4.0]))
    return _Dealt(replace(d.scene, limbs=limbs), d.rng).with_sound()


def _player(d: _Dealt) -> Player:
    return Player("", "", d.between(-115, -65), (0.0, 0.0), d.one_of(_WALLS), _SKIN)


def _lamp(d: _Dealt) -> Scene:
    """A lamp that is mirrored in the varnish of table and coasters."""
    scene = d.with_sound(7)
    ray = np.array([*scene.discs[-1].center_mm[:2], 0.0]) - scene.view.eye_mm
    light = replace(
        scene.light,
        azimuth_deg=float(np.degrees(np.arctan2(ray[1], ray[0]))),
        elevation_deg=float(np.degrees(np.arctan2(-ray[2], np.hypot(ray[0], ray[1])))),
        softness_deg=d.between(1.0, 2.5),
        gloss=d.between(0.5, 3.0),
    )
    return replace(scene, light=light)


def _worn(d: _Dealt) -> Scene:
    """A set that has been played with for years; one coaster is bitten."""
    scene, radius = d.with_sound(7), d.scene.pieces.radius_mm
    worn = [replace(c, worn=int(d.rng.integers(1000))) for c in scene.discs]
    a = np.radians(any_angle(d.rng))
    bite = radius * float(np.cos(a)), radius * float(np.sin(a)), d.between(8, 18)
    return replace(scene, discs=(*worn[:-1], replace(worn[-1], bite=bite)))


def _shadow(d: _Dealt) -> Scene:
    """A low bare bulb, and the shadow of an arm that is itself hardly in the picture."""
    light = replace(d.scene.light, softness_deg=0.4, ambient=0.2, elevation_deg=d.between(28, 42))
    towards = light.towards
    over = np.array([d.between(-120, 120), d.between(-80, 80), 0.0])
    lift = np.asarray(over + towards * (420.0 / np.hypot(towards[0], towards[1])))
    arms = tuple(replace(limb, colour=_SKIN) for limb in open_hand(_player(d), lift))
    return replace(_Dealt(replace(d.scene, light=light), d.rng).with_sound(7), limbs=arms)


def _dim(d: _Dealt) -> Scene:
    """Late in the evening by a warm lamp."""
    light = replace(d.scene.light, colour=(1.25, 0.92, 0.52), falloff=(0.5, -0.4))
    look = replace(d.scene.develop, exposure=d.between(0.10, 0.2), noise=d.between(1.5, 2.5))
    return replace(d.with_sound(7), light=light, develop=look)


def _cloth(d: _Dealt) -> Scene:
    """A cloth printed with round blossoms in the coasters' colours."""
    return replace(d.with_sound(7), surface=Surface("print", d.scene.surface.seed))


def _edge(d: _Dealt) -> Scene:
    """Two coasters partly out of the picture."""
    scene, (width, height) = d.scene, d.scene.view.camera.size
    rays, radius = scene.view.rays(whole(scene.view.camera)), d.scene.pieces.radius_mm
    discs: list[Disc] = []
    names = animals(scene, d.rng, 2)
    for name, column in zip(names, (0, width - 1), strict=True):
        row = int(d.rng.integers(round(0.3 * height), round(0.75 * height)))
        way = scene.view.rotation.T @ np.array([rays.u[row, column], rays.v[row, column], 1.0])
        at = scene.view.eye_mm - way * scene.view.eye_mm[2] / way[2]
        out = np.sign(column - 1) * d.between(-0.7, 0.5) * radius
        discs.append(drop(scene.pieces, name, (at[0] + out, at[1]), any_angle(d.rng), face_up(d.rng), ()))
    return _Dealt(replace(scene, discs=tuple(discs)), d.rng).with_sound()


STRANGE: dict[str, Callable[[_Dealt], Scene]] = {
    "plate": _plate,
    "cup": _cup,
    "coin": _coin,
    "phone": _phone,
    "tape": _tape,
    "foreign": _foreign,
    "photo": _photo,
    "hand": _hand,
    "marker": _marker,
    "lamp": _lamp,
    "worn": _worn,
    "shadow": _shadow,
    "dim": _dim,
    "cloth": _cloth,
    "edge": _edge,
}

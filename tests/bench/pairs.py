"""How honestly near ties are ruled: `make bench-accuracy` prints the table, of pictures that it draws itself.

Pairs of coasters between a gap and an overlap of 10 mm, the nearer to touching the more of them, of all
colours, on every table, at four sizes of picture, seen from 0 to 50°. What the eye is told of camera, markers
and coasters is off by as much as in a careful household: two radii each off by 0.1 mm, the thickness by
0.15 mm, the focal length by 0.5 %, marker corners by 0.15 px, and every coaster warped by 0.25° (standard
deviations).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import sqrt
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.render import Spec, deal, render
from calibration.render.arrange import pair
from calibration.render.scene import Disc, Scene
from referee import demo
from referee.facts import Contact, Placed, Touch
from referee.formats import PieceSet, load_pieces
from referee.vision.discs import gallery
from referee.vision.discs.gallery import Gallery
from referee.vision.reading import Reader, Reading, Settings
from referee.vision.table import pose
from referee.vision.table.camera import Camera
from referee.vision.table.markers import find_markers
from referee.vision.table.pose import TableView

SIZES = (1280, 720), (1920, 1080), (1280, 720), (1920, 1080), (2560, 1440), (3840, 2160)
"""One after the other: large pictures are drawn slowly."""
WIDEST_MM = 10.0
NEAR_MM = 0.5
"""Nearer to touching than this is what the eye of a player can't settle."""
FAR_MM = 2.0
"""Further from touching than this nobody would understand a doubt."""
SPOTS_MM = (-165.0, 60.0), (150.0, 80.0), (0.0, -100.0)
"""Where the pairs of a picture lie."""
PAIRS = len(SPOTS_MM)
RADIUS_MM = 0.1 / sqrt(2)
"""Off for both coasters of a pair alike: that adds up to what two of 0.1 mm on their own do."""
THICKNESS_MM, FOCAL, CORNER_PX, WARP_DEG = 0.15, 0.005, 0.15, 0.25


@dataclass(frozen=True, eq=False)
class Drawn:
    """A picture of three pairs, each's true overlap, and what a household would measure of its coasters."""

    scene: Scene
    bgr: NDArray[np.uint8]
    known: Gallery
    widths_mm: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Shot:
    """A picture of three pairs, each's true overlap, and what the eye is told."""

    bgr: NDArray[np.uint8]
    view: TableView
    known: Gallery
    discs: tuple[Disc, ...]
    """Two by two: below, above."""
    widths_mm: tuple[float, ...]


@dataclass(frozen=True)
class Ruled:
    """One pair: what is true and what was said."""

    true_mm: float
    contact: Contact | None
    right_on_top: bool
    places: tuple[float, float]
    """How far off each of the two was found, in its own sigmas."""

    @property
    def touch(self) -> Touch:
        """A pair that isn't listed is told clear."""
        return Touch.CLEAR if self.contact is None else self.contact.touch()

    @property
    def wrong(self) -> bool:
        if self.touch is Touch.COVERS:
            return self.true_mm <= 0 or not self.right_on_top
        return self.touch is Touch.CLEAR and self.true_mm > 0

    @property
    def off_mm(self) -> float:
        assert self.contact is not None
        return self.contact.overlap_mm.value - self.true_mm

    @property
    def z(self) -> float:
        """The width's error in its own sigmas."""
        assert self.contact is not None
        return self.off_mm / self.contact.overlap_mm.sigma


def swept(count: int, settings: Settings | None = None) -> list[Ruled]:
    """What is said of every pair of `count` pictures of which both coasters are found."""
    with ProcessPoolExecutor() as pool:
        return [pair for told in pool.map(_told, range(count), [settings] * count) for pair in told]


def scores(told: Sequence[Ruled], count: int) -> dict[str, Any]:
    """What was said of the pairs of `count` pictures, in numbers."""
    sure = [pair for pair in told if pair.touch is not Touch.TOO_CLOSE]
    unsure = [pair for pair in told if pair.touch is Touch.TOO_CLOSE]
    listed = [pair for pair in told if pair.contact is not None]
    off, z = np.array([pair.off_mm for pair in listed]), np.array([pair.z for pair in listed])
    places = np.array([pair.places for pair in told])
    return {
        "pairs": PAIRS * count,
        "near": sum(abs(pair.true_mm) < NEAR_MM for pair in told),
        "found": round(len(told) / (PAIRS * count), 4),
        "wrong": round(sum(pair.wrong for pair in sure) / max(len(sure), 1), 4),
        "unsure": round(len(unsure) / max(len(told), 1), 4),
        "unsure_far": sum(abs(pair.true_mm) > FAR_MM for pair in unsure),
        "width_rms_mm": round(float(np.sqrt(np.mean(off**2))), 3),
        "width_p95_mm": round(float(np.percentile(np.abs(off), 95)), 3),
        "z_rms": round(float(np.sqrt(np.mean(z**2))), 2),
        "within_95": round(float(np.mean(np.abs(z) < 1.96)), 4),
        "beyond_3_sigma": round(float(np.mean(np.abs(z) > 3)), 4),
        "places_within_95": round(float(np.mean(places < 2.45)), 4),
    }


@cache
def _known() -> tuple[PieceSet, Gallery]:
    pieces = load_pieces(demo.PIECES)
    return pieces, gallery.load(pieces)


def _told(seed: int, settings: Settings | None) -> list[Ruled]:
    return ruled(shot(seed), settings)


def shot(seed: int) -> Shot:
    """The picture number `seed`, drawn, and its markers found."""
    drawn = _drawn(seed)
    return Shot(drawn.bgr, _seen(drawn, seed), drawn.known, drawn.scene.discs, drawn.widths_mm)


@lru_cache(maxsize=1)
def _drawn(seed: int) -> Drawn:
    pieces, known = _known()
    rng = np.random.default_rng([seed, 77])
    scene = deal(Spec("singles", pieces, SIZES[seed % len(SIZES)]), 1000 + seed)
    names = [str(v) for v in rng.permutation([p.id for p in pieces.pieces if p.animal])]
    discs: list[Disc] = []
    for k, (x, y) in enumerate(SPOTS_MM):
        width = WIDEST_MM * rng.uniform() ** 2 * rng.choice([-1, 1])
        middle = x + float(rng.uniform(-12, 12)), y + float(rng.uniform(-12, 12))
        faces = str(rng.choice(["front", "back"])), str(rng.choice(["front", "back"]))
        turn, one, other = (float(v) for v in rng.uniform(-180, 180, 3))
        laid = pair(pieces, (names[2 * k], names[2 * k + 1]), middle, width, turn, faces, (one, other))
        discs += [_warped(d, rng) for d in laid]
    scene = replace(scene, discs=tuple(discs))
    bgr = render(scene, seed)
    told = replace(
        known,
        radius_mm=known.radius_mm + float(rng.normal(0, RADIUS_MM)),
        thickness_mm=known.thickness_mm + float(rng.normal(0, THICKNESS_MM)),
    )
    widths = tuple(_width(a, b, pieces) for a, b in zip(discs[::2], discs[1::2], strict=True))
    return Drawn(scene, bgr, told, widths)


def _warped(disc: Disc, rng: np.random.Generator) -> Disc:
    """Turned about its middle, as far as a warped one seems to lean."""
    by = np.array([*rng.normal(0, np.radians(WARP_DEG) / sqrt(2), 2), 0.0])
    return replace(disc, rotation=cv2.Rodrigues(by)[0] @ disc.rotation)


def _width(a: Disc, b: Disc, pieces: PieceSet) -> float:
    return float(2 * pieces.radius_mm - np.hypot(*(a.center_mm - b.center_mm)[:2]))


def _seen(drawn: Drawn, seed: int) -> TableView:
    """The table as the eye sees it that was told of a camera a little off."""
    rng = np.random.default_rng([seed, 78])
    lens = Camera.load(drawn.scene.view.camera)
    matrix = lens.matrix.copy()
    matrix[[0, 1], [0, 1]] *= 1 + float(rng.normal(0, FOCAL))
    gray = np.asarray(cv2.cvtColor(drawn.bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    found = find_markers(gray, drawn.scene.layout)
    corners = {m: q + rng.normal(0, CORNER_PX, (4, 2)) for m, q in found.items()}
    view = pose.pose(corners, replace(lens, matrix=matrix), drawn.scene.layout)
    assert view is not None
    return view


def ruled(shot: Shot, settings: Settings | None = None) -> list[Ruled]:
    """What is said of every pair of which both coasters are found."""
    reading = Reader(shot.known, settings=settings).read(shot.bgr, shot.view)
    who = _who(shot.discs, reading)
    said = {frozenset((c.upper, c.lower)): c for c in reading.contacts}
    out = []
    for k, width in enumerate(shot.widths_mm):
        below, above = who.get(2 * k), who.get(2 * k + 1)
        if below is None or above is None:
            continue
        contact = said.get(frozenset((below, above)))
        off = (
            _off(shot.discs[2 * k], reading.placed[below]),
            _off(shot.discs[2 * k + 1], reading.placed[above]),
        )
        out.append(Ruled(width, contact, contact is not None and contact.upper == above, off))
    return out


def _off(disc: Disc, placed: Placed) -> float:
    """How far from its place a disc was found, in sigmas along each axis."""
    sigma = np.hypot(placed.x_mm.sigma, placed.y_mm.sigma) / sqrt(2)
    return _away(disc, placed) / float(sigma)


def _away(disc: Disc, placed: Placed) -> float:
    return float(np.hypot(*(np.array([placed.x_mm.value, placed.y_mm.value]) - disc.center_mm[:2])))


def _who(discs: Sequence[Disc], reading: Reading) -> dict[int, int]:
    """Index of a disc to its index in the reading: the nearest within 10 mm."""
    out = {}
    for i, disc in enumerate(discs):
        off = [_away(disc, p) for p in reading.placed]
        if off and min(off) < 10:
            out[i] = int(np.argmin(off))
    return out

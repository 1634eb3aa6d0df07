"""The faces of the printed Poc! set: composed from animals, rings and markers.

A face must be read by people first: animal, numeral, colour. Whoever can't tell the colours apart has the
ring's own edge and the shape of the pips; whoever can't see the middle has the numeral twice and the pips.
At the rim every face has a dark line and a pale one: where a coaster lies on any other, the edge between them
has contrast whatever is printed there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, pi, sin

import cv2

from calibration.art.animals import INK, WHITE, fox, gecko, numeral, panda, penguin, star
from calibration.art.shapes import (
    Colour,
    Drawing,
    Path,
    Point,
    around,
    circle,
    fill,
    line,
    placed,
    polygon,
    polyline,
    rectangle,
    ring,
)

RADIUS_MM = 47.0
THICKNESS_MM = 3.0
TAG_MM = 15.0
TAG_FAMILY = "tag36h11"
TAG_CENTER: Point = (0.0, -0.46)
"""Where the tag's middle lies on every face, in radii."""
TRAMPOLINE = "trampoline"
VALUES = (1, 2, 3, 4, 5)
FIRST_TAG = 10

_TAG_CELLS = 8
_RIM = 0.966
_PALE = 0.936
_FIELD = 0.80
_BACK_FIELD = 0.775
_CREAM: Colour = (252, 249, 240)


@dataclass(frozen=True)
class Family:
    animal: str
    colour: Colour
    dark: Colour
    tint: Colour
    edge: Callable[[float], list[Point]]
    """Inner edge of the ring about the given radius."""
    pip: Path
    """A mark of about 1 high, top up."""
    portrait: Callable[[], Drawing]


def _toothed(radius: float) -> list[Point]:
    n = 36
    return [_polar(radius + (0.035 if i % 2 else -0.035), 90 + 360 * i / (2 * n)) for i in range(2 * n)]


def _waved(radius: float) -> list[Point]:
    return [_polar(radius + 0.032 * cos(2 * pi * 12 * i / 240), 360 * i / 240) for i in range(240)]


def _plain(radius: float) -> list[Point]:
    return [_polar(radius, 3 * i) for i in range(120)]


def _stepped(radius: float) -> list[Point]:
    out = []
    for i in range(16):
        r = radius + (0.032 if i % 2 else -0.032)
        out += [_polar(r, 22.5 * i - 11.25), _polar(r, 22.5 * i), _polar(r, 22.5 * i + 11.25)]
    return out


def _polar(radius: float, angle_deg: float) -> Point:
    return radius * cos(angle_deg * pi / 180), radius * sin(angle_deg * pi / 180)


_TRIANGLE = polygon([(0, 0.55), (0.55, -0.45), (-0.55, -0.45)])
_LEAF = Path(
    (0, 0.62), (((0.55, 0.25), (0.55, -0.25), (0, -0.62)), ((-0.55, -0.25), (-0.55, 0.25), (0, 0.62)))
)
_DOT = circle(0, 0, 0.5)
_SQUARE = rectangle(-0.46, -0.46, 0.92, 0.92)

FAMILIES = (
    Family("fox", (232, 110, 20), (142, 52, 0), (255, 234, 212), _toothed, _TRIANGLE, fox),
    Family("gecko", (0, 142, 98), (0, 78, 54), (222, 244, 226), _waved, _LEAF, gecko),
    Family("panda", (232, 138, 186), (120, 24, 74), (253, 228, 240), _plain, _DOT, panda),
    Family("penguin", (16, 82, 156), (6, 40, 88), (218, 234, 250), _stepped, _SQUARE, penguin),
)


@dataclass(frozen=True)
class Face:
    """One printed face. `tag` is the marker on it."""

    piece: str
    side: str
    animal: str
    value: int
    tag: int
    drawing: Drawing

    @property
    def name(self) -> str:
        return f"{self.piece}_{self.side}"


def printed_set(radius_mm: float = RADIUS_MM) -> tuple[Face, ...]:
    """Front and back of the twenty coasters and of the trampoline, in the order of their markers."""
    faces: list[Face] = []
    tag = FIRST_TAG
    for family in FAMILIES:
        for value in VALUES:
            piece = f"{family.animal}{value}"
            for side, draw in (("front", _front), ("back", _back)):
                drawing = draw(family, value) + _tag(tag, radius_mm)
                faces.append(Face(piece, side, family.animal, value, tag, drawing))
                tag += 1
    for side in ("front", "back"):
        faces.append(Face(TRAMPOLINE, side, "", 0, tag, _trampoline(side) + _tag(tag, radius_mm)))
        tag += 1
    return tuple(faces)


def _front(family: Family, value: int) -> Drawing:
    return (
        *_rim(_CREAM),
        fill(family.colour, circle(0, 0, _PALE)),
        fill(family.tint, polygon(family.edge(_FIELD - 0.02))),
        *placed(family.portrait(), 0.0, 0.275, 0.395),
        *placed(numeral(value, family.dark), -0.41, -0.31, 0.2),
        *placed(numeral(value, family.dark), 0.41, -0.31, 0.2),
        *_pips(family, value, _CREAM, 0.872),
    )


def _back(family: Family, value: int) -> Drawing:
    return (
        *_rim(_CREAM),
        fill(family.dark, circle(0, 0, _PALE)),
        fill(_CREAM, polygon(family.edge(_BACK_FIELD)), circle(0, 0, _BACK_FIELD - 0.075)),
        fill(family.colour, circle(0, 0, _BACK_FIELD - 0.075)),
        fill(_CREAM, circle(0, 0.27, 0.36)),
        *placed(numeral(value, family.dark, 0.36), 0.0, 0.27, 0.26),
        *_wings(family),
        *_pips(family, value, _CREAM, 0.872),
    )


def _wings(family: Family) -> Drawing:
    """Three pips of the family on either side of the tag, so that a back tells the family without colour."""
    at = [(0.37, -0.25), (0.37, -0.47), (0.52, -0.36)]
    mark = (fill(_CREAM, family.pip),)
    return tuple(ink for x, y in at for s in (1, -1) for ink in placed(mark, s * x, y, 0.12))


def _pips(family: Family, value: int, colour: Colour, radius: float) -> Drawing:
    return around(placed((fill(colour, family.pip),), 0, 0, 0.08), value, radius)


def _rim(pale: Colour) -> Drawing:
    return (fill(INK, circle(0, 0, 1.0)), fill(pale, circle(0, 0, _RIM)))


def _trampoline(side: str) -> Drawing:
    gold, night, mat = (250, 198, 30), (38, 34, 60), (64, 58, 96)
    frame, bed = (gold, mat) if side == "front" else (night, gold)
    spring = [(0.03 * (-1) ** i, 0.70 + 0.028 * i) for i in range(7)]
    springs = line(night if side == "front" else gold, 0.022, polyline(spring))
    sign = star(gold) if side == "front" else star(night)
    return (
        *_rim(_CREAM),
        fill(frame, circle(0, 0, _PALE)),
        *around(placed((springs,), 0, -0.79), 20, 0.79),
        fill(_CREAM, *ring(0.70, 0.66)),
        fill(bed, circle(0, 0, 0.66)),
        *placed(sign, 0.0, 0.24, 0.30),
        *(line(_CREAM if side == "front" else night, 0.045, _hop(s * 0.40, -0.33)) for s in (1, -1)),
        *(line(_CREAM if side == "front" else night, 0.045, _hop(s * 0.40, -0.20)) for s in (1, -1)),
    )


def _hop(x: float, y: float) -> Path:
    return polyline([(x - 0.09, y - 0.06), (x, y + 0.04), (x + 0.09, y - 0.06)])


def _tag(tag: int, radius_mm: float) -> Drawing:
    """The marker with one cell of quiet zone, upright, about TAG_CENTER."""
    return marker(tag, TAG_MM / radius_mm, *TAG_CENTER)


def marker(tag: int, side: float, x: float, y: float) -> Drawing:
    """AprilTag 36h11 `tag`, its black square `side` wide, its middle at (x, y), on a white plate."""
    cell = side / _TAG_CELLS
    left, top = x - side / 2, y + side / 2
    white = tag_cells(tag)
    runs: list[Path] = []
    # Along rows and along columns: the runs overlap, so that no hairline shows between white neighbours.
    for i, row in enumerate(white):
        for start, end in _runs(row):
            runs.append(rectangle(left + start * cell, top - (i + 1) * cell, (end - start) * cell, cell))
    for j, column in enumerate(zip(*white, strict=True)):
        for start, end in _runs(column):
            runs.append(rectangle(left + j * cell, top - end * cell, cell, (end - start) * cell))
    plate = rectangle(left - cell, top - side - cell, side + 2 * cell, side + 2 * cell)
    square = rectangle(left, top - side, side, side)
    return (fill(WHITE, plate), fill((0, 0, 0), square), *(fill(WHITE, run) for run in runs))


def tag_cells(tag: int) -> tuple[tuple[bool, ...], ...]:
    """Which of the 8 x 8 cells are white, row by row from the top."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    picture = cv2.aruco.generateImageMarker(dictionary, tag, _TAG_CELLS)
    return tuple(tuple(bool(v) for v in row) for row in picture)


def _runs(cells: tuple[bool, ...]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for i, white in enumerate(cells):
        if white and out and out[-1][1] == i:
            out[-1] = (out[-1][0], i + 1)
        elif white:
            out.append((i, i + 1))
    return out

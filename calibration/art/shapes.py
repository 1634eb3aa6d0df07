"""Vector drawing in few words: inks on a unit disc, drawn alike into pixels and onto a PDF page.

Coordinates are radii of the disc, x right, y up, origin at the middle; a drawing is a tuple of inks, the
first one lowest. Keeping one description for both outputs means that what the eye is taught from (the
pictures of the piece set) is what the printer prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import cos, radians, sin
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from reportlab.lib.colors import Color as PdfColor
from reportlab.pdfgen.canvas import FILL_EVEN_ODD

Point = tuple[float, float]
Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255."""

SUPERSAMPLE = 4
_SUBPIXEL_BITS = 6
_FLAT_STEPS = 14
_CIRCLE = 0.5522847498
"""Control arm of a quarter circle as a cubic, 4/3 * (sqrt(2) - 1)."""


@dataclass(frozen=True)
class Path:
    """A closed or open run of cubic curves: (control, control, end) each."""

    start: Point
    curves: tuple[tuple[Point, Point, Point], ...]


@dataclass(frozen=True)
class Ink:
    """Paths of one colour. Filled by the even-odd rule, or drawn as a round-ended line of `width` radii."""

    paths: tuple[Path, ...]
    colour: Colour
    width: float = 0.0


Drawing = tuple[Ink, ...]


def polygon(points: Sequence[Point]) -> Path:
    """Closed, straight sides."""
    return polyline([*points, points[0]])


def polyline(points: Sequence[Point]) -> Path:
    """Open, straight sides."""
    return Path(points[0], tuple((a, b, b) for a, b in pairwise(points)))


def rectangle(x: float, y: float, width: float, height: float) -> Path:
    """Lower left corner, width, height."""
    return polygon([(x, y), (x + width, y), (x + width, y + height), (x, y + height)])


def ellipse(x: float, y: float, rx: float, ry: float, angle_deg: float = 0.0) -> Path:
    k = _CIRCLE
    unit = [
        ((1.0, k), (k, 1.0), (0.0, 1.0)),
        ((-k, 1.0), (-1.0, k), (-1.0, 0.0)),
        ((-1.0, -k), (-k, -1.0), (0.0, -1.0)),
        ((k, -1.0), (1.0, -k), (1.0, 0.0)),
    ]
    c, s = cos(radians(angle_deg)), sin(radians(angle_deg))

    def place(p: Point) -> Point:
        return x + c * rx * p[0] - s * ry * p[1], y + s * rx * p[0] + c * ry * p[1]

    return Path(place((1.0, 0.0)), tuple((place(a), place(b), place(e)) for a, b, e in unit))


def circle(x: float, y: float, radius: float) -> Path:
    return ellipse(x, y, radius, radius)


def ring(outer: float, inner: float) -> tuple[Path, Path]:
    """Two circles about the middle: filled by the even-odd rule they are a ring."""
    return circle(0.0, 0.0, outer), circle(0.0, 0.0, inner)


def spline(points: Sequence[Point], closed: bool = True) -> Path:
    """A smooth curve through the points (uniform Catmull-Rom, written as cubics)."""
    n = len(points)

    def at(i: int) -> Point:
        return points[i % n] if closed else points[min(max(i, 0), n - 1)]

    curves = []
    for i in range(n if closed else n - 1):
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = at(i - 1), at(i), at(i + 1), at(i + 2)
        curves.append(
            ((bx + (cx - ax) / 6, by + (cy - ay) / 6), (cx - (dx - bx) / 6, cy - (dy - by) / 6), (cx, cy))
        )
    return Path(points[0], tuple(curves))


def fill(colour: Colour, *paths: Path) -> Ink:
    return Ink(paths, colour)


def line(colour: Colour, width: float, *paths: Path) -> Ink:
    return Ink(paths, colour, width)


def placed(
    drawing: Iterable[Ink], x: float, y: float, scale: float = 1.0, angle_deg: float = 0.0, flip: bool = False
) -> Drawing:
    """The drawing, mirrored left to right if `flip`, scaled, turned and moved."""
    c, s = scale * cos(radians(angle_deg)), scale * sin(radians(angle_deg))
    m = -1.0 if flip else 1.0

    def move(p: Point) -> Point:
        return x + c * m * p[0] - s * p[1], y + s * m * p[0] + c * p[1]

    def moved(path: Path) -> Path:
        return Path(move(path.start), tuple((move(a), move(b), move(e)) for a, b, e in path.curves))

    return tuple(
        replace(ink, paths=tuple(moved(p) for p in ink.paths), width=ink.width * scale) for ink in drawing
    )


def around(drawing: Iterable[Ink], count: int, radius: float, first_deg: float = 90.0) -> Drawing:
    """`count` copies on a circle, each with its top pointing outwards."""
    inks = tuple(drawing)
    out: Drawing = ()
    for i in range(count):
        angle = first_deg - 360.0 * i / count
        a = radians(angle)
        out += placed(inks, radius * cos(a), radius * sin(a), angle_deg=angle - 90.0)
    return out


def flattened(path: Path) -> NDArray[np.float64]:
    """The path as points, (N, 2)."""
    t = np.linspace(0.0, 1.0, _FLAT_STEPS + 1)[1:, None]
    points = [np.array([path.start])]
    start = np.array(path.start)
    for a, b, end in path.curves:
        if (a, b) == (tuple(start), end):
            points.append(np.array([end]))
        else:
            p, q, e = np.array(a), np.array(b), np.array(end)
            points.append((1 - t) ** 3 * start + 3 * (1 - t) ** 2 * t * p + 3 * (1 - t) * t**2 * q + t**3 * e)
        start = np.array(end)
    return np.concatenate(points)


def raster(drawing: Iterable[Ink], size_px: int, paper: Colour = (255, 255, 255)) -> NDArray[np.uint8]:
    """The disc filling a square picture, (size_px, size_px, 3) BGR, antialiased."""
    big = size_px * SUPERSAMPLE
    picture = np.full((big, big, 3), paper[::-1], np.uint8)
    one = 1 << _SUBPIXEL_BITS
    for ink in drawing:
        contours = []
        for path in ink.paths:
            p = flattened(path)
            px = np.stack([(p[:, 0] + 1) * big / 2 - 0.5, (1 - p[:, 1]) * big / 2 - 0.5], axis=1)
            contours.append(np.rint(px * one).astype(np.int32).reshape(-1, 1, 2))
        if ink.width:
            thick = max(1, round(ink.width * big / 2))
            cv2.polylines(picture, contours, False, ink.colour[::-1], thick, cv2.LINE_8, _SUBPIXEL_BITS)
        else:
            cv2.fillPoly(picture, contours, ink.colour[::-1], cv2.LINE_8, _SUBPIXEL_BITS)
    return np.asarray(cv2.resize(picture, (size_px, size_px), interpolation=cv2.INTER_AREA), np.uint8)


def on_page(drawing: Iterable[Ink], page: Any, x_pt: float, y_pt: float, radius_pt: float) -> None:
    """The disc on a reportlab canvas, its middle at (x_pt, y_pt)."""
    page.saveState()
    page.translate(x_pt, y_pt)
    page.scale(radius_pt, radius_pt)
    page.setLineCap(1)
    page.setLineJoin(1)
    for ink in drawing:
        colour = PdfColor(*(v / 255 for v in ink.colour))
        outline = page.beginPath()
        for path in ink.paths:
            outline.moveTo(*path.start)
            here = path.start
            for a, b, end in path.curves:
                if (a, b) == (here, end):
                    outline.lineTo(*end)
                else:
                    outline.curveTo(*a, *b, *end)
                here = end
        if ink.width:
            page.setStrokeColor(colour)
            page.setLineWidth(ink.width)
            page.drawPath(outline, stroke=1, fill=0)
        else:
            page.setFillColor(colour)
            page.drawPath(outline, stroke=0, fill=1, fillMode=FILL_EVEN_ODD)
    page.restoreState()

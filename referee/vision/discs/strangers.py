"""Round things on the table that are no discs of the set: a plate, a cup, a coin, somebody else's coaster.

They are sought where something stands out that neither the table's colours nor a disc, a marker or the box
explains; what ends in a level circle there is one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.facts import Stranger
from referee.formats import Layout
from referee.vision.discs import level_circle
from referee.vision.discs.level_circle import edges_about, outermost, standing
from referee.vision.discs.peel import Found
from referee.vision.discs.picture import Picture
from referee.vision.discs.unexplained import standing_out
from referee.vision.table.backdrop import Backdrop

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_SQUARE = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float)
_PAPER = 1.4
"""So many times as wide as its black square is a marker's paper."""


@dataclass(frozen=True)
class Settings:
    circle: level_circle.Settings = field(default_factory=level_circle.Settings)
    width_px: int = 384
    """So wide is the picture in which they are sought."""
    least_round: float = 0.5
    """Share of the circle about it that a blot must fill, of a thing that may stand up and cast a shadow."""
    much: float = 0.85
    """A circle within that is smaller than this share of the one about it is looked at as well."""
    most: int = 4
    """So many of the roundest blots are looked at."""
    same: float = 0.15
    """A circle is a coaster's own, when middle and radius are at most this share of its radius off."""


def find(
    picture: Picture,
    found: Sequence[Found],
    free: Mask,
    backdrop: Backdrop,
    radius_mm: float,
    elsewise: Sequence[Array],
    settings: Settings,
) -> list[Stranger]:
    """What is round and none of the discs found.

    free: (H, W) pixels that no disc explains; radius_mm: of the discs; elsewise: corners (N, 3) in mm of each
    body that is known to stand there: the box, a marker.
    """
    s, view = settings, picture.view
    known = [_circle_of(view.to_mm(view.to_px(f.pose.rim(radius_mm)))) for f in found]
    out: list[Stranger] = []
    for whole, inner in _blots(picture, free, backdrop, elsewise, s):
        around = edges_about(picture, free, whole, s.circle)
        if around is None:
            continue
        circle = outermost(around, s.circle)
        if (
            circle is None
            and inner is not None
            and (edges := edges_about(picture, free, inner, s.circle)) is not None
        ):
            circle = outermost(edges, s.circle)
        if circle is not None and not any(_same(circle, k, s) for k in known):
            stranger = standing(around, circle, view, s.circle)
            if all(np.hypot(stranger.x_mm - o.x_mm, stranger.y_mm - o.y_mm) > o.radius_mm / 2 for o in out):
                out.append(stranger)
    return out


def near_play(stranger: Stranger, layout: Layout | None) -> bool:
    """Whether it reaches into the play area, or else in between the markers."""
    if layout is None:
        return True
    area = np.array(layout.play_area_mm, np.float32)
    if not layout.play_area_mm:
        marks = np.array(list(layout.marker_centers_mm.values()))
        (left, near), (right, far) = marks.min(axis=0), marks.max(axis=0)
        area = np.array([(left, near), (right, near), (right, far), (left, far)], np.float32)
    within = cv2.pointPolygonTest(area, (stranger.x_mm, stranger.y_mm), True)
    return bool(within > -stranger.radius_mm)


def markers(layout: Layout | None) -> list[Array]:
    """Corners (4, 3) in mm of each marker's paper."""
    if layout is None:
        return []
    paper = _PAPER * layout.marker_mm / 2 * _SQUARE
    return [np.column_stack((paper + at, np.zeros(4))) for at in layout.marker_centers_mm.values()]


def _blots(
    picture: Picture, free: Mask, backdrop: Backdrop, elsewise: Sequence[Array], settings: Settings
) -> list[tuple[Array, Array | None]]:
    """What stands out and may be round, as circles x, y, radius in mm on the table's plane: the one about it
    and, where that is much smaller, the one within it."""
    s, view = settings, picture.view
    strange, shrink = standing_out(picture, free, backdrop, s.width_px, cv2.INTER_LINEAR)
    blank = strange.view(np.uint8)
    for corners in elsewise:
        hull = cv2.convexHull(np.rint(view.to_px(corners) / shrink).astype(np.int32))
        cv2.fillConvexPoly(blank, hull, 0)
    whole = cv2.morphologyEx(blank, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    contours, _ = cv2.findContours(whole, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    blots: list[tuple[float, Array, Array | None]] = []
    for contour in contours:
        if len(contour) < 12:
            continue
        at = view.to_mm((contour[:, 0].astype(float) + 0.5) * shrink - 0.5)
        if not np.abs(at).max() < 2000:
            continue  # towards the horizon
        round_about = cv2.convexHull(at.astype(np.float32))
        (x, y), around = cv2.minEnclosingCircle(round_about)
        share = cv2.contourArea(round_about) / (np.pi * around**2 + 1e-9)
        if share < s.least_round or not s.circle.radii_mm[0] < around < 1.5 * s.circle.radii_mm[1]:
            continue
        inner = _inscribed(at)
        apart = s.circle.radii_mm[0] < inner[2] < s.much * around
        blots.append((float(share), np.array([x, y, around]), inner if apart else None))
    blots.sort(key=lambda b: -b[0])
    return [(whole, inner) for _, whole, inner in blots[: s.most]]


def _inscribed(outline_mm: Array) -> Array:
    """(3,) the largest circle within an outline: what stands up, without its shadow."""
    low = outline_mm.min(axis=0)
    cell = max(float(np.ptp(outline_mm, axis=0).max()) / 100, 0.5)
    size = np.ceil(np.ptp(outline_mm, axis=0) / cell).astype(int) + 3
    drawn = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillPoly(drawn, [np.rint((outline_mm - low) / cell + 1).astype(np.int32)], 1)
    deep = cv2.distanceTransform(drawn, cv2.DIST_L2, 5)
    row, column = np.unravel_index(int(deep.argmax()), deep.shape)
    return np.array([*(low + cell * (np.array([column, row]) - 1.0)), cell * float(deep[row, column])])


def _circle_of(outline_mm: Array) -> Array:
    """(3,) middle and mean radius."""
    middle = outline_mm.mean(axis=0)
    return np.array([*middle, float(np.linalg.norm(outline_mm - middle, axis=1).mean())])


def _same(circle: Array, other: Array, settings: Settings) -> bool:
    off, larger = np.hypot(*(circle[:2] - other[:2])), abs(circle[2] - other[2])
    return bool(max(off, larger) < settings.same * other[2])

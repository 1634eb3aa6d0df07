"""The layout's markers in a picture: found, and their corners measured below the pixel."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.formats import Layout
from referee.vision.table.edges import edge_points, fit_line

Array = NDArray[np.float64]
Seen = tuple[int, Array]
"""A marker's id and its corners (4, 2) in raw pixels."""

DICTIONARIES = {
    "tag36h11": cv2.aruco.DICT_APRILTAG_36h11,
    "tag25h9": cv2.aruco.DICT_APRILTAG_25h9,
    "tag16h5": cv2.aruco.DICT_APRILTAG_16h5,
}


def detector(layout: Layout) -> cv2.aruco.ArucoDetector:
    """A detector of the layout's own markers only; looking for fewer ids is several times faster."""
    whole = cv2.aruco.getPredefinedDictionary(DICTIONARIES[layout.marker_family])
    ids = sorted(layout.marker_centers_mm)
    few = cv2.aruco.Dictionary(whole.bytesList[ids], whole.markerSize, whole.maxCorrectionBits)
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_NONE
    settings.adaptiveThreshWinSizeMin = 7
    settings.adaptiveThreshWinSizeMax = 39
    settings.adaptiveThreshWinSizeStep = 16
    return cv2.aruco.ArucoDetector(few, settings)


SOUGHT_PX = 960
"""In a wider picture markers are first sought in one made smaller, to no less than this: it takes a quarter
of the time, and on a mat that fills the picture they are large enough."""

PLAIN_PX = 16
"""A marker whose side is shorter there is found too roughly: two pixels a cell."""


def find_markers(gray: NDArray[np.uint8], layout: Layout) -> dict[int, Array]:
    """Corners (4, 2) in raw pixels, clockwise from the top left as printed, by marker id; a marker that is
    seen twice is none.

    Corners are the crossings of lines fitted below the pixel to the four sides.
    """
    shrink = max(gray.shape[1] // SOUGHT_PX, 1)
    seen = _detect(gray, layout, shrink)
    if shrink > 1:
        seen = [(name, quad) for name, quad in seen if _shortest(quad) >= PLAIN_PX * shrink]
        rough = _once(seen)
        seen = _detect(gray, layout, 1) if len(rough) < 2 else seen + _look_beside(rough, gray, layout, seen)
    smooth = gray.astype(np.float32)
    # a corner found in a smaller picture may be off by pixels, and its sides sampled askew: refined twice
    return {name: _refine(smooth, _refine(smooth, quad)) for name, quad in _once(seen).items()}


def _shortest(quad: Array) -> float:
    return float(np.hypot(*(np.roll(quad, -1, axis=0) - quad).T).min())


def _once(seen: Sequence[Seen]) -> dict[int, Array]:
    names = [name for name, _ in seen]
    return {name: quad for name, quad in seen if names.count(name) == 1}


def _look_beside(
    rough: dict[int, Array], gray: NDArray[np.uint8], layout: Layout, seen: Sequence[Seen]
) -> list[Seen]:
    """The markers that weren't seen, where those that were put them."""
    world = np.concatenate([marker_corners_mm(layout, m)[:, :2] for m in rough])
    onto = np.asarray(cv2.findHomography(world, np.concatenate(list(rough.values())))[0], float)
    found = list[Seen]()
    for marker in layout.marker_centers_mm.keys() - {name for name, _ in seen}:
        middle = layout.marker_centers_mm[marker]
        around = middle + 2 * (marker_corners_mm(layout, marker)[:, :2] - middle)
        px = cv2.perspectiveTransform(around[None], onto)[0]
        low, high = (np.clip(e, 0, gray.shape[::-1]).astype(int) for e in (px.min(axis=0), px.max(axis=0)))
        if (high - low > 8).all():
            part = _detect(gray[low[1] : high[1], low[0] : high[0]], layout, 1)
            found += [(name, quad + low) for name, quad in part if name == marker]
    return found


def _detect(gray: NDArray[np.uint8], layout: Layout, shrink: int) -> list[Seen]:
    """Markers with their rough corners in raw pixels, sought in the picture made so many times smaller."""
    small = cv2.resize(gray, None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_AREA)
    corners, ids, _ = detector(layout).detectMarkers(small)
    known = sorted(layout.marker_centers_mm)
    names = [known[int(index)] for index in (() if ids is None else ids.reshape(-1))]
    quads = [(quad.reshape(4, 2).astype(float) + 0.5) * shrink - 0.5 for quad in corners]
    return list(zip(names, quads, strict=True))


def marker_corners_mm(layout: Layout, marker: int) -> Array:
    """(4, 3) corners of a marker, clockwise from the top left as printed (its top edge is towards +y)."""
    x, y = layout.marker_centers_mm[marker]
    h = layout.marker_mm / 2
    return np.array(
        [(x + sx * h, y + sy * h, layout.marker_z_mm) for sx, sy in ((-1, 1), (1, 1), (1, -1), (-1, -1))]
    )


def _refine(gray: NDArray[np.float32], quad: Array) -> Array:
    sides = np.hypot(*(np.roll(quad, -1, axis=0) - quad).T)
    reach = float(np.clip(sides.min() / 16, 2.0, 6.0))
    lines = []
    for i in range(4):
        points, weights = edge_points(gray, quad[i], quad[(i + 1) % 4], reach)
        lines.append(fit_line(points, weights) if len(points) >= 6 else None)
    corners = quad.copy()
    for i in range(4):
        before, after = lines[i - 1], lines[i]
        if before is None or after is None:
            continue
        crossing = np.cross(before, after)
        if abs(crossing[2]) > 1e-6:
            corner = crossing[:2] / crossing[2]
            if np.hypot(*(corner - quad[i])) < 2 * reach:
                corners[i] = corner
    return corners

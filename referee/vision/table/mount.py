"""The camera's pose over time: surer the longer the camera stands, found anew when it is knocked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from referee.formats import Layout
from referee.vision.table import pose as table
from referee.vision.table.camera import Camera
from referee.vision.table.markers import find_markers
from referee.vision.table.pose import TableView

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    knocked_px: float = 1.5
    """When markers jump together by more, it is the camera that has moved. For pictures 1280 wide."""
    most: int = 10
    """So many looks are averaged at most, so that slow drift is followed."""
    margin_mm: float = 130.0
    """How far beyond the outermost markers, or the play area, movement counts."""


@dataclass(frozen=True, eq=False)
class Mount:
    view: TableView
    corners: Mapping[int, Array]
    """(4, 2) mean raw pixels of each marker's corners."""
    looks: int
    knocked: bool = field(default=False)
    """Whether the last look found the camera moved."""


def look(
    before: Mount | None, gray: NDArray[np.uint8], camera: Camera, layout: Layout, settings: Settings
) -> Mount | None:
    """The mount after another look at the quiet table. None when the table can't be found.

    While the camera stands, corners are averaged over the looks, and a marker that is covered for now
    stays where it was.
    """
    found = find_markers(gray, layout)
    if len(found) < 2:
        return None
    shared = [] if before is None else [m for m in found if m in before.corners]
    if before is None or len(shared) < 2:
        return _fresh(found, camera, layout, knocked=before is not None)
    shifts = [float(np.median(np.hypot(*(found[m] - before.corners[m]).T))) for m in shared]
    if float(np.median(shifts)) > settings.knocked_px * camera.size_px[0] / 1280:
        return _fresh(found, camera, layout, knocked=True)
    weight = 1 / (min(before.looks, settings.most - 1) + 1)
    corners = dict(before.corners)
    for marker, corner in found.items():
        corners[marker] = corners[marker] * (1 - weight) + corner * weight if marker in corners else corner
    view = table.pose(corners, camera, layout)
    return None if view is None else Mount(view, corners, before.looks + 1)


def _fresh(found: dict[int, Array], camera: Camera, layout: Layout, *, knocked: bool) -> Mount | None:
    view = table.pose(found, camera, layout)
    return None if view is None else Mount(view, found, 1, knocked)


def edge(layout: Layout, settings: Settings) -> Array:
    """(N, 2) mm: the outline of the table, as the layout says, or else some way beyond the markers."""
    if layout.table_edge_mm:
        return np.array(layout.table_edge_mm, float)
    (x0, y0), (x1, y1) = _inner(layout) + np.array([[-1.0], [1.0]]) * settings.margin_mm
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])


def _inner(layout: Layout) -> Array:
    """(2, 2) mm: the lower left and upper right corner of where coasters lie."""
    inner = np.array(layout.play_area_mm or list(layout.marker_centers_mm.values()), float)
    return np.stack((inner.min(axis=0), inner.max(axis=0)))


def areas(mount: Mount, layout: Layout, shape: tuple[int, int], settings: Settings) -> tuple[Array, Array]:
    """Outlines in a picture of that shape (height, width): where movement counts, and where coasters lie.

    Each is (N, 2) pixels.
    """
    low, high = _inner(layout)
    scale = shape[1] / mount.view.camera.size_px[0]

    def outline(margin_mm: float) -> Array:
        (x0, y0), (x1, y1) = low - margin_mm, high + margin_mm
        side = np.linspace(0, 1, 8)
        ring = np.concatenate(
            [
                np.stack((x0 + (x1 - x0) * side, np.full(8, y0)), axis=1),
                np.stack((np.full(8, x1), y0 + (y1 - y0) * side), axis=1),
                np.stack((x1 - (x1 - x0) * side, np.full(8, y1)), axis=1),
                np.stack((np.full(8, x0), y1 - (y1 - y0) * side), axis=1),
            ]
        )
        px = mount.view.to_px(np.column_stack((ring, np.zeros(len(ring)))))
        return np.asarray((px + 0.5) * scale - 0.5)

    return outline(settings.margin_mm), outline(0.0)

"""The colours of the table itself, and so what stands out from it.

What covers the table everywhere shows in most parts of the picture; a box or a coaster shows in a few. That
tells things from a chequered cloth or a tiled table, whose edges are as hard as theirs.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.table.pose import TableView

Image = NDArray[np.float32]
Lab8 = NDArray[np.uint8]

BINS = (16, 32, 32)
"""Steps of lightness, a and b that are told apart."""


@dataclass(frozen=True)
class Settings:
    tiles: tuple[int, int] = (8, 6)
    """The table is cut into so many parts, across and deep."""
    least_share: float = 0.01
    """Share of a part that a colour must cover to count as shown there."""
    rare: float = 0.25
    common: float = 0.5
    """Shares of the parts in which a colour shows that is no colour of the table, and that surely is one."""


@dataclass(frozen=True, eq=False)
class Backdrop:
    strange: Image
    """(*BINS) how little each colour is one of the table's: 0 is the table's, 1 a thing's."""

    @classmethod
    def of(cls, flat: Lab8, settings: Settings | None = None) -> Backdrop:
        """From a picture seen from above: (H, W, 3) 8-bit Lab."""
        s = settings or Settings()
        height, width = flat.shape[:2]
        across, deep = s.tiles
        column = np.arange(width) * across // width
        tile = (np.arange(height) * deep // height)[:, None] * across + column
        count = across * deep
        counts = np.bincount((_bin(flat) * count + tile).ravel(), minlength=int(np.prod(BINS)) * count)
        shown = counts.reshape(*BINS, count) > s.least_share * tile.size / count
        for axis in range(3):  # a colour's neighbours are the same colour in another light
            wide = shown.copy()
            to, from_ = np.moveaxis(wide, axis, 0), np.moveaxis(shown, axis, 0)
            to[1:] |= from_[:-1]
            to[:-1] |= from_[1:]
            shown = wide
        strange = np.clip((s.common - shown.mean(axis=3)) / (s.common - s.rare), 0, 1)
        return cls(np.asarray(strange, np.float32))

    def of_lab8(self, lab: Lab8) -> Image:
        """(...) strangeness of 8-bit Lab colours (..., 3)."""
        return np.asarray(self.strange.reshape(-1)[_bin(lab)], np.float32)

    def of_lab(self, lab: Image) -> Image:
        """(...) strangeness of Lab colours (..., 3), L from 0 to 100."""
        levels = lab * np.array([255 / 100, 1, 1], np.float32) + np.array([0.5, 128.5, 128.5], np.float32)
        return self.of_lab8(np.clip(levels, 0, 255).astype(np.uint8))


def _bin(lab: Lab8) -> NDArray[np.int32]:
    light, red, yellow = (lab[..., i].astype(np.int32) for i in range(3))
    return np.asarray(((light >> 4) * BINS[1] + (red >> 3)) * BINS[2] + (yellow >> 3), np.int32)


def lay_flat(
    bgr: NDArray[np.uint8],
    view: TableView,
    height_mm: float,
    area_mm: tuple[float, float, float, float],
    cell_mm: float,
) -> tuple[Lab8, NDArray[np.float64]]:
    """The picture seen from above, on the plane at that height, in 8-bit Lab, and the (2, 3) map from its
    pixels to mm.

    area_mm: (left, right, near, far).
    """
    left, right, near, far = area_mm
    xs, ys = np.arange(left, right, cell_mm), np.arange(far, near, -cell_mm)
    grid = np.stack(np.meshgrid(xs, ys), axis=-1)
    points = np.dstack((grid, np.full(grid.shape[:2], height_mm))).reshape(-1, 3)
    pixels = view.to_px(points).reshape(*grid.shape)
    size = np.hypot(*(pixels[0, 1:] - pixels[0, :-1]).T).mean()
    share = 1 / max(round(size / 2), 1)  # so that a cell covers about two pixels
    bounds = [0, 0], [bgr.shape[1] - 2, bgr.shape[0] - 2]
    first = np.clip(pixels.min(axis=(0, 1)).astype(int) - 4, *bounds)
    last = np.clip(pixels.max(axis=(0, 1)).astype(int) + 5, first + 2, [bgr.shape[1], bgr.shape[0]])
    part = bgr[first[1] : last[1], first[0] : last[0]]
    small = cv2.resize(part, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    at = ((pixels - first + 0.5) * share - 0.5).astype(np.float32)
    flat = cv2.remap(
        cv2.blur(small, (2, 2)), at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    lab = np.asarray(cv2.cvtColor(flat, cv2.COLOR_BGR2LAB), np.uint8)
    return lab, np.array([(cell_mm, 0, left), (0, -cell_mm, far)], float)

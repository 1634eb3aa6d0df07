"""A piece of the table as it looks from straight above, and what there is to draw on it."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.facts import Scene
from referee.vision.discs.gallery import Gallery
from referee.vision.discs.peel import Found
from referee.vision.frames.source import Pixels
from referee.vision.reading import Reading
from referee.vision.table.pose import TableView

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

RIM_POINTS = 360
"""So that the straight lines between them leave the rim by no more than 2 micrometres."""


@dataclass(frozen=True, eq=False)
class Canvas:
    """A piece of the table, seen straight from above at one height."""

    middle_mm: tuple[float, float]
    width_mm: float
    side_px: int
    height_mm: float

    @property
    def scale(self) -> float:
        return self.side_px / self.width_mm

    def cut(self, picture: Pixels, view: TableView) -> Pixels:
        """(side, side, 3) rectified. The way back is exact on a coarse grid and linear between."""
        coarse = np.linspace(0, self.side_px - 1, 33)
        xs, ys = np.meshgrid(coarse, coarse)
        mm = self.to_mm(np.stack((xs, ys), axis=-1).reshape(-1, 2))
        px = view.to_px(np.column_stack((mm, np.full(len(mm), self.height_mm)))).reshape(33, 33, 2)
        fine = np.linspace(0, 32, self.side_px, dtype=np.float32)
        grid_x, grid_y = np.meshgrid(fine, fine)
        maps = [cv2.remap(px[..., i].astype(np.float32), grid_x, grid_y, cv2.INTER_LINEAR) for i in (0, 1)]
        return np.asarray(cv2.remap(picture, maps[0], maps[1], cv2.INTER_CUBIC), np.uint8)

    def to_mm(self, points_px: Array) -> Array:
        centre = (self.side_px - 1) / 2
        return np.asarray((points_px - centre) * [1, -1] / self.scale + self.middle_mm)

    def to_px(self, points_mm: Array) -> Array:
        centre = (self.side_px - 1) / 2
        return np.asarray((points_mm - self.middle_mm) * [1, -1] * self.scale + centre)

    def project(self, points_mm: Array, view: TableView) -> Array:
        """(N, 2) pixels where points (N, 3) are seen: what lies higher than the canvas is shifted."""
        return self.to_px(view.to_mm(view.to_px(points_mm), self.height_mm))


@dataclass(frozen=True, eq=False)
class Outline:
    """The rim of the face that is seen of a piece."""

    rim_mm: Array
    """(N, 3)."""
    seen: Mask
    """(N,) which of it the picture shows; what lies under others is only known to be there."""

    @classmethod
    def whole(cls, rim_mm: Array) -> Outline:
        return cls(rim_mm, np.ones(len(rim_mm), bool))


@dataclass(frozen=True, eq=False)
class Drawn:
    """What there is to draw: a scene, the picture that it was read from, and the pieces' outlines in it."""

    scene: Scene
    picture: Pixels
    view: TableView
    outlines: dict[int, Outline]
    """By track."""
    rims_px: dict[int, Array] = field(init=False)
    """By track: (N, 2) raw pixels."""

    def __post_init__(self) -> None:
        rims = {t: self.view.to_px(o.rim_mm) for t, o in self.outlines.items()}
        object.__setattr__(self, "rims_px", rims)


def outlines(reading: Reading, view: TableView, gallery: Gallery) -> tuple[Outline, ...]:
    """Of every piece of a reading, in its order."""
    return tuple(_outline(f, view, gallery.radius_mm) for f in reading.found)


def _outline(disc: Found, view: TableView, radius_mm: float) -> Outline:
    """A point of the rim is seen where most of the face just inside it agrees with the picture."""
    rim = disc.pose.rim(radius_mm, RIM_POINTS)
    rows, columns = disc.patch.box
    shows = np.zeros(RIM_POINTS)
    for share in (0.96, 0.93, 0.90):
        inner = disc.pose.centre_mm + (rim - disc.pose.centre_mm) * share
        x, y = (np.round(view.to_px(inner)) - [columns.start, rows.start]).astype(int).T
        height, width = disc.agrees.shape
        within = (x >= 0) & (y >= 0) & (x < width) & (y < height)
        shows[within] += disc.agrees[y[within], x[within]]
    around = np.ones(13) / 13  # 13 degrees: a speck breaks no outline
    smooth = np.convolve(np.concatenate((shows[-6:], shows, shows[:6])) / 3, around, mode="valid")
    return Outline(rim, smooth > 0.5)

"""A piece of the table as it looks from straight above, and what there is to draw on it."""

from __future__ import annotations

from collections.abc import Sequence
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


SEEN = 0.2
"""Share of the face just inside its rim that agrees with the picture where it is seen at least: where the
picture is sharp, the edges of its own print agree badly."""


def outlines(reading: Reading, view: TableView, gallery: Gallery) -> tuple[Outline, ...]:
    """Of every piece of a reading, in its order."""
    found = reading.found
    return tuple(_outline(f, [g for g in found if g is not f], view, gallery.radius_mm) for f in found)


def _outline(disc: Found, others: Sequence[Found], view: TableView, radius_mm: float) -> Outline:
    """The rim is seen where the picture agrees with this face, and no better with another one's."""
    rim = disc.pose.rim(radius_mm, RIM_POINTS)
    inner = [
        view.to_px(disc.pose.centre_mm + (rim - disc.pose.centre_mm) * share)
        for share in (0.97, 0.95, 0.93, 0.91)
    ]
    own = _share(disc, inner)
    rival = np.max([_share(other, inner) for other in others], axis=0) if others else np.zeros(RIM_POINTS)
    return Outline(rim, (own > SEEN) & (own >= rival))


def _share(disc: Found, rings_px: Sequence[Array]) -> Array:
    """(N,) how much of some rings (N, 2) about each direction agrees with the disc's face; a speck counts
    little, as 13 neighbours are taken together."""
    shows = np.mean([_at(disc, disc.agrees, ring) for ring in rings_px], axis=0)
    around = np.concatenate((shows[-6:], shows, shows[:6]))
    return np.convolve(around, np.ones(13) / 13, mode="valid")


def _at(disc: Found, mask: Mask, points_px: Array) -> Mask:
    """(N,) what a mask of the disc's patch has at pixels (N, 2); False beyond it."""
    rows, columns = disc.patch.box
    x, y = (np.round(points_px) - [columns.start, rows.start]).astype(int).T
    height, width = mask.shape
    within = (x >= 0) & (y >= 0) & (x < width) & (y < height)
    result = np.zeros(len(points_px), bool)
    result[within] = mask[y[within], x[within]]
    return result

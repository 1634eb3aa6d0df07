"""One picture with the table's pose: what every later step reads from."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.discs.disc import Pose, Rays
from referee.vision.discs.gallery import ring_radii, sector_angles
from referee.vision.table.edges import step_blur_px
from referee.vision.table.pose import TableView

Array = NDArray[np.float64]
Image = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Picture:
    bgr: NDArray[np.uint8]
    view: TableView
    rays: Rays
    white: Image
    """(3,) what the markers' paper looks like, 0 to 255."""
    searched: NDArray[np.bool_]
    """(H, W) where discs are looked for."""
    blur_px: float
    """How soft print is best painted to be found (one sigma)."""
    steps_px: float
    """How far the camera blurs a step, from what the markers show."""

    @classmethod
    def of(cls, bgr: NDArray[np.uint8], view: TableView, rays: Rays | None = None) -> Picture:
        everywhere = np.ones(bgr.shape[:2], bool)
        steps_px = steps_blur_px(bgr, view)
        blur_px = float(np.hypot(steps_px, SHARPENED_PX))
        return cls(bgr, view, rays or Rays.of(view), paper_white(bgr, view), everywhere, blur_px, steps_px)

    def colours(self, rows: slice, columns: slice) -> Image:
        """(h, w, 3) of a part of the picture, 1 = white paper."""
        return self.of_white(self.bgr[rows, columns])

    def polar(self, pose: Pose, radius_mm: float) -> Image:
        """(RINGS, SECTORS, 3) of the face at `pose`, as the gallery's polar pictures; 1 = white paper."""
        return self._look(*self._rings(pose, radius_mm))

    def polar_mask(self, mask: NDArray[np.bool_], pose: Pose, radius_mm: float) -> NDArray[np.bool_]:
        """(RINGS, SECTORS) of an (H, W) mask; False outside the picture."""
        return _mask(mask, *self._rings(pose, radius_mm))

    def polar_and_mask(
        self, mask: NDArray[np.bool_], pose: Pose, radius_mm: float
    ) -> tuple[Image, NDArray[np.bool_]]:
        """Both at once."""
        x, y = self._rings(pose, radius_mm)
        return self._look(x, y), _mask(mask, x, y)

    def _look(self, x: Image, y: Image) -> Image:
        return self.of_white(cv2.remap(self.bgr, x, y, cv2.INTER_LINEAR))

    def of_white(self, levels: cv2.typing.MatLike) -> Image:
        """(h, w, 3) levels of the picture as shares of its white."""
        return np.asarray(cv2.transform(levels.astype(np.float32), np.diag(1 / self.white)), np.float32)

    def _rings(self, pose: Pose, radius_mm: float) -> tuple[Image, Image]:
        view = self.view
        middle = view.rotation @ pose.centre_mm + view.translation_mm
        across, up = view.rotation @ pose.axes[:, 0], view.rotation @ pose.axes[:, 1]
        local = [
            np.float32(m) + np.float32(radius_mm * a) * _COS + np.float32(radius_mm * u) * _SIN
            for m, a, u in zip(middle, across, up, strict=True)
        ]
        xy = np.stack((local[0] / local[2], local[1] / local[2]), axis=-1).reshape(-1, 2)
        px = view.camera.project(xy).astype(np.float32).reshape(*_COS.shape, 2)
        return np.ascontiguousarray(px[..., 0]), np.ascontiguousarray(px[..., 1])


_COS = (ring_radii()[:, None] * np.cos(sector_angles())).astype(np.float32)
_SIN = (ring_radii()[:, None] * np.sin(sector_angles())).astype(np.float32)


def _mask(mask: NDArray[np.bool_], x: Image, y: Image) -> NDArray[np.bool_]:
    return np.asarray(cv2.remap(mask.view(np.uint8), x, y, cv2.INTER_NEAREST), bool)


USUAL_STEPS_PX = 0.6
"""Where no marker shows it."""
SHARPENED_PX = 0.45
"""A camera that sharpens makes steps steep again, but leaves them where blur has moved them; and print
painted a little too soft is found from farther off than print painted too sharp."""


def steps_blur_px(bgr: NDArray[np.uint8], view: TableView) -> float:
    """Sigma in px of the blur that makes the markers' steps."""
    steps = None if view.corners_px is None else step_blur_px(bgr[..., 1], view.corners_px)
    return USUAL_STEPS_PX if steps is None else steps


def paper_white(bgr: NDArray[np.uint8], view: TableView) -> Image:
    """The colour of the paper around the markers' black squares: the picture's own white."""
    if view.corners_px is None:
        return np.full(3, 235.0, np.float32)
    height, width = bgr.shape[:2]
    levels = []
    for quad in view.corners_px:
        centre = quad.mean(axis=0)
        ring = centre + 1.12 * (quad - centre)  # the white border is an eighth of the square wide
        side = np.linspace(0, 1, 12, endpoint=False)[:, None]
        points = np.concatenate([ring[i] + side * (ring[(i + 1) % 4] - ring[i]) for i in range(4)])
        column, row = np.rint(points).astype(int).T
        inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        if inside.any():
            levels.append(np.median(bgr[row[inside], column[inside]], axis=0))
    return np.asarray(np.maximum(np.median(levels, axis=0), 30.0), np.float32)

"""The pinhole camera with Brown distortion: raw pixels to ideal ones and back."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.errors import CalibrationError
from referee.formats import CameraModel

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Camera:
    """`ideal` pixels are what the same K would give without lens distortion."""

    size_px: tuple[int, int]
    matrix: Array
    """(3, 3) float64."""
    distortion: Array
    """(n,) float64, OpenCV's order; n = 4, 5 or 8."""
    given: bool = True
    """False when the focal length was estimated from the markers."""

    @classmethod
    def load(cls, model: CameraModel) -> Camera:
        return cls(model.size, np.array(model.K, float), np.array(model.dist, float))

    @classmethod
    def guess(cls, size_px: tuple[int, int], focal_px: float | None = None) -> Camera:
        """A camera without a file: principal point in the middle, no distortion, a webcam's usual angle."""
        width, height = size_px
        f = focal_px or 1.0 * width
        matrix = np.array([[f, 0, (width - 1) / 2], [0, f, (height - 1) / 2], [0, 0, 1.0]])
        return cls(size_px, matrix, np.zeros(5), given=False)

    def for_frame(self, size_px: tuple[int, int]) -> Camera:
        """This camera at the frame's size. Raises CalibrationError when the frame has another shape."""
        if size_px == self.size_px:
            return self
        sx, sy = size_px[0] / self.size_px[0], size_px[1] / self.size_px[1]
        if abs(sx - sy) > 0.005 * sx:
            have, want = "x".join(map(str, size_px)), "x".join(map(str, self.size_px))
            raise CalibrationError(
                f"the camera file is for {want}, the picture is {have}: set the camera to that size, "
                "give the camera file that belongs to the picture's size, or none: then it is estimated"
            )
        matrix = self.matrix.copy()
        matrix[:2] *= sx
        matrix[:2, 2] += (sx - 1) / 2  # pixel centres, not pixel corners, are whole numbers
        return replace(self, size_px=size_px, matrix=matrix)

    def to_ideal(self, points_px: Array) -> Array:
        """(N, 2) raw pixels to (N, 2) ideal pixels."""
        if not self.distortion.any() or not len(points_px):
            return points_px
        points = np.ascontiguousarray(points_px, float).reshape(-1, 1, 2)
        ideal = cv2.undistortPoints(points, self.matrix, self.distortion, P=self.matrix)
        return np.asarray(ideal, float).reshape(-1, 2)

    def to_raw(self, ideal_px: Array) -> Array:
        """(N, 2) ideal pixels to (N, 2) raw pixels."""
        if not self.distortion.any():
            return ideal_px
        return self.project((ideal_px - self.matrix[:2, 2]) / self.matrix[[0, 1], [0, 1]])

    def project(self, xy: Array) -> Array:
        """(N, 2) normalised coordinates X/Z, Y/Z to (N, 2) raw pixels. Brown's model, as OpenCV has it."""
        m = self.matrix
        if not self.distortion.any():
            return np.stack(
                (m[0, 0] * xy[:, 0] + m[0, 1] * xy[:, 1] + m[0, 2], m[1, 1] * xy[:, 1] + m[1, 2]), axis=1
            )
        k = np.zeros(8)
        k[: len(self.distortion)] = self.distortion
        x, y = xy[:, 0], xy[:, 1]
        r2 = x * x + y * y
        radial = (1 + r2 * (k[0] + r2 * (k[1] + r2 * k[4]))) / (1 + r2 * (k[5] + r2 * (k[6] + r2 * k[7])))
        cross = 2 * x * y
        xd = x * radial + k[2] * cross + k[3] * (r2 + 2 * x * x)
        yd = y * radial + k[2] * (r2 + 2 * y * y) + k[3] * cross
        return np.stack((m[0, 0] * xd + m[0, 1] * yd + m[0, 2], m[1, 1] * yd + m[1, 2]), axis=1)

    def rays(self, points_px: Array) -> Array:
        """(N, 2) raw pixels to (N, 3) directions with z = 1, in the camera's frame."""
        ideal = self.to_ideal(points_px)
        xy = (ideal - self.matrix[:2, 2]) / self.matrix[[0, 1], [0, 1]]
        return np.column_stack((xy, np.ones(len(xy))))

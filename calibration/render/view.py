"""The camera: where it stands, where a point falls in the picture, and the ray of every pixel.

Written from the pinhole model and Brown's distortion (D. C. Brown, "Decentering distortion of lenses", 1966),
in OpenCV's order of coefficients; it shares no code with the eye that the pictures test.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.formats import CameraModel

Array = NDArray[np.float64]
Image = NDArray[np.float32]

_UNDISTORT_STEPS = 30
_UNDISTORTED_PX = 1e-3


@dataclass(frozen=True, eq=False)
class View:
    """A camera and its place: camera = rotation @ world + translation_mm, z forward, y down."""

    camera: CameraModel
    rotation: Array
    translation_mm: Array

    @property
    def eye_mm(self) -> Array:
        return -self.rotation.T @ self.translation_mm

    def project(self, points_mm: Array) -> Array:
        """points_mm: (N, 3) in the table frame. Returns (N, 2) px, distorted."""
        p = points_mm @ self.rotation.T + self.translation_mm
        x, y = self._distort(p[:, 0] / p[:, 2], p[:, 1] / p[:, 2])
        k = self.camera.K
        return np.stack([k[0][0] * x + k[0][1] * y + k[0][2], k[1][1] * y + k[1][2]], axis=1)

    def _distort(self, x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        k1, k2, p1, p2, k3 = (
            *self.camera.dist[:4],
            self.camera.dist[4] if len(self.camera.dist) > 4 else 0.0,
        )
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        return (
            x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x),
            y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y,
        )

    def rays(self, window: Window) -> Rays:
        """The rays through the middles of the window's pixels."""
        k = self.camera.K
        xs = np.arange(window.x - 1, window.x + window.width + 1, dtype=np.float32)
        ys = np.arange(window.y - 1, window.y + window.height + 1, dtype=np.float32)
        yd = np.repeat(((ys - k[1][2]) / np.float32(k[1][1]))[:, None], len(xs), axis=1).astype(np.float32)
        xd = ((xs[None, :] - k[0][2] - k[0][1] * yd) / np.float32(k[0][0])).astype(np.float32)
        u: NDArray[Any] = xd.copy()
        v: NDArray[Any] = yd.copy()
        if any(self.camera.dist):
            # Fixed point: each step shrinks the error by about 3 k1 r^2.
            for _ in range(_UNDISTORT_STEPS):
                x, y = self._distort(u, v)
                off_x, off_y = xd - x, yd - y
                u += off_x
                v += off_y
                if max(float(np.abs(off_x).max()), float(np.abs(off_y).max())) * k[0][0] < _UNDISTORTED_PX:
                    break
        inner = slice(1, -1), slice(1, -1)
        (uy, ux), (vy, vx) = np.gradient(u), np.gradient(v)
        return Rays(*(np.ascontiguousarray(a[inner], dtype=np.float32) for a in (u, v, ux, uy, vx, vy)))


@dataclass(frozen=True)
class Window:
    """A rectangle of whole pixels."""

    x: int
    y: int
    width: int
    height: int

    @property
    def slices(self) -> tuple[slice, slice]:
        return slice(self.y, self.y + self.height), slice(self.x, self.x + self.width)

    def within(self, outer: Window) -> tuple[slice, slice]:
        """This window's place in arrays that cover `outer`."""
        return Window(self.x - outer.x, self.y - outer.y, self.width, self.height).slices

    def meet(self, other: Window) -> Window | None:
        x, y = max(self.x, other.x), max(self.y, other.y)
        width = min(self.x + self.width, other.x + other.width) - x
        height = min(self.y + self.height, other.y + other.height) - y
        return Window(x, y, width, height) if width > 0 and height > 0 else None

    def grown(self, px: int, limit: Window) -> Window:
        """With a margin on all sides, as far as `limit` has room."""
        wide = Window(self.x - px, self.y - px, self.width + 2 * px, self.height + 2 * px)
        return wide.meet(limit) or self

    def join(self, other: Window) -> Window:
        x, y = min(self.x, other.x), min(self.y, other.y)
        width = max(self.x + self.width, other.x + other.width) - x
        return Window(x, y, width, max(self.y + self.height, other.y + other.height) - y)


@dataclass(frozen=True, eq=False)
class Rays:
    """Undistorted image coordinates (u, v, 1) of pixel middles, (h, w) each, and their change per pixel."""

    u: Image
    v: Image
    ux: Image
    uy: Image
    vx: Image
    vy: Image

    def at(self, dx: float, dy: float) -> tuple[Image, Image]:
        """(u, v) for points off the pixel middles by a part of a pixel."""
        x, y = np.float32(dx), np.float32(dy)
        return self.u + x * self.ux + y * self.uy, self.v + x * self.vx + y * self.vy

    def part(self, where: tuple[slice, slice]) -> Rays:
        return Rays(
            *(np.ascontiguousarray(a[where]) for a in (self.u, self.v, self.ux, self.uy, self.vx, self.vy))
        )


def whole(camera: CameraModel) -> Window:
    return Window(0, 0, *camera.size)


def covering(points_px: Array, margin_px: int, limit: Window) -> Window | None:
    """The window about the points, cut to `limit`; None where nothing is left."""
    low = np.floor(points_px.min(axis=0)).astype(int) - margin_px
    high = np.ceil(points_px.max(axis=0)).astype(int) + margin_px + 1
    return Window(int(low[0]), int(low[1]), int(high[0] - low[0]), int(high[1] - low[1])).meet(limit)


def look_at(
    camera: CameraModel,
    target_mm: tuple[float, float],
    distance_mm: float,
    tilt_deg: float,
    azimuth_deg: float = 0.0,
    roll_deg: float = 0.0,
) -> View:
    """A camera `distance_mm` from a point of the table, `tilt_deg` away from looking straight down.

    At azimuth 0 it stands on the table's near side (-y) and +x is to the right.
    """
    t, a, r = radians(tilt_deg), radians(azimuth_deg), radians(roll_deg)
    ahead = np.array([sin(a), cos(a), 0.0])
    forward = sin(t) * ahead - cos(t) * np.array([0.0, 0.0, 1.0])
    right = np.array([cos(a), -sin(a), 0.0])
    down = np.cross(forward, right)
    x, y = cos(r) * right + sin(r) * down, cos(r) * down - sin(r) * right
    rotation = np.stack([x, y, forward])
    eye = np.array([*target_mm, 0.0]) - distance_mm * forward
    return View(camera, rotation, -rotation @ eye)


def pinhole(size: tuple[int, int], focal_px: float, dist: tuple[float, ...] = (0.0,) * 5) -> CameraModel:
    """A camera with its principal point in the middle of the picture."""
    width, height = size
    k = ((focal_px, 0.0, (width - 1) / 2), (0.0, focal_px, (height - 1) / 2), (0.0, 0.0, 1.0))
    return CameraModel(size, k, dist)

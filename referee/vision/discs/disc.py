"""A disc in space: its pose, its outline in the picture, the picture of its face."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.discs.gallery import ART_PX, FaceArt
from referee.vision.table.pose import TableView

Array = NDArray[np.float64]
Image = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Pose:
    """Where the seen face of a disc is. Table frame, mm."""

    centre_mm: Array
    """(3,) middle of the face that the camera sees."""
    axes: Array
    """(3, 3) columns: the picture's x axis, its y axis (up), the outward normal."""

    @classmethod
    def flat(cls, x_mm: float, y_mm: float, z_mm: float, angle_rad: float = 0.0) -> Pose:
        c, s = np.cos(angle_rad), np.sin(angle_rad)
        return cls(np.array([x_mm, y_mm, z_mm]), np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]))

    @property
    def normal(self) -> Array:
        return np.asarray(self.axes[:, 2])

    @property
    def tilt_rad(self) -> float:
        return float(np.arccos(np.clip(self.axes[2, 2], -1, 1)))

    @property
    def angle_rad(self) -> float:
        return float(np.arctan2(self.axes[1, 0], self.axes[0, 0]))

    def middle(self, thickness_mm: float) -> Array:
        """(3,) the disc's centre at half its thickness."""
        return np.asarray(self.centre_mm - thickness_mm / 2 * self.normal)

    def moved(self, shift_mm: Array, turn_rad: Array) -> Pose:
        """Shifted by (3,) mm and turned about the face's middle by the rotation vector (3,), table frame."""
        return Pose(self.centre_mm + shift_mm, cv2.Rodrigues(turn_rad)[0] @ self.axes)

    def turned(self, angle_rad: float) -> Pose:
        """Turned about its own normal, counter-clockwise seen from outside."""
        return self.moved(np.zeros(3), self.normal * angle_rad)

    def levelled(self) -> Pose:
        """The same place and turn, without a lean."""
        c, s = np.cos(self.angle_rad), np.sin(self.angle_rad)
        return replace(self, axes=np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]))

    def at_height(self, z_mm: float, view: TableView) -> Pose:
        """The pose that looks nearly the same from the camera, with the face's middle at height z_mm."""
        ray = self.centre_mm - view.eye_mm
        return replace(self, centre_mm=view.eye_mm + ray * ((z_mm - view.eye_mm[2]) / ray[2]))

    def rim(self, radius_mm: float, count: int = 72, below_mm: float = 0.0) -> Array:
        """(count, 3) points along the rim, `below_mm` behind the seen face."""
        a = 2 * np.pi * np.arange(count) / count
        ring = np.outer(np.cos(a), self.axes[:, 0]) + np.outer(np.sin(a), self.axes[:, 1])
        return np.asarray(self.centre_mm - below_mm * self.normal + radius_mm * ring)


@dataclass(frozen=True, eq=False)
class Rays:
    """Directions of a picture's pixels, worked out once for a camera."""

    xy: Image
    """(H, W, 2) X/Z and Y/Z of every pixel."""

    @classmethod
    def of(cls, view: TableView) -> Rays:
        width, height = view.camera.size_px
        m = view.camera.matrix
        if not view.camera.distortion.any():
            x = ((np.arange(width) - m[0, 2]) / m[0, 0]).astype(np.float32)
            y = ((np.arange(height) - m[1, 2]) / m[1, 1]).astype(np.float32)
            return cls(np.stack(np.broadcast_arrays(x[None, :], y[:, None]), axis=-1))
        step = 8  # distortion is smooth: exact on a grid, bilinear between
        gx, gy = np.meshgrid(np.arange(0, width + step, step), np.arange(0, height + step, step))
        exact = view.camera.rays(np.column_stack((gx.ravel(), gy.ravel())).astype(float))[:, :2]
        grid = exact.astype(np.float32).reshape(*gx.shape, 2)
        scale = np.array([[step, 0, 0], [0, step, 0]], float)
        return cls(
            np.asarray(cv2.warpAffine(grid, scale, (width, height), flags=cv2.INTER_LINEAR), np.float32)
        )


@dataclass(frozen=True, eq=False)
class Patch:
    """The part of the picture around a disc, with each pixel's place on the plane of its face."""

    top: int
    left: int
    u_mm: Image
    """(h, w) along the picture's x axis."""
    v_mm: Image
    """(h, w) along its y axis (up)."""

    @property
    def box(self) -> tuple[slice, slice]:
        h, w = self.u_mm.shape
        return slice(self.top, self.top + h), slice(self.left, self.left + w)

    def within(self, radius_mm: float) -> NDArray[np.bool_]:
        """(h, w) the pixels nearer than that to the face's middle."""
        u, v = self.u_mm, self.v_mm
        return np.asarray(u * u + v * v < np.float32(radius_mm * radius_mm), bool)

    def turned(self, angle_rad: float) -> Patch:
        """The same pixels on a face turned about its own normal, counter-clockwise seen from outside."""
        c, s = np.float32(np.cos(angle_rad)), np.float32(np.sin(angle_rad))
        return replace(self, u_mm=c * self.u_mm + s * self.v_mm, v_mm=c * self.v_mm - s * self.u_mm)


def window_of(
    pose: Pose, radius_mm: float, view: TableView, margin_px: int = 4
) -> tuple[slice, slice] | None:
    """Rows and columns of the picture around a disc; None when it lies outside, or is seen edge-on or from
    behind."""
    eye = view.eye_mm
    if (eye - pose.centre_mm) @ pose.normal < 0.05 * np.linalg.norm(eye - pose.centre_mm):
        return None
    rim = view.to_px(pose.rim(radius_mm, 32))
    width, height = view.camera.size_px
    left, top = np.maximum(np.floor(rim.min(axis=0)).astype(int) - margin_px, 0)
    right, bottom = np.minimum(np.ceil(rim.max(axis=0)).astype(int) + margin_px + 1, [width, height])
    if right - left < 8 or bottom - top < 8:
        return None
    return slice(int(top), int(bottom)), slice(int(left), int(right))


def patch_of(pose: Pose, radius_mm: float, view: TableView, rays: Rays) -> Patch | None:
    """None as for `window_of`."""
    window = window_of(pose, radius_mm, view)
    if window is None:
        return None
    u, v = on_face(pose, rays.xy[window], view)
    return Patch(window[0].start, window[1].start, u, v)


def on_face(pose: Pose, xy: Image, view: TableView) -> tuple[Image, Image]:
    """(h, w) each: where rays (h, w, 2) of the camera meet the plane of the face, along its axes, in mm."""
    # ray direction in the table frame: d = R^T (x, y, 1); X = eye + s d with n . (X - c) = 0
    along = (view.rotation @ pose.axes).T.astype(np.float32)
    u_d, v_d, n_d = cv2.split(cv2.transform(xy, along))
    start = (view.eye_mm - pose.centre_mm) @ pose.axes
    s = np.float32(-start[2]) / n_d
    u, v = np.float32(start[0]) + s * u_d, np.float32(start[1]) + s * v_d
    return np.asarray(u, np.float32), np.asarray(v, np.float32)


def paint(face: FaceArt, patch: Patch, radius_mm: float, blur_px: float, gain: Array, offset: Array) -> Image:
    """(h, w, 3) the face as the camera shows it: colours `gain * print + offset`, blurred in linear light.

    The lens blurs light, not grey values: bright print grows at the cost of its darker neighbour.
    """
    c, half = np.float32((ART_PX - 1) / 2), np.float32(ART_PX / 2 / radius_mm)
    x = c + patch.u_mm * half
    y = c - patch.v_mm * half
    flat = lit(cv2.remap(face.shown, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), gain, offset)
    return np.sqrt(np.asarray(cv2.GaussianBlur(flat * flat, (0, 0), blur_px), np.float32))


def lit(colours: cv2.typing.MatLike, gain: Array, offset: Array) -> Image:
    """(h, w, 3) colours `gain * print + offset`, none below black."""
    light = np.column_stack((np.diag(gain), offset)).astype(np.float32)
    return np.asarray(np.maximum(cv2.transform(colours, light), 0), np.float32)

"""Where the camera stands over the table: markers to a pose with its residual."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.formats import Layout
from referee.vision.table.camera import Camera
from referee.vision.table.markers import find_markers, marker_corners_mm

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    corner_sigma_px: float = 0.08
    """What is left in a corner's position after everything modelled."""
    bloom_px: float = 0.5
    """Blur before gamma moves a bright edge outwards, so black squares look smaller: expected, each side."""
    bloom_sigma_px: float = 0.3
    worst_residual_px: float = 3.0
    """A pose that fits worse than this is not believed."""
    rough_residual_px: float = 0.6
    """One that fits worse than this is doubted. For pictures 1280 wide."""


@dataclass(frozen=True, eq=False)
class TableView:
    """The camera's pose over the table: camera = rotation @ table + translation."""

    camera: Camera
    rotation: Array
    """(3, 3)."""
    translation_mm: Array
    """(3,)."""
    residual_px: float
    """Reprojection RMS of the marker corners."""
    markers: tuple[int, ...]
    covariance: Array
    """(6, 6) of rotation vector (rad, about the camera's axes) and translation (mm)."""
    bloom_px: float = 0.0
    corners_px: Array | None = None
    """(markers, 4, 2) raw pixels: clockwise from the top left as printed."""

    @property
    def eye_mm(self) -> Array:
        """(3,) the camera's place in the table frame."""
        return np.asarray(-self.rotation.T @ self.translation_mm)

    def to_px(self, points_mm: Array) -> Array:
        """(N, 3) table points to (N, 2) raw pixels."""
        local = points_mm @ self.rotation.T + self.translation_mm
        return self.camera.project(local[:, :2] / local[:, 2:])

    def to_mm(self, points_px: Array, height_mm: float | Array = 0.0) -> Array:
        """(N, 2) raw pixels to (N, 2) table positions, taken at that height over the table."""
        direction = self.camera.rays(points_px) @ self.rotation
        eye = self.eye_mm
        along = (height_mm - eye[2]) / direction[:, 2]
        return np.asarray(eye[:2] + along[:, None] * direction[:, :2])

    def plane_jacobian(self, x_mm: float, y_mm: float, z_mm: float = 0.0) -> Array:
        """(2, 6): how a table position read at (x, y, z) moves with the pose parameters of `covariance`."""
        local = self.rotation @ np.array([x_mm, y_mm, z_mm]) + self.translation_mm
        move = np.hstack((-_cross(local), np.eye(3)))  # camera-frame shift of a table point
        back = -self.rotation.T @ move  # to keep its pixel, the point must move back, and along the ray
        ray = self.rotation.T @ local
        return np.asarray(back[:2] - np.outer(ray[:2] / ray[2], back[2]))


LOST = (
    "the table can't be found: at least two of the layout's markers must be in view, whole, flat and sharp; "
    "check the markers, the layout and the camera file"
)
MISLAID = (
    "the table can't be found: the layout's markers are in view, but not where it says that they lie; "
    "check their size and their places in the layout, that none was moved, and the camera file"
)


def why_lost(gray: NDArray[np.uint8], layout: Layout) -> str:
    """Why the table can't be found in a picture, and what to do."""
    return LOST if len(find_markers(gray, layout)) < 2 else MISLAID


def doubts(view: TableView, settings: Settings | None = None) -> str:
    """What is wrong with a pose that was found all the same, and what to do; empty when nothing is."""
    worst = (settings or Settings()).rough_residual_px * view.camera.size_px[0] / 1280
    if view.residual_px <= worst:
        return ""
    return (
        f"the markers lie {view.residual_px:.1f} px beside where layout and camera file put them, so that "
        "places may be millimetres off; check the markers' size and places in the layout, and the camera file"
    )


def locate(
    gray: NDArray[np.uint8], camera: Camera, layout: Layout, settings: Settings | None = None
) -> TableView | None:
    """The pose of the table in a picture, or None: fewer than two of the layout's markers can be seen,
    or they don't fit the layout.

    gray: (H, W) uint8. When the camera was only guessed, its focal length is fitted as well.
    """
    found = find_markers(gray, layout)
    return pose(found, camera, layout, settings)


def pose(
    found: dict[int, Array], camera: Camera, layout: Layout, settings: Settings | None = None
) -> TableView | None:
    """The pose from marker corners (id -> (4, 2) raw pixels). None as for `locate`."""
    settings = settings or Settings()
    if len(found) < 2:
        return None
    markers = tuple(sorted(found))
    seen_raw = np.concatenate([found[m] for m in markers])
    world = np.concatenate([marker_corners_mm(layout, m) for m in markers])
    if not camera.given:
        camera = _with_focal(camera, seen_raw, world)
    seen = camera.to_ideal(seen_raw)
    start = _start(camera, seen, world)
    if start is None:
        return None
    solution, bloom, residual, covariance = _solve(camera, seen, world, start, settings)
    if residual > settings.worst_residual_px:
        return None
    rotation = np.asarray(cv2.Rodrigues(solution[:3])[0], float)
    view = TableView(
        camera, rotation, solution[3:], residual, markers, covariance, bloom, seen_raw.reshape(-1, 4, 2)
    )
    return view if view.eye_mm[2] > 0 else None


def _start(camera: Camera, seen: Array, world: Array) -> Array | None:
    flat = world - [0, 0, world[0, 2]]
    ok, rvecs, tvecs, errors = cv2.solvePnPGeneric(flat, seen, camera.matrix, None, flags=cv2.SOLVEPNP_IPPE)
    if not ok:
        return None
    best = int(np.argmin(np.asarray(errors).reshape(-1)))
    rotation = cv2.Rodrigues(rvecs[best])[0]
    shift = tvecs[best].reshape(3) - rotation @ np.array([0, 0, world[0, 2]])
    return np.concatenate((rvecs[best].reshape(3), shift))


def _solve(
    camera: Camera, seen: Array, world: Array, start: Array, settings: Settings
) -> tuple[Array, float, float, Array]:
    """Robust Gauss-Newton over pose and bloom. Residuals in px of ideal corners.

    Bloom moves each corner inwards along both of its sides' normals by the same number of pixels.
    """
    x = start.copy()
    bloom = settings.bloom_px
    focal = np.array([camera.matrix[0, 0], camera.matrix[1, 1]])
    inward = _inward(seen)
    normal = np.eye(7)
    r = np.zeros_like(seen)
    for _ in range(8):
        rotation = cv2.Rodrigues(x[:3])[0]
        local = world @ rotation.T + x[3:]
        uv = local[:, :2] / local[:, 2:]
        r = uv * focal + camera.matrix[:2, 2] + bloom * inward - seen
        jacobian = np.zeros((len(world), 2, 7))
        for axis in range(2):
            row = np.zeros((len(world), 3))
            row[:, axis] = focal[axis] / local[:, 2]
            row[:, 2] = -focal[axis] * uv[:, axis] / local[:, 2]
            jacobian[:, axis, :3] = np.cross(local - x[3:], row)
            jacobian[:, axis, 3:6] = row
        jacobian[:, :, 6] = inward
        length = np.hypot(*r.T)
        scale = max(1.4826 * float(np.median(length)), settings.corner_sigma_px)
        weight = np.clip(1 - (length / (6 * scale)) ** 2, 0, None) ** 2
        flat, w = jacobian.reshape(-1, 7), np.repeat(weight, 2) / settings.corner_sigma_px**2
        normal = flat.T @ (w[:, None] * flat)
        gradient = flat.T @ (w * r.reshape(-1))
        normal[6, 6] += 1 / settings.bloom_sigma_px**2
        gradient[6] += (bloom - settings.bloom_px) / settings.bloom_sigma_px**2
        step = -np.linalg.solve(normal, gradient)
        turned = cv2.Rodrigues(step[:3])[0] @ rotation
        x = np.concatenate((cv2.Rodrigues(turned)[0].reshape(3), x[3:] + step[3:6]))
        bloom = float(bloom + step[6])
        if np.abs(step).max() < 1e-6:
            break
    residual = float(np.sqrt(np.mean(np.sum(r**2, axis=1))))
    inflate = max(1.0, residual / (settings.corner_sigma_px * np.sqrt(2))) ** 2
    covariance = np.linalg.inv(normal)[:6, :6] * inflate
    # The step turns about the table's origin seen from the camera; plane_jacobian turns about the eye.
    turn = np.eye(6)
    turn[3:, :3] = _cross(x[3:])
    return x, bloom, residual, turn @ covariance @ turn.T


def _inward(corners: Array) -> Array:
    """(4m, 2): the shift of each corner when all four sides of its marker move one pixel inwards."""
    quads = corners.reshape(-1, 4, 2)
    after = np.roll(quads, -1, axis=1) - quads
    after = after / np.linalg.norm(after, axis=2, keepdims=True)
    before = np.roll(after, 1, axis=1)
    # clockwise in the image (y down): the inside lies to the right of each side
    n_after = np.stack((-after[..., 1], after[..., 0]), axis=-1)
    n_before = np.stack((-before[..., 1], before[..., 0]), axis=-1)
    cosine = np.sum(n_after * n_before, axis=-1, keepdims=True)
    return np.asarray((n_after + n_before) / (1 + cosine)).reshape(-1, 2)


def _with_focal(camera: Camera, seen: Array, world: Array) -> Camera:
    """The guessed camera with the focal length whose pose fits the corners best."""
    width, _ = camera.size_px

    def misfit(focal: float) -> float:
        trial = _focal(camera, focal)
        start = _start(trial, seen, world)
        if start is None:
            return np.inf
        rotation = cv2.Rodrigues(start[:3])[0]
        local = world @ rotation.T + start[3:]
        uv = local[:, :2] / local[:, 2:] * focal + trial.matrix[:2, 2]
        return float(np.mean(np.sum((uv - seen) ** 2, axis=1)))

    grid = width * np.geomspace(0.5, 3.0, 25)
    best = int(np.argmin([misfit(f) for f in grid]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    for _ in range(24):  # golden section
        a, b = high - 0.618 * (high - low), low + 0.618 * (high - low)
        low, high = (low, b) if misfit(a) < misfit(b) else (a, high)
    return _focal(camera, (low + high) / 2)


def _focal(camera: Camera, focal: float) -> Camera:
    matrix = camera.matrix.copy()
    matrix[0, 0] = matrix[1, 1] = focal
    return replace(camera, matrix=matrix)


def _cross(v: Array) -> Array:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0.0]])

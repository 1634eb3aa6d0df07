"""Fit the pose of a disc whose face is known: every pixel of its print counts.

Gauss-Newton on the difference between the picture and the painted face (a forward-additive Lucas-Kanade
step with the rendered gradient), weighted by Tukey's function so that what lies on top doesn't pull.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.disc import Patch, Pose, paint, patch_of
from referee.vision.gallery import FaceArt
from referee.vision.picture import Picture

Array = NDArray[np.float64]
Image = NDArray[np.float32]


@dataclass(frozen=True)
class Settings:
    blur_px: float = 0.75
    """The camera's own blur (one sigma)."""
    inner: float = 0.96
    """Pixels beyond this share of the radius belong to the rim and don't count."""
    noise: float = 0.02
    """Grain of print and sensor (1 = white); the least scale of the weights."""
    tilt_prior_deg: float = 12.0
    scale_prior: float = 0.004
    """How far the print may be larger or smaller than the set says, as a share. Left out, it becomes tilt."""
    most_pixels: int = 9000
    """A larger face is read on every second pixel, and so on."""


@dataclass(frozen=True, eq=False)
class Fit:
    pose: Pose
    gain: Array
    """(3,) brightness of the face, per channel."""
    offset: Array
    """(3,)."""
    size: float
    """Print seen over print expected."""
    covariance: Array
    """(6, 6) of x, y (mm), turn about the table's x and y axes, turn about the normal (rad), size."""
    scale: float
    """Robust size of a pixel's misfit (1 = white)."""
    support: float
    """Share of the allowed face pixels that agree."""


def align(
    picture: Picture,
    pose: Pose,
    face: FaceArt,
    radius_mm: float,
    settings: Settings,
    allowed: NDArray[np.bool_] | None = None,
    steps: tuple[tuple[float, int], ...] = ((2.0, 3), (0.0, 5)),
    tilt: bool = True,
    gain: Array | None = None,
) -> Fit | None:
    """The pose near `pose` that explains the picture best; the face's height along its ray stays.

    allowed: (H, W) pixels that aren't known to belong to something else; steps: (extra blur in px, number of
    steps), coarse to fine.
    None when the disc leaves the picture.
    """
    gains = np.ones(3) if gain is None else gain.copy()
    offset = np.zeros(3)
    covariance, scale, support, size = np.eye(6), 1.0, 0.0, 1.0
    for extra, count in steps:
        blur = float(np.hypot(settings.blur_px, extra))
        for _ in range(count):
            patch = patch_of(pose, radius_mm, picture.view, picture.rays)
            if patch is None:
                return None
            colour = gains, offset
            system = _pixels(
                picture, patch, pose, face, size * radius_mm, settings, blur, extra, allowed, colour
            )
            if system is None:
                return None
            painted, seen, jacobian = system
            residual = seen - painted
            base = (painted - offset) / gains
            worst = np.abs(residual).max(axis=1)
            near = np.sort(worst)[: max(int(0.6 * len(worst)), 1)]
            scale = max(1.9 * float(np.median(near)), settings.noise)
            weight = np.clip(1 - (worst / (4.0 * scale)) ** 2, 0, None) ** 2
            support = float(np.mean(worst < 3 * scale))
            step, covariance = _solve(residual, base, jacobian, weight, scale, settings, tilt, size)
            gains = np.clip(gains + step[6:9], 0.4, 1.8)
            offset = np.clip(offset + step[9:12], -0.25, 0.25)
            size += float(np.clip(step[5], -0.01, 0.01))
            shift = np.clip(step[:2], -4, 4)
            turn = np.array([step[2], step[3], 0]) + pose.normal * step[4]
            turn *= min(1.0, 0.25 / max(float(np.abs(turn).max()), 1e-9))
            pose = pose.moved(np.array([*shift, 0.0]), turn)
            if np.abs(shift).max() < 2e-3 and np.abs(turn).max() < 2e-5:
                break
    return Fit(pose, gains, offset, size, covariance, scale, support)


def _pixels(
    picture: Picture,
    patch: Patch,
    pose: Pose,
    face: FaceArt,
    radius_mm: float,
    settings: Settings,
    blur_px: float,
    extra_px: float,
    allowed: NDArray[np.bool_] | None,
    colour: tuple[Array, Array],
) -> tuple[Array, Array, Array] | None:
    """Painted and seen colours (N, 3) and how the painted ones move with pose and size, (N, 3, 6)."""
    rows, columns = patch.box
    view = picture.view
    painted = paint(face, patch, radius_mm, blur_px, *colour)
    seen = picture.colours(rows, columns)
    if extra_px:
        seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), extra_px), np.float32)
    mask = np.hypot(patch.u_mm, patch.v_mm) < settings.inner * radius_mm
    if allowed is not None:
        mask &= allowed[rows, columns]
    mask[0], mask[-1], mask[:, 0], mask[:, -1] = False, False, False, False
    stride = int(np.ceil(np.sqrt(mask.sum() / settings.most_pixels)))
    if stride > 1:
        thin = np.zeros_like(mask)
        thin[::stride, ::stride] = True
        mask &= thin
    if mask.sum() < 60:
        return None
    gx = (painted[1:-1, 2:] - painted[1:-1, :-2])[mask[1:-1, 1:-1]] / 2
    gy = (painted[2:, 1:-1] - painted[:-2, 1:-1])[mask[1:-1, 1:-1]] / 2
    u, v, depth = patch.u_mm[mask], patch.v_mm[mask], patch.depth_mm[mask]
    # A body motion moves the table point X = c + u U + v V by dX; its pixel moves by J_proj dX.
    arm = np.outer(u, pose.axes[:, 0]) + np.outer(v, pose.axes[:, 1])
    local = (pose.centre_mm + arm) @ view.rotation.T + view.translation_mm
    ratio = local[:, :2] / local[:, 2:]
    fx, fy = view.camera.matrix[0, 0], view.camera.matrix[1, 1]
    right, down = view.rotation[0], view.rotation[1]
    forward = view.rotation[2]
    px = (fx / depth)[:, None] * (right - ratio[:, :1] * forward)  # (N, 3): d column / d X
    py = (fy / depth)[:, None] * (down - ratio[:, 1:] * forward)
    moves = np.empty((len(u), 2, 6))
    for row, d in enumerate((px, py)):
        moves[:, row, 0], moves[:, row, 1] = d[:, 0], d[:, 1]
        twist = np.cross(arm, d)  # d . (w x arm) = w . (arm x d)
        moves[:, row, 2], moves[:, row, 3] = twist[:, 0], twist[:, 1]
        moves[:, row, 4] = twist @ pose.normal
        moves[:, row, 5] = np.einsum("ij,ij->i", arm, d)
    # The print moves with the disc: what a fixed pixel sees changes by minus the gradient times the motion.
    jacobian = -(gx[:, :, None] * moves[:, None, 0] + gy[:, :, None] * moves[:, None, 1])
    return painted[mask].astype(float), seen[mask].astype(float), jacobian


def _solve(
    residual: Array,
    painted: Array,
    jacobian: Array,
    weight: Array,
    scale: float,
    settings: Settings,
    tilt: bool,
    size: float,
) -> tuple[Array, Array]:
    """One weighted step of (x, y, tilt x, tilt y, turn, size, gains, offsets), and the pose's covariance.

    A weak prior holds the gains near where they are, so that a face of one colour can't run away.
    """
    free = 6 + 6
    normal, gradient = np.zeros((free, free)), np.zeros(free)
    w = weight / scale**2
    for channel in range(3):
        j = jacobian[:, channel]
        jw = j * w[:, None]
        normal[:6, :6] += jw.T @ j
        gradient[:6] += jw.T @ residual[:, channel]
        p = painted[:, channel]
        g, o = 6 + channel, 9 + channel
        normal[g, g] += (w * p * p).sum()
        normal[o, o] += w.sum()
        normal[g, o] += (w * p).sum()
        gradient[g] += (w * p * residual[:, channel]).sum()
        gradient[o] += (w * residual[:, channel]).sum()
        normal[:6, g] += jw.T @ p
        normal[:6, o] += jw.sum(axis=0)
    upper = np.triu(normal)
    normal = upper + upper.T - np.diag(np.diag(upper))
    steady = np.concatenate(
        (
            [0.2] * 2,
            [np.radians(settings.tilt_prior_deg)] * 2,
            [0.5],
            [settings.scale_prior],
            [0.3] * 3,
            [0.05] * 3,
        )
    )
    normal[np.diag_indices(free)] += 1 / steady**2
    gradient[5] += (1.0 - size) / steady[5] ** 2
    if not tilt:
        normal[2:4], normal[:, 2:4] = 0, 0
        normal[2, 2] = normal[3, 3] = 1.0
        gradient[2:4] = 0
    covariance = np.linalg.inv(normal)
    return np.asarray(covariance @ gradient), np.asarray(covariance[:6, :6])

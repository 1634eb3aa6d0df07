"""Straight edges of printed squares, below the pixel."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def sample(image: NDArray[np.float32], points_px: Array) -> Array:
    """Bilinear values of a one-channel float32 image at (..., 2) points; outside counts as the border."""
    shape = points_px.shape[:-1]
    flat = points_px.reshape(-1, 2).astype(np.float32)
    # remap wants at most 32767 rows or columns; a (1, N) map is fine below that, so fold it.
    columns = 1024
    padded = np.zeros((-(-len(flat) // columns) * columns, 2), np.float32)
    padded[: len(flat)] = flat
    grid = padded.reshape(-1, columns, 2)
    out = cv2.remap(image, grid[..., 0], grid[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return out.reshape(-1)[: len(flat)].reshape(shape).astype(float)


def edge_points(
    gray: NDArray[np.float32], a: Array, b: Array, reach_px: float, count: int = 24
) -> tuple[Array, Array]:
    """Sub-pixel positions of the step edge along the segment a-b.

    gray: (H, W) float32; a, b: (2,) raw pixels. Each of `count` short profiles across the segment gives
    the gradient's centroid around its strongest place. Returns (N, 2) points and (N,) weights (the step's
    height in grey levels); profiles without a clear step are left out.
    """
    along = b - a
    length = float(np.hypot(*along))
    normal = np.array([-along[1], along[0]]) / max(length, 1e-9)
    s = np.linspace(0.12, 0.88, count)
    step = 0.5
    d = np.arange(-reach_px, reach_px + step / 2, step)
    base = a + s[:, None] * along
    profile = sample(gray, base[:, None, :] + d[None, :, None] * normal)
    slope = np.diff(profile, axis=1)
    middle = (d[:-1] + d[1:]) / 2
    total = profile[:, -1] - profile[:, 0]
    sign = np.sign(np.median(total)) or 1.0
    slope = np.clip(sign * slope, 0, None)
    peak = slope.argmax(axis=1)
    window = np.abs(middle[None, :] - middle[peak][:, None]) <= 2.5
    mass = slope * window
    height = mass.sum(axis=1)
    good = height > 12.0
    offset = (mass @ middle)[good] / height[good]
    return base[good] + offset[:, None] * normal, height[good]


def fit_line(points: Array, weights: Array) -> Array | None:
    """A line (n_x, n_y, c) with n·p + c = 0, |n| = 1, through (N, 2) points by Tukey-weighted least squares.

    None when fewer than six points agree.
    """
    w = weights.copy()
    line = None
    for _ in range(4):
        if np.count_nonzero(w > 0) < 6:
            return None
        mean = (w[:, None] * points).sum(0) / w.sum()
        centred = points - mean
        (xx, xy), (_, yy) = (w[:, None] * centred).T @ centred
        angle = 0.5 * np.arctan2(2 * xy, xx - yy)  # of the line: the longer axis of the points' spread
        normal = np.array([-np.sin(angle), np.cos(angle)])
        line = np.array([normal[0], normal[1], -normal @ mean])
        r = centred @ normal
        scale = max(1.4826 * float(np.sort(np.abs(r))[len(r) // 2]), 0.02)
        w = weights * np.clip(1 - (r / (4.685 * scale)) ** 2, 0, None) ** 2
    return line

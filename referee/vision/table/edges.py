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


def step_blur_px(gray: NDArray[np.uint8], quads: Array) -> float | None:
    """How blurred the picture is: the sigma in px of the Gaussian that best makes its steps from sharp ones.

    gray: (H, W) uint8; quads: (N, 4, 2) corners of black squares on white paper. Light is blurred, not grey
    values: between black and white the step is an error function of their squares. None when no side is seen
    clearly enough. What sharpens the picture counts as less blur.
    """
    offsets, steps = [], []
    for quad in quads:
        for a, b in zip(quad, np.roll(quad, -1, axis=0), strict=True):
            side = _step(gray, a, b)
            if side is not None:
                offsets.append(side[0])
                steps.append(side[1])
    if not steps:
        return None
    x, share = np.concatenate(offsets), np.concatenate(steps)
    stride = max(1, len(x) // _ENOUGH)
    x, grey = x[::stride], np.sqrt(np.clip(share[::stride], 0, None))
    misfit = np.square(np.sqrt(_below(x[:, None] / BLURS_PX)) - grey[:, None]).sum(axis=0)
    best = int(np.clip(misfit.argmin(), 1, len(BLURS_PX) - 2))
    before, here, after = misfit[best - 1 : best + 2]
    bend = before - 2 * here + after
    off = 0.5 * (before - after) / bend if bend > 0 else 0.0  # the parabola's lowest point
    return float(BLURS_PX[best] + np.clip(off, -1, 1) * (BLURS_PX[1] - BLURS_PX[0]))


BLURS_PX = np.arange(0.2, 2.0, 0.1)
"""What is tried."""
_ENOUGH = 1500
"""Pixels that tell it."""
_REACH_PX = 2.5


def _step(gray: NDArray[np.uint8], a: Array, b: Array) -> tuple[Array, Array] | None:
    """(n,) px across the side a-b from where its step is half done, (n,) share of the light there, of the
    pixels near it; None for a short or faint side. The black square lies to the right of a-b."""
    along = b - a
    length = float(np.hypot(*along))
    if length < 12:
        return None
    along = along / length
    normal = np.array([along[1], -along[0]])  # outwards, to the white
    low = np.floor(np.minimum(a, b) - 4).astype(int)
    high = np.ceil(np.maximum(a, b) + 5).astype(int)
    if (low < 0).any() or high[0] > gray.shape[1] or high[1] > gray.shape[0]:
        return None
    part = gray[low[1] : high[1], low[0] : high[0]].astype(float) ** 2
    y, x = np.mgrid[low[1] : high[1], low[0] : high[0]]
    s = ((x - a[0]) * along[0] + (y - a[1]) * along[1]) / length
    d = (x - a[0]) * normal[0] + (y - a[1]) * normal[1]
    middle = (s > 0.15) & (s < 0.85)
    near = middle & (np.abs(d) < _REACH_PX)
    dark, bright = (part[middle & (np.abs(d - way * (_REACH_PX + 0.5)) < 0.5)] for way in (-1, 1))
    if len(dark) < 4 or len(bright) < 4:
        return None
    black, white = float(np.median(dark)), float(np.median(bright))
    if np.sqrt(white) - np.sqrt(black) < 40:
        return None
    share = (part[near] - black) / (white - black)
    half_done = (0.5 - float(share.mean())) * 2 * _REACH_PX  # a step further out leaves more of it dark
    return d[near] - half_done, share


def _below(z: Array) -> Array:
    """Chance that a standard normal stays below z, within 0.0002 (Page, Applied Statistics 26, 1977)."""
    return np.asarray(0.5 + 0.5 * np.tanh(0.7988 * z + 0.03528 * z**3))

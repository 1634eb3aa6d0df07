"""Edges thinned to one pixel: where a colour changes most."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.float32]
Mask = NDArray[np.bool_]


def ridges(bgr: NDArray[np.uint8]) -> tuple[Image, Image, Image, Mask]:
    """(H, W) each, of the channel that changes most there: its change in levels per pixel along x and y, the
    square of its length, and whether that is greatest across the edge; at the picture's border it never is.
    """
    (across, down, power), *others = (_slopes(channel) for channel in cv2.split(bgr))
    for gx, gy, square in others:
        more = (square > power).view(np.uint8)
        for onto, other in ((across, gx), (down, gy), (power, square)):
            cv2.copyTo(other, more, onto)
    inner = power[1:-1, 1:-1]
    thin = np.zeros(power.shape, bool)
    thin[1:-1, 1:-1] = np.where(
        np.abs(across[1:-1, 1:-1]) > np.abs(down[1:-1, 1:-1]),
        (inner >= power[1:-1, :-2]) & (inner > power[1:-1, 2:]),
        (inner >= power[:-2, 1:-1]) & (inner > power[2:, 1:-1]),
    )
    return across, down, power, thin


def _slopes(channel: cv2.typing.MatLike) -> tuple[Image, Image, Image]:
    across, down = (
        np.asarray(cv2.Scharr(channel, cv2.CV_32F, x, y, scale=1 / 32), np.float32)
        for x, y in ((1, 0), (0, 1))
    )
    return across, down, across * across + down * down

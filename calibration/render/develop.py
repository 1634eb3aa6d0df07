"""From light to picture: lens blur and bloom in linear values, then gamma, sharpening, noise, 8 bits."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.render.scene import Develop
from calibration.render.view import Image, Window

_SHARPEN_PX = 1.1
_TOE = np.float32(0.0031308)
_SHOT, _READ = np.float32(6e-5), np.float32(4e-6)
"""Variance of the noise: so much per unit of light, over a floor."""


def to_linear(picture: NDArray[np.uint8]) -> Image:
    """An 8-bit sRGB picture, BGR, as linear RGB, float32 (IEC 61966-2-1)."""
    v = np.arange(256) / 255
    curve = np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4).astype(np.float32)
    return np.ascontiguousarray(curve[picture[..., ::-1]])


def to_gamma(linear: Image) -> Image:
    """Linear light as sRGB values, 0 to 1 for what is not blown out."""
    power = np.asarray(cv2.pow(np.maximum(linear, _TOE), 1 / 2.4), np.float32)
    picture = np.float32(1.055) * power - np.float32(0.055)
    return np.asarray(np.where(linear < _TOE, np.float32(12.92) * linear, picture), np.float32)


@dataclass(frozen=True, eq=False)
class Negative:
    """A picture before its noise, (h, w, 3) RGB 0 to 1, and the noise's standard deviation at every place."""

    tone: Image
    noise: Image


def reach_px(settings: Develop) -> int:
    """How far one pixel's light spreads."""
    return round(3 * (_bloom_px(settings) + _SHARPEN_PX))


def develop(linear: Image, settings: Develop, size: tuple[int, int], window: Window) -> Negative:
    """linear: (h, w, 3) RGB, the part in `window` of a picture of `size`."""
    light = cv2.GaussianBlur(linear, (0, 0), settings.blur_px) if settings.blur_px > 0 else linear.copy()
    if settings.bloom > 0:
        wide = cv2.GaussianBlur(linear, (0, 0), _bloom_px(settings))
        light += np.float32(settings.bloom) * (wide - light)
    reach = np.hypot(*size) / 2
    x = (np.arange(window.width, dtype=np.float32) + window.x - (size[0] - 1) / 2) / reach
    y = (np.arange(window.height, dtype=np.float32) + window.y - (size[1] - 1) / 2) / reach
    fall = (1 - settings.vignette * (x[None, :] ** 2 + y[:, None] ** 2)).astype(np.float32)
    light *= fall[..., None] * (np.array(settings.white_balance, np.float32) * np.float32(settings.exposure))
    tone = to_gamma(np.asarray(light, np.float32))
    # Noise arises in the light; the slope of the gamma curve carries it over.
    bright = np.maximum(light, _TOE)
    slope = np.float32(1.055 / 2.4) * (tone + np.float32(0.055)) / (np.float32(1.055) * bright)
    noise = (
        np.float32(settings.noise) * np.sqrt(bright * _SHOT + _READ) * np.minimum(slope, np.float32(12.92))
    )
    if settings.sharpen > 0:
        tone += np.float32(settings.sharpen) * (tone - cv2.GaussianBlur(tone, (0, 0), _SHARPEN_PX))
    return Negative(tone, np.asarray(noise, np.float32))


def grain(rng: np.random.Generator, height: int, width: int, settings: Develop) -> Image:
    """(height, width, 3) noise of unit size before the camera's sharpening, as it is after."""
    white = rng.standard_normal((height, width, 3), dtype=np.float32)
    if settings.sharpen > 0:
        white += np.float32(settings.sharpen) * (white - cv2.GaussianBlur(white, (0, 0), _SHARPEN_PX))
    return white


def printed(negative: Negative, noise: Image) -> NDArray[np.uint8]:
    """(h, w, 3) BGR, 8 bits."""
    picture = (negative.tone + negative.noise * noise) * np.float32(255) + np.float32(0.5)
    return np.ascontiguousarray(np.clip(picture, 0, 255)[..., ::-1].astype(np.uint8))


def through_jpeg(bgr: NDArray[np.uint8], quality: int) -> NDArray[np.uint8]:
    """The picture as it comes back from a JPEG file."""
    ok, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert ok
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def _bloom_px(settings: Develop) -> float:
    return 6 * settings.blur_px + 2

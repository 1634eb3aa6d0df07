"""From light to picture: lens blur and bloom while it is still light, then sensor, gamma, sharpening, 8 bits."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.render.scene import Develop
from calibration.render.view import Image

def to_linear(picture: NDArray[np.uint8]) -> Image:
    """An 8-bit sRGB picture, BGR, as linear RGB, float32 (IEC 61966-2-1)."""
    v = np.arange(256) / 255
    curve = np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4).astype(np.float32)
    return np.ascontiguousarray(curve[picture[..., ::-1]])


def to_gamma(linear: Image) -> Image:
    """Linear light as sRGB values, 0 to 1 for what is not blown out."""
    power = cv2.pow(np.maximum(linear, np.float32(0.0031308)), 1 / 2.4)
    picture = np.float32(1.055) * np.asarray(power, np.float32) - np.float32(0.055)
    dark = linear < np.float32(0.0031308)
    picture[dark] = np.float32(12.92) * linear[dark]
    return picture


def develop(
    linear: Image, settings: Develop, size: tuple[int, int], origin: tuple[int, int], rng: np.random.Generator
) -> NDArray[np.uint8]:
    """linear: (h, w, 3) RGB, the part at `origin` of a picture of `size`. Returns (h, w, 3) BGR."""
    light = cv2.GaussianBlur(linear, (0, 0), settings.blur_px) if settings.blur_px > 0 else linear.copy()
    if settings.bloom > 0:
        wide = cv2.GaussianBlur(linear, (0, 0), 6 * settings.blur_px + 2)
        light += settings.bloom * (wide - light)
    h, w = light.shape[:2]
    reach = np.hypot(*size) / 2
    x = (np.arange(w, dtype=np.float32) + origin[0] - (size[0] - 1) / 2) / reach
    y = (np.arange(h, dtype=np.float32) + origin[1] - (size[1] - 1) / 2) / reach
    fall = 1 - settings.vignette * (x[None, :] ** 2 + y[:, None] ** 2)
    balance = np.array(settings.white_balance, np.float32) * np.float32(settings.exposure)
    light *= fall.astype(np.float32)[..., None] * balance
    if settings.noise > 0:
        grain = rng.standard_normal(light.shape, dtype=np.float32)
        # Shot noise grows with the root of the light; a floor of read noise lies under it.
        light += settings.noise * grain * np.sqrt(np.maximum(light, 0) * np.float32(6e-5) + np.float32(4e-6))
    picture = to_gamma(light)
    if settings.sharpen > 0:
        picture += settings.sharpen * (picture - cv2.GaussianBlur(picture, (0, 0), 1.1))
    return np.asarray(np.clip(picture[..., ::-1] * 255 + 0.5, 0, 255).astype(np.uint8))


def through_jpeg(bgr: NDArray[np.uint8], quality: int) -> NDArray[np.uint8]:
    """The picture as it comes back from a JPEG file."""
    ok, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert ok
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)

"""What differs between two small pictures: changes, shadows, and things that reach in from outside."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Mask = NDArray[np.uint8]
"""(h, w) uint8, 0 or 255."""


@dataclass(frozen=True)
class Settings:
    half_px: int = 640
    """Width at which flights are measured."""
    small_px: int = 320
    """Width at which changes are looked for."""
    change_levels: float = 12.0
    """A smoothed pixel changed when a channel differs by more, after the light has been evened out."""
    shade_darkest: float = 0.35
    """A shadow leaves at least this share of the light."""
    shade_tint: float = 0.10
    """Within a shadow the channels darken alike within this share."""


@dataclass(frozen=True, eq=False)
class Glimpse:
    """A frame, shrunk for watching."""

    index: int
    t_s: float
    half: Picture
    """(h, w, 3), about 640 wide."""
    small: Picture
    """(h / 2, w / 2, 3)."""


def glimpse(index: int, t_s: float, bgr: Picture, settings: Settings) -> Glimpse:
    """Shrink a frame for the watch. bgr: (H, W, 3)."""
    height, width = bgr.shape[:2]
    small = (settings.small_px, max(1, round(height * settings.small_px / width)))
    half = (
        small[0] * settings.half_px // settings.small_px,
        small[1] * settings.half_px // settings.small_px,
    )
    # for a whole factor of two, INTER_LINEAR is the mean of four pixels, at a fraction of INTER_AREA's cost
    exact = (width, height) == (2 * half[0], 2 * half[1])
    way = cv2.INTER_LINEAR if exact else cv2.INTER_AREA
    middle = np.asarray(cv2.resize(bgr, half, interpolation=way), np.uint8)
    least = np.asarray(cv2.resize(middle, small, interpolation=cv2.INTER_LINEAR), np.uint8)
    return Glimpse(index, t_s, middle, least)


def evened(picture: Picture, reference: Picture) -> Picture:
    """`picture` in the light of `reference`: each channel scaled by the median ratio of the two."""
    a = picture[::4, ::4].reshape(-1, 3).astype(np.float32) + 1
    b = reference[::4, ::4].reshape(-1, 3).astype(np.float32) + 1
    gain = np.median(b / a, axis=0)
    if np.abs(gain - 1).max() < 0.01:
        return picture
    return np.asarray(cv2.transform(picture, np.diag(gain)), np.uint8)


def changed(picture: Picture, reference: Picture, settings: Settings) -> Mask:
    """Where two pictures of one size differ by more than noise and light that changes everywhere."""
    difference = cv2.absdiff(evened(picture, reference), reference)
    largest = cv2.max(cv2.max(difference[..., 0], difference[..., 1]), difference[..., 2])
    return np.asarray(
        cv2.threshold(cv2.blur(largest, (3, 3)), settings.change_levels, 255, cv2.THRESH_BINARY)[1], np.uint8
    )


def unshaded(mask: Mask, picture: Picture, reference: Picture, settings: Settings) -> Mask:
    """`mask` without the places where `picture` is only a darker `reference`."""
    if not mask.any():
        return mask
    part = around(mask, 2)
    result = mask.copy()
    lit = evened(picture, reference)
    result[part] = without(mask[part], shadows(lit[part], reference[part], settings))
    return result


def shadows(lit: Picture, reference: Picture, settings: Settings) -> Mask:
    """Where a picture is only a darker `reference`: all channels darkened alike.

    lit: the picture in the light of the reference.
    """
    a = cv2.blur(lit, (3, 3)).astype(np.float32)
    b = cv2.blur(reference, (3, 3)).astype(np.float32)
    blue, green, red = cv2.split(cv2.divide(a + 2, b + 2))
    low, high = cv2.min(cv2.min(blue, green), red), cv2.max(cv2.max(blue, green), red)
    shade = (low > settings.shade_darkest) & (high < 1.0) & (high - low < settings.shade_tint)
    return np.where(shade, 255, 0).astype(np.uint8)


def around(mask: Mask, margin_px: int) -> tuple[slice, slice]:
    """The rows and columns that hold all of `mask`, which isn't empty, and a margin."""
    left, top, width, height = cv2.boundingRect(mask)
    rows = slice(max(0, top - margin_px), top + height + margin_px)
    return rows, slice(max(0, left - margin_px), left + width + margin_px)


def both(mask: Mask, other: Mask) -> Mask:
    return np.asarray(cv2.bitwise_and(mask, other), np.uint8)


def without(mask: Mask, other: Mask) -> Mask:
    return np.asarray(cv2.bitwise_and(mask, cv2.bitwise_not(other)), np.uint8)


def reaching(mask: Mask, area: Mask, least_px: float) -> Mask:
    """The parts of `mask` that are larger than `least_px` and reach the edge of `area` or of the picture:
    a hand or an arm, and what it holds."""
    inside = both(mask, area)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(inside, connectivity=8)
    if count < 2:
        return np.zeros_like(mask)
    core = cv2.erode(area, np.ones((5, 5), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
    at_edge = np.unique(labels[core == 0])
    arms = [i for i in at_edge if i > 0 and stats[i, cv2.CC_STAT_AREA] >= least_px]
    return np.where(np.isin(labels, arms), 255, 0).astype(np.uint8) if arms else np.zeros_like(mask)


def left_behind(part: Mask, picture: Picture, reference: Picture) -> bool:
    """Whether `part` is where something was in `reference` and is no more in `picture`.

    What lies there draws its outline: across most of it, the picture that holds the thing has the
    steeper slope. The median, as the pattern of a table is steep along some of any outline.
    """
    soft = cv2.GaussianBlur(part, (5, 5), 0).astype(np.float32)
    across = np.stack((cv2.Sobel(soft, cv2.CV_32F, 1, 0), cv2.Sobel(soft, cv2.CV_32F, 0, 1)), axis=-1)
    length = np.linalg.norm(across, axis=-1)
    rim = length > 0.5 * length.max()
    # the picture's own border is no outline
    rim[:3], rim[-3:], rim[:, :3], rim[:, -3:] = False, False, False, False
    if not rim.any():
        return False
    normal = across[rim] / length[rim][:, None]
    there = [float(np.median(np.abs((_slope(p)[rim] * normal).sum(axis=1)))) for p in (picture, reference)]
    return there[1] > 1.5 * there[0]


def _slope(picture: Picture) -> NDArray[np.float32]:
    gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    return np.stack((cv2.Sobel(gray, cv2.CV_32F, 1, 0), cv2.Sobel(gray, cv2.CV_32F, 0, 1)), axis=-1)

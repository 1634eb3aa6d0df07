"""Who lies on whom: what the picture shows where two faces overlap in it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.abreast import each
from referee.vision.discs.disc import paint
from referee.vision.discs.misfit import mean_square
from referee.vision.discs.peel import Found
from referee.vision.discs.picture import Picture

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Window = tuple[slice, slice]
Owners = NDArray[np.int16]


@dataclass(frozen=True)
class Settings:
    blob_px: float = 8.0
    """Neighbouring pixels err together: this many count as one."""
    cap: float = 9.0
    """A pixel's squared misfit, in sigmas, says no more beyond this."""
    noise: float = 0.04
    doubt: float = 0.002
    """Chance that the picture misleads whatever the pixels say."""


@dataclass(frozen=True)
class Evidence:
    """How strongly the picture shows disc `a` over disc `b` (positive) or the other way round."""

    a: int
    b: int
    log_odds: float
    pixels: float
    """Independent pixels in which the two faces would look different."""

    def p_a(self, doubt: float) -> float:
        """Probability that a is on top."""
        p = 1 / (1 + np.exp(-np.clip(self.log_odds, -40, 40)))
        return float(doubt + (1 - 2 * doubt) * p)


def compare(
    picture: Picture, found: list[Found], radius_mm: float, settings: Settings
) -> tuple[dict[tuple[int, int], Evidence], Owners]:
    """Evidence for every pair whose faces overlap in the picture, keyed (a, b) with a < b.

    Also (H, W) the index of the disc that explains each pixel best, -1 where none does.
    """
    errors = each(lambda f: _errors(picture, f, radius_mm, settings), found)
    owner = _owners(picture, found, errors, settings)
    out = {}
    for a in range(len(found)):
        for b in range(a + 1, len(found)):
            pair = _overlap(found[a], found[b])
            if pair is None:
                continue
            in_a, in_b, in_picture = pair
            both = _solid(found[a])[in_a] & _solid(found[b])[in_b]
            if not both.any():
                continue
            whose = owner[in_picture]
            both &= (whose == a) | (whose == b) | (whose < 0)  # a third disc that lies on both tells nothing
            e_a, e_b = errors[a][in_a][both], errors[b][in_b][both]
            gain = np.minimum(e_b, settings.cap) - np.minimum(e_a, settings.cap)
            telling = float((np.abs(gain) > 2).sum()) / settings.blob_px
            out[a, b] = Evidence(a, b, float(gain.sum()) / 2 / settings.blob_px, telling)
    return out, owner


def _owners(
    picture: Picture, found: list[Found], errors: list[NDArray[np.float32]], settings: Settings
) -> Owners:
    height, width = picture.bgr.shape[:2]
    best = np.full((height, width), settings.cap, np.float32)
    owner = np.full((height, width), -1, np.int16)
    for i, (disc, error) in enumerate(zip(found, errors, strict=True)):
        rows, columns = disc.patch.box
        smooth = cv2.blur(np.minimum(error, settings.cap), (3, 3))
        better = disc.inside & (smooth < best[rows, columns])
        best[rows, columns][better] = smooth[better]
        owner[rows, columns][better] = i
    return owner


def _errors(picture: Picture, disc: Found, radius_mm: float, settings: Settings) -> NDArray[np.float32]:
    rows, columns = disc.patch.box
    fit = disc.fit
    painted = paint(disc.face, disc.patch, fit.size * radius_mm, picture.blur_px, fit.gain, fit.offset)
    sigma = max(fit.scale, settings.noise)
    return np.asarray(mean_square(picture.colours(rows, columns) - painted) / sigma**2, np.float32)


def _solid(disc: Found) -> Mask:
    """The face without its seam."""
    return cv2.erode(disc.inside.view(np.uint8), np.ones((3, 3), np.uint8)).view(bool)


def _overlap(a: Found, b: Found) -> tuple[Window, Window, Window] | None:
    """The common part of two patches, as slices into each and into the picture."""
    (ra, ca), (rb, cb) = a.patch.box, b.patch.box
    top, bottom = max(ra.start, rb.start), min(ra.stop, rb.stop)
    left, right = max(ca.start, cb.start), min(ca.stop, cb.stop)
    if bottom <= top or right <= left:
        return None

    def within(row: int, column: int) -> Window:
        return slice(top - row, bottom - row), slice(left - column, right - column)

    return within(ra.start, ca.start), within(rb.start, cb.start), within(0, 0)

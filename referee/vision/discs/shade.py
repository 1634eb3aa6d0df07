"""Faces in uneven light: where a shadow lies over part of a disc, and the picture as even light shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.abreast import each
from referee.vision.discs import peel as peeling
from referee.vision.discs.align import align
from referee.vision.discs.disc import paint
from referee.vision.discs.gallery import Gallery
from referee.vision.discs.misfit import mean_square
from referee.vision.discs.peel import Found, claim, judged
from referee.vision.discs.picture import Picture
from referee.vision.discs.recheck import worth_of
from referee.vision.discs.worth import Settings as Misfit

Image = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Settings:
    levels: tuple[float, ...] = tuple(1.13**k for k in range(-11, 5))
    """How dark or bright a part may be beside what the face was fitted by: 0.26 to 1.63. A shadow leaves what
    comes from the room, and the face may have been fitted by its shaded part."""
    patch: float = 0.1
    """Light is told by so much of a face around a pixel (share of its width): enough print to tell it by."""
    even: float = 1.15
    """Light that differs by no more than this factor is no shadow."""
    gained: float = 0.1
    """Share of the face that must be seen only by evening the light."""
    rounds: int = 3
    """How often the light and the place are worked out from each other."""
    stray_mm: float = 4.0
    """A fit that ends farther from where it was is of something else."""


def even(
    picture: Picture, found: Sequence[Found], gallery: Gallery, settings: Settings, peel: peeling.Settings
) -> tuple[Picture, list[Found]]:
    """The picture in which poorly fitting discs lie in even light, and those discs fitted in it.

    Only pixels that then show their face are changed, and only where the print of the shaded part tells more
    than a wash of colour would: anything dark would else pass for shaded print.
    """

    def lit(i: int) -> tuple[Picture, Found] | None:
        return _lit(picture, found, i, gallery, settings, peel)

    poor = [i for i, f in enumerate(found) if f.fit.support < peel.fair_support and not f.held]
    better = {i: new for i, new in zip(poor, each(lit, poor), strict=True) if new is not None}
    if not better:
        return picture, list(found)
    bgr = picture.bgr.copy()
    for seen, disc in better.values():
        box = disc.patch.box
        bgr[box][disc.agrees] = seen.bgr[box][disc.agrees]
    return replace(picture, bgr=bgr), [better[i][1] if i in better else f for i, f in enumerate(found)]


def _lit(
    picture: Picture,
    found: Sequence[Found],
    i: int,
    gallery: Gallery,
    settings: Settings,
    peel: peeling.Settings,
) -> tuple[Picture, Found] | None:
    """The picture with even light on disc i, and the disc in it; None where no shadow lies on it."""
    free = picture.searched.copy()
    for j, other in enumerate(found):
        if j != i:
            claim(free, other)
    first = disc = found[i]
    seen, shaded = picture, np.zeros(free.shape, bool)
    for _ in range(settings.rounds):
        light = _light(picture, disc, free, gallery.radius_mm, settings, peel.worth)
        box = disc.patch.box
        bgr = picture.bgr.copy()
        bgr[box] = np.clip(np.rint(bgr[box] / light[..., None]), 0, 255)
        seen = replace(picture, bgr=bgr)
        shaded[:] = False
        shaded[box] = np.abs(np.log(light)) > np.log(settings.even)
        gain, offset = disc.fit.gain, disc.fit.offset
        fit = align(seen, disc.pose, disc.face, gallery.radius_mm, peel.align, free, gain=gain, offset=offset)
        if fit is None or np.hypot(*(fit.pose.centre_mm - first.pose.centre_mm)[:2]) > settings.stray_mm:
            return None
        now = judged(seen, disc.kind, disc.face, fit, free, gallery, peel)
        if now is None:
            return None
        disc = replace(now, tagged=first.tagged)
    shaded[disc.patch.box] &= disc.agrees
    if disc.visible < first.visible + settings.gained:
        return None
    if worth_of(seen, disc, shaded, gallery, peel) < peel.worth.least:
        return None
    return seen, disc


def _light(
    picture: Picture, disc: Found, free: Mask, radius_mm: float, settings: Settings, worth: Misfit
) -> Image:
    """(h, w) how bright each pixel of the disc's patch is beside what its fit says.

    As in matching two views: the level that fits best around a pixel, then finely by what fits that level, so
    that the edge of a shadow stays sharp.
    """
    s, fit, box = settings, disc.fit, disc.patch.box
    seen = picture.colours(*box)
    painted = paint(disc.face, disc.patch, fit.size * radius_mm, picture.blur_px, fit.gain, fit.offset)
    counts = (disc.patch.within(radius_mm) & free[box]).astype(np.float32)
    width = max(3, round(s.patch * max(counts.shape)))

    def around(values: Image) -> Image:
        return np.asarray(cv2.blur(values, (width, width)), np.float32)

    levels = np.array(s.levels, np.float32)
    off = [np.minimum(mean_square(seen - k * painted) / worth.noise**2, worth.cap) for k in levels]
    best = np.stack([around(np.asarray(o * counts, np.float32)) for o in off]).argmin(axis=0)
    level = levels[best]
    fits = counts * (np.take_along_axis(np.stack(off), best[None], axis=0)[0] < worth.cap)
    above = around(np.asarray(fits * (seen * painted).sum(axis=2), np.float32))
    below = around(np.asarray(fits * np.square(painted).sum(axis=2), np.float32))
    weak = np.float32(1e-3)
    light = (above + weak * level) / (below + weak)
    return np.asarray(np.clip(light, 0.9 * level, 1.1 * level), np.float32)

"""What lay there before and still looks as it did need not be looked for again."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from referee.vision.discs import peel as peeling
from referee.vision.discs.align import align
from referee.vision.discs.gallery import Gallery
from referee.vision.discs.peel import Found, claim, grown, judged
from referee.vision.discs.picture import Picture

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Settings:
    steps: tuple[tuple[float, int], ...] = ((0.0, 4),)
    """From where it lay, a fit needs no coarse stage."""
    moved_mm: float = 3.0
    """What lies farther from its place was pushed, and is looked for like what is new."""
    alike: float = 0.9
    """So much of what was seen of a face, and of what was explained by it, must be there again."""


@dataclass(frozen=True, eq=False)
class Before:
    """The last reading by the camera that still stands where it stood."""

    found: tuple[Found, ...]
    """In the order of their peeling."""
    changed: Mask
    """(H, W) where the picture may show something else since."""


def recognise(
    picture: Picture, before: Before, gallery: Gallery, settings: Settings, peel: peeling.Settings
) -> tuple[list[Found], Mask]:
    """The discs that still lie there, fitted in this picture, and (H, W) where others must be looked for:
    where the picture has changed, and where those lay that were pushed, taken or are newly covered."""
    free = np.ones(picture.bgr.shape[:2], bool)
    there, where = list[Found](), before.changed.copy()
    for old in before.found:
        now = _still(picture, old, free, gallery, settings, peel)
        if now is None:
            where[old.patch.box] |= grown(old.inside)
        else:
            there.append(now)
            claim(free, now)
    return there, where


def _still(
    picture: Picture, old: Found, free: Mask, gallery: Gallery, settings: Settings, peel: peeling.Settings
) -> Found | None:
    fit = align(
        picture,
        old.pose,
        old.face,
        gallery.radius_mm,
        peel.align,
        free,
        steps=settings.steps,
        gain=old.fit.gain,
        offset=old.fit.offset,
    )
    if fit is None or np.hypot(*(fit.pose.centre_mm - old.pose.centre_mm)[:2]) > settings.moved_mm:
        return None
    now = judged(picture, old.kind, old.face, fit, free, gallery, peel)
    if now is None or now.visible < max(settings.alike * old.visible, peel.least_visible):
        return None
    if now.score < settings.alike * old.score:
        return None
    return replace(now, tagged=old.tagged, held=old.held)

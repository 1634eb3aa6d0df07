"""A throw as a strip of pictures, from just before the flick until it is down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.frames.source import Pixels
from referee.vision.show.ink import text
from referee.vision.throw.aloft import Chase
from referee.vision.watch.motion import Glimpse

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    frames: int = 8
    window_s: tuple[float, float] = (0.08, 0.5)
    """How long before and after the flick it shows."""
    size_px: tuple[int, int] = (320, 200)
    """Of each picture."""
    margin_diameters: float = 1.5
    """What is shown around the throw's way."""


@dataclass(frozen=True, eq=False)
class Strip:
    """A throw in a few pictures."""

    pictures: tuple[tuple[float, Pixels], ...]
    """Each with the seconds since the flick."""


def cut(
    flick_s: float, chase: Chase, history: Sequence[Glimpse], diameter_px: float, settings: Settings
) -> Strip | None:
    """Some pictures of a throw, cut out about its way. None when they are gone.

    diameter_px: of a lying disc, in the half picture.
    """
    before_s, after_s = settings.window_s
    shown = [g for g in history if -before_s <= g.t_s - flick_s <= after_s]
    if len(shown) < 2:
        return None
    way = [s for s in chase.sights if s.t_s - flick_s <= after_s] or [chase.last]
    places = 2 * np.array([[s.x_px, s.y_px] for s in way]) + 0.5
    part = _part(places, settings.margin_diameters * diameter_px, shown[0].half, settings)
    at = np.unique(np.linspace(0, len(shown) - 1, settings.frames).round().astype(int))
    return Strip(tuple((shown[i].t_s - flick_s, shown[i].half[part].copy()) for i in at))


def _part(places_px: Array, margin_px: float, picture: Pixels, settings: Settings) -> tuple[slice, slice]:
    """The part of a picture around some places in it, of the strip's shape."""
    (height, width), (wide, high) = picture.shape[:2], settings.size_px
    low, high_px = places_px.min(axis=0) - margin_px, places_px.max(axis=0) + margin_px
    scale = min(max((high_px - low) / (wide, high)), width / wide, height / high)
    size = np.floor(scale * np.array([wide, high])).astype(int)
    left, top = np.clip(((low + high_px - size) / 2).astype(int), 0, np.array([width, height]) - size)
    return slice(top, top + size[1]), slice(left, left + size[0])


def drawn(strip: Strip, settings: Settings) -> Pixels:
    """The pictures of a throw side by side, with the time since the flick."""
    frames = []
    for since_s, picture in strip.pictures:
        frame = np.asarray(cv2.resize(picture, settings.size_px, interpolation=cv2.INTER_CUBIC), np.uint8)
        text(frame, f"{since_s:+.2f} s", (6, frame.shape[0] - 8), 0.5)
        frames.append(frame)
    while len(frames) % 4:
        frames.append(np.full_like(frames[0], 24))
    return np.asarray(np.vstack([np.hstack(frames[i : i + 4]) for i in range(0, len(frames), 4)]), np.uint8)

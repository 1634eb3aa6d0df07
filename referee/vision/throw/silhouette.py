"""The outline of a flying disc in each picture of its flight, as support distances."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.throw.aloft import Chase
from referee.vision.watch import motion
from referee.vision.watch.motion import Glimpse, Mask, Picture

Array = NDArray[np.float64]

TURNS = np.arange(16) * (2 * np.pi / 16)
DIRECTIONS: Array = np.stack((np.cos(TURNS), np.sin(TURNS)))
"""(2, 16): a silhouette is how far it reaches in each of these directions of the picture."""


@dataclass(frozen=True)
class Settings:
    longest_run_up_s: float = 0.3
    """So long before it comes free of the hand, a disc may already be moving."""
    held_s: float = 0.17
    """Before it is thrown, the disc is held; pictures of that time show the hand."""
    clear_s: tuple[float, float] = (0.15, 0.4)
    """After the flick, when the disc is clear of the hand; pictures of that time show what it hid."""
    still_px: float = 1.5
    """A centre that moved by less did not move."""
    swell_px: float = 1.2
    """Smoothing makes what differs from its ground reach further by so much, each way."""
    air_s: float = 0.6
    """No longer is looked at: a flicked coaster is down by then."""


@dataclass(frozen=True, eq=False)
class Silhouette:
    index: int
    t_s: float
    reach_px: Array
    """(16,) support distances in the half picture."""

    @property
    def centre_px(self) -> Array:
        """(2,) middle of what is seen, in the half picture."""
        h = self.reach_px
        return np.array([h[0] - h[8], h[4] - h[12]]) / 2


@dataclass(frozen=True, eq=False)
class Outlines:
    held: Silhouette | None
    """The disc before it moved; None when no picture shows it."""
    flying: tuple[Silhouette, ...]
    """From the first picture in which it has moved; the last ones may show it down already."""
    flick_t_s: float
    """When it began to move, from how far it had come in its first picture."""


def outlines(
    history: tuple[Glimpse, ...],
    chase: Chase,
    background: Glimpse,
    diameter_px: float,
    settings: Settings,
    seeing: motion.Settings,
) -> Outlines | None:
    """Cut the disc out of the pictures of its flight. None when `history` doesn't reach back far enough.

    diameter_px: of a disc lying on the table, in the half picture.
    """
    window = _window(chase, diameter_px, background.half.shape)
    views = {g.index: g for g in history}
    order = [g.index for g in history]
    sights = [s for s in chase.sights if s.t_s - chase.sights[0].t_s <= settings.air_s and s.index in views]
    if len(sights) < 2 or sights[0].index != chase.sights[0].index:
        return None
    first = order.index(sights[0].index)
    places = [2 * np.array([s.x_px, s.y_px]) + 0.5 for s in sights]
    pace_s = (places[1] - places[0]) / (sights[1].t_s - sights[0].t_s)
    onset = _onset(history, first, places[0], pace_s, diameter_px, settings, seeing)
    ground = _ground(history, onset, background, window, settings, seeing)
    if ground is None:
        return None

    def cut(index: int, near: Array) -> Silhouette | None:
        return _cut(views[index], ground, window, near, diameter_px, settings.swell_px, seeing)

    seen = [c for s, p in zip(sights, places, strict=True) if (c := cut(s.index, p)) is not None]
    if not seen:
        return None
    near = seen[0].centre_px
    for at in range(first - 1, max(-1, onset - 3), -1):
        gap_s = history[at + 1].t_s - history[at].t_s
        found = cut(order[at], near - pace_s * gap_s if at >= onset else near)
        if found is None:
            break
        pace_s = 0.5 * pace_s + 0.5 * (near - found.centre_px) / gap_s if at >= onset else 0 * pace_s
        near = found.centre_px
        seen.insert(0, found)
    return _split(seen, order[onset], settings)


def _window(chase: Chase, diameter_px: float, shape: tuple[int, ...]) -> tuple[slice, slice]:
    margin = 3.0 * diameter_px
    xs, ys = [2 * s.x_px for s in chase.sights], [2 * s.y_px for s in chase.sights]
    return (
        slice(max(0, int(min(ys) - margin)), min(shape[0], int(max(ys) + margin))),
        slice(max(0, int(min(xs) - margin)), min(shape[1], int(max(xs) + margin))),
    )


def _onset(
    history: tuple[Glimpse, ...],
    first: int,
    place: Array,
    pace_s: Array,
    diameter_px: float,
    settings: Settings,
    seeing: motion.Settings,
) -> int:
    """Position in `history` of the first picture in which the disc moves: backwards along its way until
    nothing moves there."""
    for at in range(first - 1, 0, -1):
        before_s = history[first].t_s - history[at].t_s
        if before_s > settings.longest_run_up_s:
            break
        x, y = place - pace_s * before_s
        r = diameter_px
        rows, columns = (
            slice(max(0, int(y - r)), max(1, int(y + r))),
            slice(max(0, int(x - r)), max(1, int(x + r))),
        )
        now, before = history[at].half[rows, columns], history[at - 1].half[rows, columns]
        if now.size and cv2.countNonZero(motion.changed(now, before, seeing)) > 0.03 * diameter_px**2:
            continue
        return at + 1
    return max(1, first - 2)


def _ground(
    history: tuple[Glimpse, ...],
    onset: int,
    background: Glimpse,
    window: tuple[slice, slice],
    settings: Settings,
    seeing: motion.Settings,
) -> Picture | None:
    """What lies behind the disc during its flight: the table as it was just before the flick, and where
    something held over it was in the way then, what showed there once the disc had gone."""
    flick = history[onset].t_s
    low, high = settings.clear_s
    held = [g.half[window] for g in history[:onset] if flick - g.t_s <= settings.held_s]
    clear = [g.half[window] for g in history[onset:] if low <= g.t_s - flick <= high]
    if not held or not clear:
        return None
    before, after = _median(held), _median(clear)
    differs = motion.changed(before, background.half[window], seeing)
    differs = np.asarray(cv2.dilate(differs, np.ones((5, 5), np.uint8)), np.uint8)
    return np.asarray(np.where(differs[..., None] > 0, after, before), np.uint8)


def _median(pictures: list[Picture]) -> Picture:
    """Pixel by pixel. Sorted by odd-even transposition: whole pictures at once, far faster than one pixel's
    values after the other's."""
    ranked = list(pictures)
    for turn in range(len(ranked)):
        for i in range(turn % 2, len(ranked) - 1, 2):
            low, high = cv2.min(ranked[i], ranked[i + 1]), cv2.max(ranked[i], ranked[i + 1])
            ranked[i], ranked[i + 1] = np.asarray(low, np.uint8), np.asarray(high, np.uint8)
    return ranked[len(ranked) // 2]


def _cut(
    view: Glimpse,
    ground: Picture,
    window: tuple[slice, slice],
    near: Array,
    diameter_px: float,
    swell_px: float,
    seeing: motion.Settings,
) -> Silhouette | None:
    left, top = window[1].start, window[0].start
    reach = 1.7 * diameter_px
    rows = slice(max(0, int(near[1] - top - reach)), max(1, int(near[1] - top + reach)))
    columns = slice(max(0, int(near[0] - left - reach)), max(1, int(near[0] - left + reach)))
    picture, ground = view.half[window][rows, columns], ground[rows, columns]
    if not picture.size:
        return None
    mask = motion.unshaded(motion.changed(picture, ground, seeing), picture, ground, seeing)
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)
    corner = np.array([left + columns.start, top + rows.start], float)
    points = _parts_near(mask, near - corner, diameter_px)
    if points is None:
        return None
    return Silhouette(view.index, view.t_s, ((points + corner) @ DIRECTIONS).max(axis=0) - swell_px)


def _parts_near(mask: Mask, near: Array, diameter_px: float) -> Array | None:
    """(N, 2) pixels of the parts of `mask` around a point, or None."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    parts = []
    for i in range(1, count):
        if stats[i, cv2.CC_STAT_AREA] < 0.02 * diameter_px**2:
            continue
        left, top = stats[i, cv2.CC_STAT_LEFT], stats[i, cv2.CC_STAT_TOP]
        width, height = stats[i, cv2.CC_STAT_WIDTH], stats[i, cv2.CC_STAT_HEIGHT]
        ys, xs = np.nonzero(labels[top : top + height, left : left + width] == i)
        points = np.stack((xs + left, ys + top), axis=1).astype(float)
        if np.median(np.hypot(*(points - near).T)) < 0.75 * diameter_px:
            parts.append(points)
    return np.concatenate(parts) if parts else None


def _split(seen: list[Silhouette], onset: int, settings: Settings) -> Outlines | None:
    """Into held and flying, at the first centre that has moved. onset: index of the first picture in
    which something moves; a disc not seen before it was never seen held."""
    rest = seen[0].centre_px
    held_seen = seen[0].index < onset
    moved = next(
        (i for i, s in enumerate(seen) if np.hypot(*(s.centre_px - rest)) > settings.still_px), len(seen)
    )
    held, flying = (seen[moved - 1], tuple(seen[moved:])) if held_seen else (None, tuple(seen))
    if len(flying) < 3:
        return None
    gap = flying[1].t_s - flying[0].t_s
    step = float(np.hypot(*(flying[1].centre_px - flying[0].centre_px)))
    come = step if held is None else float(np.hypot(*(flying[0].centre_px - held.centre_px)))
    return Outlines(held, flying, flying[0].t_s - gap * min(1.0, come / max(step, 1e-6)))

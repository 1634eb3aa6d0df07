"""Follows what flies free of any hand, from picture to picture, and tells when a throw has come down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import dropwhile, pairwise
from math import hypot, log

import cv2
import numpy as np

from referee.vision.watch import motion
from referee.vision.watch.motion import Mask
from referee.vision.watch.settle import Watch


@dataclass(frozen=True)
class Settings:
    least_area: float = 0.06
    """Share of a lying disc's area: a disc seen edge-on is small."""
    largest_area: float = 2.6
    """Nearer to the camera and smeared by its movement, a disc looks larger."""
    reach_diameters: float = 1.6
    """A throw begins so near a hand or the picture's edge."""
    step_diameters: float = 1.3
    step_diameters_s: float = 39.0
    """How far from where it is expected the disc may be seen next: so far, or so far for each second that
    has gone by, where pictures were dropped or come slowly."""
    furthest_diameters: float = 4.0
    """No further, however long the gap."""
    size_diameters: float = 0.3
    """A thing e times as large, or as small, as it was counts as so much further off."""
    lost_s: float = 0.14
    """A disc not seen moving for so long has come down, or is gone."""
    least_path_diameters: float = 0.6
    least_speed_diameters_s: float = 3.0
    """What moves less or slower was not thrown."""
    least_sights: int = 3
    apart_s: float = 0.15
    """What sets off during a throw, or so soon after it, was knocked by it."""


@dataclass(frozen=True)
class Sight:
    """A free moving thing in one small picture."""

    index: int
    t_s: float
    x_px: float
    y_px: float
    area_px: float
    joined: bool = False
    """Whether it isn't clear of the hand: then it may be a part of it that moves."""


@dataclass(frozen=True)
class Chase:
    """One thing followed from where it came free."""

    sights: tuple[Sight, ...]

    @property
    def last(self) -> Sight:
        return self.sights[-1]

    @property
    def path_px(self) -> float:
        """How far it came from where it was first seen."""
        first = self.sights[0]
        return max(hypot(s.x_px - first.x_px, s.y_px - first.y_px) for s in self.sights)

    @property
    def clear(self) -> Chase:
        """The chase from where it was clear of the hand; all of it when it never was."""
        clear = tuple(dropwhile(lambda s: s.joined, self.sights))
        return replace(self, sights=clear) if clear else self

    def expected(self, t_s: float) -> tuple[float, float]:
        """Where it should be at t_s, going on as it went."""
        last = self.last
        if len(self.sights) < 2:
            return last.x_px, last.y_px
        before = self.sights[-2]
        ahead = min(3.0, (t_s - last.t_s) / (last.t_s - before.t_s))
        return last.x_px + ahead * (last.x_px - before.x_px), last.y_px + ahead * (last.y_px - before.y_px)


@dataclass(frozen=True, eq=False)
class Aloft:
    """Everything that is being followed."""

    chases: tuple[Chase, ...] = ()
    thrown: Chase | None = None
    """The last throw that has come down."""


def step(
    aloft: Aloft, watch: Watch, diameter_px: float, settings: Settings
) -> tuple[Aloft, tuple[Chase, ...]]:
    """Go on one picture. Returns the throws that have come down since the picture before.

    diameter_px: how wide a disc lying on the table looks in the small picture.
    """
    now = watch.latest
    seen = _sights(watch, diameter_px, settings)
    going: list[Chase] = []
    ended: list[Chase] = []
    for chase in sorted(aloft.chases, key=lambda c: -len(c.sights)):
        near = _nearest(chase, seen, now.t_s, diameter_px, settings)
        if near is not None:
            seen.remove(near)
            going.append(replace(chase, sights=(*chase.sights, near)))
        elif now.t_s - chase.last.t_s > settings.lost_s:
            ended.append(chase)
        else:
            going.append(chase)
    source = _source(watch, settings.reach_diameters * diameter_px)
    for sight in seen:
        if source[int(sight.y_px), int(sight.x_px)]:
            going.append(Chase((sight,)))
    throws = [c for c in (*ended, *going) if _was_thrown(c, diameter_px, settings)]
    if aloft.thrown is not None:
        throws.append(aloft.thrown)
    thrown = tuple(c for c in ended if c in throws and not any(_knocked(c, t, settings) for t in throws))
    return Aloft(tuple(going), thrown[-1] if thrown else aloft.thrown), thrown


def _sights(watch: Watch, diameter_px: float, settings: Settings) -> list[Sight]:
    free = motion.without(watch.differs, _held(watch))
    if not free.any() or watch.anchor is not watch.latest:
        return []
    count, labels, stats, centres = cv2.connectedComponentsWithStats(free, connectivity=8)
    moving = np.bincount(labels[watch.moving > 0], minlength=count)
    whole = np.pi / 4 * diameter_px**2
    now = watch.latest
    found = []
    for i in range(1, count):
        area = float(stats[i, cv2.CC_STAT_AREA])
        if not settings.least_area * whole <= area <= settings.largest_area * whole:
            continue
        if moving[i] < 0.1 * area:
            continue
        joined = bool(watch.hand[labels == i].any())
        found.append(Sight(now.index, now.t_s, float(centres[i][0]), float(centres[i][1]), area, joined))
    return found


def _held(watch: Watch) -> Mask:
    """Where the hand is. While it is steady that is where it was when it stopped moving, with its rim: what
    is thrown close by it is seen from the first."""
    if watch.aim is None or not watch.aim.steady:
        return watch.hand
    return np.asarray(cv2.dilate(watch.aim.hand, np.ones((5, 5), np.uint8)), np.uint8)


def _nearest(
    chase: Chase, seen: list[Sight], t_s: float, diameter_px: float, settings: Settings
) -> Sight | None:
    """The sight that goes on with a chase: near where it should be; of two, rather the one of like size."""
    x, y = chase.expected(t_s)

    def unlikely_px(sight: Sight) -> float:
        change = abs(log(sight.area_px / chase.last.area_px))
        return hypot(sight.x_px - x, sight.y_px - y) + settings.size_diameters * diameter_px * change

    gone_s = t_s - chase.last.t_s
    step = max(settings.step_diameters, settings.step_diameters_s * gone_s)
    reach_px = min(step, settings.furthest_diameters) * diameter_px
    near = [s for s in seen if hypot(s.x_px - x, s.y_px - y) <= reach_px]
    return min(near, key=unlikely_px, default=None)


def _source(watch: Watch, reach_px: float) -> Mask:
    """Where a throw may begin: at a hand, or at the picture's edge."""
    edge = np.zeros_like(watch.hand)
    edge[0], edge[-1], edge[:, 0], edge[:, -1] = 255, 255, 255, 255
    size = 2 * int(reach_px) + 1
    return np.asarray(cv2.dilate(cv2.bitwise_or(watch.hand, edge), np.ones((size, size), np.uint8)), np.uint8)


def _knocked(chase: Chase, thrown: Chase, settings: Settings) -> bool:
    """Whether `chase` set off after `thrown` had, and before it was well down."""
    start = chase.sights[0].t_s
    return thrown.sights[0].t_s < start <= thrown.last.t_s + settings.apart_s


def _was_thrown(chase: Chase, diameter_px: float, settings: Settings) -> bool:
    s = chase.sights
    if len(s) < settings.least_sights:
        return False
    speed = max(hypot(b.x_px - a.x_px, b.y_px - a.y_px) / (b.t_s - a.t_s) for a, b in pairwise(s))
    return (
        chase.path_px >= settings.least_path_diameters * diameter_px
        and speed >= settings.least_speed_diameters_s * diameter_px
    )

"""The gate: is the table moving, settling, still, or out of sight?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from referee.vision.messages import Gate
from referee.vision.watch import motion
from referee.vision.watch.motion import Glimpse, Mask


@dataclass(frozen=True)
class Settings:
    quiet_s: float = 0.19
    """Nothing may have moved for so long: no whole number of frames at 25, 30, 50 or 60 a second, so that
    the same pictures settle at the same one, whatever the clock reads and however it jitters."""
    least_move: float = 0.00012
    """Share of the picture that must change to count as movement."""
    least_hand: float = 0.004
    """Share of the picture that a hand in view covers at least."""
    steady_s: float = 0.12
    """A hand whose outline has stayed the same for so long is held still."""
    unsteady: float = 0.1
    """Share of its outline that may come or go meanwhile."""
    let_go: float = 0.35
    """Share of a steady hand that may go: so much of it may be the coaster that it throws."""
    patience_s: float = 8.0
    """What lies at the edge for so long, clear of the play area, belongs to the table from then on."""
    refresh_s: float = 1.0
    """How often the picture of the quiet table follows slow changes of the light."""
    dark_level: float = 8.0
    """Mean grey level under which nothing can be seen."""
    frozen_s: float = 1.8
    """Pictures equal to the last bit for so long come from a frozen camera: real ones carry noise."""


DARK = "the picture is dark: switch on a light, or uncover the lens"
FROZEN = "the camera keeps sending the same picture: unplug it and plug it in again"
REACHING = "something reaches into the picture and lies still: take it away, so that the table can be read"


@dataclass(frozen=True, eq=False)
class Aim:
    """A hand that is held still, or may be about to be."""

    hand: Mask
    """Where it was when it stopped moving. What appears beside that has left it."""
    since_s: float
    steady: bool


@dataclass(frozen=True, eq=False)
class Watch:
    """What the gate knows after a frame."""

    gate: Gate
    anchor: Glimpse
    """The first picture since which nothing has moved."""
    latest: Glimpse
    identical_since_s: float
    background: Glimpse | None
    """The table at rest, no hand in it. None until the table has been at rest."""
    moving: Mask
    """What has moved against the frame before, or against `anchor` while all is quiet."""
    differs: Mask
    """What differs from the table at rest, shadows left out."""
    hand: Mask
    """The part of `differs` that reaches in from outside."""
    aim: Aim | None = None
    held_up: bool = False
    """Whether a hand lies over the table, so that it can't be read."""
    trouble: str = ""

    @property
    def quiet_s(self) -> float:
        return self.latest.t_s - self.anchor.t_s


def forget(watch: Watch) -> Watch:
    """The watch without its picture of the table: what it compares with is no longer seen so."""
    none = np.zeros_like(watch.hand)
    return replace(watch, background=None, differs=none, hand=none, aim=None, held_up=False)


def begin(first: Glimpse) -> Watch:
    none = np.zeros(first.small.shape[:2], np.uint8)
    return Watch(Gate.SETTLING, first, first, first.t_s, None, none, none, none)


def step(
    watch: Watch,
    now: Glimpse,
    area: Mask | None,
    play: Mask | None,
    settings: Settings,
    seeing: motion.Settings,
) -> Watch:
    """The gate after the next frame.

    area: where movement counts, in the small picture; play: the inner part, where coasters lie. None is
    everywhere.
    """
    if now.small.shape != watch.latest.small.shape:
        return begin(now)
    everywhere = np.full(now.small.shape[:2], 255, np.uint8)
    area = everywhere if area is None else area
    same = np.array_equal(now.small, watch.latest.small)
    identical_since_s = watch.identical_since_s if same else now.t_s
    watch = replace(watch, latest=now, identical_since_s=identical_since_s, trouble="")
    if float(now.small[::4, ::4].mean()) < settings.dark_level:
        return replace(watch, gate=Gate.BLIND, anchor=now, trouble=DARK)
    if now.t_s - identical_since_s > settings.frozen_s:
        return replace(watch, gate=Gate.BLIND, trouble=FROZEN)

    pixels = now.small.shape[0] * now.small.shape[1]
    moving = motion.both(motion.changed(now.small, watch.anchor.small, seeing), area)
    if cv2.countNonZero(moving) > settings.least_move * pixels:
        watch = replace(watch, anchor=now)
    watch = _look_for_hand(replace(watch, moving=moving), area, play, settings, seeing)
    if watch.anchor is now:
        return replace(watch, gate=Gate.MOVING)
    if watch.held_up:
        trouble = REACHING if watch.quiet_s > settings.patience_s else ""
        return replace(watch, gate=Gate.MOVING, trouble=trouble)
    if watch.quiet_s < settings.quiet_s:
        return replace(watch, gate=Gate.SETTLING)
    return _rest(watch, settings)


def _look_for_hand(
    watch: Watch, area: Mask, play: Mask | None, settings: Settings, seeing: motion.Settings
) -> Watch:
    """Fill in `differs`, `hand` and `held_up`. What is merely gone from the edge, or has lain there long,
    holds nothing up."""
    if watch.background is None:
        return watch
    small, background = watch.latest.small, watch.background.small
    differs = motion.changed(small, background, seeing)
    if not differs.any():
        return replace(watch, differs=differs, hand=differs, aim=None, held_up=False)
    differs = motion.unshaded(differs, small, background, seeing)
    differs = np.asarray(cv2.morphologyEx(differs, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)
    least_px = settings.least_hand * differs.size
    inside = motion.reaching(differs, area, least_px)
    anywhere = motion.reaching(differs, np.full_like(area, 255), least_px)
    held_up = bool(inside.any())
    if held_up and watch.quiet_s >= settings.quiet_s:
        clear = play is not None and not motion.both(inside, play).any()
        stays = watch.quiet_s > settings.patience_s and clear
        held_up = not (stays or motion.left_behind(inside, small, background))
    hand = np.maximum(inside, anywhere)
    aim = _aim(watch.aim, hand, watch.latest.t_s, settings)
    return replace(watch, differs=differs, hand=hand, aim=aim, held_up=held_up)


def _aim(before: Aim | None, hand: Mask, t_s: float, settings: Settings) -> Aim | None:
    """A steady hand stays so while hardly any of it goes away; what comes to it may be leaving it."""
    if not hand.any():
        return None
    if before is not None:
        whole = cv2.countNonZero(before.hand)
        gone = cv2.countNonZero(motion.without(before.hand, hand)) / whole
        came = cv2.countNonZero(motion.without(hand, before.hand)) / whole
        if before.steady and gone <= settings.let_go:
            return before
        if max(gone, came) <= settings.unsteady:
            return replace(before, steady=t_s - before.since_s >= settings.steady_s)
    return Aim(hand, t_s, steady=False)


def _rest(watch: Watch, settings: Settings) -> Watch:
    """STILL. The pictures that later ones are compared with follow slow changes of the light."""
    now = watch.latest
    entering = watch.gate is not Gate.STILL
    watch = replace(watch, gate=Gate.STILL)
    if entering or watch.background is None or now.t_s - watch.background.t_s > settings.refresh_s:
        anchor = replace(now, t_s=watch.anchor.t_s)  # the quiet began when it began
        return replace(watch, background=now, anchor=anchor)
    return watch

"""Half turns of a thrown disc up to its first contact, from the silhouettes of its flight."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import erf, sqrt

import numpy as np
from numpy.typing import NDArray

from referee.facts import FLIPPED_FROM, Face, Measure, PieceId, Verdict
from referee.vision.throw import fall, silhouette, spin, spin_fit
from referee.vision.throw.aloft import Chase
from referee.vision.throw.ground import Ground
from referee.vision.throw.silhouette import Outlines
from referee.vision.throw.spin import FLICK, LEAN, PLACE, RATE, SHUTTER, SIZE, Disc, Scope
from referee.vision.throw.spin_fit import Fit
from referee.vision.watch import motion
from referee.vision.watch.motion import Glimpse

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    sure: float = 0.97
    """Probability from which the flip is claimed or denied."""
    fit: spin_fit.Settings = field(default_factory=spin_fit.Settings)
    hand_mm: tuple[float, float] = (130.0, 80.0)
    """Expected height over the table at which a disc leaves the hand, and its sigma."""
    contact_frames: float = 0.4
    """Sigma of the time between flick and first contact, in frames, when that is with the table."""
    height_mm: float = 25.0
    """Sigma of how high the disc flies over the box: seen from above, height is little more than guessed."""
    fall: fall.Settings = field(default_factory=fall.Settings)
    falls_tried: int = 3
    longest_gap_s: float = 0.08
    enough_pictures: int = 6
    """Between two pictures further apart a disc may have turned once more, unseen. Unless there are enough
    others that show how fast it turns, nothing is claimed."""
    worst_edge_px: float = 1.3
    """When the middling silhouette is further off, the throw isn't understood and nothing is claimed."""


@dataclass(frozen=True, eq=False)
class Held:
    """A disc on the hand, before the flick."""

    t_s: float
    centre_mm: Array
    """(3,) at half its thickness."""
    normal: Array
    """(3,) of the face that shows."""


@dataclass(frozen=True, eq=False)
class Flown:
    """A throw as its pictures show it; not yet known which coaster it was."""

    frame_flick: int
    frame_landed: int
    t_flick_s: float
    half_turns: Measure | None
    flip: Verdict
    landed_mm: tuple[float, float] | None
    """Where on the table it first touched down."""
    frame_settled: int
    rest_mm: tuple[float, float]
    """Where on the table it was last seen moving."""
    bound_mm: tuple[float, float]
    """Where it would have been a picture later, had it gone on as it did last."""
    held: Held | None
    """The disc on the hand; None when no picture shows it there."""
    names: tuple[tuple[PieceId, float], ...] = ()
    """What was read on the hand: candidates, likeliest first."""
    face: Face = Face.UNKNOWN
    """The face that it showed there."""

    @property
    def understood(self) -> bool:
        return self.half_turns is not None


def measure(
    history: tuple[Glimpse, ...],
    chase: Chase,
    background: Glimpse | None,
    diameter_px: float,
    scope: Scope,
    disc: Disc,
    ground: Ground,
    settings: Settings,
    cutting: silhouette.Settings,
    seeing: motion.Settings,
) -> Flown:
    """What the pictures of one throw tell. diameter_px: of a lying disc, in the half picture.

    Where the pictures in which the disc isn't yet clear of the hand only confuse, it goes without them.
    """
    first, last = chase.sights[0], chase.last
    ends = np.array([[s.x_px, s.y_px] for s in chase.sights[-2:]])
    there = scope.on_table(2 * np.array([ends[-1], 2 * ends[-1] - ends[0]]) + 0.5)
    rest, bound = ((float(x), float(y)) for x, y in there)
    flown = Flown(
        first.index, last.index, first.t_s, None, Verdict.UNSURE, None, last.index + 1, rest, bound, None
    )
    if background is None:
        return flown
    tries = [chase]
    if 2 * chase.clear.path_px > diameter_px:
        tries.append(chase.clear)
    for part in tries:
        seen = silhouette.outlines(history, part, background, diameter_px, cutting, seeing)
        if seen is not None and not flown.understood:
            flown = understand(seen, last.index + 1, rest, bound, scope, disc, ground, settings)
    return flown


def understand(
    seen: Outlines,
    frame_settled: int,
    rest_mm: tuple[float, float],
    bound_mm: tuple[float, float],
    scope: Scope,
    disc: Disc,
    ground: Ground,
    settings: Settings,
) -> Flown:
    """Fit the throw in space and count its half turns."""
    gap = float(np.median(np.diff([s.t_s for s in seen.flying])))
    x = _held_pose(seen, scope, disc, settings)
    held = None
    if seen.held is not None:
        held = Held(seen.held.t_s, x[PLACE].copy(), spin.normals(x, np.array(0.0)))
    fits = _fits(seen, x, scope, disc, ground, settings)
    best = fits[0]
    shown = seen.flying[: best.pictures]
    reaches = np.stack([s.reach_px for s in shown])
    off = np.abs(spin.predicted(best.x, np.array([s.t_s for s in shown]), scope, disc) - reaches)
    until = _contact(best, gap, disc, ground)
    moment = best.x[FLICK] + until
    landed = next((s.index for s in seen.flying if s.t_s >= moment), shown[-1].index)
    place = spin.centres(best.x, np.array(until))
    gapless = max(np.diff([s.t_s for s in shown])) <= settings.longest_gap_s
    shown_well = gapless or len(shown) >= settings.enough_pictures
    understood = shown_well and float(np.median(off)) <= settings.worst_edge_px
    count, flip = _verdict(fits, gap, disc, ground, settings) if understood else (None, Verdict.UNSURE)
    return Flown(
        seen.flying[0].index,
        landed,
        float(best.x[FLICK]),
        count,
        flip,
        (float(place[0]), float(place[1])) if understood else None,
        frame_settled,
        rest_mm,
        bound_mm,
        held,
    )


def _fits(
    seen: Outlines, held: Array, scope: Scope, disc: Disc, ground: Ground, settings: Settings
) -> list[Fit]:
    """Fits of the likeliest turns about the likeliest parabolas, best first."""
    fits: list[Fit] = []
    for fallen in fall.falls(seen, held, scope, ground, settings.fall)[: settings.falls_tried]:
        shown = seen.flying[: fallen.airborne]
        times, reaches = np.array([s.t_s for s in shown]), np.stack([s.reach_px for s in shown])
        left_out = len(seen.flying) - fallen.airborne
        fits += spin_fit.turns(fallen.x, times, reaches, left_out, scope, disc, settings.fit)
    return sorted(fits, key=lambda f: f.total)


def _held_pose(seen: Outlines, scope: Scope, disc: Disc, settings: Settings) -> Array:
    """A throw that hasn't begun: where the disc lies on the hand and how it leans."""
    shown = seen.held or seen.flying[0]
    x = np.zeros(SIZE)
    height, sigma = settings.hand_mm
    ray = scope.rays(shown.centre_px[None])[0]
    eye = scope.view.eye_mm
    x[PLACE] = eye + ray * (height - eye[2]) / ray[2]
    x[FLICK], x[SHUTTER] = seen.flick_t_s, 0.5
    if seen.held is None:
        return x
    spread = np.full(SIZE, np.inf)
    spread[2], spread[LEAN] = sigma, 0.25
    before = np.array([seen.flick_t_s - 1.0])
    free = np.array([0, 1, 2, 6, 7])
    return spin_fit.refine(x, before, seen.held.reach_px[None], scope, disc, spread, free, settings.fit).x


def _contact(fit: Fit, gap: float, disc: Disc, ground: Ground) -> float:
    """Seconds from the flick to the first contact."""
    last = fit.last_s - fit.x[FLICK]
    tau = np.linspace(0.3 * last, last + 1.5 * gap, 200)
    down = ground.touched(fit.x, tau, disc)
    return float(tau[int(np.argmax(down))] if down.any() else tau[-1])


def _contact_sigma(fit: Fit, gap: float, disc: Disc, ground: Ground, settings: Settings) -> float:
    """Of the moment of first contact, s."""
    usual = settings.contact_frames * gap
    if _contact(fit, gap, disc, ground) == _contact(fit, gap, disc, Ground()):
        return usual
    up = np.zeros(SIZE)
    up[2] = settings.height_mm
    late, early = (_contact(replace(fit, x=fit.x + s * up), gap, disc, ground) for s in (1, -1))
    return float(np.hypot(usual, (late - early) / 2))


def _verdict(
    fits: list[Fit], gap: float, disc: Disc, ground: Ground, settings: Settings
) -> tuple[Measure, Verdict]:
    """The half turns, and whether they make a flip, weighing all fits by how well they fit."""
    misfit = max(1.0, fits[0].cost / (settings.fit.directions_that_count * fits[0].pictures))
    weights = np.exp(-0.5 * np.array([f.total - fits[0].total for f in fits]) / misfit)
    weights /= weights.sum()
    values, sigmas = [], []
    for fit in fits:
        until = _contact(fit, gap, disc, ground)
        turns = float(spin.half_turns(fit.x, until))
        moment = _contact_sigma(fit, gap, disc, ground, settings) / until
        rate = sqrt(misfit) * fit.rate_sigma / max(abs(fit.x[RATE]), 1e-6)
        values.append(turns)
        sigmas.append(sqrt((turns * moment) ** 2 + (turns * rate) ** 2 + 0.05**2))
    mean = float(np.dot(weights, values))
    variance = float(np.dot(weights, np.square(sigmas) + np.square(np.array(values) - mean)))
    above = sum(
        w * 0.5 * (1 + erf((v - FLIPPED_FROM) / (s * sqrt(2))))
        for w, v, s in zip(weights, values, sigmas, strict=True)
    )
    flip = Verdict.UNSURE
    if above >= settings.sure:
        flip = Verdict.YES
    elif above <= 1 - settings.sure:
        flip = Verdict.NO
    return Measure(mean, sqrt(variance)), flip

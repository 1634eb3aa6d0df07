"""Half turns of a thrown disc up to its first contact, from the silhouettes of its flight."""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, sqrt

import numpy as np
from numpy.typing import NDArray

from referee.facts import Face, Measure, PieceId, Verdict
from referee.vision import motion, silhouette, spin
from referee.vision.aloft import Chase
from referee.vision.motion import Glimpse
from referee.vision.silhouette import Outlines
from referee.vision.spin import AXIS, FLICK, LEAN, PLACE, RATE, SHUTTER, SIZE, SPEED, Disc, Scope

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    flipped_from: float = 0.75
    """Half turns from which a throw counts as flipped: between 0.6, plainly not, and 0.9, plainly so."""
    sure: float = 0.97
    """Probability from which the flip is claimed or denied."""
    edge_sigma_px: float = 1.5
    """Of a silhouette's reach, in the half picture: blur, missing parts and shadows."""
    directions_that_count: float = 5.0
    """The sixteen reaches of one silhouette tell no more than so many independent ones."""
    outlier_sigmas: float = 4.0
    hand_mm: tuple[float, float] = (130.0, 80.0)
    """Expected height over the table at which a disc leaves the hand, and its sigma."""
    contact_mm: float = 4.0
    """Height of the lowest point at first contact: the table, or a coaster or two on it."""
    contact_frames: float = 0.6
    """Sigma of the time between flick and first contact, in frames."""
    most_half_turns: float = 5.0
    worst_edge_px: float = 2.5
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
    settings: Settings,
    cutting: silhouette.Settings,
    seeing: motion.Settings,
) -> Flown:
    """What the pictures of one throw tell. diameter_px: of a lying disc, in the half picture."""
    seen = (
        None
        if background is None
        else silhouette.outlines(history, chase, background, diameter_px, cutting, seeing)
    )
    if seen is None:
        first, last = chase.sights[0], chase.last
        return Flown(first.index, last.index, first.t_s, None, Verdict.UNSURE, None, last.index + 1, None)
    return understand(seen, chase.last.index + 1, scope, disc, settings)


def understand(seen: Outlines, frame_settled: int, scope: Scope, disc: Disc, settings: Settings) -> Flown:
    """Fit the throw in space and count its half turns."""
    times = np.array([s.t_s for s in seen.flying])
    gap = float(np.median(np.diff(times)))
    x = _held_pose(seen, scope, disc, settings)
    held = None
    if seen.held is not None:
        held = Held(seen.held.t_s, x[PLACE].copy(), spin.normals(x, np.array(0.0)))
    airborne, start = _fall(seen, x, scope, settings)
    times, reaches = times[:airborne], np.stack([s.reach_px for s in seen.flying[:airborne]])
    fits = _turns(start, times, reaches, scope, disc, settings)
    best = fits[0].x
    off = np.abs(spin.predicted(best, times, scope, disc) - reaches)
    contact = _contact(best, times, gap, disc, settings)
    moment = best[FLICK] + contact
    landed = next((s.index for s in seen.flying if s.t_s >= moment), seen.flying[airborne - 1].index)
    place = spin.centres(best, np.array(contact))
    understood = float(np.median(off)) <= settings.worst_edge_px
    count, flip = _verdict(fits, times, gap, disc, settings) if understood else (None, Verdict.UNSURE)
    return Flown(
        seen.flying[0].index,
        landed,
        float(best[FLICK]),
        count,
        flip,
        (float(place[0]), float(place[1])) if understood else None,
        frame_settled,
        held,
    )


@dataclass(frozen=True, eq=False)
class _Fit:
    cost: float
    x: Array
    rate_sigma: float


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
    return _refine(x, before, seen.held.reach_px[None], scope, disc, spread, free, settings).x


def _fall(seen: Outlines, held: Array, scope: Scope, settings: Settings) -> tuple[int, Array]:
    """How many of the flying pictures come before the first contact, and the parabola through them.

    For every possible number a parabola is fitted that begins near the hand and ends near the table;
    pictures that it leaves out cost as much as badly fitting ones, so the change shows.
    """
    tau = np.array([s.t_s for s in seen.flying]) - held[FLICK]
    gap = float(np.median(np.diff(tau)))
    rays = scope.rays(np.stack([s.centre_px for s in seen.flying]))
    eye = scope.view.eye_mm
    across = np.eye(3) - rays[:, :, None] * rays[:, None, :]
    rows = np.concatenate([across, across * tau[:, None, None]], axis=2) / 2.0  # 2 mm
    goals = np.einsum("nij,nj->ni", across, eye - 0.5 * spin.GRAVITY_MM_S2 * tau[:, None] ** 2) / 2.0
    sight = (held[PLACE] - eye) / np.linalg.norm(held[PLACE] - eye)
    along = np.outer(sight, sight)
    near_hand = (np.eye(3) - along) / 20.0 + along / 40.0  # mm: the hand may still push at first
    best: tuple[float, int, Array] | None = None
    for count in range(min(4, len(tau)), len(tau) + 1):
        end = tau[count - 1] + 0.5 * gap
        down = np.array([0, 0, 1, 0, 0, end]) / 25.0
        anchors = np.vstack([np.hstack([near_hand, 0 * near_hand]), down])
        aims = np.append(near_hand @ held[PLACE], (20.0 + 0.5 * 9810.0 * end**2) / 25.0)
        for skipped in (0, min(3, count - 4)) if count > 4 else (0,):
            weight = np.ones(count)
            weight[:skipped] = 0.0
            for _ in range(8):
                w = weight[:, None, None]
                a = np.vstack([(rows[:count] * w).reshape(-1, 6), anchors])
                b = np.concatenate([(goals[:count] * w[:, 0]).reshape(-1), aims])
                path = np.linalg.lstsq(a, b, rcond=None)[0]
                off = np.linalg.norm(rows[:count] @ path - goals[:count], axis=1)
                weight = 1 / (1 + (off / 2) ** 2)
            left_out = 12.0 * (len(tau) - count)
            cost = float(np.minimum(off**2, 9).sum() + ((anchors @ path - aims) ** 2).sum() + left_out)
            if best is None or cost < best[0]:
                best = cost, count, path
    assert best is not None
    x = held.copy()
    x[PLACE], x[SPEED] = best[2][:3], best[2][3:]
    return best[1], x


def _turns(
    start: Array, times: Array, reaches: Array, scope: Scope, disc: Disc, settings: Settings
) -> list[_Fit]:
    """Fits of the whole throw from the likeliest turns, best first."""
    cost, candidates = _survey(start, times, reaches, scope, disc, settings)
    picked: list[Array] = []
    for i in np.argsort(cost):
        x = candidates[i]
        if all(_apart(x, other, times) for other in picked):
            picked.append(x)
        if len(picked) == 4:
            break
    gap = float(np.median(np.diff(times)))
    spread = np.array([20, 20, 40, 300, 300, 300, 0.2, 0.2, 3.0, 0.3, 100.0, 0.3 * gap, 0.3])
    fits = [_refine(x, times, reaches, scope, disc, spread, np.arange(SIZE), settings) for x in picked]
    return sorted(fits, key=lambda f: f.cost)


def _survey(
    start: Array, times: Array, reaches: Array, scope: Scope, disc: Disc, settings: Settings
) -> tuple[Array, Array]:
    """Cost of turns of every axis and rate about the fitted parabola: (H,), (H, SIZE)."""
    tau = spin.moments(start, times, 3)
    centre, slope = scope.project(spin.centres(start, tau))
    whole = times[-1] - start[FLICK]
    rates = np.arange(0, settings.most_half_turns + 0.05, 0.1) * np.pi / whole
    costs, candidates = [], []
    first = np.array([start[6], start[7], 1.0])
    first /= np.linalg.norm(first)
    for rise in (-0.4, 0.0, 0.4):
        for bearing in np.arange(24) * (2 * np.pi / 24):
            x = start.copy()
            x[AXIS] = bearing, rise
            normal = spin.turned(spin.axis(x), rates[:, None, None] * tau, first)
            off = (spin.reach(centre, slope, normal, disc) - reaches) / settings.edge_sigma_px
            costs.append(np.minimum(off**2, settings.outlier_sigmas**2).sum(axis=(1, 2)))
            some = np.tile(x, (len(rates), 1))
            some[:, RATE] = rates
            candidates.append(some)
    return np.concatenate(costs), np.concatenate(candidates)


def _apart(x: Array, other: Array, times: Array) -> bool:
    whole = times[-1] - x[FLICK]
    turn = abs(spin.half_turns(x, whole) - spin.half_turns(other, whole))
    swing = abs(np.angle(np.exp(1j * (x[8] - other[8]))))
    return bool(turn > 0.35 or (swing > 0.8 and max(x[RATE], other[RATE]) * whole > 0.3))


STEPS = np.array([0.5, 0.5, 0.5, 5, 5, 5, 0.01, 0.01, 0.02, 0.02, 0.1, 0.001, 0.02])
"""Steps of the numerical slopes, in the units of the numbers."""


def _refine(
    x: Array,
    times: Array,
    reaches: Array,
    scope: Scope,
    disc: Disc,
    spread: Array,
    free: NDArray[np.intp],
    settings: Settings,
) -> _Fit:
    """Levenberg-Marquardt with Cauchy's weights, held near `x` and the expected lean by `spread`."""
    unit = settings.edge_sigma_px * np.sqrt(len(silhouette.TURNS) / settings.directions_that_count)
    bend = settings.outlier_sigmas * settings.edge_sigma_px / unit
    prior = x.copy()
    hold = 1 / spread**2

    def residual(y: Array) -> Array:
        return np.asarray((spin.predicted(y, times, scope, disc) - reaches).reshape(-1) / unit)

    def cost(y: Array, r: Array) -> float:
        misfit = bend**2 * np.log1p((r / bend) ** 2).sum()
        return float(misfit + (hold * (y - prior) ** 2).sum())

    r = residual(x)
    value, damping = cost(x, r), 1e-2
    normal = np.eye(len(free))
    for _ in range(8):
        slopes = []
        for k in free:
            y = x.copy()
            y[k] += STEPS[k]
            slopes.append((residual(y) - r) / STEPS[k])
        j = np.stack(slopes, axis=1)
        w = 1 / (1 + (r / bend) ** 2)
        normal = j.T @ (w[:, None] * j) + np.diag(hold[free])
        gradient = j.T @ (w * r) + hold[free] * (x - prior)[free]
        before = value
        for _ in range(4):
            y = x.copy()
            y[free] -= np.linalg.solve(normal + damping * np.diag(np.diag(normal)), gradient)
            y[SHUTTER] = np.clip(y[SHUTTER], 0, 1)
            r_new = residual(y)
            if (value_new := cost(y, r_new)) < value:
                x, r, value, damping = y, r_new, value_new, damping * 0.3
                break
            damping *= 5
        if before - value < 0.01 * before:
            break
    rate_sigma = 0.0
    if RATE in free:
        at = int(np.flatnonzero(free == RATE)[0])
        rate_sigma = float(np.sqrt(np.linalg.pinv(normal)[at, at]))
    return _Fit(value, x, rate_sigma)


def _contact(x: Array, times: Array, gap: float, disc: Disc, settings: Settings) -> float:
    """Seconds from the flick to the first contact: the lowest point comes down to the table."""
    last = float(times[-1] - x[FLICK])
    tau = np.linspace(0.3 * last, last + 1.5 * gap, 200)
    low = spin.lowest(x, tau, disc) < settings.contact_mm
    return float(tau[int(np.argmax(low))] if low.any() else tau[-1])


def _verdict(
    fits: list[_Fit], times: Array, gap: float, disc: Disc, settings: Settings
) -> tuple[Measure, Verdict]:
    """The half turns, and whether they make a flip, weighing all fits by how well they fit."""
    misfit = max(1.0, fits[0].cost / (settings.directions_that_count * len(times)))
    weights = np.exp(-0.5 * np.array([f.cost - fits[0].cost for f in fits]) / misfit)
    weights /= weights.sum()
    values, sigmas = [], []
    for fit in fits:
        until = _contact(fit.x, times, gap, disc, settings)
        turns = float(spin.half_turns(fit.x, until))
        moment = settings.contact_frames * gap / until
        rate = sqrt(misfit) * fit.rate_sigma / max(abs(fit.x[RATE]), 1e-6)
        values.append(turns)
        sigmas.append(sqrt((turns * moment) ** 2 + (turns * rate) ** 2 + 0.05**2))
    mean = float(np.dot(weights, values))
    variance = float(np.dot(weights, np.square(sigmas) + np.square(np.array(values) - mean)))
    above = sum(
        w * 0.5 * (1 + erf((v - settings.flipped_from) / (s * sqrt(2))))
        for w, v, s in zip(weights, values, sigmas, strict=True)
    )
    flip = Verdict.UNSURE
    if above >= settings.sure:
        flip = Verdict.YES
    elif above <= 1 - settings.sure:
        flip = Verdict.NO
    return Measure(mean, sqrt(variance)), flip

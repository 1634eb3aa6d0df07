"""Which turn explains the silhouettes of a flight: a survey of all, then fits of the likeliest."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from referee.vision.throw import spin
from referee.vision.throw.silhouette import TURNS
from referee.vision.throw.spin import AXIS, FLICK, RATE, SHUTTER, SIZE, Disc, Scope

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    edge_sigma_px: float = 1.5
    """Of a silhouette's reach, in the half picture: blur, missing parts and shadows."""
    directions_that_count: float = 5.0
    """The sixteen reaches of one silhouette tell no more than so many independent ones."""
    outlier_sigmas: float = 4.0
    most_half_turns: float = 5.0
    left_out: float = 25.0
    """What a picture costs that is taken to come after the first contact, in squared sigmas."""
    tried: int = 2
    """So many of the likeliest turns are fitted."""


@dataclass(frozen=True, eq=False)
class Fit:
    cost: float
    """Sum of squared sigmas, outliers softened; one independent reach counts 1."""
    x: Array
    pictures: int
    last_s: float
    """Time of the last picture fitted."""
    total: float
    """With what the pictures cost that were left out."""
    rate_sigma: float
    """Of the rate of turning, rad/s, when the model holds."""


def turns(
    start: Array,
    times: Array,
    reaches: Array,
    left_out: int,
    scope: Scope,
    disc: Disc,
    settings: Settings,
) -> list[Fit]:
    """Fits of the whole throw from the likeliest turns, best first.

    start: the throw's parabola and lean, no turn yet; times (T,) s; reaches (T, 16) half pixels; left_out:
    how many more pictures the parabola takes to come after the first contact.
    """
    cost, candidates = _survey(start, times, reaches, scope, disc, settings)
    picked: list[Array] = []
    for i in np.argsort(cost):
        x = candidates[i]
        if all(_apart(x, other, times) for other in picked):
            picked.append(x)
        if len(picked) == settings.tried:
            break
    gap = float(np.median(np.diff(times)))
    spread = np.array([20, 20, 40, 300, 300, 300, 0.2, 0.2, 3.0, 0.3, 100.0, 0.3 * gap, 0.3])
    extra = settings.left_out * left_out
    fits = [refine(x, times, reaches, scope, disc, spread, np.arange(SIZE), settings) for x in picked]
    return sorted((replace(f, total=f.cost + extra) for f in fits), key=lambda f: f.cost)


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


def refine(
    x: Array,
    times: Array,
    reaches: Array,
    scope: Scope,
    disc: Disc,
    spread: Array,
    free: NDArray[np.intp],
    settings: Settings,
) -> Fit:
    """Levenberg-Marquardt with Cauchy's weights, held near `x` and the expected lean by `spread`."""
    unit = settings.edge_sigma_px * np.sqrt(len(TURNS) / settings.directions_that_count)
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
    return Fit(value, x, len(times), float(times[-1]), value, rate_sigma)

"""The parabola of a thrown disc, and where in its pictures the flight ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.vision.throw import spin
from referee.vision.throw.ground import Ground
from referee.vision.throw.silhouette import Outlines
from referee.vision.throw.spin import FLICK, PLACE, SPEED, Scope

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    centre_sigma_mm: float = 2.0
    """Of a silhouette's centre, across the line of sight."""
    hand_sigma_mm: tuple[float, float] = (20.0, 40.0)
    """Of where the flight begins, across and along the line of sight: at first the hand may still push."""
    down_mm: tuple[float, float] = (20.0, 25.0)
    """Height of the centre over the ground at first contact, and its sigma."""
    worst: float = 16.0
    """A picture costs no more squared sigmas than this, however badly it fits."""
    left_out: float = 8.0
    """What a picture costs that is taken to come after the first contact."""


@dataclass(frozen=True, eq=False)
class Fall:
    cost: float
    airborne: int
    """So many of the pictures come before the first contact."""
    x: Array
    """The throw: its parabola, no turn yet."""


def falls(seen: Outlines, held: Array, scope: Scope, ground: Ground, settings: Settings) -> list[Fall]:
    """A parabola for each possible number of airborne pictures, the likeliest first.

    held: the throw as it lies on the hand. Parabolas begin near there and end near the table; in (p, v) the
    condition that p + v t + g t^2 / 2 lies on the line of sight is linear, so each is a weighted least
    squares problem, its weights found again a few times. It is tried with and without the first pictures.
    """
    tau = np.array([s.t_s for s in seen.flying]) - held[FLICK]
    gap = float(np.median(np.diff(tau)))
    drop = 0.5 * spin.GRAVITY_MM_S2
    rays = scope.rays(np.stack([s.centre_px for s in seen.flying]))
    eye = scope.view.eye_mm
    across = np.eye(3) - rays[:, :, None] * rays[:, None, :]
    rows = np.concatenate([across, across * tau[:, None, None]], axis=2) / settings.centre_sigma_mm
    goals = np.einsum("nij,nj->ni", across, eye - drop * tau[:, None] ** 2) / settings.centre_sigma_mm
    sight = (held[PLACE] - eye) / np.linalg.norm(held[PLACE] - eye)
    along = np.outer(sight, sight)
    side, deep = settings.hand_sigma_mm
    near_hand = (np.eye(3) - along) / side + along / deep
    height, sigma = settings.down_mm
    found = []
    for count in range(min(4, len(tau)), len(tau) + 1):
        end = tau[count - 1] + 0.5 * gap
        down = np.array([0, 0, 1, 0, 0, end]) / sigma
        anchors = np.vstack([np.hstack([near_hand, 0 * near_hand]), down])
        tries = []
        for base in {0.0, _under(eye, rays[count - 1], ground, height)}:
            aims = np.append(near_hand @ held[PLACE], (base + height - drop[2] * end**2) / sigma)
            for skipped in {0, min(3, count - 4) if count > 4 else 0}:
                off, path = _path(rows[:count], goals[:count], anchors, aims, skipped)
                misfit = float(np.minimum(off**2, settings.worst).sum())
                tries.append((misfit + float(((anchors @ path - aims) ** 2).sum()), path))
        cost, path = min(tries, key=lambda t: t[0])
        x = held.copy()
        x[PLACE], x[SPEED] = path[:3], path[3:]
        found.append(Fall(cost + settings.left_out * (len(tau) - count), count, x))
    return sorted(found, key=lambda f: f.cost)


def _under(eye: Array, ray: Array, ground: Ground, height: float) -> float:
    """Height of the ground that a disc seen along `ray` may be coming down on, other than the table."""
    top = ground.top_mm + height
    return ground.height_mm((eye + ray * (top - eye[2]) / ray[2])[:2])


def _path(rows: Array, goals: Array, anchors: Array, aims: Array, skipped: int) -> tuple[Array, Array]:
    """Start and speed (6,) of a robust parabola, and how far off (n,) each picture is, in sigmas."""
    weight = np.ones(len(rows))
    weight[:skipped] = 0.0
    off, path = weight, np.zeros(6)
    for _ in range(8):
        a = np.vstack([(rows * weight[:, None, None]).reshape(-1, 6), anchors])
        b = np.concatenate([(goals * weight[:, None]).reshape(-1), aims])
        path = np.linalg.lstsq(a, b, rcond=None)[0]
        off = np.linalg.norm(rows @ path - goals, axis=1)
        weight = 1 / (1 + (off / 2) ** 2)
    return off, path

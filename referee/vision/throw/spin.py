"""A thrown disc in space: a falling centre and an even turn, and the silhouettes that they would show.

A disc that nothing touches falls on a parabola, and its normal turns evenly about the fixed axis of its
angular momentum (a symmetric top without torque). Its silhouette reaches, in the picture's direction u,
    c.u + R sqrt(|q|^2 - (q.n)^2) + t/2 |q.n|,   q = J^T u
with c the projected centre, J the projection's slope there, n the normal, R radius and t thickness; the
silhouette of a whole exposure reaches as far as its furthest moment.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.vision.table.pose import TableView
from referee.vision.throw.silhouette import DIRECTIONS

Array = NDArray[np.float64]

GRAVITY_MM_S2: Array = np.array([0.0, 0.0, -9810.0])
SIZE = 13
"""Numbers that describe a throw, in the order of `Motion`'s fields."""
PLACE, SPEED, LEAN, AXIS, RATE, FLICK, SHUTTER = (
    slice(0, 3),
    slice(3, 6),
    slice(6, 8),
    slice(8, 10),
    10,
    11,
    12,
)


@dataclass(frozen=True)
class Disc:
    radius_mm: float
    thickness_mm: float


@dataclass(frozen=True, eq=False)
class Scope:
    """How the half picture sees the table."""

    view: TableView
    scale: float
    """Full pixels per half pixel."""

    def project(self, points_mm: Array) -> tuple[Array, Array]:
        """(..., 3) points to (..., 2) half pixels and (..., 2, 3) their slopes, px per mm."""
        flat = points_mm.reshape(-1, 3)
        shifted = np.concatenate([flat, *(flat + step for step in np.eye(3))])
        px = ((self.view.to_px(shifted) + 0.5) / self.scale - 0.5).reshape(4, -1, 2)
        slope = np.stack([px[i + 1] - px[0] for i in range(3)], axis=-1)
        lead = points_mm.shape[:-1]
        return px[0].reshape(*lead, 2), slope.reshape(*lead, 2, 3)

    def width_px(self, disc: Disc) -> float:
        """How wide a disc lying in the middle of the table looks, in half pixels."""
        ends = np.array([[-disc.radius_mm, 0.0, 0.0], [disc.radius_mm, 0.0, 0.0]])
        left, right = self.view.to_px(ends)
        return float(np.hypot(*(right - left)) / self.scale)

    def on_table(self, half_px: Array) -> Array:
        """(N, 2) half pixels to (N, 2) places on the table."""
        return self.view.to_mm((half_px + 0.5) * self.scale - 0.5)

    def rays(self, half_px: Array) -> Array:
        """(N, 2) half pixels to (N, 3) unit directions in the table frame."""
        full = (half_px + 0.5) * self.scale - 0.5
        rays = self.view.camera.rays(full) @ self.view.rotation
        return np.asarray(rays / np.linalg.norm(rays, axis=1, keepdims=True))


def normals(x: Array, tau: Array) -> Array:
    """(..., 3) normals of the disc at times `tau` after the flick."""
    first = np.array([x[6], x[7], 1.0])
    return turned(axis(x), x[RATE] * tau, first / np.linalg.norm(first))


def axis(x: Array) -> Array:
    """(3,) unit axis about which the normal turns: x[8] its bearing, x[9] its rise over the table."""
    return np.array([np.cos(x[8]) * np.cos(x[9]), np.sin(x[8]) * np.cos(x[9]), np.sin(x[9])])


def turned(about: Array, angle: Array, vector: Array) -> Array:
    """`vector` turned about the unit vector `about`: (...) angles to (..., 3). Rodrigues' formula."""
    c, s = np.cos(angle)[..., None], np.sin(angle)[..., None]
    return np.asarray(vector * c + np.cross(about, vector) * s + about * (about @ vector) * (1 - c))


def centres(x: Array, tau: Array) -> Array:
    """(..., 3) centres at times `tau` after the flick."""
    t = tau[..., None]
    return np.asarray(x[PLACE] + x[SPEED] * t + 0.5 * GRAVITY_MM_S2 * t * t)


def moments(x: Array, times_s: Array, exposures: int) -> Array:
    """(T, S) times after the flick, spread over the exposure of each picture; held still before."""
    gap = float(np.median(np.diff(times_s))) if len(times_s) > 1 else 0.0
    spread = np.linspace(-0.5, 0.5, exposures) * x[SHUTTER] * gap
    return np.asarray(np.maximum(times_s[:, None] - x[FLICK] + spread, 0.0))


def reach(centre: Array, slope: Array, normal: Array, disc: Disc) -> Array:
    """(..., T, 16) support distances of silhouettes.

    centre (T, S, 2), slope (T, S, 2, 3), normal (..., T, S, 3).
    """
    along = centre @ DIRECTIONS
    q = np.einsum("tsik,id->tsdk", slope, DIRECTIONS)
    across = sum(q[..., k] * normal[..., None, k] for k in range(3))
    flat = np.sqrt(np.maximum((q * q).sum(axis=-1) - across * across, 0.0))
    result = along + disc.radius_mm * flat + disc.thickness_mm / 2 * np.abs(across)
    return np.asarray(result.max(axis=-2))


def predicted(x: Array, times_s: Array, scope: Scope, disc: Disc, exposures: int = 3) -> Array:
    """(T, 16) support distances that a throw would show."""
    tau = moments(x, times_s, exposures)
    centre, slope = scope.project(centres(x, tau))
    return reach(centre, slope, normals(x, tau), disc)


def half_turns(x: Array, tau: Array | float) -> Array:
    """How far the normal has turned by `tau`, along its way, in half turns."""
    first = np.array([x[6], x[7], 1.0])
    slant = np.linalg.norm(np.cross(axis(x), first / np.linalg.norm(first)))
    return np.asarray(np.abs(x[RATE]) * tau * slant / np.pi)


def lowest(x: Array, tau: Array, disc: Disc) -> Array:
    """Height of the lowest point of the rim at times `tau`."""
    z = normals(x, tau)[..., 2]
    return np.asarray(centres(x, tau)[..., 2] - disc.radius_mm * np.sqrt(np.clip(1 - z * z, 0, 1)))

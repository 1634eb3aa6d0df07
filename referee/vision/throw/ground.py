"""What a flying disc comes down on: the table and the coasters on it, and the box with its rim or lid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.facts import Box
from referee.vision.throw import spin
from referee.vision.throw.spin import Disc

Array = NDArray[np.float64]

_TURN = np.linspace(0, 2 * np.pi, 48, endpoint=False)
_SIDE = np.linspace(-1, 1, 13)


@dataclass(frozen=True)
class Ground:
    box: Box | None = None
    table_mm: float = 4.0
    """Height of a disc's lowest point when it meets the table, or a coaster or two on it."""

    def touched(self, x: Array, tau: Array, disc: Disc) -> NDArray[np.bool_]:
        """(T,) whether a throw has come down to something at times `tau` after the flick."""
        low = np.asarray(spin.lowest(x, tau, disc))
        down = low < self.table_mm
        if self.box is not None:
            down |= (low < self.box.height_mm) & self._on_box(self.box, x, tau, disc)
        return down

    @property
    def top_mm(self) -> float:
        """Height of the highest place."""
        return 0.0 if self.box is None else self.box.height_mm

    def height_mm(self, place_mm: Array) -> float:
        """Of what lies under a place (x, y) on which a disc can come to rest."""
        on_lid = self.box is not None and self.box.lid and bool(_inside(self.box, place_mm))
        return self.box.height_mm if self.box is not None and on_lid else 0.0

    def _on_box(self, box: Box, x: Array, tau: Array, disc: Disc) -> NDArray[np.bool_]:
        """(T,) whether the disc meets the lid with its rim, or the box's upper edges with its face."""
        centre, normal = spin.centres(x, tau), spin.normals(x, tau)
        touched = np.zeros(len(tau), bool)
        if box.lid:
            rim = centre[:, None] + disc.radius_mm * _rims(normal)
            touched |= ((rim[..., 2] < box.height_mm) & _inside(box, rim[..., :2])).any(axis=1)
        edge = np.concatenate([np.stack(np.broadcast_arrays(_SIDE, s), -1) for s in (-1.0, 1.0)])
        edge = np.concatenate([edge, edge[:, ::-1]]) * box.outer_mm / 2
        a = np.radians(box.yaw_deg)
        edge = edge @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + [box.x_mm, box.y_mm]
        off = edge - centre[:, None, :2]
        rise = -np.sign(normal[:, 2:]) / np.maximum(np.abs(normal[:, 2:]), 0.05)
        above = (off * normal[:, None, :2]).sum(axis=-1) * rise
        under = (off**2).sum(axis=-1) + above**2 < disc.radius_mm**2
        face = centre[:, 2:] + above - disc.thickness_mm / 2
        return np.asarray(touched | (under & (face < box.height_mm)).any(axis=1))


def _inside(box: Box, places_mm: Array) -> NDArray[np.bool_]:
    """(...,) whether places (..., 2) lie within the box's outline."""
    a = np.radians(box.yaw_deg)
    off = places_mm - np.array([box.x_mm, box.y_mm])
    along = off @ np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    return np.asarray((np.abs(along) < box.outer_mm / 2).all(axis=-1))


def _rims(normal: Array) -> Array:
    """(T, 48, 3) unit vectors around each normal (T, 3)."""
    side = np.cross(normal, np.where(np.abs(normal[:, :1]) < 0.9, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    other = np.cross(normal, side)
    c, s = np.cos(_TURN)[:, None], np.sin(_TURN)[:, None]
    return np.asarray(side[:, None] * c + other[:, None] * s)

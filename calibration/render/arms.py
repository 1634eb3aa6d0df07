"""An arm with a fist to flick from, and one whose hand takes coasters away, built of round-ended rods."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.render.scene import Limb, Rgb
from calibration.render.view import Array

FIST_TOP_MM = 78.0
"""Height of a coaster's middle when it lies on the fist."""
_UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Player:
    """Somebody at the table: from which side the arm comes (degrees, where the elbow is), and its colours."""

    name: str
    animal: str
    side_deg: float
    fist_mm: tuple[float, float]
    sleeve: Rgb
    skin: Rgb

    @property
    def ahead(self) -> Array:
        """Level, from the elbow to the hand."""
        a = np.radians(self.side_deg)
        return np.array([-np.cos(a), -np.sin(a), 0.0])


def fist(player: Player, at_mm: Array, flicked: float) -> tuple[Limb, ...]:
    """The fist with its middle over `at_mm` (x, y, 0); `flicked` is how far the thumb is up, 0 to 1."""
    d, s = player.ahead, np.cross(_UP, player.ahead)

    def point(forward: float, left: float, up: float) -> Array:
        return np.asarray(at_mm + forward * d + left * s + up * _UP)

    def skin(a: Array, b: Array, radius: float, shade: float = 1.0) -> Limb:
        r, g, b_ = player.skin
        return Limb(a, b, radius, (r * shade, g * shade, b_ * shade))

    fingers = [
        skin(point(16, -25 + 16.5 * k, 46 - abs(k - 1.4) * 3), point(27, -25 + 16.5 * k, 25), 10.0, 0.97)
        for k in range(4)
    ]
    return (
        Limb(point(-92, 0, 46), point(-560, 0, 96), 39.0, player.sleeve),
        skin(point(-100, 0, 44), point(-30, 0, 42), 25.0, 0.95),
        skin(point(-14, -16, 38), point(-14, 16, 38), 31.0),
        *fingers,
        skin(point(-22, 30, 52), point(8 + 6 * flicked, 12 + 4 * flicked, 60 + 26 * flicked), 9.5, 1.03),
    )


def open_hand(player: Player, at_mm: Array) -> tuple[Limb, ...]:
    """A hand whose finger tips hold something at `at_mm`, the thumb under it, the others over it."""
    d, s = player.ahead, np.cross(_UP, player.ahead)

    def point(forward: float, left: float, up: float) -> Array:
        return np.asarray(at_mm + forward * d + left * s + up * _UP)

    fingers = [
        Limb(point(-62, -24 + 16 * k, 26), point(-4 - 5 * abs(k - 1.5), -21 + 14 * k, 13), 8.5, player.skin)
        for k in range(4)
    ]
    r, g, b = player.skin
    return (
        Limb(point(-165, 0, 62), point(-600, 0, 190), 38.0, player.sleeve),
        Limb(point(-178, 0, 60), point(-110, 0, 38), 24.0, (r * 0.95, g * 0.95, b * 0.95)),
        Limb(point(-92, -20, 31), point(-92, 20, 31), 25.0, player.skin),
        Limb(point(-78, 34, 24), point(-34, 36, 12), 9.5, (r * 1.03, g * 1.03, b * 1.03)),
        *fingers,
    )

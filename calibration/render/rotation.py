"""Rotations of a coaster: columns are its picture's x and y axes and the normal of its front."""

from __future__ import annotations

import numpy as np

from calibration.render.view import Array


def levelled(rotation: Array) -> Array:
    """The same face up and the same heading, lying level."""
    side = 1.0 if rotation[2, 2] >= 0 else -1.0
    x = np.array([rotation[0, 0], rotation[1, 0], 0.0])
    x /= np.linalg.norm(x)
    normal = np.array([0.0, 0.0, side])
    return np.stack([x, np.cross(normal, x), normal], axis=1)


def about(axis: Array, angle_deg: float) -> Array:
    """Rotation about a unit axis (Rodrigues)."""
    a = np.radians(angle_deg)
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.asarray(np.eye(3) + np.sin(a) * k + (1 - np.cos(a)) * (k @ k))


def axis_angle(rotation: Array) -> tuple[Array, float]:
    """The unit axis and the degrees of a rotation."""
    angle = float(np.arccos(np.clip((np.trace(rotation) - 1) / 2, -1, 1)))
    if angle < 1e-9:
        return np.array([0.0, 0.0, 1.0]), 0.0
    v = np.array(
        [rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]]
    )
    return v / (2 * np.sin(angle)), float(np.degrees(angle))

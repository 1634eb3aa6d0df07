"""How high a disc lies: lowered, as it is tilted, until it touches the table or what lies under it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from referee.vision.discs.disc import Pose

Array = NDArray[np.float64]


def table_height(normal: Array, radius_mm: float, thickness_mm: float) -> float:
    """Height of the seen face's middle when the disc's lowest point touches the table."""
    sine = float(np.hypot(normal[0], normal[1]))
    return radius_mm * sine + thickness_mm * float(normal[2])


def lowest_point(pose: Pose, radius_mm: float) -> Array:
    """(2,) where a disc that leans touches the table, in plan."""
    x, y = pose.normal[:2]
    sine = float(np.hypot(x, y))
    downhill = np.array([x, y]) / sine if sine > 1e-9 else np.zeros(2)
    return np.asarray(pose.centre_mm[:2] + radius_mm * downhill)


def height_over(
    upper: Pose, lower: Pose, radius_mm: float, thickness_mm: float
) -> tuple[float, Array] | None:
    """Height of the upper's seen face at which its underside just touches the lower's face, and (2,) where.

    None when they don't overlap in plan. Both faces are planes, so the touch is on the border of the plan
    overlap; the discs' tilts are small enough for their plans to count as circles.
    """
    border = lens(upper.centre_mm[:2], lower.centre_mm[:2], radius_mm)
    if border is None:
        return None
    n, m = upper.normal, lower.normal
    face = lower.centre_mm[2] - ((border - lower.centre_mm[:2]) @ m[:2]) / m[2]
    drop = ((border - upper.centre_mm[:2]) @ n[:2]) / n[2] + thickness_mm / n[2]
    touch = int(np.argmax(face + drop))
    return float((face + drop)[touch]), np.asarray(border[touch])


def lens(a: Array, b: Array, radius_mm: float, count: int = 24) -> Array | None:
    """(2 count, 2) points on the border of two equal circles' overlap, None when they don't overlap."""
    between = b - a
    distance = float(np.hypot(*between))
    if distance >= 2 * radius_mm:
        return None
    half = np.arccos(distance / (2 * radius_mm))
    heading = np.arctan2(between[1], between[0])
    t = np.linspace(-half, half, count)
    arc_a = a + radius_mm * np.column_stack((np.cos(heading + t), np.sin(heading + t)))
    arc_b = b - radius_mm * np.column_stack((np.cos(heading + t), np.sin(heading + t)))
    return np.concatenate((arc_a, arc_b))


def lens_area(distance_mm: float, radius_mm: float) -> float:
    """Area common to two equal circles."""
    if distance_mm >= 2 * radius_mm:
        return 0.0
    half = np.arccos(distance_mm / (2 * radius_mm))
    return float(2 * radius_mm**2 * half - distance_mm * np.sqrt(radius_mm**2 - distance_mm**2 / 4))

"""How high a disc lies: lowered, as it is tilted, until it touches the table or what lies under it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.vision.discs.disc import Pose

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Touch:
    """A disc lowered, leaning as it does, until it just touches something."""

    height_mm: float
    """Of the middle of its seen face."""
    at_mm: Array
    """(2,) where it touches, in plan."""
    sigma_mm: float = 0.0
    """How well the height of what it touches is known there."""


def on_level(pose: Pose, z_mm: float, radius_mm: float, thickness_mm: float, sigma_mm: float = 0.0) -> Touch:
    """A disc on level ground that reaches further than the disc does."""
    height = z_mm + table_height(pose.normal, radius_mm, thickness_mm)
    return Touch(height, lowest_point(pose, radius_mm), sigma_mm)


def on_face(pose: Pose, lower: Pose, radius_mm: float, thickness_mm: float, sigma_mm: float = 0.0) -> Touch:
    """A steep disc whose foot stands on the face of a lower one."""
    return on_level(
        pose, face_height(lower, lowest_point(pose, radius_mm)), radius_mm, thickness_mm, sigma_mm
    )


def face_height(pose: Pose, at_mm: Array) -> float:
    """Of a face's plane over a place (2,) in plan."""
    return float(
        pose.centre_mm[2] - (at_mm - pose.centre_mm[:2]) @ pose.normal[:2] / max(pose.normal[2], 0.2)
    )


def on_points(pose: Pose, at_mm: Array, z_mm: float, thickness_mm: float, sigma_mm: float = 0.0) -> Touch:
    """A disc on points of that height; at_mm: (N, 2), all of them under the disc."""
    n = pose.normal
    drop = ((at_mm - pose.centre_mm[:2]) @ n[:2]) / n[2] + thickness_mm / n[2]
    touch = int(np.argmax(drop))
    return Touch(z_mm + float(drop[touch]), at_mm[touch], sigma_mm)


def table_height(normal: Array, radius_mm: float, thickness_mm: float) -> float:
    """Height of the seen face's middle when the disc's lowest point touches the table."""
    sine = float(np.hypot(normal[0], normal[1]))
    return radius_mm * sine + thickness_mm * float(normal[2])


def lowest_point(pose: Pose, radius_mm: float) -> Array:
    """(2,) where a disc that leans touches the table, in plan."""
    x, y, z = pose.normal
    sine = float(np.hypot(x, y))
    downhill = np.array([x, y]) / sine if sine > 1e-9 else np.zeros(2)
    return np.asarray(pose.centre_mm[:2] + radius_mm * float(z) * downhill)


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

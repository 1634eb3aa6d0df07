"""What shows under a disc's near rim: the table, or what may be the wall of another disc that bears it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.vision.discs.disc import Pose
from referee.vision.discs.picture import Picture

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Settings:
    crowded_mm: float = 12.0
    """Where another disc overlaps this one by more, a hidden one may lie under both, off the near rim."""
    directions: int = 48
    """Of the whole rim; those that face the camera are looked along."""
    facing: float = 0.5
    """Least cosine between a direction and the one to the camera."""
    least_px: float = 1.2
    """A wall that is seen thinner is blurred with what lies around it."""
    plain: float = 0.1
    """Least difference of colour between wall and table (1 = white): less is shading and noise."""
    alike: float = 0.5
    """What shows below the wall is the table if it is so much less unlike the table than the wall is."""
    most: float = 3.0
    """The most that this may say (log odds): a disc may be hidden a little further back."""


def alone(i: int, poses: Sequence[Pose], radius_mm: float, s: Settings) -> bool:
    """Whether a disc hidden under disc i could only lie just under it."""
    away = [float(np.hypot(*(p.centre_mm - poses[i].centre_mm)[:2])) for k, p in enumerate(poses) if k != i]
    return min(away, default=np.inf) > 2 * radius_mm - s.crowded_mm


def bare(
    picture: Picture, pose: Pose, free: Mask, radius_mm: float, thickness_mm: float, s: Settings
) -> float:
    """Log odds, 0 or more, that no other disc lies hidden under this one.

    pose: level, on the table; free: (H, W) pixels that no other disc claims. Just below the wall of a disc
    that lies on the table comes the table; below that of one that lies on another, the other's wall.
    """
    eye = picture.view.eye_mm
    sight = pose.centre_mm - eye
    slant = float(np.hypot(*sight[:2])) / float(np.linalg.norm(sight))
    px_per_mm = picture.view.camera.matrix[0, 0] / float(np.linalg.norm(sight))
    if thickness_mm * slant * px_per_mm < s.least_px:
        return 0.0
    turn = 2 * np.pi * np.arange(s.directions) / s.directions
    out = np.column_stack((np.cos(turn), np.sin(turn)))
    out = out[-(out @ sight[:2]) / np.hypot(*sight[:2]) > s.facing]
    rim = np.column_stack((pose.centre_mm[:2] + radius_mm * out, np.full(len(out), pose.centre_mm[2])))
    colours, shown = [], np.ones(len(out), bool)
    height, width = free.shape
    for below in (0.5, 1.5, 2.75):
        px = picture.view.to_px(rim - [0, 0, below * thickness_mm])
        column, row = np.rint(px).astype(int).T
        inside = (column >= 1) & (column < width - 1) & (row >= 1) & (row < height - 1)
        column, row = np.clip(column, 1, width - 2), np.clip(row, 1, height - 2)
        shown &= inside & free[row, column]
        colours.append(picture.bgr[row, column].astype(np.float32) / picture.white)
    if np.count_nonzero(shown) < len(out) // 2:
        return 0.0
    wall, next_, table = colours
    plain = np.abs(wall - table).max(axis=1)[shown]
    other = np.abs(next_ - table).max(axis=1)[shown]
    told = (plain > s.plain) & (other < s.alike * plain)
    return s.most * float(np.clip(2 * told.mean() - 0.5, 0, 1))

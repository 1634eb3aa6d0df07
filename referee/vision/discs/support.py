"""What a leaning disc may rest on: where it lets one rest, and what it hides of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from referee.vision.discs.disc import Patch, Pose
from referee.vision.discs.peel import Found
from referee.vision.discs.rest import Touch, face_height, lowest_point, on_level

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


LEANING_DEG = 15.0
"""What leans less lies on the table or on others: it is found as a flat disc is, its height by the pile."""


def steep(*poses: Pose) -> bool:
    """Whether any of them leans so that it is no flat disc, nor one that lies on others."""
    return any(pose.tilt_rad > np.radians(LEANING_DEG) for pose in poses)


class Support(Protocol):
    """What stands where discs are sought."""

    def reaches(self) -> list[tuple[Array, float]]:
        """Places (3,) in mm and how far around them a disc may lean on something."""

    def rests(self, pose: Pose, found: Sequence[Found]) -> list[Array]:
        """Where on its line of sight a disc of that lean could rest: (3,) middles of the seen face."""

    def hides(self, patch: Patch, pose: Pose) -> Mask:
        """(h, w) of the patch: what can't be seen of a disc for what stands there."""

    def bears(self, pose: Pose) -> Touch:
        """Where a disc about there, leaning so, comes to touch what it stands on, other discs apart."""


@dataclass(frozen=True, eq=False)
class OnOthers:
    """A table on which nothing stands: what leans there leans on other discs."""

    eye_mm: Array
    radius_mm: float
    thickness_mm: float

    def reaches(self) -> list[tuple[Array, float]]:
        return []

    def rests(self, pose: Pose, found: Sequence[Found]) -> list[Array]:
        """Its foot on the table, or on the disc that lies there."""
        sine = float(np.hypot(pose.normal[0], pose.normal[1]))
        if sine < np.sin(np.radians(LEANING_DEG)):
            return []
        below = self.radius_mm * sine + self.thickness_mm * max(float(pose.normal[2]), 0.0)
        foot = lowest_point(replace(pose, centre_mm=self._at_height(pose, below)), self.radius_mm)
        under = [
            face_height(f.pose, foot)
            for f in found
            if np.hypot(*(f.pose.centre_mm[:2] - foot)) < self.radius_mm
        ]
        # how high it stands on what nobody sees is told by its size
        heights = {0.0, *under, *(self.thickness_mm * k for k in (2, 4, 6))}
        return [self._at_height(pose, low + below) for low in sorted(heights)]

    def hides(self, patch: Patch, pose: Pose) -> Mask:
        return np.zeros(patch.u_mm.shape, bool)

    def bears(self, pose: Pose) -> Touch:
        return on_level(pose, 0.0, self.radius_mm, self.thickness_mm)

    def _at_height(self, pose: Pose, z_mm: float) -> Array:
        ray = pose.centre_mm - self.eye_mm
        return np.asarray(self.eye_mm + ray * ((z_mm - self.eye_mm[2]) / ray[2]))

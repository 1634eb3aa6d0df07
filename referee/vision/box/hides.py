"""What the box hides: the part of a disc in it or behind it that no eye can see."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from referee.facts import Box
from referee.vision.box.rest import solid
from referee.vision.discs.disc import Patch, Pose

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

WALL_MM = 2.0


def hides(box: Box, patch: Patch, pose: Pose, eye_mm: Array) -> Mask:
    """(h, w) of the patch: where the box is between the eye and the plane of the disc's face."""
    u, v = patch.u_mm.reshape(1, -1), patch.v_mm.reshape(1, -1)
    points = np.asarray(pose.axes[:, :2] @ np.concatenate((u, v)) + pose.centre_mm[:, None])
    return hidden(box, points.T, eye_mm).reshape(patch.u_mm.shape)


def past_the_box(mask: Mask, box: Box, patch: Patch, pose: Pose, eye_mm: Array) -> Mask:
    """The (H, W) mask of the picture without the part of the disc that the box hides."""
    left = mask.copy()
    left[patch.box] &= ~hides(box, patch, pose, eye_mm)
    return left


def hidden(box: Box, points_mm: Array, eye_mm: Array) -> Mask:
    """(N,) which points (N, 3) of the table frame an eye at (3,) can't see for the box.

    From inside an open box the eye is seen through the opening only, from outside only past the whole block.
    """
    pose = solid(box)
    start = pose.to_box(points_mm).T
    way = pose.to_box(eye_mm[None]).T - start
    half, height = box.outer_mm / 2, box.height_mm
    inner = half - WALL_MM
    inside = (_off_axis(start) < inner) & (start[2] < height)
    above = start[:2] + (height - start[2]) / way[2] * way[:2]
    shut_in = box.lid | (_off_axis(above) > inner)

    # where the line of sight is within each pair of the block's faces, as shares of the way to the eye
    enters, leaves = np.zeros(len(points_mm)), np.full(len(points_mm), np.inf)
    for at, step, low, high in zip(start, way, (-half, -half, -1.0), (half, half, height), strict=True):
        slope = np.where(np.abs(step) < 1e-9, 1e-9, step)
        one, other = (low - at) / slope, (high - at) / slope
        enters = np.maximum(enters, np.minimum(one, other))
        leaves = np.minimum(leaves, np.maximum(one, other))
    behind = (enters + 1e-3 < leaves) & (enters < 1)
    return np.asarray(np.where(inside, shut_in, behind), bool)


def _off_axis(points: Array) -> Array:
    """(N,) the larger distance of points (2 or 3, N) from the box's upright middle planes."""
    return np.asarray(np.maximum(np.abs(points[0]), np.abs(points[1])))

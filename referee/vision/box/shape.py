"""The box as a solid: its corners, edges and faces in the table frame, and which of them an eye sees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SIDES = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)], float)
"""(4, 2) outward normals of the four walls, in the box's own axes; wall k meets wall k + 1 at corner k."""


@dataclass(frozen=True)
class BoxPose:
    """A square box on the table. Yaw turns the box's x axis from the table's, and counts modulo 90."""

    x_mm: float
    y_mm: float
    yaw_deg: float
    outer_mm: float
    height_mm: float

    @property
    def axes(self) -> Array:
        """(2, 2) rows: the box's own x and y axis in the table frame."""
        turn = np.radians(self.yaw_deg)
        return np.array([(np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))])

    def to_table(self, points: Array) -> Array:
        """(N, 3) points in the box's own axes (origin under its middle, on the table) to the table frame."""
        out = np.array(points, float)
        out[:, :2] = points[:, :2] @ self.axes + (self.x_mm, self.y_mm)
        return out

    def to_box(self, points_mm: Array) -> Array:
        """(N, 3) points of the table frame to the box's own axes."""
        out = np.array(points_mm, float)
        out[:, :2] = (points_mm[:, :2] - (self.x_mm, self.y_mm)) @ self.axes.T
        return out

    @property
    def corners(self) -> Array:
        """(8, 3) in the table frame."""
        half = self.outer_mm / 2
        return self.to_table(
            np.array([(x, y, z) for x in (-half, half) for y in (-half, half) for z in (0.0, self.height_mm)])
        )

    def facing(self, eye_mm: Array) -> NDArray[np.bool_]:
        """(4,) which walls an eye at (3,) sees from outside."""
        eye = self.to_box(eye_mm[None])[0]
        return np.asarray(SIDES @ eye[:2] > self.outer_mm / 2)


TOP = 4
BACKGROUND = -1


@dataclass(frozen=True, eq=False)
class Edges:
    """Points along the edges that an eye can see, in the box's own axes.

    Faces are numbered: 0 to 3 the walls, TOP (the lid, or the rim of an open box), BACKGROUND.
    """

    points: Array
    """(N, 3)."""
    along: Array
    """(N, 3) unit steps along the edge."""
    inward: Array
    """(N, 3) unit steps from the edge onto its face."""
    face: NDArray[np.intp]
    """(N,) the face that the edge bounds."""
    beyond: NDArray[np.intp]
    """(N,) what is seen on the edge's other side."""
    edge: NDArray[np.intp]
    """(N,) numbers the edges."""


def visible_edges(pose: BoxPose, eye_mm: Array, spacing_mm: float) -> Edges:
    """The outer edges of the top and of the walls that face the eye."""
    facing = pose.facing(eye_mm)
    half, height = pose.outer_mm / 2, pose.height_mm
    across = np.arange(-half + spacing_mm, half - spacing_mm / 2, spacing_mm)
    upwards = np.arange(spacing_mm, height - spacing_mm / 2, spacing_mm)
    up = np.array([0, 0, 1.0])
    parts: list[tuple[Array, Array, Array, int, int]] = []
    for k in range(4):
        out = np.append(SIDES[k], 0.0)
        along = np.append(SIDES[(k + 1) % 4], 0.0)
        foot = half * out + across[:, None] * along
        parts.append((foot + height * up, along, -out, TOP, k if facing[k] else BACKGROUND))
        if not facing[k]:
            continue
        parts.append((foot, along, up, k, BACKGROUND))
        for sign, neighbour in ((1, (k + 1) % 4), (-1, (k - 1) % 4)):
            if facing[neighbour] and sign < 0:
                continue  # the neighbour brings the edge that the two share
            corner = half * out + sign * half * along + upwards[:, None] * up
            parts.append((corner, up, -sign * along, k, neighbour if facing[neighbour] else BACKGROUND))
    counts = [len(p[0]) for p in parts]
    return Edges(
        np.concatenate([p[0] for p in parts]),
        np.repeat([p[1] for p in parts], counts, axis=0),
        np.repeat([p[2] for p in parts], counts, axis=0),
        np.repeat([p[3] for p in parts], counts),
        np.repeat([p[4] for p in parts], counts),
        np.repeat(np.arange(len(parts)), counts),
    )

"""How a coaster comes to rest: on the table, on others, on, in or against a box.

A rigid disc let down on uneven ground rests on three points whose triangle holds its middle: of all planes
that clear every support it takes the one with the lowest middle. That is a linear programme in three
unknowns, solved here by exchanging one corner of the triangle at a time (the dual simplex method).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.render.scene import Box, Disc, disc, tilted
from calibration.render.view import Array
from referee.formats import PieceSet

_POINTS = 360
_CLEAR_MM = 1e-7


def drop(
    pieces: PieceSet,
    piece: str,
    at_mm: tuple[float, float],
    angle_deg: float,
    face: str,
    below: Sequence[Disc],
    box: Box | None = None,
) -> Disc:
    """The coaster at rest with its middle at `at_mm` in plan, on the table, `below`, and the top of `box`."""
    x, y = at_mm
    for _ in range(3):
        pose, supported = _rest(pieces, (x, y), angle_deg, face, below, box)
        off = np.array(at_mm) - pose[:2, 3]
        x, y = x + off[0], y + off[1]
    state = "resting" if supported else "flat"
    if box is not None and pose[2, 3] > box.size.height_mm:
        state = "on_lid" if box.size.lid else "on_rim"
    return disc(piece, pose, state)


def _rest(
    pieces: PieceSet,
    at_mm: tuple[float, float],
    angle_deg: float,
    face: str,
    below: Sequence[Disc],
    box: Box | None,
) -> tuple[Array, bool]:
    radius, half = pieces.radius_mm, pieces.thickness_mm / 2
    own = np.array(at_mm) + radius * _circle()
    supports = [np.column_stack([own, np.zeros(_POINTS)])]
    for other in below:
        supports.append(_lens(own, at_mm, radius, other, half))
    if box is not None:
        supports.append(_box_top(own, at_mm, radius, box))
    points = np.concatenate(supports)
    local = np.column_stack([points[:, 0] - at_mm[0], points[:, 1] - at_mm[1], np.ones(len(points))])
    corners = _lowest(local, points[:, 2])
    a, b, c = np.linalg.solve(local[corners], points[corners, 2])
    up = np.array([-a, -b, 1.0])
    up /= np.linalg.norm(up)
    middle = np.array([*at_mm, c]) + half * up
    return tilted((middle[0], middle[1], middle[2]), up, angle_deg, face), bool(points[corners, 2].max() > 0)


def _lowest(local: Array, height: Array) -> list[int]:
    """Three supports: the plane through them clears all others, and their triangle holds the middle."""
    n = _POINTS
    corners = [0, n // 3, 2 * n // 3]
    for _ in range(200):
        basis = local[corners]
        plane = np.linalg.solve(basis, height[corners])
        over = height - local @ plane
        worst = int(np.argmax(over))
        if over[worst] < _CLEAR_MM:
            break
        share = np.linalg.solve(basis.T, np.array([0.0, 0.0, 1.0]))
        change = np.linalg.solve(basis.T, local[worst])
        ratio = np.where(change > 1e-12, share / np.where(change > 1e-12, change, 1.0), np.inf)
        corners[int(np.argmin(ratio))] = worst
    return corners


def _circle() -> Array:
    a = np.linspace(0, 2 * np.pi, _POINTS, endpoint=False)
    return np.stack([np.cos(a), np.sin(a)], axis=1)


def _lens(own: Array, at_mm: tuple[float, float], radius: float, other: Disc, half: float) -> Array:
    """Points about what the new disc shares in plan with another's upper face, with its height there."""
    up = other.rotation[:, 2] * (1 if other.rotation[2, 2] > 0 else -1)
    base = other.center_mm + half * up
    ring = base[:2] + radius * _circle()
    inside = [
        ring[np.hypot(*(ring - at_mm).T) <= radius],
        own[np.hypot(*(own - base[:2]).T) <= radius],
    ]
    gap = base[:2] - at_mm
    distance = float(np.hypot(*gap))
    if 0 < distance < 2 * radius:
        middle, reach = at_mm + gap / 2, np.sqrt(radius**2 - distance**2 / 4)
        across = np.array([-gap[1], gap[0]]) / distance
        along = gap / distance * (radius - distance / 2)
        inside.append(
            np.stack([middle + reach * across, middle - reach * across, middle + along, middle - along])
        )
    plan = np.concatenate(inside)
    height = base[2] - ((plan - base[:2]) @ up[:2]) / up[2]
    return np.column_stack([plan, height])


def _box_top(own: Array, at_mm: tuple[float, float], radius: float, box: Box) -> Array:
    """Points of the lid, or of the rim, under the disc."""
    half = box.size.outer_mm / 2
    edge = np.linspace(-half, half, 105)
    side = np.full_like(edge, half)
    square = np.concatenate(
        [np.stack(p, 1) for p in ((edge, side), (edge, -side), (side, edge), (-side, edge))]
    )
    c, s = np.cos(np.radians(box.yaw_deg)), np.sin(np.radians(box.yaw_deg))
    turn = np.array([[c, -s], [s, c]])
    world = square @ turn.T + box.center_mm
    plan = [world[np.hypot(*(world - at_mm).T) <= radius]]
    if box.size.lid:
        local = (own - box.center_mm) @ turn
        plan.append(own[np.abs(local).max(axis=1) <= half])
    points = np.concatenate(plan)
    return np.column_stack([points, np.full(len(points), box.size.height_mm)])


def in_box(
    pieces: PieceSet,
    piece: str,
    box: Box,
    offset_mm: tuple[float, float],
    angle_deg: float,
    face: str,
    layer: int,
) -> Disc:
    """Flat in the box, `layer` coasters above its floor."""
    free = box.size.outer_mm / 2 - box.wall_mm - pieces.radius_mm
    x, y = (min(max(v, -free), free) for v in offset_mm)
    c, s = np.cos(np.radians(box.yaw_deg)), np.sin(np.radians(box.yaw_deg))
    height = box.wall_mm + (layer + 0.5) * pieces.thickness_mm
    center = (box.center_mm[0] + c * x - s * y, box.center_mm[1] + s * x + c * y, height)
    return disc(piece, tilted(center, np.array([0.0, 0.0, 1.0]), angle_deg, face), "in_box")


def leaning(
    pieces: PieceSet,
    piece: str,
    box: Box,
    quarter: int,
    along_mm: float,
    tilt_deg: float,
    angle_deg: float,
    face: str,
) -> Disc:
    """On the table and against a wall of the box, over its upper edge unless the disc is too short."""
    radius, half = pieces.radius_mm, pieces.thickness_mm / 2
    tilt = np.radians(tilt_deg)
    high = box.size.height_mm
    # In the plane across the wall: the lower rim stands on the table `foot` away from the wall.
    foot = high / np.tan(tilt) if 2 * radius * np.sin(tilt) > high else 2 * radius * np.cos(tilt)
    a = np.radians(box.yaw_deg) + quarter * np.pi / 2
    out, side = np.array([np.cos(a), np.sin(a), 0.0]), np.array([-np.sin(a), np.cos(a), 0.0])
    up = np.array([0.0, 0.0, 1.0])
    slope, normal = -np.cos(tilt) * out + np.sin(tilt) * up, np.sin(tilt) * out + np.cos(tilt) * up
    wall = np.array([*box.center_mm, 0.0]) + (box.size.outer_mm / 2) * out + along_mm * side
    middle = wall + foot * out + radius * slope + half * normal
    pose = tilted((middle[0], middle[1], middle[2]), normal, angle_deg, face)
    return disc(piece, pose, "leaning_on_box")

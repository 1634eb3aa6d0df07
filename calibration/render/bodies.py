"""What stands on the table besides coasters, put together of solids: the box, round things, slabs."""

from __future__ import annotations

import numpy as np

from calibration.render.light import BoxShade
from calibration.render.scene import Box, Disc, Round, Slab
from calibration.render.solids import DiscSolid, RectSolid


def round_of(thing: Round) -> DiscSolid:
    """A round thing as a disc of its own size and wall, face up."""
    c, s = np.cos(np.radians(thing.turn_deg)), np.sin(np.radians(thing.turn_deg))
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    lying = Disc(thing.kind, turn, np.array([*thing.center_mm, thing.height_mm / 2]))
    return DiscSolid(lying, thing.radius_mm, thing.height_mm, thing.face, thing.wall)


def sides_of(slab: Slab) -> tuple[RectSolid, ...]:
    """The upper side of a slab and its four walls."""
    yaw, high, up = np.radians(slab.yaw_deg), slab.height_mm, np.array([0.0, 0.0, 1.0])
    center = np.array([*slab.center_mm, 0.0])
    colour = np.array(slab.wall, np.float32).reshape(1, 1, 3)
    half = slab.size_mm[0] / 2, slab.size_mm[1] / 2
    ahead, left = np.array([np.cos(yaw), np.sin(yaw), 0.0]), np.array([-np.sin(yaw), np.cos(yaw), 0.0])
    out = [RectSolid(center + high * up, np.stack([ahead, left, up], 1), half, slab.face, True)]
    for normal, away, reach in ((ahead, *half), (left, *half[::-1]), (-ahead, *half), (-left, *half[::-1])):
        axes = np.stack([np.cross(up, normal), up, normal], 1)
        out.append(RectSolid(center + away * normal + high / 2 * up, axes, (reach, high / 2), colour))
    return tuple(out)


def walls_of(box: Box) -> tuple[tuple[RectSolid, ...], BoxShade]:
    """The rectangles of a box (walls inside and out, rims, floor or lid) and its dimming of the room."""
    yaw, half, high, wall = np.radians(box.yaw_deg), box.size.outer_mm / 2, box.size.height_mm, box.wall_mm
    center = np.array([*box.center_mm, 0.0])
    up = np.array([0.0, 0.0, 1.0])
    colour = np.array(box.colour, np.float32).reshape(1, 1, 3)
    inside = np.minimum(colour * 1.25 + 0.02, 1.0)
    out: list[RectSolid] = []
    for quarter in range(4):
        a = yaw + quarter * np.pi / 2
        normal, side = np.array([np.cos(a), np.sin(a), 0.0]), np.array([-np.sin(a), np.cos(a), 0.0])
        middle = center + half * normal + up * high / 2
        out.append(RectSolid(middle, np.stack([side, up, normal], 1), (half, high / 2), colour, True))
        if not box.size.lid:
            inner = center + (half - wall) * normal + up * high / 2
            axes = np.stack([-side, up, -normal], 1)
            out.append(RectSolid(inner, axes, (half - wall, high / 2), inside))
            rim = center + (half - wall / 2) * normal + up * high
            out.append(RectSolid(rim, np.stack([side, -normal, up], 1), (half, wall / 2), inside))
    level = np.stack(
        [np.array([np.cos(yaw), np.sin(yaw), 0]), np.array([-np.sin(yaw), np.cos(yaw), 0]), up], 1
    )
    top = high if box.size.lid else wall
    reach = half if box.size.lid else half - wall
    out.append(
        RectSolid(center + up * top, level, (reach, reach), colour if box.size.lid else inside, box.size.lid)
    )
    return tuple(out), BoxShade(center, float(yaw), half, wall, high, not box.size.lid)

"""How a disc can rest in, on and against the box: from a pose to its state, and the poses that are possible.

Everything here is worked out in the box's own axes, the disc's normal pointing upwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, sqrt

import numpy as np
from numpy.typing import NDArray

from referee.facts import Box, Rest
from referee.vision.box_shape import SIDES, BoxPose

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    touching_mm: float = 2.6
    """A disc this far from the box does not touch it: less than a coaster's thickness."""
    leaning_deg: float = 15.0
    """Coasters lying on each other tilt less."""
    rim_share: float = 0.65
    """A disc whose lowest point is above this share of the height rests on the rim, not in the box."""
    lid_mm: float = 12.0
    """So far under the lid's height the lowest point of a disc on the lid can hardly be."""
    wall_mm: float = 2.0
    floor_mm: float = 2.0
    slack_mm: float = 6.0
    """By so much a pose that was only estimated may run into the box."""
    near_mm: float = 40.0
    """A steep disc further from the box than this rests on nothing."""
    sigma_mm: float = 1.0
    sigma_deg: float = 3.0


def solid(box: Box) -> BoxPose:
    return BoxPose(box.x_mm, box.y_mm, box.yaw_deg, box.outer_mm, box.height_mm)


def rest_of(
    centre_mm: Array,
    normal: Array,
    radius_mm: float,
    thickness_mm: float,
    box: Box,
    settings: Settings | None = None,
) -> tuple[Rest, float]:
    """How a disc rests and the probability that this is right.

    centre_mm: (3,) middle of the disc at half its thickness; normal: (3,) unit, of either face.
    """
    settings = settings or Settings()
    pose = solid(box)
    centre = pose.to_box(centre_mm[None])[0]
    up = _turned_up(np.append(pose.axes @ normal[:2], normal[2]))
    sine = float(np.hypot(up[0], up[1]))
    low = float(centre[2] - radius_mm * sine - thickness_mm / 2 * up[2])
    downhill = up[:2] / sine if sine > 0.02 else np.zeros(2)
    lowest = centre[:2] + radius_mm * up[2] * downhill
    gap = float(_outside(_points(centre, up, radius_mm, thickness_mm), pose).min())

    half = box.outer_mm / 2
    inside = half - float(np.abs(lowest).max())
    touches = _sure(settings.touching_mm - gap, settings.sigma_mm)
    if box.lid:
        raised = _sure(low - (box.height_mm - settings.lid_mm), 2 * settings.sigma_mm)
        if raised > 0.5:
            return Rest.ON_LID, raised
    else:
        above = _sure(low - settings.rim_share * box.height_mm, 3 * settings.sigma_mm)
        within = _sure(inside, 2 * settings.sigma_mm)
        if above > 0.5:
            return Rest.ON_RIM, above
        if within > 0.5:
            return Rest.IN_BOX, within * (1 - above)
    leans = _sure(float(np.degrees(np.arcsin(min(sine, 1.0)))) - settings.leaning_deg, settings.sigma_deg)
    leaning = touches * leans
    return (Rest.LEANING, leaning) if leaning > 0.5 else (Rest.TABLE, 1 - leaning)


def gap_to(centre_mm: Array, normal: Array, radius_mm: float, thickness_mm: float, box: Box) -> float:
    """How far a disc is from the box taken as a solid block; negative when it runs into it."""
    pose = solid(box)
    own = np.append(pose.axes @ normal[:2], normal[2])
    points = _points(pose.to_box(centre_mm[None])[0], own, radius_mm, thickness_mm)
    return float(_outside(points, pose).min())


def poses_near(
    box: Box,
    radius_mm: float,
    thickness_mm: float,
    eye_mm: Array,
    settings: Settings | None = None,
) -> tuple[Array, Array]:
    """Poses a disc can have in, on and against the box: (N, 3) middles of the seen face, (N, 3) its normals.

    Table frame. A coarse net, about 10 mm and 8 degrees wide; poses that the eye sees edge-on are left out.
    """
    settings = settings or Settings()
    pose = solid(box)
    families = [_leaning(box, radius_mm, thickness_mm)]
    if not box.lid:
        families.append(_inside(box, radius_mm, thickness_mm, settings))
    rows = np.concatenate(families)
    centre, up = pose.to_table(rows[:, :3]), rows[:, 3:].copy()
    up[:, :2] = up[:, :2] @ pose.axes
    to_eye = eye_mm - centre
    seen = np.sign(np.sum(to_eye * up, axis=1))[:, None] * up
    facing = np.sum(to_eye * seen, axis=1) > 0.12 * np.linalg.norm(to_eye, axis=1)
    return (centre + thickness_mm / 2 * seen)[facing], seen[facing]


def levels_on(box: Box, thickness_mm: float, count: int = 5) -> Array:
    """Heights of the upper face of discs lying flat on the lid or across the rim, one over the other."""
    return np.asarray(box.height_mm + thickness_mm * np.arange(1, count + 1), np.float64)


def _leaning(box: Box, radius_mm: float, thickness_mm: float) -> Array:
    """(N, 6) centres and normals: lower rim on the table, slid towards a wall until it touches the box."""
    half = box.outer_mm / 2
    flattest = np.degrees(np.arcsin(min(box.height_mm / (2 * radius_mm), 0.9)))
    tilts = np.radians(np.arange(min(flattest + 4, 70.0), 80.0, 8.0))
    turns = np.radians([-56.0, -28.0, 0.0, 28.0, 56.0])
    shifts = np.arange(-half - radius_mm / 2, half + radius_mm / 2 + 1, 15.0)
    rows = []
    for k, side in enumerate(SIDES):
        along = SIDES[(k + 1) % 4]
        for tilt in tilts:
            for turn in turns:
                out = np.cos(turn) * side + np.sin(turn) * along
                normal = np.append(np.sin(tilt) * out, np.cos(tilt))
                z = radius_mm * np.sin(tilt) + thickness_mm / 2 * np.cos(tilt)
                points = _points(np.array([0, 0, z]), normal, radius_mm, thickness_mm)
                points = points[points[:, 2] <= box.height_mm]
                beside = np.abs(points[:, :2] @ along + shifts[:, None]) <= half
                reach = np.where(beside, half - points[:, :2] @ side, -np.inf).max(axis=1)
                for shift, far in zip(shifts, reach, strict=True):
                    if far > -np.inf:
                        rows.append(np.concatenate((far * side + shift * along, [z], normal)))
    return np.array(rows)


def _inside(box: Box, radius_mm: float, thickness_mm: float, settings: Settings) -> Array:
    """(N, 6): flat on the floor or on a stack there; tilted with the lower rim as far as the walls let it,
    or as far back; tilted over the upper edge of a wall."""
    inner = box.outer_mm / 2 - settings.wall_mm
    rows = []
    for level in range(6):
        z = settings.floor_mm + (level + 0.5) * thickness_mm
        rows.append(np.array([0, 0, z, 0, 0, 1.0]))
    for low in (settings.floor_mm, settings.floor_mm + 3 * thickness_mm):
        for turn in np.radians(np.arange(0, 360, 45.0)):
            out = np.array([np.cos(turn), np.sin(turn)])
            for tilt in np.radians(np.arange(12.0, 80.0, 7.0)):
                sine, cosine = np.sin(tilt), np.cos(tilt)
                z = low + radius_mm * sine + thickness_mm / 2 * cosine
                facing = SIDES @ out
                walls = facing > 0.1
                width = radius_mm * np.sqrt(1 - (sine * facing[walls]) ** 2)
                furthest = float(((inner - width) / facing[walls]).min())
                # over the edge behind it: (p - c) . n = -t / 2 at p = (-reach, height)
                reach = inner / float(np.abs(out).max())
                over = -reach + ((box.height_mm - z) * cosine + thickness_mm / 2) / sine
                places = [furthest]
                if furthest > 12:
                    places.append(-furthest)
                if over + radius_mm * cosine < reach + 3 and over - radius_mm * cosine > -reach - radius_mm:
                    places.append(over)
                rows += [np.concatenate((place * out, [z], sine * out, [cosine])) for place in places]
    return np.array(rows)


def _turned_up(normal: Array) -> Array:
    return normal if normal[2] >= 0 else -normal


def _points(centre: Array, up: Array, radius_mm: float, thickness_mm: float, count: int = 96) -> Array:
    """(N, 3) points over the disc's upper and under side."""
    seed = np.eye(3)[int(np.abs(up).argmin())]
    first = np.cross(up, seed)
    first /= np.linalg.norm(first)
    second = np.cross(up, first)
    angle = 2 * np.pi * np.arange(count) / count
    ring = np.cos(angle)[:, None] * first + np.sin(angle)[:, None] * second
    shares = np.linspace(1.0, 0.0, max(count // 8, 3))
    sheet = (shares[:, None, None] * radius_mm * ring).reshape(-1, 3)
    return np.concatenate((centre + sheet + thickness_mm / 2 * up, centre + sheet - thickness_mm / 2 * up))


def _outside(points: Array, pose: BoxPose) -> Array:
    """(N,) distance of points from the box taken as a solid block, negative inside."""
    beyond = np.column_stack((np.abs(points[:, :2]) - pose.outer_mm / 2, points[:, 2] - pose.height_mm))
    apart = np.linalg.norm(np.maximum(beyond, 0), axis=1)
    return np.asarray(apart + np.minimum(beyond.max(axis=1), 0))


def _sure(margin: float, sigma: float) -> float:
    """Probability that a quantity measured `margin` above its limit is above it."""
    return 0.5 * (1 + erf(margin / (sigma * sqrt(2))))


def possible(
    centre_mm: Array,
    normal: Array,
    eye_mm: Array,
    radius_mm: float,
    thickness_mm: float,
    box: Box,
    settings: Settings | None = None,
) -> list[Array]:
    """Where on its line of sight a disc of that lean could rest near the box: (3,) middles of the seen face.

    centre_mm: (3,) a point on the line of sight; normal: (3,) of the face that is seen.
    """
    settings = settings or Settings()
    pose = solid(box)
    up = _turned_up(normal)
    sine = float(np.hypot(up[0], up[1]))
    below = radius_mm * sine + thickness_mm / 2 * up[2]
    own = np.append(pose.axes @ up[:2], up[2])
    ray = centre_mm - eye_mm
    steep = float(np.degrees(np.arcsin(min(sine, 1.0)))) > settings.leaning_deg
    lows: dict[Rest, tuple[float, ...]] = {Rest.LEANING: (0.0,)} if steep else {}
    if not steep:
        raised = Rest.ON_LID if box.lid else Rest.ON_RIM
        lows[raised] = tuple(box.height_mm + thickness_mm * k for k in (0, 2, 4))
    if not box.lid:
        lows[Rest.IN_BOX] = tuple(settings.floor_mm + thickness_mm * k for k in (0, 2, 4))
    out = []
    for rest, heights in lows.items():
        for low in heights:
            middle = eye_mm + ray * ((low + below - eye_mm[2]) / ray[2])
            points = _points(pose.to_box(middle[None])[0], own, radius_mm, thickness_mm, 24)
            if _fits(rest, points, pose, settings):
                out.append(middle + thickness_mm / 2 * normal)
    return out


def _fits(rest: Rest, points: Array, pose: BoxPose, settings: Settings) -> bool:
    """Whether a disc with these points could rest like that, give or take what a coarse pose may be off."""
    slack = settings.slack_mm
    plan = np.abs(points[:, :2]).max(axis=1)
    half = pose.outer_mm / 2
    match rest:
        case Rest.LEANING:
            gap = float(_outside(points, pose).min())
            return -slack < gap < settings.near_mm
        case Rest.IN_BOX:
            under = points[:, 2] < pose.height_mm - slack
            return bool(plan[under].max(initial=0.0) < half - settings.wall_mm + slack)
        case _:
            return bool((plan < half).any())

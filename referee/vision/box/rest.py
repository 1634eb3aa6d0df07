"""How a disc rests in, on and against the box, from its pose; and where on a line of sight it could rest.

Everything here is worked out in the box's own axes, the disc's normal pointing upwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, sqrt

import numpy as np
from numpy.typing import NDArray

from referee.facts import Box, Rest
from referee.vision.box.shape import SIDES, BoxPose
from referee.vision.discs.disc import Pose
from referee.vision.discs.rest import Touch, on_level, on_points

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
    floor_sigma_mm: float = 0.7
    """Cardboard is 1 to 3 mm thick."""
    top_sigma_mm: float = 0.3
    """How well a household measures the height of its box."""
    slack_mm: float = 6.0
    """By so much a pose that was only estimated may run into the box."""
    near_mm: float = 12.0
    """A steep disc further from the box than this rests on nothing: one or two coasters may be between."""
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


def bears(
    pose: Pose, radius_mm: float, thickness_mm: float, box: Box, settings: Settings | None = None
) -> Touch:
    """Where a disc about there, leaning so, touches the floor of the box, its rim, its lid, or the table."""
    settings = settings or Settings()
    rest, _ = rest_of(pose.middle(thickness_mm), pose.normal, radius_mm, thickness_mm, box, settings)
    if rest is Rest.IN_BOX:
        return on_level(pose, settings.floor_mm, radius_mm, thickness_mm, settings.floor_sigma_mm)
    if rest in (Rest.ON_RIM, Rest.ON_LID):
        top = _top(pose, radius_mm, box)
        if len(top):
            return on_points(pose, top, box.height_mm, thickness_mm, settings.top_sigma_mm)
        return on_level(pose, box.height_mm, radius_mm, thickness_mm, settings.top_sigma_mm)
    return on_level(pose, 0.0, radius_mm, thickness_mm)


def _top(pose: Pose, radius_mm: float, box: Box, count: int = 48) -> Array:
    """(N, 2) points, in plan, of the box's upper edges under the disc, and of the disc's rim over the lid."""
    half = box.outer_mm / 2
    along = np.linspace(-half, half, count)
    edges = [half * out + along[:, None] * SIDES[(k + 1) % 4] for k, out in enumerate(SIDES)]
    stands = solid(box)
    square = stands.to_table(np.column_stack((np.concatenate(edges), np.zeros(4 * count))))[:, :2]
    under = square[np.hypot(*(square - pose.centre_mm[:2]).T) <= radius_mm]
    if not box.lid:
        return np.asarray(under)
    rim = pose.rim(radius_mm, count)
    over = np.abs(stands.to_box(rim)[:, :2]).max(axis=1) <= half
    return np.concatenate((under, rim[over, :2]))


def gap_to(centre_mm: Array, normal: Array, radius_mm: float, thickness_mm: float, box: Box) -> float:
    """How far a disc is from the box taken as a solid block; negative when it runs into it."""
    pose = solid(box)
    own = np.append(pose.axes @ normal[:2], normal[2])
    points = _points(pose.to_box(centre_mm[None])[0], own, radius_mm, thickness_mm)
    return float(_outside(points, pose).min())


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
    around = _points(np.zeros(3), own, radius_mm, thickness_mm, 24)
    for rest, heights in lows.items():
        for low in heights:
            height = low + below + thickness_mm / 2 * normal[2]
            face = eye_mm + ray * ((height - eye_mm[2]) / ray[2])
            middle = face - thickness_mm / 2 * normal
            if _fits(rest, around + pose.to_box(middle[None]), pose, settings):
                out.append(face)
    return out


def _fits(rest: Rest, points: Array, pose: BoxPose, settings: Settings) -> bool:
    """Whether a disc with these points could rest like that, give or take what a coarse pose may be off."""
    slack = settings.slack_mm
    plan = np.abs(points[:, :2]).max(axis=1)
    half = pose.outer_mm / 2
    match rest:
        case Rest.LEANING:
            apart = _outside(points, pose)
            held_up = points[int(apart.argmin()), 2] > points[:, 2].mean()
            return held_up and -slack < float(apart.min()) < settings.near_mm
        case Rest.IN_BOX:
            under = points[:, 2] < pose.height_mm - slack
            return bool(plan[under].max(initial=0.0) < half - settings.wall_mm + slack)
        case _:
            return bool((plan < half).any())

"""Lay the found discs on each other: from who overlaps whom to everybody's height."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from referee.vision.align import align
from referee.vision.disc import Pose
from referee.vision.gallery import Gallery
from referee.vision.order import Evidence
from referee.vision.peel import Found, grown, judged
from referee.vision.peel import Settings as PeelSettings
from referee.vision.picture import Picture
from referee.vision.rest import height_over, table_height

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    certain_mm: float = 1.5
    """Plan overlap from which a disc below surely bears the one above."""
    flat_deg: float = 0.8
    """A disc with nothing under it and no more lean lies flat: half of what the thinnest overlap makes."""


@dataclass(frozen=True, eq=False)
class Stack:
    """Discs with their heights, and for each the ones that surely lie under it."""

    found: list[Found]
    lowers: list[set[int]]
    flat: list[bool]
    """Lies flat on the table, so that its tilt isn't fitted."""


def stack(
    picture: Picture,
    found: list[Found],
    evidence: dict[tuple[int, int], Evidence],
    gallery: Gallery,
    settings: Settings,
    peel: PeelSettings,
) -> Stack:
    """Heights from the bottom up, then each pose fitted again where it now lies.

    A disc is lowered, tilted as it was seen, until it touches the table or a disc under it.
    """
    radius, thickness = gallery.radius_mm, gallery.thickness_mm
    lowers = _lowers(found, evidence, radius, settings)
    poses = [f.pose for f in found]
    flat = [False] * len(found)
    done: set[int] = set()
    while len(done) < len(found):
        ready = [i for i in range(len(found)) if i not in done and lowers[i] <= done]
        # a ring of discs each over the next has no bottom: start anywhere
        for i in ready or [next(i for i in range(len(found)) if i not in done)]:
            pose = poses[i]
            flat[i] = not lowers[i] and np.degrees(pose.tilt_rad) < settings.flat_deg
            if flat[i]:
                pose = _levelled(pose)
            height = table_height(pose.normal, radius, thickness)
            for _ in range(2):  # the plan place moves with the height
                pose = pose.at_height(height, picture.view)
                over = [height_over(pose, poses[j], radius, thickness) for j in lowers[i] & done]
                height = max([table_height(pose.normal, radius, thickness), *over])
            poses[i] = pose.at_height(height, picture.view)
            done.add(i)
    again = [_again(picture, found, i, poses[i], flat[i], evidence, gallery, peel) for i in range(len(found))]
    return Stack(again, lowers, flat)


def _lowers(
    found: list[Found], evidence: dict[tuple[int, int], Evidence], radius_mm: float, settings: Settings
) -> list[set[int]]:
    lowers: list[set[int]] = [set() for _ in found]
    for (a, b), seen in evidence.items():
        distance = np.hypot(*(found[a].pose.centre_mm - found[b].pose.centre_mm)[:2])
        if 2 * radius_mm - distance > settings.certain_mm:
            upper, lower = (a, b) if seen.log_odds > 0 else (b, a)
            lowers[upper].add(lower)
    return lowers


def _levelled(pose: Pose) -> Pose:
    c, s = np.cos(pose.angle_rad), np.sin(pose.angle_rad)
    return replace(pose, axes=np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]))


def _again(
    picture: Picture,
    found: list[Found],
    i: int,
    pose: Pose,
    flat: bool,
    evidence: dict[tuple[int, int], Evidence],
    gallery: Gallery,
    peel: PeelSettings,
) -> Found:
    """The disc fitted once more at its height, blind to what lies on it."""
    disc = found[i]
    free = shows(picture, found, i, evidence)
    steps = ((0.0, 4),)
    fit = align(
        picture,
        pose,
        disc.face,
        gallery.radius_mm,
        peel.align,
        free,
        steps,
        tilt=not flat,
        gain=disc.fit.gain,
    )
    if fit is None:
        return replace(disc, fit=replace(disc.fit, pose=pose))
    if np.hypot(*(fit.pose.centre_mm - pose.centre_mm)[:2]) > 4:  # it ran away: stay
        fit = replace(disc.fit, pose=pose)
    better = judged(picture, disc.kind, disc.face, fit, free, gallery, peel)
    return better or replace(disc, fit=fit)


def shows(
    picture: Picture, found: list[Found], i: int, evidence: dict[tuple[int, int], Evidence]
) -> NDArray[np.bool_]:
    """(H, W) pixels that may show disc i: all but what discs lying over it claim."""
    free = np.ones(picture.bgr.shape[:2], bool)
    for (a, b), seen in evidence.items():
        if i not in (a, b) or (seen.log_odds > 0) == (i == a):
            continue
        other = found[b if i == a else a]
        rows, columns = other.patch.box
        free[rows, columns] &= ~grown(other.agrees)
    return free

"""Lay the found discs on each other: from who overlaps whom to everybody's height."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import asin, sqrt

import numpy as np
from numpy.typing import NDArray

from referee.vision.discs.align import Fit, align
from referee.vision.discs.disc import Pose
from referee.vision.discs.gallery import Gallery
from referee.vision.discs.order import Evidence
from referee.vision.discs.peel import Found, grown, judged
from referee.vision.discs.peel import Settings as PeelSettings
from referee.vision.discs.picture import Picture
from referee.vision.discs.rest import height_over, table_height

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Settings:
    certain_mm: float = 1.5
    """Plan overlap from which a disc below surely bears the one above."""
    told: float = 1.0
    """Log odds from which the pixels tell who lies on whom."""
    size_sigma: float = 0.0006
    """What texture and print leave in the apparent size of a wholly seen face, as a share."""
    print_sigma: float = 0.002
    """How far the print may be off its size where no disc of the scene shows it."""
    pile_sigma_mm: float = 0.4
    """What a lean that is slightly off adds to a height, per layer."""
    hidden: tuple[float, ...] = (0.93, 0.05, 0.015, 0.005)
    """How often a level disc lies on none, one, two, three discs that nobody sees."""
    disorder: float = 0.01
    """How often it lies lower than the order says, for each layer."""
    hidden_mm: float = 1.0
    """Sigma of the height of a disc that leans on something hidden."""
    most_lean: float = 1.3
    """The same disc leans more, by this factor, than one that lies on a single rim."""
    surprise: float = 2.5
    """Sigmas at which the size overrules the pile: something is hidden, or the order is wrong."""
    flat_deg: float = 0.8
    """A disc with nothing under it and no more lean lies flat: half of what the thinnest overlap makes."""


@dataclass(frozen=True, eq=False)
class Stack:
    """Discs with their heights, and for each the ones that surely lie under it."""

    found: list[Found]
    lowers: list[set[int]]
    flat: list[bool]
    """Lies flat on the table, so that its place is fitted without a tilt."""
    free: list[Fit]
    """The same discs with their tilts left free: how far each leans, as the picture has it."""
    masks: list[Mask]
    """(H, W) each: the pixels that were read for it."""
    height_sigmas_mm: list[float]
    """How well each height is known: what lies hidden may hold a disc up."""


def stack(
    picture: Picture,
    found: list[Found],
    evidence: dict[tuple[int, int], Evidence],
    gallery: Gallery,
    settings: Settings,
    peel: PeelSettings,
    before: Stack | None = None,
) -> Stack:
    """Heights from the bottom up, then each pose fitted again where it now lies.

    A disc is lowered, tilted as it was seen, until it touches the table or a disc under it. `before` is the
    pass that made `found`: what it left in its place isn't fitted again.
    """
    radius, thickness = gallery.radius_mm, gallery.thickness_mm
    lowers = _lowers(found, evidence, radius, settings)
    sized = heights_by_size(found, lowers, picture, settings)
    poses = [f.pose for f in found]
    flat = [False] * len(found)
    layers, sigmas = [0] * len(found), [0.05] * len(found)
    done: set[int] = set()
    while len(done) < len(found):
        ready = [i for i in range(len(found)) if i not in done and lowers[i] <= done]
        # a ring of discs each over the next has no bottom: start anywhere
        for i in ready or [next(i for i in range(len(found)) if i not in done)]:
            done.add(i)
            if found[i].held:
                continue
            pose = poses[i]
            layers[i] = max((layers[j] + 1 for j in lowers[i] & done), default=0)
            flat[i] = not lowers[i] and np.degrees(pose.tilt_rad) < settings.flat_deg
            if flat[i]:
                pose = pose.levelled()
            height = table_height(pose.normal, radius, thickness)
            for _ in range(2):  # the plan place moves with the height
                pose = pose.at_height(height, picture.view)
                over = [height_over(pose, poses[j], radius, thickness) for j in lowers[i] & done]
                height = max([table_height(pose.normal, radius, thickness), *over])
            height, sigmas[i] = _weigh(height, layers[i], sized[i], pose, thickness, radius, settings)
            poses[i] = pose.at_height(height, picture.view)
    masks = [shows(picture, found, i, evidence) for i in range(len(found))]
    again, free = [], []
    for i, disc in enumerate(found):
        if disc.held:
            free.append(disc.fit)
            again.append(disc)
            continue
        same = _reads_the_same(disc, poses[i], masks[i])
        if same and before is not None and disc is before.found[i] and before.flat[i] == flat[i]:
            free.append(before.free[i])
            again.append(disc)
            continue
        loose = disc.fit if same and disc.fit.leant else None
        loose = loose or _refit(picture, disc, poses[i], masks[i], gallery, peel, tilt=True) or disc.fit
        free.append(loose)
        pose = poses[i] if flat[i] else loose.pose
        again.append(_again(picture, disc, pose, flat[i], loose, masks[i], gallery, peel))
    return Stack(again, lowers, flat, free, masks, sigmas)


def _reads_the_same(disc: Found, pose: Pose, mask: Mask) -> bool:
    """Whether a fit at that pose, by the pixels (H, W) of the mask, would only repeat the disc's own."""
    other = np.count_nonzero(disc.inside & (disc.read != mask[disc.patch.box]))
    rose = abs(float(pose.centre_mm[2] - disc.pose.centre_mm[2]))
    return rose < 0.15 and other < 0.02 * disc.inside.sum()


def heights_by_size(
    found: list[Found], lowers: list[set[int]], picture: Picture, settings: Settings
) -> list[tuple[float, float]]:
    """How high each face is by its apparent size: (mm, sigma).

    A face that is nearer looks larger. The well seen discs that lie on the table show how large the print
    really is, fronts and backs apart; a disc can't be its own measure.
    """
    level = [
        f.visible > 0.75 and f.pose.tilt_rad < 0.01 and not under
        for f, under in zip(found, lowers, strict=True)
    ]
    eye = float(picture.view.eye_mm[2])
    out = []
    for i, f in enumerate(found):
        sizes = [
            g.fit.size for j, g in enumerate(found) if level[j] and j != i and g.kind.face is f.kind.face
        ]
        size = float(np.median(sizes)) if sizes else 1.0
        doubt = settings.size_sigma / sqrt(len(sizes)) if sizes else settings.print_sigma
        hidden = (settings.size_sigma / max(f.visible, 0.1) ** 1.5) ** 2
        sigma = float(np.sqrt(hidden + doubt**2 + 4 * f.fit.covariance[5, 5]))
        out.append((eye + (float(f.pose.centre_mm[2]) - eye) * size / f.fit.size, eye * sigma))
    return out


def _weigh(
    height: float,
    layers: int,
    sized: tuple[float, float],
    pose: Pose,
    thickness_mm: float,
    radius_mm: float,
    settings: Settings,
) -> tuple[float, float]:
    """The height of a face and its sigma, from the pile and from the face's size together.

    The pile tells exactly when all of it is seen; but something may lie hidden. A level disc then lies whole
    thicknesses higher, a leaning one anywhere.
    """
    told, sigma = sized
    least = table_height(pose.normal, radius_mm, thickness_mm)
    if np.degrees(pose.tilt_rad) < settings.flat_deg:
        levels = height + thickness_mm * np.arange(-layers, len(settings.hidden))
        prior = np.array([settings.disorder] * layers + list(settings.hidden))
        chance = prior * np.exp(-0.5 * np.minimum(((told - levels) / sigma) ** 2, 80))
        chance = np.where(levels < least - 0.5, 0, chance)
        chance /= chance.sum()
        best = float(levels[int(chance.argmax())])
        return max(best, least), float(np.hypot(0.05, np.sqrt(chance @ (levels - best) ** 2)))
    single = asin(thickness_mm / (2 * radius_mm))
    unexplained = layers == 0 and pose.tilt_rad > settings.most_lean * single
    pile_sigma = settings.hidden_mm if unexplained else max(settings.pile_sigma_mm * layers, 0.05)
    if abs(told - height) < settings.surprise * float(np.hypot(sigma, pile_sigma)):
        weight = 1 / pile_sigma**2 + 1 / sigma**2
        fused = (height / pile_sigma**2 + told / sigma**2) / weight
        return max(fused, least), float(1 / np.sqrt(weight))
    return max(told, least), sigma


def _lowers(
    found: list[Found], evidence: dict[tuple[int, int], Evidence], radius_mm: float, settings: Settings
) -> list[set[int]]:
    lowers: list[set[int]] = [set() for _ in found]
    for (a, b), seen in evidence.items():
        distance = np.hypot(*(found[a].pose.centre_mm - found[b].pose.centre_mm)[:2])
        told = abs(seen.log_odds) > settings.told
        if told and 2 * radius_mm - distance > settings.certain_mm:
            upper, lower = (a, b) if seen.log_odds > 0 else (b, a)
            lowers[upper].add(lower)
    return lowers


def _again(
    picture: Picture,
    disc: Found,
    pose: Pose,
    flat: bool,
    free: Fit,
    mask: Mask,
    gallery: Gallery,
    peel: PeelSettings,
) -> Found:
    """The disc where it now lies: fitted without a tilt when it is flat, else as it was fitted freely."""
    fit = free
    if flat:
        fit = _refit(picture, disc, pose, mask, gallery, peel, tilt=False) or replace(free, pose=pose)
    seen = judged(picture, disc.kind, disc.face, fit, mask, gallery, peel)
    return replace(disc, fit=fit) if seen is None else replace(seen, tagged=disc.tagged, held=disc.held)


def _refit(
    picture: Picture, disc: Found, pose: Pose, mask: Mask, gallery: Gallery, peel: PeelSettings, tilt: bool
) -> Fit | None:
    """Fitted once more at its height, blind to what lies on it; None when it ran away."""
    fit = align(
        picture,
        pose,
        disc.face,
        gallery.radius_mm,
        peel.align,
        mask,
        steps=((0.0, 4),),
        tilt=tilt,
        gain=disc.fit.gain,
    )
    if fit is None or np.hypot(*(fit.pose.centre_mm - pose.centre_mm)[:2]) > 4:
        return None
    return fit


def shows(picture: Picture, found: list[Found], i: int, evidence: dict[tuple[int, int], Evidence]) -> Mask:
    """(H, W) pixels that may show disc i: all but what discs lying over it claim."""
    free = np.ones(picture.bgr.shape[:2], bool)
    for (a, b), seen in evidence.items():
        if i not in (a, b) or (seen.log_odds > 0) == (i == a):
            continue
        other = found[b if i == a else a]
        rows, columns = other.patch.box
        free[rows, columns] &= ~grown(other.agrees)
    return free

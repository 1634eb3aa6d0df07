"""Lay the found discs on each other: from who overlaps whom to everybody's height."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import hypot, radians

import numpy as np
from numpy.typing import NDArray

from referee.vision.abreast import each
from referee.vision.discs import heights, under
from referee.vision.discs.align import Fit, align
from referee.vision.discs.disc import Pose
from referee.vision.discs.gallery import Gallery
from referee.vision.discs.heights import Height
from referee.vision.discs.order import Evidence
from referee.vision.discs.peel import Found, claim, judged
from referee.vision.discs.peel import Settings as PeelSettings
from referee.vision.discs.picture import Picture
from referee.vision.discs.rest import lowest_point, on_face
from referee.vision.discs.support import Support, steep

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Settings:
    certain_mm: float = 1.5
    """Plan overlap from which a disc below surely bears the one above."""
    far_mm: float = 25.0
    """Faces whose heights differ by more don't touch: no disc on the table bears one on the lid."""
    propless_deg: float = 6.0
    """So much nothing leans that lies on nothing seen: its rim would be 5 mm high."""
    told: float = 1.0
    """Log odds from which the pixels tell who lies on whom."""
    heights: heights.Settings = field(default_factory=heights.Settings)


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
    heights: list[Height]
    """How well each is known: what lies hidden may hold a disc up, and what bears it may lean otherwise."""


def stack(
    picture: Picture,
    found: list[Found],
    evidence: dict[tuple[int, int], Evidence],
    support: Support,
    gallery: Gallery,
    settings: Settings,
    peel: PeelSettings,
    before: Stack | None = None,
) -> Stack:
    """Heights from the bottom up, then each pose fitted again where it now lies.

    A disc is lowered, tilted as it was seen, until it touches the table or a disc under it. `before` is the
    pass that made `found`: what it left in its place isn't fitted again.
    """
    lowers = _lowers(found, evidence, gallery.radius_mm, settings)
    masks = each(lambda i: shows(picture, found, i, evidence), range(len(found)))
    found = [
        disc if lowers[i] else _straightened(picture, disc, masks[i], gallery, settings, peel)
        for i, disc in enumerate(found)
    ]
    loose = [
        before.free[i] if before is not None and disc is before.found[i] else disc.fit
        for i, disc in enumerate(found)
    ]
    sized = heights.by_size(found, loose, lowers, picture, gallery.thickness_mm, settings.heights)
    ground = ~_faces(picture, found)
    poses = [f.pose for f in found]
    flat = [False] * len(found)
    known = [heights.sure(float(p.centre_mm[2]), settings.heights.rest_sigma_mm) for p in poses]
    layers = [0] * len(found)
    done: set[int] = set()
    while len(done) < len(found):
        ready = [i for i in range(len(found)) if i not in done and lowers[i] <= done]
        # a ring of discs each over the next has no bottom: start anywhere
        for i in ready or [next(i for i in range(len(found)) if i not in done)]:
            done.add(i)
            bearers = sorted(lowers[i] & done - {i})
            layers[i] = max((layers[j] + 1 for j in bearers), default=0)
            flat[i] = not lowers[i] and np.degrees(poses[i].tilt_rad) < settings.heights.flat_deg
            bearing = [(poses[j], known[j]) for j in bearers]
            alone = under.alone(i, poses, gallery.radius_mm, settings.heights.under)
            poses[i], known[i] = _height(
                picture, ground, found[i], poses[i], flat[i], alone, layers[i], bearing, sized[i], support,
                gallery, settings.heights,
            )  # fmt: skip

    def fitted(i: int) -> tuple[Found, Fit]:
        """The disc where it now lies, and its fit with the tilt left free."""
        disc = found[i]
        if disc.held:
            disc = _put(disc, poses[i], picture.view.eye_mm)
            return disc, disc.fit
        same = _reads_the_same(disc, poses[i], masks[i])
        if same and before is not None and disc is before.found[i] and before.flat[i] == flat[i]:
            return disc, before.free[i]
        tilting = disc.fit if same and disc.fit.leant else None
        tilting = tilting or _refit(picture, disc, poses[i], masks[i], gallery, peel, tilt=True) or disc.fit
        pose = poses[i] if flat[i] else tilting.pose
        return _again(picture, disc, pose, flat[i], tilting, masks[i], gallery, peel), tilting

    both = each(fitted, range(len(found)))
    return Stack([f for f, _ in both], lowers, flat, [fit for _, fit in both], masks, known)


def _height(
    picture: Picture,
    ground: Mask,
    disc: Found,
    pose: Pose,
    flat: bool,
    alone: bool,
    layers: int,
    bearing: list[tuple[Pose, Height]],
    told: tuple[float, float],
    support: Support,
    gallery: Gallery,
    settings: heights.Settings,
) -> tuple[Pose, Height]:
    """The pose at its height, by what bears it (poses and heights) and by what its size tells.

    ground: (H, W) pixels that show no face.
    """
    radius, thickness = gallery.radius_mm, gallery.thickness_mm
    if flat:
        pose = pose.levelled()
    upright = steep(pose)
    for _ in range(2):  # the plan place moves with the height
        stands = support.bears(pose)
        if upright:
            feet = [on_face(pose, p, radius, thickness, h.sigma_mm) for p, h in bearing]
            stands = max((stands, *feet), key=lambda touch: touch.height_mm)
        piled = heights.rests(pose, disc.fit, stands, [] if upright else bearing, radius, thickness, settings)
        pose = pose.at_height(piled.mm, picture.view)
    least = stands.height_mm
    if flat:
        piled = heights.sure(piled.mm, hypot(settings.rest_sigma_mm, stands.sigma_mm))
    if upright:
        hidden = settings.heaped if stands.sigma_mm else settings.hidden
        weighed = heights.weigh_steep(piled, told, hidden, thickness)
    elif np.degrees(pose.tilt_rad) < settings.flat_deg:
        bare = 0.0
        if flat and alone:
            bare = under.bare(picture, pose, ground, radius, thickness, settings.under)
        hidden = settings.heaped if disc.held else settings.hidden
        weighed = heights.weigh_level(piled, layers, told, hidden, bare, least, thickness, settings)
    else:
        weighed = heights.weigh_leaning(piled, layers, told, pose, least, radius, thickness, settings)
    return pose.at_height(weighed.mm, picture.view), weighed


def _faces(picture: Picture, found: list[Found]) -> Mask:
    """(H, W) pixels that show a face of these."""
    shown = np.zeros(picture.bgr.shape[:2], bool)
    for disc in found:
        rows, columns = disc.patch.box
        shown[rows, columns] |= disc.agrees
    return shown


def _put(disc: Found, pose: Pose, eye_mm: Array) -> Found:
    """The disc at another place of its line of sight, where it looks the same."""
    new, old = (float(np.linalg.norm(p.centre_mm - eye_mm)) for p in (pose, disc.pose))
    return replace(disc, fit=replace(disc.fit, pose=pose, size=disc.fit.size * new / old))


def _stands_on(pose: Pose, lower: Pose, radius_mm: float) -> bool:
    """Whether the foot of a steep disc is over the other's face."""
    return float(np.hypot(*(lowest_point(pose, radius_mm) - lower.centre_mm[:2]))) < radius_mm


def _reads_the_same(disc: Found, pose: Pose, mask: Mask) -> bool:
    """Whether a fit at that pose, by the pixels (H, W) of the mask, would only repeat the disc's own."""
    other = np.count_nonzero(disc.inside & (disc.read != mask[disc.patch.box]))
    rose = abs(float(pose.centre_mm[2] - disc.pose.centre_mm[2]))
    return rose < 0.15 and other < 0.02 * disc.inside.sum()


def _lowers(
    found: list[Found], evidence: dict[tuple[int, int], Evidence], radius_mm: float, settings: Settings
) -> list[set[int]]:
    lowers: list[set[int]] = [set() for _ in found]
    for (a, b), seen in evidence.items():
        distance = np.hypot(*(found[a].pose.centre_mm - found[b].pose.centre_mm)[:2])
        if steep(found[a].pose, found[b].pose):
            for i, j in ((a, b), (b, a)):
                if not steep(found[j].pose) and _stands_on(found[i].pose, found[j].pose, radius_mm):
                    lowers[i].add(j)
            continue
        rise = abs(float(found[a].pose.centre_mm[2] - found[b].pose.centre_mm[2]))
        told = abs(seen.log_odds) > settings.told and rise < settings.far_mm
        if told and 2 * radius_mm - distance > settings.certain_mm:
            upper, lower = (a, b) if seen.log_odds > 0 else (b, a)
            lowers[upper].add(lower)
    return lowers


def _straightened(
    picture: Picture, disc: Found, mask: Mask, gallery: Gallery, settings: Settings, peel: PeelSettings
) -> Found:
    """The disc, or the same one lying flat, when it leans on nothing and fits as well so.

    From straight above a lean and its opposite look alike, and so do rings that are slightly narrower: a fit
    may end in a lean that isn't there.
    """
    if disc.held or disc.pose.tilt_rad < radians(settings.propless_deg):
        return disc
    level = disc.pose.levelled().at_height(gallery.thickness_mm, picture.view)
    lying = _refit(picture, disc, level, mask, gallery, peel, tilt=False)
    fit = lying and _refit(picture, disc, lying.pose, mask, gallery, peel, tilt=True)
    if fit is None or fit.support < disc.fit.support or fit.pose.tilt_rad > disc.pose.tilt_rad / 2:
        return disc
    straight = judged(picture, disc.kind, disc.face, fit, mask, gallery, peel)
    return disc if straight is None else replace(straight, tagged=disc.tagged)


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
        peel.align if tilt else peel.precise,
        mask,
        steps=((0.0, 4),) if tilt else None,
        tilt=tilt,
        gain=disc.fit.gain,
        offset=disc.fit.offset,
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
        claim(free, found[b if i == a else a])
    return free

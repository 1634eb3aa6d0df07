"""Find the coasters of a picture one after another, the best seen first.

What a fitted face explains is taken out of the picture's unexplained pixels before the next one is looked
for, so that a pile is peeled from its top.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.abreast import each
from referee.vision.discs import align as aligning
from referee.vision.discs import identify as naming
from referee.vision.discs import plan as planning
from referee.vision.discs import tags
from referee.vision.discs import worth as worthy
from referee.vision.discs.align import Fit, align
from referee.vision.discs.disc import Patch, Pose, paint, patch_of
from referee.vision.discs.gallery import RINGS, SECTORS, FaceArt, Gallery, Kind
from referee.vision.discs.identify import rank_kinds, turn_costs
from referee.vision.discs.misfit import worst
from referee.vision.discs.picture import Picture
from referee.vision.discs.rest import table_height
from referee.vision.discs.tags import Tagged

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Image = NDArray[np.float32]


@dataclass(frozen=True)
class Settings:
    plan: planning.Settings = field(default_factory=planning.Settings)
    align: aligning.Settings = field(default_factory=aligning.Settings)
    precise: aligning.Settings = aligning.PRECISE
    """For the last fit of a disc that lies flat."""
    identify: naming.Settings = field(default_factory=naming.Settings)
    worth: worthy.Settings = field(default_factory=worthy.Settings)
    least_score: float = 0.06
    """Explained share of a face below which a candidate isn't tried."""
    rival_score: float = 0.9
    """Where one kind fits plainly, only another that is ranked nearly as high is tried as well."""
    least_visible: float = 0.12
    """Share of the face that must agree with the picture in the end."""
    good_cost: float = 0.2
    """Mean capped squared misfit of the polar picture below which a fit needs no second try."""
    good_support: float = 0.85
    """Share of agreeing pixels from which the same holds."""
    righted_score: float = 0.19
    """Explained share of the face from which a second try is worth its time."""
    stayed_mm: float = 1.0
    stayed_deg: float = 1.0
    """A fit that ends this near to its place and this level began rightly: a second try would repeat it."""
    reaches_mm: tuple[float, ...] = (3.5, 7.0)
    """How far around its place a second try starts."""
    tries: int = 3
    """From so many of the best starts; the best of them is then fitted finely."""
    stray_mm: float = 11.0
    """A fit that ends farther from its place is of something else."""
    worst_cost: float = 1.3
    """The same misfit beyond which a find was none after all."""
    fair_support: float = 0.75
    """Share of agreeing pixels from which a find is believed whatever its polar picture says."""
    doubtful_cost: float = 0.95
    """The same misfit beyond which a find is doubtful."""
    plain_cost: float = 1.8
    """The same misfit beyond which no face is plain: what the box's wall hides of one raises it."""
    better_cost: float = 0.05
    """A turn or face that fits better by this much is taken instead."""
    agree: float = 3.0
    """A pixel agrees within this many robust scales."""
    tag_slack_mm: float = 25.0
    """So far off the table a marker may seem: its size in the picture says little of its distance."""
    tag_lean_deg: float = 20.0
    """What leans more lies against the box, and is looked for there."""
    least_gap_mm: float = 6.0
    """Two discs can't have centres nearer than this and both be seen."""


@dataclass(frozen=True, eq=False)
class Found:
    """A disc that explains part of the picture."""

    kind: Kind
    face: FaceArt
    fit: Fit
    patch: Patch
    agrees: Mask
    """(h, w) of the patch: where the picture shows this face."""
    inside: Mask
    """(h, w) of the patch: the whole face."""
    read: Mask
    """(h, w) of the patch: the pixels that it was fitted by."""
    score: float
    doubtful: bool = False
    """Something of this kind is there, but it doesn't fit well enough to be named or measured by."""
    tagged: bool = False
    """Its marker was read, so that there is no doubt which face it is."""
    held: bool = False
    """It rests in, on or against the box: its height comes from there, not from what lies under it."""

    @property
    def pose(self) -> Pose:
        return self.fit.pose

    @property
    def visible(self) -> float:
        return float(self.agrees.sum()) / max(int(self.inside.sum()), 1)


def find(picture: Picture, gallery: Gallery, settings: Settings, before: Sequence[Found] = ()) -> list[Found]:
    """Every disc lying about flat on the table, best seen first, after those found `before`."""
    plan = planning.rectify(picture.bgr, picture.view, gallery.thickness_mm, settings.plan)
    places, _ = planning.centres(plan, gallery, settings.plan)
    found = list(before)
    free = unclaimed(picture, found)
    for tagged in tags.read(picture, gallery):
        if any(f.face is tagged.face for f in before):
            continue
        disc = _fit_tagged(picture, tagged, free, gallery, settings)
        if disc is not None and not _taken(disc.pose, found, settings):
            found.append(disc)
            claim(free, disc)
    poses = [Pose.flat(x, y, gallery.thickness_mm) for x, y in places]
    masks = each(lambda p: picture.polar_mask(free, p, gallery.radius_mm), poses)
    open_ = [i for i, mask in enumerate(masks) if mask.mean() > settings.least_score]
    polars = dict(zip(open_, each(lambda i: picture.polar(poses[i], gallery.radius_mm), open_), strict=True))

    def ranked(i: int) -> list[naming.KindFit]:
        mask = picture.polar_mask(free, poses[i], gallery.radius_mm)
        return rank_kinds(polars[i], mask, gallery, settings.identify)

    def examined(i: int) -> Found | None:
        return examine(picture, poses[i], polars[i], ranks[i], free, gallery, settings)

    ranks = dict(zip(open_, each(ranked, open_), strict=True))
    seen = list[tuple[float, Found]]()
    reach = 2 * (gallery.radius_mm + settings.stray_mm)
    while open_ := [i for i in open_ if ranks[i][0].score >= settings.least_score]:
        centres, scores = [poses[i].centre_mm for i in open_], [ranks[i][0].score for i in open_]
        best = [open_[k] for k in planning.unrivalled(np.array(centres), np.array(scores), reach)]
        open_ = [i for i in open_ if i not in best]
        best = [i for i in best if not _taken(poses[i], found, settings)]
        new = [(i, f) for i, f in zip(best, each(examined, best), strict=True) if f is not None]
        for i, disc in new:
            found.append(disc)
            seen.append((ranks[i][0].score, disc))
            claim(free, disc)
        at = np.array([f.pose.centre_mm[:2] for _, f in new]).reshape(-1, 2)
        near = 2.2 * gallery.radius_mm
        beside = [i for i in open_ if (np.hypot(*(at - poses[i].centre_mm[:2]).T) < near).any()]
        ranks |= zip(beside, each(ranked, beside), strict=True)
    first = found[: len(found) - len(seen)]
    return first + [f for _, f in sorted(seen, key=lambda s: -s[0])]


def _taken(pose: Pose, found: Sequence[Found], settings: Settings) -> bool:
    return any(np.hypot(*(f.pose.centre_mm - pose.centre_mm)[:2]) < settings.least_gap_mm for f in found)


def _fit_tagged(
    picture: Picture, tagged: Tagged, free: Mask, gallery: Gallery, settings: Settings
) -> Found | None:
    """A face whose marker was read, fitted from where the marker puts it; None far off the table."""
    radius, thickness = gallery.radius_mm, gallery.thickness_mm
    best: Found | None = None
    for pose in tagged.poses:
        lowest = table_height(pose.normal, radius, thickness)
        if abs(float(pose.centre_mm[2]) - lowest) > settings.tag_slack_mm:
            continue
        start = pose.at_height(lowest, picture.view)
        fit = align(picture, start, tagged.face, radius, settings.align, free)
        if fit is None or fit.pose.tilt_rad > np.radians(settings.tag_lean_deg):
            continue
        disc = judged(picture, tagged.kind, tagged.face, fit, free, gallery, settings)
        if disc is not None and (best is None or disc.score > best.score):
            best = replace(disc, tagged=True)
    return best if best is not None and best.visible > settings.least_visible else None


def examine(
    picture: Picture,
    pose: Pose,
    polar: NDArray[np.float32],
    ranks: list[naming.KindFit],
    free: Mask,
    gallery: Gallery,
    settings: Settings,
) -> Found | None:
    """Fit the likeliest kinds at a candidate place and keep the best, or None when nothing convinces."""
    best: Found | None = None
    for rank in ranks[:2]:
        if rank.score < 0.6 * ranks[0].score or rank.score < settings.least_score:
            continue
        plain = best is not None and best.visible > 0.8 and best.fit.support > settings.good_support
        if plain and rank.score < settings.rival_score * ranks[0].score:
            break
        disc = _fit_kind(picture, pose, polar, rank, free, gallery, settings)
        if disc is not None and (best is None or disc.score > best.score):
            best = disc
    if best is None or best.visible < settings.least_visible:
        return None
    return best


def _fit_kind(
    picture: Picture,
    pose: Pose,
    polar: NDArray[np.float32],
    rank: naming.KindFit,
    free: Mask,
    gallery: Gallery,
    settings: Settings,
) -> Found | None:
    place, face = pose, rank.kind.faces[0]
    mask = picture.polar_mask(free, pose, gallery.radius_mm)
    gain, offset = np.full(3, rank.gain), np.zeros(3)
    if rank.kind.patterned:
        ways = settings.identify
        turn = int(turn_costs(polar, mask, rank.kind.polar, gain, offset, ways).argmin())
        this = range(turn, turn + 1)
        fits = [turn_costs(polar, mask, f.polar, gain, offset, ways, this)[0] for f in rank.kind.faces]
        face, pose = rank.kind.faces[int(np.argmin(fits))], pose.turned(2 * np.pi * turn / SECTORS)
    fit = align(picture, pose, face, gallery.radius_mm, settings.align, free, gain=gain)
    if fit is None:
        return None
    if place.tilt_rad == 0 and rank.score > settings.righted_score:
        face, fit = _righted(picture, place, rank, fit, face, free, gallery, settings)
    if np.hypot(*(fit.pose.centre_mm - place.centre_mm)[:2]) > settings.stray_mm:
        return None
    return judged(picture, rank.kind, face, fit, free, gallery, settings)


def _righted(
    picture: Picture,
    place: Pose,
    rank: naming.KindFit,
    fit: Fit,
    face: FaceArt,
    free: Mask,
    gallery: Gallery,
    settings: Settings,
) -> tuple[FaceArt, Fit]:
    """The fit, or a better one found from places around `place`.

    A disc that leans much is no circle in the plan: its votes gather beside its middle, where neither its
    turn can be seen nor a fit begin. From its middle a level start reaches any lean that a pile makes.
    """
    kind, gain, offset = rank.kind, np.full(3, rank.gain), np.zeros(3)

    def costs(pose: Pose) -> Image:
        """(faces, turns)."""
        polar, mask = picture.polar_and_mask(free, pose, gallery.radius_mm)
        every_other = slice(0, RINGS, 2)
        ways = settings.identify
        return np.stack(
            [turn_costs(polar, mask, f.polar, gain, offset, ways, turns, every_other) for f in faces]
        )

    def cost(other: FaceArt, fit: Fit) -> float:
        polar, mask = picture.polar_and_mask(free, fit.pose, gallery.radius_mm)
        ways = settings.identify
        return float(turn_costs(polar, mask, other.polar, fit.gain, fit.offset, ways, range(1))[0])

    def fitted(
        art: FaceArt, start: Pose, steps: tuple[tuple[float, int], ...], gain: Array, offset: Array
    ) -> Fit | None:
        radius = gallery.radius_mm
        again = align(picture, start, art, radius, settings.align, free, steps, gain=gain, offset=offset)
        if again is None or np.hypot(*(again.pose.centre_mm - place.centre_mm)[:2]) >= settings.stray_mm:
            return None
        return again

    moved = float(np.hypot(*(fit.pose.centre_mm - place.centre_mm)[:2]))
    stayed = moved < settings.stayed_mm and fit.pose.tilt_rad < np.radians(settings.stayed_deg)
    if stayed or fit.support > settings.good_support or (now := cost(face, fit)) < settings.good_cost:
        return face, fit
    turns = range(0, SECTORS, 3) if kind.patterned else range(1)
    faces = kind.faces if kind.patterned else (face,)
    level = place.levelled()
    starts = [level]
    for reach in settings.reaches_mm:
        for way in np.arange(6) * np.pi / 3 + reach:
            starts.append(level.moved(reach * np.array([np.cos(way), np.sin(way), 0.0]), np.zeros(3)))
    table = np.stack([costs(start) for start in starts])
    per_start = table.reshape(len(starts), -1)
    coarse, fine = settings.align.steps[:1], settings.align.steps[1:]
    rough: list[tuple[float, FaceArt, Fit]] = []
    for which in np.argsort(per_start.min(axis=1))[: settings.tries]:
        one, turn = np.unravel_index(int(per_start[which].argmin()), table.shape[1:])
        start = starts[which].turned(2 * np.pi * turns[turn] / SECTORS)
        again = fitted(faces[one], start, coarse, gain, offset)
        if again is not None:
            rough.append((cost(faces[one], again), faces[one], again))
        if rough and rough[-1][0] < settings.good_cost:
            break
    if not rough:
        return face, fit
    _, other, near = min(rough, key=lambda b: b[0])
    again = fitted(other, near.pose, fine, near.gain, near.offset)
    better = again is not None and cost(other, again) < now - settings.better_cost
    return (other, again) if again is not None and better else (face, fit)


def costs_of(
    picture: Picture,
    disc: Found,
    faces: Sequence[FaceArt],
    mask: Mask,
    gallery: Gallery,
    settings: Settings,
    turns: range = range(SECTORS),
) -> Image:
    """(faces, turns) how badly each face fits where the disc lies, over the pixels of `mask`."""
    polar, seen = picture.polar_and_mask(mask, disc.pose, gallery.radius_mm)
    gain, offset = disc.fit.gain, disc.fit.offset
    return np.stack([turn_costs(polar, seen, f.polar, gain, offset, settings.identify, turns) for f in faces])


def judged(
    picture: Picture, kind: Kind, face: FaceArt, fit: Fit, free: Mask, gallery: Gallery, settings: Settings
) -> Found | None:
    """The fit with the pixels that agree with it. None when the disc isn't in the picture."""
    radius = gallery.radius_mm
    patch = patch_of(fit.pose, radius, picture.view, picture.rays)
    if patch is None:
        return None
    rows, columns = patch.box
    painted = paint(face, patch, fit.size * radius, picture.blur_px, fit.gain, fit.offset)
    off = worst(picture.colours(rows, columns) - painted)
    inside = patch.within(radius)
    scale = max(fit.scale, settings.align.noise)
    near = cv2.blur(np.minimum(off, 6 * scale), (3, 3)) < settings.agree * scale
    agrees = inside & near & free[rows, columns]
    agrees = cv2.morphologyEx(agrees.view(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)).view(bool)
    agrees = cv2.morphologyEx(agrees.view(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)).view(bool)
    agrees &= inside
    # how much of the face is explained at all: what decides between two faces at one place
    misfit = np.square(off[inside & free[rows, columns]] / settings.identify.noise)
    score = float((1 - np.minimum(misfit / 9, 1)).sum()) / max(int(inside.sum()), 1)
    return Found(kind, face, fit, patch, agrees, inside, free[rows, columns].copy(), score)


def unclaimed(picture: Picture, found: Sequence[Found]) -> Mask:
    """(H, W) pixels in which discs are looked for and that none of the found ones explains."""
    free = picture.searched.copy()
    for disc in found:
        claim(free, disc)
    return free


def claim(free: Mask, disc: Found) -> None:
    """Take the pixels that the disc explains out of `free`, (H, W)."""
    free[disc.patch.box] &= ~grown(disc.agrees)


def grown(mask: Mask) -> Mask:
    """The mask with its seam: pixels next to a disc's face are blurred with it and tell nothing."""
    return cv2.dilate(mask.view(np.uint8), np.ones((3, 3), np.uint8)).view(bool)

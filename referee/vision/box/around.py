"""Discs that lie in, on or against the box: seldom flat, often half hidden.

A disc of any lean shows its printed circles as circles once its plane is seen square on. So for each lean
that the eye could see, every edge of the picture votes for the centres of circles of the known radii; what
gathers votes and could physically rest there is ranked by its rings, fitted by its print and taken out of
the picture, best first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from referee.facts import Box
from referee.vision.box import circle_votes
from referee.vision.box.circle_votes import Circles, edges_around, plane_axes, votes
from referee.vision.box.hides import hides, past_the_box
from referee.vision.box.rest import gap_to, possible, solid
from referee.vision.discs import peel as peeling
from referee.vision.discs import ring_match
from referee.vision.discs.align import align
from referee.vision.discs.disc import Pose
from referee.vision.discs.gallery import Gallery
from referee.vision.discs.identify import rank_kinds
from referee.vision.discs.peel import Found, costs_of, examine, grown, judged, unclaimed
from referee.vision.discs.picture import Picture
from referee.vision.discs.ring_match import ring_scores, settle
from referee.vision.table.backdrop import Backdrop

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Settings:
    votes: circle_votes.Settings = field(default_factory=circle_votes.Settings)
    rings: ring_match.Settings = field(default_factory=ring_match.Settings)
    flattest_deg: float = 18.0
    lean_step_deg: float = 7.0
    turn_step_deg: float = 22.5
    steepest_deg: float = 126.0
    """Beyond 90 the underside is seen, of a disc that leans towards the eye."""
    edge_on: float = 0.2
    """Cosine of the angle between normal and view below which a face can't be read."""
    most_voters: int = 700
    """Where many leans are tried, so many edges vote."""
    per_plane: int = 3
    most_alone: int = 18
    """So many centres of one lean are looked at, of many leans and of one."""
    most: int = 50
    """So many voted places are compared by their rings."""
    finalists: int = 10
    """So many are ranked by their rings."""
    fewest_voters: int = 30
    looked_at: int = 14
    """So many of the places where a disc could rest are moved about to look better."""
    least_likely: float = 0.15
    least_score: float = 0.26
    """Share of a face that must look right before it is fitted."""
    least_explained: float = 0.1
    most_explained: float = 0.42
    """Share of the face that the picture must bear out: of a plain fit, and of a poor one."""
    least_seen: float = 0.5
    """However much of a disc the box hides, this share of `most_explained` is asked for."""
    plain: float = 0.8
    plain_scale: float = 0.0599
    flat_size: float = 0.015
    """By how much of its size a flat face may be off: a fifth of the box's height makes about that."""
    steep_size: float = 0.02
    most_hidden: float = 0.2
    """Share of what is seen of a disc that may lie where the box would hide it: its pose is a little off."""
    mistaken_deg: float = 7.0
    """A disc near the box that was taken for a flat one and then tilted this much is looked for again."""
    mistaken_size: float = 0.025
    steps: tuple[tuple[float, int], ...] = ((2.0, 8), (0.0, 6))
    """A fit from so roughly known a lean takes more steps than one of a flat disc."""
    apart_mm: float = 7.0
    apart_deg: float = 9.0


def find_raised(
    picture: Picture,
    box: Box,
    backdrop: Backdrop,
    gallery: Gallery,
    settings: Settings | None = None,
    peel: peeling.Settings | None = None,
    before: Sequence[Found] = (),
) -> list[Found]:
    """Discs that lie about flat above the table: on the lid, across the rim, on the floor of the box; after
    those found `before`.

    To be looked for before those on the table: from the plane of the table a disc nearer to the eye is only
    a disc too large, and half believed.
    """
    settings, peel = settings or Settings(), peel or peeling.Settings()
    free = unclaimed(picture, before)
    up = np.array([[0, 0, 1.0]])
    poses = propose(picture, box, backdrop, free, up, gallery, settings)
    return _peeled(picture, box, poses, free, list(before), gallery, settings, peel, flat=True)


def find_steep(
    picture: Picture,
    box: Box,
    backdrop: Backdrop,
    found: list[Found],
    gallery: Gallery,
    settings: Settings | None = None,
    peel: peeling.Settings | None = None,
) -> list[Found]:
    """`found` with the discs that lean in or against the box, without what was mistaken for a flat one."""
    settings, peel = settings or Settings(), peel or peeling.Settings()
    kept = [
        replace(f, held=f.held or _in_the_box(f, box, gallery))
        for f in found
        if not _mistaken(f, box, gallery, settings)
    ]
    free = unclaimed(picture, kept)
    to_eye = picture.view.eye_mm - [box.x_mm, box.y_mm, box.height_mm / 2]
    poses = propose(picture, box, backdrop, free, leans(to_eye, box.yaw_deg, settings), gallery, settings)
    return _peeled(picture, box, poses, free, kept, gallery, settings, peel, flat=False)


def _peeled(
    picture: Picture,
    box: Box,
    poses: list[Pose],
    free: Mask,
    before: list[Found],
    gallery: Gallery,
    settings: Settings,
    peel: peeling.Settings,
    flat: bool,
) -> list[Found]:
    """`before` and the poses that prove to be discs, best first; each takes its pixels out of `free`."""
    size = settings.flat_size if flat else settings.steep_size
    left = list(poses)
    found = list(before)
    # its lean is known by now, though only by the step
    as_it_leans = replace(peel, righted_score=np.inf, align=replace(peel.align, steps=settings.steps))
    while left:
        scores = ring_scores(picture, left, free, gallery, settings.rings)
        pose = left.pop(int(scores.argmax()))
        if scores.max() < settings.least_score:
            break
        polar = picture.polar(pose, gallery.radius_mm)
        mask = picture.polar_mask(free, pose, gallery.radius_mm)
        ranks = rank_kinds(polar, mask, gallery, peel.identify)
        if flat and _lies_on_the_table(picture, pose, free, gallery, settings):
            continue
        disc = examine(picture, pose, polar, ranks, free, gallery, as_it_leans)
        if disc is None or not _convinces(disc, box, free, picture.view.eye_mm, settings):
            continue
        disc = _settled(disc, picture, box, free, gallery, settings, peel)
        if abs(disc.fit.size - 1) > size or not _fits(disc, picture, box, free, gallery, settings, peel):
            continue
        if any(_alike(disc.pose, other.pose, picture.view.eye_mm, settings) for other in found):
            continue
        found.append(disc)
        rows, columns = disc.patch.box
        free[rows, columns] &= ~grown(disc.agrees)
    return found


def _settled(
    disc: Found,
    picture: Picture,
    box: Box,
    free: Mask,
    gallery: Gallery,
    settings: Settings,
    peel: peeling.Settings,
) -> Found:
    """The disc fitted at that place on its line of sight where it can rest and its print has its size.

    One that could rest nowhere near the box is left as it is: what lies under it tells its height.
    """
    eye, pose = picture.view.eye_mm, disc.pose
    distance = float(np.linalg.norm(pose.centre_mm - eye))
    resting = possible(pose.centre_mm, pose.normal, eye, gallery.radius_mm, gallery.thickness_mm, box)
    if not resting:
        return disc

    def misfit(centre_mm: Array) -> float:
        return abs(disc.fit.size * float(np.linalg.norm(centre_mm - eye)) / distance - 1)

    best = min(resting, key=misfit)
    size = disc.fit.size * float(np.linalg.norm(best - eye)) / distance
    there = replace(disc, fit=replace(disc.fit, pose=replace(pose, centre_mm=best), size=size))
    again = align(
        picture,
        there.pose,
        disc.face,
        gallery.radius_mm,
        peel.align,
        free,
        steps=((0.0, 4),),
        gain=disc.fit.gain,
        offset=disc.fit.offset,
    )
    if again is not None and np.linalg.norm(again.pose.centre_mm - best) < settings.apart_mm:
        there = judged(picture, disc.kind, disc.face, again, free, gallery, peel) or there
    return replace(there, held=True)


def _fits(
    disc: Found,
    picture: Picture,
    box: Box,
    free: Mask,
    gallery: Gallery,
    settings: Settings,
    peel: peeling.Settings,
) -> bool:
    """Whether the face looks like its print wherever neither the box nor another disc is before it, and isn't
    seen where the box would hide it."""
    mask = past_the_box(free, box, disc.patch, disc.pose, picture.view.eye_mm)
    through_the_box = np.count_nonzero(disc.agrees & ~mask[disc.patch.box])
    if through_the_box > settings.most_hidden * np.count_nonzero(disc.agrees):
        return False
    cost = costs_of(picture, disc, (disc.face,), mask, gallery, peel, range(1))[0, 0]
    return float(cost) < peel.doubtful_cost


def _convinces(disc: Found, box: Box, free: Mask, eye_mm: Array, settings: Settings) -> bool:
    """Whether much of what the box and others leave to be seen is there, or what is there is plain."""
    plain = disc.score > settings.plain * disc.visible and disc.fit.scale < settings.plain_scale
    if plain:
        return disc.score > settings.least_explained
    left = free[disc.patch.box] & ~hides(box, disc.patch, disc.pose, eye_mm)
    seen = left[disc.inside]
    return disc.score > settings.most_explained * max(float(seen.mean()), settings.least_seen)


def _lies_on_the_table(
    picture: Picture, pose: Pose, free: Mask, gallery: Gallery, settings: Settings
) -> bool:
    """Whether the rings look more like those of a disc on the table, further off and so larger."""
    both = [pose, pose.at_height(gallery.thickness_mm, picture.view)]
    high, low = settle(picture, both, free, gallery, settings.rings, lean=False)
    return low[0] > high[0]


def propose(
    picture: Picture,
    box: Box,
    backdrop: Backdrop,
    free: Mask,
    normals: Array,
    gallery: Gallery,
    settings: Settings,
) -> list[Pose]:
    """Poses of those leans that gather votes, could rest near the box and show some face's rings, best
    first."""
    edges = edges_around(picture, box, free, backdrop, settings.votes)
    if len(edges.rays) < settings.fewest_voters:
        return []
    middle = np.array([box.x_mm, box.y_mm, box.height_mm / 2 if len(normals) > 1 else box.height_mm])
    eye = picture.view.eye_mm
    circles = Circles.of(gallery, settings.votes)
    alone = len(normals) == 1
    voters = edges if alone else edges.thinned(settings.most_voters)
    voted = [
        (share, _posed(centre, normal))
        for normal in normals
        for share, centre in votes(picture, voters, middle, normal, circles, settings.votes)[
            : settings.most_alone if alone else settings.per_plane
        ]
    ]
    resting: list[Pose] = []
    for _, pose in _distinct(voted, settings.most, eye, settings):
        places = possible(pose.centre_mm, pose.normal, eye, gallery.radius_mm, gallery.thickness_mm, box)
        resting += [replace(pose, centre_mm=place) for place in places]
    scored = zip(ring_scores(picture, resting, free, gallery, settings.rings), resting, strict=True)
    likely = [(float(score), pose) for score, pose in scored if score > settings.least_likely]
    near = [pose for _, pose in _distinct(likely, settings.looked_at, eye, settings)]
    settled = settle(picture, near, free, gallery, settings.rings, not alone)
    return [pose for _, pose in _distinct(settled, settings.finalists, eye, settings)]


def _distinct(
    scored: list[tuple[float, Pose]], most: int, eye_mm: Array, settings: Settings
) -> list[tuple[float, Pose]]:
    """The best ones that look different from where the eye is; how far off they are shows too little."""
    kept: list[tuple[float, Pose]] = []
    for share, pose in sorted(scored, key=lambda v: -v[0]):
        if not any(_alike(pose, other, eye_mm, settings) for _, other in kept):
            kept.append((share, pose))
            if len(kept) == most:
                break
    return kept


def leans(to_eye: Array, yaw_deg: float, settings: Settings) -> Array:
    """(N, 3) unit normals that an eye in that direction can read, in step with the box's sides."""
    eye = to_eye / np.linalg.norm(to_eye)
    out = []
    for lean in np.radians(np.arange(settings.flattest_deg, settings.steepest_deg, settings.lean_step_deg)):
        count = max(round(360 / settings.turn_step_deg * min(1.0, 0.2 + np.sin(lean))), 4)
        for turn in np.radians(yaw_deg) + 2 * np.pi * np.arange(count) / count:
            out.append(np.array([np.sin(lean) * np.cos(turn), np.sin(lean) * np.sin(turn), np.cos(lean)]))
    normals = np.array(out)
    return np.asarray(normals[normals @ eye > settings.edge_on])


def _mistaken(disc: Found, box: Box, gallery: Gallery, settings: Settings) -> bool:
    """Whether a disc that was sought on the table is more likely one in, on or against the box."""
    middle = disc.pose.middle(gallery.thickness_mm)
    away = float(np.hypot(middle[0] - box.x_mm, middle[1] - box.y_mm))
    if middle[2] > box.height_mm / 2 or away > box.outer_mm / np.sqrt(2) + 2 * gallery.radius_mm:
        return False
    if np.degrees(disc.pose.tilt_rad) > settings.mistaken_deg:
        return True
    if box.outer_mm / 2 > away and not box.lid and abs(disc.fit.size - 1) < settings.flat_size:
        return False  # on the floor of the box
    gap = gap_to(middle, disc.pose.normal, gallery.radius_mm, gallery.thickness_mm, box)
    return disc.fit.size - 1 > settings.mistaken_size or gap < -8.0


def _in_the_box(disc: Found, box: Box, gallery: Gallery) -> bool:
    """Whether a disc that was found flat lies on the floor of the box."""
    middle = solid(box).to_box(disc.pose.middle(gallery.thickness_mm)[None])[0]
    return (
        not box.lid and middle[2] < box.height_mm / 2 and float(np.abs(middle[:2]).max()) < box.outer_mm / 2
    )


def _posed(centre_mm: Array, normal: Array) -> Pose:
    axes = plane_axes(normal)
    return Pose(centre_mm, np.column_stack((axes, normal)))


def _alike(a: Pose, b: Pose, eye_mm: Array, settings: Settings) -> bool:
    turn = np.degrees(np.arccos(np.clip(a.normal @ b.normal, -1, 1)))
    to_a, to_b = a.centre_mm - eye_mm, b.centre_mm - eye_mm
    apart = np.linalg.norm(to_a - to_b * (np.linalg.norm(to_a) / np.linalg.norm(to_b)))
    return bool(turn < settings.apart_deg and apart < settings.apart_mm)

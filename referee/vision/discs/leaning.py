"""Discs that lean: on others, on what stands on the table, or in it; seldom seen whole.

They are sought where the picture shows things that neither the table nor a disc found so far explains.
There every edge votes for the centres of circles, lean by lean; what gathers votes and could rest there is
ranked by its rings, fitted by its print and taken out of the picture, best first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from referee.vision.discs import peel as peeling
from referee.vision.discs import propose as proposing
from referee.vision.discs import unexplained
from referee.vision.discs.align import align
from referee.vision.discs.circle_votes import edges_in
from referee.vision.discs.disc import Pose
from referee.vision.discs.gallery import Gallery
from referee.vision.discs.identify import rank_kinds
from referee.vision.discs.peel import Found, claim, costs_of, examine, judged, unclaimed
from referee.vision.discs.peel import Settings as PeelSettings
from referee.vision.discs.picture import Picture
from referee.vision.discs.propose import Proposal, alike, beside, leans, propose, with_rings
from referee.vision.discs.support import LEANING_DEG, Support
from referee.vision.discs.unexplained import things
from referee.vision.table.backdrop import Backdrop

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Settings:
    propose: proposing.Settings = field(default_factory=proposing.Settings)
    unexplained: unexplained.Settings = field(default_factory=unexplained.Settings)
    rounds: int = 3
    """What was found no longer outvotes the rest: so often is it looked again."""
    shaky_support: float = 0.65
    """Share of its pixels that must agree for a flat disc to be taken for sure."""
    height_mm: float = 30.0
    """About how high a leaning disc's middle is."""
    fewest_voters: int = 60
    least_score: float = 0.42
    """Shares of a face's circles and of its rings that must look right, together, before it is fitted."""
    least_explained: float = 0.25
    most_explained: float = 0.42
    """Share of the face that the picture must bear out: of a plain fit, and of a poor one."""
    least_seen: float = 0.5
    """However much of a disc is hidden, this share of `most_explained` is asked for."""
    plain: float = 0.8
    plain_scale: float = 0.0599
    worst_cost: float = 1.0
    outweighs: float = 1.0
    """How badly a face may fit in the end: no more than this, nor than so many times as much as it agrees."""
    most_hidden: float = 0.2
    """Share of what is seen of a disc that may lie where it would be hidden: its pose is a little off."""
    steps: tuple[tuple[float, int], ...] = ((2.0, 8), (0.0, 6))
    """A fit from so roughly known a lean takes more steps than one of a flat disc."""
    size: float = 0.02
    """By how much of its size a face may be off where it can rest."""


def find(
    picture: Picture,
    before: Sequence[Found],
    support: Support,
    backdrop: Backdrop,
    gallery: Gallery,
    settings: Settings,
    peel: PeelSettings,
) -> list[Found]:
    """`before` and the discs that lean on them, or on what else stands there.

    A leaning disc may have been taken for flat ones, each fitting a part of it: where one is found, what
    didn't fit well is looked for again.
    """
    s = settings
    firm, shaky = _split(picture, before, gallery, s, peel)
    found, count = list(firm), len(firm)
    near = [(f.pose.centre_mm, 2 * gallery.radius_mm) for f in before] + support.reaches()
    for thing in things(picture, unclaimed(picture, found), backdrop, near, s.unexplained):
        for _ in range(s.rounds):
            free = unclaimed(picture, found)
            edges = edges_in(picture, thing.window, free & thing.mask, s.height_mm, s.propose.votes)
            if edges is None or len(edges.at_mm) < s.fewest_voters:
                break
            proposed = propose(
                picture, edges, leans(edges, gallery, s.propose), free, support, found, gallery, s.propose
            )
            known = len(found)
            found = peeled(picture, proposed, free, found, support, gallery, s, peel, shaky)
            if len(found) == known:
                break
    if len(found) == count:
        return list(before)
    new = found[count:]
    left = unclaimed(picture, new)
    crossed = [f for f in shaky if not left[f.patch.box][f.inside].all()]
    kept = [f for f in before if f not in crossed] + new
    return peeling.find(picture, gallery, peel, kept) if crossed else kept


def _takes(disc: Found, other: Found) -> bool:
    """Whether the disc explains most of what the other one does."""
    (rows, columns), (other_rows, other_columns) = disc.patch.box, other.patch.box
    top, bottom = max(rows.start, other_rows.start), min(rows.stop, other_rows.stop)
    left, right = max(columns.start, other_columns.start), min(columns.stop, other_columns.stop)
    if top >= bottom or left >= right:
        return False
    one, two = (
        f.agrees[top - r.start : bottom - r.start, left - c.start : right - c.start]
        for f, (r, c) in ((disc, disc.patch.box), (other, other.patch.box))
    )
    return bool((one & two).sum() > other.agrees.sum() / 2)


def _split(
    picture: Picture, found: Sequence[Found], gallery: Gallery, settings: Settings, peel: PeelSettings
) -> tuple[list[Found], list[Found]]:
    """Those that look like their print where nothing else is found, and those that don't."""
    firm: list[Found] = []
    shaky: list[Found] = []
    for f in found:
        if f.fit.support < settings.shaky_support and not f.held:
            free = unclaimed(picture, [g for g in found if g is not f])
            cost = costs_of(picture, f, (f.face,), free, gallery, peel, range(1))[0, 0]
            (shaky if cost > peel.doubtful_cost else firm).append(f)
        else:
            firm.append(f)
    return firm, shaky


def peeled(
    picture: Picture,
    proposed: Sequence[Proposal],
    free: Mask,
    before: Sequence[Found],
    support: Support,
    gallery: Gallery,
    settings: Settings,
    peel: PeelSettings,
    instead: Sequence[Found] = (),
    not_here: Callable[[Pose], bool] = lambda _: False,
) -> list[Found]:
    """`before` and the poses that prove to be discs, best first; each takes its pixels out of `free`.

    instead: what was made of these pixels before, to be beaten.
    """
    s = settings
    eye = picture.view.eye_mm
    left, found = list(proposed), list(before)

    def tried(p: Proposal) -> tuple[float, Found] | None:
        """How badly the disc fits, and the disc."""
        if not_here(p.pose):
            return None
        disc = _fitted(picture, p, free, gallery, peel, s.steps)
        if disc is None or not _convinces(disc, free, support, s):
            return None
        if p.pose.tilt_rad > 0 and disc.pose.tilt_rad < np.radians(LEANING_DEG) - 0.05:
            return None
        disc = _settled(disc, picture, free, support, found, gallery, s, peel)
        through = np.count_nonzero(disc.agrees & ~_shown(disc, free, support))
        if through > s.most_hidden * np.count_nonzero(disc.agrees):
            return None
        cost = _cost(disc, picture, free, support, gallery, peel)
        if abs(disc.fit.size - 1) > s.size or cost > min(s.worst_cost, s.outweighs * disc.fit.support):
            return None
        if any(f.score > disc.score and _takes(disc, f) for f in instead):
            return None
        return None if any(alike(disc.pose, other.pose, eye, s.propose) for other in found) else (cost, disc)

    while left:
        left = sorted(with_rings(picture, left, free, gallery, s.propose), key=lambda p: -p.score)
        best = left.pop(0)
        if best.score < s.least_score:
            break
        fits = [tried(best)]
        if fits[0] is None:
            continue
        for rival in [p for p in left if beside(p.pose, best.pose, eye) < s.propose.apart_mm][:1]:
            left.remove(rival)  # the mirrored lean has nearly the same circles
            fits.append(tried(rival))
        _, disc = min((f for f in fits if f is not None), key=lambda f: f[0])
        found.append(disc)
        claim(free, disc)
    return found


def _fitted(
    picture: Picture,
    proposed: Proposal,
    free: Mask,
    gallery: Gallery,
    peel: PeelSettings,
    steps: tuple[tuple[float, int], ...],
) -> Found | None:
    """The likeliest face of that print and the likeliest of all, fitted there."""
    pose, prints = proposed.pose, proposed.prints
    polar, mask = picture.polar_and_mask(free, pose, gallery.radius_mm)
    ranks = rank_kinds(polar, mask, gallery, peel.identify)
    if prints is not None:
        own = [k for k, p in zip(gallery.kinds, gallery.prints, strict=True) if prints[p]]
        likely = [r for r in ranks if r.kind in own][:1]
        ranks = likely + [r for r in ranks if r not in likely]
    # its lean is known by now, though only roughly
    # and a disc that would be believed agrees in more than the third by which the scale is told
    ways = replace(peel.align, steps=steps, hopeless=peel.align.coarsest)
    as_it_leans = replace(peel, righted_score=np.inf, align=ways)
    return examine(picture, pose, polar, ranks, free, gallery, as_it_leans)


def _settled(
    disc: Found,
    picture: Picture,
    free: Mask,
    support: Support,
    found: Sequence[Found],
    gallery: Gallery,
    settings: Settings,
    peel: PeelSettings,
) -> Found:
    """The disc fitted at that place on its line of sight where it can rest and its print has its size.

    One that could rest nowhere is left as it is: what lies under it tells its height.
    """
    eye, pose = picture.view.eye_mm, disc.pose
    distance = float(np.linalg.norm(pose.centre_mm - eye))
    resting = support.rests(pose, found)
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
    if again is not None and np.linalg.norm(again.pose.centre_mm - best) < settings.propose.apart_mm:
        there = judged(picture, disc.kind, disc.face, again, free, gallery, peel) or there
    return replace(there, held=True)


def _shown(disc: Found, free: Mask, support: Support) -> Mask:
    """(h, w) of the patch: where neither what stands there nor another disc is before the disc."""
    return np.asarray(free[disc.patch.box] & ~support.hides(disc.patch, disc.pose))


def _cost(
    disc: Found, picture: Picture, free: Mask, support: Support, gallery: Gallery, peel: PeelSettings
) -> float:
    """How badly the face fits its print wherever nothing is before it: mean capped squared misfit."""
    mask = free.copy()
    mask[disc.patch.box] = _shown(disc, free, support)
    return float(costs_of(picture, disc, (disc.face,), mask, gallery, peel, range(1))[0, 0])


def _convinces(disc: Found, free: Mask, support: Support, settings: Settings) -> bool:
    """Whether much of what is left to be seen of the disc is there, or what is there is plain."""
    plain = disc.score > settings.plain * disc.visible and disc.fit.scale < settings.plain_scale
    if plain:
        return disc.score > settings.least_explained
    seen = _shown(disc, free, support)[disc.inside]
    return disc.score > settings.most_explained * max(float(seen.mean()), settings.least_seen)

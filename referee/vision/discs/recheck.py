"""Finds looked at again, now that it is known what lies on them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from referee.vision.discs import identify as naming
from referee.vision.discs import worth as worthy
from referee.vision.discs.align import align
from referee.vision.discs.gallery import SECTORS, Gallery
from referee.vision.discs.identify import rank_kinds
from referee.vision.discs.peel import Found, Settings, costs_of, examine, judged
from referee.vision.discs.picture import Picture

Mask = NDArray[np.bool_]


def checked(picture: Picture, disc: Found, mask: Mask, gallery: Gallery, settings: Settings) -> Found | None:
    """A find looked at again now that it is known what lies on it: turned right, of another kind that fits
    better, or None when it was none.

    mask: (H, W) pixels that may show it.
    """
    fit = disc.fit
    if not disc.tagged and worth_of(picture, disc, mask, gallery, settings) < settings.worth.least:
        return None
    faces = disc.kind.faces
    now = float(costs_of(picture, disc, faces, mask, gallery, settings, range(1)).min())
    poor = not disc.tagged and now > settings.worst_cost and fit.support < settings.fair_support
    if not disc.tagged and now > settings.doubtful_cost:
        ranks = rivals(picture, disc, mask, gallery, settings, 1.0)
        if ranks:
            other = _instead(picture, disc, ranks, mask, gallery, settings)
            if other is not None:
                return other
        elif disc.held:
            poor = False  # it rests there, and nothing else looks more like it
    if poor:
        return None
    if disc.held or disc.tagged or not disc.kind.patterned or now < settings.good_cost:
        return disc
    costs = costs_of(picture, disc, faces, mask, gallery, settings)
    best, turn = np.unravel_index(int(costs.argmin()), costs.shape)
    if costs[best, turn] > now - settings.better_cost:
        return disc
    pose = disc.pose.turned(2 * np.pi * float(turn) / SECTORS)
    again = align(
        picture, pose, faces[best], gallery.radius_mm, settings.align, mask, gain=fit.gain, offset=fit.offset
    )
    if again is None:
        return disc
    return judged(picture, disc.kind, faces[best], again, mask, gallery, settings)


def doubted(
    picture: Picture, disc: Found, mask: Mask, gallery: Gallery, settings: Settings, size: float
) -> Found | None:
    """The find, marked doubtful when its face fits badly in the end; None when its size does as well.

    size: by how much of its size a face may be off where it can rest.
    """
    s = settings
    cost = float(costs_of(picture, disc, (disc.face,), mask, gallery, s, range(1))[0, 0])
    if cost <= s.doubtful_cost:
        return replace(disc, doubtful=False)
    loose = disc.fit.support < s.fair_support and not disc.held
    if disc.tagged:
        return replace(disc, doubtful=loose)
    if cost > s.worst_cost and abs(disc.fit.size - 1) > size:
        return None
    plain = disc.held and cost <= s.plain_cost and worth_of(picture, disc, mask, gallery, s) > s.worth.plain
    rival = not plain and bool(rivals(picture, disc, mask, gallery, s, s.rival_score))
    return replace(disc, doubtful=loose or rival)


def rivals(
    picture: Picture, disc: Found, mask: Mask, gallery: Gallery, settings: Settings, share: float
) -> list[naming.KindFit]:
    """The other kinds whose rings look like what is seen of the disc over `mask`, at least by that share of
    how much its own do; best first."""
    polar, seen = picture.polar_and_mask(mask, disc.pose, gallery.radius_mm)
    ranks = rank_kinds(polar, seen, gallery, settings.identify)
    least = share * next(r.score for r in ranks if r.kind is disc.kind)
    return [r for r in ranks if r.score >= least and r.kind is not disc.kind]


def _instead(
    picture: Picture,
    disc: Found,
    ranks: list[naming.KindFit],
    mask: Mask,
    gallery: Gallery,
    settings: Settings,
) -> Found | None:
    """A disc of another kind that lies where `disc` was thought to and fits plainly better, or None."""
    polar = picture.polar(disc.pose, gallery.radius_mm)
    other = examine(picture, disc.pose, polar, ranks, mask, gallery, replace(settings, righted_score=np.inf))
    if other is None:
        return None
    cost = float(costs_of(picture, other, (other.face,), mask, gallery, settings, range(1))[0, 0])
    if cost > settings.doubtful_cost or other.score < disc.score:
        return None
    return replace(other, held=disc.held)


def worth_of(picture: Picture, disc: Found, mask: Mask, gallery: Gallery, settings: Settings) -> float:
    """What the disc's face is worth over the pixels of `mask`, (H, W)."""
    fit, shows = disc.fit, disc.inside & mask[disc.patch.box]
    radius = fit.size * gallery.radius_mm
    return worthy.worth(picture, disc.face, disc.patch, radius, fit.gain, fit.offset, shows, settings.worth)

"""Where discs of any lean may be: what gathers votes, could rest there, and shows some face's rings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from referee.vision.abreast import each
from referee.vision.discs import circle_votes, ring_match
from referee.vision.discs.circle_votes import Circles, Edges, refined, votes
from referee.vision.discs.disc import Pose
from referee.vision.discs.gallery import Gallery
from referee.vision.discs.peel import Found
from referee.vision.discs.picture import Picture
from referee.vision.discs.ring_match import ring_scores, settle
from referee.vision.discs.support import LEANING_DEG, Support

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Settings:
    votes: circle_votes.Settings = field(default_factory=circle_votes.Settings)
    rings: ring_match.Settings = field(default_factory=ring_match.Settings)
    steepest_deg: float = 126.0
    """Beyond 90 the underside is seen, of a disc that leans towards the eye."""
    edge_on: float = 0.18
    """Cosine of the angle between normal and view below which a face can't be read."""
    shape_mm: float = 4.0
    """By so much do the rims of two discs differ whose shapes are tried one after the other."""
    most_voters: int = 600
    """Where many leans are tried, so many edges vote."""
    most: int = 100
    """So many voted places are compared by their rings."""
    looked_at: int = 12
    """So many of the places where a disc could rest are looked at finely."""
    finalists: int = 5
    """So many are fitted, best first."""
    least_drawn: float = 0.1
    """Share of a face's circles that must be drawn."""
    votes_say: float = 1.0
    """The most that votes add to what the rings say."""
    apart_mm: float = 7.0
    apart_deg: float = 9.0


@dataclass(frozen=True, eq=False)
class Proposal:
    """Where a disc may be. Edges alone are many, and rings need the pose to be right: both speak."""

    votes: float
    score: float
    """Votes and rings together."""
    pose: Pose
    prints: Mask | None = None
    """(prints,) whose circles they may be, of the gallery's, where that was seen finely enough."""


def propose(
    picture: Picture,
    edges: Edges,
    normals: Array,
    free: Mask,
    support: Support,
    found: Sequence[Found],
    gallery: Gallery,
    settings: Settings,
) -> list[Proposal]:
    """Poses of those leans that gather votes, could rest there and show some face's rings, best first."""
    s = settings
    alone = len(normals) == 1
    voters = edges if alone else edges.thinned(s.most_voters)
    circles = Circles.of(gallery, s.votes)
    voted = votes(voters, normals, circles, s.votes)
    eye = picture.view.eye_mm
    apart = _apart(normals[voted.lean], voted.centre_mm, s.most, eye, s)

    def either(share: float, centre: Array, normal: Array, prints: Mask | None = None) -> list[Proposal]:
        poses = (_posed(centre, normal),) if alone else _two_leans(centre, normal, eye, s)
        return [Proposal(share, share, pose, prints) for pose in poses]

    def resting(proposed: Sequence[Proposal], heights: int | None) -> list[Proposal]:
        return [
            replace(p, pose=replace(p.pose, centre_mm=c))
            for p in proposed
            for c in support.rests(p.pose, found)[:heights]
        ]

    # a lean and its mirror have the same circles and nearly the same rings: one of them is looked at roughly
    rough = [
        p
        for k in apart
        for p in either(float(voted.share[k]), voted.centre_mm[k], normals[voted.lean[k]])[:1]
    ]
    if alone:
        there = with_rings(picture, resting(rough, 1), free, gallery, s)
        likely = resting(distinct(there, s.looked_at, eye, s), None)
        settled = settle(picture, [p.pose for p in likely], free, gallery, s.rings, lean=False)
        moved = [replace(p, pose=pose) for (_, pose), p in zip(settled, likely, strict=True)]
        return distinct(with_rings(picture, moved, free, gallery, s), s.finalists, eye, s)
    likely = distinct(with_rings(picture, rough, free, gallery, s), s.looked_at, eye, s)
    closer = each(
        lambda p: refined(edges, p.pose.centre_mm, p.pose.normal, s.shape_mm, circles, s.votes), likely
    )
    fine = [q for c in closer for q in either(*c) if q.votes > s.least_drawn]
    return distinct(with_rings(picture, resting(fine, 1), free, gallery, s), s.finalists, eye, s)


def with_rings(
    picture: Picture, proposed: Sequence[Proposal], free: Mask, gallery: Gallery, settings: Settings
) -> list[Proposal]:
    rings = ring_scores(picture, [p.pose for p in proposed], free, gallery, settings.rings)
    most = settings.votes_say
    return [replace(p, score=float(r) + min(p.votes, most)) for r, p in zip(rings, proposed, strict=True)]


def leans(edges: Edges, gallery: Gallery, settings: Settings) -> Array:
    """(S, 3) unit normals that the eye can read: one for each shape of ellipse that a leaning disc makes."""
    out = []
    across, up, eye = edges.axes.T
    level = settings.shape_mm / gallery.radius_mm
    cosines = np.arange(settings.edge_on, 1.0, level)
    for c in cosines:
        count = max(round(np.pi * (1 - c) / level), 1)
        for turn in np.pi * np.arange(count) / count:
            out.append(c * eye + np.sqrt(1 - c * c) * (np.cos(turn) * across + np.sin(turn) * up))
    normals = np.array(out)
    mirrored = 2 * (normals @ eye)[:, None] * eye - normals
    able = [_able(n, settings) for n in (normals, mirrored)]
    return np.concatenate((normals[able[0]], mirrored[able[1] & ~able[0]]))


def _able(normals: Array, settings: Settings) -> NDArray[np.bool_]:
    flattest, steepest = np.cos(np.radians([LEANING_DEG, settings.steepest_deg]))
    return np.asarray((normals[..., 2] < flattest) & (normals[..., 2] > steepest))


def distinct(proposed: Sequence[Proposal], most: int, eye_mm: Array, settings: Settings) -> list[Proposal]:
    """The best ones that look different from where the eye is; how far off they are shows too little."""
    ranked = sorted(proposed, key=lambda p: -p.score)
    normals = np.array([p.pose.normal for p in ranked]).reshape(-1, 3)
    centres = np.array([p.pose.centre_mm for p in ranked]).reshape(-1, 3)
    return [ranked[i] for i in _apart(normals, centres, most, eye_mm, settings)]


def _apart(normals: Array, centres_mm: Array, most: int, eye_mm: Array, settings: Settings) -> list[int]:
    """The first ones, (N, 3) each, that look different from all before them from where the eye is."""
    rays = centres_mm - eye_mm
    far = np.linalg.norm(rays, axis=1)
    ways = rays / far[:, None]
    alike = np.cos(np.radians(settings.apart_deg))
    open_, kept = np.ones(len(rays), bool), list[int]()
    while open_.any() and len(kept) < most:
        i = int(open_.argmax())
        kept.append(i)
        apart = np.linalg.norm(ways - ways[i], axis=1) * far[i]
        open_ &= (normals @ normals[i] < alike) | (apart > settings.apart_mm)
    return kept


def alike(a: Pose, b: Pose, eye_mm: Array, settings: Settings) -> bool:
    return len(distinct([Proposal(0.0, 0.0, p) for p in (a, b)], 2, eye_mm, settings)) == 1


def beside(a: Pose, b: Pose, eye_mm: Array) -> float:
    """How far apart, in mm, two middles look from the eye."""
    one, other = a.centre_mm - eye_mm, b.centre_mm - eye_mm
    return float(np.linalg.norm(one - other * (np.linalg.norm(one) / np.linalg.norm(other))))


def _two_leans(centre_mm: Array, normal: Array, eye_mm: Array, settings: Settings) -> list[Pose]:
    """The lean and its mirror by the line of sight, which looks the same, as far as a disc can lean so."""
    to_eye = (eye_mm - centre_mm) / np.linalg.norm(eye_mm - centre_mm)
    both = normal, 2 * float(normal @ to_eye) * to_eye - normal
    return [_posed(centre_mm, n) for n in both if _able(n, settings)]


def _posed(centre_mm: Array, normal: Array) -> Pose:
    """With a level x axis."""
    a, b, c = normal
    length = float(np.hypot(a, b))
    x, y = (-b / length, a / length) if length > 0.02 else (1.0, 0.0)
    up = np.array([-c * y, c * x, a * y - b * x])
    axes = np.column_stack(((x, y, 0.0), up / np.sqrt(up @ up), normal))
    return Pose(centre_mm, axes)

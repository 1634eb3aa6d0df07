"""Discs that lie in, on or against the box: seldom flat, often half hidden.

They are sought as leaning discs are anywhere; what is added here is where one could rest in, on or against
the box, and what the box hides of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from referee.facts import Box
from referee.vision.box.hides import hides
from referee.vision.box.rest import bears, gap_to, possible, solid
from referee.vision.discs import leaning as leaners
from referee.vision.discs import peel as peeling
from referee.vision.discs import propose as proposing
from referee.vision.discs.circle_votes import edges_in
from referee.vision.discs.disc import Patch, Pose
from referee.vision.discs.gallery import Gallery
from referee.vision.discs.leaning import peeled
from referee.vision.discs.peel import Found
from referee.vision.discs.picture import Picture
from referee.vision.discs.propose import propose
from referee.vision.discs.rest import Touch
from referee.vision.discs.ring_match import settle
from referee.vision.discs.support import OnOthers
from referee.vision.discs.unexplained import things
from referee.vision.table.backdrop import Backdrop

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Settings:
    flat: leaners.Settings = field(
        default_factory=lambda: leaners.Settings(
            proposing.Settings(looked_at=10, finalists=10, votes_say=0.0),
            size=0.015,
            least_score=0.26,
            least_explained=0.1,
            worst_cost=0.95,
            outweighs=np.inf,
        )
    )
    """For discs about flat on the box: their lean is known, so that rings alone tell them. By a fifth of the
    box's height a face's size may be off, not more."""
    mistaken_deg: float = 7.0
    """A disc near the box that was taken for a flat one and then tilted this much is looked for again."""
    mistaken_size: float = 0.025


@dataclass(frozen=True, eq=False)
class AtTheBox:
    """A table with the box on it."""

    box: Box
    table: OnOthers

    def reaches(self) -> list[tuple[Array, float]]:
        box = self.box
        middle = np.array([box.x_mm, box.y_mm, box.height_mm / 2])
        return [(middle, box.outer_mm / np.sqrt(2) + 1.5 * self.table.radius_mm)]

    def rests(self, pose: Pose, found: Sequence[Found]) -> list[Array]:
        """In, on or against the box; where that can't be, on other discs."""
        own = self.table
        there = possible(pose.centre_mm, pose.normal, own.eye_mm, own.radius_mm, own.thickness_mm, self.box)
        return there or own.rests(pose, found)

    def hides(self, patch: Patch, pose: Pose) -> Mask:
        return hides(self.box, patch, pose, self.table.eye_mm)

    def bears(self, pose: Pose) -> Touch:
        return bears(pose, self.table.radius_mm, self.table.thickness_mm, self.box)


def find_raised(
    picture: Picture,
    support: AtTheBox,
    backdrop: Backdrop,
    gallery: Gallery,
    settings: Settings,
    peel: peeling.Settings,
    before: Sequence[Found] = (),
) -> list[Found]:
    """Discs that lie about flat above the table: on the lid, across the rim, on the floor of the box; after
    those found `before`.

    To be looked for before those on the table: from the plane of the table a disc nearer to the eye is only
    a disc too large, and half believed.
    """
    flat, box = settings.flat, support.box
    found, free = list(before), peeling.unclaimed(picture, before)
    up = np.array([[0, 0, 1.0]])

    def on_the_table(pose: Pose) -> bool:
        """Whether the rings look more like those of a disc on the table, further off and so larger."""
        high = [pose, *(replace(pose, centre_mm=c) for c in support.rests(pose, found))]
        low = pose.at_height(gallery.thickness_mm, picture.view)
        *on_the_box, on_the_table = settle(
            picture, [*high, low], free, gallery, flat.propose.rings, lean=False
        )
        return on_the_table[0] > max(score for score, _ in on_the_box)

    for thing in things(picture, free, backdrop, support.reaches(), flat.unexplained):
        edges = edges_in(picture, thing.window, free & thing.mask, box.height_mm, flat.propose.votes)
        if edges is not None and len(edges.at_mm) >= flat.fewest_voters:
            poses = propose(picture, edges, up, free, support, found, gallery, flat.propose)
            found = peeled(picture, poses, free, found, support, gallery, flat, peel, not_here=on_the_table)
    return found


def without_mistaken(found: Sequence[Found], box: Box, gallery: Gallery, settings: Settings) -> list[Found]:
    """What was found flat, without what more likely leans at the box; what lies in the box is held by it."""
    return [
        replace(f, held=f.held or _in_the_box(f, box, gallery))
        for f in found
        if not _mistaken(f, box, gallery, settings)
    ]


def _mistaken(disc: Found, box: Box, gallery: Gallery, settings: Settings) -> bool:
    """Whether a disc that was sought on the table is more likely one in, on or against the box."""
    middle = disc.pose.middle(gallery.thickness_mm)
    away = float(np.hypot(middle[0] - box.x_mm, middle[1] - box.y_mm))
    if middle[2] > box.height_mm / 2 or away > box.outer_mm / np.sqrt(2) + 2 * gallery.radius_mm:
        return False
    if np.degrees(disc.pose.tilt_rad) > settings.mistaken_deg:
        return True
    if box.outer_mm / 2 > away and not box.lid and abs(disc.fit.size - 1) < settings.flat.size:
        return False  # on the floor of the box
    gap = gap_to(middle, disc.pose.normal, gallery.radius_mm, gallery.thickness_mm, box)
    return disc.fit.size - 1 > settings.mistaken_size or gap < -8.0


def _in_the_box(disc: Found, box: Box, gallery: Gallery) -> bool:
    """Whether a disc that was found flat lies on the floor of the box."""
    middle = solid(box).to_box(disc.pose.middle(gallery.thickness_mm)[None])[0]
    return (
        not box.lid and middle[2] < box.height_mm / 2 and float(np.abs(middle[:2]).max()) < box.outer_mm / 2
    )

"""A picture of the table at rest, read with care: every piece, its name, who lies on whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.facts import Box, Contact, Measure, PieceId, Placed, Rest, Stranger
from referee.formats import BoxSize, Layout, Point
from referee.vision.abreast import each
from referee.vision.box import around as boxed
from referee.vision.box import find as boxes
from referee.vision.box import measure as box_measure
from referee.vision.box.around import AtTheBox
from referee.vision.box.find import BoxSighting, find_box
from referee.vision.box.hides import past_the_box
from referee.vision.box.rest import rest_of, solid
from referee.vision.clock import Clock
from referee.vision.discs import again, leaning, recheck, shade, stacking, strangers
from referee.vision.discs import contact as touching
from referee.vision.discs import order as ordering
from referee.vision.discs import peel as peeling
from referee.vision.discs.again import Before
from referee.vision.discs.align import INFLATE
from referee.vision.discs.disc import Pose, Rays
from referee.vision.discs.gallery import Gallery
from referee.vision.discs.identify import face_log_likelihoods, probabilities
from referee.vision.discs.peel import Found
from referee.vision.discs.picture import Picture
from referee.vision.discs.support import OnOthers, Support, steep
from referee.vision.table.backdrop import Backdrop
from referee.vision.table.pose import TableView

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


Ordered = dict[tuple[int, int], ordering.Evidence]


@dataclass(frozen=True)
class Settings:
    passes: int = 2
    """How often order and heights are worked out from each other."""
    peel: peeling.Settings = field(default_factory=peeling.Settings)
    again: again.Settings = field(default_factory=again.Settings)
    order: ordering.Settings = field(default_factory=ordering.Settings)
    stack: stacking.Settings = field(default_factory=stacking.Settings)
    contact: touching.Settings = field(default_factory=touching.Settings)
    box: boxes.Settings = field(default_factory=boxes.Settings)
    boxed: boxed.Settings = field(default_factory=boxed.Settings)
    leaning: leaning.Settings = field(default_factory=leaning.Settings)
    shade: shade.Settings = field(default_factory=shade.Settings)
    strangers: strangers.Settings = field(default_factory=strangers.Settings)
    measure: box_measure.Settings = field(default_factory=box_measure.Settings)


@dataclass(frozen=True, eq=False)
class Reading:
    """What one picture shows. A piece's track is its index in `placed`."""

    placed: tuple[Placed, ...]
    contacts: tuple[Contact, ...]
    box: Box | None
    poses: tuple[Pose, ...]
    found: tuple[Found, ...]
    """The discs in the order of their peeling."""
    fresh: int
    """So many of them were not recognised from before."""
    timing_ms: dict[str, float]
    strangers: tuple[Stranger, ...] = ()
    """What is round and no disc of the set."""


class Reader:
    """Reads pictures of one camera with one piece set."""

    def __init__(
        self, gallery: Gallery, layout: Layout | None = None, settings: Settings | None = None
    ) -> None:
        self.gallery = gallery
        self.layout = layout
        self.settings = settings or Settings()
        self._rays: tuple[object, Rays] | None = None
        self._box: BoxSighting | None = None
        self._measured: BoxSize | None = None
        self._unmeasured: box_measure.Area | None = None

    def read(self, bgr: NDArray[np.uint8], view: TableView, before: Before | None = None) -> Reading:
        """bgr: (H, W, 3) of the size that `view` was located in; before: what needn't be looked for again."""
        clock = Clock()
        s, gallery = self.settings, self.gallery
        whole = picture = Picture.of(bgr, view, self._rays_of(view))
        backdrop = boxes.backdrop_of(bgr, view)
        box = self._box_of(bgr, view, backdrop)
        clock.lap("box")
        there = list[Found]()
        if before is not None:
            there, where = again.recognise(whole, before, gallery, s.again, s.peel)
            picture = replace(whole, searched=where)
            clock.lap("again")
        found = self._find(picture, box, backdrop, there)
        if box is None and self._size is None and (box := self._measure(whole, found, backdrop)):
            there, found = [], self._find(whole, box, backdrop)  # some may be in, on or against it
        found = [f for f in found if self._in_play(f.pose)]
        picture, found = shade.even(picture, found, gallery, s.shade, s.peel)
        clock.lap("find")
        evidence, laid = self._lay(picture, found, box, self._support(picture, box))
        clock.lap("stack")
        named = each(lambda i: self._name(picture, laid.found, i, evidence), range(len(laid.found)))
        clock.lap("identify")
        contacts = [
            c
            for c in touching.measure(laid, evidence, gallery, view, s.contact)
            if self._comparable(laid.found[c.upper], laid.found[c.lower], box)
        ]
        clock.lap("contact")
        odd = self._strangers(whole, laid.found, box, backdrop)
        clock.lap("strangers")
        placed = tuple(self._placed(laid, i, names, pose, view, box) for i, (names, pose) in enumerate(named))
        poses = tuple(f.pose for f in laid.found)
        fresh = len(laid.found) - len(there)
        return Reading(placed, tuple(contacts), box, poses, tuple(laid.found), fresh, dict(clock.laps), odd)

    def _strangers(
        self, picture: Picture, found: Sequence[Found], box: Box | None, backdrop: Backdrop
    ) -> tuple[Stranger, ...]:
        """What is round and within reach of play, and none of the discs found."""
        free, radius = peeling.unclaimed(picture, found), self.gallery.radius_mm
        elsewise = strangers.markers(self.layout) + ([] if box is None else [solid(box).corners])
        seen = strangers.find(picture, found, free, backdrop, radius, elsewise, self.settings.strangers)
        return tuple(s for s in seen if strangers.near_play(s, self.layout))

    @property
    def _size(self) -> BoxSize | None:
        """Of the box that the layout gives, or that was measured."""
        given = self.layout.box if self.layout else None
        return given or self._measured

    def _box_of(self, bgr: NDArray[np.uint8], view: TableView, backdrop: Backdrop) -> Box | None:
        """The box whose size is known, where it stands now."""
        size = self._size
        self._box = (
            None if size is None else find_box(bgr, view, size, self._box, self.settings.box, backdrop)
        )
        return None if self._box is None else replace(self._box.box, measured=self._measured is not None)

    def _measure(self, picture: Picture, found: list[Found], backdrop: Backdrop) -> Box | None:
        """The box that no layout gives, once it is seen well enough to be measured.

        What couldn't be measured isn't tried again while it looks the same.
        """
        bgr, view, s = picture.bgr, picture.view, self.settings.measure
        area = box_measure.unexplained(bgr, view, backdrop, peeling.unclaimed(picture, found), s)
        if area is None or (self._unmeasured and np.allclose(area, self._unmeasured, atol=s.same_mm)):
            return None
        self._box = box_measure.measure_box(bgr, view, backdrop, area, s)
        if self._box is None:
            self._unmeasured = area
            return None
        box = self._box.box
        self._measured = BoxSize(box.outer_mm, box.height_mm, box.lid)
        return box

    def _find(
        self, picture: Picture, box: Box | None, backdrop: Backdrop, there: Sequence[Found] = ()
    ) -> list[Found]:
        s, gallery = self.settings, self.gallery
        support = self._support(picture, box)
        if isinstance(support, AtTheBox):
            there = boxed.find_raised(picture, support, backdrop, gallery, s.boxed, s.peel, there)
        found = peeling.find(picture, gallery, s.peel, there)
        if box is not None:
            found = boxed.without_mistaken(found, box, gallery, s.boxed)
        return leaning.find(picture, found, support, backdrop, gallery, s.leaning, s.peel)

    def _support(self, picture: Picture, box: Box | None) -> AtTheBox | OnOthers:
        table = OnOthers(picture.view.eye_mm, self.gallery.radius_mm, self.gallery.thickness_mm)
        return table if box is None else AtTheBox(box, table)

    def _lay(
        self, picture: Picture, found: list[Found], box: Box | None, support: Support
    ) -> tuple[Ordered, stacking.Stack]:
        """Order and heights, worked out from each other; finds that were none are dropped on the way."""
        s, gallery = self.settings, self.gallery
        laid: stacking.Stack | None = None
        for turn in range(s.passes):
            evidence, owner = ordering.compare(picture, found, gallery.radius_mm, s.order)
            laid = stacking.stack(picture, found, evidence, support, gallery, s.stack, s.peel, laid)
            masks = [
                _own(mask, owner, i, f)
                for i, (f, mask) in enumerate(zip(laid.found, laid.masks, strict=True))
            ]
            if box is not None:
                eye = picture.view.eye_mm
                masks = [
                    past_the_box(mask, box, f.patch, f.pose, eye)
                    for mask, f in zip(masks, laid.found, strict=True)
                ]
            if turn == s.passes - 1:
                sure = each(
                    lambda d: recheck.doubted(picture, *d, gallery, s.peel, s.leaning.size),
                    zip(laid.found, masks, strict=True),
                )
                there = [f for f in sure if f is not None]
                if len(there) < len(sure):
                    return self._lay(picture, there, box, support)
                return evidence, replace(laid, found=there)
            checked = each(
                lambda d: recheck.checked(picture, *d, gallery, s.peel),
                zip(laid.found, masks, strict=True),
            )
            found = [f for f in checked if f is not None]
            if len(found) < len(checked):
                laid = None  # its indexes no longer hold
        raise ValueError("passes must be at least 1")

    def _in_play(self, pose: Pose) -> bool:
        """Whether a disc counts: what lies outside the play area is stock, or won."""
        area = self.layout.play_area_mm if self.layout else ()
        return not area or _contains(area, pose)

    def _rays_of(self, view: TableView) -> Rays:
        if self._rays is None or self._rays[0] is not view.camera:
            self._rays = (view.camera, Rays.of(view))
        return self._rays[1]

    def _name(
        self, picture: Picture, found: list[Found], i: int, evidence: Ordered
    ) -> tuple[tuple[tuple[PieceId, float], ...], Pose]:
        disc = found[i]
        seen = stacking.shows(picture, found, i, evidence)
        likelihoods, poses = face_log_likelihoods(
            picture, disc.pose, disc.kind, disc.fit, self.gallery.radius_mm, seen, self.settings.peel.identify
        )
        if disc.tagged:
            likelihoods = np.where([f is disc.face for f in disc.kind.faces], 0.0, -20.0)
        p = probabilities(likelihoods) * (0.5 if disc.doubtful else 1.0)
        ranked = np.argsort(-p)
        names = tuple((PieceId(disc.kind.faces[int(k)].piece), float(p[int(k)])) for k in ranked)
        return names, poses[int(ranked[0])]

    def _comparable(self, a: Found, b: Found, box: Box | None) -> bool:
        """Whether the distance of two discs in plan tells how they overlap: both on the table, or both on the
        box and neither leaning steeply."""
        one, other = (f.held and self._rest(f.pose, box) is not Rest.TABLE for f in (a, b))
        return one == other and not (one and steep(a.pose, b.pose))

    def _rest(self, pose: Pose, box: Box | None) -> Rest:
        radius, thickness = self.gallery.radius_mm, self.gallery.thickness_mm
        if box is not None:
            rest, _ = rest_of(pose.middle(thickness), pose.normal, radius, thickness, box)
            if rest is not Rest.TABLE:
                return rest
        edge = self.layout.table_edge_mm if self.layout else ()
        return Rest.TABLE if not edge or _contains(edge, pose) else Rest.OFF_TABLE

    def _placed(
        self,
        laid: stacking.Stack,
        track: int,
        names: tuple[tuple[PieceId, float], ...],
        pose: Pose,
        view: TableView,
        box: Box | None,
    ) -> Placed:
        disc, flat = laid.found[track], laid.flat[track]
        spot = touching.place(laid, track, self.gallery, view, self.settings.contact)
        sx, sy = np.sqrt(np.diag(touching.on_table(laid, track, view, self.settings.contact)))
        x, y = spot.plan_mm
        turn_sigma = float(np.degrees(np.sqrt(disc.fit.covariance[4, 4]))) * INFLATE
        return Placed(
            track=track,
            kind="disc",
            names=names,
            x_mm=Measure(float(x), float(sx)),
            y_mm=Measure(float(y), float(sy)),
            angle_deg=Measure(float(np.degrees(pose.angle_rad)), turn_sigma),
            tilt_deg=Measure(
                0.0 if flat else float(np.degrees(disc.pose.tilt_rad)), float(np.degrees(spot.lean_sigma))
            ),
            face=disc.kind.face,
            state=self._rest(disc.pose, box),
            visible_fraction=disc.visible,
        )


def _own(mask: Mask, owner: NDArray[np.int16], i: int, disc: Found) -> Mask:
    """The mask without the pixels that another disc explains better; only the disc's own patch counts."""
    rows, columns = disc.patch.box
    own = mask.copy()
    whose = owner[rows, columns]
    own[rows, columns] &= (whose < 0) | (whose == i)
    return own


def _contains(polygon: tuple[Point, ...], pose: Pose) -> bool:
    outline = np.array(polygon, np.float32)
    return cv2.pointPolygonTest(outline, (float(pose.centre_mm[0]), float(pose.centre_mm[1])), False) >= 0

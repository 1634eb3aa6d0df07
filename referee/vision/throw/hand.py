"""What lies on the hand: the coaster that is about to be thrown, read just before the flick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from referee.facts import Face, PieceId
from referee.vision.discs import peel
from referee.vision.discs.disc import Pose
from referee.vision.discs.gallery import Gallery
from referee.vision.discs.identify import face_log_likelihoods, probabilities, rank_kinds
from referee.vision.discs.picture import Picture
from referee.vision.frames.source import Frame
from referee.vision.table.pose import TableView
from referee.vision.throw.flight import Flown, Held


@dataclass(frozen=True)
class Settings:
    peel: peel.Settings = field(default_factory=peel.Settings)
    least_visible: float = 0.5
    """Share of the face that must agree with the picture before its family is believed."""
    whole: float = 0.88
    """Share from which the piece is named: else the print may be misread."""
    apart_s: float = 0.09
    """Two frames that are to agree on a name lie at least so far apart."""


@dataclass(frozen=True)
class _Read:
    """What one frame shows on the hand."""

    face: Face
    names: dict[PieceId, float]
    visible: float


def recognise(
    flown: Flown, frames: Sequence[Frame], view: TableView, gallery: Gallery, settings: Settings
) -> Flown:
    """The throw with the names and the face that the disc showed on the hand, where a frame shows them.

    frames: whole frames from about the time before the flick. A throw that wasn't understood may be
    something else, and is left alone. Print is small and easily misread there: a name counts for as much as
    two frames give it, taken apart enough to be smeared differently.
    """
    held = flown.held
    if held is None or not flown.understood or not frames:
        return flown
    nearest = min(frames, key=lambda f: abs(f.t_s - held.t_s))
    seen = _read(nearest, held, view, gallery, settings)
    if seen is None or seen.visible < settings.least_visible:
        return flown
    names = dict.fromkeys(seen.names, 1 / len(seen.names))
    other = max((f for f in frames if nearest.t_s - f.t_s >= settings.apart_s), key=_taken_s, default=None)
    if other is not None and seen.visible >= settings.whole:
        again = _read(other, held, view, gallery, settings)
        if again is not None and again.visible >= settings.whole and again.names.keys() == names.keys():
            names = {name: min(p, again.names[name]) for name, p in seen.names.items()}
    ranked = sorted(names.items(), key=lambda pair: -pair[1])
    return replace(flown, names=tuple(ranked), face=seen.face)


def _taken_s(frame: Frame) -> float:
    return frame.t_s


def _read(frame: Frame, held: Held, view: TableView, gallery: Gallery, settings: Settings) -> _Read | None:
    picture = Picture.of(frame.bgr, view)
    up = held.normal
    across = np.cross([0.0, 1.0, 0.0], up)
    across /= np.linalg.norm(across)
    centre = held.centre_mm + gallery.thickness_mm / 2 * up
    pose = Pose(centre, np.column_stack((across, np.cross(up, across), up)))
    everywhere = np.ones(frame.bgr.shape[:2], bool)
    polar = picture.polar(pose, gallery.radius_mm)
    mask = picture.polar_mask(everywhere, pose, gallery.radius_mm)
    ranks = rank_kinds(polar, mask, gallery, settings.peel.identify)
    disc = peel.examine(picture, pose, polar, ranks, everywhere, gallery, settings.peel)
    if disc is None:
        return None
    likelihoods, _ = face_log_likelihoods(
        picture, disc.pose, disc.kind, disc.fit, gallery.radius_mm, everywhere, settings.peel.identify
    )
    chances = probabilities(likelihoods)
    names = {PieceId(f.piece): float(p) for f, p in zip(disc.kind.faces, chances, strict=True)}
    return _Read(disc.kind.face, names, disc.visible)

"""What lies on the hand: the coaster that is about to be thrown, read just before the flick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from referee.facts import PieceId
from referee.vision import peel
from referee.vision.disc import Pose
from referee.vision.flight import Flown
from referee.vision.gallery import Gallery
from referee.vision.identify import face_log_likelihoods, probabilities, rank_kinds
from referee.vision.picture import Picture
from referee.vision.source import Frame
from referee.vision.table import TableView


@dataclass(frozen=True)
class Settings:
    peel: peel.Settings = field(default_factory=peel.Settings)
    least_visible: float = 0.5
    """Share of the face that must agree with the picture before its family is believed."""
    whole: float = 0.88
    """Share from which the piece is named: else the print may be misread."""


def recognise(
    flown: Flown, frames: Sequence[Frame], view: TableView, gallery: Gallery, settings: Settings
) -> Flown:
    """The throw with the names and the face that the disc showed on the hand, where a frame shows them.

    frames: whole frames from about the time before the flick. A throw that wasn't understood may be
    something else, and is left alone.
    """
    held = flown.held
    if held is None or not flown.understood or not frames:
        return flown
    frame = min(frames, key=lambda f: abs(f.t_s - held.t_s))
    picture = Picture.of(frame.bgr, view)
    up = held.normal
    across = np.cross([0.0, 1.0, 0.0], up)
    across /= np.linalg.norm(across)
    centre = held.centre_mm + gallery.thickness_mm / 2 * up
    pose = Pose(centre, np.column_stack((across, np.cross(up, across), up)))
    everywhere = np.ones(frame.bgr.shape[:2], bool)
    polar = picture.polar(pose, gallery.radius_mm)
    ranks = rank_kinds(
        polar, picture.polar_mask(everywhere, pose, gallery.radius_mm), gallery, settings.peel.identify
    )
    disc = peel.examine(picture, pose, polar, ranks, everywhere, gallery, settings.peel)
    if disc is None or disc.visible < settings.least_visible:
        return flown
    likelihoods, _ = face_log_likelihoods(
        picture, disc.pose, disc.kind, disc.fit, gallery.radius_mm, everywhere, settings.peel.identify
    )
    chances = probabilities(likelihoods)
    if disc.visible < settings.whole:
        chances = np.full(len(chances), 1 / len(chances))
    names = tuple(
        (PieceId(disc.kind.faces[int(k)].piece), float(chances[int(k)])) for k in np.argsort(-chances)
    )
    return replace(flown, names=names, face=disc.kind.face)

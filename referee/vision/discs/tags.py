"""Coasters that carry a marker: which face it is and roughly how it lies, told by the marker alone."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.discs.disc import Pose
from referee.vision.discs.gallery import FaceArt, Gallery, Kind
from referee.vision.discs.picture import Picture
from referee.vision.table.markers import DICTIONARIES

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Tagged:
    """A face whose marker was read."""

    kind: Kind
    face: FaceArt
    poses: tuple[Pose, ...]
    """One or two: seen small, a square can lean either way."""


def read(picture: Picture, gallery: Gallery) -> list[Tagged]:
    """Every face of the gallery whose marker can be read, each once. Empty for a set without markers."""
    owners = {f.tag: (k, f) for k in gallery.kinds for f in k.faces if f.tag is not None}
    if not owners or gallery.tag_mm <= 0:
        return []
    gray = np.asarray(cv2.cvtColor(picture.bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    ids = sorted(owners)
    quads, indexes, _ = _detector(gallery.marker_family, tuple(ids)).detectMarkers(gray)
    found: dict[int, Tagged] = {}
    twice: set[int] = set()
    for quad, index in zip(quads, () if indexes is None else indexes.reshape(-1), strict=True):
        tag = ids[int(index)]
        twice |= {tag} & found.keys()
        kind, face = owners[tag]
        found[tag] = Tagged(kind, face, _poses(picture, gallery, np.asarray(quad, float).reshape(4, 2)))
    return [t for tag, t in found.items() if tag not in twice and t.poses]


def _detector(family: str, ids: tuple[int, ...]) -> cv2.aruco.ArucoDetector:
    whole = cv2.aruco.getPredefinedDictionary(DICTIONARIES[family])
    few = cv2.aruco.Dictionary(whole.bytesList[list(ids)], whole.markerSize, 3)
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    settings.cornerRefinementWinSize = 2
    settings.adaptiveThreshWinSizeMin = 5
    settings.adaptiveThreshWinSizeMax = 21
    settings.adaptiveThreshWinSizeStep = 8
    settings.minMarkerPerimeterRate = 0.015
    settings.maxMarkerPerimeterRate = 0.5
    return cv2.aruco.ArucoDetector(few, settings)


def _poses(picture: Picture, gallery: Gallery, quad: Array) -> tuple[Pose, ...]:
    """Poses of the whole face from its marker's corners (4, 2), clockwise from the top left as printed."""
    x, y = (gallery.radius_mm * c for c in gallery.tag_center)
    h = gallery.tag_mm / 2
    corners = np.array([(x - h, y + h, 0), (x + h, y + h, 0), (x + h, y - h, 0), (x - h, y - h, 0.0)])
    view = picture.view
    ok, turns, shifts, _ = cv2.solvePnPGeneric(
        corners, view.camera.to_ideal(quad), view.camera.matrix, None, flags=cv2.SOLVEPNP_IPPE
    )
    poses = []
    for turn, shift in zip(turns, shifts, strict=True) if ok else ():
        axes = view.rotation.T @ cv2.Rodrigues(turn)[0]
        centre = view.rotation.T @ (shift.reshape(3) - view.translation_mm)
        if axes[2, 2] > 0.2:  # the seen face looks up
            poses.append(Pose(centre, axes))
    return tuple(poses)

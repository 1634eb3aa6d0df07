"""Drawn tables for the tests of the still reader: coasters laid by hand, a picture, a reader's view of it.

The bare table is drawn once for a camera; only the part about the coasters is drawn anew for each scene.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.render import Spec, deal, render
from calibration.render.arrange import pair
from calibration.render.draw import window_about
from calibration.render.rest import drop
from calibration.render.scene import Disc, Scene
from referee import demo
from referee.formats import PieceSet, load_pieces
from referee.vision.discs import gallery
from referee.vision.discs.disc import Pose
from referee.vision.discs.gallery import Gallery
from referee.vision.reading import Reader, Reading
from referee.vision.table import pose as table
from referee.vision.table.camera import Camera
from referee.vision.table.pose import TableView

Bgr = NDArray[np.uint8]
Array = NDArray[np.float64]

SMALL, HD = (1280, 720), (1920, 1080)
ROOM_PX = 24
"""Table left around the coasters in a cut-out."""


@cache
def pieces() -> PieceSet:
    return load_pieces(demo.PIECES)


@cache
def known() -> Gallery:
    return gallery.load(pieces())


@cache
def bare(size: tuple[int, int], tilt_deg: float, seed: int = 1, surface: str = "cloth") -> Scene:
    """A table with its four markers and nothing else on it."""
    return replace(deal(Spec("singles", pieces(), size, tilt_deg, surface), seed), discs=())


@cache
def bare_picture(size: tuple[int, int], tilt_deg: float, seed: int = 1, surface: str = "cloth") -> Bgr:
    return render(bare(size, tilt_deg, seed, surface), seed)


@cache
def bare_view(size: tuple[int, int], tilt_deg: float, seed: int = 1, surface: str = "cloth") -> TableView:
    scene = bare(size, tilt_deg, seed, surface)
    view = table.locate(gray(bare_picture(size, tilt_deg, seed, surface)), lens(scene), scene.layout)
    assert view is not None
    return view


def lens(scene: Scene) -> Camera:
    return Camera.load(scene.view.camera)


def gray(bgr: Bgr) -> Bgr:
    return np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8)


def lay(
    under: Sequence[Disc], piece: str, x_mm: float, y_mm: float, angle_deg: float = 20.0, face: str = "front"
) -> Disc:
    """A coaster let down at a place, onto those that lie there."""
    return drop(pieces(), piece, (x_mm, y_mm), angle_deg, face, under)


def two(
    names: tuple[str, str],
    overlap_mm: float,
    direction_deg: float = 30.0,
    faces: tuple[str, str] = ("front", "front"),
    angles_deg: tuple[float, float] = (40.0, -75.0),
    middle_mm: tuple[float, float] = (10.0, 5.0),
) -> tuple[Disc, Disc]:
    """Two coasters, the second over the first; a gap where the overlap is negative."""
    return pair(pieces(), names, middle_mm, overlap_mm, direction_deg, faces, angles_deg)


@dataclass(frozen=True, eq=False)
class Cut:
    """The part of a picture in which the coasters lie, with the camera that would have taken just that."""

    bgr: Bgr
    view: TableView
    discs: tuple[Disc, ...]

    def read(self) -> Reading:
        return Reader(known()).read(self.bgr, self.view)


def cut(
    discs: Sequence[Disc],
    size: tuple[int, int] = SMALL,
    tilt_deg: float = 35.0,
    seed: int = 1,
    surface: str = "cloth",
) -> Cut:
    """The coasters on a bare table seen through a camera that was placed by that table's markers."""
    scene = replace(bare(size, tilt_deg, seed, surface), discs=tuple(discs))
    window = window_about(scene, discs, ROOM_PX)
    assert window is not None
    view = bare_view(size, tilt_deg, seed, surface)
    matrix = view.camera.matrix.copy()
    matrix[:2, 2] -= window.x, window.y
    camera = replace(view.camera, size_px=(window.width, window.height), matrix=matrix)
    bgr = render(scene, seed, window)
    # No marker is in the cut-out, so that its white isn't known from it: make it what is taken then.
    assert view.corners_px is not None
    white = _paper(bare_picture(size, tilt_deg, seed, surface), view.corners_px)
    bright = np.clip(bgr * (235.0 / white), 0, 255).astype(np.uint8)
    return Cut(bright, replace(view, camera=camera, corners_px=None), tuple(discs))


def _paper(bgr: Bgr, corners_px: Array) -> Array:
    """(3,) the brightest that the markers show: their paper."""
    boxes = [cv2.boundingRect(q.astype(np.float32)) for q in corners_px]
    return np.median([np.percentile(bgr[y : y + h, x : x + w], 97, axis=(0, 1)) for x, y, w, h in boxes], 0)


def true_pose(disc: Disc, thickness_mm: float) -> Pose:
    """The face that looks up, as the eye describes it."""
    axes = disc.rotation.copy()
    if axes[2, 2] < 0:  # the back's picture has the same x axis
        axes[:, 1:] *= -1
    return Pose(disc.center_mm + thickness_mm / 2 * axes[:, 2], axes)

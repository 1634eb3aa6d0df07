"""A face is believed when its print tells what is seen better than a wash of colour; one that was put where
another lies is exchanged for it, or dropped."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee import demo
from referee.facts import Rest
from referee.formats import load_camera, load_layout
from referee.vision.discs import peel, recheck
from referee.vision.discs.align import align
from referee.vision.discs.disc import Pose, Rays
from referee.vision.discs.peel import Found
from referee.vision.discs.picture import Picture
from referee.vision.discs.worth import Settings
from referee.vision.reading import Reader
from referee.vision.table.camera import Camera
from referee.vision.table.pose import locate
from tests.table_scenes import cut, known, lay

Array = NDArray[np.float64]

LEAST = Settings().least
HERE = Pose.flat(0, 0, 3.0, np.radians(70))


EYE = peel.Settings()


@cache
def shown(name: str = "fox3", face: str = "front") -> Picture:
    shot = cut([lay((), name, 0, 0, 70, face)])
    return Picture.of(shot.bgr, shot.view, Rays.of(shot.view))


def everywhere(picture: Picture) -> NDArray[np.bool_]:
    return np.ones(picture.bgr.shape[:2], bool)


def fitted(picture: Picture, piece: str, face: str, as_if: tuple[str, str] | None = None) -> Found:
    """The face fitted where the coaster lies; or another face, `as_if` it were that."""
    kinds = {(f.piece, f.face.value): (k, f) for k in known().kinds for f in k.faces}
    free = everywhere(picture)
    fit = align(picture, HERE, kinds[piece, face][1], known().radius_mm, EYE.align, free)
    assert fit is not None
    kind, art = kinds[as_if or (piece, face)]
    disc = peel.judged(picture, kind, art, fit, free, known(), EYE)
    assert disc is not None
    return disc


def worth_in(picture: Picture, disc: Found, share: float = 1.0) -> float:
    """Of the disc over the leftmost share of its face."""
    seen = everywhere(picture)
    columns = disc.patch.box[1]
    seen[:, columns.start + round(share * (columns.stop - columns.start)) :] = False
    return recheck.worth_of(picture, disc, seen, known(), EYE)


def showing(colours: Callable[[Array, Array], Array]) -> Picture:
    """What the same camera would see of something else: gray of rows and columns, 1 = white."""
    picture = shown()
    rows, columns = np.mgrid[: picture.bgr.shape[0], : picture.bgr.shape[1]].astype(float)
    bgr = np.clip(255 * np.dstack([colours(rows, columns)] * 3), 0, 255).astype(np.uint8)
    return Picture.of(bgr, picture.view, picture.rays)


@pytest.mark.parametrize("face", ["front", "back"])
@pytest.mark.parametrize("share", [1.0, 0.5, 0.3])
def test_a_face_that_is_there_is_worth_it_however_little_is_seen(face, share):
    picture = shown("fox3", face)
    assert worth_in(picture, fitted(picture, "fox3", face), share) > LEAST


@pytest.mark.parametrize(
    "colours",
    [
        lambda rows, columns: 0.5 + 0 * rows,
        lambda rows, columns: 0.2 + 0.6 * columns / columns.max(),
        lambda rows, columns: 0.3 + 0.4 * (rows > rows.max() / 2),
    ],
    ids=["even", "shaded", "an edge"],
)
def test_a_face_is_worth_nothing_where_none_lies(colours):
    disc = fitted(shown(), "fox3", "front")
    assert worth_in(showing(colours), disc) < LEAST


def test_what_hides_half_a_face_does_not_outvote_the_other_half():
    picture = shown()
    disc = fitted(picture, "fox3", "front")
    bgr = picture.bgr.copy()
    columns = disc.patch.box[1]
    bgr[:, (columns.start + columns.stop) // 2 :] = (90, 140, 60)
    assert worth_in(Picture.of(bgr, picture.view, picture.rays), disc) > LEAST


@pytest.mark.parametrize("mistaken", [("gecko2", "back"), ("penguin4", "front"), ("panda1", "front")])
def test_a_print_put_on_another_is_exchanged_for_it_or_dropped(mistaken):
    picture = shown("fox3", "back")
    wrong = fitted(picture, "fox3", "back", as_if=mistaken)
    now = recheck.checked(picture, wrong, everywhere(picture), known(), EYE)
    assert now is None or (now.kind.name, now.kind.face.value) == ("fox back", "back")


def test_a_print_that_fits_stays():
    picture = shown("fox3", "back")
    right = fitted(picture, "fox3", "back")
    now = recheck.checked(picture, right, everywhere(picture), known(), EYE)
    assert now is not None and now.face.piece == "fox3"


def test_a_face_in_the_box_that_its_wall_half_hides_keeps_its_name():
    clip = cv2.VideoCapture(str(demo.CLIP))
    clip.set(cv2.CAP_PROP_POS_FRAMES, 29.1 * clip.get(cv2.CAP_PROP_FPS))
    _, bgr = clip.read()
    lens = Camera.load(load_camera(demo.CAMERA))
    layout = load_layout(demo.LAYOUT)
    view = locate(np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8), lens, layout)
    assert view is not None
    seen = {p.piece: p.state for p in Reader(known(), layout).read(np.asarray(bgr, np.uint8), view).placed}
    assert seen == {"fox4": Rest.TABLE, "gecko4": Rest.IN_BOX}

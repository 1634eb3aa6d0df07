"""Every face is told from all others, however it lies; half a face is never named wrongly."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee import demo
from referee.facts import NAMED
from referee.formats import load_pieces
from referee.vision.discs import gallery, identify
from referee.vision.discs.align import Fit
from referee.vision.discs.disc import Pose
from referee.vision.discs.gallery import FaceArt, Gallery, Kind
from referee.vision.discs.identify import face_log_likelihoods, probabilities, rank_kinds
from referee.vision.discs.picture import Picture
from referee.vision.reading import Reader
from referee.vision.table.camera import Camera
from referee.vision.table.pose import TableView
from tests.table_scenes import cut, known, lay

STOCK = Path(__file__).parents[2] / "shared" / "data" / "poc" / "pieces"
SETS = {
    "printed": demo.PIECES,
    "stock": pytest.param(
        STOCK, marks=pytest.mark.skipif(not STOCK.is_dir(), reason=f"{STOCK} is not on this machine")
    ),
}
SIDE_PX, PER_MM = 128, 1.15
"""A cut-out of a picture in which a coaster is about as large as in 720p."""
TABLE = 150.0


@cache
def loaded(folder: Path) -> Gallery:
    return gallery.load(load_pieces(folder))


@cache
def above() -> TableView:
    """A camera straight above the table, that sees PER_MM pixels a mm at the coasters' faces."""
    middle = (SIDE_PX - 1) / 2
    matrix = np.array([[1000.0, 0, middle], [0, 1000.0, middle], [0, 0, 1]])
    down = np.diag([1.0, -1.0, -1.0])
    eye = np.array([0, 0, 1000.0 / PER_MM + 3.0])
    return TableView(Camera((SIDE_PX, SIDE_PX), matrix, np.zeros(5)), down, -down @ eye, 0.1, (), np.eye(6))


def file_of(folder: Path, face: FaceArt) -> Path:
    piece = next(p for p in load_pieces(folder).pieces if p.id == face.piece)
    return piece.front if face.face.value == "front" else piece.back


def lying(folder: Path, face: FaceArt, angle_deg: float, radius_mm: float) -> Picture:
    """A picture of the face turned by an angle, from the file of its print, on a gray table."""
    art = cv2.imread(str(file_of(folder, face)))
    scale = 2 * radius_mm * PER_MM / art.shape[0]
    middle = (art.shape[1] - 1) / 2, (art.shape[0] - 1) / 2
    warp = cv2.getRotationMatrix2D(middle, angle_deg, scale)
    warp[:, 2] += (SIDE_PX - 1) / 2 - np.array(middle)
    light = np.square(art.astype(np.float32))  # a lens blurs light, not grey values
    soft = cv2.GaussianBlur(light, (0, 0), 0.75 / scale)
    shown = np.sqrt(cv2.warpAffine(soft, warp, (SIDE_PX, SIDE_PX), flags=cv2.INTER_LINEAR))
    y, x = np.mgrid[:SIDE_PX, :SIDE_PX] - (SIDE_PX - 1) / 2
    shown[np.hypot(x, y) > radius_mm * PER_MM] = TABLE
    grain = np.random.default_rng(int(angle_deg)).normal(0, 2, shown.shape)
    return Picture.of(np.clip(shown * (235 / 255) + grain, 0, 255).astype(np.uint8), above())


def fit_at(pose: Pose) -> Fit:
    return Fit(pose, np.ones(3), np.zeros(3), 1.0, np.eye(6) * 1e-6, 0.04, 1.0)


def name(picture: Picture, kind: Kind, pose: Pose, radius_mm: float, shows: np.ndarray) -> tuple[str, float]:
    """The likeliest face of a kind and its probability."""
    scores, _ = face_log_likelihoods(picture, pose, kind, fit_at(pose), radius_mm, shows, identify.Settings())
    p = probabilities(scores)
    return kind.faces[int(p.argmax())].piece, float(p.max())


EVERYWHERE = np.ones((SIDE_PX, SIDE_PX), bool)


@pytest.mark.parametrize("folder", SETS.values(), ids=SETS)
@pytest.mark.parametrize("quarter", range(4))
def test_every_face_of_the_set_is_named_at_every_turn(folder, quarter):
    known_set = loaded(folder)
    for kind in known_set.kinds:
        for k, face in enumerate(kind.faces):
            for third in range(3):
                angle_deg = 90 * quarter + 30 * third + 2.5 * k
                picture = lying(folder, face, angle_deg, known_set.radius_mm)
                pose = Pose.flat(0, 0, 3.0, np.radians(angle_deg))
                polar = picture.polar(pose, known_set.radius_mm)
                ranks = rank_kinds(polar, np.ones(polar.shape[:2], bool), known_set, identify.Settings())
                assert ranks[0].kind is kind, (face.piece, face.face, angle_deg)
                said, p = name(picture, kind, pose, known_set.radius_mm, EVERYWHERE)
                assert said == face.piece and p >= NAMED, (face.piece, face.face, angle_deg, said, p)


@pytest.mark.parametrize("folder", SETS.values(), ids=SETS)
@pytest.mark.parametrize("side", [(1, 0), (-1, 0), (0, 1), (0, -1)])
def test_half_a_face_is_not_named_wrongly(folder, side):
    known_set = loaded(folder)
    y, x = np.mgrid[:SIDE_PX, :SIDE_PX] - (SIDE_PX - 1) / 2
    shows = side[0] * x + side[1] * y > 3
    named = Counter()
    for kind in known_set.kinds:
        for k, face in enumerate(kind.faces):
            picture = lying(folder, face, 37 * k + 10, known_set.radius_mm)
            picture.bgr[~shows] = (40, 90, 200)  # something else lies there
            pose = Pose.flat(0, 0, 3.0, np.radians(37 * k + 10))
            said, p = name(picture, kind, pose, known_set.radius_mm, shows)
            assert said == face.piece or p < NAMED, (face.piece, face.face, said, p)
            named[said == face.piece and p >= NAMED] += 1
    assert named[True] > 0


def test_chances_add_up_and_no_face_is_ever_ruled_out():
    p = probabilities(np.array([0.0, -3.0, -500.0]))
    assert p.sum() == pytest.approx(1) and p.min() > 0 and list(np.argsort(-p)) == [0, 1, 2]
    assert probabilities(np.array([0.0])) == pytest.approx([1.0])


def without(animal: str) -> Gallery:
    """The printed set as it would be known had one family never been shown to it."""
    whole = known()
    kept = [i for i, k in enumerate(whole.kinds) if not k.name.startswith(animal)]
    kinds, prints = (tuple(each[i] for i in kept) for each in (whole.kinds, whole.prints))
    return replace(whole, kinds=kinds, prints=prints, tag_mm=0.0)


RECOLOURED = pytest.mark.xfail(
    strict=True, reason="a blue back passes for a green one of the same pattern in a light that isn't there"
)
"""The fit's colours go by 1.5 between channels there; a real scene's lamp goes by as much."""


@pytest.mark.parametrize(
    ("animal", "face"),
    [
        ("fox", "front"),
        ("fox", "back"),
        ("gecko", "front"),
        pytest.param("gecko", "back", marks=RECOLOURED),
        ("panda", "front"),
        ("panda", "back"),
        ("penguin", "front"),
        pytest.param("penguin", "back", marks=RECOLOURED),
    ],
)
def test_a_coaster_of_an_unknown_family_is_not_named(animal, face):
    shot = cut([lay((), f"{animal}3", 0, 0, 70, face)])
    reading = Reader(without(animal)).read(shot.bgr, shot.view)
    assert [p.piece for p in reading.placed if p.piece] == []


def test_a_plain_white_disc_is_not_named():
    shot = cut([lay((), "fox3", 0, 0, 70)])
    outline = shot.view.to_px(Pose.flat(0, 0, 3.0).rim(47.0))
    bgr = shot.bgr.copy()
    cv2.fillPoly(bgr, [np.rint(outline).astype(np.int32)], (225, 225, 225), cv2.LINE_AA)
    reading = Reader(known()).read(bgr, shot.view)
    assert [p.piece for p in reading.placed if p.piece] == []

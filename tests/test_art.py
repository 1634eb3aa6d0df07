"""The printed set: every face tells its coaster to people and to machines."""

import cv2
import numpy as np
import pytest

from calibration.art import RADIUS_MM, TAG_CENTER, TAG_MM, printed_set, raster, write_piece_set
from calibration.art.faces import FAMILIES
from referee import demo
from referee.formats import load_pieces

SIZE = 480


@pytest.fixture(scope="module")
def pictures():
    return {face.name: raster(face.drawing, SIZE) for face in printed_set()}


def read_tags(picture):
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary).detectMarkers(picture)
    return (
        {int(i): c.reshape(4, 2) for i, c in zip(np.ravel(ids), corners, strict=True)} if len(corners) else {}
    )


def test_there_are_twenty_coasters_and_a_trampoline_each_with_two_faces():
    faces = printed_set()
    assert len({f.piece for f in faces}) == 21
    assert [f.tag for f in faces] == list(range(10, 52))
    assert all(f.tag % 2 == (f.side == "back") for f in faces)


def test_every_face_carries_its_own_marker_upright_where_the_set_says(pictures):
    for face in printed_set():
        found = read_tags(pictures[face.name])
        assert list(found) == [face.tag], face.name
        corners = found[face.tag]
        middle = (corners.mean(axis=0) + 0.5) / SIZE * 2 - 1
        assert np.allclose(middle * [1, -1], TAG_CENTER, atol=0.01)
        top_left, top_right, bottom_right, _ = corners
        assert (
            abs(top_left[1] - top_right[1]) < 2
            and top_right[0] > top_left[0]
            and bottom_right[1] > top_right[1]
        )
        side_mm = np.linalg.norm(top_right - top_left) / SIZE * 2 * RADIUS_MM
        assert side_mm == pytest.approx(TAG_MM, abs=0.5)


def test_no_two_faces_look_alike_even_without_the_marker(pictures):
    names = sorted(pictures)
    small = {n: cv2.resize(_without_tag(pictures[n]), (48, 48), interpolation=cv2.INTER_AREA) for n in names}
    for i, a in enumerate(names):
        for b in names[:i]:
            difference = np.abs(small[a].astype(int) - small[b]).sum(axis=2) > 60
            assert difference.sum() > 15, (a, b)


def test_families_differ_in_lightness_or_shape_for_people_who_see_no_colour(pictures):
    shapes = {f.edge for f in FAMILIES}, {f.pip for f in FAMILIES}
    assert all(len(kinds) == 4 for kinds in shapes)
    grey = {n: cv2.cvtColor(_without_tag(p), cv2.COLOR_BGR2GRAY) for n, p in pictures.items()}
    for i, a in enumerate(FAMILIES):
        for b in FAMILIES[:i]:
            for side in ("front", "back"):
                one, other = (cv2.resize(grey[f"{f.animal}3_{side}"], (60, 60)) for f in (a, b))
                assert (np.abs(one.astype(int) - other) > 25).mean() > 0.05, (a.animal, b.animal, side)


def test_the_rim_is_dark_outside_and_pale_inside_on_every_face(pictures):
    for name, picture in pictures.items():
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        dark, pale = _on_circle(grey, 0.985), _on_circle(grey, 0.951)
        assert dark.max() < 80 and pale.min() > 200, name


def test_the_written_set_reads_back_with_its_markers(tmp_path):
    write_piece_set(tmp_path / "set", radius_mm=45.0, thickness_mm=1.4, size_px=128)
    pieces = load_pieces(tmp_path / "set")
    assert (pieces.radius_mm, pieces.thickness_mm, pieces.tag_mm) == (45.0, 1.4, TAG_MM)
    assert pieces.pieces[0].tags == (10, 11)
    assert next(p for p in pieces.pieces if p.id == "penguin4").value == 4


def test_the_shipped_set_is_what_is_drawn_now(pictures):
    shipped = load_pieces(demo.PIECES)
    for piece in shipped.pieces:
        for side, path in (("front", piece.front), ("back", piece.back)):
            picture = cv2.imread(str(path))
            drawn = cv2.resize(
                pictures[f"{piece.id}_{side}"], picture.shape[1::-1], interpolation=cv2.INTER_AREA
            )
            assert np.abs(picture.astype(int) - drawn).mean() < 4


def _without_tag(picture):
    out = picture.copy()
    x, y = (TAG_CENTER[0] + 1) * SIZE / 2, (1 - TAG_CENTER[1]) * SIZE / 2
    half = 1.3 * TAG_MM / RADIUS_MM * SIZE / 4
    out[int(y - half) : int(y + half), int(x - half) : int(x + half)] = 255
    return out


def _on_circle(grey, radius):
    a = np.linspace(0, 2 * np.pi, 360, endpoint=False)
    x, y = (1 + radius * np.cos(a)) * SIZE / 2 - 0.5, (1 - radius * np.sin(a)) * SIZE / 2 - 0.5
    return grey[np.rint(y).astype(int), np.rint(x).astype(int)]

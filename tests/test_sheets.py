"""The printed sheets: true millimetres on paper."""

import json
import shutil
import subprocess
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.sheets import make_sheets
from referee.errors import ConfigError
from referee.formats import layout_json, load_layout, load_pieces

DPI = 300
PX_PER_MM = DPI / 25.4
TRUE = 0.002

needs_poppler = pytest.mark.skipif(
    shutil.which("pdftoppm") is None, reason="pdftoppm (poppler-utils) is absent"
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sheets")
    return make_sheets(folder / "sheets.pdf")


def page(pdf, number):
    run = ["pdftoppm", "-r", str(DPI), "-f", str(number), "-l", str(number), "-gray", "-singlefile", str(pdf)]
    subprocess.run([*run, str(pdf.with_suffix("")) + f"-{number}"], check=True)
    picture = cv2.imread(str(pdf.with_suffix("")) + f"-{number}.pgm", cv2.IMREAD_GRAYSCALE)
    return picture.astype(float)


def ink(picture):
    return (255 - picture) / 255


@needs_poppler
def test_the_bars_on_the_first_page_are_a_hundred_millimetres_each_way(made):
    black = (page(made[0], 1) < 128).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(black)
    big = stats[1:][stats[1:, cv2.CC_STAT_AREA] > 300 * PX_PER_MM**2]
    lengths = sorted(max(s[cv2.CC_STAT_WIDTH], s[cv2.CC_STAT_HEIGHT]) / PX_PER_MM for s in big)
    flat = {s[cv2.CC_STAT_WIDTH] > s[cv2.CC_STAT_HEIGHT] for s in big}
    assert len(lengths) == 2 and flat == {True, False}
    # A whole pixel is 0.085 mm, which is inside a fifth of a per cent.
    assert lengths == pytest.approx([100, 100], rel=TRUE)


@needs_poppler
def test_the_loose_markers_are_fifty_millimetres_and_upright(made):
    picture = page(made[0], 3).astype(np.uint8)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary, parameters).detectMarkers(picture)
    assert sorted(np.ravel(ids)) == [0, 1, 2, 3]
    for quad in corners:
        a, b, c, d = quad.reshape(4, 2)
        sides = [np.linalg.norm(p - q) / PX_PER_MM for p, q in ((a, b), (b, c), (c, d), (d, a))]
        assert sides == pytest.approx([50] * 4, rel=TRUE)
        assert a[0] < b[0] and a[1] < d[1]


@needs_poppler
def test_a_coaster_is_printed_at_its_diameter(made):
    picture = page(made[0], 6)
    middle = int((10 + 47) * PX_PER_MM)
    row = ink(picture[middle - 1 : middle + 2].mean(axis=0))
    dark = np.nonzero(row > 0.5)[0]
    first = dark[0]
    # The dark rim of the left coaster, from its outer edge to the outer edge on the other side.
    last = max(i for i in dark if i < picture.shape[1] / 2)
    assert (last - first + 1) / PX_PER_MM == pytest.approx(94.0, rel=TRUE)


@needs_poppler
def test_backs_lie_behind_their_fronts_when_the_page_is_turned_over(made):
    front, back = (page(made[0], n).astype(np.uint8) for n in (6, 7))
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    places = []
    for picture in (front, back):
        corners, ids, _ = cv2.aruco.ArucoDetector(dictionary).detectMarkers(picture)
        places.append(
            {int(i): c.reshape(4, 2).mean(axis=0) for i, c in zip(np.ravel(ids), corners, strict=True)}
        )
    assert sorted(places[1]) == [tag + 1 for tag in sorted(places[0])]
    for tag, (x, y) in places[0].items():
        bx, by = places[1][tag + 1]
        assert (front.shape[1] - 1 - bx, by) == pytest.approx((x, y), abs=3)


def test_the_layouts_and_the_piece_set_read_back(made):
    _, markers, mat, pieces = made
    assert load_layout(markers).marker_mm == 50.0
    assert load_layout(mat).marker_mm == 40.0
    assert json.loads(markers.read_text())["box"] == {"outer_mm": 104.0, "height_mm": 66.0, "lid": False}
    assert load_pieces(pieces).radius_mm == 47.0


def test_a_layout_is_written_as_it_is_read(made, tmp_path):
    corners = ((-300.0, -200.0), (300.0, -200.0), (0.0, 200.0))
    layout = replace(load_layout(made[1]), play_area_mm=corners, table_edge_mm=corners)
    path = tmp_path / "layout.json"
    path.write_text(json.dumps(layout_json(layout)))
    assert load_layout(path) == layout


@needs_poppler
def test_the_mat_in_parts_has_its_markers_where_the_layout_says(made):
    layout = load_layout(made[2])
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    found = {}
    for number in (4, 5):
        corners, ids, _ = cv2.aruco.ArucoDetector(dictionary).detectMarkers(
            page(made[0], number).astype(np.uint8)
        )
        for tag, quad in zip(np.ravel(ids), corners, strict=True):
            found[int(tag)] = quad.reshape(4, 2).mean(axis=0) / PX_PER_MM
    (x0, y0), (x3, y3) = layout.marker_centers_mm[0], layout.marker_centers_mm[3]
    assert found[0][1] - found[3][1] == pytest.approx(y3 - y0, rel=TRUE)
    # The right half starts 180 mm to the right of the left half: 190 mm of paper less 10 mm of overlap.
    assert found[1][0] + 180 - found[0][0] == pytest.approx(layout.marker_centers_mm[1][0] - x0, rel=TRUE)
    assert found[3][0] == pytest.approx(found[0][0], abs=0.1) and x3 == x0


@pytest.mark.parametrize("paper", ["A4", "letter", "A3"])
def test_every_paper_holds_all_faces(tmp_path, paper):
    make_sheets(tmp_path / "s.pdf", paper)
    assert (tmp_path / "s.pdf").read_bytes().startswith(b"%PDF")


def test_a_coaster_too_large_for_the_paper_is_said_so_and_nothing_is_written(tmp_path):
    with pytest.raises(ConfigError, match="doesn't fit on A4"):
        make_sheets(tmp_path / "s.pdf", radius_mm=120.0)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_paper_is_refused_with_the_ones_there_are(tmp_path):
    with pytest.raises(ConfigError, match="A4, letter, A3"):
        make_sheets(tmp_path / "s.pdf", paper="B7")

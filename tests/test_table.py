"""From markers to where the camera stands: as near as it says, and not at all where it can't know."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.render import Spec, deal, render
from referee.formats import Layout
from referee.vision.table import markers
from referee.vision.table import pose as table
from referee.vision.table.camera import Camera
from referee.vision.table.edges import step_blur_px
from referee.vision.table.markers import find_markers
from referee.vision.table.pose import TableView, locate, pose
from tests.table_scenes import HD, SMALL, bare, bare_picture, gray, lens, pieces

VIEWS = [(SMALL, 0.0), (SMALL, 35.0), (SMALL, 50.0), (HD, 20.0)]
SPOTS = np.array([(x, y, 0.0) for x in (-250, 0, 250) for y in (-180, 0, 180)], float)


def without(picture: np.ndarray, view: TableView, markers: tuple[int, ...]) -> np.ndarray:
    """The picture with these markers painted over."""
    out = picture.copy()
    for marker in markers:
        quad = view.corners_px[view.markers.index(marker)]
        cv2.fillConvexPoly(out, np.rint(quad.mean(0) + 1.5 * (quad - quad.mean(0))).astype(int), (90, 90, 90))
    return out


def far_off(view: TableView, scene) -> tuple[np.ndarray, np.ndarray]:
    """How far places on the table are read from where they are, and how far that may be (sigmas), mm."""
    off = view.to_mm(scene.view.project(SPOTS)) - SPOTS[:, :2]
    sigma = []
    for x, y, _ in SPOTS:
        jacobian = view.plane_jacobian(x, y)
        sigma.append(np.sqrt(np.diag(jacobian @ view.covariance @ jacobian.T)))
    return off, np.array(sigma)


@pytest.mark.parametrize(("size", "tilt_deg"), VIEWS)
@pytest.mark.parametrize("hidden", [(), (2,), (0, 1), (1, 3)])
def test_two_to_four_markers_place_the_table_as_well_as_they_say(size, tilt_deg, hidden):
    scene, picture = bare(size, tilt_deg), bare_picture(size, tilt_deg)
    whole = locate(gray(picture), lens(scene), scene.layout)
    view = locate(gray(without(picture, whole, hidden)), lens(scene), scene.layout)
    assert view.markers == tuple(sorted({0, 1, 2, 3} - set(hidden)))
    off, sigma = far_off(view, scene)
    assert (np.abs(off) < 3.5 * sigma).all()
    assert sigma.max() < (0.3 if not hidden else 1.5)
    assert view.residual_px < 0.3 and view.camera.given


def test_fewer_markers_leave_more_doubt():
    scene, picture = bare(SMALL, 35.0), bare_picture(SMALL, 35.0)
    found = find_markers(gray(picture), scene.layout)
    doubts = [
        far_off(pose({k: found[k] for k in ids}, lens(scene), scene.layout), scene)[1].mean()
        for ids in ((0, 1, 2, 3), (0, 1, 2), (0, 1))
    ]
    assert doubts == sorted(doubts)


@pytest.mark.parametrize("hidden", [(0, 1, 2), (0, 1, 2, 3)])
def test_one_marker_or_none_is_no_table(hidden):
    scene, picture = bare(SMALL, 35.0), bare_picture(SMALL, 35.0)
    whole = locate(gray(picture), lens(scene), scene.layout)
    assert locate(gray(without(picture, whole, hidden)), lens(scene), scene.layout) is None


def test_markers_too_small_in_the_smaller_picture_are_found_beside_the_others(monkeypatch):
    scene, picture = bare(HD, 50.0), gray(bare_picture(HD, 50.0))
    whole = find_markers(picture, scene.layout)
    monkeypatch.setattr(markers, "SOUGHT_PX", 400)  # 480 pixels wide, in which not all can be read
    plain = [q for _, q in markers._detect(picture, scene.layout, HD[0] // 400) if markers._shortest(q) >= 64]
    assert 2 <= len(plain) < 4
    found = find_markers(picture, scene.layout)
    assert found.keys() == whole.keys() == {0, 1, 2, 3}
    assert all(np.allclose(found[k], whole[k], atol=0.05) for k in found)


def stuck_on(picture: np.ndarray, marker: np.ndarray, x: int, y: int) -> np.ndarray:
    """The picture with another marker, on white paper, near its middle."""
    paper = cv2.copyMakeBorder(marker, 9, 9, 9, 9, cv2.BORDER_CONSTANT, value=255)
    out = picture.copy()
    h, w = paper.shape
    out[y : y + h, x : x + w] = cv2.GaussianBlur(paper, (0, 0), 0.7)[..., None] * 0.9
    return out


@pytest.mark.parametrize(
    ("family", "marker"),
    [(cv2.aruco.DICT_APRILTAG_25h9, 0), (cv2.aruco.DICT_APRILTAG_36h11, 9), (cv2.aruco.DICT_4X4_50, 1)],
)
def test_markers_of_another_family_or_another_number_count_for_nothing(family, marker):
    scene, picture = bare(SMALL, 35.0), bare_picture(SMALL, 35.0)
    drawn = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(family), marker, 72)
    with_it = locate(gray(stuck_on(picture, drawn, 600, 320)), lens(scene), scene.layout)
    plain = locate(gray(picture), lens(scene), scene.layout)
    assert with_it.markers == (0, 1, 2, 3)
    assert np.allclose(with_it.translation_mm, plain.translation_mm, atol=1e-6)


@pytest.mark.parametrize("size", [SMALL, HD])
def test_a_marker_that_is_there_twice_is_not_believed(size):
    scene, picture = bare(size, 35.0), bare_picture(size, 35.0)
    again = cv2.aruco.generateImageMarker(
        cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11), 0, 72
    )
    view = locate(gray(stuck_on(picture, again, 600, 320)), lens(scene), scene.layout)
    assert view.markers == (1, 2, 3)
    off, sigma = far_off(view, scene)
    assert (np.abs(off) < 3.5 * sigma).all()


def test_markers_that_dont_lie_as_the_layout_says_are_no_table():
    scene, picture = bare(SMALL, 35.0), bare_picture(SMALL, 35.0)
    centers = dict(scene.layout.marker_centers_mm)
    centers[0], centers[1] = centers[1], centers[0]
    assert locate(gray(picture), lens(scene), replace(scene.layout, marker_centers_mm=centers)) is None


@pytest.mark.parametrize("tilt_deg", [20.0, 35.0, 50.0])
def test_without_a_camera_file_the_focal_length_is_estimated_and_said_to_be(tilt_deg):
    scene = replace(deal(Spec("singles", pieces(), SMALL, tilt_deg, "cloth", 0.0), 3), discs=())
    view = locate(gray(render(scene, 3)), Camera.guess(SMALL), scene.layout)
    assert not view.camera.given
    assert view.camera.matrix[0, 0] == pytest.approx(scene.view.camera.K[0][0], rel=0.03)
    assert view.camera.matrix[0, 0] == view.camera.matrix[1, 1]


class Sight:
    """Marker corners as a camera without faults would see them, by OpenCV's own projection."""

    def __init__(self, tilt_deg: float) -> None:
        scene = bare(SMALL, tilt_deg)
        self.layout: Layout = scene.layout
        self.rotation, self.shift = scene.view.rotation, scene.view.translation_mm
        matrix = np.array(scene.view.camera.K)
        self.camera = Camera(SMALL, matrix, np.zeros(5))
        half = self.layout.marker_mm / 2
        square = np.array([(-half, half, 0), (half, half, 0), (half, -half, 0), (-half, -half, 0)])
        turn = cv2.Rodrigues(self.rotation)[0]
        self.corners = {
            marker: cv2.projectPoints(
                square + np.array([*at, self.layout.marker_z_mm]), turn, self.shift, matrix, None
            )[0].reshape(4, 2)
            for marker, at in self.layout.marker_centers_mm.items()
        }

    def seen(self, bloom_px: float, noise_px: float, rng: np.random.Generator) -> dict[int, np.ndarray]:
        return {k: shrunk(c, bloom_px) + rng.normal(0, noise_px, (4, 2)) for k, c in self.corners.items()}

    def error(self, view: TableView) -> np.ndarray:
        """(6,) the turn about the camera's axes and the shift that are wrong with a pose."""
        turn = cv2.Rodrigues(view.rotation @ self.rotation.T)[0].reshape(3)
        return np.concatenate((turn, view.translation_mm - cv2.Rodrigues(turn)[0] @ self.shift))


def shrunk(quad: np.ndarray, by_px: float) -> np.ndarray:
    """A convex quadrangle, all of whose sides have moved inwards."""
    middle = quad.mean(axis=0)
    lines = []
    for a, b in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        normal = np.array([-(b - a)[1], (b - a)[0]]) / np.hypot(*(b - a))
        normal *= np.sign(normal @ (middle - a))
        lines.append((normal, normal @ a + by_px))
    return np.array(
        [
            np.linalg.solve([lines[i - 1][0], lines[i][0]], [lines[i - 1][1], lines[i][1]])
            for i in range(len(quad))
        ]
    )


@pytest.mark.parametrize("bloom_px", [0.0, 0.5, 0.9])
def test_how_much_bright_paper_grows_is_estimated(bloom_px):
    sight = Sight(35.0)
    view = pose(sight.seen(bloom_px, 0.0, np.random.default_rng(1)), sight.camera, sight.layout)
    assert view.bloom_px == pytest.approx(bloom_px, abs=0.05)
    assert np.allclose(view.translation_mm, sight.shift, atol=0.1)


@pytest.mark.parametrize("tilt_deg", [0.0, 35.0])
@pytest.mark.parametrize("markers", [(0, 1, 2, 3), (0, 2)])
def test_the_doubt_about_the_pose_is_as_large_as_its_errors(tilt_deg, markers):
    rng, sight, usual = np.random.default_rng(5), Sight(tilt_deg), table.Settings()
    squares = []
    for _ in range(150):
        bloom = rng.normal(usual.bloom_px, usual.bloom_sigma_px)
        seen = sight.seen(bloom, usual.corner_sigma_px, rng)
        view = pose({m: seen[m] for m in markers}, sight.camera, sight.layout)
        error = sight.error(view)
        squares.append(error @ np.linalg.solve(view.covariance, error))
    # chi-square of six: mean 6, and 0.1 % above 22.5. The doubt is widened where corners fit badly.
    assert 4.5 < np.mean(squares) < 7.0
    assert np.mean(np.array(squares) > 22.5) < 0.03


@pytest.mark.parametrize(("x", "y", "z"), [(0, 0, 0), (210, -140, 0), (-180, 120, 6), (50, 60, 66)])
def test_how_a_place_moves_with_the_pose_is_what_small_changes_show(x, y, z):
    scene = bare(SMALL, 35.0)
    view = TableView(lens(scene), scene.view.rotation, scene.view.translation_mm, 0.0, (), np.eye(6))
    px = view.to_px(np.array([[x, y, z]], float))
    numeric = np.zeros((2, 6))
    for k in range(6):
        step = 1e-6 if k < 3 else 1e-3
        ends = []
        for sign in (1, -1):
            p = np.zeros(6)
            p[k] = sign * step
            turn = cv2.Rodrigues(p[:3])[0]
            moved = replace(
                view, rotation=turn @ view.rotation, translation_mm=turn @ view.translation_mm + p[3:]
            )
            ends.append(moved.to_mm(px, z)[0])
        numeric[:, k] = (ends[0] - ends[1]) / (2 * step)
    assert np.allclose(view.plane_jacobian(x, y, z), numeric, rtol=1e-3, atol=2e-2)


def test_a_place_on_the_table_comes_back_from_its_pixel_at_every_height():
    scene = bare(SMALL, 50.0)
    view = TableView(lens(scene), scene.view.rotation, scene.view.translation_mm, 0.0, (), np.eye(6))
    for height in (0.0, 3.0, 66.0):
        places = SPOTS + np.array([0, 0, height])
        assert np.abs(view.to_mm(scene.view.project(places), height) - SPOTS[:, :2]).max() < 0.02
        assert np.abs(view.to_px(places) - scene.view.project(places)).max() < 0.02


@pytest.mark.parametrize("made", ["noise", "chessboard", "black", "white"])
def test_a_picture_of_anything_else_shows_no_table(made):
    layout = bare(SMALL, 35.0).layout
    y, x = np.mgrid[:720, :1280]
    picture = {
        "noise": np.random.default_rng(1).integers(0, 256, (720, 1280)),
        "chessboard": ((x // 40 + y // 40) % 2) * 255,
        "black": np.zeros((720, 1280)),
        "white": np.full((720, 1280), 255),
    }[made].astype(np.uint8)
    assert locate(picture, Camera.guess(SMALL), layout) is None


@pytest.mark.parametrize("blur_px", [0.4, 0.6, 0.9, 1.4])
@pytest.mark.parametrize("turn_deg", [0.0, 17.0, 40.0])
def test_the_blur_of_a_picture_is_read_from_the_steps_of_its_markers(blur_px, turn_deg):
    fine, side = 8, 160
    turn = np.radians(turn_deg)
    out = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 40.0
    quad = out @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) + 79.3
    light = np.full((side * fine, side * fine), 0.8, np.float32)
    cv2.fillPoly(light, [np.rint((quad + 0.5) * fine - 0.5).astype(np.int32)], 0.01)
    within = np.sqrt(blur_px**2 - 1 / 12)  # a pixel gathers light over its own width
    soft = cv2.GaussianBlur(light, (0, 0), within * fine)
    seen = cv2.resize(soft, (side, side), interpolation=cv2.INTER_AREA)
    grain = np.random.default_rng(1).normal(0, 2, seen.shape)
    gray = np.clip(np.sqrt(seen) * 255 + grain, 0, 255).astype(np.uint8)
    told = step_blur_px(gray, quad[None])
    assert told is not None and abs(told - blur_px) < max(0.06, 0.08 * blur_px)


def test_where_no_step_is_plain_no_blur_is_told():
    assert (
        step_blur_px(
            np.full((100, 100), 90, np.uint8), np.array([[[20, 20], [80, 20], [80, 80], [20, 80.0]]])
        )
        is None
    )

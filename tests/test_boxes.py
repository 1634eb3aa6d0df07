"""The box is found where it stands, whatever it is made of and whatever lies on it."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.facts import Box
from referee.formats import BoxSize, load_camera, load_layout
from referee.vision.box.find import BoxSighting, backdrop_of, find_box
from referee.vision.box.measure import measure_box, unexplained
from referee.vision.box.shape import BACKGROUND, TOP, BoxPose, visible_edges
from referee.vision.table.camera import Camera
from referee.vision.table.pose import TableView, locate

SCENES = Path(__file__).parents[1] / ".." / "shared" / "data" / "poc" / "scenes"


def looking_down(
    size_px: tuple[int, int] = (1280, 720), azimuth_deg: float = 0.0, down_deg: float = 55.0
) -> TableView:
    """A camera a metre from the middle of the mat."""
    a, e = np.radians(azimuth_deg), np.radians(down_deg)
    eye = 1000 * np.array([np.sin(a) * np.cos(e), -np.cos(a) * np.cos(e), np.sin(e)])
    forward = -eye / np.linalg.norm(eye)
    right = np.cross(forward, [0, 0, 1.0])
    right /= np.linalg.norm(right)
    rotation = np.array([right, np.cross(forward, right), forward])
    camera = Camera.guess(size_px, 1.1 * size_px[0])
    return TableView(camera, rotation, -rotation @ eye, 0.1, (0, 1, 2, 3), np.zeros((6, 6)))


def draw_table(view: TableView, seed: int = 0) -> np.ndarray:
    """A brown, grained table."""
    width, height = view.camera.size_px
    grain = np.random.default_rng(seed).normal(0, 12, (height // 4, width // 4, 1)).astype(np.float32)
    grain = cv2.resize(cv2.GaussianBlur(grain, (0, 0), 2), (width, height))[..., None]
    return np.clip(np.float32([60, 85, 110]) + 3 * grain, 0, 255).astype(np.uint8)


def draw_box(
    picture: np.ndarray,
    view: TableView,
    pose: BoxPose,
    lid: bool,
    colour: tuple[int, int, int],
    discs: tuple[tuple[float, float, float], ...] = (),
) -> np.ndarray:
    """The box, walls shaded, over the picture; discs (x, y, z) of 47 mm lie over it."""
    half, h = pose.outer_mm / 2, pose.height_mm
    big = cv2.resize(picture, None, fx=4, fy=4, interpolation=cv2.INTER_LINEAR)

    def fill(points: list[tuple[float, float, float]], shade: float, paint=colour, own: bool = True) -> None:
        at = np.array(points, float)
        px = view.to_px(pose.to_table(at) if own else at)
        polygon = np.round(((px + 0.5) * 4 - 0.5) * 16).astype(np.int32)
        cv2.fillPoly(big, [polygon], [float(min(c * shade, 255)) for c in paint], cv2.LINE_AA, 4)

    def ring(side: float, z: float) -> list[tuple[float, float, float]]:
        return [(side, -side, z), (side, side, z), (-side, side, z), (-side, -side, z)]

    foot, top, inner, floor = ring(half, 0), ring(half, h), ring(half - 2, h), ring(half - 2, 2)
    for k in np.flatnonzero(pose.facing(view.eye_mm)):
        j = (k + 1) % 4
        fill([foot[k], foot[j], top[j], top[k]], (0.75, 0.6, 0.85, 0.7)[k])
    fill(top, 1.1)
    if not lid:
        fill(inner, 0.45)
        fill_floor = [tuple(p) for p in floor]
        clip = big.copy()
        fill(fill_floor, 0.6)
        mask = np.zeros(big.shape[:2], np.uint8)
        px = view.to_px(pose.to_table(np.array(inner, float)))
        cv2.fillPoly(mask, [np.round(((px + 0.5) * 4 - 0.5) * 16).astype(np.int32)], 255, cv2.LINE_8, 4)
        big = np.where(mask[..., None] > 0, big, clip)
    angle = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    for i, (x, y, z) in enumerate(discs):
        for radius, paint in ((47, (40, 120, 220)), (36, (215, 225, 230)), (22, (190 - 60 * i, 90, 60))):
            fill([(x + radius * np.cos(a), y + radius * np.sin(a), z) for a in angle], 1.0, paint, own=False)
    small = cv2.GaussianBlur(cv2.resize(big, view.camera.size_px, interpolation=cv2.INTER_AREA), (0, 0), 0.7)
    noise = np.random.default_rng(1).normal(0, 2.5, small.shape)
    return np.clip(small + noise, 0, 255).astype(np.uint8)


def off(found: Box, true: BoxPose) -> tuple[float, float]:
    """How far the found box is from the true one: mm, degrees."""
    turn = abs((found.yaw_deg - true.yaw_deg + 45) % 90 - 45)
    return float(np.hypot(found.x_mm - true.x_mm, found.y_mm - true.y_mm)), turn


@pytest.mark.parametrize(
    ("pose", "lid", "colour", "azimuth_deg"),
    [
        (BoxPose(20, -10, 17, 104, 66), False, (170, 120, 60), 0),
        (BoxPose(-40, 60, 80, 104, 66), True, (60, 170, 60), 40),
        (BoxPose(0, 0, 0, 90, 40), False, (200, 200, 205), 120),
        (BoxPose(60, 30, 44, 120, 50), True, (60, 60, 70), 200),
        (BoxPose(-90, -50, 33, 80, 80), False, (90, 60, 190), 300),
    ],
)
def test_a_box_of_any_size_and_colour_is_found_from_any_side(pose, lid, colour, azimuth_deg):
    view = looking_down(azimuth_deg=azimuth_deg)
    picture = draw_box(draw_table(view), view, pose, lid, colour)
    seen = find_box(picture, view, BoxSize(pose.outer_mm, pose.height_mm, lid))
    assert seen is not None
    mm, deg = off(seen.box, pose)
    assert mm < min(1.0, 4 * seen.sigma_mm)
    assert deg < min(0.7, 4 * seen.sigma_deg)
    assert (seen.box.outer_mm, seen.box.lid, seen.box.measured) == (pose.outer_mm, lid, False)


def test_coasters_on_the_lid_do_not_shift_the_box():
    view = looking_down((1920, 1080))
    pose = BoxPose(10, 20, 25, 104, 66)
    discs = ((0.0, 35.0, 69.0), (-10.0, -20.0, 72.0), (45.0, 30.0, 72.0))
    picture = draw_box(draw_table(view), view, pose, True, (150, 110, 60), discs)
    seen = find_box(picture, view, BoxSize(104, 66, True))
    assert seen is not None
    mm, deg = off(seen.box, pose)
    assert mm < 1.0 and deg < 0.7


def test_an_empty_table_has_no_box():
    view = looking_down()
    assert find_box(draw_table(view), view, BoxSize(104, 66, False)) is None


def test_coasters_alone_are_no_box():
    view = looking_down()
    nowhere = BoxPose(0, 0, 0, 1, 0.01)
    discs = ((0.0, 0.0, 3.0), (95.0, 10.0, 3.0), (40.0, 70.0, 4.5), (-120.0, 40.0, 3.0))
    picture = draw_box(draw_table(view), view, nowhere, True, (60, 85, 110), discs)
    assert find_box(picture, view, BoxSize(104, 66, True)) is None


def test_a_box_that_was_nudged_is_followed_from_where_it_stood():
    view = looking_down()
    pose = BoxPose(20, -10, 17, 104, 66)
    picture = draw_box(draw_table(view), view, pose, False, (170, 120, 60))
    before = BoxSighting(Box(22.0, -8.5, 15.5, 104, 66, False), 0.1, 0.1, 0.7, 0.3)
    seen = find_box(picture, view, BoxSize(104, 66, False), previous=before)
    assert seen is not None
    assert off(seen.box, pose)[0] < 1.0


def test_a_box_that_was_carried_elsewhere_is_not_kept_where_it_stood():
    view = looking_down()
    pose = BoxPose(20, -10, 17, 104, 66)
    picture = draw_box(draw_table(view), view, pose, False, (170, 120, 60))
    before = BoxSighting(Box(-70.0, 40.0, 60.0, 104, 66, False), 0.1, 0.1, 0.7, 0.3)
    seen = find_box(picture, view, BoxSize(104, 66, False), previous=before)
    assert seen is not None
    assert off(seen.box, pose)[0] < 1.0


def test_an_eye_sees_the_top_and_the_walls_that_face_it():
    pose = BoxPose(0, 0, 0, 100, 60)
    edges = visible_edges(pose, np.array([300.0, -400.0, 500.0]), 5.0)
    assert set(edges.face) == {TOP, 0, 3}
    # Seven of the outline and its inner Y: 4 of the top, 2 feet, 3 upright ones.
    assert edges.edge[-1] + 1 == 9
    assert set(edges.beyond) == {BACKGROUND, 0, 3}
    assert (np.abs(edges.points).max(axis=0) <= [50, 50, 60]).all()


@pytest.mark.parametrize(
    "name", [f"box_{n}" for n in range(100, 106)] + [f"lid_{n}" for n in range(100, 104)]
)
def test_the_box_of_a_simulated_scene_is_found_within_its_sigma(name):
    truth = SCENES / f"{name}.json"
    if not truth.exists():
        pytest.skip(f"no scene {name} at {SCENES}")
    box = json.loads(truth.read_text())["box"]
    picture = cv2.imread(str(SCENES / f"{name}.jpg"))
    setup = SCENES / "setup" / f"{name}.json"
    layout = load_layout(setup)
    view = locate(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), Camera.load(load_camera(setup)), layout)
    assert view is not None and layout.box is not None
    seen = find_box(picture, view, layout.box)
    assert seen is not None
    true = BoxPose(*box["center_mm"], box["yaw_deg"], box["outer_mm"], box["height_mm"])
    mm, deg = off(seen.box, true)
    assert mm < min(1.0, 4 * seen.sigma_mm)
    assert deg < min(0.7, 4 * seen.sigma_deg)


def measured(picture: np.ndarray, view: TableView) -> BoxSighting | None:
    """The box of a picture in which no piece was found, looked for as when no layout gives one."""
    backdrop = backdrop_of(picture, view)
    area = unexplained(picture, view, backdrop, np.ones(picture.shape[:2], bool))
    return None if area is None else measure_box(picture, view, backdrop, area)


def test_a_box_that_no_layout_gives_is_measured_and_said_so():
    view = looking_down((1920, 1080))
    pose = BoxPose(20, -10, 17, 96, 58)
    picture = draw_box(draw_table(view), view, pose, False, (170, 120, 60))
    seen = measured(picture, view)
    assert seen is not None and seen.box.measured and not seen.box.lid
    assert abs(seen.box.outer_mm - 96) < 1.0 and abs(seen.box.height_mm - 58) < 1.5
    assert off(seen.box, pose)[0] < 1.0


def chequered(view: TableView) -> np.ndarray:
    """A cloth with squares of 80 mm."""
    width, height = view.camera.size_px
    pixels = np.stack(np.meshgrid(np.arange(float(width)), np.arange(float(height))), -1).reshape(-1, 2)
    dark = (np.floor(view.to_mm(pixels) / 80).astype(int).sum(axis=1) % 2 == 0).reshape(height, width)
    return np.where(dark[..., None], np.uint8([140, 80, 50]), np.uint8([180, 185, 185]))


def test_squares_of_a_cloth_are_not_measured_as_a_box():
    view = looking_down((1920, 1080))
    assert measured(chequered(view), view) is None


def test_squares_of_a_cloth_are_not_taken_for_the_box_that_is_missing():
    view = looking_down()
    assert find_box(chequered(view), view, BoxSize(80, 66, True)) is None


def test_a_box_on_a_chequered_cloth_is_found():
    view = looking_down()
    pose = BoxPose(20, -10, 17, 104, 66)
    picture = draw_box(chequered(view), view, pose, True, (60, 170, 60))
    seen = find_box(picture, view, BoxSize(104, 66, True))
    assert seen is not None
    assert off(seen.box, pose)[0] < 1.0

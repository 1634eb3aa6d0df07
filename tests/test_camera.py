"""The pinhole camera agrees with OpenCV's own functions, and refuses a picture of another shape."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from referee.errors import CalibrationError
from referee.vision.table.camera import Camera

LENSES = {
    "no distortion": (0.0,) * 5,
    "four numbers": (-0.12, 0.05, 0.002, -0.001),
    "five numbers": (-0.12, 0.05, 0.002, -0.001, -0.01),
    "eight numbers": (0.3, -0.1, 0.001, 0.002, 0.02, 0.42, -0.05, 0.01),
}
MATRIX = np.array([[1600.0, 0, 970], [0, 1580, 530], [0, 0, 1]])


def camera(distortion: tuple[float, ...]) -> Camera:
    return Camera((1920, 1080), MATRIX, np.array(distortion))


def spots(count: int = 200) -> np.ndarray:
    """Places all over a picture, X/Z and Y/Z."""
    return np.random.default_rng(1).uniform((-0.58, -0.33), (0.58, 0.33), (count, 2))


@pytest.mark.parametrize("distortion", LENSES.values(), ids=LENSES)
def test_a_point_falls_where_opencv_says(distortion):
    xy = spots()
    solid = np.column_stack((xy, np.ones(len(xy)))) * np.linspace(300, 1500, len(xy))[:, None]
    wanted, _ = cv2.projectPoints(solid, np.zeros(3), np.zeros(3), MATRIX, np.array(distortion))
    assert np.allclose(camera(distortion).project(xy), wanted.reshape(-1, 2), atol=1e-9)


@pytest.mark.parametrize("distortion", LENSES.values(), ids=LENSES)
def test_a_pixel_looks_where_opencv_says(distortion):
    raw = camera(distortion).project(spots())
    rays = camera(distortion).rays(raw)
    wanted = cv2.undistortPoints(raw.reshape(-1, 1, 2), MATRIX, np.array(distortion)).reshape(-1, 2)
    assert np.allclose(rays[:, :2], wanted, atol=1e-9) and (rays[:, 2] == 1).all()


@pytest.mark.parametrize("distortion", LENSES.values(), ids=LENSES)
def test_there_and_back_is_the_same_place_to_a_fiftieth_of_a_pixel(distortion):
    lens, xy = camera(distortion), spots()
    assert np.abs(lens.rays(lens.project(xy))[:, :2] - xy).max() * 1600 < 0.02
    raw = lens.project(xy)
    assert np.abs(lens.to_raw(lens.to_ideal(raw)) - raw).max() < 0.02


def test_ideal_pixels_are_those_of_the_same_lens_without_distortion():
    xy = spots()
    raw = camera(LENSES["five numbers"]).project(xy)
    ideal = camera(LENSES["five numbers"]).to_ideal(raw)
    assert np.abs(ideal - camera(LENSES["no distortion"]).project(xy)).max() < 0.02


@pytest.mark.parametrize("size", [(1280, 720), (960, 540), (3840, 2160)])
def test_a_picture_of_the_same_shape_but_another_size_is_seen_alike(size):
    lens = camera(LENSES["five numbers"])
    other, share = lens.for_frame(size), size[0] / 1920
    assert other.size_px == size
    # pixel centres are whole numbers: the picture's corner lies at -0.5 in every size
    here, there = lens.project(spots()) + 0.5, other.project(spots()) + 0.5
    assert np.allclose(here * share, there, atol=1e-9)


def test_a_shrunk_picture_shows_a_mark_where_the_shrunk_camera_says():
    lens = camera(LENSES["no distortion"])
    spot = np.array([[0.1037, -0.0561]])
    blob = np.zeros((1080, 1920), np.float32)
    y, x = np.mgrid[:1080, :1920]
    u, v = lens.project(spot)[0]
    blob = np.exp(-((x - u) ** 2 + (y - v) ** 2) / 18).astype(np.float32)
    small = cv2.resize(blob, (960, 540), interpolation=cv2.INTER_AREA)
    seen = np.array([(small * x[:540, :960]).sum(), (small * y[:540, :960]).sum()]) / small.sum()
    assert np.allclose(seen, lens.for_frame((960, 540)).project(spot)[0], atol=1e-3)


@pytest.mark.parametrize("size", [(1920, 1200), (1080, 1920), (640, 480), (1920, 1060)])
def test_a_picture_of_another_shape_is_refused_with_both_sizes_and_what_to_do(size):
    with pytest.raises(CalibrationError) as refused:
        camera(LENSES["five numbers"]).for_frame(size)
    said = str(refused.value)
    assert "1920x1080" in said and f"{size[0]}x{size[1]}" in said and "set the camera" in said


def test_a_camera_without_a_file_says_that_it_was_guessed():
    assert not Camera.guess((1280, 720)).given
    assert not Camera.guess((1280, 720)).for_frame((640, 360)).given
    assert camera(LENSES["four numbers"]).given
    assert np.allclose(Camera.guess((1280, 720), 900).matrix, [[900, 0, 639.5], [0, 900, 359.5], [0, 0, 1]])

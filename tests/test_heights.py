"""How surely a face's height is known: by what bears it, by its size, by what shows under its rim."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from referee.vision.discs import heights, peel, under
from referee.vision.discs.align import Fit
from referee.vision.discs.disc import Pose
from referee.vision.discs.heights import Height
from referee.vision.discs.peel import Found
from referee.vision.discs.picture import Picture
from referee.vision.discs.rest import Touch, on_level
from tests.table_scenes import HD, SMALL, Cut, cut, known, lay, true_pose

S = heights.Settings()


def fit(pose: Pose) -> Fit:
    return Fit(pose, np.ones(3), np.zeros(3), 1.0, np.eye(6) * 1e-12, 0.04, 1.0)


def table(pose: Pose) -> Touch:
    return on_level(pose, 0.0, 47.0, 3.0)


def leaning(x_mm: float, z_mm: float, lean_rad: float) -> Pose:
    """Its upper side looks towards +x."""
    return Pose.flat(x_mm, 0, z_mm).moved(np.zeros(3), np.array([0, lean_rad, 0]))


def test_a_doubtful_lean_raises_the_doubt_with_the_distance_from_the_middle():
    lean = np.radians(2)
    plane = Height(3.0, np.diag([0.01, lean**2, lean**2]))
    assert plane.sigma_mm == pytest.approx(0.1)
    assert plane.sigma_at(np.array([40.0, 0])) == pytest.approx(np.hypot(0.1, 40 * lean))
    assert plane.sigma_at(np.array([0, -40.0])) == pytest.approx(np.hypot(0.1, 40 * lean))


def test_the_doubt_of_the_lower_face_where_they_touch_is_the_uppers():
    lean = np.radians(2)
    lower, upper = Pose.flat(0, 0, 3.0), leaning(80, 5, 0.03)
    told = []
    for covariance in (np.diag([0.01, 0, 0]), np.diag([0.01, lean**2, lean**2])):
        told.append(
            heights.rests(upper, fit(upper), table(upper), [(lower, Height(3.0, covariance))], 47.0, 3.0, S)
        )
    sure, doubtful = told
    assert sure.mm == doubtful.mm
    assert doubtful.sigma_mm**2 - sure.sigma_mm**2 == pytest.approx((47 * lean) ** 2, rel=0.01)  # on its rim


def test_on_the_table_the_middle_is_as_doubtful_as_the_lean_makes_it():
    pose = leaning(0, 5, 0.04)
    told = heights.rests(pose, fit(pose), table(pose), [], 47.0, 3.0, S)
    assert told.mm == pytest.approx(47 * np.sin(0.04) + 3 * np.cos(0.04))
    assert told.sigma_mm == pytest.approx(np.hypot(S.rest_sigma_mm, 47 * np.radians(S.warp_deg)), rel=0.01)


def test_a_steep_disc_stands_on_the_ground_or_whole_thicknesses_above_it():
    standing, heap = Height(36.8, np.diag([0.01, 0, 0])), (0.6, 0.2, 0.12, 0.08)
    seen = heights.weigh_steep(standing, (37.0, 0.5), heap, 3.0)
    assert seen.mm == pytest.approx(36.8) and seen.sigma_mm < 0.2
    raised = heights.weigh_steep(standing, (45.6, 1.0), heap, 3.0)
    assert raised.mm == pytest.approx(36.8 + 9) and 0.1 < raised.sigma_mm < 1.0
    poorly = heights.weigh_steep(standing, (39.0, 12.0), heap, 3.0)
    assert poorly.mm == pytest.approx(36.8) and poorly.sigma_mm > 2.5


def test_pile_and_size_that_agree_are_weighed_and_the_size_alone_tells_where_they_contradict():
    pose, piled = leaning(0, 4.5, 0.03), Height(4.5, np.diag([1.0, 0, 0]))
    agreed = heights.weigh_leaning(piled, 1, (5.5, 1.0), pose, 3.0, 47.0, 3.0, S)
    assert agreed.mm == pytest.approx(5.0) and agreed.sigma_mm == pytest.approx(np.sqrt(0.5))
    torn = heights.weigh_leaning(piled, 1, (9.5, 1.0), pose, 3.0, 47.0, 3.0, S)
    assert torn.mm == 9.5 and torn.sigma_mm == 1.0


def finds(shot: Cut) -> tuple[Picture, list[Found]]:
    picture = Picture.of(shot.bgr, shot.view)
    return picture, peel.find(picture, known(), peel.Settings())


def test_what_a_size_tells_is_the_same_whatever_height_it_was_fitted_at():
    shot = cut([lay((), n, x, 0) for n, x in (("fox1", -105), ("penguin3", 0), ("gecko2", 105))])
    picture, found = finds(shot)
    free = [f.fit for f in found]
    shifted = []
    for f, rise in zip(free, (0.0, 2.0, 5.0), strict=True):
        pose = f.pose.at_height(f.pose.centre_mm[2] + rise, shot.view)
        eye = shot.view.eye_mm[2]
        size = f.size * (eye - pose.centre_mm[2]) / (eye - f.pose.centre_mm[2])
        shifted.append(replace(f, pose=pose, size=size))
    one, other = (
        heights.by_size(found, fits, [set() for _ in found], picture, 3.0, S) for fits in (free, shifted)
    )
    assert np.allclose(one, other)
    for told, sigma in one:
        assert abs(told - 3.0) < 3 * sigma


@pytest.mark.parametrize(("size", "tilt_deg"), [(SMALL, 45.0), (HD, 30.0), (HD, 50.0)])
@pytest.mark.parametrize("surface", ["cloth", "wood"])
def test_the_table_shows_under_a_coaster_that_lies_on_it_but_not_under_one_on_another(
    size, tilt_deg, surface
):
    below = lay((), "fox2", 0, 0)
    shots = (
        cut([below], size, tilt_deg, surface=surface),
        cut([below, lay([below], "gecko3", 0, 0)], size, tilt_deg, surface=surface),
    )
    said = []
    for shot in shots:
        picture = Picture.of(shot.bgr, shot.view)
        pose = true_pose(shot.discs[-1], 3.0).at_height(3.0, shot.view)
        free = np.ones(shot.bgr.shape[:2], bool)
        said.append(under.bare(picture, pose, free, 47.0, 3.0, under.Settings()))
    assert said[0] > 0.5 and said[1] <= said[0] / 2

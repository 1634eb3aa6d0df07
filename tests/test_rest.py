"""How high a disc lies and how much two share, against lowering and counting by brute force."""

from __future__ import annotations

import numpy as np
import pytest

from referee.vision.discs.disc import Pose
from referee.vision.discs.rest import height_over, lens, lens_area, table_height

RADIUS, THICKNESS = 47.0, 3.0


def leaning(x: float, y: float, z: float, lean_deg: float, towards_deg: float, turn_deg: float = 0.0) -> Pose:
    """A pose whose upper side looks towards `towards_deg`, lean_deg off upright."""
    a, lean = np.radians(towards_deg), np.radians(lean_deg)
    axis = np.array([-np.sin(a), np.cos(a), 0.0])
    return Pose.flat(x, y, z, np.radians(turn_deg)).moved(np.zeros(3), axis * lean)


def body(pose: Pose, rings: int = 40, spokes: int = 720) -> np.ndarray:
    """(N, 3) points all over the underside."""
    a = np.linspace(0, 2 * np.pi, spokes, endpoint=False)
    r = np.linspace(0, RADIUS, rings)
    u, v = np.outer(r, np.cos(a)).ravel(), np.outer(r, np.sin(a)).ravel()
    flat = np.outer(u, pose.axes[:, 0]) + np.outer(v, pose.axes[:, 1])
    return np.asarray(pose.centre_mm - THICKNESS * pose.normal + flat)


@pytest.mark.parametrize("lean_deg", [0.0, 0.7, 3.0, 12.0, 40.0])
@pytest.mark.parametrize("towards_deg", [0.0, 77.0, 200.0])
def test_on_the_table_the_lowest_point_of_a_disc_is_at_no_height(lean_deg, towards_deg):
    pose = leaning(20, -30, 0, lean_deg, towards_deg)
    height = table_height(pose.normal, RADIUS, THICKNESS)
    lowered = Pose(np.array([20, -30, height]), pose.axes)
    assert abs(body(lowered)[:, 2].min()) < 1e-3


def lowered_onto(upper: Pose, lower: Pose) -> float:
    """The height of the upper's middle at which it first touches the lower's face, point by point."""
    under = body(upper)
    plan = (under[:, :2] - lower.centre_mm[:2]) @ np.linalg.inv(lower.axes[:2, :2]).T
    over = np.hypot(*plan.T) <= RADIUS  # straight above the lower's face
    if not over.any():
        return -np.inf
    face = lower.centre_mm[2] + plan[over] @ lower.axes[2, :2]
    return float(upper.centre_mm[2] + np.max(face - under[over, 2]))


@pytest.mark.parametrize("seed", range(30))
def test_a_disc_lowered_on_another_stops_where_they_touch(seed):
    rng = np.random.default_rng(seed)
    heading, distance = rng.uniform(0, 360), rng.uniform(5, 90)
    x, y = distance * np.cos(np.radians(heading)), distance * np.sin(np.radians(heading))
    lower = leaning(3, -2, 5, rng.uniform(0, 6), rng.uniform(0, 360), rng.uniform(0, 360))
    upper = leaning(3 + x, y - 2, 30, rng.uniform(0, 6), rng.uniform(0, 360), rng.uniform(0, 360))
    assert height_over(upper, lower, RADIUS, THICKNESS)[0] == pytest.approx(
        lowered_onto(upper, lower), abs=0.1
    )


def test_discs_that_share_no_ground_never_touch():
    one, other = Pose.flat(0, 0, 3), Pose.flat(94.001, 0, 3)
    assert height_over(one, other, RADIUS, THICKNESS) is None
    assert lens(one.centre_mm[:2], other.centre_mm[:2], RADIUS) is None


def test_a_level_disc_on_a_level_one_lies_a_thickness_higher():
    assert height_over(Pose.flat(50, 0, 9), Pose.flat(0, 0, 3), RADIUS, THICKNESS)[0] == pytest.approx(6.0)


@pytest.mark.parametrize("distance", [0.0, 1.0, 30.0, 70.0, 93.0, 93.99])
def test_the_border_of_what_two_discs_share_lies_on_both_their_rims(distance):
    a, b = np.array([5.0, 7.0]), np.array([5.0 + 0.6 * distance, 7.0 + 0.8 * distance])
    border = lens(a, b, RADIUS)
    to_a, to_b = np.hypot(*(border - a).T), np.hypot(*(border - b).T)
    assert np.allclose(np.maximum(to_a, to_b), RADIUS, atol=1e-6)


@pytest.mark.parametrize("distance", [0.0, 0.5, 20.0, 47.0, 80.0, 93.0, 94.0, 120.0])
def test_the_shared_area_is_that_of_counted_cells(distance):
    step = 0.05
    x = np.arange(-RADIUS, RADIUS, step) + step / 2
    # by slices across the line of centres: what both discs reach of each
    reach = np.minimum(
        np.sqrt(np.clip(RADIUS**2 - x**2, 0, None)),
        np.sqrt(np.clip(RADIUS**2 - (x - distance) ** 2, 0, None)),
    )
    assert lens_area(distance, RADIUS) == pytest.approx(2 * step * reach.sum(), abs=1.0, rel=1e-3)

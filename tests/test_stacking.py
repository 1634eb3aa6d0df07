"""How high everything lies in a pile: seen, not guessed, and doubted where something may lie hidden."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from referee.vision.discs import order, peel, stacking
from referee.vision.discs.picture import Picture
from referee.vision.discs.support import OnOthers
from tests.table_scenes import HD, SMALL, Cut, cut, known, lay, true_pose, two

WHERE = ((0, 0), (45, 20), (15, 62))
"""Three coasters, each on the one before."""


def laid(shot: Cut) -> stacking.Stack:
    """Found and stacked, twice as the reader does."""
    picture, finding = Picture.of(shot.bgr, shot.view), peel.Settings()
    found, stack = peel.find(picture, known(), finding), None
    table = OnOthers(shot.view.eye_mm, known().radius_mm, known().thickness_mm)
    for _ in range(2):
        seen, _ = order.compare(picture, found, known().radius_mm, order.Settings())
        stack = stacking.stack(picture, found, seen, table, known(), stacking.Settings(), finding, stack)
        found = stack.found
    assert stack is not None
    return stack


def of(stack: stacking.Stack, shot: Cut, i: int) -> int:
    """Which find is the shot's disc number i."""
    off = [np.hypot(*(f.pose.centre_mm - shot.discs[i].center_mm)[:2]) for f in stack.found]
    assert min(off) < 10
    return int(np.argmin(off))


def rise_mm(stack: stacking.Stack, shot: Cut, i: int) -> float:
    """How much too high the shot's disc number i is taken to lie."""
    true = true_pose(shot.discs[i], known().thickness_mm)
    return float(stack.found[of(stack, shot, i)].pose.centre_mm[2] - true.centre_mm[2])


@pytest.mark.parametrize(
    ("tilt_deg", "names"),
    [
        (20.0, ("fox1", "gecko2", "panda5")),
        (35.0, ("penguin1", "panda2", "fox3")),
        (50.0, ("fox1", "gecko2", "panda5")),
        (50.0, ("penguin1", "panda2", "fox3")),
    ],
)
def test_a_pile_of_three_is_as_high_as_it_is(tilt_deg, names):
    discs: list = []
    for name, at in zip(names, WHERE, strict=True):
        discs.append(lay(discs, name, *at, 50))
    shot = cut(discs, SMALL, tilt_deg)
    reading = shot.read()
    assert sorted(p.piece for p in reading.placed) == sorted(names)
    for disc in discs:
        i = next(k for k, p in enumerate(reading.placed) if p.piece == disc.piece)
        true = true_pose(disc, known().thickness_mm)
        assert abs(reading.poses[i].centre_mm[2] - true.centre_mm[2]) < 0.2


@pytest.mark.parametrize("tilt_deg", [10.0, 40.0])
@pytest.mark.parametrize("direction_deg", [0.0, 270.0])
def test_a_level_coaster_on_a_lone_other_is_known_to_lie_on_it(tilt_deg, direction_deg):
    shot = cut(two(("gecko1", "penguin3"), 60.0, direction_deg), SMALL, tilt_deg)
    stack = laid(shot)
    for i in (0, 1):
        assert abs(rise_mm(stack, shot, i)) < 0.2
    assert not stack.flat[of(stack, shot, 1)]


@pytest.mark.parametrize("direction_deg", [0.0, 90.0, 180.0, 270.0])
@pytest.mark.parametrize("names", [("panda3", "fox1"), ("penguin5", "panda2")])
def test_seen_from_straight_above_a_half_hidden_coaster_still_lies_level(direction_deg, names):
    shot = cut(two(names, 30.0, direction_deg, angles_deg=(130.0, 20.0)), SMALL, 0.0)
    stack = laid(shot)
    assert np.degrees(stack.found[of(stack, shot, 0)].pose.tilt_rad) < 1.5
    assert abs(rise_mm(stack, shot, 0)) < 1


def test_a_hidden_coaster_under_a_lone_one_leaves_its_height_in_doubt():
    below = lay((), "fox2", 0, 0)
    raised = cut([below, lay([below], "penguin3", 1, 2)])
    high = laid(raised)
    sigma = high.heights[of(high, raised, 1)].sigma_mm
    assert abs(rise_mm(high, raised, 1)) < 3 * sigma
    assert sigma > 0.15


def test_where_the_table_shows_under_its_rim_a_lone_coaster_is_known_to_lie_on_it():
    lone = cut([lay((), "penguin3", 1, 2)])
    low = laid(lone)
    assert abs(rise_mm(low, lone, 0)) < 0.1
    assert low.heights[of(low, lone, 0)].sigma_mm < 0.2


def test_beside_others_the_size_of_a_coaster_tells_that_something_lies_hidden_under_it():
    below = lay((), "fox2", 0, 0)
    others = [lay((), n, x, y) for n, x, y in (("gecko1", -105, 30), ("panda4", 105, -20))]
    raised = cut([below, lay([below], "penguin3", 1, 2), *others])
    lone = cut([lay((), "penguin3", 1, 2)])
    high, low = laid(raised), laid(lone)
    assert abs(rise_mm(high, raised, 1)) < 0.2
    assert high.heights[of(high, raised, 1)].sigma_mm < low.heights[of(low, lone, 0)].sigma_mm


def test_a_disc_that_leans_on_nothing_is_laid_flat_where_it_fits_as_well_so():
    shot = cut([lay((), "gecko2", 0, 0, 20, "back")], HD, 0.0)
    picture, finding = Picture.of(shot.bgr, shot.view), peel.Settings()
    (found,) = peel.find(picture, known(), finding)
    leaning = replace(found.fit, pose=found.pose.moved(np.zeros(3), np.radians([14.0, 0, 0])), support=0.8)
    table = OnOthers(shot.view.eye_mm, known().radius_mm, known().thickness_mm)
    mistaken = [replace(found, fit=leaning)]
    stack = stacking.stack(picture, mistaken, {}, table, known(), stacking.Settings(), finding)
    true = true_pose(shot.discs[0], known().thickness_mm)
    assert stack.flat == [True]
    assert np.linalg.norm(stack.found[0].pose.centre_mm - true.centre_mm) < 0.15

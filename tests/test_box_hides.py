"""The box hides what lies in it and behind it, as far as the eye can't look over its walls."""

import numpy as np

from referee.facts import Box
from referee.vision.box.hides import hidden

OPEN = Box(0.0, 0.0, 0.0, 104.0, 66.0, False)
CLOSED = Box(0.0, 0.0, 0.0, 104.0, 66.0, True)
FROM_THE_FRONT = np.array([0.0, -800.0, 800.0])


def seen(box: Box, *point: float) -> bool:
    return not hidden(box, np.array([point]), FROM_THE_FRONT)[0]


def test_the_near_wall_hides_the_near_part_of_the_floor():
    assert not seen(OPEN, 0.0, -40.0, 3.0)
    assert seen(OPEN, 0.0, 40.0, 3.0)


def test_a_disc_that_sticks_out_of_the_box_is_seen_above_the_rim():
    assert seen(OPEN, 0.0, -40.0, 70.0)


def test_the_box_hides_the_table_behind_it_and_not_before_it():
    assert not seen(OPEN, 0.0, 80.0, 3.0)
    assert seen(OPEN, 0.0, -80.0, 3.0)
    assert seen(OPEN, 0.0, 140.0, 3.0)


def test_a_lid_hides_all_that_is_under_it_and_nothing_on_it():
    assert not seen(CLOSED, 0.0, 40.0, 3.0)
    assert seen(CLOSED, 0.0, 40.0, 69.0)


def test_a_turned_box_hides_what_its_corner_covers():
    corner = (0.0, -60.0, 1.0)
    assert seen(OPEN, *corner)
    assert not seen(Box(0.0, 0.0, 45.0, 104.0, 66.0, False), *corner)

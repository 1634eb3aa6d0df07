"""Work done on both cores."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from referee.vision.abreast import each
from referee.vision.discs.plan import unrivalled


def test_what_comes_out_is_in_the_order_of_what_went_in() -> None:
    first_is_slow = threading.Event()

    def step(i: int) -> int:
        if i == 0:
            first_is_slow.wait(5)
        if i == 1:
            first_is_slow.set()
        return i * i

    assert each(step, range(5)) == [0, 1, 4, 9, 16]


def test_a_step_may_itself_have_parts() -> None:
    assert each(lambda i: sum(each(lambda j: i * j, range(4))), range(4)) == [0, 6, 12, 18]


def test_what_a_step_fails_with_comes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        each(lambda i: 1 // i, (1, 0))


def test_places_are_looked_at_together_only_out_of_reach_of_better_ones() -> None:
    places = np.array([[0, 0, 0], [50, 0, 0], [100, 0, 0], [300, 0, 0.0]])
    assert unrivalled(places, np.array([3, 2, 1, 4.0]), 60) == [3, 0]
    assert unrivalled(places, np.array([2, 1, 3, 4.0]), 60) == [3, 2, 0]

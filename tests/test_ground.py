"""Where a throw meets something first."""

from __future__ import annotations

import numpy as np
import pytest

from referee.facts import Box
from referee.vision.throw.ground import Ground
from referee.vision.throw.spin import FLICK, LEAN, PLACE, RATE, SIZE, SPEED, Disc

DISC = Disc(47.0, 3.0)
TAU = np.linspace(0, 0.5, 2001)


def dropped(x_mm: float, y_mm: float, lean: float = 0.0) -> np.ndarray:
    """A disc let go 200 mm over a place, which doesn't turn."""
    x = np.zeros(SIZE)
    x[PLACE], x[SPEED], x[LEAN] = (x_mm, y_mm, 200.0), 0.0, (lean, 0.0)
    x[RATE] = x[FLICK] = 0.0
    return x


def centre_mm(ground: Ground, x: np.ndarray) -> float:
    """Height of the middle at first contact."""
    first = TAU[int(np.argmax(ground.touched(x, TAU, DISC)))]
    return float(200 - 9810 / 2 * first**2)


def box(lid: bool, yaw_deg: float = 0.0) -> Ground:
    return Ground(Box(100.0, 50.0, yaw_deg, 104.0, 66.0, lid))


def test_a_flat_throw_meets_the_table_when_it_is_as_low_as_a_coaster_lies() -> None:
    assert centre_mm(Ground(), dropped(0, 0)) == pytest.approx(4, abs=1)


def test_a_leaning_throw_meets_the_table_with_its_rim() -> None:
    assert centre_mm(Ground(), dropped(0, 0, lean=1.0)) == pytest.approx(47 * np.sqrt(0.5) + 4, abs=2)


@pytest.mark.parametrize("yaw_deg", [0.0, 30.0, -45.0])
def test_a_throw_on_the_box_meets_the_lid(yaw_deg: float) -> None:
    assert centre_mm(box(True, yaw_deg), dropped(100, 50)) == pytest.approx(66, abs=3)


@pytest.mark.parametrize("lid", [True, False])
def test_a_throw_half_over_the_wall_meets_its_upper_edge(lid: bool) -> None:
    assert centre_mm(box(lid), dropped(160, 50)) == pytest.approx(66, abs=3)


def test_a_throw_beside_the_box_meets_the_table() -> None:
    assert centre_mm(box(True), dropped(205, 50)) == pytest.approx(4, abs=1)


def test_a_throw_into_the_open_box_falls_past_its_edges() -> None:
    assert centre_mm(box(False), dropped(100, 50)) == pytest.approx(4, abs=1)


def test_the_outline_of_a_turned_box_is_turned() -> None:
    corner = np.array([100 + 62.0, 50.0])
    assert box(True, 45.0).height_mm(corner) == 66.0
    assert box(True, 0.0).height_mm(corner) == 0.0
    assert box(False, 45.0).height_mm(corner) == 0.0

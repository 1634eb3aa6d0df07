"""A table read again: what still lies there is recognised, only the rest is looked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from calibration.render import Spec, deal, render
from calibration.render.scene import Disc
from referee.facts import Placed
from referee.vision.discs.again import Before
from referee.vision.reading import Reader, Reading
from referee.vision.table.pose import TableView, locate
from referee.vision.watch import motion
from referee.vision.watch.steady import Difference
from tests.table_scenes import SMALL, Bgr, bare, bare_picture, bare_view, gray, known, lay, lens, pieces

TILT_DEG = 35.0
FOX, GECKO, PANDA = laid = (
    lay((), "fox1", -60.0, 20.0),
    lay((), "gecko2", 80.0, 60.0, 70.0),
    lay((), "panda3", 60.0, -80.0, 200.0, "back"),
)
NEW = lay(laid, "penguin4", 120.0, 20.0, 130.0)
"""Over the gecko."""


def picture(discs: Sequence[Disc], seed: int = 1) -> Bgr:
    scene = replace(bare(SMALL, TILT_DEG), discs=tuple(discs))
    return render(scene, seed)


@cache
def first() -> tuple[Bgr, Reading]:
    shown = picture(laid)
    return shown, Reader(known()).read(shown, bare_view(SMALL, TILT_DEG))


def again(discs: Sequence[Disc]) -> tuple[Reading, Reading]:
    """The next picture read with and without what was known."""
    was, reading = first()
    now = picture(discs, 2)
    view = bare_view(SMALL, TILT_DEG)
    before = Before(reading.found, changed(was, now))
    return Reader(known()).read(now, view, before), Reader(known()).read(now, view)


def changed(was: Bgr, now: Bgr, view: TableView | None = None) -> np.ndarray:
    seeing, view = motion.Settings(), view or bare_view(SMALL, TILT_DEG)
    a, b = (motion.glimpse(i, 0.0, p, seeing) for i, p in enumerate((was, now)))
    return Difference.between(a, b, view, known().radius_mm, seeing).near(known().radius_mm / 2)


def by_name(reading: Reading) -> dict[str, Placed]:
    return {p.piece or "?": p for p in reading.placed}


def covers(reading: Reading) -> dict[tuple[str | None, str | None], float]:
    name = [p.piece for p in reading.placed]
    return {
        (name[c.upper], name[c.lower]): c.overlap_mm.value for c in reading.contacts if c.overlap_mm.value > 0
    }


def same(a: Reading, b: Reading) -> None:
    one, other = by_name(a), by_name(b)
    assert one.keys() == other.keys()
    for name in one:
        assert one[name].x_mm.value == pytest.approx(other[name].x_mm.value, abs=0.1)
        assert one[name].y_mm.value == pytest.approx(other[name].y_mm.value, abs=0.1)
    assert covers(a) == pytest.approx(covers(b), abs=0.2)


def test_what_still_lies_there_is_recognised_and_what_is_new_is_found() -> None:
    reading, cold = again((*laid, NEW))
    assert sorted(by_name(reading)) == ["fox1", "gecko2", "panda3", "penguin4"]
    assert list(covers(reading)) == [("penguin4", "gecko2")]
    assert reading.fresh <= 2  # the new one, and the one that it covers
    same(reading, cold)


def test_what_was_taken_away_is_gone_and_nothing_else() -> None:
    reading, cold = again((FOX, PANDA))
    assert sorted(by_name(reading)) == ["fox1", "panda3"] and reading.fresh == 0
    same(reading, cold)


@pytest.mark.parametrize("by_mm", [1.0, 8.0])
def test_what_was_pushed_is_measured_where_it_lies_now(by_mm: float) -> None:
    pushed = lay((), "fox1", -60.0 + by_mm, 20.0)
    reading, cold = again((pushed, GECKO, PANDA))
    assert by_name(reading)["fox1"].x_mm.value == pytest.approx(-60.0 + by_mm, abs=0.2)
    same(reading, cold)


def test_another_coaster_in_the_same_place_is_named_anew() -> None:
    other = lay((), "fox5", -60.0, 20.0)
    reading, cold = again((other, GECKO, PANDA))
    assert sorted(by_name(reading)) == ["fox5", "gecko2", "panda3"]
    same(reading, cold)


def test_nothing_is_lost_when_a_box_is_put_down_and_measured() -> None:
    scene = deal(Spec("box", pieces(), SMALL, TILT_DEG, "cloth"), 1)
    apart = lay((), "fox1", -180.0, -90.0), lay((), "gecko2", 190.0, 90.0, 70.0)
    was, now = (render(replace(scene, box=box, discs=apart), n) for n, box in enumerate((None, scene.box), 1))
    layout = replace(scene.layout, box=None)
    view = locate(gray(was), lens(scene), layout)
    reader = Reader(known(), layout)
    first = reader.read(was, view)
    assert first.box is None and first.fresh == 2
    second = reader.read(now, view, Before(first.found, changed(was, now, view)))
    assert second.box is not None and second.box.measured
    assert sorted(by_name(second)) == ["fox1", "gecko2"]


def test_all_of_a_new_coaster_counts_as_changed() -> None:
    was = bare_picture(SMALL, TILT_DEG)
    mask = changed(was, picture((FOX,)))
    rim = bare_view(SMALL, TILT_DEG).to_px(by_pose(FOX))
    assert all(mask[round(y), round(x)] for x, y in rim)
    assert mask.mean() < 0.12


def by_pose(disc: Disc) -> np.ndarray:
    turn = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    local = known().radius_mm * np.column_stack((np.cos(turn), np.sin(turn), np.zeros(48)))
    return disc.center_mm + local @ disc.rotation.T

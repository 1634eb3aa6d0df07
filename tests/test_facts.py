"""Measures, contacts, and what differs between two scenes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.facts import Contact, Face, Measure, Rest, Touch, Verdict, compare, shifted
from referee.facts import touch as judge
from tests.poc_scenes import flight, placed, scene, touch, track_of


def test_a_measure_is_unsure_within_three_sigma_of_the_limit() -> None:
    assert Measure(1.0, 0.3).above(0.0) is Verdict.YES
    assert Measure(0.8, 0.3).above(0.0) is Verdict.UNSURE
    assert Measure(-0.8, 0.3).above(0.0) is Verdict.UNSURE
    assert Measure(-1.0, 0.3).above(0.0) is Verdict.NO


def test_a_perfect_measure_is_never_unsure() -> None:
    assert Measure(0.1, 0.0).above(0.0) is Verdict.YES
    assert Measure(0.0, 0.0).above(0.0) is Verdict.NO


def test_half_the_doubt_lies_on_either_side_of_touching() -> None:
    assert Measure(0.0, 0.3).chance_above(0.0) == pytest.approx(0.5)
    assert Measure(0.3, 0.3).chance_above(0.0) == pytest.approx(0.841, abs=0.001)
    assert Measure(-0.1, 0.0).chance_above(0.0) < 1e-5


def test_what_a_lean_says_of_overlapping_goes_before_the_distance() -> None:
    near = Contact(1, 2, Measure(0.1, 0.3), 1.0, 0.0, overlap_p=0.999)
    assert near.overlap_chance() == 0.999
    assert near.overlap_chance(eps_mm=0.1) == pytest.approx(0.5)


@given(st.floats(-50, 50), st.floats(0.01, 5), st.floats(0.5, 1.0))
def test_growing_overlap_goes_from_clear_through_too_close_to_covers(
    start: float, sigma: float, upper_p: float
) -> None:
    order = [Touch.CLEAR, Touch.TOO_CLOSE, Touch.COVERS]
    seen = [judge(Measure(start + i * sigma, sigma), upper_p) for i in range(200)]
    assert [order.index(s) for s in seen] == sorted(order.index(s) for s in seen)


def test_a_plain_overlap_with_no_telling_who_is_on_top_is_too_close() -> None:
    assert judge(Measure(20.0, 0.3), 0.9) is Touch.TOO_CLOSE
    assert judge(Measure(20.0, 0.3), 0.99) is Touch.COVERS


def test_a_tolerance_moves_the_limit() -> None:
    assert judge(Measure(3.0, 0.3), 1.0) is Touch.COVERS
    assert judge(Measure(3.0, 0.3), 1.0, eps_mm=5.0) is Touch.CLEAR
    assert judge(Measure(5.1, 0.3), 1.0, eps_mm=5.0) is Touch.TOO_CLOSE


def test_how_a_disc_leans_may_tell_more_than_the_distance() -> None:
    close = Measure(0.3, 0.3)
    assert judge(close, 1.0) is Touch.TOO_CLOSE
    assert judge(close, 1.0, overlap_p=0.9999) is Touch.COVERS
    assert judge(close, 1.0, overlap_p=0.0001) is Touch.CLEAR
    assert judge(close, 1.0, overlap_p=0.5) is Touch.TOO_CLOSE
    assert Contact(1, 2, close, 1.0, 0.0, overlap_p=0.9999).touch() is Touch.COVERS
    assert judge(close, 1.0, eps_mm=5.0, overlap_p=0.9999) is Touch.CLEAR


def test_a_piece_is_named_only_when_that_is_sure() -> None:
    assert placed("fox1").piece == "fox1"
    assert placed("fox1", names={"fox1": 0.89, "fox2": 0.11}).piece is None
    assert placed("fox1", names={}).piece is None
    assert flight("fox1").piece == "fox1"
    assert flight("fox1", names={"fox1": 0.5}).piece is None


def test_two_scenes_differ_in_what_came_went_and_moved() -> None:
    before = scene([placed("fox1"), placed("fox2", (100.0, 0.0)), placed("fox3", (200.0, 0.0))])
    after = scene([placed("fox1"), placed("fox2", (103.0, 0.0)), placed("fox4", (300.0, 0.0))])
    change = compare(before, after)
    assert change.appeared == {track_of("fox4")}
    assert change.vanished == {track_of("fox3")}
    assert change.moved == {track_of("fox2")}
    assert change


def test_a_nudge_within_the_doubt_is_no_move() -> None:
    assert not compare(scene([placed("fox1")]), scene([placed("fox1", (0.5, 0.0))]))
    assert not shifted(placed("fox1"), placed("fox1", (0.5, 0.0)))
    assert shifted(placed("fox1"), placed("fox1", (5.0, 0.0)))


@pytest.mark.parametrize("other", [{"state": Rest.ON_RIM}, {"face": Face.BACK}])
def test_what_turned_over_or_fell_has_moved(other: dict[str, object]) -> None:
    one = placed("fox1")
    assert compare(scene([one]), scene([replace(one, **other)])).moved == {one.track}


def test_a_throw_is_a_change_even_if_nothing_lies_elsewhere() -> None:
    assert compare(scene(), scene(flights=[flight("fox1", lost=True)]))


def test_before_the_first_scene_there_was_nothing() -> None:
    change = compare(None, scene([placed("fox1")]))
    assert change.before is None
    assert change.appeared == {track_of("fox1")}


def test_a_piece_is_found_by_its_track() -> None:
    seen = scene([placed("fox1")], [touch("fox1", "fox2", 1.0)])
    assert seen.at(track_of("fox1")).piece == "fox1"
    with pytest.raises(KeyError):
        seen.at(1)

"""Which coaster a throw was."""

from __future__ import annotations

import numpy as np
import pytest

from referee.facts import Face, Measure, PieceId, Rest, Touch, Verdict
from referee.vision.throw import throws
from referee.vision.throw.flight import Flown
from referee.vision.watch import track
from referee.vision.watch.motion import Mask
from referee.vision.watch.steady import Difference
from referee.vision.watch.track import Book
from tests import small_world as world
from tests.test_track import follow, laid

EDGE = np.array([(-360.0, -300.0), (360.0, -300.0), (360.0, 300.0), (-360.0, 300.0)])
SETTINGS, TRACKING = throws.Settings(), track.Settings()
FOX5 = ((PieceId("fox5"), 0.99),)


def flown(
    x: float,
    y: float,
    names: tuple[tuple[PieceId, float], ...] = (),
    understood: bool = True,
    at: int = 50,
    bound_mm: tuple[float, float] | None = None,
) -> Flown:
    turns = Measure(1.0, 0.1) if understood else None
    flip = Verdict.YES if understood else Verdict.UNSURE
    landed = (x, y) if understood else None
    return Flown(
        at, at + 10, at / 30, turns, flip, landed, at + 14, (x, y), bound_mm or (x, y), None, names, Face.BACK
    )


def difference(everywhere: bool) -> Difference:
    mask: Mask = np.full((180, 320), 255 if everywhere else 0, np.uint8)
    return Difference(mask, world.view(), 47.0)


def attribute(*flights: Flown, before: Book, after: Book, changed: bool = False):
    return throws.attribute(flights, before, after, difference(changed), EDGE, 47.0, SETTINGS, TRACKING)


def test_a_throw_is_the_coaster_that_appeared_where_it_came_down() -> None:
    before = follow(Book(), laid(0, "fox1", 0, 0))
    after = follow(before, laid(0, "fox1", 0, 0), laid(1, "gecko2", 150, 40))
    (flight,), _ = attribute(flown(140, 30), before=before, after=after)
    assert (flight.piece, flight.flip, flight.start_face) == ("gecko2", Verdict.YES, Face.BACK)


def test_a_coaster_that_was_only_nudged_was_not_thrown() -> None:
    before = follow(Book(), laid(0, "fox3", -121, 52))
    after = follow(before, laid(0, "fox3", -119, 54))
    (flight,), _ = attribute(flown(-110, 50, FOX5), before=before, after=after)
    assert flight.track is None
    assert flight.piece == "fox5"


def test_a_coaster_taken_up_from_the_table_can_be_thrown() -> None:
    before = follow(Book(), laid(0, "fox3", -121, 52))
    after = follow(before, laid(0, "fox3", 100, 0))
    (flight,), _ = attribute(flown(90, 10), before=before, after=after)
    assert flight.piece == "fox3"


def test_two_throws_become_the_two_coasters_nearest_to_where_they_came_down() -> None:
    before = Book()
    after = follow(before, laid(0, "fox1", 100, 0), laid(1, "gecko2", -100, 0))
    flights, _ = attribute(flown(-80, 0), flown(70, 10, at=90), before=before, after=after)
    assert [f.piece for f in flights] == ["gecko2", "fox1"]


def test_the_name_read_on_the_hand_decides_between_two_that_appeared() -> None:
    after = follow(Book(), laid(0, "fox5", 100, 0), laid(1, "gecko2", 30, 0))
    (flight,), _ = attribute(flown(50, 0, FOX5), before=Book(), after=after)
    assert flight.piece == "fox5"


def test_a_throw_that_came_down_but_cannot_be_read_lies_there_to_be_asked_about() -> None:
    before = follow(Book(), laid(0, "panda5", 60, 0), laid(1, "penguin4", 5, 5))
    after = follow(before, laid(0, "panda5", 60, 0))
    (flight,), book = attribute(flown(0, 0, FOX5), before=before, after=after, changed=True)
    piece = next(p for p in book.placed if p.track == flight.track)
    assert (piece.piece, piece.state) == ("fox5", Rest.TABLE)
    assert piece.x_mm.sigma > 10
    assert {p.piece for p in book.placed} == {"panda5", "penguin4", "fox5"}
    mine = [c for c in book.contacts if piece.track in (c.upper, c.lower)]
    assert mine and all(c.touch() is Touch.TOO_CLOSE for c in mine)


def test_a_throw_that_left_nothing_behind_left_the_table() -> None:
    (flight,), book = attribute(flown(400, 0, FOX5), before=Book(), after=Book())
    assert (flight.track, flight.piece, flight.lost) == (None, "fox5", False)
    assert book == Book()


def test_a_throw_that_was_flying_off_the_table_left_it() -> None:
    (flight,), _ = attribute(flown(330, 0, FOX5, bound_mm=(420, 20)), before=Book(), after=Book())
    assert not flight.lost


def test_a_throw_that_came_down_on_the_table_and_is_not_found_there_is_lost() -> None:
    (flight,), _ = attribute(flown(100, 0, FOX5), before=Book(), after=Book())
    assert (flight.track, flight.piece, flight.lost) == (None, "fox5", True)


@pytest.mark.parametrize("changed", [False, True])
def test_something_that_moved_but_was_no_throw_is_forgotten(changed: bool) -> None:
    flights, book = attribute(flown(0, 0, understood=False), before=Book(), after=Book(), changed=changed)
    assert flights == ()
    assert book == Book()


def test_a_coaster_of_another_family_than_the_one_on_the_hand_was_not_thrown() -> None:
    on_hand = ((PieceId("fox5"), 0.97), (PieceId("fox3"), 0.02))
    after = follow(Book(), laid(0, "gecko2", 50, 0))
    (flight,), _ = attribute(flown(50, 0, on_hand), before=Book(), after=after)
    assert (flight.track, flight.piece) == (None, "fox5")


def test_a_misread_value_on_the_hand_yields_to_the_reading_of_the_table() -> None:
    on_hand = ((PieceId("fox5"), 0.97), (PieceId("fox3"), 0.001))
    after = follow(Book(), laid(0, "fox3", 50, 0))
    (flight,), _ = attribute(flown(50, 0, on_hand), before=Book(), after=after)
    assert flight.piece == "fox3"


def test_a_thing_that_merely_moved_does_not_take_the_coaster_of_a_throw() -> None:
    after = follow(Book(), laid(0, "fox5", 30, 0))
    flights, _ = attribute(
        flown(0, 0, FOX5), flown(30, 0, understood=False, at=70), before=Book(), after=after
    )
    assert [(f.piece, f.flip) for f in flights] == [("fox5", Verdict.YES)]

"""The same coaster keeps its track; what is covered is remembered; what is gone goes."""

from __future__ import annotations

from dataclasses import replace

from referee.facts import Contact, Face, Measure, PieceId, Placed, Rest, Touch
from referee.vision.watch import track
from referee.vision.watch.track import Book

SETTINGS = track.Settings()
RADIUS_MM = 47.0


def laid(
    index: int,
    name: str | None,
    x: float,
    y: float,
    sigma: float = 0.1,
    p: float = 0.99,
    face: Face = Face.FRONT,
) -> Placed:
    names = ((PieceId(name), p),) if name else ()
    turn = Measure(0.0, 1.0)
    x_mm, y_mm = Measure(x, sigma), Measure(y, sigma)
    return Placed(index, "disc", names, x_mm, y_mm, turn, Measure(0.0, 0.5), face, Rest.TABLE, 1.0)


def over(upper: int, lower: int, overlap: float, sigma: float = 0.2, p: float = 1.0) -> Contact:
    return Contact(upper, lower, Measure(overlap, sigma), p, 100.0)


def follow(
    book: Book, *placed: Placed, contacts: tuple[Contact, ...] = (), untouched: frozenset[int] = frozenset()
) -> Book:
    return track.follow(book, placed, contacts, untouched, RADIUS_MM, SETTINGS)[0]


def tracks(book: Book) -> dict[str | None, int]:
    return {p.names[0][0] if p.names else None: p.track for p in book.placed}


def test_a_coaster_keeps_its_track_when_the_reading_lists_it_elsewhere() -> None:
    book = follow(Book(), laid(0, "fox1", 0, 0), laid(1, "panda2", 120, 0))
    again = follow(book, laid(0, "panda2", 120.1, 0), laid(1, "fox1", 0, 0.1))
    assert tracks(again) == tracks(book)


def test_a_named_coaster_keeps_its_track_however_far_it_was_pushed() -> None:
    book = follow(Book(), laid(0, "fox1", 0, 0), laid(1, "panda2", 120, 0))
    again = follow(book, laid(0, "fox1", -180, 90), laid(1, "panda2", 120, 0))
    assert tracks(again)["fox1"] == tracks(book)["fox1"]


def test_an_unnamed_coaster_is_followed_by_its_place() -> None:
    book = follow(Book(), laid(0, None, 0, 0))
    assert follow(book, laid(0, "fox1", 4, 0, p=0.6)).placed[0].track == book.placed[0].track


def test_a_new_name_in_an_old_place_is_a_new_coaster() -> None:
    book = follow(Book(), laid(0, "fox1", 0, 0))
    again = follow(book, laid(0, "gecko4", 1, 0))
    assert tracks(again)["gecko4"] != tracks(book)["fox1"]


def test_numbers_are_never_given_twice() -> None:
    book = follow(Book(), laid(0, "fox1", 0, 0))
    empty = follow(book)
    assert empty.placed == ()
    assert follow(empty, laid(0, "fox2", 0, 0)).placed[0].track != book.placed[0].track


def test_a_coaster_that_another_hides_is_remembered_and_lies_below_it() -> None:
    book = follow(Book(), laid(0, "penguin1", 0, 108))
    covered = follow(book, laid(0, "fox5", 2, 107))
    hidden = next(p for p in covered.placed if not p.in_view)
    assert hidden.piece == "penguin1"
    assert hidden.x_mm.sigma > 1.0
    (contact,) = covered.contacts
    assert contact.lower == hidden.track
    assert contact.touch() is Touch.COVERS


def test_a_coaster_that_is_hidden_but_for_a_sliver_is_remembered() -> None:
    book = follow(Book(), laid(0, "fox5", -2.4, 11.8))
    again = follow(book, laid(0, "gecko4", 2.5, 13.9))  # nine tenths of the area lie under it
    assert {p.piece: p.in_view for p in again.placed} == {"fox5": False, "gecko4": True}


def test_a_coaster_stays_hidden_under_one_that_the_reading_missed() -> None:
    book = follow(Book(), laid(0, "fox5", 0, 0))
    book = follow(book, laid(0, "gecko4", 2, 0))
    top = tracks(book)["gecko4"]
    again = follow(book, laid(0, "fox1", 200, 0), untouched=frozenset({top}))
    assert {p.piece: p.in_view for p in again.placed} == {"fox5": False, "gecko4": True, "fox1": True}


def test_a_hidden_coaster_is_back_when_what_hid_it_is_taken_away() -> None:
    book = follow(Book(), laid(0, "penguin1", 0, 108))
    covered = follow(book, laid(0, "fox5", 2, 107))
    bare = follow(covered, laid(0, "penguin1", 0.4, 108))
    assert [(p.piece, p.in_view, p.track) for p in bare.placed] == [("penguin1", True, book.placed[0].track)]


def test_a_hidden_coaster_that_is_not_there_when_uncovered_is_gone() -> None:
    book = follow(Book(), laid(0, "penguin1", 0, 108))
    covered = follow(book, laid(0, "fox5", 2, 107))
    assert tracks(follow(covered, laid(0, "fox5", 200, 0))) == {"fox5": 1}


def test_a_hidden_coaster_keeps_lying_on_what_it_lay_on() -> None:
    below, above = laid(0, "panda5", 30, 0), laid(1, "fox2", 0, 0)
    book = follow(Book(), below, above, contacts=(over(1, 0, 64.0),))
    covered = follow(book, laid(0, "panda5", 30, 0), laid(1, "gecko5", -1, 0), contacts=(over(1, 0, 63.0),))
    by_name = tracks(covered)
    kept = {(c.upper, c.lower) for c in covered.contacts}
    assert (by_name["fox2"], by_name["panda5"]) in kept
    assert (by_name["gecko5"], by_name["fox2"]) in kept


def test_a_coaster_taken_away_is_gone() -> None:
    book = follow(Book(), laid(0, "fox1", 0, 0), laid(1, "panda2", 120, 0))
    assert tracks(follow(book, laid(0, "panda2", 120, 0))) == {"panda2": 1}


def test_a_coaster_missed_by_the_reading_stays_while_its_place_is_untouched() -> None:
    book = follow(Book(), laid(0, "fox1", 0, 0), laid(1, "panda2", 120, 0))
    again = follow(book, laid(0, "panda2", 120, 0), untouched=frozenset({0}))
    assert next(p for p in again.placed if p.track == 0).in_view


def test_a_coaster_missed_by_the_reading_does_not_cover_what_came_near_for_sure() -> None:
    book = follow(Book(), laid(0, "fox1", 0, 0))
    again = follow(book, laid(0, "panda2", 80, 0), untouched=frozenset({0}))
    (contact,) = again.contacts
    assert contact.touch() is Touch.TOO_CLOSE


def test_nudges_below_three_sigma_add_up_until_they_show() -> None:
    book = follow(Book(), laid(0, "fox1", 0, 0))
    start = book
    for step in range(1, 4):
        book = follow(book, laid(0, "fox1", 0.18 * step, 0))
        assert book.placed[0].x_mm == start.placed[0].x_mm
    book = follow(book, laid(0, "fox1", 0.72, 0))
    assert book.placed[0].x_mm.value == 0.72


def test_a_better_look_at_an_unmoved_coaster_replaces_a_worse_one() -> None:
    book = follow(Book(), laid(0, "fox1", 0, 0, sigma=0.5))
    assert follow(book, laid(0, "fox1", 0.2, 0, sigma=0.1)).placed[0].x_mm == Measure(0.2, 0.1)


def test_a_name_once_read_stays_when_the_face_is_half_covered() -> None:
    book = follow(Book(), laid(0, "fox1", 0, 0))
    assert follow(book, laid(0, "fox1", 0, 0, p=0.5)).placed[0].piece == "fox1"


def test_a_coaster_turned_over_takes_its_new_name() -> None:
    book = follow(Book(), laid(0, "fox1", 0, 0))
    turned = follow(book, laid(0, "fox1", 0, 0, p=0.5, face=Face.BACK))
    assert turned.placed[0].piece is None


def test_the_surer_of_two_readings_of_an_unmoved_pair_stands() -> None:
    pair = laid(0, "fox1", 0, 0), laid(1, "panda2", 90, 0)
    book = follow(Book(), *pair, contacts=(over(0, 1, 4.0, 0.2),))
    again = follow(book, *pair, contacts=(over(0, 1, 3.7, 0.4),))
    assert again.contacts == book.contacts
    surer = follow(book, *pair, contacts=(over(0, 1, 3.7, 0.1),))
    assert surer.contacts[0].overlap_mm == Measure(3.7, 0.1)


def test_a_pair_that_moved_is_measured_anew() -> None:
    pair = laid(0, "fox1", 0, 0), laid(1, "panda2", 90, 0)
    book = follow(Book(), *pair, contacts=(over(0, 1, 4.0, 0.2),))
    apart = follow(book, pair[0], replace(pair[1], x_mm=Measure(93.5, 0.1)), contacts=(over(0, 1, 0.5, 0.4),))
    assert apart.contacts[0].overlap_mm == Measure(0.5, 0.4)


def test_a_name_is_on_the_table_once_and_goes_to_the_surer_of_two() -> None:
    sure = laid(0, "gecko1", 0, 0, p=0.9996)
    names = ((PieceId("gecko1"), 0.96), (PieceId("gecko4"), 0.03), (PieceId("gecko2"), 0.005))
    book = follow(
        Book(),
        replace(sure, names=((PieceId("gecko1"), 0.9996), (PieceId("gecko4"), 0.0002))),
        replace(laid(1, None, 120, 0), names=names),
    )
    first, second = book.placed
    assert first.piece == "gecko1"
    assert second.names[0][0] == "gecko4"
    assert second.piece is None

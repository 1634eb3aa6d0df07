"""What people may put in the place of a ruling that they dispute, and what may be declared."""

from __future__ import annotations

from dataclasses import replace

from referee.games.poc import GAME, words
from referee.games.poc.moves import Observed, Table, Zone
from referee.games.poc.rules import rule
from referee.games.poc.state import State
from tests.poc_states import covers, position, throw


def said(state: State, *moves: object) -> list[str]:
    return ["; ".join(GAME.say(m) for m in story) for story in GAME.alternatives(state, moves)]


def test_a_capture_may_have_been_no_half_turn_a_miss_or_the_other_way_up() -> None:
    state = position("F3", out="P1 P2 P3")
    assert said(state, throw(state, "P4", "P4>F3")) == [
        "Ana throws panda 4 without a half turn, over fox 3",
        "Ana throws panda 4, on the table",
        "Ana throws panda 4, on the table, under fox 3",
        "Ana throws panda 4, in or on the box",
        "Ana throws panda 4, leaning on the box, over fox 3",
        "",
    ]


def test_a_near_miss_may_have_been_a_hit() -> None:
    state = position("F3")
    move = throw(state, "P4")
    move = replace(move, table=replace(move.table, near=covers("P4>F3")))
    assert "Ana throws panda 4, over fox 3" in said(state, move)
    assert "Ana throws panda 4, on the table, under fox 3" in said(state, move)


def test_another_coaster_may_have_been_thrown() -> None:
    state = position()
    assert "Ana throws panda 5, on the table" in said(state, throw(state, "P4"))


def test_of_two_throws_each_may_be_disputed() -> None:
    state = position(players="PF")
    first = throw(state, "P4")
    after = rule(state, first).state
    stories = said(state, first, throw(after, "F3"))
    assert "Ana throws panda 4 without a half turn, on the table; Ben throws fox 3, on the table" in stories
    assert "Ana throws panda 4, on the table" in stories


def test_what_comes_to_the_same_is_not_offered() -> None:
    """Off the table it is out, whether it made its half turn or not."""
    state = position()
    move = throw(state, "P4", at=Zone.ELIMINATED)
    assert "Ana throws panda 4 without a half turn, off the table" not in said(state, move)


def test_what_shifted_between_passes_may_be_disputed() -> None:
    state = position("F3 G1 N5")
    waiting = rule(state, throw(state, "P4", "P4>F3")).state
    seen = Table(tuple((p, waiting.zones[p]) for p in waiting.in_play()), covers("G1>N5"))
    assert "the table now: gecko 1 and penguin 5 alone on the table" in said(waiting, Observed(seen))


def test_any_single_animal_that_lay_there_may_have_been_met() -> None:
    state = position("F3 G1 N5")
    stories = said(state, throw(state, "P4"))
    for met in ("fox 3", "gecko 1"):
        assert f"Ana throws panda 4, over {met}" in stories


def test_every_throw_of_the_seat_in_turn_may_be_declared() -> None:
    state = position("F3 G1 N2")
    told = {GAME.say(move) for move in GAME.options(state, "Ana")}
    for piece in state.stock(0):
        for flip in ("", " without a half turn"):
            for landing in ("on the table", "in or on the box", "leaning on the box", "off the table"):
                assert f"Ana throws {words.piece(piece)}{flip}, {landing}" in told
            for met in ("fox 3", "gecko 1", "penguin 2", "fox 3 and gecko 1", "gecko 1 and penguin 2"):
                assert f"Ana throws {words.piece(piece)}{flip}, over {met}" in told


def test_what_may_be_declared_stays_a_modest_number_on_a_full_table() -> None:
    state = position("F1 F2 G1 G2 G3 N1 N2 N3 N4", box="P1 F4", thrower="N")
    assert 10 < len(GAME.options(state, None)) <= 30 * len(state.stock(0)) + 30
    assert GAME.options(state, "Ben") == tuple(
        m for m in GAME.options(state, None) if isinstance(m, Observed)
    )

"""From pairs of scenes to readings: what the camera saw, and what the referee makes of it."""

from __future__ import annotations

import pytest

from referee.facts import Measure, PieceId, Rest, Scene, Verdict, compare
from referee.games.poc import GAME
from referee.games.poc.moves import Misplaced, Observed, Throw, Turn, Zone
from referee.games.poc.rules import finish, rule
from referee.games.poc.state import State
from referee.rules.game import Explained, Nothing, Unclear
from tests.poc_scenes import flight, placed, scene, touch
from tests.poc_states import covers, pieces, position, throw

P4, F3, G1, N5 = "panda4", "fox3", "gecko1", "penguin5"
HERE, THERE, APART = (0.0, 0.0), (60.0, 0.0), (300.0, 0.0)


def read(state: State, before: Scene | None, after: Scene) -> Explained | Unclear | Nothing:
    return GAME.read(state, compare(before, after))


def explained(state: State, before: Scene | None, after: Scene) -> State:
    """The state after the explanation, which there must be."""
    reading = read(state, before, after)
    assert isinstance(reading, Explained), reading
    for move in reading.moves:
        ruling = rule(state, move)
        assert not any(c.foul for c in ruling.calls), ruling.calls
        state = ruling.state
    return state


def asked(state: State, before: Scene | None, after: Scene) -> tuple[str, list[list[str]]]:
    """The question and its options in words."""
    reading = read(state, before, after)
    assert isinstance(reading, Unclear), reading
    assert 1 <= len(reading.options) <= 6
    return reading.question, [[GAME.say(m) for m in story] for story in reading.options]


# --- throws that are plain to see ---


def test_a_throw_that_lies_alone_is_read_with_its_figures() -> None:
    state = position()
    reading = read(state, scene(), scene([placed(P4)], flights=[flight(P4)]))
    assert isinstance(reading, Explained)
    (move,) = reading.moves
    assert isinstance(move, Throw)
    assert (move.seat, move.piece, move.flip) == ("Ana", P4, True)
    assert dict(move.table.zones) == {P4: Zone.FLAT}
    assert reading.because == ("panda 4 made 2.0 ± 0.2 half turns in the air",)


def test_a_throw_onto_an_opponent_is_a_capture_with_its_figures() -> None:
    state = position("F3")
    before = scene([placed(F3, HERE)])
    after = scene([placed(F3, HERE), placed(P4, THERE)], [touch(P4, F3, 12.4)], [flight(P4)])
    reading = read(state, before, after)
    assert isinstance(reading, Explained)
    assert "panda 4 lies on fox 3 by 12.4 ± 0.3 mm" in reading.because
    assert explained(state, before, after).clearing == {P4, F3}


@pytest.mark.parametrize(
    ("rest", "zone"),
    [
        (Rest.IN_BOX, Zone.ON_BOX),
        (Rest.ON_RIM, Zone.ON_BOX),
        (Rest.ON_LID, Zone.ON_BOX),
        (Rest.LEANING, Zone.LEANING),
        (Rest.OFF_TABLE, Zone.ELIMINATED),
    ],
)
def test_where_it_comes_to_rest_is_its_zone(rest: Rest, zone: Zone) -> None:
    after = explained(position(), scene(), scene([placed(P4, HERE, rest)], flights=[flight(P4)]))
    assert after.zones[PieceId(P4)] is zone


def test_a_clear_miss_is_no_capture() -> None:
    state = position("F3")
    after = scene([placed(F3, HERE), placed(P4, THERE)], [touch(P4, F3, -2.0)], [flight(P4)])
    assert explained(state, scene([placed(F3, HERE)]), after).won == {}


def test_a_throw_from_a_stock_that_lay_in_view_is_a_throw() -> None:
    state = position()
    before = scene([placed(P4, APART)])
    after = scene([placed(P4, HERE)], flights=[flight(P4)])
    assert explained(state, before, after).zones[PieceId(P4)] is Zone.FLAT


def test_an_animal_knocked_off_the_rim_captures() -> None:
    state = position("G1", box="P3", players="PFG", turn="F")
    before = scene([placed(G1, HERE), placed("panda3", APART, Rest.ON_RIM)])
    after = scene(
        [placed(G1, HERE), placed("panda3", THERE), placed("fox5", (0, 300))],
        [touch("panda3", G1, 20.0)],
        [flight("fox5")],
    )
    assert explained(state, before, after).won == {G1: 0}


# --- nothing happened ---


def test_no_change_is_nothing() -> None:
    seen = scene([placed(P4)], [], [])
    assert read(position("P4", thrower="P"), seen, seen) == Nothing()


def test_setting_up_the_table_is_nothing() -> None:
    state = position(mode=3)
    laid = scene([placed("trampoline"), placed("panda1", APART), placed("fox2", THERE)])
    assert read(state, None, laid) == Nothing()
    assert read(state, scene(), laid) == Nothing()
    assert read(state, laid, scene([placed("trampoline")])) == Nothing()


def test_a_nudge_that_changes_no_contact_is_nothing() -> None:
    state = position("F3 G1", thrower="F")
    before = scene([placed(F3, HERE), placed(G1, APART)])
    after = scene([placed(F3, (5.0, 0.0)), placed(G1, APART)])
    assert read(state, before, after) == Nothing()


def test_after_the_end_collecting_the_coasters_is_nothing() -> None:
    state = position("F1", players="PF", out="P1 P2 P3 P4 F2 F3 F4 F5", thrower="F")
    over = finish(rule(state, throw(state, "P5")).state)[0]
    over = finish(rule(over, throw(over, "F1")).state)[0] if not over.over else over
    assert over.over
    assert read(over, scene([placed("fox1")]), scene()) == Nothing()


# --- taking away ---


def captured() -> tuple[State, Scene]:
    """Panda 4 has won fox 3; gecko 1 lies apart; nothing is taken away yet."""
    state = position("F3 G1")
    seen = scene([placed(F3, HERE), placed(P4, THERE), placed(G1, APART)], [touch(P4, F3, 12.4)])
    return rule(state, throw(state, "P4", "P4>F3")).state, seen


def test_when_all_is_taken_away_the_turn_passes() -> None:
    state, seen = captured()
    after = explained(state, seen, scene([placed(G1, APART)]))
    assert not after.clearing
    assert after.turn == 1


def test_while_some_still_lies_there_play_waits() -> None:
    state, seen = captured()
    assert read(state, seen, scene([placed(F3, HERE), placed(G1, APART)])) == Nothing()


def test_a_coaster_laid_aside_within_view_is_as_good_as_taken_away() -> None:
    state, seen = captured()
    aside = scene([placed(P4, (0.0, -400.0)), placed(G1, APART)])
    assert not explained(state, seen, aside).clearing


def test_a_captured_coaster_that_is_pushed_about_is_nothing() -> None:
    state, seen = captured()
    pushed = scene(
        [placed(F3, (3.0, 0.0)), placed(P4, THERE), placed(G1, (40.0, 0.0))], [touch(F3, G1, 30.0)]
    )
    reading = read(state, seen, pushed)
    assert reading == Nothing()


def test_what_shifts_while_others_are_taken_away_is_judged_in_the_next_pass() -> None:
    state = rule(position("F3 G1 N5"), throw(position("F3 G1 N5"), "P4", "P4>F3")).state
    seen = scene(
        [placed(F3, HERE), placed(P4, THERE), placed(G1, APART), placed(N5, (380.0, 0.0))],
        [touch(P4, F3, 12.4), touch(G1, N5, -8.0)],
    )
    slid = scene([placed(G1, (310.0, 0.0)), placed(N5, (380.0, 0.0))], [touch(G1, N5, 6.0)])
    after = explained(state, seen, slid)
    assert after.won == {F3: 0, N5: 2}
    assert after.clearing == {G1, N5}


def test_a_forgetful_player_throws_on_and_the_lingering_coasters_are_ignored() -> None:
    state, seen = captured()
    thrown = scene(
        [*seen.placed, placed("fox5", (30.0, 60.0))],
        [*seen.contacts, touch("fox5", P4, 20.0), touch("fox5", F3, 9.0)],
        [flight("fox5")],
    )
    after = explained(state, seen, thrown)
    assert after.zones[PieceId("fox5")] is Zone.FLAT
    assert after.won == {F3: 0}
    assert after.players[after.turn].side == "gecko"


def test_a_lingering_coaster_may_be_thrown_again_from_where_it_lies() -> None:
    """Fox 5 came back to its owner, was left on the table, and is flicked from there."""
    state = position("P4", turn="F", players="PF")
    state = rule(state, throw(state, "F5", "F5>P4")).state
    state = finish(state)[0]
    state = finish(rule(state, throw(state, "P1")).state)[0]
    before = scene([placed("fox5", HERE), placed(P4, THERE), placed("panda1", APART)])
    after = scene(
        [placed("fox5", (300.0, 50.0)), placed(P4, THERE), placed("panda1", APART)],
        [touch("fox5", "panda1", 30.0)],
        [flight("fox5")],
    )
    assert explained(state, before, after).won == {P4: 1, "panda1": 1}


def test_a_hand_that_takes_away_the_wrong_coaster_is_told_and_not_ruled() -> None:
    state = position("F3 G1", thrower="F")
    before = scene([placed(F3, HERE), placed(G1, APART)])
    reading = read(state, before, scene([placed(G1, APART)]))
    assert isinstance(reading, Explained)
    assert reading.moves == (Misplaced(PieceId(F3)),)
    assert explained(state, before, scene([placed(G1, APART)])) == state


def test_a_coaster_that_was_won_and_comes_back_is_told_and_never_played() -> None:
    state = position("G1", won={"P": "F3"}, thrower="P", turn="F")
    before = scene([placed(G1, HERE)])
    after = scene([placed(G1, HERE), placed(F3, THERE)], [touch(F3, G1, 20.0)])
    reading = read(state, before, after)
    assert isinstance(reading, Explained)
    assert reading.moves == (Misplaced(PieceId(F3)),)


def test_a_stock_laid_down_in_view_is_told_not_ruled() -> None:
    state = position("G1", thrower="P", turn="F")
    before = scene([placed(G1, HERE)])
    laid = scene([placed(G1, HERE), placed("fox1", APART), placed("fox2", APART)])
    reading = read(state, before, laid)
    assert isinstance(reading, Explained)
    assert reading.moves == (Misplaced(PieceId("fox1")), Misplaced(PieceId("fox2")))


# --- too close to call ---


def test_too_close_to_call_is_asked_when_it_decides_a_capture() -> None:
    state = position("F3")
    before = scene([placed(F3, HERE)])
    after = scene([placed(F3, HERE), placed(P4, THERE)], [touch(P4, F3, 0.4)], [flight(P4)])
    question, options = asked(state, before, after)
    assert question == "Does panda 4 cover fox 3 (overlap 0.4 ± 0.3 mm)?"
    assert options == [["Ana throws panda 4, over fox 3"], ["Ana throws panda 4, on the table"]]


def test_who_lies_on_top_is_asked_when_the_overlap_is_plain_but_the_order_is_not() -> None:
    state = position("F3")
    before = scene([placed(F3, HERE)])
    after = scene([placed(F3, HERE), placed(P4, THERE)], [touch(P4, F3, 12.0, upper_p=0.7)], [flight(P4)])
    question, options = asked(state, before, after)
    assert question == "Which lies on top, panda 4 or fox 3 (overlap 12.0 ± 0.3 mm)?"
    assert options == [
        ["Ana throws panda 4, over fox 3"],
        ["Ana throws panda 4, on the table, under fox 3"],
    ]


def test_too_close_is_not_asked_when_either_way_the_ruling_is_the_same() -> None:
    """Gecko 2 is too weak for panda 3 in the variant, whether it covers it or not."""
    state = position("P3", turn="G", players="PG", strength_variant=True)
    before = scene([placed("panda3", HERE)])
    after = scene(
        [placed("panda3", HERE), placed("gecko2", THERE)],
        [touch("gecko2", "panda3", 0.1)],
        [flight("gecko2")],
    )
    reading = read(state, before, after)
    assert isinstance(reading, Explained)
    (move,) = reading.moves
    assert move.table.doubt == covers("G2>P3")


def test_a_doubt_that_did_not_matter_is_asked_about_when_it_does() -> None:
    """Gecko 2 may graze panda 3. Then panda 1 slides under panda 3, which acts only if it is not covered."""
    state = position("P3", turn="G", players="PFG", strength_variant=True)
    before = scene([placed("panda3", HERE)])
    grazed = scene(
        [placed("panda3", HERE), placed("gecko2", THERE)],
        [touch("gecko2", "panda3", 0.1)],
        [flight("gecko2")],
    )
    state = explained(state, before, grazed)
    assert state.doubt == frozenset(covers("G2>P3"))
    under = scene(
        [placed("panda3", HERE), placed("gecko2", THERE), placed("panda1", (-60.0, 0.0))],
        [touch("gecko2", "panda3", 0.1), touch("panda3", "panda1", 20.0)],
        [flight("panda1")],
    )
    question, _ = asked(state, grazed, under)
    assert question.startswith("Does gecko 2 cover panda 3")


def test_an_answer_holds_while_the_coasters_lie_unmoved() -> None:
    """People said that panda 4 does not cover fox 3: the next throw elsewhere doesn't bring it up again."""
    state = position("F3 P4", thrower="P", turn="F")
    lying = [placed(F3, HERE), placed(P4, THERE)]
    before = scene(lying, [touch(P4, F3, 0.4)])
    after = scene([*lying, placed("fox1", APART)], [touch(P4, F3, 0.5)], [flight("fox1")])
    assert explained(state, before, after).won == {}


def test_an_overruled_contact_is_not_ruled_again_behind_peoples_backs() -> None:
    state = position("F3 P4", thrower="P", turn="F")
    lying = [placed(F3, HERE), placed(P4, THERE)]
    before = scene(lying, [touch(P4, F3, 3.0)])
    after = scene([*lying, placed("fox1", APART)], [touch(P4, F3, 3.0)], [flight("fox1")])
    assert explained(state, before, after).won == {}


def test_a_contact_that_moved_is_measured_anew() -> None:
    state = position("F3 P4", thrower="P", turn="F")
    before = scene([placed(F3, HERE), placed(P4, THERE)], [touch(P4, F3, -3.0)])
    after = scene(
        [placed(F3, HERE), placed(P4, (52.0, 0.0)), placed("fox1", APART)],
        [touch(P4, F3, 6.0)],
        [flight("fox1")],
    )
    assert explained(state, before, after).won == {F3: 0}


def test_overlaps_within_the_house_tolerance_do_not_count() -> None:
    state = position("F3", overlap_eps_mm=5.0)
    after = scene([placed(F3, HERE), placed(P4, THERE)], [touch(P4, F3, 3.0)], [flight(P4)])
    assert explained(state, scene([placed(F3, HERE)]), after).won == {}


def test_a_pile_with_many_doubts_is_asked_about_in_six_options_at_most() -> None:
    names = ["fox1", "fox2", "gecko1", "gecko2", "penguin1", "penguin2"]
    state = position("F1 F2 G1 G2 N1 N2")
    lying = [placed(n, (i * 50.0, 0.0)) for i, n in enumerate(names)]
    after = scene(
        [*lying, placed(P4, (125.0, 40.0))],
        [touch(P4, n, 0.2, upper_p=0.8) for n in names],
        [flight(P4)],
    )
    _, options = asked(state, scene(lying), after)
    assert len(options) == 6
    assert len({tuple(o) for o in options}) == 6


# --- half a turn ---


def test_an_unsure_half_turn_is_asked() -> None:
    question, options = asked(position(), scene(), scene([placed(P4)], flights=[flight(P4, Verdict.UNSURE)]))
    assert question == "Did panda 4 make at least half a turn in the air?"
    assert options == [
        ["Ana throws panda 4, on the table"],
        ["Ana throws panda 4 without a half turn, on the table"],
    ]


def test_an_unsure_half_turn_is_not_asked_when_the_coaster_left_the_table() -> None:
    after = scene([placed(P4, APART, Rest.OFF_TABLE)], flights=[flight(P4, Verdict.UNSURE)])
    assert explained(position(), scene(), after).zones[PieceId(P4)] is Zone.ELIMINATED


def test_a_throw_without_a_half_turn_is_out() -> None:
    after = scene([placed(P4)], flights=[flight(P4, Verdict.NO)])
    assert explained(position(), scene(), after).zones[PieceId(P4)] is Zone.ELIMINATED


def test_a_coaster_that_lies_there_though_no_throw_was_seen_is_asked_about() -> None:
    state = position("G1", thrower="N")
    before = scene([placed(G1, HERE)])
    question, options = asked(state, before, scene([placed(G1, HERE), placed(P4, APART)]))
    assert question.startswith("panda 4 lies on the table, but no throw was seen.")
    assert options == [
        ["Ana throws panda 4, on the table"],
        ["panda 4 is not where it belongs"],
        ["Ana throws panda 4 without a half turn, on the table"],
    ]


def test_a_first_throw_that_was_not_seen_is_asked_about_too() -> None:
    asked(position(), scene(), scene([placed(P4)]))


# --- which coaster ---


def test_the_rules_tell_an_unsure_name_when_only_one_can_be_thrown() -> None:
    state = position(out="P3")
    after = scene([placed(P4, names={"panda4": 0.5, "panda3": 0.45})], flights=[flight(P4, names={})])
    reading = read(state, scene(), after)
    assert isinstance(reading, Explained)
    assert reading.moves[0].piece == P4
    assert "read as panda 4 (50%), since the others that it may be can't lie there" in reading.because


def test_an_unnamed_coaster_is_asked_about() -> None:
    after = scene([placed(P4, names={})], flights=[flight(P4, names={})])
    question, options = asked(position(), scene(), after)
    assert question == "Which coaster did Ana throw?"
    assert options == [[f"Ana throws panda {n}, on the table"] for n in range(1, 6)]


def test_two_names_that_may_both_be_thrown_are_asked_about() -> None:
    after = scene([placed(P4, names={"panda4": 0.6, "panda5": 0.35})], flights=[flight(P4, names={})])
    question, options = asked(position(), scene(), after)
    assert question == "Which coaster did Ana throw?"
    assert [o[0] for o in options][:2] == [
        "Ana throws panda 4, on the table",
        "Ana throws panda 5, on the table",
    ]


def test_a_name_is_remembered_from_the_scene_before() -> None:
    state = position("F3", thrower="F")
    before = scene([placed(F3, HERE)])
    after = scene(
        [placed(F3, HERE, names={"fox3": 0.4, "fox1": 0.4}), placed(P4, THERE)],
        [touch(P4, F3, 12.0)],
        [flight(P4)],
    )
    assert explained(state, before, after).won == {F3: 0}


def test_an_impossible_coaster_is_questioned_and_not_hidden() -> None:
    """It surely looks like fox 3, and fox 3 was won long ago."""
    state = position(won={"P": "F3"}, thrower="N", out="P1 P2 P3")
    after = scene([placed(F3)], flights=[flight(F3)])
    question, options = asked(state, scene(), after)
    assert question == "The coaster thrown looks like fox 3, which is won by Ana. Which one was it?"
    assert ["fox 3 is not where it belongs"] in options
    assert ["Ana throws panda 5, on the table"] in options


def test_a_thrown_double_of_a_coaster_on_the_table_is_questioned() -> None:
    state = position("P4", thrower="N", out="P1 P2 P3")
    before = scene([placed(P4, HERE)])
    twin = placed(P4, APART, track=77)
    after = scene([placed(P4, HERE), twin], flights=[flight(P4, names={})])
    after = scene(after.placed, flights=[flight("x", names={"panda4": 0.99})])
    question, options = asked(state, before, after)
    assert "looks like panda 4, which lies elsewhere on the table" in question
    assert options == [["Ana throws panda 5, on the table"]]


def test_a_throw_out_of_turn_is_asked_about() -> None:
    state = position(players="PF", thrower="F")
    question, options = asked(state, scene(), scene([placed(F3)], flights=[flight(F3)]))
    assert question == "Ben (fox) threw fox 3 out of turn. Does the throw stand?"
    assert options == [
        ["it is Ben's turn", "Ben throws fox 3, on the table"],
        ["fox 3 is not where it belongs"],
    ]
    reading = read(state, scene(), scene([placed(F3)], flights=[flight(F3)]))
    told = rule(state, reading.options[1][0])
    assert told.state == state
    assert told.calls[0].text == "fox 3 belongs in Ben's hand: take it off the table"
    assert isinstance(reading.options[0][0], Turn)


# --- coming to a game that has begun ---


def test_animals_that_lay_there_before_the_first_throw_are_asked_about_when_they_touch() -> None:
    state = position(players="PF")
    before = scene([placed(F3, HERE)])
    after = scene([placed(F3, HERE), placed(P4, THERE)], [touch(P4, F3, 12.0)], [flight(P4)])
    question, options = asked(state, before, after)
    assert question == "fox 3 lay on the table before the first throw. Do they count?"
    assert options == [
        ["already on the table: fox 3", "Ana throws panda 4, over fox 3"],
        ["Ana throws panda 4, on the table"],
    ]
    reading = read(state, before, after)
    for move in reading.options[0]:
        state = rule(state, move).state
    assert state.won == {F3: 0}


def test_a_stock_laid_out_apart_before_the_first_throw_is_left_alone() -> None:
    state = position(players="PF")
    before = scene([placed(F3, HERE), placed("fox2", APART)])
    after = scene([*before.placed, placed(P4, (0.0, 300.0))], [], [flight(P4)])
    assert explained(state, before, after).zones[PieceId(F3)] is Zone.STOCK


# --- gone and hidden ---


def test_a_coaster_gone_after_a_throw_is_asked_about() -> None:
    state = position("F3")
    question, options = asked(
        state, scene([placed(F3, HERE)]), scene([placed(P4, APART)], flights=[flight(P4)])
    )
    assert question == "Where is fox 3: knocked off the table, or hidden under others?"
    assert options == [
        ["Ana throws panda 4, on the table; fox 3 off the table"],
        ["Ana throws panda 4, on the table"],
    ]


def test_a_coaster_seen_off_the_table_after_a_throw_is_out() -> None:
    state = position("F3")
    after = scene([placed(P4, HERE), placed(F3, APART, Rest.OFF_TABLE)], flights=[flight(P4)])
    assert explained(state, scene([placed(F3, HERE)]), after).zones[PieceId(F3)] is Zone.ELIMINATED


def test_a_remembered_coaster_under_a_pile_keeps_its_place_and_its_covers() -> None:
    state = position("F3 G1", "F3>G1", thrower="F")
    hidden = placed(G1, HERE, in_view=False)
    before = scene([placed(F3, HERE), hidden], [touch(F3, G1, 90.0)])
    after = scene(
        [placed(F3, HERE), hidden, placed("panda1", THERE)], [touch("panda1", F3, 15.0)], [flight("panda1")]
    )
    then = explained(state, before, after)
    assert then.won == {F3: 0}
    assert then.zones[PieceId(G1)] is Zone.FLAT


def test_a_thrown_coaster_that_is_nowhere_is_asked_about() -> None:
    state = position("F3")
    before = scene([placed(F3, HERE)])
    question, options = asked(state, before, scene([placed(F3, HERE)], flights=[flight(P4, lost=True)]))
    assert question == "Where did panda 4 land?"
    assert options == [
        ["Ana throws panda 4, off the table"],
        ["Ana throws panda 4, on the table"],
        ["Ana throws panda 4, in or on the box"],
    ]


def test_a_thrown_coaster_that_was_seen_to_leave_the_table_is_taken_for_out_but_asked_about() -> None:
    state = position("F3")
    before = scene([placed(F3, HERE)])
    question, options = asked(state, before, scene([placed(F3, HERE)], flights=[flight(P4, left=True)]))
    assert question == "panda 4 flew off the table, as it looked. Is it out?"
    assert options == [["Ana throws panda 4, off the table"], ["Ana throws panda 4, on the table"]]


@pytest.mark.parametrize(
    ("turns", "turned_over", "first"),
    [
        (Measure(0.85, 0.2), False, "on the table"),
        (Measure(0.9, 0.2), True, "on the table"),
        (Measure(0.75, 0.3), True, "on the table"),
        (Measure(0.75, 0.3), False, "without a half turn"),
        (Measure(0.6, 0.2), False, "without a half turn"),
    ],
)
def test_the_likelier_answer_about_the_half_turn_comes_first(
    turns: Measure, turned_over: bool, first: str
) -> None:
    """It is likelier from the same number of half turns on from which the eye claims it."""
    state = position("F3")
    before = scene([placed(F3, HERE)])
    flown = flight(P4, Verdict.UNSURE, half_turns=turns, turned_over=turned_over)
    _, options = asked(state, before, scene([placed(F3, HERE), placed(P4, APART)], flights=[flown]))
    assert first in options[0][0]


def test_a_thrown_coaster_may_have_slid_under_one_that_moved() -> None:
    state = position("F3")
    after = scene([placed(F3, (4.0, 0.0))], flights=[flight(P4, lost=True)])
    _, options = asked(state, scene([placed(F3, HERE)]), after)
    assert ["Ana throws panda 4, on the table, under fox 3"] in options


def test_a_lost_flight_and_a_lone_newcomer_are_one_throw() -> None:
    seen = scene([placed(P4)], flights=[flight(P4, lost=True)])
    assert explained(position(), scene(), seen).zones[PieceId(P4)] is Zone.FLAT


# --- several throws, and no throw ---


def test_two_throws_far_apart_are_ruled_in_order() -> None:
    state = position(players="PF")
    after = scene([placed(P4, HERE), placed(F3, APART)], flights=[flight(P4), flight(F3)])
    reading = read(state, scene(), after)
    assert isinstance(reading, Explained)
    assert [m.piece for m in reading.moves] == [P4, F3]
    assert dict(reading.moves[0].table.zones) == {P4: Zone.FLAT}
    assert explained(state, scene(), after).turn == 0


def test_two_throws_that_meet_are_asked_about() -> None:
    state = position(players="PF")
    after = scene([placed(P4, HERE), placed(F3, THERE)], [touch(F3, P4, 20.0)], [flight(P4), flight(F3)])
    question, options = asked(state, scene(), after)
    assert question.startswith("fox 3 and panda 4 were thrown with no still moment between")
    assert options[0] == ["Ana throws panda 4, on the table", "Ben throws fox 3, over panda 4"]


def test_two_throws_by_one_player_are_asked_about() -> None:
    state = position(players="PF", thrower="F")
    after = scene([placed(P4, HERE), placed("panda1", APART)], flights=[flight(P4), flight("panda1")])
    question, _ = asked(state, scene(), after)
    assert question.startswith("Ana (panda) threw panda 1 out of turn.")


def test_a_late_fall_from_the_rim_is_asked_about() -> None:
    state = position("G1", box="P3", players="PFG", thrower="F", turn="G")
    before = scene([placed(G1, HERE), placed("panda3", APART, Rest.ON_RIM)])
    after = scene([placed(G1, HERE), placed("panda3", THERE)], [touch("panda3", G1, 20.0)])
    question, options = asked(state, before, after)
    assert question == "The table changed without a throw. Does it count, or was it put back as it was?"
    assert options == [["the table now: panda 3 over gecko 1"], []]


def test_a_nudge_onto_another_coaster_is_asked_about() -> None:
    state = position("F3 G1", thrower="F")
    before = scene([placed(F3, HERE), placed(G1, APART)])
    after = scene([placed(F3, HERE), placed(G1, THERE)], [touch(G1, F3, 20.0)])
    _, options = asked(state, before, after)
    assert options[0] == []
    reading = read(state, before, after)
    assert isinstance(reading.options[1][0], Observed)


def test_another_look_at_a_coaster_that_did_not_move_does_not_move_it() -> None:
    """Leaning a moment ago, flat now, in the very same place: the camera wavers, not the coaster."""
    state = position(leaning="F3", thrower="F")
    before = scene([placed(F3, HERE, Rest.LEANING)])
    assert read(state, before, scene([placed(F3, HERE)])) == Nothing()


def test_the_first_scene_after_a_restart_is_nothing() -> None:
    state = position("F3", thrower="F")
    assert read(state, None, scene([placed(F3), placed("panda1", APART)])) == Nothing()


def test_in_mode_3_the_trampoline_is_part_of_the_table() -> None:
    state = position(mode=3)
    before = scene([placed("trampoline")])
    after = scene([placed("trampoline"), placed(P4, THERE)], [touch(P4, "trampoline", 5.0)], [flight(P4)])
    then = explained(state, before, after)
    assert then.clearing == {P4}
    assert pieces("P4") <= set(then.stock(0))


def test_grazing_the_trampoline_too_close_to_call_is_asked() -> None:
    state = position(mode=3)
    before = scene([placed("trampoline")])
    after = scene([placed("trampoline"), placed(P4, THERE)], [touch(P4, "trampoline", -0.3)], [flight(P4)])
    question, _ = asked(state, before, after)
    assert question == "Does panda 4 cover the trampoline (gap 0.3 ± 0.3 mm)?"


def test_a_thing_that_is_no_piece_of_the_game_changes_nothing() -> None:
    """It is named like nothing on this table, and all that is in play is seen elsewhere."""
    state = position("F3", thrower="F")
    before = scene([placed(F3, HERE)])
    after = scene([placed(F3, HERE), placed("ghost", APART, names={"owl": 0.95})])
    reading = read(state, before, after)
    assert isinstance(reading, Explained)
    assert reading.moves == (Misplaced(PieceId("owl")),)

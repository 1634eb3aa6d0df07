"""The worked examples of the rulebook, one test each, and what else the text promises."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.errors import ConfigError
from referee.facts import PieceId
from referee.games.poc import GAME
from referee.games.poc.moves import Cleared, Laid, Misplaced, Observed, Table, Throw, Turn, Zone
from referee.games.poc.options import Options
from referee.games.poc.rules import finish, rule
from referee.games.poc.setup import setup
from referee.rules.game import Player
from tests.poc_states import calls, covers, in_zone, piece, pieces, position, settled, stock_of, throw, won_by

FLAT, BOX, LEANING, OFF = Zone.FLAT, Zone.ON_BOX, Zone.LEANING, Zone.ELIMINATED


def test_the_fourth_family_lies_aside_and_scores_nothing() -> None:  # 1
    state = position(players="PFG")
    assert in_zone(state, Zone.ASIDE) == pieces("N1 N2 N3 N4 N5")
    standing = GAME.standing(state, None)
    assert [s.side for s in standing.scores] == ["panda", "fox", "gecko"]
    assert [s.points for s in standing.scores] == [0, 0, 0]


def test_an_animal_thrown_into_the_open_box_stays_there() -> None:  # 2
    state = position()
    after = settled(state, throw(state, "P2", at=BOX))
    assert after.zones[piece("P2")] is BOX
    assert after.points(0) == 4


def test_an_animal_alone_on_the_table_stays() -> None:  # 3
    state = position()
    after = settled(state, throw(state, "P2"))
    assert after.zones[piece("P2")] is FLAT
    assert after.points(0) == 0
    assert after.turn == 1


def test_covering_your_own_animal_returns_both() -> None:  # 4
    state = position("P2")
    after = settled(state, throw(state, "P4", "P4>P2"))
    assert stock_of(after, "P") == pieces("P1 P2 P3 P4 P5")


def test_covering_an_opponent_wins_it_and_the_thrown_animal_returns() -> None:  # 5
    state = position("F3")
    after = settled(state, throw(state, "P4", "P4>F3"))
    assert won_by(after, "P") == pieces("F3")
    assert piece("P4") in stock_of(after, "P")
    assert after.points(0) == 3


def test_one_animal_over_two_opponents_wins_both() -> None:  # 6
    state = position("P5 F1", turn="G")
    after = settled(state, throw(state, "G2", "G2>P5 G2>F1"))
    assert won_by(after, "G") == pieces("P5 F1")
    assert piece("G2") in stock_of(after, "G")


SEED_CHAIN = "P4>F3 P4>N5 F3>F1 F1>G1 G1>P1"


def test_a_fallen_pile_is_resolved_from_the_top_down() -> None:  # 7
    state = position("F3 N5 F1 G1 P1")
    first = rule(state, throw(state, "P4", SEED_CHAIN)).state
    assert first.clearing == pieces("P4 F3 N5")
    assert won_by(first, "P") == pieces("F3 N5")
    second = rule(first, Cleared()).state
    assert second.clearing == pieces("F1 G1")
    assert won_by(second, "F") == pieces("G1")
    after = rule(second, Cleared()).state
    assert not after.clearing
    assert after.zones[piece("P1")] is FLAT
    assert won_by(after, "G") == set()
    assert after.turn == 1


STALEMATE = "P4>N5 F3>N5"


def test_two_players_on_one_animal_all_stay() -> None:  # 8
    state = position("P4 N5", "P4>N5", turn="F")
    after = settled(state, throw(state, "F3", STALEMATE))
    assert {after.zones[p] for p in pieces("P4 N5 F3")} == {FLAT}
    assert after.won == {}


def test_winning_one_rival_of_a_stalemate_lets_the_other_win_at_once() -> None:  # 9
    state = position("P4 N5 F3", STALEMATE, turn="G")
    one_pass = rule(state, throw(state, "G1", f"{STALEMATE} G1>F3")).state
    assert won_by(one_pass, "G") == pieces("F3")
    assert won_by(one_pass, "P") == pieces("N5")
    assert one_pass.clearing == pieces("G1 F3 P4 N5")
    assert not finish(one_pass)[0].clearing


def test_a_third_rival_on_the_same_animal_changes_nothing() -> None:  # 10
    state = position("P4 N5 F3", STALEMATE, turn="G")
    after = settled(state, throw(state, "G1", f"{STALEMATE} G1>N5"))
    assert {after.zones[p] for p in pieces("P4 N5 F3 G1")} == {FLAT}
    assert after.won == {}


def test_two_of_ones_own_on_an_opponent_win_it_and_both_return() -> None:  # 11
    state = position("P4 N5", "P4>N5", leaning="")
    after = settled(state, throw(state, "P3", "P4>N5 P3>N5"))
    assert won_by(after, "P") == pieces("N5")
    assert pieces("P3 P4") <= stock_of(after, "P")


def test_covering_an_own_and_an_opponent_recovers_one_and_wins_the_other() -> None:  # 12
    state = position("P2 F3")
    after = settled(state, throw(state, "P4", "P4>P2 P4>F3"))
    assert pieces("P2 P4") <= stock_of(after, "P")
    assert won_by(after, "P") == pieces("F3")


def test_the_uppermost_wins_all_that_it_covers_through_the_middle_one_too() -> None:  # 13
    state = position("F3 G2", "F3>G2")
    after = settled(state, throw(state, "P4", "P4>F3 F3>G2 P4>G2"))
    assert won_by(after, "P") == pieces("F3 G2")
    assert won_by(after, "F") == set()


def test_a_captured_animal_does_not_win_what_lies_under_it() -> None:  # 14
    state = position("F3 G2", "F3>G2")
    after = settled(state, throw(state, "P4", "P4>F3 F3>G2"))
    assert won_by(after, "P") == pieces("F3")
    assert after.zones[piece("G2")] is FLAT


def test_a_ring_of_animals_holds_itself_down() -> None:  # 15
    state = position("F3 G2", "F3>G2")
    move = throw(state, "P4", "P4>F3 F3>G2 G2>P4")
    after = settled(state, move)
    assert after.won == {}
    assert {after.zones[p] for p in pieces("P4 F3 G2")} == {FLAT}
    assert "fox 3, gecko 2 and panda 4 hold each other down: nothing happens" in calls(state, move)


def test_an_animal_knocked_off_the_rim_wins_for_its_owner_who_plays_again() -> None:  # 16
    state = position("G1", box="P3", out="P1 P2 P4 P5", turn="F", players="PFG")
    assert stock_of(state, "P") == set()
    move = throw(state, "F5", "P3>G1", moves={"P3": FLAT})
    after = settled(state, move)
    assert won_by(after, "P") == pieces("G1")
    assert stock_of(after, "P") == pieces("P3")
    gecko = settled(after, throw(after, "G2"))
    assert gecko.players[gecko.turn].side == "panda"


def test_no_half_turn_is_out_even_in_the_box() -> None:  # 17
    state = position()
    after = settled(state, throw(state, "P2", at=BOX, flip=False))
    assert after.zones[piece("P2")] is Zone.ELIMINATED
    assert after.points(0) == 0


def test_an_animal_thrown_off_the_table_is_out() -> None:  # 18
    state = position()
    after = settled(state, throw(state, "P2", at=OFF))
    assert after.zones[piece("P2")] is Zone.ELIMINATED


def test_an_animal_knocked_off_the_table_is_out() -> None:  # 19
    state = position("F2")
    move = throw(state, "P2", moves={"F2": OFF})
    assert settled(state, move).zones[piece("F2")] is Zone.ELIMINATED
    assert "fox 2 was knocked off the table: out" in calls(state, move)


def test_a_leaning_animal_is_won_only_when_it_lies_flat() -> None:  # 20
    state = position(leaning="F3")
    after = settled(state, throw(state, "P4", "P4>F3"))
    assert after.won == {}
    assert after.zones[piece("F3")] is LEANING
    later = settled(after, throw(after, "F1", "P4>F3", moves={"F3": FLAT}))
    assert won_by(later, "P") == pieces("F3")


def test_variant_an_equal_value_wins() -> None:  # 21
    state = position("P3", turn="G", strength_variant=True)
    assert won_by(settled(state, throw(state, "G3", "G3>P3")), "G") == pieces("P3")


def test_variant_a_lower_value_wins_nothing_and_both_stay() -> None:  # 22
    state = position("P3", turn="G", strength_variant=True)
    move = throw(state, "G2", "G2>P3")
    after = settled(state, move)
    assert after.won == {}
    assert {after.zones[p] for p in pieces("G2 P3")} == {FLAT}
    assert "panda 3 is stronger than gecko 2: all stay" in calls(state, move)


def test_variant_each_target_is_compared_alone() -> None:  # 23
    state = position("P5 F1", turn="G", strength_variant=True)
    after = settled(state, throw(state, "G3", "G3>P5 G3>F1"))
    assert won_by(after, "G") == pieces("F1")
    assert piece("G3") in stock_of(after, "G")
    assert after.zones[piece("P5")] is FLAT


def test_variant_the_higher_value_decides_a_contested_animal() -> None:  # 24
    state = position("P4 N2", "P4>N2", turn="F", strength_variant=True)
    after = settled(state, throw(state, "F3", "P4>N2 F3>N2"))
    assert won_by(after, "P") == pieces("N2")
    assert after.zones[piece("F3")] is FLAT


def test_variant_equal_rivals_all_stay() -> None:  # 25
    state = position("P4 N2", "P4>N2", turn="F", strength_variant=True)
    after = settled(state, throw(state, "F4", "P4>N2 F4>N2"))
    assert after.won == {}
    assert {after.zones[p] for p in pieces("P4 N2 F4")} == {FLAT}


def test_variant_recovering_an_own_animal_needs_no_strength() -> None:  # 26
    state = position("G5", turn="G", strength_variant=True)
    after = settled(state, throw(state, "G2", "G2>G5"))
    assert stock_of(after, "G") == pieces("G1 G2 G3 G4 G5")


def test_variant_a_rival_that_is_too_weak_is_none() -> None:  # 27
    state = position("P4 N3", "P4>N3", turn="F", strength_variant=True)
    after = settled(state, throw(state, "F2", "P4>N3 F2>N3"))
    assert won_by(after, "P") == pieces("N3")


def test_variant_an_animal_under_a_weaker_one_cannot_act() -> None:  # 28
    state = position("P5 G2", "P5>G2", turn="N", strength_variant=True)
    after = settled(state, throw(state, "N1", "N1>P5 P5>G2"))
    assert after.won == {}
    assert {after.zones[p] for p in pieces("N1 P5 G2")} == {FLAT}


def test_a_rival_that_wins_elsewhere_leaves_and_the_other_wins_in_the_next_pass() -> None:  # 29
    state = position("P4 N5 F3 G1", STALEMATE, turn="N")
    first = rule(state, throw(state, "N1", f"{STALEMATE} P4>G1")).state
    assert won_by(first, "P") == pieces("G1")
    assert first.clearing == pieces("P4 G1")
    second = rule(first, Cleared()).state
    assert won_by(second, "F") == pieces("N5")
    assert second.clearing == pieces("F3 N5")


def test_grazing_the_trampoline_brings_the_animal_back_for_no_points() -> None:  # 30
    state = position(mode=3)
    after = settled(state, throw(state, "P2", "P2>T"))
    assert piece("P2") in stock_of(after, "P")
    assert after.points(0) == 0


def test_on_the_trampoline_and_an_opponent_wins_undoubled_and_returns() -> None:  # 31
    state = position("F5", mode=3)
    after = settled(state, throw(state, "P2", "P2>T P2>F5"))
    assert won_by(after, "P") == pieces("F5")
    assert after.points(0) == 5
    assert piece("P2") in stock_of(after, "P")


LAST_FOX = {"flat": "P1", "out": "P2 P3 P4 P5 G1 G2 G3 G4 G5 F1 F2"}


def test_the_only_player_with_animals_throws_once_and_the_game_ends() -> None:  # 32
    state = position(**LAST_FOX, players="PFG", turn="F")
    state = settled(state, throw(state, "F3"))
    assert state.final
    assert state.turn == 1
    assert stock_of(state, "F") == pieces("F4 F5")
    after = settled(state, throw(state, "F4", "F4>P1"))
    assert after.over
    assert after.points(1) == 1
    assert stock_of(after, "F") == pieces("F4 F5")


def test_recovering_with_the_last_throw_gives_no_other_one() -> None:  # 33
    state = position(**LAST_FOX, players="PFG", turn="F")
    state = settled(state, throw(state, "F3"))
    after = settled(state, throw(state, "F4", "F4>F3"))
    assert after.over
    assert stock_of(after, "F") == pieces("F3 F4 F5")
    assert after.points(1) == 0


def test_mode_1_counts_box_and_rim_double_and_adds_what_was_won() -> None:  # 34
    state = position(box="P3 P5", won={"P": "F2"})
    assert state.points(0) == 6 + 10 + 2


def test_mode_2_an_animal_that_fell_from_the_lid_counts_nothing() -> None:  # 35
    state = position(box="P4", mode=2, turn="F")
    assert state.points(0) == 8
    after = settled(state, throw(state, "F1", moves={"P4": FLAT}))
    assert after.points(0) == 0


def test_equal_scores_share_the_win() -> None:  # 36
    state = position(
        box="P3 P5 F4 F5",
        won={"P": "F2"},
        out="P1 P2 P4 F1",
        players="PF",
        turn="F",
    )
    assert state.points(0) == 18
    assert state.points(1) == 18
    move = throw(replace(state, final=True), "F3")
    after = settled(replace(state, final=True), move)
    assert after.over
    assert after.winners() == ("Ana", "Ben")
    assert calls(replace(state, final=True), move)[-1] == (
        "the game is over: Ana and Ben share the win with 18 points"
    )


# --- throws that don't stand ---


@pytest.mark.parametrize(
    ("seat", "name", "why"),
    [
        ("Ben", "fox1", "Ben threw fox 1, but it is Ana's turn: take fox 1 back"),
        ("Ana", "fox1", "fox 1 is not Ana's: the throw doesn't count"),
        ("Ana", "panda2", "panda 2 is not in Ana's hand: the throw doesn't count"),
        ("Eve", "panda1", "Eve is not at this table"),
        ("Ana", "owl1", "owl1 is no animal of this game"),
        ("Ana", "trampoline", "trampoline is no animal of this game"),
    ],
)
def test_a_throw_that_cannot_stand_changes_nothing(seat: str, name: str, why: str) -> None:
    state = position("P2")
    ruling = rule(state, Throw(seat, PieceId(name), True, Table(())))
    assert ruling.state is state
    assert [(c.text, c.foul) for c in ruling.calls] == [(why, True)]


def test_after_the_end_every_move_is_a_foul() -> None:
    state = replace(position(), over=True)
    for move in (throw(state, "P1"), Observed(Table(())), Cleared(), Turn("Ben")):
        ruling = rule(state, move)
        assert ruling.state is state
        assert all(c.foul for c in ruling.calls) and ruling.calls


def test_a_failed_throw_is_lifted_before_what_it_disturbed_is_resolved() -> None:
    """Panda 4 made no half turn: it wins nothing, but the fox that it pushed onto a gecko does."""
    state = position("F3 G1")
    first = rule(state, throw(state, "P4", "P4>F3 F3>G1", flip=False)).state
    assert won_by(first, "F") == pieces("G1")
    assert won_by(first, "P") == set()
    assert first.clearing == pieces("P4 F3 G1")


def test_a_thrown_animal_that_slides_under_another_is_won_by_the_upper_ones_owner() -> None:
    state = position("F3")
    after = settled(state, throw(state, "P4", "F3>P4"))
    assert won_by(after, "F") == pieces("P4")
    assert piece("F3") in stock_of(after, "F")


def test_an_own_animal_and_an_opponent_on_one_animal_is_a_stalemate() -> None:
    state = position("F3 P2", "F3>P2")
    after = settled(state, throw(state, "P4", "F3>P2 P4>P2"))
    assert {after.zones[p] for p in pieces("F3 P2 P4")} == {FLAT}


def test_on_the_box_nothing_is_covered() -> None:
    state = position(box="F3")
    after = settled(state, throw(state, "P4", "P4>F3", at=BOX))
    assert after.won == {}
    assert after.zones[piece("F3")] is BOX


# --- between passes ---


def test_the_next_pass_goes_by_the_table_as_seen_after_the_removals() -> None:
    """Fox 1 would win gecko 1, but slips off it while panda 4 is taken away."""
    state = position("F3 N5 F1 G1 P1")
    first = rule(state, throw(state, "P4", SEED_CHAIN)).state
    seen = Table(tuple((p, FLAT) for p in sorted(pieces("F1 G1 P1"))), covers("G1>P1"))
    second = rule(first, Observed(seen)).state
    assert won_by(second, "F") == set()
    assert won_by(second, "G") == pieces("P1")


def test_play_waits_while_something_still_lies_there() -> None:
    state = position("F3 G1")
    first = rule(state, throw(state, "P4", "P4>F3")).state
    some = Table(((piece("F3"), FLAT), (piece("G1"), FLAT)))
    waiting = rule(first, Observed(some)).state
    assert waiting.clearing == pieces("F3")
    assert waiting.turn == 0
    assert rule(waiting, Observed(Table(((piece("G1"), FLAT),)))).state.turn == 1


def test_throwing_on_without_clearing_plays_the_remaining_passes_first() -> None:
    state = position("F3 N5 F1 G1 P1")
    first = rule(state, throw(state, "P4", SEED_CHAIN)).state
    lying = {s: FLAT for s in ("P4", "F3", "N5")}
    move = throw(first, "F4", "P4>F3 P4>N5 F3>F1 F1>G1 G1>P1 F4>P1", moves=lying)
    ruling = rule(first, move)
    assert ruling.calls[0].text == (
        "fox 3, panda 4 and penguin 5 should have been taken away: play goes on as if gone"
    )
    after = finish(ruling.state)[0]
    assert won_by(after, "P") == pieces("F3 N5")
    assert won_by(after, "F") == pieces("G1 P1")
    assert after.players[after.turn].side == "gecko"


def test_a_throw_after_the_end_is_only_waited_for_is_refused() -> None:
    state = replace(position("P1", players="PF", turn="F", out="P2 P3 P4 P5"), final=True)
    waiting = rule(state, throw(state, "F4", "F4>P1")).state
    assert waiting.clearing and not waiting.over
    ruling = rule(waiting, throw(waiting, "F5"))
    assert ruling.state is waiting
    assert ruling.calls[0].foul


def test_an_animal_that_falls_late_counts_as_part_of_the_throw_before() -> None:
    state = position("G1", box="P3", turn="F", players="PFG")
    after = settled(state, throw(state, "F5"))
    assert after.players[after.turn].side == "gecko"
    seen = Table(tuple((p, FLAT) for p in sorted(pieces("P3 G1 F5"))), covers("P3>G1"))
    late = settled(after, Observed(seen))
    assert won_by(late, "P") == pieces("G1")
    assert late.players[late.turn].side == "gecko"


def test_an_unchanged_table_rules_nothing() -> None:
    state = position("P4 N5 F3", STALEMATE, turn="G", thrower="F")
    seen = Table(tuple((p, FLAT) for p in pieces("P4 N5 F3")), covers(STALEMATE))
    ruling = rule(state, Observed(seen))
    assert ruling.state is state
    assert ruling.calls == ()


def test_a_stalemate_is_told_once() -> None:
    state = position("P4 N5", "P4>N5", turn="F")
    told = "fox 3 and panda 4 lie on penguin 5: nobody wins it, all stay"
    move = throw(state, "F3", STALEMATE)
    assert told in calls(state, move)
    after = settled(state, move)
    assert told not in calls(after, throw(after, "G1", STALEMATE))


# --- trampoline ---


def test_an_animal_knocked_onto_the_trampoline_on_anothers_turn_stays() -> None:
    state = position("P2", turn="F", mode=3)
    assert settled(state, throw(state, "F1", "P2>T")).zones[piece("P2")] is FLAT


def test_it_comes_back_at_its_owners_next_throw() -> None:
    state = position("P2", "P2>T", mode=3)
    after = settled(state, throw(state, "P1", "P2>T"))
    assert piece("P2") in stock_of(after, "P")
    assert after.zones[piece("P1")] is FLAT


def test_house_rule_animals_come_back_from_the_trampoline_on_any_turn() -> None:
    state = position("P2", turn="F", mode=3, trampoline_any_turn=True)
    assert piece("P2") in stock_of(settled(state, throw(state, "F1", "P2>T")), "P")


def test_a_covered_animal_is_not_brought_back_by_the_trampoline() -> None:
    state = position("F2", mode=3, strength_variant=True)
    after = settled(state, throw(state, "P3", "F2>P3 P3>T"))
    assert after.zones[piece("P3")] is FLAT


def test_the_trampoline_over_an_animal_does_nothing() -> None:
    state = position("F2 P1", mode=3)
    after = settled(state, throw(state, "P3", "T>P3 P3>F2"))
    assert won_by(after, "P") == pieces("F2")


def test_the_trampoline_knocked_off_the_table_is_put_back() -> None:
    state = position(mode=3)
    move = throw(state, "P3", moves={"T": OFF})
    assert "put the trampoline back at the centre" in calls(state, move)
    assert settled(state, move).zones[piece("T")] is FLAT


# --- house rules ---


def test_house_rule_a_leaning_animal_may_win() -> None:
    state = position("F3", leaning_can_capture=True)
    after = settled(state, throw(state, "P4", "P4>F3", at=LEANING))
    assert won_by(after, "P") == pieces("F3")


def test_house_rule_a_covered_animal_may_act() -> None:
    """Panda 4 wins fox 3, and fox 3 wins gecko 2 for its owner on the way out."""
    state = position("F3 G2", "F3>G2", covered_can_act=True)
    after = settled(state, throw(state, "P4", "P4>F3 F3>G2"))
    assert won_by(after, "P") == pieces("F3")
    assert won_by(after, "F") == pieces("G2")


# --- turns and the end ---


def test_a_player_without_animals_is_skipped() -> None:
    state = position(out="F1 F2 F3 F4 F5", players="PFG")
    after = settled(state, throw(state, "P1"))
    assert after.players[after.turn].side == "gecko"


def test_the_last_player_throws_once_more_even_right_after_their_own_throw() -> None:
    state = position(out="F1 F2 F3 F4 F5", players="PF")
    move = throw(state, "P1")
    after = settled(state, move)
    assert after.final and after.turn == 0
    assert calls(state, move)[-1] == "only Ana (panda) has animals left: one last throw"


def test_the_game_ends_when_nobody_has_animals_left() -> None:
    state = position(out="F1 F2 F3 F4 F5 P1 P2 P3 P4", players="PF")
    assert settled(state, throw(state, "P5")).over


def test_people_may_say_whose_turn_it_is() -> None:
    state = position(players="PFG")
    after = rule(state, Turn("Cleo")).state
    assert after.turn == 2
    assert rule(state, Turn("Eve")).calls[0].foul


def test_a_referee_may_come_to_a_game_that_has_begun() -> None:
    state = position(players="PF")
    table = Table(((piece("F3"), FLAT), (piece("P1"), BOX), (piece("G1"), FLAT)))
    ruling = rule(state, Laid(table))
    assert [c.text for c in ruling.calls] == ["the game goes on with fox 3 and panda 1 on the table"]
    assert ruling.state.points(0) == 2
    after = settled(ruling.state, throw(ruling.state, "P4", "P4>F3"))
    assert won_by(after, "P") == pieces("F3")
    assert rule(after, Laid(table)).calls[0].foul


def test_a_misplaced_piece_is_told_and_changes_nothing() -> None:
    state = position("P1", won={"P": "F3"}, players="PF", out="F1")
    for short, told in (
        ("F3", "fox 3 was won by Ana: take it off the table"),
        ("F1", "fox 1 is out: take it off the table"),
        ("F2", "fox 2 belongs in Ben's hand: take it off the table"),
        ("N2", "penguin 2 is not in this game: take it off the table"),
        ("T", "the trampoline is not in this game: take it off the table"),
        ("P1", "panda 1 is gone without a throw: put it back where it lay"),
    ):
        ruling = rule(state, Misplaced(piece(short)))
        assert ruling.state is state
        assert [(c.text, c.foul) for c in ruling.calls] == [(told, False)]


def test_the_standing_says_what_is_awaited() -> None:
    state = position("F3", players="PF")
    assert GAME.standing(state, None).phase == "to throw, fists about 20 cm from the middle"
    waiting = rule(state, throw(state, "P4", "P4>F3")).state
    standing = GAME.standing(waiting, None)
    assert standing.phase == "to take away fox 3 and panda 4"
    assert standing.turn == "Ana"
    assert dict(standing.scores[0].stores) == {"in hand": 5, "won": 1, "in the box": 0, "out": 0}
    over = GAME.standing(replace(waiting, clearing=frozenset(), over=True), None)
    assert over.finished and over.turn is None and over.winners == ("Ana",)


# --- setting up ---


@pytest.mark.parametrize(
    ("players", "options", "says"),
    [
        ([("Ana", "panda")], {}, "two to four players, not 1"),
        ([("A", "panda"), ("B", "fox"), ("C", "gecko"), ("D", "penguin"), ("E", "fox")], {}, "not 5"),
        ([("Ana", "panda"), ("Ben", "")], {}, "Ben has no family: choose one of fox, gecko, panda, penguin"),
        ([("Ana", "panda"), ("Ben", "owl")], {}, "Ben's family 'owl' is not in the game"),
        ([("Ana", "fox"), ("Ben", "fox")], {}, "Ana and Ben both have the family fox"),
        ([("Ana", "fox"), ("Ana", "panda")], {}, "two players are called Ana"),
        ([("Ana", "fox"), (" ", "panda")], {}, "player 2 has no name"),
        ([("Ana", "fox"), ("Ben", "panda")], {"mode": 4}, "mode 4 is none of 1"),
        ([("Ana", "fox"), ("Ben", "panda")], {"starter": "Eve"}, "starter 'Eve' is no player"),
        ([("Ana", "fox"), ("Ben", "panda")], {"starter": "3"}, "starter '3' is no player"),
        ([("Ana", "fox"), ("Ben", "panda")], {"overlap_eps_mm": -1.0}, "overlap_eps_mm must be a length"),
    ],
)
def test_a_table_that_does_not_fit_is_refused_in_one_sentence(
    players: list[tuple[str, str]], options: dict[str, object], says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        setup(tuple(Player(*p) for p in players), Options(**options))


@pytest.mark.parametrize(("starter", "seat"), [("", 0), ("Ben", 1), ("fox", 1), ("2", 1), ("Ana", 0)])
def test_the_first_player_is_chosen_by_name_family_or_seat(starter: str, seat: int) -> None:
    players = (Player("Ana", "panda"), Player("Ben", "fox"))
    assert setup(players, Options(starter=starter)).turn == seat

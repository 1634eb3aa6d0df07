"""A match: undo, amendments, questions, replay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee import games
from referee.errors import IncoherentLog
from referee.facts import PieceId
from referee.games.poc.moves import Cleared, Table, Throw, Zone
from referee.rules.events import (
    CAMERA,
    Amended,
    Asked,
    Dismissed,
    Event,
    Retracted,
    Ruled,
    Seen,
    Started,
    Upheld,
)
from referee.rules.match import Match, effect, missing, react, replay, start, void
from tests.game_play import AT, HOST, after, random_moves, started
from tests.poc_scenes import flight, placed, scene, touch

GAME = games.load("poc")


def throw(seat: str, piece: str, over: str = "", zone: Zone = Zone.FLAT, flip: bool = True) -> Throw:
    covers = ((PieceId(piece), PieceId(over)),) if over else ()
    return Throw(seat, PieceId(piece), flip, Table(((PieceId(piece), zone),), covers))


def played(*moves: object) -> Match:
    """Each move one ruling: event 1, 2, 3..."""
    match = started(GAME)
    for move in moves:
        match = after(match, Ruled((move,), CAMERA))
    return match


CAPTURE = (throw("Ana", "panda4"), throw("Ben", "fox3", over="panda4"), Cleared())


def points(match: Match) -> tuple[int, ...]:
    return tuple(s.points for s in GAME.standing(match.state, None).scores)


def test_each_ruling_is_a_line_with_its_calls_and_scores() -> None:
    match = played(*CAPTURE)
    assert [line.seq for line in match.lines] == [1, 2, 3]
    assert [c.text for c in match.lines[1].calls] == ["Ben (fox) wins panda 4", "Ben (fox) takes back fox 3"]
    assert [line.points for line in match.lines] == [(0, 0), (0, 4), (0, 4)]


def test_a_ruling_taken_back_never_was() -> None:
    match = played(*CAPTURE)
    undone = after(match, Retracted(2, HOST, "it did not touch"))
    assert points(undone) == (0, 0)
    assert [line.seq for line in undone.lines] == [1, 3]
    assert len(undone.events) == 5


def test_an_undo_can_be_undone_and_that_too() -> None:
    match = played(*CAPTURE)
    undone = after(match, Retracted(2, HOST, "oops"))
    redone = after(undone, Retracted(4, HOST, "no, it was right"))
    assert redone.state == match.state and redone.lines == match.lines
    again = after(redone, Retracted(5, HOST, "really oops"))
    assert again.state == undone.state and again.lines == undone.lines
    assert void(again.events) == {5, 2}


def test_what_was_taken_back_cannot_be_taken_back_again() -> None:
    undone = after(played(*CAPTURE), Retracted(2, HOST, "oops"))
    with pytest.raises(IncoherentLog, match="taken back already"):
        after(undone, Retracted(2, HOST, "oops"))
    with pytest.raises(IncoherentLog, match="taken back already"):
        after(undone, Amended(2, (), HOST, "oops"))


@pytest.mark.parametrize("seq", [0, 4, 99, -1])
def test_only_rulings_and_words_about_them_can_be_taken_back(seq: int) -> None:
    with pytest.raises(IncoherentLog, match="not one that can be taken back"):
        after(played(*CAPTURE), Retracted(seq, HOST, "oops"))


def test_an_amendment_plays_other_moves_in_the_place_of_a_ruling() -> None:
    match = played(*CAPTURE)
    amended = after(match, Amended(2, (throw("Ben", "fox3", zone=Zone.ON_BOX),), HOST, "it was in the box"))
    assert points(amended) == (0, 6)
    assert amended.lines[1].moves == (throw("Ben", "fox3", zone=Zone.ON_BOX),)
    assert isinstance(amended.events[2].body, Ruled)
    assert amended.events[2].body.moves == (CAPTURE[1],), "the machine's word stays on record"


def test_the_last_amendment_counts_and_taking_it_back_brings_back_the_one_before() -> None:
    match = after(played(*CAPTURE), Amended(2, (throw("Ben", "fox3", zone=Zone.ON_BOX),), HOST, "box"))
    match = after(match, Amended(2, (throw("Ben", "fox3"),), HOST, "no, beside it"))
    assert points(match) == (0, 0)
    match = after(match, Retracted(5, HOST, "in the box after all"))
    assert points(match) == (0, 6)
    match = after(match, Retracted(4, HOST, "it did cover"))
    assert points(match) == (0, 4)


def test_upholding_changes_nothing_but_is_on_record_and_can_be_taken_back() -> None:
    match = played(*CAPTURE)
    upheld = after(match, Upheld(2, HOST, "looked at the picture"))
    assert upheld.state == match.state and upheld.lines == match.lines
    assert after(upheld, Retracted(4, HOST, "wrong line")).state == match.state


def test_the_effect_of_an_undo_is_shown_before_it_is_done() -> None:
    """Without Ben's throw it is still his turn, so that Ana's next throw no longer stands."""
    match = played(throw("Ana", "panda4"), throw("Ben", "fox1"), throw("Ana", "panda1"))
    then, fouls = effect(match, Event(4, AT, Retracted(2, HOST, "not a throw")))
    assert [line.seq for line in fouls] == [3]
    assert fouls[0].calls[0].text == "Ana threw panda 1, but it is Ben's turn: take panda 1 back"
    assert then.state.turn == 1
    assert len(match.events) == 4


def test_an_undo_after_the_end_reopens_the_game() -> None:
    match = started(GAME)
    for _, move in random_moves(GAME, match.state, 5):
        match = after(match, Ruled((move,), CAMERA))
    assert GAME.standing(match.state, None).finished
    undone = after(match, Retracted(match.lines[-1].seq, HOST, "one more look"))
    assert not GAME.standing(undone.state, None).finished


# --- questions ---


def questioned() -> Match:
    """Event 1 is the scene, event 2 the question whether fox 3 covers panda 4."""
    match = played(throw("Ana", "panda4"))
    match = after(match, Seen(scene([placed("panda4")])))
    near = scene(
        [placed("panda4"), placed("fox3", (90.0, 0.0))], [touch("fox3", "panda4", 0.3)], [flight("fox3")]
    )
    for body in react(match, near):
        match = after(match, body)
    assert match.open == 4
    return match


def test_while_a_question_is_open_scenes_are_not_read() -> None:
    assert react(questioned(), scene([placed("panda4")])) == ()


def test_an_answer_closes_the_question_and_moves_the_game_on() -> None:
    match = questioned()
    assert match.question is not None
    match = after(match, Ruled(match.question.options[0], HOST, 3))
    assert match.open is None and match.question is None
    assert points(match) == (0, 4)


def test_a_retracted_answer_reopens_its_question() -> None:
    match = questioned()
    assert match.question is not None
    answered = after(match, Ruled(match.question.options[0], HOST, 3))
    reopened = after(answered, Retracted(5, HOST, "wrong button"))
    assert reopened.open == 4
    assert reopened.state == match.state
    other = after(reopened, Ruled(match.question.options[1], HOST, 3))
    assert points(other) == (0, 0)


def test_a_retracted_dismissal_reopens_its_question() -> None:
    dismissed = after(questioned(), Dismissed(HOST, "nothing happened"))
    assert dismissed.open is None
    assert after(dismissed, Retracted(5, HOST, "wrong button")).open == 4


def test_only_an_open_question_can_be_dismissed() -> None:
    with pytest.raises(IncoherentLog, match="no open question"):
        after(played(), Dismissed(HOST, "nothing"))


def test_an_answer_that_is_taken_back_later_stays_closed_once_play_went_on() -> None:
    match = questioned()
    assert match.question is not None
    match = after(match, Ruled(match.question.options[1], HOST, 3))
    match = after(match, Ruled((throw("Ana", "panda1"),), CAMERA))
    assert after(match, Retracted(5, HOST, "oops")).open is None


# --- logs ---


def test_an_event_out_of_its_place_is_refused_and_changes_nothing() -> None:
    match = played(*CAPTURE)
    for seq in (3, 5):
        with pytest.raises(IncoherentLog, match="expected event 4"):
            match.after(Event(seq, AT, Ruled((), HOST)))
    assert len(match.events) == 4


def test_a_match_starts_once() -> None:
    match = played()
    with pytest.raises(IncoherentLog, match="starts once"):
        after(match, match.events[0].body)
    twice = (*match.events, replace(match.events[0], seq=1))
    with pytest.raises(IncoherentLog, match="no place"):
        replay(GAME, twice)


def test_a_log_with_a_gap_is_refused() -> None:
    match = played(*CAPTURE)
    with pytest.raises(IncoherentLog, match="no place"):
        replay(GAME, (*match.events[:2], match.events[3]))
    with pytest.raises(IncoherentLog, match="empty log"):
        replay(GAME, ())


def test_a_log_by_newer_rules_is_refused_with_what_to_do() -> None:
    opening = played().events[0]
    assert isinstance(opening.body, Started)
    newer = replace(opening, body=replace(opening.body, version=GAME.version + 1))
    with pytest.raises(IncoherentLog, match="use a newer program"):
        start(GAME, newer)
    with pytest.raises(IncoherentLog, match="opens with its Started"):
        start(GAME, replace(opening, body=replace(opening.body, game="chess")))


def test_replay_until_an_event_shows_the_match_as_it_stood_in_todays_light() -> None:
    match = after(played(*CAPTURE), Amended(2, (throw("Ben", "fox3", zone=Zone.ON_BOX),), HOST, "box"))
    assert points(replay(GAME, match.events, until=2)) == (0, 0)
    assert points(replay(GAME, match.events, until=3)) == (0, 6)


def test_a_capture_is_ruled_once_however_long_the_coasters_lie_there() -> None:
    match = played(throw("Ana", "panda4"))
    match = after(match, Seen(scene([placed("panda4")])))
    seen = scene(
        [placed("panda4"), placed("fox3", (60.0, 0.0))], [touch("fox3", "panda4", 30.0)], [flight("fox3")]
    )
    lying = replace(seen, flights=())
    for look in (seen, lying, lying, lying):
        for body in react(match, look):
            match = after(match, body)
    assert len(match.lines) == 2
    assert points(match) == (0, 4)


def test_the_table_is_compared_with_the_rules() -> None:
    match = played(*CAPTURE[:2])
    standing = GAME.standing(match.state, None)
    assert not missing(standing, scene([placed("panda4"), placed("fox3")]))
    thrown = GAME.standing(played(CAPTURE[0]).state, None)
    assert missing(thrown, scene()) == {"panda4"}
    perhaps = placed("panda3", names={"panda3": 0.6, "panda4": 0.4})
    assert not missing(thrown, scene([perhaps])), "what may be it is not missed"


def test_a_question_carries_its_stories_and_what_it_is_about() -> None:
    question = questioned().question
    assert isinstance(question, Asked)
    assert question.on == 3
    assert [GAME.say(m) for story in question.options for m in story] == [
        "Ben throws fox 3, over panda 4",
        "Ben throws fox 3, on the table",
    ]

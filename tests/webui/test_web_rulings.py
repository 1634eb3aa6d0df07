"""Answering, declaring, disputing, undoing: what people do to a match through the pages."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.rules.events import Amended, Dismissed, Retracted, Role, Ruled, Upheld
from tests.webui.conftest import Sitting
from webui import views


def last_body(sitting: Sitting):
    return sitting.session.latest().match.events[-1].body


def points(sitting: Sitting) -> dict[str, int]:
    board = views.scoreboard(sitting.session.latest().match)
    return {s["player"]: s["points"] for s in board["scores"]}


def test_an_answer_is_ruled_and_closes_the_question(asked: Sitting):
    match = asked.session.latest().match
    answer = asked.host().post("/answer", asked=match.open, option=0)
    assert answer.status_code == 200
    body = last_body(asked)
    assert isinstance(body, Ruled) and body.by.role is Role.HOST
    assert points(asked) == {"Ana": 0, "Ben": 8, "Cleo": 8}
    assert asked.session.latest().match.question is None


def test_a_stale_button_is_refused_in_words_and_changes_nothing(asked: Sitting):
    host, match = asked.host(), asked.session.latest().match
    host.post("/answer", asked=match.open, option=1)
    length = len(asked.session.latest().match.events)
    answer = host.post("/answer", asked=match.open, option=0)
    assert answer.status_code == 409
    assert "nothing was changed" in answer.get_json()["error"]
    assert len(asked.session.latest().match.events) == length


def test_nothing_happened_closes_the_question(asked: Sitting):
    asked.host().post("/dismiss", asked=asked.session.latest().match.open)
    assert isinstance(last_body(asked), Dismissed)


def test_a_declared_move_is_the_one_of_its_button(playing: Sitting):
    match = playing.session.latest().match
    said = [match.game.say(move) for move in match.game.options(match.state, None)]
    playing.host().post("/declare", option=1, seen=len(match.events))
    body = last_body(playing)
    assert isinstance(body, Ruled) and body.on is None
    assert match.game.say(body.moves[0]) == said[1]


def test_a_declared_move_is_refused_when_the_match_has_moved_on(playing: Sitting):
    host, match = playing.host(), playing.session.latest().match
    host.post("/declare", option=1, seen=len(match.events))
    answer = host.post("/declare", option=1, seen=len(match.events))
    assert answer.status_code == 409


def test_undo_shows_its_effect_and_then_has_it(playing: Sitting):
    host, match = playing.host(), playing.session.latest().match
    page = host.get("/undo/8").text
    assert "Cleo throws panda 4" in page
    assert "Later rulings would become fouls" in page
    answer = host.post("/undo/8", seen=len(match.events), reason="it  fell\nout", name="Ana")
    assert answer.status_code == 200
    body = last_body(playing)
    assert isinstance(body, Retracted)
    assert (body.by.name, body.reason) == ("Ana", "it fell out")
    assert points(playing)["Cleo"] == 0


def test_an_undo_can_be_undone(playing: Sitting):
    host, match = playing.host(), playing.session.latest().match
    host.post("/undo/8", seen=len(match.events))
    then = playing.session.latest().match
    host.post(f"/undo/{then.events[-1].seq}", seen=len(then.events))
    assert points(playing)["Cleo"] == 8


def test_the_undo_button_walks_backwards_past_undos(playing: Sitting):
    host = playing.host()
    for expected in (10, 8):
        match = playing.session.latest().match
        assert views.last_undoable(match) == expected
        host.post(f"/undo/{expected}", seen=len(match.events))
    assert views.last_undoable(playing.session.latest().match) == 6


def test_overruling_puts_the_chosen_story_in_place_and_both_stay_on_record(playing: Sitting):
    host, match = playing.host(), playing.session.latest().match
    page = host.get("/ruling/4").text
    assert "Ben throws gecko 2, on the table" in page
    effect = host.get("/ruling/4/overrule/1").text
    assert "What it would change" in effect
    answer = host.post(
        "/ruling/4/overrule", option=1, seen=len(match.events), name="Ben", reason="they did not touch"
    )
    assert answer.status_code == 200
    assert isinstance(last_body(playing), Amended)
    assert points(playing)["Ben"] == 0
    page = host.get("/ruling/4").text
    assert "they did not touch" in page and "Ben throws gecko 2, over fox 3" in page


def test_upholding_changes_no_score_and_is_on_record(playing: Sitting):
    before, match = points(playing), playing.session.latest().match
    playing.host().post("/ruling/4/uphold", seen=len(match.events), name="Ana", reason="plain to see")
    assert isinstance(last_body(playing), Upheld)
    assert points(playing) == before
    assert "plain to see" in playing.viewer().get("/ruling/4").text


def test_a_name_given_once_is_remembered(playing: Sitting):
    host, match = playing.host(), playing.session.latest().match
    host.post("/ruling/4/uphold", seen=len(match.events), name="Ana")
    assert 'value="Ana"' in host.get("/undo/8").text


def test_a_ruling_shows_what_was_measured_and_how_surely(playing: Sitting):
    page = playing.viewer().get("/ruling/4").text
    assert (
        "Gecko 2 lies on Fox 3 by 22.5 ± 0.3 mm" in page or "Gecko 2 lies on Fox 3 by 22.5 ± 0.4 mm" in page
    )
    assert "&gt; 99 %" in page
    assert "Dispute" not in page


def test_a_ruling_that_is_none_is_not_found(playing: Sitting):
    viewer = playing.viewer()
    for seq in (0, 1, 999, 10**30):
        assert viewer.get(f"/ruling/{seq}").status_code == 404
    assert playing.host().get("/ruling/4/overrule/99").status_code == 404
    assert playing.host().get("/undo/999").status_code == 404


def test_without_a_match_people_are_told_so(empty: Sitting):
    answer = empty.host().post("/undo/1", seen=1)
    assert answer.status_code == 409
    assert "no match is on" in answer.get_json()["error"]
    assert empty.viewer().get("/ruling/1").status_code == 409


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.sampled_from(["/answer", "/dismiss", "/declare", "/undo/8", "/ruling/4/overrule"]),
    form=st.dictionaries(
        st.sampled_from(["asked", "option", "seen", "match"]), st.one_of(st.text(), st.integers()), max_size=4
    ),
)
def test_no_nonsense_in_a_form_changes_the_match_or_breaks_it(asked: Sitting, path: str, form: dict):
    match = asked.session.latest().match
    harmless = {**form, "match": "another match"}
    answer = asked.host().post(path, **harmless)
    assert answer.status_code in (400, 404, 409)
    assert answer.get_json()["error"]
    assert asked.session.latest().match is match

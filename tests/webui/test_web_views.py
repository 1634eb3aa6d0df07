"""Views: a match in, plain values out."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from referee.requests import Amend
from referee.rules.events import CAMERA, Event, Retracted, Role, Ruled, Seen, Started, Who
from referee.rules.match import start
from tests.stand_ins import PLAYERS, Options, Pass, Point, Toy, table
from tests.webui.conftest import Sitting
from tests.webui.drawn import scene
from webui import inquiry, plot, views, wording
from webui.evidence import contacts

HOST = Who(Role.HOST, "Ana")


def toy_match(*bodies):
    game = Toy()
    match = start(game, Event(0, "2026-01-01T12:00:00+00:00", Started("toy", 3, PLAYERS, Options())))
    for body in bodies:
        match = match.after(Event(len(match.events), "2026-01-01T12:00:00+00:00", body))
    return match


def test_a_scoreboard_says_whose_turn_it_is():
    board = views.scoreboard(toy_match(Ruled((Point(2),), CAMERA)))
    assert (board["turn"], board["phase"], board["finished"]) == ("Ben", "to move", False)
    assert [(s["points"], s["turn"]) for s in board["scores"]] == [(2, False), (0, True)]


def test_a_finished_match_has_winners_and_nobody_on_turn():
    board = views.scoreboard(toy_match(Ruled((Point(10),), CAMERA)))
    assert board["finished"] and board["winners"] == ["Ana"]
    assert [s["wins"] for s in board["scores"]] == [True, False]
    assert not any(s["turn"] for s in board["scores"])


def test_each_ruling_says_what_it_brought_whom():
    match = toy_match(Ruled((Point(2),), CAMERA), Ruled((Pass(),), CAMERA), Ruled((Point(1),), CAMERA))
    gains = [r["gains"] for r in views.rulings(match)]
    assert gains == [[{"player": "Ana", "points": 1}], [], [{"player": "Ana", "points": 2}]]


def test_a_ruling_taken_back_leaves_the_list_and_stays_in_the_log():
    match = toy_match(Ruled((Point(2),), CAMERA), Retracted(1, HOST, "slipped"))
    assert views.rulings(match) == []
    log = inquiry.log(match)
    assert [(e["kind"], e["void"]) for e in log] == [
        ("Started", False),
        ("Ruled", True),
        ("Retracted", False),
    ]
    assert log[2]["reason"] == "slipped" and log[2]["name"] == "Ana"
    assert inquiry.ruling(match, 1)["line"] is None


def test_throws_to_declare_are_told_piece_by_piece_each_once(playing: Sitting):
    match = playing.session.latest().match
    said = views.sayings(match)
    titles = [s["title"] for s in said if s["choices"]]
    assert titles and len(set(titles)) == len(titles)
    assert all(" throws " in title and "," not in title for title in titles)
    for group in said:
        told = [c["text"] for c in group["choices"]]
        assert all(told) and len(set(told)) == len(told)
    numbers = [c["option"] for s in said for c in s["choices"]] + [
        s["option"] for s in said if not s["choices"]
    ]
    texts = [match.game.say(move) for move in match.game.options(match.state, None)]
    assert {texts[n] for n in numbers} == set(texts), "all that differs in words"


def test_every_view_is_ready_for_json(asked: Sitting):
    now = asked.session.latest()
    match = now.match
    views_ = [
        views.snapshot(now, 0.0),
        inquiry.log(match),
        plot.plot(match),
        views.sayings(match),
        *(inquiry.ruling(match, line.seq) for line in match.lines),
    ]
    assert json.loads(json.dumps(views_, allow_nan=False)) == views_


def test_the_effect_of_a_change_is_before_and_after(playing: Sitting):
    match = playing.session.latest().match
    change = playing.session.effect(Amend(4, 1, "", len(match.events)), HOST)
    shown = inquiry.effect(match, change)
    assert {s["player"]: (s["before"], s["after"]) for s in shown["scores"]}["Ben"] == (3, 0)


@pytest.mark.parametrize(
    ("p", "said"), [(1.0, "> 99 %"), (0.999, "> 99 %"), (0.5, "50 %"), (0.004, "< 1 %"), (0.0, "< 1 %")]
)
def test_nothing_measured_is_ever_certain(p: float, said: str):
    assert wording.percent(p) == said


def test_the_chance_of_overlap_is_the_one_that_was_ruled_by():
    table = scene({"fox1": (0.0, 0.0), "panda2": (93.9, 0.0)})
    leaning = replace(table, contacts=tuple(replace(c, overlap_p=0.999) for c in table.contacts))
    (row,) = contacts(leaning, frozenset())
    assert (row["touch"], row["overlap_p"]) == ("covers", 0.999)


def test_names_in_the_plot_never_lie_on_one_another():
    labels = sorted(line["label_y"] for line in plot.plot(toy_match(Ruled((Pass(),), CAMERA)))["lines"])
    assert labels[1] - labels[0] >= 16


def test_a_call_becomes_a_sentence():
    assert wording.sentence("the game is over") == "The game is over."
    assert wording.sentence("Really?") == "Really?"


def test_evidence_that_comes_in_makes_no_button_stale():
    match = toy_match(Ruled((Point(2),), CAMERA))
    before = views.settled(match)
    assert views.settled(match.after(Event(2, "2026-01-01T12:00:01+00:00", Seen(table(1))))) == before == 2

"""Past matches and the files to take along."""

from __future__ import annotations

import csv
import io

from tests.webui.conftest import Sitting
from tests.webui.tabled import MATCH_ID
from webui.history import _inert


def test_every_match_is_listed_with_its_score(playing: Sitting):
    page = playing.viewer().get("/history/").text
    assert "Cleo <b>8</b>" in page and "on now" in page


def test_the_course_of_a_match_is_told_event_by_event(playing: Sitting):
    page = playing.viewer().get(f"/history/{MATCH_ID}").text
    assert "Ben throws gecko 2, over fox 3" in page
    assert page.count("<polyline") == 3
    assert "Undo" not in page
    assert "Undo" in playing.host().get(f"/history/{MATCH_ID}").text


def test_a_table_of_all_events_can_be_taken_along(playing: Sitting):
    answer = playing.viewer().get(f"/history/{MATCH_ID}.csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert len(rows) == len(playing.session.latest().match.events)
    assert "wins fox 3" in rows[4]["calls"] and rows[4]["Ben"] == "3"
    assert f'filename="{MATCH_ID}.csv"' in answer.headers["Content-Disposition"]


def test_the_whole_log_can_be_taken_along(playing: Sitting):
    told = playing.viewer().get(f"/history/{MATCH_ID}.json").get_json()
    assert told["schema"] == "referee.match/1"
    assert [e["body"]["is"] for e in told["events"][:3]] == ["Started", "Seen", "Ruled"]


def test_no_name_becomes_a_formula_in_a_spreadsheet():
    assert _inert("=HYPERLINK(1)") == "'=HYPERLINK(1)"
    assert _inert("Ana") == "Ana" and _inert(-3) == -3


def test_a_match_that_is_not_there_is_not_found(playing: Sitting):
    for name in ("nothing", "..", "x%2f..", MATCH_ID + ".txt"):
        assert playing.viewer().get(f"/history/{name}").status_code == 404

"""The stream, the asking in its place, the picture."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from referee.facts import Stranger
from referee.requests import Answer
from referee.rules.events import Role, Who
from referee.session import Session
from tests.webui.conftest import Sitting
from tests.webui.drawn import preview, scene
from tests.webui.tabled import MATCH_ID, write_match
from webui import Access, create_app, views
from webui.live import Allowance

HOST = Who(Role.HOST)


def messages(stream: Iterator[bytes]) -> Iterator[dict]:
    """The data of a stream's messages; beats are left out."""
    text = ""
    for chunk in stream:
        text += chunk.decode()
        while "\n\n" in text:
            block, text = text.split("\n\n", 1)
            fields = dict(line.split(": ", 1) for line in block.splitlines())
            if "data" in fields and "event" not in fields:
                yield json.loads(fields["data"])


def test_the_first_message_of_a_stream_tells_everything(asked: Sitting):
    response = asked.viewer().get("/events")
    assert response.mimetype == "text/event-stream"
    assert response.headers["Cache-Control"] == "no-store"
    first = next(messages(response.iter_encoded()))
    assert set(first["parts"]) == {"score", "question", "newest", "rulings", "health", "actions"}
    assert "Does gecko 4 lie over fox 5?" in first["parts"]["question"]
    assert first["newest"]["text"] == "Ana's fox 5 lies on the table."
    assert [m["label"] for m in first["sight"]["marks"] if not m["sure"]] == ["gecko4?"]
    response.close()


def test_later_messages_tell_only_what_changed(asked: Sitting):
    response = asked.viewer().get("/events")
    told = messages(response.iter_encoded())
    next(told)
    asked.session.submit(Answer(asked.session.latest().match.open, 0), HOST)
    news = next(told)
    assert "question" in news["parts"] and "health" not in news["parts"]
    assert "wins fox 5" in news["newest"]["text"]
    response.close()


def test_a_page_that_comes_back_is_told_everything_again(asked: Sitting):
    first = asked.viewer().get("/events")
    next(messages(first.iter_encoded()))
    first.close()
    asked.session.submit(Answer(asked.session.latest().match.open, 0), HOST)
    again = asked.viewer().get("/events", headers={"Last-Event-ID": "1"})
    caught_up = next(messages(again.iter_encoded()))
    assert "wins fox 5" in caught_up["parts"]["newest"]
    again.close()


def test_a_quiet_stream_beats(asked: Sitting):
    response = asked.viewer().get("/events?page=board")
    stream = response.iter_encoded()
    chunks = [next(stream).decode() for _ in range(3)]
    assert chunks[0] == "retry: 1000\n\n"
    assert chunks[1].startswith("id: ")
    assert chunks[2] == "event: beat\ndata: {}\n\n"
    response.close()


def test_streams_end_when_the_server_stops(asked: Sitting):
    response = asked.viewer().get("/events")
    asked.app.extensions["closing"].set()
    assert len(list(response.iter_encoded())) <= 2
    response.close()


def test_asking_tells_the_same_as_the_stream(asked: Sitting):
    response = asked.viewer().get("/events")
    streamed = next(messages(response.iter_encoded()))
    response.close()
    polled = asked.viewer().get("/api/live").get_json()
    for told in (streamed, polled):
        told["sight"].pop("age_ms")
    assert polled == streamed


def test_host_and_viewer_are_sent_different_parts(asked: Sitting):
    assert "<button" not in asked.viewer().get("/api/live").get_json()["parts"]["question"]
    assert "<button" in asked.host().get("/api/live").get_json()["parts"]["question"]
    assert "<button" not in asked.viewer().get("/api/live").get_json()["parts"]["question"]


def test_an_unknown_page_has_no_stream(asked: Sitting):
    assert asked.viewer().get("/events?page=secrets").status_code == 404


def test_that_a_pile_was_tidied_away_is_no_headline(playing: Sitting):
    page = playing.viewer().get("/").text
    shown = [n for n in range(1, 6) if f"Ruling {n} " in page]
    assert shown == [1, 2, 4, 5]  # by the third the pile was taken away, as ruled
    assert len(playing.viewer().get("/api/snapshot").get_json()["rulings"]) == 5


def test_undoing_tells_the_page_that_something_was_corrected(playing: Sitting):
    before = playing.viewer().get("/api/live").get_json()
    playing.host().post("/undo/10", seen=len(playing.session.latest().match.events))
    after = playing.viewer().get("/api/live").get_json()
    assert after["corrections"] == before["corrections"] + 1
    assert after["newest"]["seq"] < before["newest"]["seq"]


def test_the_picture_is_the_newest_and_is_not_kept(asked: Sitting):
    asked.eye.say(preview(scene({"fox1": (0.0, 0.0)}, frame=77)))
    while asked.session.latest().preview.frame != 77:
        asked.session.wait(asked.session.latest().version, 0.1)
    answer = asked.viewer().get("/frame.jpg")
    assert answer.data[:2] == b"\xff\xd8" and answer.headers["X-Frame"] == "77"
    assert answer.headers["Cache-Control"] == "no-store"


def test_watching_has_a_limit_so_that_refereeing_goes_on():
    pictures = Allowance(3)
    assert [pictures.take() for _ in range(5)] == [True, True, True, False, False]


def test_the_snapshot_for_programs_is_plain_json(asked: Sitting):
    told = asked.viewer().get("/api/snapshot").get_json()
    assert told["scoreboard"]["scores"][2] == {
        "player": "Cleo",
        "side": "panda",
        "points": 8,
        "stores": told["scoreboard"]["scores"][2]["stores"],
        "turn": False,
        "wins": False,
    }
    assert [r["number"] for r in told["rulings"]] == [5, 4, 3, 2, 1]
    assert told["question"]["options"] == [
        "Ben throws gecko 4, over fox 5",
        "Ben throws gecko 4, on the table",
    ]
    assert told["health"]["markers"] == 4


def test_before_a_match_every_live_page_opens(empty: Sitting):
    for path in ("/", "/board", "/overlay", "/history/", "/api/snapshot", "/api/live"):
        assert empty.viewer().get(path).status_code == 200
    assert "Start a match" in empty.host().get("/").text


def test_an_unknown_round_object_is_told_with_its_side_and_width(playing: Sitting):
    match = playing.session.latest().match
    places = ((-250.0, 20.0), (250.0, 20.0), (10.0, -170.0), (10.0, 170.0), (30.0, -40.0))
    odd = replace(match, scene=replace(match.scene, strangers=tuple(Stranger(*p, 43.8) for p in places)))
    assert [s["side"] for s in views.strangers(odd)] == ["left", "right", "near", "far", "middle"]
    assert {s["wide_mm"] for s in views.strangers(odd)} == {88}
    assert views.strangers(match) == []


def test_what_the_score_has_on_the_table_and_nobody_sees_is_told(playing: Sitting):
    page = playing.viewer().get("/").text
    assert "Not seen" not in page
    match = playing.session.latest().match
    expected = {w.piece for w in match.game.standing(match.state, None).pieces if w.in_view}
    bare = replace(match, scene=replace(match.scene, placed=()))
    assert views.missed(bare) == sorted(expected) != []
    assert views.missed(replace(bare, open=3)) == [], "while a question is open nobody knows"


def test_without_a_camera_no_picture_is_waited_for(tmp_path: Path):
    write_match(tmp_path, asks=False)
    session = Session.open(tmp_path)
    session.resume(MATCH_ID)
    page = create_app(session, Access()).test_client().get("/").text
    session.close()
    assert "camera is starting" not in page and "Waiting for the camera" not in page
    assert "Keep score" in page

"""The session: scenes in, rulings logged, snapshots out; people's requests granted or refused in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from queue import Queue
from threading import Thread

import pytest

from referee import games
from referee.errors import ConfigError, IncoherentLog, Refused, UnknownGame
from referee.evidence import Store
from referee.facts import Face, Flight, Picture, Scene, Verdict
from referee.log import Log
from referee.rules.events import Dismissed, Role, Ruled, Started, Upheld, Who
from referee.session import (
    Amend,
    Answer,
    Declare,
    Dismiss,
    Retract,
    Session,
    Snapshot,
    Uphold,
    alternatives,
)
from referee.vision.messages import Ended, Gate, Message, Notice, Opened, Preview, Saw
from tests.stand_ins import PLAYERS, Options, Pass, Point, table

HOST = Who(Role.HOST, "Hannah")


class Script:
    """An eye that says what the test tells it to say."""

    def __init__(self) -> None:
        self.lines: Queue[Message | Notice | Opened | None] = Queue()
        self.reopened: list[Scene | None] = []

    def messages(self) -> Iterator[Message | Notice | Opened]:
        yield from iter(self.lines.get, None)

    def reopen(self, remembered: Scene | None) -> None:
        self.reopened.append(remembered)

    def close(self) -> None:
        self.lines.put(None)


class Desk:
    """A session, its scripted eye, and a way to wait for what the eye says to arrive."""

    def __init__(self, folder: Path) -> None:
        self.eye = Script()
        self.session = Session.open(folder, self.eye)

    def say(self, *messages: Message | Notice | Opened) -> Snapshot:
        for message in (*messages, Notice("all said")):
            self.eye.lines.put(message)
        return self.until(lambda s: s.notice == "all said")

    def show(self, *scenes: Scene) -> Snapshot:
        return self.say(*map(Saw, scenes))

    def until(self, wanted: Callable[[Snapshot], bool]) -> Snapshot:
        now = self.session.latest()
        while not wanted(now):
            newer = self.session.wait(now.version, 10.0)
            assert newer.version > now.version, "nothing happened"
            now = newer
        with self.session._changed:
            self.session._publish(notice="")
        return self.session.latest()

    def points(self) -> tuple[int, ...]:
        match_ = self.session.latest().match
        assert match_ is not None
        return tuple(s.points for s in match_.game.standing(match_.state, None).scores)

    def kinds(self) -> list[str]:
        match_ = self.session.latest().match
        assert match_ is not None
        return [type(e.body).__name__ for e in match_.events]

    def seen(self) -> int:
        return len(self.kinds())


@pytest.fixture
def desk(tmp_path: Path, toy) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    desk.session.start("toy", PLAYERS, Options())
    yield desk
    desk.session.close()


def test_a_scene_becomes_a_ruling_and_a_newer_snapshot(desk: Desk) -> None:
    before = desk.session.latest()
    after = desk.show(table(1))
    assert after.version > before.version
    assert desk.kinds() == ["Started", "Seen", "Ruled"] and desk.points() == (1, 0)


def test_the_log_holds_whatever_a_snapshot_shows(desk: Desk, tmp_path: Path) -> None:
    shown = desk.show(table(1), table(1, 2))
    assert shown.match is not None and shown.match_id is not None
    looking = Log.open(tmp_path, writes=False)
    assert looking.read(shown.match_id) == shown.match.events
    looking.close()


def test_what_cant_be_logged_is_not_shown_and_the_next_scene_makes_up_for_it(desk: Desk, monkeypatch) -> None:
    def full(*args: object) -> None:
        raise IncoherentLog("the log can't be used: disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(desk.session._log, "append", full)
        desk.eye.lines.put(Saw(table(1)))
        desk.until(lambda s: "disk is full" in s.notice)
    assert desk.kinds() == ["Started"]
    desk.show(table(1, 2))
    assert desk.points() == (2, 0)


def test_a_question_holds_play_and_the_answer_lets_the_latest_scene_be_read(desk: Desk) -> None:
    asked = desk.show(table(1, p=0.5), table(1, 2), table(1, 2, 3)).match
    assert asked is not None and asked.open == 2 and desk.points() == (0, 0)
    desk.session.submit(Answer(2, 0), HOST)
    assert desk.kinds()[2:] == ["Asked", "Ruled", "Seen", "Ruled"]
    assert desk.points() == (1, 2)


def test_flights_of_scenes_that_were_not_read_are_kept_for_the_one_that_is(desk: Desk) -> None:
    def flight(track: int) -> Flight:
        return Flight(track, (), None, Verdict.UNSURE, Face.FRONT, Face.FRONT, 1.0, 1, 2)

    desk.show(
        table(1, p=0.5),
        replace(table(1, 2), flights=(flight(2),), pictures=(Picture("a.jpg", ""),)),
        replace(table(1, 2, 3), flights=(flight(3),)),
    )
    after = desk.session.submit(Dismiss(2, "a sleeve"), HOST)
    assert after.scene is not None
    assert [f.track for f in after.scene.flights] == [2, 3] and after.scene.pictures


def test_an_answer_is_logged_with_who_gave_it(desk: Desk) -> None:
    desk.show(table(1, p=0.5))
    after = desk.session.submit(Answer(2, 1), HOST)
    assert after.events[-1].body == Ruled((Pass(),), HOST, 1)


def test_a_question_is_answered_once(desk: Desk) -> None:
    desk.show(table(1, p=0.5))
    desk.session.submit(Dismiss(2, "a sleeve"), HOST)
    assert desk.session.latest().match.events[-1].body == Dismissed(HOST, "a sleeve")
    for late in (Answer(2, 0), Dismiss(2, "")):
        with pytest.raises(Refused, match="closed already"):
            desk.session.submit(late, HOST)


@pytest.mark.parametrize("option", [-1, 2])
def test_an_answer_that_is_none_of_the_options_is_refused(desk: Desk, option: int) -> None:
    desk.show(table(1, p=0.5))
    with pytest.raises(Refused, match="answers 1 to 2"):
        desk.session.submit(Answer(2, option), HOST)


def test_people_declare_lawful_moves_only(desk: Desk) -> None:
    desk.session.submit(Declare(Pass(), desk.seen()), HOST)
    with pytest.raises(Refused, match="can't be declared now"):
        desk.session.submit(Declare(Point(9), desk.seen()), HOST)
    desk.show(table(1, p=0.5))
    with pytest.raises(Refused, match="open question"):
        desk.session.submit(Declare(Pass(), desk.seen()), HOST)


def test_a_foul_can_not_be_declared(desk: Desk) -> None:
    desk.show(table(*range(1, 12)))
    with pytest.raises(Refused, match="the game is over"):
        desk.session.submit(Declare(Pass(), desk.seen()), HOST)


def test_a_request_made_before_the_match_moved_on_is_refused(desk: Desk) -> None:
    seen = desk.seen()
    desk.show(table(1))
    for stale in (Declare(Pass(), seen), Retract(1, "", seen), Amend(2, 0, "", seen), Uphold(2, "", seen)):
        with pytest.raises(Refused, match="moved on"):
            desk.session.submit(stale, HOST)
    assert desk.seen() == 3


def test_evidence_alone_does_not_make_a_request_stale(desk: Desk) -> None:
    desk.show(table(1))
    seen = desk.seen()
    desk.show(table(1, t_s=9.0))
    assert desk.seen() == seen + 1
    desk.session.submit(Retract(2, "slipped", seen), HOST)
    assert desk.points() == (0, 0)


def test_undoing_an_undo_brings_the_points_back(desk: Desk) -> None:
    desk.show(table(1))
    desk.session.submit(Retract(2, "slipped", desk.seen()), HOST)
    desk.session.submit(Retract(3, "it did not", desk.seen()), HOST)
    assert desk.points() == (1, 0)


def test_an_amendment_puts_another_reading_in_the_place_of_a_ruling(desk: Desk) -> None:
    match_ = desk.show(table(1), table(1, 2)).match
    assert alternatives(match_, 2) == ((Pass(),), (Point(5),))
    desk.session.submit(Amend(2, 1, "five, look", desk.seen()), HOST)
    assert desk.points() == (5, 1)
    with pytest.raises(Refused, match="2 other readings"):
        desk.session.submit(Amend(2, 7, "", desk.seen()), HOST)


def test_only_a_ruling_in_force_is_disputed(desk: Desk) -> None:
    desk.show(table(1))
    with pytest.raises(Refused, match="not a ruling in force"):
        desk.session.submit(Amend(1, 0, "", desk.seen()), HOST)
    desk.session.submit(Retract(2, "", desk.seen()), HOST)
    for late in (Amend(2, 0, "", desk.seen()), Uphold(2, "", desk.seen()), Retract(2, "", desk.seen())):
        with pytest.raises(Refused):
            desk.session.submit(late, HOST)


def test_a_ruling_that_is_upheld_stays_and_the_log_says_who_said_so(desk: Desk) -> None:
    desk.show(table(1))
    desk.session.submit(Uphold(2, "plain to see", desk.seen()), HOST)
    assert desk.session.latest().match.events[-1].body == Upheld(2, HOST, "plain to see")
    assert desk.points() == (1, 0)


def test_the_effect_of_an_amendment_is_told_before_it_is_made(desk: Desk) -> None:
    desk.show(table(*range(1, 7)), table(*range(1, 8)))
    change = desk.session.effect(Amend(2, 1, "", desk.seen()), HOST)
    assert [s.points for s in change.before] == [6, 1] and [s.points for s in change.after] == [5, 1]
    assert change.fouls == () and desk.points() == (6, 1)


def test_rulings_that_an_amendment_would_make_fouls_are_named(desk: Desk) -> None:
    desk.show(table(*range(1, 7)), table(*range(1, 8)), table(*range(1, 12)))
    assert desk.points() == (10, 1)
    desk.session.submit(Amend(2, 1, "", desk.seen()), HOST)
    desk.show(table(*range(1, 13)))
    later = desk.session.latest().match.lines[-1]
    change = desk.session.effect(Retract(7, "", desk.seen()), HOST)
    assert change.fouls == (change.match.lines[-1],) and change.fouls[0].seq == later.seq


def test_another_match_s_request_is_refused(desk: Desk) -> None:
    old = desk.session.latest().match_id
    desk.session.start("toy", PLAYERS, Options())
    with pytest.raises(Refused, match="another match is on"):
        desk.session.submit(Declare(Pass(), 1), HOST, old)


def test_two_matches_of_the_same_second_have_different_names(desk: Desk) -> None:
    ids = {desk.session.start("toy", PLAYERS, Options()) for _ in range(3)}
    assert len(ids) == 3


def test_what_lies_on_the_table_when_a_match_starts_is_evidence_and_no_move(desk: Desk) -> None:
    desk.show(table(1, 2))
    desk.session.start("toy", PLAYERS, Options())
    assert desk.kinds() == ["Started", "Seen"] and desk.points() == (0, 0)
    desk.show(table(1, 2, 3))
    assert desk.points() == (1, 0)


def test_a_bad_start_changes_nothing(desk: Desk, toy) -> None:
    before = desk.session.latest()
    with pytest.raises(UnknownGame):
        desk.session.start("tiddlywinks", PLAYERS, None)
    with pytest.raises(ConfigError, match="two to four"):
        desk.session.start("poc", PLAYERS[:1], games.load("poc").options_type())
    assert desk.session.latest() is before and len(desk.session.matches()) == 1


def test_after_the_end_the_table_may_be_cleared(desk: Desk) -> None:
    desk.show(table(*range(1, 12)))
    seen = desk.seen()
    desk.show(table(1), table(1, 20, 21))
    assert desk.seen() == seen and desk.session.unfinished() == ()
    assert desk.session.matches()[0].winners == ("Ana",)


def test_a_match_goes_on_after_the_program_was_killed(desk: Desk, tmp_path: Path) -> None:
    match_id = desk.session.latest().match_id
    assert match_id is not None
    desk.show(table(1), table(1, 2))
    points, scene = desk.points(), desk.session.latest().match.scene
    desk.session.close()
    again = Desk(tmp_path)
    assert [m.match_id for m in again.session.unfinished()] == [match_id]
    again.session.resume(match_id)
    assert again.points() == points and again.eye.reopened == [scene]
    again.show(table(7, 8, 9, t_s=49.0))
    assert again.points() == points, "the eye that was open before the match was taken up is heard no more"
    again.say(Opened(), Saw(table(1, 2, t_s=50.0)))
    assert again.points() == points
    again.show(table(1, 2, 3, t_s=51.0))
    assert again.points() == (2, 1)
    again.session.close()


def test_a_match_that_cant_be_read_is_listed_with_the_reason(desk: Desk, toy) -> None:
    toy.version = 2
    summary = desk.session.matches()[0]
    assert "version 3 of toy" in summary.trouble and not summary.unfinished


def test_a_fault_in_one_scene_does_not_deafen_the_session(desk: Desk, toy, monkeypatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(toy, "read", lambda *a: 1 / 0)
        desk.eye.lines.put(Saw(table(1)))
        desk.until(lambda s: "could not be ruled" in s.notice)
    desk.show(table(1, 2))
    assert desk.points() == (2, 0)


def test_the_end_of_a_clip_is_shown_and_it_can_be_played_again(desk: Desk) -> None:
    assert desk.say(Ended(30, 0)).ended == Ended(30, 0)
    desk.session.replay_source()
    assert desk.session.latest().ended is None and desk.eye.reopened == [None]


def test_no_picture_of_a_source_that_was_left_is_shown_for_the_one_opened_again(desk: Desk) -> None:
    desk.say(Preview(0, 0.0, Gate.STILL, b"", ()), Ended(90, 0))
    desk.session.replay_source()
    assert desk.session.latest().preview is None


def test_a_match_that_was_only_opened_is_not_offered_to_be_gone_on_with(tmp_path: Path, toy) -> None:
    desk = Desk(tmp_path)
    played = desk.session.start("toy", PLAYERS, Options())
    desk.session.submit(Declare(Pass(), desk.seen()), HOST)
    empty = desk.session.start("toy", PLAYERS, Options())
    assert [m.match_id for m in desk.session.unfinished()] == [played]
    desk.session.resume(empty)
    assert desk.session.latest().match_id == empty, "by its name it can be had"
    desk.session.close()


def test_evidence_of_a_relative_folder_is_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toy
) -> None:
    monkeypatch.chdir(tmp_path)
    name = Store(Path("data/evidence")).put(b"a picture").name
    session = Session.open(Path("data"))
    found = session.picture(name)
    session.close()
    assert found is not None and found.is_absolute() and found.is_file()


def test_a_match_in_play_is_gone_on_with_when_the_camera_that_failed_is_opened_again(desk: Desk) -> None:
    shown = desk.show(table(1, 2)).match
    assert shown is not None and shown.scene is not None
    with pytest.raises(Refused, match="open already"):
        desk.session.replay_source()
    desk.say(Ended(30, 0, "the picture is too small"))
    desk.session.replay_source()
    assert desk.eye.reopened == [shown.scene], "its pieces keep their numbers"


def test_waiting_gives_a_newer_snapshot_or_the_same_after_a_while(desk: Desk) -> None:
    now = desk.session.latest()
    assert desk.session.wait(now.version, 0.01) is now
    assert desk.session.wait(now.version - 1, 10.0) is now


def test_many_hands_at_once_leave_a_log_without_gaps(desk: Desk) -> None:
    refused = []

    def hammer() -> None:
        for _ in range(10):
            try:
                desk.session.submit(Declare(Pass(), desk.seen()), HOST)
            except Refused as error:
                refused.append(error)

    threads = [Thread(target=hammer) for _ in range(6)]
    for thread in threads:
        thread.start()
    desk.show(*(table(*range(1, n + 1)) for n in range(1, 6)))
    for thread in threads:
        thread.join()
    match_ = desk.session.latest().match
    assert [e.seq for e in match_.events] == list(range(len(match_.events)))
    assert desk.session.events(desk.session.latest().match_id) == match_.events
    declared = sum(isinstance(e.body, Ruled) and e.body.by == HOST for e in match_.events)
    assert declared == 60 - len(refused)


def test_no_request_is_granted_before_a_match_is_on(tmp_path: Path, toy) -> None:
    desk = Desk(tmp_path)
    with pytest.raises(Refused, match="no match is on"):
        desk.session.submit(Declare(Pass(), 1), HOST)
    assert desk.show(table(1)).match is None
    desk.session.close()


def test_a_session_without_an_eye_keeps_matches(tmp_path: Path, toy) -> None:
    session = Session.open(tmp_path)
    session.start("toy", PLAYERS, Options())
    session.close()
    assert [type(e.body) for e in session.latest().match.events] == [Started]

"""A whole match from a camera to the log, by way of everything in between."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from referee import games
from referee.archive import fold
from referee.cli.eye import job, sights
from referee.cli.replaying import Answers, open_match, replay_lines
from referee.config import Config
from referee.log import Log
from referee.rules.events import Seen
from referee.rules.game import Player
from referee.session import Session, Snapshot
from referee.vision import pipeline
from referee.vision.frames import source
from referee.vision.frames.source import Clip
from referee.vision.process.keeper import Keeper

PLAYERS = tuple(
    Player(name, side) for name, side in zip("GFNP", ("gecko", "fox", "penguin", "panda"), strict=True)
)
POC = games.load("poc")
PATIENT = replace(Config(), source=source.Settings(backlog_s=60.0, backlog_mb=1000.0))
"""Nothing is dropped however slow the machine that tests."""


def settings(play) -> pipeline.Sights:
    return sights(play.setup, play.setup, play.pieces, play.clip, Config())


@contextmanager
def watching(address: str, play, folder: Path) -> Iterator[Session]:
    session = Session.open(folder, Keeper(job(address, settings(play), folder, PATIENT)))
    try:
        yield session
    finally:
        session.close()


def until(session: Session, wanted, limit_s: float = 200.0) -> Snapshot:
    now, give_up_s = session.latest(), time.monotonic() + limit_s
    while not wanted(now):
        assert time.monotonic() < give_up_s, f"waited in vain: {now.notice} {now.health}"
        now = session.wait(now.version, 1.0)
    return now


def scenes(now: Snapshot) -> int:
    return sum(isinstance(e.body, Seen) for e in now.match.events) if now.match else 0


def said(match_) -> list[str]:
    return [call.text for line in match_.lines for call in line.calls]


@pytest.fixture(scope="module")
def from_file(play) -> list[dict]:
    """What `replay` says of the clip."""
    clip = Clip(play.clip)
    match_ = open_match(POC, PLAYERS, POC.options_type())
    nobody = Answers().in_order()
    lines = list(replay_lines(clip, pipeline.open_eye(settings(play)), pipeline.see, match_, nobody))
    clip.close()
    return lines


def test_a_clip_from_a_network_camera_is_ruled_like_the_clip_itself(
    play, camera, from_file, tmp_path
) -> None:
    rulings = [line["text"] for line in from_file if line["event"] == "ruling"]
    questions = [line["text"] for line in from_file if line["event"] == "question"]
    assert rulings or questions
    expected = sum(line["event"] == "scene" for line in from_file)
    with watching(camera(play.clip).address, play, tmp_path) as session:
        session.start("poc", PLAYERS, POC.options_type())
        now = until(session, lambda s: scenes(s) >= expected or (s.match and s.match.open is not None))
        assert now.health.dropped == 0
        assert said(now.match) == rulings
        assert (now.match.question.question if now.match.question else None) == (
            questions[0] if questions else None
        )
    log = Log.open(tmp_path, writes=False)
    (record,) = log.records()
    assert fold(log.read(record.match_id)) == now.match
    log.close()


def test_an_unplugged_camera_is_told_and_taken_up_again(play, camera, tmp_path) -> None:
    shown = camera(play.clip)
    with watching(shown.address, play, tmp_path) as session:
        session.start("poc", PLAYERS, POC.options_type())
        before = until(session, lambda s: scenes(s) >= 1)
        shown.on.clear()
        lost = until(session, lambda s: s.health.trouble != "")
        assert "looked for until it is back" in lost.health.trouble
        shown.on.set()
        back = until(session, lambda s: s.health.trouble == "" and s.health.frames > lost.health.frames)
        assert back.match.events[: len(before.match.events)] == before.match.events


def test_a_killed_eye_is_opened_again_and_the_same_table_is_no_move(play, camera, tmp_path) -> None:
    shown = camera(play.clip)
    with watching(shown.address, play, tmp_path) as session:
        session.start("poc", PLAYERS, POC.options_type())
        before = until(session, lambda s: scenes(s) >= 1)
        (eye,) = multiprocessing.active_children()
        eye.kill()
        after = until(session, lambda s: "started again" in s.notice and scenes(s) > scenes(before))
        assert after.match.events[: len(before.match.events)] == before.match.events
        first, again = (e.body.scene for e in after.match.events[1:3])
        assert {(p.track, p.piece) for p in again.placed} == {(p.track, p.piece) for p in first.placed}
        assert not after.match.lines


PROGRAM = """
import sys
from multiprocessing import active_children
from pathlib import Path
from tests.journeys.test_live import PLAYERS, POC, watching
from tests.journeys.conftest import Play
if __name__ == "__main__":
    address, folder, *play = sys.argv[1:]
    with watching(address, Play(*map(Path, play)), Path(folder)) as session:
        session.start("poc", PLAYERS, POC.options_type())
        now, told = session.latest(), 0
        while True:
            now = session.wait(now.version, 1.0)
            if now.match and len(now.match.events) > told:
                told = len(now.match.events)
                print(told, active_children()[0].pid, flush=True)
"""


def test_a_pulled_plug_loses_nothing_that_was_shown(play, camera, tmp_path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    root = str(Path(__file__).parents[2])
    arguments = [tmp_path / "program.py", camera(play.clip).address, tmp_path, *vars(play).values()]
    environment = {**os.environ, "PYTHONPATH": root}
    shown, eye = 0, 0
    with subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.PIPE, text=True, env=environment
    ) as program:
        assert program.stdout is not None
        try:
            while shown < 2:
                shown, eye = map(int, program.stdout.readline().split())
        finally:
            program.kill()
        shown = max([shown, *(int(line.split()[0]) for line in program.stdout)])
    with watching(camera(play.clip).address, play, tmp_path) as session:
        (unfinished,) = session.unfinished()
        assert unfinished.events >= shown
        session.resume(unfinished.match_id)
        now = until(session, lambda s: len(s.match.events) > unfinished.events)
        assert not now.match.lines, "a table that lay still all the while is no move"
    _await_end(eye)


def _await_end(pid: int) -> None:
    """An eye that nobody hears ends by itself."""
    for _ in range(300):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    raise AssertionError("the eye outlived the program")

"""The seeing process: nothing seen is lost, and it comes back from whatever ends it."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.evidence import Store
from referee.vision.messages import Ended, Gate, Health, Message, Notice, Opened, Preview, Saw
from referee.vision.process import keeper, worker
from referee.vision.process.keeper import Keeper
from referee.vision.process.outbox import Outbox
from referee.vision.process.worker import Job
from tests import stand_ins
from tests.stand_ins import CRASH, DIE, HANG, table

QUICK = keeper.Settings(stall_s=1.0, patience_s=0.05, tick_s=0.02)


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Job]:
    """A job with the pictures of these grey levels, seen by the stand-in eye."""
    monkeypatch.setenv("REFEREE_TEST_ONCE", str(tmp_path / "once"))

    def make(*greys: int) -> Job:
        folder = tmp_path / "pictures"
        folder.mkdir()
        for n, grey in enumerate(greys):
            cv2.imwrite(str(folder / f"{n:03}.png"), np.full((80, 100, 3), grey, np.uint8))
        return Job(str(folder), stand_ins.open_eye, stand_ins.see, Store(tmp_path / "evidence"))

    return make


def heard(job: Job, until: Callable[[Message | Notice], bool], settings=QUICK) -> list[Message | Notice]:
    watcher, said = Keeper(job, settings), []
    messages = watcher.messages()
    for message in messages:
        if not isinstance(message, Opened):
            said.append(message)
        if until(message):
            watcher.close()
    return said


def counts(said: list[Message | Notice]) -> list[int]:
    return [len(m.scene.placed) for m in said if isinstance(m, Saw)]


def is_end(message: Message | Notice) -> bool:
    return isinstance(message, Ended)


def test_every_scene_is_told_with_its_evidence_on_disk(job, tmp_path: Path) -> None:
    said = heard(job(10, 10, 20, 30), is_end)
    assert counts(said) == [1, 2, 3]
    for message in said:
        if isinstance(message, Saw):
            assert all(Store(tmp_path / "evidence").path(p.name) for p in message.scene.pictures)
            assert len(message.scene.pictures) == 1
    assert said[-1] == Ended(4, 0)


def test_health_and_preview_tell_what_the_eye_sees(job) -> None:
    said = heard(job(10, 20), is_end)
    health = next(m for m in said if isinstance(m, Health))
    assert (health.size_px, health.gate, health.corrupt) == ((100, 80), Gate.STILL, 0)
    preview = next(m for m in said if isinstance(m, Preview))
    assert cv2.imdecode(np.frombuffer(preview.jpeg, np.uint8), 1).shape == (80, 100, 3)


def test_the_pace_told_is_the_sources_own_however_long_the_eye_takes(job) -> None:
    every = replace(job(10, 20, 10, 20), settings=worker.Settings(health_s=0.0))
    said = [m for m in heard(every, is_end) if isinstance(m, Health)]
    assert said[-1].frames == 4 and said[-1].fps == pytest.approx(every.sourcing.fps)


@pytest.mark.parametrize("fate", [CRASH, DIE, HANG])
def test_a_process_that_fails_is_started_again_and_knows_the_table(job, fate: int) -> None:
    said = heard(job(10, 20, fate, 20, 30), is_end)
    assert counts(said) == [1, 2, 3]
    assert sum(isinstance(m, Notice) for m in said) == 1
    assert not multiprocessing.active_children()


def test_a_source_that_is_not_there_at_the_start_ends_with_the_reason(job, tmp_path: Path) -> None:
    (tmp_path / "no.mp4").write_bytes(b"hello")
    bad = replace(job(), source=str(tmp_path / "no.mp4"))
    (end,) = heard(bad, is_end)
    assert isinstance(end, Ended) and "not a video" in end.error


def test_a_camera_that_was_there_is_looked_for_until_it_is_back(job, tmp_path: Path) -> None:
    pictures = tmp_path / "away"
    quick = worker.Settings(retry_s=0.1)
    waiting = replace(job(10, 20), expected=True, settings=quick, source=str(pictures))

    def bring_back(message: Message | Notice) -> bool:
        if isinstance(message, Health) and message.trouble and not pictures.exists():
            os.rename(tmp_path / "pictures", pictures)
        return is_end(message)

    said = heard(waiting, bring_back)
    lost = said[0]
    assert (
        isinstance(lost, Health) and lost.gate is Gate.BLIND and "looked for until it is back" in lost.trouble
    )
    assert counts(said) == [1, 2]


def test_evidence_that_cant_be_kept_is_told_and_the_scene_is_ruled_without(job, tmp_path: Path) -> None:
    (tmp_path / "evidence").write_text("a file where the folder should be")
    every = worker.Settings(health_s=0.0)
    said = heard(replace(job(10, 20, 20, 20), settings=every), is_end)
    assert counts(said) == [1, 2]
    assert any("evidence" in m.trouble for m in said if isinstance(m, Health))


def test_reopening_starts_from_the_table_that_is_remembered(job) -> None:
    watcher = Keeper(job(10, 20, 30), QUICK)
    said = []
    for message in watcher.messages():
        said.append(message)
        if isinstance(message, Ended):
            if len([m for m in said if isinstance(m, Ended)]) == 2:
                watcher.close()
            watcher.reopen(table(1, 2))
    assert counts(said) == [1, 2, 3, 3]


def test_an_eye_that_nobody_hears_any_more_ends() -> None:
    ours, theirs = multiprocessing.Pipe(duplex=False)
    outbox = Outbox(theirs)
    ours.close()
    outbox.put(Ended(1, 0))
    outbox.close()
    assert outbox.deaf


def test_old_previews_give_way_and_scenes_never_do() -> None:
    ours, theirs = multiprocessing.Pipe(duplex=False)
    outbox = Outbox(theirs)
    picture = bytes(300_000)
    for n in range(20):
        outbox.put(Preview(n, 0.0, Gate.STILL, picture, ()))
        outbox.put(Saw(table(*range(n))))
    got = list(_drain(ours, 20))
    outbox.close()
    ours.close()
    assert [len(m.scene.placed) for m in got if isinstance(m, Saw)] == list(range(20))
    assert sum(isinstance(m, Preview) for m in got) < 20


def _drain(pipe, scenes: int) -> Iterator[Message]:
    while scenes or pipe.poll(0.2):
        message = pipe.recv()
        scenes -= isinstance(message, Saw)
        yield message

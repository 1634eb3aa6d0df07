"""From a scene at rest to a durable event, and on to everybody who waits for a snapshot."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue

from referee import games
from referee.cli.bench import Row, measure, summary
from referee.log import Log
from referee.rules.events import Event, Seen, Started
from referee.rules.game import Player
from referee.session import Session
from referee.vision.messages import Message, Saw
from tests.stand_ins import table

GAME = games.load("poc")
PLAYERS = (Player("Ana", "fox"), Player("Ben", "gecko"))
AT = "2026-01-01T00:00:00+00:00"


class Script:
    """An eye that says what it is told to."""

    def __init__(self) -> None:
        self.lines: Queue[Message | None] = Queue()

    def messages(self) -> Iterator[Message]:
        yield from iter(self.lines.get, None)

    def reopen(self, remembered: object) -> None: ...

    def close(self) -> None:
        self.lines.put(None)


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        yield _append(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        yield _publish(Path(folder))


def _append(folder: Path) -> Row:
    log = Log.open(folder)
    log.append("m", Event(0, AT, Started(GAME.name, GAME.version, PLAYERS, GAME.options_type())))
    seq = iter(range(1, 10_000))
    scene = table(*range(20))
    row = measure(
        "log append", "a scene of 20 pieces", lambda: log.append("m", Event(next(seq), AT, Seen(scene))), 200
    )
    log.close()
    return row


def _publish(folder: Path) -> Row:
    """From the eye's word to a woken reader; the log's write is within."""
    eye = Script()
    session = Session.open(folder, eye)
    session.start(GAME.name, PLAYERS, GAME.options_type())
    times = []
    for n in range(100):
        version = session.latest().version
        began = time.perf_counter()
        eye.lines.put(Saw(table(t_s=float(n))))
        assert session.wait(version, 5.0).version > version
        times.append(1000 * (time.perf_counter() - began))
    session.close()
    return summary("event to snapshot", "an empty table", times, 250.0)

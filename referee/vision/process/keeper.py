"""Keeps the seeing process going: starts it, listens to it, starts it again when it dies or stalls."""

from __future__ import annotations

import logging
import multiprocessing
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from threading import Event

from referee.facts import Scene
from referee.vision.messages import Ended, Message, Notice, Opened, Saw
from referee.vision.process.outbox import Fault
from referee.vision.process.worker import Job, work

Said = Message | Notice | Opened

_log = logging.getLogger(__name__)
_spawn = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Settings:
    stall_s: float = 15.0
    """A process that says nothing for so long hangs."""
    start_s: float = 30.0
    """It may take so long until its first word."""
    patience_s: float = 0.5
    """Before the first restart; doubled each time that it dies without having said a word."""
    most_patience_s: float = 10.0
    tick_s: float = 0.1
    """How soon a wish to close or reopen is noticed."""


class _Over(Enum):
    ENDED = "the source is at its end"
    DIED = "the process has ended by itself, or was ended because it hung"
    UNWANTED = "close or reopen was called"


class Keeper:
    """The eye as the session knows it."""

    def __init__(self, job: Job, settings: Settings | None = None) -> None:
        self._job = job
        self._settings = settings or Settings()
        self._unwanted = Event()
        """This run of the process is to end."""
        self._closed = False
        self._said = False

    def messages(self) -> Iterator[Said]:
        """What the seeing process says, over all its restarts, until `close`."""
        patience_s = self._settings.patience_s
        while True:
            self._unwanted.clear()
            if self._closed:
                return
            over = yield from self._run()
            if over is _Over.ENDED:
                self._unwanted.wait()
            elif over is _Over.DIED:
                yield Notice(
                    "The camera's process stopped and was started again; nothing that was ruled is lost."
                )
                patience_s = self._settings.patience_s if self._said else patience_s * 2
                self._unwanted.wait(min(patience_s, self._settings.most_patience_s))

    def reopen(self, remembered: Scene | None) -> None:
        """Open the source anew, its pieces taken for those of `remembered` where they lie the same."""
        self._job = replace(self._job, remembered=remembered)
        self._unwanted.set()

    def close(self) -> None:
        self._closed = True
        self._unwanted.set()

    def _run(self) -> Generator[Said, None, _Over]:
        ours, theirs = _spawn.Pipe(duplex=False)
        process = _spawn.Process(target=work, args=(self._job, theirs), name="eye", daemon=True)
        process.start()
        theirs.close()
        try:
            yield Opened()
            return (yield from self._listen(ours))
        finally:
            ours.close()
            _end(process)

    def _listen(self, pipe: Connection) -> Generator[Said, None, _Over]:
        self._said = False
        heard_s, limit_s = time.monotonic(), self._settings.start_s
        while not self._unwanted.is_set():
            try:
                if not pipe.poll(self._settings.tick_s):
                    if time.monotonic() - heard_s > limit_s:
                        _log.warning("the seeing process has said nothing for %.0f s", limit_s)
                        return _Over.DIED
                    continue
                message: Message | Fault = pipe.recv()
            except (EOFError, OSError):
                return _Over.DIED
            self._said, heard_s, limit_s = True, time.monotonic(), self._settings.stall_s
            if isinstance(message, Fault):
                _log.error("the seeing process failed: %s\n%s", message.text, message.trace)
                return _Over.DIED
            if isinstance(message, Ended):
                yield message
                return _Over.ENDED
            remembered = message.scene if isinstance(message, Saw) else self._job.remembered
            self._job = replace(self._job, remembered=remembered, expected=True)
            yield message
        return _Over.UNWANTED


def _end(process: SpawnProcess) -> None:
    process.terminate()
    process.join(2.0)
    if process.is_alive():
        process.kill()
        process.join()
    process.close()

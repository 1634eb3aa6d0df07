"""From an event on disk to a page that shows it, over a real connection, with other pages watching."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from threading import Event, Thread

from referee import games
from referee.cli.bench import Row, summary
from referee.rules.game import Player
from referee.session import Session
from webui.access import Access
from webui.app import create_app
from webui.serve import serving

GAME = games.load("poc")
PLAYERS = (Player("Ana", "fox"), Player("Ben", "gecko"))
LIMIT_MS = 250.0


def rows() -> Iterator[Row]:
    for watchers in (1, 20):
        with tempfile.TemporaryDirectory() as folder:
            yield _shown(Path(folder), watchers)


def _shown(folder: Path, watchers: int) -> Row:
    """From the moment when an event is on disk to the message at the last of the pages."""
    session = Session.open(folder)
    times: list[float] = []
    with serving(create_app(session, Access()), "127.0.0.1", 0) as port:
        pages = [Page(port) for _ in range(watchers)]
        for _ in range(30):
            for page in pages:
                page.heard.clear()
            session.start(GAME.name, PLAYERS, GAME.options_type())
            began = time.perf_counter()
            for page in pages:
                assert page.heard.wait(5.0), "a page heard nothing"
            times.append(1000 * (time.perf_counter() - began))
            time.sleep(0.15)  # the stream's own gap between two messages
        for page in pages:
            page.close()
    session.close()
    return summary("event to page", f"{watchers} pages", times, LIMIT_MS)


class Page:
    """A dashboard that listens."""

    def __init__(self, port: int) -> None:
        self.heard = Event()
        self._connection = HTTPConnection("127.0.0.1", port, timeout=30)
        self._connection.request("GET", "/events?page=dashboard")
        self._stream = self._connection.getresponse()
        while not self._stream.readline().startswith(b"data:"):
            pass
        self._thread = Thread(target=self._listen, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._connection.close()

    def _listen(self) -> None:
        try:
            while line := self._stream.readline():
                if line.startswith(b"id:"):
                    self.heard.set()
        except (OSError, ValueError, AttributeError):
            return

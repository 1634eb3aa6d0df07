"""From a logged event to the eyes: one browser's screen, two hundred open pages, and what a page costs."""

from __future__ import annotations

import selectors
import shutil
import socket
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from referee.cli.bench import Row, measure, skip, summary
from referee.requests import Retract
from referee.rules.events import Retracted, Role, Who
from referee.rules.match import void
from referee.session import Session
from tests.browser.conftest import FLAGS, served, watching
from tests.webui.tabled import sitting
from webui import Access, create_app
from webui.serve import serving

HOST = Who(Role.HOST)
ROUNDS = 12
CROWDS = 3
PAGES = 200
SCREEN_MS = 250.0

WATCH = """
window.drawn = [];
new MutationObserver(() => requestAnimationFrame(() => requestAnimationFrame(
  () => window.drawn.push(performance.timeOrigin + performance.now())
))).observe(document.querySelector("[data-part=score]"), { childList: true });
"""


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        with sitting(Path(folder) / "pages", asks=False) as (session, eye):
            app = create_app(session, Access())
            client = app.test_client()
            for path, what in (("/", "a page"), ("/api/live", "asking"), ("/frame.jpg", "a picture")):
                yield measure(f"web: {what}", path, lambda path=path: client.get(path).get_data())
            with serving(app, "127.0.0.1", 0) as port, watching(eye):
                told = list(_told(session, port))
            yield summary("web: event to every page", f"{PAGES} streams, pictures moving", told, SCREEN_MS)
        chromium = shutil.which("chromium")
        if chromium is None:
            yield skip("web: event on screen", "no Chromium is installed")
            return
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=chromium, args=list(FLAGS))
            with (
                served(browser, Path(folder) / "screen", asks=False) as board,
                board.viewer(bypass_csp=True) as page,
            ):
                page.goto(board.address)
                page.wait_for_selector("[data-marks] text")
                page.evaluate(WATCH)
                seen = [_seen(board.session, page) for _ in range(ROUNDS)]
            browser.close()
        yield summary("web: event on screen", "Chromium, picture moving", seen, SCREEN_MS)


def _change(session: Session) -> float:
    """Take the newest ruling back, or that taking back; gives the time when it was on disk, in s."""
    match = session.latest().match
    assert match is not None
    last = match.events[-1]
    undone = isinstance(last.body, Retracted) and last.seq not in void(match.events)
    session.submit(Retract(last.seq if undone else match.lines[-1].seq, "", len(match.events)), HOST)
    return time.time()


def _seen(session: Session, page: Page) -> float:
    page.evaluate("window.drawn = []")
    logged_s = _change(session)
    page.wait_for_function("window.drawn.length > 0")
    return float(page.evaluate("window.drawn[0]")) - 1000 * logged_s


def _told(session: Session, port: int) -> Iterator[float]:
    """How long until each of many open pages has the news, in ms; several times over."""
    with selectors.DefaultSelector() as waiting, ExitStack() as opened:
        for _ in range(PAGES):
            page = opened.enter_context(socket.create_connection(("127.0.0.1", port)))
            page.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            page.setblocking(False)
            waiting.register(page, selectors.EVENT_READ)
        _hear(waiting, b'"score"')
        for _ in range(CROWDS):
            logged_s = _change(session)
            yield from (1000 * (at_s - logged_s) for at_s in _hear(waiting, b'"score"'))


def _hear(waiting: selectors.BaseSelector, word: bytes) -> list[float]:
    """When each page has received `word`, in s."""
    at_s: dict[int, float] = {}
    heard: dict[int, bytes] = defaultdict(bytes)
    while len(at_s) < PAGES:
        ready = waiting.select(20)
        if not ready:
            raise TimeoutError(f"{PAGES - len(at_s)} of {PAGES} pages were told nothing for 20 s")
        for key, _ in ready:
            heard[key.fd] = heard[key.fd][-len(word) :] + key.fileobj.recv(1 << 16)
            if word in heard[key.fd]:
                at_s.setdefault(key.fd, time.time())
    return list(at_s.values())

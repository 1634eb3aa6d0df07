from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from referee.session import Session
from referee.vision.messages import Gate
from tests.webui.drawn import preview, scene
from tests.webui.tabled import CLOSE, ScriptedEye, sitting
from webui import Access, create_app
from webui.serve import Settings, links, serving

TOKEN = "the-host's-token"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1440, "height": 900}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        reason = "no Chromium is installed (Debian: apt-get install chromium)"
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as driver:
        window = driver.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield window
        window.close()


@dataclass(frozen=True)
class Dashboard:
    """A dashboard that is served, and browsers that look at it."""

    session: Session
    eye: ScriptedEye
    address: str
    host_link: str
    browser: Browser

    @contextmanager
    def viewer(self, **options: Any) -> Iterator[Page]:
        """A page of a browser of its own; errors of its scripts fail the test."""
        context = self.browser.new_context(**{"viewport": DESK, "locale": "en-GB", **options})
        page = context.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        try:
            yield page
            assert faults == []
        finally:
            context.close()

    @contextmanager
    def host(self, **options: Any) -> Iterator[Page]:
        with self.viewer(**options) as page:
            page.goto(self.host_link)
            page.wait_for_url(self.address)
            yield page


@contextmanager
def served(browser: Browser, folder: Path, **options: bool) -> Iterator[Dashboard]:
    with sitting(folder, **options) as (session, eye):
        app = create_app(session, Access(TOKEN))
        with serving(app, "127.0.0.1", 0, Settings(threads=24)) as port, watching(eye):
            to = links(app, "127.0.0.1", port)
            yield Dashboard(session, eye, to.viewer, to.host, browser)


@contextmanager
def watching(eye: ScriptedEye) -> Iterator[None]:
    """The eye shows a new picture ten times a second."""
    stop = threading.Event()
    shown = preview(scene(CLOSE, ("panda4",)), Gate.STILL, unsure=("gecko4",))

    def show() -> None:
        frame = 1000
        while not stop.wait(0.1):
            frame += 1
            eye.say(replace(shown, frame=frame))

    thread = threading.Thread(target=show)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.fixture
def asked(browser: Browser, tmp_path: Path) -> Iterator[Dashboard]:
    with served(browser, tmp_path) as dashboard:
        yield dashboard


@pytest.fixture
def playing(browser: Browser, tmp_path: Path) -> Iterator[Dashboard]:
    with served(browser, tmp_path, asks=False) as dashboard:
        yield dashboard


@pytest.fixture
def empty(browser: Browser, tmp_path: Path) -> Iterator[Dashboard]:
    with served(browser, tmp_path, match=False) as dashboard:
        yield dashboard

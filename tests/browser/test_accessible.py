"""axe finds nothing: every page, by day and by night, on desk and phone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.browser.conftest import DESK, PHONE, Dashboard, served
from tests.webui.tabled import MATCH_ID

PAGES = (
    "",
    "board",
    "overlay",
    "ruling/4",
    "undo/4",
    "start",
    "history/",
    f"history/{MATCH_ID}",
    "host",
    "none",
)


@pytest.fixture(scope="module")
def dashboard(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    with served(browser, tmp_path_factory.mktemp("axe")) as dashboard:
        yield dashboard


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_accessible_to_everybody(dashboard: Dashboard, scheme: str, size: dict[str, int]):
    faults: dict[str, object] = {}
    with dashboard.host(color_scheme=scheme, viewport=size, reduced_motion="reduce") as host:
        for path in PAGES:
            host.goto(dashboard.address + path)
            found = Axe().run(host)
            if found.violations_count:
                faults[path] = found.generate_report()
    assert faults == {}


def test_the_open_dialog_is_accessible(dashboard: Dashboard):
    with dashboard.host(reduced_motion="reduce") as host:
        host.get_by_role("link", name="Undo").click()
        expect(host.get_by_role("dialog")).to_be_visible()
        found = Axe().run(host)
        assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_the_open_list_of_what_may_have_happened_is_accessible(playing: Dashboard, size: dict[str, int]):
    with playing.host(viewport=size, reduced_motion="reduce") as host:
        host.get_by_text("Say what happened").click()
        expect(host.get_by_role("combobox").first).to_be_visible()
        found = Axe().run(host)
        assert found.violations_count == 0, found.generate_report()
        assert host.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_nothing_moves_for_those_who_asked_for_rest(dashboard: Dashboard):
    with dashboard.viewer(reduced_motion="reduce") as viewer:
        viewer.goto(dashboard.address)
        assert viewer.evaluate("document.getAnimations().length") == 0

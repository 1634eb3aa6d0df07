"""The dashboard in a real browser: what people see and do."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from playwright.sync_api import Page, expect

from referee.requests import Answer, Retract
from referee.rules.events import Role, Who
from tests.browser.conftest import PHONE, Dashboard
from tests.webui.tabled import HEALTH

HOST = Who(Role.HOST)


def points_of(page: Page, player: str):
    return page.locator(".player", has_text=player).locator(".points b")


def test_a_question_is_answered_and_every_page_follows(asked: Dashboard):
    with asked.host() as host, asked.viewer() as viewer:
        viewer.goto(asked.address)
        expect(viewer.get_by_role("heading", name="Does gecko 4 lie over fox 5?")).to_be_visible()
        host.get_by_role("button", name="Ben throws gecko 4, over fox 5").click()
        for page in (host, viewer):
            expect(points_of(page, "Ben")).to_have_text("8")
            expect(page.locator(".question")).to_have_count(0)
            expect(page.locator(".newest")).to_contain_text("wins fox 5")


def test_nothing_happened_dismisses_the_question(asked: Dashboard):
    with asked.host() as host:
        host.get_by_role("button", name="Nothing happened").click()
        expect(host.locator(".question")).to_have_count(0)
        expect(points_of(host, "Ben")).to_have_text("3")


def test_a_viewer_has_no_button_that_changes_anything(asked: Dashboard):
    with asked.viewer() as viewer:
        viewer.goto(asked.address)
        expect(viewer.locator(".question")).to_contain_text("Play waits until the host decides.")
        expect(viewer.locator("form")).to_have_count(0)
        viewer.goto(asked.address + "ruling/4")
        expect(viewer.get_by_text("Dispute")).to_have_count(0)
        viewer.goto(asked.address + "start")
        expect(viewer.get_by_role("heading")).to_have_text("Only the host may do that: open the host's link.")


def test_undo_shows_its_effect_before_it_is_done(playing: Dashboard):
    with playing.host() as host:
        host.get_by_role("link", name="Undo").click()
        dialog = host.get_by_role("dialog")
        expect(dialog).to_contain_text("What it would change")
        expect(dialog).to_contain_text("Ana throws fox 5")
        assert len(playing.session.latest().match.lines) == 5
        dialog.get_by_role("button", name="Undo").click()
        expect(dialog).to_be_hidden()
        expect(host.locator(".newest")).to_contain_text("Cleo's panda 4")


def test_an_undo_can_be_left(playing: Dashboard):
    with playing.host() as host:
        host.get_by_role("link", name="Undo").click()
        host.get_by_role("link", name="Leave it as it is").click()
        expect(host.get_by_role("dialog")).to_be_hidden()
        assert len(playing.session.latest().match.lines) == 5


def test_a_ruling_is_disputed_and_overruled(playing: Dashboard):
    with playing.host() as host:
        host.locator(".ruling", has_text="wins fox 3").click()
        expect(host.locator(".measures")).to_contain_text("Gecko 2 lies on Fox 3 by 22.5 ± 0.3 mm")
        expect(host.locator(".zoom img").first).to_be_visible()
        host.get_by_role("link", name="Ben throws gecko 2, on the table", exact=True).click()
        dialog = host.get_by_role("dialog")
        expect(dialog.locator("tr.changes")).to_contain_text("Ben")
        dialog.get_by_label("Your name").fill("Cleo")
        dialog.get_by_label("Reason").fill("they only touch")
        dialog.get_by_role("button", name="Overrule").click()
        expect(host.locator(".said")).to_contain_text("they only touch")
        expect(host.locator(".said")).to_contain_text("Cleo")
        host.goto(playing.address)
        expect(points_of(host, "Ben")).to_have_text("0")


def test_a_ruling_is_upheld(playing: Dashboard):
    with playing.host() as host:
        host.goto(playing.address + "ruling/4")
        host.get_by_label("Reason").fill("plain to see")
        host.get_by_role("button", name="Uphold the ruling").click()
        expect(host.locator(".said")).to_contain_text("plain to see")
        expect(host.locator(".tag-upheld")).to_have_text("Upheld")


def test_people_say_what_the_camera_cannot_see(playing: Dashboard):
    with playing.host() as host:
        host.get_by_text("Say what happened").click()
        throw = host.locator("form", has=host.get_by_label("Ben throws gecko 1", exact=True))
        throw.get_by_role("combobox").select_option("on the table")
        throw.get_by_role("button").click()
        expect(host.locator(".newest")).to_contain_text("gecko 1")


def test_a_button_of_yesterday_is_refused_in_words(asked: Dashboard):
    with asked.host() as host:
        host.route("**/events?**", lambda route: route.abort())
        host.route("**/api/live?**", lambda route: route.abort())
        host.reload()
        match = asked.session.latest().match
        asked.session.submit(Answer(match.open, 1), HOST)
        host.get_by_role("button", name="Ben throws gecko 4, over fox 5").click()
        expect(host.get_by_role("alert")).to_contain_text("nothing was changed")
        assert len(asked.session.latest().match.events) == len(match.events) + 1


def test_a_page_without_a_stream_asks_instead(asked: Dashboard):
    with asked.viewer() as viewer:
        viewer.route("**/events?**", lambda route: route.abort())
        viewer.goto(asked.address)
        with viewer.expect_response("**/api/live?**"):
            pass
        asked.session.submit(Answer(asked.session.latest().match.open, 0), HOST)
        expect(points_of(viewer, "Ben")).to_have_text("8")


def test_a_hidden_tab_holds_no_stream_and_catches_up(asked: Dashboard):
    with asked.viewer() as viewer:
        viewer.goto(asked.address)
        expect(viewer.locator("[data-frame]")).to_be_visible()
        hide(viewer, True)
        viewer.wait_for_timeout(300)
        pulled: list[str] = []
        viewer.on("request", lambda request: pulled.append(request.url))
        asked.session.submit(Answer(asked.session.latest().match.open, 0), HOST)
        viewer.wait_for_timeout(700)
        assert pulled == []
        expect(points_of(viewer, "Ben")).to_have_text("3")
        hide(viewer, False)
        expect(points_of(viewer, "Ben")).to_have_text("8")


def hide(page: Page, hidden: bool) -> None:
    """A headless tab is never hidden by itself."""
    page.evaluate(
        """hidden => {
          Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


def test_the_picture_moves_and_its_pieces_are_outlined(playing: Dashboard):
    with playing.viewer() as viewer:
        viewer.goto(playing.address)
        expect(viewer.locator("[data-marks] text")).to_have_text(["panda4", "fox5", "gecko4?"])
        expect(viewer.locator("[data-marks] .unsure")).to_have_count(1)
        first = viewer.locator("[data-frame]").get_attribute("src")
        expect(viewer.locator("[data-frame]")).not_to_have_attribute("src", first)
        expect(viewer.locator("[data-gate]")).to_have_text("Table still")


def test_an_old_picture_says_how_old_it_is(empty: Dashboard):
    with empty.viewer() as viewer:
        frozen = {"frame": 1, "gate": "still", "marks": [], "age_ms": 7400}
        message = {"boot": "", "match": None, "events": 0, "newest": None, "corrections": 0, "parts": {}}
        viewer.route("**/events?**", lambda route: route.abort())
        viewer.goto(empty.address)
        boot = viewer.locator("body").get_attribute("data-boot")
        body = json.dumps({**message, "boot": boot, "sight": frozen})
        viewer.route(
            "**/api/live?**", lambda route: route.fulfill(body=body, content_type="application/json")
        )
        expect(viewer.locator("[data-age]")).to_have_text(re.compile(r"^[78] s old$"))


def test_a_lost_connection_is_said_and_mended(playing: Dashboard):
    with playing.viewer() as viewer:
        viewer.goto(playing.address)
        expect(viewer.locator("[data-frame]")).to_be_visible()
        viewer.context.set_offline(True)
        hide(viewer, True)
        hide(viewer, False)
        expect(viewer.locator("#link")).to_be_visible(timeout=15_000)
        viewer.context.set_offline(False)
        expect(viewer.locator("#link")).to_be_hidden(timeout=15_000)


def test_trouble_with_the_camera_is_said_in_a_sentence(playing: Dashboard):
    with playing.viewer() as viewer:
        viewer.goto(playing.address)
        playing.eye.say(
            replace(HEALTH, residual_px=None, markers=(), trouble="It is too dark: turn on a lamp.")
        )
        expect(viewer.locator(".health .warn")).to_have_text("It is too dark: turn on a lamp.")
        expect(viewer.locator(".health")).to_contain_text("Table not found: 0 markers in view")


SPEECH = """
window.spoken = [];
window.SpeechSynthesisUtterance = function (text) { this.text = text; };
Object.defineProperty(window, "speechSynthesis", { value: {
  speak(words) { window.spoken.push(words.text); }, cancel() { window.spoken.push("—"); } } });
"""


def test_rulings_are_spoken_on_demand_and_a_withdrawn_one_never_again(asked: Dashboard):
    with asked.host() as host:
        host.add_init_script(SPEECH)
        host.reload()
        host.get_by_role("button", name="Speak the rulings").click()
        host.get_by_role("button", name="Ben throws gecko 4, over fox 5").click()
        expect(host.locator("#caption")).to_contain_text("wins fox 5")
        match = asked.session.latest().match
        asked.session.submit(Retract(match.lines[-1].seq, "", len(match.events)), HOST)
        expect(host.locator("#caption")).to_have_text("A ruling was put right.")
        spoken = host.evaluate("window.spoken")
        assert spoken[-1] == "—"
        assert sum("wins fox 5" in text for text in spoken) == 1


def test_nothing_is_spoken_unasked(asked: Dashboard):
    with asked.host() as host:
        host.add_init_script(SPEECH)
        host.reload()
        host.get_by_role("button", name="Ben throws gecko 4, over fox 5").click()
        expect(host.locator("#caption")).to_contain_text("wins fox 5")
        assert host.evaluate("window.spoken.filter(t => t !== '—')") == []


def test_a_match_is_started_with_families_picked_by_their_faces(empty: Dashboard):
    with empty.host() as host:
        host.get_by_role("link", name="Start a match").click()
        host.get_by_label("Name of player 1").fill("Zoe")
        host.get_by_role("radiogroup", name="Family of player 1").get_by_role("radio", name="Penguin").check()
        host.get_by_label("Name of player 2").fill("Tom")
        host.get_by_label("Trampoline, no box").check()
        host.get_by_role("button", name="Start the match").click()
        host.wait_for_url(empty.address)
        expect(host.locator(".player").first).to_contain_text("Zoe")
        expect(host.locator(".player.side-penguin")).to_have_count(1)


def test_on_a_phone_the_answers_are_within_reach_of_the_thumb(asked: Dashboard):
    with asked.host(viewport=PHONE, has_touch=True, is_mobile=True) as host:
        assert host.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        for button in host.locator(".question button").all():
            box = button.bounding_box()
            assert box["height"] >= 44
            assert PHONE["height"] / 3 < box["y"] < PHONE["height"] - box["height"]
        host.get_by_role("button", name="Ben throws gecko 4, on the table").tap()
        expect(host.locator(".actions").get_by_role("link", name="Undo")).to_be_in_viewport()


def test_no_page_is_wider_than_a_phone(playing: Dashboard):
    with playing.host(viewport={"width": 320, "height": 640}) as host:
        for path in ("", "ruling/4", "undo/4", "start", "board", "history/", "host", "nowhere"):
            host.goto(playing.address + path)
            assert host.evaluate("document.documentElement.scrollWidth") <= 320, path


def test_the_keyboard_reaches_the_answers_and_shows_where_it_is(asked: Dashboard):
    with asked.host() as host:
        answer = host.get_by_role("button", name="Ben throws gecko 4, over fox 5")
        for _ in range(30):
            host.keyboard.press("Tab")
            if answer.evaluate("b => b === document.activeElement"):
                break
        assert answer.evaluate("b => getComputedStyle(b).outlineStyle") == "solid"
        host.keyboard.press("Enter")
        expect(points_of(host, "Ben")).to_have_text("8")


def test_the_code_can_be_typed_and_the_links_token_leaves_the_address(asked: Dashboard):
    with asked.viewer() as viewer:
        viewer.goto(asked.address + "host")
        viewer.get_by_label("Code").fill("wrong")
        viewer.get_by_role("button", name="Become the host").click()
        expect(viewer.get_by_role("alert").first).to_have_text("That is not the host's code.")
        viewer.goto(asked.host_link)
        viewer.wait_for_url(asked.address)
        expect(viewer.locator(".role-host")).to_be_visible()

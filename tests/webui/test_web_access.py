"""Who may look, who may change, and what strangers are told."""

from __future__ import annotations

import re

import pytest

from tests.webui.conftest import TOKEN, Sitting, csrf_of
from webui.access import Guesses, Settings

READ_BY_ALL = {
    "/",
    "/board",
    "/overlay",
    "/host",
    "/history/",
    "/history/<match_id>",
    "/history/<match_id>.json",
    "/history/<match_id>.csv",
    "/ruling/<int:seq>",
    "/evidence/<name>",
    "/frame.jpg",
    "/events",
    "/api/live",
    "/api/snapshot",
    "/static/<path:filename>",
}
READ_BY_HOST = {"/start", "/undo/<int:seq>", "/ruling/<int:seq>/overrule/<int:option>"}
CHANGED_BY_HOST = {
    "/answer",
    "/dismiss",
    "/declare",
    "/undo/<int:seq>",
    "/ruling/<int:seq>/uphold",
    "/ruling/<int:seq>/overrule",
    "/start",
    "/resume/<match_id>",
    "/again",
    "/leave",
}


def filled(rule: str) -> str:
    for part, value in (
        ("<int:seq>", "4"),
        ("<int:option>", "0"),
        ("<match_id>", "20260101-120000-poc"),
        ("<name>", "0" * 32 + ".jpg"),
        ("<path:filename>", "css/base.css"),
    ):
        rule = rule.replace(part, value)
    return rule


def test_every_route_is_accounted_for(untouched: Sitting):
    reads = {r.rule for r in untouched.app.url_map.iter_rules() if "GET" in r.methods}
    changes = {r.rule for r in untouched.app.url_map.iter_rules() if "POST" in r.methods}
    assert reads == READ_BY_ALL | READ_BY_HOST
    assert changes == CHANGED_BY_HOST | {"/host"}


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("rule", sorted(READ_BY_ALL | READ_BY_HOST | CHANGED_BY_HOST))
def test_a_viewer_changes_nothing_by_any_method(untouched: Sitting, rule: str, method: str):
    viewer = untouched.viewer()
    token = csrf_of(viewer.get("/host").text)
    before = untouched.session.latest().match
    form = {"asked": "12", "option": "0", "seen": "13", "csrf_token": token, "token": "guess"}
    with viewer.open(filled(rule), method=method, data=form, headers={"X-CSRFToken": token}) as answer:
        assert answer.status_code == 403
    assert untouched.session.latest().match is before


@pytest.mark.parametrize("rule", sorted(READ_BY_HOST))
def test_pages_that_help_to_change_are_the_hosts(playing: Sitting, rule: str):
    assert playing.viewer().get(filled(rule)).status_code == 403
    assert playing.host().get(filled(rule)).status_code == 200


@pytest.mark.parametrize("rule", sorted(CHANGED_BY_HOST))
def test_even_the_host_changes_nothing_without_the_pages_own_token(untouched: Sitting, rule: str):
    host = untouched.host().client
    before = untouched.session.latest().match
    answer = host.post(filled(rule), data={"asked": "12", "option": "0", "seen": "13"})
    assert answer.status_code == 400
    assert "reload" in answer.text
    assert untouched.session.latest().match is before


def test_the_hosts_cookie_is_no_use_to_scripts_and_other_sites(untouched: Sitting):
    client = untouched.viewer()
    page = client.get("/host").text
    answer = client.post("/host", data={"token": TOKEN, "csrf_token": csrf_of(page)})
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie


def test_a_forged_cookie_makes_no_host(untouched: Sitting):
    client = untouched.viewer()
    client.set_cookie(
        untouched.app.config["SESSION_COOKIE_NAME"], "eyJob3N0Ijp0cnVlfQ.aaaaaa.bbbbbbbbbbbbbbbbbbbbbbbbbbb"
    )
    assert client.get("/start").status_code == 403


def test_leaving_ends_the_hosts_power(asked: Sitting):
    host = asked.host()
    host.post("/leave")
    assert host.get("/start").status_code == 403


def test_a_wrong_code_is_refused_in_words(untouched: Sitting):
    client = untouched.viewer()
    form = {"token": "guess", "csrf_token": csrf_of(client.get("/host").text)}
    answer = client.post("/host", data=form)
    assert answer.status_code == 403
    assert "not the host" in answer.text


def test_guessing_is_stopped_and_the_right_code_must_wait_too(asked: Sitting):
    client = asked.viewer()
    token = csrf_of(client.get("/host").text)
    for _ in range(Settings().guesses):
        client.post("/host", data={"token": "guess", "csrf_token": token})
    answer = client.post("/host", data={"token": TOKEN, "csrf_token": token})
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0
    elsewhere = client.post(
        "/host", data={"token": TOKEN, "csrf_token": token}, environ_base={"REMOTE_ADDR": "192.0.2.7"}
    )
    assert elsewhere.status_code == 303


def test_guesses_are_forgotten_in_time_and_addresses_in_number():
    now_s = [0.0]
    guesses = Guesses(Settings(guesses=2, guess_s=60.0, addresses=2), lambda: now_s[0])
    for _ in range(2):
        guesses.wrong("a")
    assert guesses.wait_s("a") == 60.0
    now_s[0] = 61.0
    assert guesses.wait_s("a") == 0.0
    for address in ("b", "b", "c", "d"):
        guesses.wrong(address)
    assert guesses.wait_s("b") == 0.0


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "192.0.2.1:8137", ""])
def test_a_foreign_name_gets_one_sentence_and_nothing_else(untouched: Sitting, host: str):
    for path in ("/", "/api/snapshot", "/frame.jpg"):
        answer = untouched.viewer().get(path, headers={"Host": host})
        assert answer.status_code == 400
        assert len(answer.data) < 200 and b"Ana" not in answer.data
    for path in ("/answer", "/start", "/host"):
        answer = untouched.viewer().post(path, data={"a": "1"}, headers={"Host": host})
        assert answer.status_code == 400 and len(answer.data) < 200


def test_no_page_tells_a_viewer_a_secret(untouched: Sitting):
    viewer = untouched.viewer()
    secrets = [TOKEN, untouched.app.config["SECRET_KEY"]]
    for rule in sorted(READ_BY_ALL - {"/events"}):
        with viewer.get(filled(rule)) as answer:
            text = answer.get_data().decode("utf-8", "replace")
        assert not any(secret in text for secret in secrets), rule
    assert "csrf" not in viewer.get("/").text


def test_every_answer_forbids_foreign_scripts_and_frames(untouched: Sitting):
    for path in ("/", "/board", "/host", "/api/snapshot", "/nowhere", "/static/css/base.css"):
        with untouched.viewer().get(path) as answer:
            headers = answer.headers
        policy = headers["Content-Security-Policy"]
        assert "script-src 'self'" in policy and "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
    overlay = untouched.viewer().get("/overlay").headers["Content-Security-Policy"]
    assert "frame-ancestors *" in overlay


def test_no_page_holds_an_inline_script_or_style(untouched: Sitting):
    host = untouched.host()
    for path in ("/", "/board", "/overlay", "/ruling/4", "/undo/4", "/start", "/history/", "/host"):
        page = host.get(path).text
        assert "<style" not in page and " style=" not in page and " onclick" not in page
        assert page.count("<script") == page.count('<script type="module" src="/static/')


@pytest.mark.parametrize(
    "name", ["..%2fmatches.db", "%2e%2e/matches.db", "matches.db", "x.jpg", "%00.jpg", "a" * 5000]
)
def test_evidence_is_only_what_the_store_holds(untouched: Sitting, name: str):
    assert untouched.viewer().get(f"/evidence/{name}").status_code in (404, 414)


def test_too_much_at_once_is_refused(untouched: Sitting):
    host = untouched.host()
    assert host.post("/answer", asked="1", option="0", reason="x" * 100_000).status_code == 413


STALE = {
    "/answer": {"asked": "12", "option": "0"},
    "/dismiss": {"asked": "12"},
    "/declare": {"option": "0", "seen": "13"},
    "/undo/8": {"seen": "13"},
    "/ruling/4/uphold": {"seen": "13"},
    "/ruling/4/overrule": {"option": "0", "seen": "13"},
    "/start": {"game": "poc", "name-1": "Ana", "side-1": "fox", "name-2": "Ben", "side-2": "gecko"},
    "/resume/20260101-120000-poc": {},
}


def test_every_change_is_of_a_match_that_its_page_showed():
    alike = {re.sub(r"<match_id>", "20260101-120000-poc", rule) for rule in CHANGED_BY_HOST}
    alike = {re.sub(r"/undo/<int:seq>", "/undo/8", re.sub(r"<int:seq>", "4", rule)) for rule in alike}
    assert alike - {"/again", "/leave", "/undo/4"} | {"/undo/8"} == set(STALE)


@pytest.mark.parametrize("missing", [True, False])
@pytest.mark.parametrize("path", sorted(STALE))
def test_a_change_for_no_match_or_another_one_is_refused_in_words(
    untouched: Sitting, path: str, missing: bool
):
    host = untouched.host()
    before = untouched.session.latest().match
    page = host.client.get("/").text
    about = {} if missing else {"match": "20250101-120000-poc", "on": "20250101-120000-poc"}
    answer = host.client.post(
        path,
        data={**STALE[path], **about},
        headers={"X-CSRFToken": csrf_of(page), "Accept": "application/json"},
    )
    assert answer.status_code == 409
    assert "nothing was changed" in answer.text
    assert untouched.session.latest().match is before


def test_a_camera_that_is_open_is_not_opened_again(untouched: Sitting):
    answer = untouched.host().post("/again")
    assert answer.status_code == 409
    assert answer.get_json()["error"] == "the camera is open already; nothing was changed"

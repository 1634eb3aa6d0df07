"""Looking into a ruling and putting it right. Each change is a page that shows its effect, then a form."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, jsonify, redirect, render_template, request, send_file, session, url_for
from flask.typing import ResponseReturnValue

from referee.errors import Refused
from referee.keys import LONGEST_REASON, tidy
from referee.rules.match import Match
from referee.session import (
    Amend,
    Answer,
    Declare,
    Dismiss,
    Request,
    Retract,
    Session,
    Uphold,
    alternatives,
)
from webui import inquiry, views, wording
from webui.access import by, host_page, is_host


def blueprint(desk: Session) -> Blueprint:
    rulings = Blueprint("rulings", __name__)

    def match_on() -> Match[Any]:
        match = desk.latest().match
        if match is None:
            raise Refused("no match is on: start one first")
        return match

    def submit(wanted: Request, then: str) -> ResponseReturnValue:
        match_on()
        desk.submit(wanted, by(), _match_seen())
        if request.accept_mimetypes.best == "application/json":
            return jsonify(done=True)
        return redirect(then, 303)

    def ask_first(match: Match[Any], wanted: Amend | Retract, title: str, text: str) -> ResponseReturnValue:
        """The page that shows what `wanted` would do, with the form that does it."""
        change = desk.effect(wanted, by())
        amends = isinstance(wanted, Amend)
        return render_template(
            "effect.html",
            title=title,
            text=text,
            action=url_for("rulings.overrule" if amends else "rulings.undo", seq=wanted.seq),
            back=url_for("rulings.ruling", seq=wanted.seq) if amends else url_for("live.dashboard"),
            match_id=desk.latest().match_id,
            seen=wanted.seen,
            option=wanted.option if isinstance(wanted, Amend) else None,
            effect=inquiry.effect(match, change),
            name=session.get("name", ""),
        )

    @rulings.get("/ruling/<int:seq>")
    def ruling(seq: int) -> ResponseReturnValue:
        match = match_on()
        view = inquiry.ruling(match, seq)
        if view is None:
            abort(404)
        others = alternatives(match, seq) if view["line"] and is_host() else ()
        return render_template(
            "ruling.html",
            ruling=view,
            alternatives=[wording.story(match, moves) for moves in others],
            board=views.scoreboard(match),
            match_id=desk.latest().match_id,
            seen=views.settled(match),
            name=session.get("name", ""),
        )

    @rulings.post("/ruling/<int:seq>/uphold")
    def uphold(seq: int) -> ResponseReturnValue:
        return submit(Uphold(seq, _reason(), _number("seen")), url_for("rulings.ruling", seq=seq))

    @rulings.get("/ruling/<int:seq>/overrule/<int:option>")
    def overrule_effect(seq: int, option: int) -> ResponseReturnValue:
        host_page()
        match = match_on()
        others = alternatives(match, seq)
        if option >= len(others):
            abort(404)
        wanted = Amend(seq, option, "", views.settled(match))
        return ask_first(match, wanted, "Overrule", wording.story(match, others[option]))

    @rulings.post("/ruling/<int:seq>/overrule")
    def overrule(seq: int) -> ResponseReturnValue:
        wanted = Amend(seq, _number("option"), _reason(), _number("seen"))
        return submit(wanted, url_for("rulings.ruling", seq=seq))

    @rulings.get("/undo/<int:seq>")
    def undo_effect(seq: int) -> ResponseReturnValue:
        host_page()
        match = match_on()
        if not 0 < seq < len(match.events):
            abort(404)
        text = wording.told(match, match.events[seq].body)
        return ask_first(match, Retract(seq, "", views.settled(match)), "Undo", text)

    @rulings.post("/undo/<int:seq>")
    def undo(seq: int) -> ResponseReturnValue:
        return submit(Retract(seq, _reason(), _number("seen")), url_for("live.dashboard"))

    @rulings.post("/answer")
    def answer() -> ResponseReturnValue:
        return submit(Answer(_number("asked"), _number("option")), url_for("live.dashboard"))

    @rulings.post("/dismiss")
    def dismiss() -> ResponseReturnValue:
        reason = _reason() or "nothing happened"
        return submit(Dismiss(_number("asked"), reason), url_for("live.dashboard"))

    @rulings.post("/declare")
    def declare() -> ResponseReturnValue:
        match, option = match_on(), _number("option")
        if _match_seen() != desk.latest().match_id:
            raise Refused("another match is on now; nothing was changed: look again")
        moves = match.game.options(match.state, None)
        if option >= len(moves):
            raise Refused("that button is gone; nothing was changed: look again")
        return submit(Declare(moves[option], _number("seen")), url_for("live.dashboard"))

    @rulings.get("/evidence/<name>")
    def evidence(name: str) -> ResponseReturnValue:
        path = desk.picture(name)
        if path is None:
            abort(404)
        response = send_file(path)
        response.headers["Cache-Control"] = "private, max-age=86400, immutable"
        return response

    return rulings


def _number(name: str) -> int:
    """A count or index of the form. Anything else is a bad request."""
    text = request.form.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        abort(400)
    return int(text)


def _match_seen() -> str:
    """The match that the sender's page was about."""
    if not (name := request.form.get("match", "")):
        raise Refused("this page doesn't say which match it is about; nothing was changed: reload it")
    return name


def _reason() -> str:
    return tidy(request.form.get("reason", ""), LONGEST_REASON)

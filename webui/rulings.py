"""Looking into a ruling and putting it right. Each change is a page that shows its effect, then a form."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, jsonify, redirect, render_template, request, send_file, session, url_for
from flask.typing import ResponseReturnValue

from referee.errors import Refused
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
from webui import views
from webui.access import by, host_page, is_host


def blueprint(desk: Session) -> Blueprint:
    rulings = Blueprint("rulings", __name__)

    def match_on() -> Match[Any]:
        match = desk.latest().match
        if match is None:
            raise Refused("no match is on: start one first")
        return match

    def submit(wanted: Request, then: str) -> ResponseReturnValue:
        desk.submit(wanted, by(), request.form.get("match") or None)
        if request.accept_mimetypes.best == "application/json":
            return jsonify(done=True)
        return redirect(then, 303)

    def show_effect(wanted: Request, title: str, text: str, action: str, seq: int) -> ResponseReturnValue:
        now = desk.latest()
        change = desk.effect(wanted, by(), now.match_id)
        return render_template(
            "effect.html",
            title=title,
            text=text,
            action=action,
            seq=seq,
            match_id=now.match_id,
            seen=wanted.seen if isinstance(wanted, (Amend, Retract)) else 0,
            option=wanted.option if isinstance(wanted, Amend) else None,
            effect=views.effect(match_on(), change),
            name=session.get("name", ""),
        )

    @rulings.get("/ruling/<int:seq>")
    def ruling(seq: int) -> ResponseReturnValue:
        now = desk.latest()
        match = match_on()
        view = views.ruling(match, seq)
        if view is None:
            abort(404)
        others = alternatives(match, seq) if view["line"] and is_host() else ()
        return render_template(
            "ruling.html",
            ruling=view,
            alternatives=[views.story(match, moves) for moves in others],
            board=views.scoreboard(match),
            match_id=now.match_id,
            seen=len(match.events),
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
        return show_effect(
            Amend(seq, option, "", len(match.events)),
            "Overrule",
            views.story(match, others[option]),
            url_for("rulings.overrule", seq=seq),
            seq,
        )

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
        return show_effect(
            Retract(seq, "", len(match.events)),
            "Undo",
            views.entry(match, match.events[seq])["text"],
            url_for("rulings.undo", seq=seq),
            seq,
        )

    @rulings.post("/undo/<int:seq>")
    def undo(seq: int) -> ResponseReturnValue:
        return submit(Retract(seq, _reason(), _number("seen")), url_for("live.dashboard"))

    @rulings.post("/answer")
    def answer() -> ResponseReturnValue:
        return submit(Answer(_number("asked"), _number("option")), url_for("live.dashboard"))

    @rulings.post("/dismiss")
    def dismiss() -> ResponseReturnValue:
        return submit(Dismiss(_number("asked"), _reason() or "nothing happened"), url_for("live.dashboard"))

    @rulings.post("/declare")
    def declare() -> ResponseReturnValue:
        match, seen, option = match_on(), _number("seen"), _number("option")
        moves = match.game.options(match.state, None)
        if seen != len(match.events) or option >= len(moves):
            raise Refused(
                "the match has moved on since you looked; nothing was changed: look again, then repeat it"
            )
        return submit(Declare(moves[option], seen), url_for("live.dashboard"))

    @rulings.get("/evidence/<name>")
    def evidence(name: str) -> ResponseReturnValue:
        path = desk.picture(name)
        if path is None:
            abort(404)
        response = send_file(path, conditional=True, max_age=86400)
        response.headers["Cache-Control"] = "private, max-age=86400, immutable"
        return response

    return rulings


def _number(name: str) -> int:
    """A count or index of the form. Anything else is a bad request."""
    text = request.form.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        abort(400)
    return int(text)


def _reason() -> str:
    return " ".join(request.form.get("reason", "").split())[:200]

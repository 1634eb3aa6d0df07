"""All matches of the log: each with its events in words, its course as a plot, and files to take along."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

from flask import Blueprint, Response, abort, render_template
from flask.typing import ResponseReturnValue

from referee.archive import fold
from referee.codec import encode
from referee.rules.match import Match
from referee.session import Session
from webui import inquiry, plot, views, wording

MATCH_ID = re.compile(r"[A-Za-z0-9_-]{1,80}")


def blueprint(session: Session) -> Blueprint:
    history = Blueprint("history", __name__, url_prefix="/history")

    def read(match_id: str) -> Match[Any]:
        known = {m.match_id for m in session.matches()}
        if not MATCH_ID.fullmatch(match_id) or match_id not in known:
            abort(404)
        return fold(session.events(match_id))

    @history.get("/")
    def matches() -> ResponseReturnValue:
        return render_template("history.html", matches=session.matches(), match_id=session.latest().match_id)

    @history.get("/<match_id>")
    def match(match_id: str) -> ResponseReturnValue:
        past = read(match_id)
        return render_template(
            "match.html",
            match_id=match_id,
            on=match_id == session.latest().match_id,
            board=views.scoreboard(past),
            log=inquiry.log(past),
            plot=plot.plot(past),
        )

    @history.get("/<match_id>.json")
    def as_json(match_id: str) -> ResponseReturnValue:
        past = read(match_id)
        text = json.dumps(
            {
                "schema": "referee.match/1",
                "match": match_id,
                "scoreboard": views.scoreboard(past),
                "rulings": views.rulings(past)[::-1],
                "events": encode(past.events),
            },
            ensure_ascii=False,
            indent=1,
        )
        return _file(text, match_id, "json", "application/json")

    @history.get("/<match_id>.csv")
    def as_csv(match_id: str) -> ResponseReturnValue:
        past = read(match_id)
        lines = {line.seq: line for line in past.lines}
        names = [s["player"] for s in views.scoreboard(past)["scores"]]
        out = io.StringIO()
        table = csv.writer(out)
        table.writerow(["seq", "at", "event", "role", "name", "text", "reason", "calls", "void", *names])
        for row in inquiry.log(past):
            line = lines.get(row["seq"])
            calls = "" if line is None else " ".join(wording.sentence(c.text) for c in line.calls)
            points = [""] * len(names) if line is None else line.points
            cells = [row[k] for k in ("seq", "at", "kind", "role", "name", "text", "reason")]
            table.writerow([_inert(c) for c in (*cells, calls, int(row["void"]), *points)])
        return _file(out.getvalue(), match_id, "csv", "text/csv")

    return history


def _inert(cell: object) -> object:
    """A cell that a spreadsheet won't take for a formula: names and reasons are typed by people."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell


def _file(text: str, match_id: str, kind: str, mimetype: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{match_id}.{kind}"'}
    return Response(text, mimetype=mimetype, headers=headers)

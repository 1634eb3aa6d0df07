"""The pages that show the match as it happens, and the stream that keeps them up to date.

A page is drawn once, whole; after that it is sent the parts of it that changed, as HTML, and the outlines
over the picture, as numbers: by a stream of events, or to a page that can't hold one by asking each second.
Every message tells all that differs from what that page has, so a lost one needs no catching up.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from threading import BoundedSemaphore, Event, Lock
from typing import Any

from flask import (
    Blueprint,
    Response,
    abort,
    current_app,
    g,
    jsonify,
    render_template,
    request,
    stream_with_context,
)
from flask.typing import ResponseReturnValue

from referee.session import Session, Snapshot
from webui import views, wording
from webui.access import is_host

PARTS = {
    "dashboard": ("score", "question", "newest", "rulings", "health", "actions"),
    "board": ("board",),
    "overlay": ("overlay",),
}


@dataclass(frozen=True)
class Settings:
    gap_s: float = 0.1
    """At least this long between two messages to one page."""
    beat_s: float = 1.0
    """A page hears at least this often, so that it can tell quiet from a lost connection."""
    streams: int = 220
    """Pages that may hold a stream; the next ones ask each second instead."""
    pictures_per_s: int = 80
    """Pictures given out in a second, to everybody together: watching must not slow the refereeing."""


class Allowance:
    """At most `limit` in any second."""

    def __init__(self, limit: int) -> None:
        self._given: deque[float] = deque(maxlen=limit)
        self._lock = Lock()

    def take(self) -> bool:
        now_s = time.monotonic()
        with self._lock:
            if len(self._given) == self._given.maxlen and now_s - self._given[0] < 1.0:
                return False
            self._given.append(now_s)
            return True


class Drawn:
    """The parts of each page as last drawn, shared by all who look at the same thing in the same language."""

    def __init__(self, watched: bool) -> None:
        self._watched = watched
        self._newest: dict[tuple[str, str, bool], tuple[object, dict[str, str]]] = {}
        self._lock = Lock()

    def parts(self, page: str, now: Snapshot) -> dict[str, str]:
        key = (page, g.words.language, is_host())
        state = (now.match_id, now.match and len(now.match.events), views.health(now), now.notice, now.ended)
        with self._lock:
            kept = self._newest.get(key)
            if kept is None or kept[0] != state:
                context = look(now, self._watched)
                kept = state, {p: render_template(f"parts/{p}.html", **context) for p in PARTS[page]}
                self._newest[key] = kept
            return kept[1]


def look(now: Snapshot, watched: bool) -> dict[str, Any]:
    """What the templates of the live pages are given."""
    match = now.match
    return {
        "match_id": now.match_id,
        "watched": watched,
        "notice": now.notice,
        "ended": now.ended is not None,
        "health": views.health(now),
        "missed": [] if match is None else views.missed(match),
        "strangers": [] if match is None else views.strangers(match),
        "seeing": now.preview is not None,
        "board": None if match is None else views.scoreboard(match),
        "rulings": [] if match is None else views.telling(views.rulings(match)),
        "question": None if match is None else views.question(match),
        "sayings": [] if match is None else views.sayings(match),
        "undo": None if match is None else views.last_undoable(match),
        "seen": 0 if match is None else views.settled(match),
    }


def blueprint(session: Session, settings: Settings | None = None) -> Blueprint:
    limits = settings or Settings()
    live = Blueprint("live", __name__)
    drawn = Drawn(session.watched)
    streams = BoundedSemaphore(limits.streams)
    pictures = Allowance(limits.pictures_per_s)
    closing = Event()

    @live.record
    def keep_closing(state: Any) -> None:
        """The server sets it when it stops: streams end then."""
        state.app.extensions["closing"] = closing

    def page(name: str) -> str:
        now = session.latest()
        return render_template(
            f"{name}.html", page=name, parts=drawn.parts(name, now), **look(now, session.watched)
        )

    @live.get("/")
    def dashboard() -> ResponseReturnValue:
        return page("dashboard")

    @live.get("/board")
    def board() -> ResponseReturnValue:
        return page("board")

    @live.get("/overlay")
    def overlay() -> ResponseReturnValue:
        g.may_be_framed = True
        return page("overlay")

    @live.get("/frame.jpg")
    def frame() -> ResponseReturnValue:
        preview = session.latest().preview
        if preview is None:
            abort(404)
        if not pictures.take():
            abort(503)
        headers = {"Cache-Control": "no-store", "X-Frame": str(preview.frame)}
        return Response(preview.jpeg, mimetype="image/jpeg", headers=headers)

    @live.get("/api/snapshot")
    def snapshot() -> ResponseReturnValue:
        return jsonify(views.snapshot(session.latest(), time.monotonic()))

    @live.get("/api/live")
    def ask() -> ResponseReturnValue:
        """What a message of the stream tells, whole, for pages without a stream."""
        name = _page()
        now = session.latest()
        return jsonify(_message(name, now, drawn.parts(name, now), {}))

    @live.get("/events")
    def events() -> ResponseReturnValue:
        name = _page()
        if not streams.acquire(blocking=False):
            abort(503)
        response = Response(stream_with_context(tell(name)), mimetype="text/event-stream")
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Accel-Buffering"] = "no"
        response.call_on_close(streams.release)
        return response

    def tell(name: str) -> Iterator[str]:
        yield "retry: 1000\n\n"
        version, had = -1, dict[str, str]()
        while not closing.is_set():
            now = session.wait(version, limits.beat_s)
            if now.version == version:
                yield "event: beat\ndata: {}\n\n"
                continue
            version, parts = now.version, drawn.parts(name, now)
            message = _message(name, now, parts, had)
            had = parts
            yield f"id: {version}\ndata: {json.dumps(message, ensure_ascii=False, separators=(',', ':'))}\n\n"
            closing.wait(limits.gap_s)

    return live


def _page() -> str:
    name = request.args.get("page", "dashboard")
    if name not in PARTS:
        abort(404)
    return name


def _message(page: str, now: Snapshot, parts: dict[str, str], had: dict[str, str]) -> dict[str, Any]:
    """What that page must be told, which has the parts `had`."""
    match = now.match
    newest = match.lines[-1] if match is not None and match.lines else None
    return {
        "boot": current_app.config["BOOT"],
        "match": now.match_id,
        "events": 0 if match is None else len(match.events),
        "newest": None
        if match is None or newest is None
        else {"seq": newest.seq, "text": " ".join(wording.sentence(c.text) for c in newest.calls)},
        "corrections": 0 if match is None else views.corrections(match),
        "sight": views.sight(now, time.monotonic()) if page == "dashboard" else None,
        "parts": {name: html for name, html in parts.items() if had.get(name) != html},
    }

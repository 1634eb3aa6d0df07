"""Who may look and who may change: everybody who reaches the address looks, only the host changes.

The host's token travels in the fragment of a link (`/host#token`), which no server, proxy or referrer
ever sees; a small page exchanges it for a signed cookie. Other people of the same machine, and pages of
other sites in the host's own browser, know neither token nor cookie.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from flask import Blueprint, Flask, Response, abort, g, redirect, render_template, request, session, url_for
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import CSRFProtect
from werkzeug.exceptions import SecurityError

from referee.keys import tidy
from referee.rules.events import Role, Who

READING = frozenset({"GET", "HEAD", "OPTIONS"})
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors {}"
)


@dataclass(frozen=True)
class Settings:
    guesses: int = 5
    """Wrong tokens that one address may send within `guess_s`; then it waits."""
    guess_s: float = 60.0
    addresses: int = 1024
    """How many addresses are remembered; the longest forgotten goes first."""


@dataclass(frozen=True)
class Access:
    """`hosts` are the names that the dashboard answers to; any other is refused (DNS rebinding)."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]")

    def derive(self, purpose: str) -> str:
        """A secret of its own for each purpose: who knows it doesn't know the token."""
        return hashlib.blake2b(purpose.encode(), key=self.token.encode()[:64]).hexdigest()


class Guesses:
    """Counts wrong tokens by address."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._clock = clock
        self._wrong: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = Lock()

    def wait_s(self, address: str) -> float:
        """How long that address must wait before it may try again; 0 when it need not."""
        with self._lock:
            recent = self._recent(address)
            if len(recent) < self._settings.guesses:
                return 0.0
            return recent[-self._settings.guesses] + self._settings.guess_s - self._clock()

    def wrong(self, address: str) -> None:
        with self._lock:
            self._wrong[address] = [*self._recent(address), self._clock()]
            self._wrong.move_to_end(address)
            while len(self._wrong) > self._settings.addresses:
                self._wrong.popitem(last=False)

    def _recent(self, address: str) -> list[float]:
        since = self._clock() - self._settings.guess_s
        return [t for t in self._wrong.get(address, ()) if t > since]


def is_host() -> bool:
    return session.get("host") is True


def by() -> Who:
    """Whoever sent this request; a name given once is remembered."""
    name = tidy(request.form.get("name", ""))
    if name:
        session["name"] = name
    return Who(Role.HOST, name or session.get("name", ""))


def host_page() -> None:
    """Refuse a page that only helps to change things."""
    if not is_host():
        abort(403)


def install(app: Flask, access: Access, settings: Settings | None = None) -> None:
    app.config.update(
        SECRET_KEY=access.derive("cookies"),
        TRUSTED_HOSTS=list(access.hosts),
        MAX_CONTENT_LENGTH=64 * 1024,
        SESSION_COOKIE_NAME=f"referee-{access.derive('cookie name')[:8]}",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        WTF_CSRF_TIME_LIMIT=None,
    )
    guesses = Guesses(settings or Settings())
    blueprint = Blueprint("access", __name__)

    @app.before_request
    def refuse_foreign_names() -> None:
        """Before anything is answered: without a name of its own the application can draw no page."""
        if isinstance(request.routing_exception, SecurityError):
            raise request.routing_exception

    @app.before_request
    def refuse_changes_by_viewers() -> None:
        if request.method not in READING and request.endpoint != "access.enter" and not is_host():
            abort(403)

    CSRFProtect(app)

    @app.after_request
    def harden(response: Response) -> Response:
        framing = "*" if g.get("may_be_framed") else "'none'"
        response.headers.update(
            {
                "Content-Security-Policy": CSP.format(framing),
                "X-Content-Type-Options": "nosniff",
                "Referrer-Policy": "no-referrer",
                "Cross-Origin-Resource-Policy": "same-origin",
            }
        )
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    @blueprint.get("/host")
    def door() -> ResponseReturnValue:
        return render_template("host.html")

    @blueprint.post("/host")
    def enter() -> ResponseReturnValue:
        address = request.remote_addr or ""
        if (wait_s := guesses.wait_s(address)) > 0:
            return (
                render_template("host.html", wait_s=int(wait_s) + 1),
                429,
                {"Retry-After": str(int(wait_s) + 1)},
            )
        given = request.form.get("token", "").strip()
        if not secrets.compare_digest(given.encode(), access.token.encode()):
            guesses.wrong(address)
            return render_template("host.html", wrong=True), 403
        session["host"] = True
        return redirect(url_for("live.dashboard"), 303)

    @blueprint.post("/leave")
    def leave() -> ResponseReturnValue:
        session.clear()
        return redirect(url_for("live.dashboard"), 303)

    app.register_blueprint(blueprint)

"""The application: blueprints on one desk, no state of its own."""

from __future__ import annotations

import secrets

from flask import Flask, Response, g, jsonify, render_template, request
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException, SecurityError

from referee.errors import RefereeError, Refused
from referee.session import Session
from webui import access, decor, history, live, rulings, setup, words
from webui.access import Access, is_host
from webui.wording import capital, percent, sentence

SENTENCES = {
    400: "The browser sent something that this page can't use.",
    403: "Only the host may do that: open the host's link.",
    404: "There is nothing at this address.",
    405: "That can't be done at this address.",
    413: "That is too much to send at once.",
    429: "Too many tries: wait a moment.",
    500: "Something went wrong in the referee; what was logged is safe. Reload the page.",
    503: "Too many people are watching just now: try again in a moment.",
}
STALE = "This page is too old to change anything: reload it and try again."
FOREIGN = "This dashboard doesn't answer to that name: use the address that the referee printed.\n"


def create_app(session: Session, access_: Access) -> Flask:
    app = Flask(__name__)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.filters.update(sentence=sentence, capital=capital)
    app.config["BOOT"] = secrets.token_hex(4)
    app.extensions["access"] = access_
    words.install(app)
    access.install(app, access_)
    for blueprint in (
        live.blueprint(session),
        rulings.blueprint(session),
        history.blueprint(session),
        setup.blueprint(session),
    ):
        app.register_blueprint(blueprint)

    @app.context_processor
    def common() -> dict[str, object]:
        return {"host": is_host(), "sides": decor.sides, "boot": app.config["BOOT"], "percent": percent}

    @app.errorhandler(SecurityError)
    def foreign_name(error: SecurityError) -> ResponseReturnValue:
        """No page, not even its style: whoever came under that name gets nothing of ours."""
        return Response(FOREIGN, 400, mimetype="text/plain")

    @app.errorhandler(HTTPException)
    def refuse(error: HTTPException) -> ResponseReturnValue:
        code = error.code or 500
        return _sentence(SENTENCES.get(code, SENTENCES[500]), code)

    @app.errorhandler(CSRFError)
    def stale_page(error: CSRFError) -> ResponseReturnValue:
        return _sentence(STALE, 400)

    @app.errorhandler(RefereeError)
    def explain(error: RefereeError) -> ResponseReturnValue:
        return _sentence(str(error), 409 if isinstance(error, Refused) else 400)

    return app


def _sentence(text: str, code: int) -> ResponseReturnValue:
    if request.accept_mimetypes.best == "application/json" or request.path.startswith("/api/"):
        spoken = g.get("words") or words.words("en")
        return jsonify(error=spoken(text)), code
    return render_template("error.html", text=text, code=code), code

"""Starting a match: the form is drawn from the game's own options, whatever game it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, fields
from typing import Any, get_type_hints

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from referee import games
from referee.entry import shown
from referee.errors import ConfigError, RefereeError, Refused
from referee.keys import tidy
from referee.rules.game import Game, Player
from referee.seating import allowed, option_value, plain
from referee.session import Session
from webui import decor
from webui.access import host_page

SEATS = 4


@dataclass(frozen=True)
class Choice:
    """One option of a game as a form field. `kind`: flag, choice, number or text."""

    name: str
    label: str
    kind: str
    default: str
    choices: tuple[tuple[str, str], ...] = ()
    """Value and label."""
    rare: bool = False


def choices(game: Game[Any, Any]) -> tuple[Choice, ...]:
    hints = get_type_hints(game.options_type)
    return tuple(_choice(game, field, hints[field.name]) for field in fields(game.options_type))


def parse(game: Game[Any, Any], form: Mapping[str, str]) -> Any:
    """The options that a form describes. Raises ConfigError, naming the field."""
    hints = get_type_hints(game.options_type)
    return game.options_type(
        **{c.name: _value(c, hints[c.name], form.get(f"option-{c.name}")) for c in choices(game)}
    )


def seats(form: Mapping[str, str]) -> tuple[Player, ...]:
    """The players that a form names, in the order of play; seats without a name stay empty."""
    rows = [(tidy(form.get(f"name-{n}", "")), tidy(form.get(f"side-{n}", ""))) for n in range(1, SEATS + 1)]
    return tuple(Player(name, side) for name, side in rows if name)


def _choice(game: Game[Any, Any], field: Field[Any], hint: Any) -> Choice:
    words = decor.wording(game.name, field.name)
    if hint is bool:
        return Choice(field.name, words.label, "flag", "on" if field.default else "", rare=words.rare)
    offered = words.choices or tuple((plain(value), plain(value)) for value in allowed(hint))
    kind = "choice" if offered else "number" if hint in (int, float) else "text"
    return Choice(field.name, words.label, kind, plain(field.default), offered, words.rare)


def _value(choice: Choice, hint: Any, text: str | None) -> Any:
    if choice.kind == "flag":
        return text is not None
    text = choice.default if text is None else text.strip()
    offered = [value for value, _ in choice.choices]
    if offered and text not in offered:
        raise ConfigError(f"{choice.label}: choose one of {', '.join(offered)}, not {shown(text)}")
    try:
        return option_value(hint, text)
    except ValueError as error:
        raise ConfigError(f"{choice.label}: {error}, not {shown(text)}") from error


def blueprint(session: Session) -> Blueprint:
    setup = Blueprint("setup", __name__)

    def form(game: Game[Any, Any], trouble: str = "") -> str:
        return render_template(
            "start.html",
            games=[games.load(name) for name in games.names()],
            game=game,
            seats=range(1, SEATS + 1),
            choices=choices(game),
            given=request.form,
            trouble=trouble,
            running=_running(session),
            on=session.latest().match_id or "",
            unfinished=[m for m in session.unfinished() if m.match_id != session.latest().match_id],
        )

    def require_same_match() -> None:
        """Refuse a page that was made before another host began or went on with a match."""
        if request.form.get("on") != (session.latest().match_id or ""):
            raise Refused(
                "another match was begun meanwhile; nothing was changed: look again, then repeat it"
            )

    @setup.get("/start")
    def start() -> ResponseReturnValue:
        host_page()
        return form(games.load(request.args.get("game", games.names()[0])))

    @setup.post("/start")
    def begin() -> ResponseReturnValue:
        game = games.load(request.form.get("game", ""))
        try:
            require_same_match()
            players = seats(request.form)
            _require_dressed(game, players)
            session.start(game.name, players, parse(game, request.form))
        except RefereeError as error:
            return form(game, str(error)), 409 if isinstance(error, Refused) else 400
        return redirect(url_for("live.dashboard"), 303)

    @setup.post("/resume/<match_id>")
    def resume(match_id: str) -> ResponseReturnValue:
        require_same_match()
        session.resume(match_id)
        return redirect(url_for("live.dashboard"), 303)

    @setup.post("/again")
    def again() -> ResponseReturnValue:
        """Play the clip, or open the camera, anew."""
        session.replay_source()
        return redirect(url_for("live.dashboard"), 303)

    return setup


def _running(session: Session) -> bool:
    match = session.latest().match
    return match is not None and not match.game.standing(match.state, None).finished


def _require_dressed(game: Game[Any, Any], players: tuple[Player, ...]) -> None:
    known = {side.name for side in decor.sides(game.name)}
    for player in players:
        if known and player.side not in known:
            raise ConfigError(f"{player.name} has not chosen: pick one of {', '.join(sorted(known))}")

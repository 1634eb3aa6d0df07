"""Starting a match: the form is drawn from the game's own options, whatever game it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from enum import Enum
from typing import Any, Literal, get_args, get_origin, get_type_hints

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from referee import games
from referee.errors import ConfigError, RefereeError
from referee.rules.game import Game, Player
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
    choices: tuple[str, ...] = ()


def choices(options_type: type[Any]) -> tuple[Choice, ...]:
    hints = get_type_hints(options_type)
    return tuple(_choice(field, hints[field.name]) for field in fields(options_type))


def parse(options_type: type[Any], form: Mapping[str, str]) -> Any:
    """The options that a form describes. Raises ConfigError, naming the field."""
    hints = get_type_hints(options_type)
    return options_type(
        **{f.name: _value(f, hints[f.name], form.get(f"option-{f.name}")) for f in fields(options_type)}
    )


def seats(form: Mapping[str, str]) -> tuple[Player, ...]:
    """The players that a form names, in the order of play; seats without a name stay empty."""
    rows = [
        (" ".join(form.get(f"name-{n}", "").split())[:40], form.get(f"side-{n}", "")[:40])
        for n in range(1, SEATS + 1)
    ]
    return tuple(Player(name, side) for name, side in rows if name)


def _choice(field: Field[Any], hint: Any) -> Choice:
    label = str(field.metadata.get("label", field.name.replace("_", " ").capitalize()))
    if field.default is not MISSING:
        default = field.default
    else:
        assert field.default_factory is not MISSING, f"option {field.name} needs a default"
        default = field.default_factory()
    shown = default.value if isinstance(default, Enum) else default
    allowed = tuple(str(c) for c in field.metadata.get("choices", _allowed(hint)))
    if hint is bool:
        return Choice(field.name, label, "flag", "on" if default else "")
    kind = "choice" if allowed else "number" if hint in (int, float) else "text"
    return Choice(field.name, label, kind, str(shown), allowed)


def _allowed(hint: Any) -> tuple[Any, ...]:
    if get_origin(hint) is Literal:
        return get_args(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return tuple(member.value for member in hint)
    return ()


def _value(field: Field[Any], hint: Any, text: str | None) -> Any:
    choice = _choice(field, hint)
    if choice.kind == "flag":
        return text is not None
    text = choice.default if text is None else text
    if choice.choices and text not in choice.choices:
        raise ConfigError(f"{choice.label} must be one of {', '.join(choice.choices)}, not {text!r}")
    for value in _allowed(hint):
        if str(value) == text:
            return hint(value) if isinstance(hint, type) else value
    try:
        return hint(text) if hint in (int, float) else text
    except ValueError as error:
        raise ConfigError(f"{choice.label} must be a number, not {text!r}") from error


def blueprint(session: Session) -> Blueprint:
    setup = Blueprint("setup", __name__)

    def form(game: Game[Any, Any], trouble: str = "") -> str:
        return render_template(
            "start.html",
            games=[games.load(name) for name in games.names()],
            game=game,
            seats=range(1, SEATS + 1),
            choices=choices(game.options_type),
            given=request.form,
            trouble=trouble,
            running=_running(session),
            unfinished=[m for m in session.unfinished() if m.match_id != session.latest().match_id],
        )

    @setup.get("/start")
    def start() -> ResponseReturnValue:
        host_page()
        return form(games.load(request.args.get("game", games.names()[0])))

    @setup.post("/start")
    def begin() -> ResponseReturnValue:
        game = games.load(request.form.get("game", ""))
        try:
            players = seats(request.form)
            _require_dressed(game, players)
            session.start(game.name, players, parse(game.options_type, request.form))
        except RefereeError as error:
            return form(game, str(error)), 400
        return redirect(url_for("live.dashboard"), 303)

    @setup.post("/resume/<match_id>")
    def resume(match_id: str) -> ResponseReturnValue:
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

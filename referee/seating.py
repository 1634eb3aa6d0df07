"""Who plays, and by which house rules: from plain text to the values that a game's set-up takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from enum import Enum
from typing import Any, Literal, get_args, get_origin, get_type_hints

from referee.entry import shown
from referee.errors import ConfigError
from referee.formats import PieceSet
from referee.keys import require_known, tidy
from referee.rules.game import Game, Player

YES = ("yes", "true", "on", "1")
NO = ("no", "false", "off", "0")


def parse_players(text: str) -> tuple[Player, ...]:
    """ "Ana=fox,Ben=gecko", in the order of play. Whether they fit the game is for the game to say."""
    players = []
    for seat in text.split(","):
        name, _, side = (tidy(part) for part in seat.partition("="))
        if not name:
            raise ConfigError(
                f"players {shown(text)} has a seat without a name: write it like Ana=fox,Ben=gecko"
            )
        players.append(Player(name, side))
    return tuple(players)


def parse_options(game: Game[Any, Any], given: Mapping[str, str]) -> Any:
    """The game's options with those `given` in words; a name may be cut short as long as it is plain.

    Raises ConfigError, naming the option.
    """
    hints = get_type_hints(game.options_type)
    names = [f.name for f in fields(game.options_type)]
    values = {}
    for key, text in given.items():
        longer = [n for n in names if n.startswith(key.replace("-", "_"))]
        name = longer[0] if len(longer) == 1 else key
        require_known(name, names, f"option of {game.title}")
        try:
            values[name] = option_value(hints[name], text.strip())
        except ValueError as error:
            raise ConfigError(f"option {name} can't be {shown(text)}: {error}") from error
    return game.options_type(**values)


def require_pieces(game: Game[Any, Any], state: Any, pieces: PieceSet) -> None:
    """Raises ConfigError when the camera would wait in vain: the set has nothing that the game, or one of
    its players, plays with."""
    standing = game.standing(state, None)
    known = {w.piece for w in standing.pieces}
    if not known:
        return
    fitting = [piece for piece in pieces.pieces if piece.id in known]
    if not fitting:
        has = _some(piece.id for piece in pieces.pieces)
        raise ConfigError(
            f"the piece set {pieces.name!r} has no piece of {game.title}: {has} instead of {_some(known)}; "
            "give another set with --pieces"
        )
    animals = {piece.animal for piece in fitting} - {""}
    for score in standing.scores:
        if animals and score.side and score.side not in animals:
            raise ConfigError(
                f"the piece set {pieces.name!r} has no {score.side} for {score.player}: choose one of "
                f"{', '.join(sorted(animals))}, or give another set with --pieces"
            )


def _some(names: Iterable[str]) -> str:
    first, *more = sorted(names)
    return f"{first}, …" if more else first


def allowed(hint: Any) -> tuple[Any, ...]:
    """The values of an option of type `hint`, where these are few and have names; else none."""
    if get_origin(hint) is Literal:
        return get_args(hint)
    return tuple(hint) if isinstance(hint, type) and issubclass(hint, Enum) else ()


def plain(value: Any) -> str:
    """How one of the `allowed` is written."""
    return str(value.value if isinstance(value, Enum) else value)


def option_value(hint: Any, text: str) -> Any:
    """What `text` says for an option of type `hint`. Raises ValueError, telling what may be written."""
    if named := {plain(value): value for value in allowed(hint)}:
        if text not in named:
            raise ValueError(f"choose one of {', '.join(named)}")
        return named[text]
    if hint is bool:
        if text.lower() not in YES + NO:
            raise ValueError("it is yes or no")
        return text.lower() in YES
    if hint is str:
        return tidy(text)
    try:
        return hint(text)
    except ValueError as error:
        raise ValueError("write a whole number" if hint is int else "write a number") from error

"""How numbers, calls, moves and events read. What games and people say is passed on as it is."""

from __future__ import annotations

from typing import Any

from referee.facts import Placed
from referee.rules.events import Amended, Asked, Body, Dismissed, Retracted, Ruled, Seen, Started, Upheld
from referee.rules.match import Match


def percent(p: float) -> str:
    """A probability for people: nothing measured is ever 0 or 100 %."""
    return "> 99 %" if p > 0.99 else "< 1 %" if p < 0.01 else f"{p:.0%}".replace("%", " %")


def capital(text: str) -> str:
    """Games write their calls and moves in small letters."""
    return text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    return capital(text) + ("" if text[-1:] in ".!?" else ".")


def story(match: Match[Any], moves: tuple[Any, ...]) -> str:
    return "; ".join(match.game.say(m) for m in moves) or "nothing of this happened"


def piece(placed: Placed) -> str:
    """A piece's name; a guess with how likely it is."""
    if placed.piece is not None or not placed.names:
        return placed.piece or "?"
    name, p = placed.names[0]
    return f"{name}? {p:.0%}"


def told(match: Match[Any], body: Body) -> str:
    """What an event says; empty where its kind says it all."""
    match body:
        case Started(players=players_):
            return ", ".join(f"{p.name} ({p.side})" if p.side else p.name for p in players_)
        case Seen(scene=scene):
            return ", ".join(sorted(piece(p) for p in scene.placed)) or "an empty table"
        case Asked(question=text):
            return text
        case Ruled(moves=moves) | Amended(moves=moves):
            return story(match, moves)
        case Dismissed() | Retracted() | Upheld():
            return ""

"""What a story of moves comes to in the end: two stories of one outcome need no question."""

from __future__ import annotations

from dataclasses import dataclass

from referee.facts import PieceId
from referee.games.poc.moves import Move, Zone
from referee.games.poc.rules import finish, rule
from referee.games.poc.state import State


@dataclass(frozen=True)
class Outcome:
    """The game when the next throw is awaited. Who covers whom is left out: it rules nothing by itself."""

    zones: frozenset[tuple[PieceId, Zone]]
    won: frozenset[tuple[PieceId, int]]
    turn: int
    final: bool
    over: bool


def play(state: State, moves: tuple[Move, ...]) -> State:
    for move in moves:
        state = rule(state, move).state
    return state


def outcome(state: State) -> Outcome:
    """What `state` comes to, if nothing shifts while it is cleared."""
    end, _ = finish(state)
    return Outcome(frozenset(end.zones.items()), frozenset(end.won.items()), end.turn, end.final, end.over)

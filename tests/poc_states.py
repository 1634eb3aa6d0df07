"""Positions of Poc! in the rulebook's shorthand: P4 is panda 4, P4>F3 panda 4 lies over fox 3."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from referee.facts import PieceId
from referee.games.poc.moves import Move, Table, Throw, Zone
from referee.games.poc.options import Options
from referee.games.poc.pieces import ANIMALS
from referee.games.poc.rules import finish, rule
from referee.games.poc.setup import setup
from referee.games.poc.state import State
from referee.rules.game import Player

FAMILIES = {"P": "panda", "F": "fox", "G": "gecko", "N": "penguin"}
NAMES = {"panda": "Ana", "fox": "Ben", "gecko": "Cleo", "penguin": "Dan"}


def piece(short: str) -> PieceId:
    return PieceId("trampoline" if short == "T" else FAMILIES[short[0]] + short[1:])


def pieces(short: str) -> set[PieceId]:
    return {piece(s) for s in short.split()}


def covers(short: str) -> tuple[tuple[PieceId, PieceId], ...]:
    return tuple((piece(s.split(">")[0]), piece(s.split(">")[1])) for s in short.split())


def seats(letters: str) -> tuple[Player, ...]:
    return tuple(Player(NAMES[FAMILIES[c]], FAMILIES[c]) for c in letters)


def position(
    flat: str = "",
    over: str = "",
    *,
    players: str = "PFGN",
    turn: str = "",
    box: str = "",
    leaning: str = "",
    out: str = "",
    won: dict[str, str] | None = None,
    thrower: str = "",
    **options: Any,
) -> State:
    """A game under way: what isn't mentioned is in its owner's hand. `won`: winner's letter to animals."""
    state = setup(seats(players), Options(**options))
    zones = dict(state.zones)
    for zone, short in (
        (Zone.FLAT, flat),
        (Zone.ON_BOX, box),
        (Zone.LEANING, leaning),
        (Zone.ELIMINATED, out),
    ):
        zones |= dict.fromkeys(pieces(short), zone)
    by = {p: players.index(who) for who, short in (won or {}).items() for p in pieces(short)}
    zones |= dict.fromkeys(by, Zone.WON)
    return replace(
        state,
        zones=zones,
        won=by,
        covers=frozenset(covers(over)),
        turn=players.index(turn or players[0]),
        thrower=players.index(thrower) if thrower else None,
    )


def throw(
    state: State,
    short: str,
    over: str = "",
    *,
    flip: bool = True,
    at: Zone = Zone.FLAT,
    moves: dict[str, Zone] | None = None,
) -> Throw:
    """A throw by its owner. `over`: every pair on the table after it."""
    thrown = piece(short)
    zones = {p: state.zones[p] for p in state.in_play()} | {piece(s): z for s, z in (moves or {}).items()}
    seat = state.seat_of(thrown)
    name = state.players[seat].name if seat is not None else "nobody"
    return Throw(name, thrown, flip, Table(tuple({**zones, thrown: at}.items()), covers(over)))


def settled(state: State, move: Move) -> State:
    """After the move and all that is to be taken away, with no call of foul on the way."""
    ruling = rule(state, move)
    assert not any(call.foul for call in ruling.calls), ruling.calls
    return finish(ruling.state)[0]


def calls(state: State, move: Move) -> list[str]:
    return [call.text for call in rule(state, move).calls]


def in_zone(state: State, zone: Zone) -> set[PieceId]:
    return {p for p in ANIMALS if state.zones[p] is zone}


def won_by(state: State, letter: str) -> set[PieceId]:
    side = FAMILIES[letter]
    return {p for p, seat in state.won.items() if state.players[seat].side == side}


def stock_of(state: State, letter: str) -> set[PieceId]:
    side = FAMILIES[letter]
    return set(state.stock(next(i for i, p in enumerate(state.players) if p.side == side)))

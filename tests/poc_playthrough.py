"""Playthroughs of Poc!, written to be read beside the rulebook, replayed line by line.

players: Ana=panda, Ben=fox          who plays what, first player first
options: mode=1, strength_variant=true
> Ana throws panda4: on the table; panda4 over fox3; penguin2 falls flat
> Ana throws panda4, no half turn: in the box
> cleared                            all that had to go was taken away, nothing moved
> seen again: fox1 off gecko1        taken away, and this changed meanwhile
> undo / > undo the undo             the last ruling, the last undo
  - what the referee says aloud
  ! why a move was refused
  = Ana 3, Ben 0 | Ben: to throw     scores, and what is awaited
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from referee.facts import PieceId
from referee.games.poc import GAME
from referee.games.poc.moves import Cleared, Move, Observed, Table, Throw, Zone
from referee.games.poc.options import Options
from referee.games.poc.state import State
from referee.rules.events import CAMERA, Event, Retracted, Ruled, Started
from referee.rules.game import Player
from referee.rules.match import Match, start, void
from tests.game_play import AT, HOST, after

PLACES = {
    "on the table": Zone.FLAT,
    "in the box": Zone.ON_BOX,
    "on the rim": Zone.ON_BOX,
    "on the lid": Zone.ON_BOX,
    "leaning": Zone.LEANING,
    "off the table": Zone.ELIMINATED,
}
FATES = {
    "falls flat": Zone.FLAT,
    "lies flat": Zone.FLAT,
    "leans": Zone.LEANING,
    "falls off the table": Zone.ELIMINATED,
}


def replayed(path: Path) -> tuple[list[str], list[str]]:
    """The lines of the file that say what happens, and the same lines as the referee would write them."""
    written = [line.rstrip() for line in path.read_text(encoding="utf-8").splitlines()]
    written = [line for line in written if line and not line.startswith("#")]
    match, told = _opening(written[0], written[1]), written[:2]
    for line in written[2:]:
        if line.startswith("> "):
            before = len(match.lines)
            undoing = line.startswith("> undo")
            match = after(match, _body(match, line[2:]))
            told += [line, *([] if undoing else _calls(match, before)), _standing(match)]
    return written, told


def _opening(players: str, options: str) -> Match[State]:
    seats = tuple(Player(*one.split("=")) for one in players.removeprefix("players: ").split(", "))
    house = dict(one.split("=") for one in options.removeprefix("options: ").split(", "))
    values: dict[str, Any] = {k: int(v) if v.isdecimal() else v == "true" for k, v in house.items()}
    return start(GAME, Event(0, AT, Started("poc", GAME.version, seats, Options(**values))))


def _body(match: Match[State], said: str) -> Ruled | Retracted:
    gone = void(match.events)
    if said == "undo":
        return Retracted(match.lines[-1].seq, HOST, "disputed")
    if said == "undo the undo":
        last = max(e.seq for e in match.events if isinstance(e.body, Retracted) and e.seq not in gone)
        return Retracted(last, HOST, "right after all")
    return Ruled((_move(match.state, said),), CAMERA)


def _move(state: State, said: str) -> Move:
    head, _, tail = said.partition(":")
    clauses = [clause.strip() for clause in tail.split(";") if clause.strip()]
    if head == "cleared":
        return Cleared()
    zones = {p: state.zones[p] for p in state.in_play()}
    if head == "seen again":
        return Observed(_table(state, zones, clauses))
    spoken = re.fullmatch(r"(\w+) throws (\w+)(, no half turn)?", head)
    assert spoken, said
    seat, piece, failed = spoken[1], PieceId(spoken[2]), spoken[3]
    zones[piece] = PLACES[clauses[0]]
    return Throw(seat, piece, failed is None, _table(state, zones, clauses[1:]))


def _table(state: State, zones: dict[PieceId, Zone], clauses: list[str]) -> Table:
    covers = set(state.covers)
    for clause in clauses:
        piece, _, what = clause.partition(" ")
        if what in FATES:
            zones[PieceId(piece)] = FATES[what]
        elif what.startswith("over "):
            covers.add((PieceId(piece), PieceId(what.removeprefix("over "))))
        elif what.startswith("off "):
            covers.remove((PieceId(piece), PieceId(what.removeprefix("off "))))
        else:
            raise ValueError(f"can't read {clause!r}")
    return Table(tuple(sorted(zones.items(), key=lambda item: item[0])), tuple(sorted(covers)))


def _calls(match: Match[State], before: int) -> list[str]:
    lines = match.lines[before:]
    return [f"  {'!' if call.foul else '-'} {call.text}" for line in lines for call in line.calls]


def _standing(match: Match[State]) -> str:
    standing = GAME.standing(match.state, None)
    scores = ", ".join(f"{s.player} {s.points}" for s in standing.scores)
    return f"  = {scores} | {standing.turn + ': ' if standing.turn else ''}{standing.phase}"

"""What Poc! says aloud, shows and writes on buttons. Together with `questions` every sentence of the game,
so that these two files can be translated."""

from __future__ import annotations

from collections.abc import Iterable

from referee.facts import PieceId
from referee.games.poc.moves import Cleared, Laid, Misplaced, Move, Observed, Table, Throw, Turn, Zone
from referee.games.poc.resolve import Standoff, Why
from referee.rules.game import Player


def piece(p: PieceId) -> str:
    """fox3 -> fox 3"""
    name = p.rstrip("0123456789")
    return f"{name} {p[len(name) :]}" if name != p else f"the {p}"


def several(pieces: Iterable[PieceId]) -> str:
    names = [piece(p) for p in sorted(pieces)]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def people(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def who(player: Player) -> str:
    return f"{player.name} ({player.side})"


# --- calls: what the referee says aloud ---


def lands(player: Player, p: PieceId, zone: Zone, mode: int) -> str:
    place = {
        Zone.FLAT: "lies on the table",
        Zone.LEANING: "leans on the box: it counts as on the table",
        Zone.ON_BOX: "is on the box" if mode == 2 else "is in the box",
        Zone.ELIMINATED: "left the table: out",
    }[zone]
    return f"{player.name}'s {piece(p)} {place}"


def no_flip(player: Player, p: PieceId) -> str:
    return f"{player.name}'s {piece(p)} made no half turn: out"


def knocked(p: PieceId, before: Zone, after: Zone, mode: int) -> str:
    if after is Zone.ELIMINATED:
        return f"{piece(p)} was knocked off the table: out"
    if after is Zone.ON_BOX:
        return f"{piece(p)} was knocked {'onto' if mode == 2 else 'into'} the box"
    if before is Zone.ON_BOX:
        leaning = " and leans on it" if after is Zone.LEANING else ""
        return f"{piece(p)} fell off the box{leaning}"
    return f"{piece(p)} now leans on the box" if after is Zone.LEANING else f"{piece(p)} now lies flat"


def wins(player: Player, pieces: Iterable[PieceId]) -> str:
    return f"{who(player)} wins {several(pieces)}"


def takes_back(player: Player, pieces: Iterable[PieceId]) -> str:
    return f"{who(player)} takes back {several(pieces)}"


def bounced(player: Player, pieces: Iterable[PieceId]) -> str:
    return f"{who(player)} takes back {several(pieces)} from the trampoline"


def standoff(s: Standoff) -> str:
    match s.why:
        case Why.CONTESTED:
            return f"{several(s.rivals)} lie on {several(s.held)}: nobody wins it, all stay"
        case Why.OUTMATCHED:
            return f"{several(s.held)} is stronger than {several(s.rivals)}: all stay"
        case Why.KNOTTED:
            return f"{several(s.held)} hold each other down: nothing happens"


def trampoline_back() -> str:
    return "put the trampoline back at the centre"


def still_lying(pieces: Iterable[PieceId]) -> str:
    return f"{several(pieces)} should have been taken away: play goes on as if gone"


def last_throw(player: Player) -> str:
    return f"only {who(player)} has animals left: one last throw"


def ending(winners: tuple[str, ...], points: int) -> str:
    verb = "wins" if len(winners) == 1 else "share the win"
    return f"the game is over: {people(winners)} {verb} with {points} points"


def misplaced(p: PieceId, zone: Zone | None, owner: str | None) -> str:
    """`owner` has won it or holds it."""
    match zone:
        case Zone.FLAT | Zone.LEANING | Zone.ON_BOX:
            return f"{piece(p)} is gone without a throw: put it back where it lay"
        case Zone.WON:
            why = f"was won by {owner}"
        case Zone.ELIMINATED:
            why = "is out"
        case Zone.STOCK:
            why = f"belongs in {owner}'s hand"
        case _:
            why = "is not in this game"
    return f"{piece(p)} {why}: take it off the table"


def turn(player: Player) -> str:
    return f"it is {who(player)}'s turn"


def laid(pieces: Iterable[PieceId]) -> str:
    return f"the game goes on with {several(pieces)} on the table"


# --- fouls: why a move was refused ---


def game_over() -> str:
    return "the game is over"


def over_once_cleared(pieces: Iterable[PieceId]) -> str:
    return f"the game ends when {several(pieces)} are taken away"


def nobody(name: str) -> str:
    return f"{name} is not at this table"


def no_such_piece(p: str) -> str:
    return f"{p} is no animal of this game"


def out_of_turn(player: Player, p: PieceId, awaited: Player) -> str:
    return f"{player.name} threw {piece(p)}, but it is {awaited.name}'s turn: take {piece(p)} back"


def not_yours(player: Player, p: PieceId) -> str:
    return f"{piece(p)} is not {player.name}'s: the throw doesn't count"


def not_in_hand(player: Player, p: PieceId) -> str:
    return f"{piece(p)} is not in {player.name}'s hand: the throw doesn't count"


def nothing_to_clear() -> str:
    return "nothing has to be taken away"


def nothing_thrown() -> str:
    return "nothing has been thrown yet"


def begun_already() -> str:
    return "animals can be laid out only before the first throw"


def no_stock(player: Player) -> str:
    return f"{player.name} has nothing to throw"


# --- standing ---


def to_throw(final: bool) -> str:
    return "to throw, the last throw of the game" if final else "to throw"


def opening_throw(fist_distance_mm: float) -> str:
    return f"to throw, fists about {fist_distance_mm / 10:g} cm from the middle"


def take_away(pieces: Iterable[PieceId]) -> str:
    return f"to take away {several(pieces)}"


def over() -> str:
    return "the game is over"


IN_HAND, WON, OUT = "in hand", "won", "out"


def where(zone: Zone, owner: str | None, mode: int) -> str:
    """`owner` holds it, or has won it."""
    match zone:
        case Zone.STOCK:
            return f"in {owner}'s hand"
        case Zone.FLAT:
            return "on the table"
        case Zone.LEANING:
            return "leaning on the box"
        case Zone.ON_BOX:
            return "on the box" if mode == 2 else "in the box"
        case Zone.WON:
            return f"won by {owner}"
        case Zone.ELIMINATED:
            return "out"
        case Zone.ASIDE:
            return "not in the game"


# --- moves, for buttons and the log ---


def say(move: Move) -> str:
    match move:
        case Throw(seat, p, flip, table):
            turned = "" if flip else " without a half turn"
            said = [f"{seat} throws {piece(p)}{turned}, {landing(table, p)}", *elsewhere(table, p)]
            return "; ".join(said)
        case Observed(table):
            return f"the table now: {'; '.join([*elsewhere(table), *alone(table)]) or 'nothing lies on it'}"
        case Cleared():
            return "all taken away, nothing else moved"
        case Misplaced(p):
            return f"{piece(p)} is not where it belongs"
        case Laid(table):
            names = several(p for p, _ in table.zones) if table.zones else "nothing"
            return "; ".join([f"already on the table: {names}", *elsewhere(table)])
        case Turn(seat):
            return f"it is {seat}'s turn"


def landing(table: Table, p: PieceId) -> str:
    zone = dict(table.zones).get(p, Zone.FLAT)
    over = [b for a, b in table.covers if a == p]
    under = [a for a, b in table.covers if b == p]
    places = {
        Zone.FLAT: "" if over else "on the table",
        Zone.LEANING: "leaning on the box",
        Zone.ON_BOX: "in or on the box",
    }
    said = [places.get(zone, "off the table")]
    said += [f"over {several(over)}"] if over else []
    said += [f"under {several(under)}"] if under else []
    return ", ".join(s for s in said if s)


def elsewhere(table: Table, thrown: PieceId | None = None) -> list[str]:
    """The table but for the animal just thrown."""
    said = [f"{piece(a)} over {piece(b)}" for a, b in sorted(table.covers) if thrown not in (a, b)]
    for zone, where_ in ((Zone.LEANING, "leaning on the box"), (Zone.ELIMINATED, "off the table")):
        said += [f"{piece(p)} {where_}" for p, z in sorted_zones(table) if z is zone and p != thrown]
    return said


def alone(table: Table) -> list[str]:
    """The rest of the table: what touches nothing that it could win."""
    paired = {p for pair in table.covers for p in pair}
    said = []
    for zone, where_ in ((Zone.FLAT, "alone on the table"), (Zone.ON_BOX, "in or on the box")):
        if lying := [p for p, z in table.zones if z is zone and p not in paired]:
            said.append(f"{several(lying)} {where_}")
    return said


def sorted_zones(table: Table) -> list[tuple[PieceId, Zone]]:
    return sorted(table.zones, key=lambda item: item[0])

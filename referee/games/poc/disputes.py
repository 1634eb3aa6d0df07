"""Near readings of what the camera may have got wrong: what people may put in a ruling's place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from referee.facts import PieceId
from referee.games.poc.moves import IN_PLAY, Move, Observed, Pair, Table, Throw, Zone
from referee.games.poc.outcome import Outcome, outcome, play
from referee.games.poc.state import State

MOST = 12


def alternatives(state: State, moves: tuple[Move, ...]) -> tuple[tuple[Move, ...], ...]:
    """Up to twelve stories near `moves`, likeliest first, each with a different outcome."""
    seen: set[Outcome] = {outcome(play(state, moves))}
    found: list[tuple[Move, ...]] = []
    for story in _near(moves, state):
        ends = outcome(play(state, story))
        if ends not in seen:
            seen.add(ends)
            found.append(story)
        if len(found) == MOST:
            break
    return tuple(found)


def _near(moves: tuple[Move, ...], state: State) -> Iterator[tuple[Move, ...]]:
    for i, move in enumerate(moves):
        for other in _variants(move, state):
            yield (*moves[:i], other, *moves[i + 1 :])
        yield (*moves[:i], *moves[i + 1 :])


def _variants(move: Move, state: State) -> Iterator[Move]:
    match move:
        case Throw(_, piece, flip, table):
            yield replace(move, flip=not flip)
            for other in _other_pairs(table, piece):
                yield replace(move, table=other)
            for zone in (Zone.FLAT, Zone.ON_BOX, Zone.LEANING, Zone.ELIMINATED):
                yield replace(move, table=_with_zone(table, piece, zone))
            seat = state.seat_of(piece)
            for mine in () if seat is None else state.stock(seat):
                yield replace(move, piece=mine, table=_renamed(table, piece, mine))
        case Observed(table):
            for other in _other_pairs(table, None):
                yield replace(move, table=other)
        case _:
            return


def _other_pairs(table: Table, thrown: PieceId | None) -> Iterator[Table]:
    """Each contact told otherwise: those in doubt first, then those of the animal thrown."""

    def rank(pair: Pair) -> tuple[bool, bool]:
        return pair not in table.doubt, thrown not in pair

    for pair in sorted((*table.covers, *table.near), key=rank):
        if pair in table.covers:
            yield _with_pair(table, pair, None)
            yield _with_pair(table, pair, (pair[1], pair[0]))
        else:
            yield _with_pair(table, pair, pair)
            yield _with_pair(table, pair, (pair[1], pair[0]))


def _with_pair(table: Table, pair: Pair, instead: Pair | None) -> Table:
    """`pair` settled by a person: covering as in `instead`, or apart."""
    covers = tuple(p for p in table.covers if p != pair)
    near = tuple(p for p in table.near if p != pair)
    return replace(
        table,
        covers=covers if instead is None else (*covers, instead),
        near=(*near, pair) if instead is None else near,
        doubt=tuple(p for p in table.doubt if p != pair),
    )


def _with_zone(table: Table, piece: PieceId, zone: Zone) -> Table:
    zones = {**dict(table.zones), piece: zone}
    if zone in IN_PLAY:
        return replace(table, zones=tuple(zones.items()))
    return replace(table, zones=tuple(zones.items()), covers=tuple(p for p in table.covers if piece not in p))


def _renamed(table: Table, old: PieceId, new: PieceId) -> Table:
    def name(p: PieceId) -> PieceId:
        return new if p == old else p

    def pairs(many: tuple[Pair, ...]) -> tuple[Pair, ...]:
        return tuple((name(a), name(b)) for a, b in many)

    zones = tuple((name(p), zone) for p, zone in table.zones)
    return Table(zones, pairs(table.covers), pairs(table.near), pairs(table.doubt))

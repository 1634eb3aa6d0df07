"""Near readings of what the camera may have got wrong: what people may put in a ruling's place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from referee.facts import PieceId
from referee.games.poc.moves import Move, Observed, Pair, Table, Throw, Zone
from referee.games.poc.outcome import Outcome, outcome, play
from referee.games.poc.state import State

Moves = tuple[Move, ...]

MOST = 12


def alternatives(state: State, moves: Moves) -> tuple[Moves, ...]:
    """Up to twelve stories near `moves`, likeliest first, each with a different outcome."""
    seen: set[Outcome] = {outcome(play(state, moves))}
    found: list[Moves] = []
    for story in _near(moves, state):
        ends = outcome(play(state, story))
        if ends not in seen:
            seen.add(ends)
            found.append(story)
        if len(found) == MOST:
            break
    return tuple(found)


def _near(moves: Moves, state: State) -> Iterator[Moves]:
    for i, move in enumerate(moves):
        for instead in _variants(move, state):
            yield (*moves[:i], *instead, *moves[i + 1 :])


def _variants(move: Move, state: State) -> Iterator[Moves]:
    """What may stand in the place of one move; nothing, too."""
    match move:
        case Throw(_, piece, flip, table):
            yield (replace(move, flip=not flip),)
            close = [p for p in (*table.covers, *table.near) if p in table.doubt or piece in p]
            yield from ((replace(move, table=other),) for other in _told_otherwise(table, close))
            for zone in (Zone.FLAT, Zone.ON_BOX, Zone.LEANING, Zone.ELIMINATED):
                yield (replace(move, table=_with_zone(table, piece, zone)),)
            yield ()
            yield from ((replace(move, table=other),) for other in _over_each(table, piece, state))
            seat = state.seat_of(piece)
            for mine in () if seat is None else state.stock(seat):
                yield (replace(move, piece=mine, table=_renamed(table, piece, mine)),)
            far = [p for p in (*table.covers, *table.near) if p not in close]
            yield from ((replace(move, table=other),) for other in _told_otherwise(table, far))
        case Observed(table):
            pairs = [*table.covers, *table.near]
            yield from ((replace(move, table=other),) for other in _told_otherwise(table, pairs))
            yield ()
        case _:
            yield ()


def _over_each(table: Table, piece: PieceId, state: State) -> Iterator[Table]:
    """`piece` over one animal alone that lay on the table, for each: what the table says nothing of."""
    others = tuple(p for p in table.covers if piece not in p)
    known = {p for pair in (*table.covers, *table.near) if piece in pair for p in pair}
    zones = tuple({**dict(table.zones), piece: Zone.FLAT}.items())
    for target, zone in table.zones:
        if zone is Zone.FLAT and target not in known and target in state.in_play() and target != piece:
            yield replace(table, zones=zones, covers=(*others, (piece, target)))


def _told_otherwise(table: Table, pairs: list[Pair]) -> Iterator[Table]:
    """Each contact in its other ways, those in doubt first."""
    for pair in sorted(pairs, key=lambda pair: pair not in table.doubt):
        yield _with_pair(table, pair, None if pair in table.covers else pair)
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
    """In the box or off the table an animal covers nothing."""
    zones = tuple({**dict(table.zones), piece: zone}.items())
    if zone in (Zone.FLAT, Zone.LEANING):
        return replace(table, zones=zones)
    return replace(table, zones=zones, covers=tuple(p for p in table.covers if piece not in p))


def _renamed(table: Table, old: PieceId, new: PieceId) -> Table:
    def name(p: PieceId) -> PieceId:
        return new if p == old else p

    def pairs(many: tuple[Pair, ...]) -> tuple[Pair, ...]:
        return tuple((name(a), name(b)) for a, b in many)

    zones = tuple((name(p), zone) for p, zone in table.zones)
    return Table(zones, pairs(table.covers), pairs(table.near), pairs(table.doubt))

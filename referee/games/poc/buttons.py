"""Lawful moves now, as buttons: every throw of the seat in turn, and examples of what else may happen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, pairwise

from referee.facts import PieceId
from referee.games.poc.moves import Cleared, Move, Observed, Pair, Table, Throw, Zone
from referee.games.poc.pieces import FAMILY, TRAMPOLINE, VALUE
from referee.games.poc.rules import finish
from referee.games.poc.state import State

FEW = 6
"""Of no more animals lying there every two may have been met by one throw; of more, those that overlap:
else the list would grow with their square."""


def options(state: State, seat: str | None) -> tuple[Move, ...]:
    """What may be declared, of `seat` or of anybody. Anybody may say what was taken away or fell late."""
    if state.over:
        return ()
    if not state.clearing:
        late = tuple(_late_falls(state)) if state.thrower is not None else ()
        return _each_once(*_throws(state, seat), *late)
    ready, _ = finish(state)
    thrown_on = () if ready.over else _throws(ready, seat)[:1]
    return _each_once(Cleared(), *_shifts(state), *thrown_on)


def _each_once(*moves: Move) -> tuple[Move, ...]:
    return tuple(dict.fromkeys(moves))


def _throws(state: State, seat: str | None) -> tuple[Move, ...]:
    """The throws of the player in turn, plain ones first; empty when `seat` is somebody else."""
    player = state.players[state.turn]
    if seat not in (None, player.name):
        return ()
    stock = state.stock(state.turn)
    single = (
        Throw(player.name, piece, flip, table)
        for piece in stock
        for flip in (True, False)
        for table in _landings(state, piece)
    )
    rich = (Throw(player.name, p, True, table) for p, table in _pile_ups(state, stock))
    return (*single, *rich)


def _landings(state: State, piece: PieceId) -> Iterator[Table]:
    """The table after `piece` came to rest and nothing else moved: alone, or over up to two others."""
    yield table_of(state, {piece: Zone.FLAT})
    for zone in (
        (Zone.ELIMINATED,) if state.options.mode == 3 else (Zone.ON_BOX, Zone.LEANING, Zone.ELIMINATED)
    ):
        yield table_of(state, {piece: zone})
    flat = [p for p in state.in_play() if state.zones[p] is Zone.FLAT]
    for target in flat:
        yield table_of(state, {piece: Zone.FLAT}, [(piece, target)])
    for one, other in combinations(flat, 2):
        if len(flat) <= FEW or state.covers & {(one, other), (other, one)}:
            yield table_of(state, {piece: Zone.FLAT}, [(piece, one), (piece, other)])


def _pile_ups(state: State, stock: tuple[PieceId, ...]) -> Iterator[tuple[PieceId, Table]]:
    """Throws that meet other animals, with the table after each."""
    best, least = stock[-1], stock[0]
    flat = [p for p in state.in_play() if state.zones[p] is Zone.FLAT]
    for i, target in enumerate(flat):
        piece = stock[i % len(stock)]
        yield piece, table_of(state, {piece: Zone.FLAT}, [(piece, target)])
    for one, other in list(pairwise(flat))[:3]:
        yield best, table_of(state, {best: Zone.FLAT}, [(best, one), (best, other)])
        yield least, table_of(state, {least: Zone.FLAT}, [(least, one), (one, other)])
        yield least, table_of(state, {least: Zone.FLAT}, [(least, other), (one, other)])
    for target in flat[:1]:
        yield best, table_of(state, {best: Zone.FLAT}, [(target, best)])
        yield least, table_of(state, {least: Zone.FLAT, target: Zone.ELIMINATED})
    for zones in _box_play(state):
        yield best, table_of(state, {best: Zone.FLAT, **zones})
        for fallen in [p for p, zone in zones.items() if zone is Zone.FLAT][:1]:
            for target in flat[:1]:
                yield best, table_of(state, {best: Zone.FLAT, **zones}, [(fallen, target)])
    if state.options.mode != 3:
        yield least, table_of(state, {least: Zone.LEANING})
    else:
        yield best, table_of(state, {best: Zone.FLAT}, [(best, TRAMPOLINE)])
        yield best, table_of(state, {best: Zone.FLAT, TRAMPOLINE: Zone.ELIMINATED})
        for target in flat[:2]:
            yield best, table_of(state, {best: Zone.FLAT}, [(best, TRAMPOLINE), (best, target)])
            yield least, table_of(state, {least: Zone.FLAT}, [(target, TRAMPOLINE)])


def _box_play(state: State) -> Iterator[dict[PieceId, Zone]]:
    """Animals that fall off the box, or that stop leaning on it."""
    boxed = [p for p in state.in_play() if state.zones[p] is Zone.ON_BOX]
    for piece in boxed[:2]:
        yield {piece: Zone.FLAT}
    if boxed:
        yield {boxed[0]: Zone.LEANING}
        yield {boxed[0]: Zone.ELIMINATED}
        yield dict.fromkeys(boxed, Zone.FLAT)
    for piece in state.in_play():
        if state.zones[piece] is Zone.LEANING:
            yield {piece: Zone.FLAT}
            return


def _late_falls(state: State) -> Iterator[Move]:
    for zones in list(_box_play(state))[:1]:
        yield Observed(table_of(state, zones))


def _shifts(state: State) -> Iterator[Move]:
    """What taking animals away may do to the others: one slips off another, or onto another."""
    for pair in sorted(state.covers)[:2]:
        yield Observed(table_of(state, without=[pair]))
    flat = [p for p in state.in_play() if state.zones[p] is Zone.FLAT]
    for one, other in list(pairwise(flat))[:2]:
        upper, lower = (one, other) if VALUE[one] >= VALUE[other] else (other, one)
        if FAMILY[upper] != FAMILY[lower]:
            yield Observed(table_of(state, covers=[(upper, lower)]))


def table_of(
    state: State,
    zones: Mapping[PieceId, Zone] | None = None,
    covers: Iterable[Pair] = (),
    without: Iterable[Pair] = (),
) -> Table:
    """The table as the rules have it, with some animals elsewhere and some covers more or fewer."""
    here = {p: state.zones[p] for p in state.in_play()}
    kept = (state.covers | set(covers)) - set(without)
    return Table(tuple(sorted({**here, **(zones or {})}.items(), key=_first)), tuple(sorted(kept)))


def _first(item: tuple[PieceId, Zone]) -> PieceId:
    return item[0]

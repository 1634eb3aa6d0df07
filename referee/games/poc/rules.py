"""What follows from a move. Total: a move that can't stand is a foul, and changes nothing."""

from __future__ import annotations

from dataclasses import replace

from referee.facts import PieceId
from referee.games.poc import words
from referee.games.poc.moves import (
    IN_PLAY,
    Cleared,
    Laid,
    Misplaced,
    Move,
    Observed,
    Table,
    Throw,
    Turn,
    Zone,
)
from referee.games.poc.pieces import TRAMPOLINE, VALUE
from referee.games.poc.resolve import Pass, judge
from referee.games.poc.state import State
from referee.rules.game import Call, Ruling

Step = tuple[State, tuple[Call, ...]]


class Foul(Exception):
    """Why a move is refused; never leaves this module."""

    def __init__(self, text: str, pieces: tuple[PieceId, ...] = ()) -> None:
        super().__init__(text)
        self.text, self.pieces = text, pieces


def rule(state: State, move: Move) -> Ruling[State]:
    """The state after `move`, and what is called."""
    try:
        match move:
            case Throw():
                then, calls = _throw(state, move)
            case Observed(table):
                then, calls = _observe(state, table)
            case Cleared():
                then, calls = _clear(state)
            case Misplaced(piece):
                then, calls = state, (_misplaced(state, piece),)
            case Laid(table):
                then, calls = _lay(state, table)
            case Turn(seat):
                then, calls = _turn(state, seat)
    except Foul as foul:
        return Ruling(state, (Call(foul.text, foul=True, pieces=foul.pieces),))
    return Ruling(then, calls)


def finish(state: State) -> Step:
    """Play on to the next throw as if all was taken away and nothing shifted."""
    calls: tuple[Call, ...] = ()
    while state.clearing:
        state, more = _settle(replace(state, clearing=frozenset()))
        calls += more
    return state, calls


def _throw(state: State, move: Throw) -> Step:
    ready, calls = _ready(state)
    seat, piece = _seat(state, move.seat), move.piece
    player = ready.players[seat]
    if piece not in VALUE:
        raise Foul(words.no_such_piece(piece))
    if ready.seat_of(piece) != seat:
        raise Foul(words.not_yours(player, piece), (piece,))
    if ready.zones[piece] is not Zone.STOCK:
        raise Foul(words.not_in_hand(player, piece), (piece,))
    if seat != ready.turn:
        raise Foul(words.out_of_turn(player, piece, ready.players[ready.turn]), (piece,))
    seen, moved = _see(ready, move.table, piece)
    landed = seen.zones[piece]
    failed = not move.flip and landed is not Zone.ELIMINATED
    if failed:
        seen = _eliminate(seen, piece)
    lying = frozenset({piece}) if failed else frozenset[PieceId]()
    then, more = _settle(replace(seen, thrower=seat, clearing=frozenset()), lying)
    if failed:
        calls += (Call(words.no_flip(player, piece), pieces=(piece,)),)
    elif piece not in then.clearing:
        calls += (Call(words.lands(player, piece, landed, state.options.mode), pieces=(piece,)),)
    return then, (*calls, *moved, *more)


def _ready(state: State) -> Step:
    """The state in which the next throw is awaited; what still lies about is ignored from now on."""
    if state.over:
        raise Foul(words.game_over())
    if not state.clearing:
        return state, ()
    lying = tuple(sorted(state.clearing))
    ready, calls = finish(state)
    if ready.over:
        raise Foul(words.over_once_cleared(lying), lying)
    return ready, (Call(words.still_lying(lying), pieces=lying), *calls)


def _observe(state: State, table: Table) -> Step:
    """Between passes: go on with the table as it is. After the turn: something fell late, which counts as
    part of the throw before."""
    if state.over:
        raise Foul(words.game_over())
    if state.thrower is None:
        raise Foul(words.nothing_thrown())
    seen, calls = _see(state, table)
    if state.clearing:
        still = state.clearing & {p for p, zone in table.zones if zone in IN_PLAY}
        if still:
            return replace(seen, clearing=still), calls
        then, more = _settle(replace(seen, clearing=frozenset()))
    elif seen == state:
        return state, ()
    else:
        then, more = _settle(replace(seen, turn=state.thrower, final=False))
    return then, calls + more


def _clear(state: State) -> Step:
    if not state.clearing:
        raise Foul(words.game_over() if state.over else words.nothing_to_clear())
    return _settle(replace(state, clearing=frozenset()))


def _lay(state: State, table: Table) -> Step:
    """Animals in hand are on the table after all. Nothing is won by that before the next throw."""
    if state.thrower is not None or state.over:
        raise Foul(words.game_over() if state.over else words.begun_already())
    there = dict(table.zones)
    laid = {
        p: there[p]
        for seat in range(len(state.players))
        for p in state.stock(seat)
        if there.get(p) in IN_PLAY or there.get(p) is Zone.ELIMINATED
    }
    then, _ = _see(replace(state, zones={**state.zones, **laid}), table)
    if not then.stock(then.turn):
        raise Foul(words.no_stock(then.players[then.turn]), tuple(sorted(laid)))
    return then, (Call(words.laid(laid), pieces=tuple(sorted(laid))),) if laid else ()


def _turn(state: State, name: str) -> Step:
    ready, calls = _ready(state)
    seat = _seat(state, name)
    if not ready.stock(seat):
        raise Foul(words.no_stock(ready.players[seat]))
    return replace(ready, turn=seat), (*calls, Call(words.turn(ready.players[seat])))


def _misplaced(state: State, piece: PieceId) -> Call:
    zone = state.zones.get(piece)
    seat = state.won.get(piece, state.seat_of(piece))
    owner = None if seat is None else state.players[seat].name
    return Call(words.misplaced(piece, zone, owner), pieces=(piece,))


def _seat(state: State, name: str) -> int:
    for seat, player in enumerate(state.players):
        if player.name == name:
            return seat
    raise Foul(words.nobody(name))


def _see(state: State, table: Table, thrown: PieceId | None = None) -> Step:
    """Take over zones and covers as observed, and say what was knocked about."""
    zones, calls = dict(state.zones), list[Call]()
    for piece, seen in table.zones:
        before = state.zones.get(piece)
        after = Zone.FLAT if state.options.mode == 3 and seen in IN_PLAY else seen
        if piece == thrown:
            zones[piece] = after if after in IN_PLAY else Zone.ELIMINATED
        elif before not in IN_PLAY or after is before:
            continue
        elif piece == TRAMPOLINE:
            calls.append(Call(words.trampoline_back(), pieces=(piece,)))
        elif after in IN_PLAY or after is Zone.ELIMINATED:
            zones[piece] = after
            calls.append(Call(words.knocked(piece, before, after, state.options.mode), pieces=(piece,)))
    if thrown is not None and zones[thrown] is Zone.STOCK:
        zones[thrown] = Zone.FLAT
    there = {p for p, zone in zones.items() if zone in IN_PLAY}
    if (TRAMPOLINE, Zone.ELIMINATED) in table.zones:
        there.discard(TRAMPOLINE)
    covers = frozenset((a, b) for a, b in table.covers if a in there and b in there and a != b)
    doubt = frozenset((a, b) for a, b in table.doubt if a in there and b in there and a != b)
    return replace(state, zones=zones, covers=covers, doubt=doubt), tuple(calls)


def _eliminate(state: State, piece: PieceId) -> State:
    return _lift(replace(state, zones={**state.zones, piece: Zone.ELIMINATED}), frozenset({piece}))


def _lift(state: State, gone: frozenset[PieceId]) -> State:
    """Forget what the pieces that are gone lay over and under."""
    if not gone:
        return state
    return replace(
        state,
        covers=frozenset((a, b) for a, b in state.covers if a not in gone and b not in gone),
        doubt=frozenset((a, b) for a, b in state.doubt if a not in gone and b not in gone),
    )


def _settle(state: State, lying: frozenset[PieceId] = frozenset()) -> Step:
    """One pass. The turn ends when it takes nothing away and nothing eliminated is `lying` about."""
    verdict = _judge(state)
    then = replace(_apply(state, verdict), told=frozenset(verdict.standoffs))
    calls = (*_claim_calls(state, verdict), *_standoff_calls(state, verdict))
    if taken := lying | verdict.taken:
        return replace(then, clearing=taken), calls
    then, more = _next(then)
    return then, calls + more


def _judge(state: State) -> Pass:
    if not state.covers:
        return Pass()
    return judge(state.zones, state.covers, state.options, state.players[state.turn].side)


def _apply(state: State, verdict: Pass) -> State:
    if not verdict.claims and not verdict.bounced:
        return state
    zones, won = dict(state.zones), dict(state.won)
    seats = {p.side: i for i, p in enumerate(state.players)}
    for claim in verdict.claims:
        seat = seats[claim.family]
        if state.seat_of(claim.piece) == seat:
            zones[claim.piece] = Zone.STOCK
        else:
            zones[claim.piece] = Zone.WON
            won[claim.piece] = seat
    for piece in verdict.returned:
        zones[piece] = Zone.STOCK
    return _lift(replace(state, zones=zones, won=won), verdict.taken)


def _claim_calls(state: State, verdict: Pass) -> tuple[Call, ...]:
    calls = []
    for seat, player in enumerate(state.players):
        mine = [c for c in verdict.claims if c.family == player.side]
        won = tuple(c.piece for c in mine if state.seat_of(c.piece) != seat)
        back = {c.piece for c in mine} - set(won)
        back |= {p for c in mine for p in c.agents} - {c.piece for c in verdict.claims}
        bounced = {p for p in verdict.bounced if state.seat_of(p) == seat} - back
        if won:
            calls.append(Call(words.wins(player, won), pieces=won))
        if back:
            calls.append(Call(words.takes_back(player, back), pieces=tuple(sorted(back))))
        if bounced:
            calls.append(Call(words.bounced(player, bounced), pieces=tuple(sorted(bounced))))
    return tuple(calls)


def _standoff_calls(state: State, verdict: Pass) -> tuple[Call, ...]:
    """Stand-offs that are new: nobody wants to hear of an old one at every throw."""
    return tuple(
        Call(words.standoff(s), pieces=tuple(sorted(s.rivals | s.held)))
        for s in verdict.standoffs
        if s not in state.told
    )


def _next(state: State) -> Step:
    """Whose throw is awaited, or the end."""
    seats = len(state.players)
    able = [seat for seat in range(seats) if state.stock(seat)]
    if state.final or not able:
        over = replace(state, over=True)
        winners = over.winners()
        points = max(over.points(i) for i in range(seats))
        return over, (Call(words.ending(winners, points)),)
    if len(able) == 1:
        last = able[0]
        return replace(state, turn=last, final=True), (Call(words.last_throw(state.players[last])),)
    turn = next(s % seats for s in range(state.turn + 1, state.turn + 1 + seats) if s % seats in able)
    return replace(state, turn=turn), ()

"""The stories that may lie behind coasters that flew, or that lie where none lay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from referee.facts import FLIPPED_FROM, Flight, PieceId, Rest, Touch, Verdict
from referee.games.poc import questions, words
from referee.games.poc.doubts import Answer, Answers, Doubt, Kind, likeliest
from referee.games.poc.layout import Layout, lay_out
from referee.games.poc.moves import Laid, Misplaced, Move, Pair, Throw, Turn, Zone
from referee.games.poc.pieces import FAMILY
from referee.games.poc.rules import finish, rule
from referee.games.poc.sight import Sight
from referee.games.poc.state import State
from referee.games.poc.stories import Build, Moves, Plot

Thrown = tuple[tuple[PieceId, Flight | None], ...]
"""In order. No flight where none was seen."""

UNSEEN_FLIP_P = 0.7
"""That a throw which nobody saw made its half turn: most do."""

TURNED_OVER_ODDS = 2.0
"""For the half turn, of a coaster that lies with its other face up than it was flicked with."""


def unseen(ready: State, sight: Sight, clearing: frozenset[PieceId]) -> tuple[PieceId, ...]:
    """The one animal of the player in turn that lies on the table though no throw was seen.

    Several at once are a hand laid down, and before the first throw one among others is too.
    """
    new = [p for p in sight.newcomers() if p not in clearing and ready.zones.get(p) is Zone.STOCK]
    mine = [p for p in new if ready.seat_of(p) == ready.turn]
    if ready.thrower is None:
        here = [p for p, placed in sight.now.items() if p in FAMILY and placed.state is not Rest.OFF_TABLE]
        return tuple(mine) if len(mine) == len(here) == 1 else ()
    return tuple(mine) if len(mine) == 1 else ()


def throws(ready: State, sight: Sight, clearing: frozenset[PieceId], strangers: Moves) -> Iterator[Plot]:
    """Plots for one naming of what is seen. `ready` is the state in which the throw was awaited."""
    lying = _lying_about(ready, sight)
    if not lying:
        yield from _thrown(ready, sight, clearing, strangers)
        return
    layout = lay_out(ready, sight, lying)
    doubt = frozenset(d.pair for d in layout.pairs if d.pair is not None)
    laid = Laid(layout.table(likeliest(layout.pairs), doubt))
    asks = questions.ask_laid(lying)
    for plot in _told(_thrown(rule(ready, laid).state, sight, clearing, strangers), 0.6, asks):
        yield replace(plot, build=_after(laid, plot.build))
    yield from _told(_thrown(ready, sight, clearing, strangers), 0.4, asks)


def _after(first: Move, build: Build) -> Build:
    return lambda told, doubt: (first, *build(told, doubt))


def _lying_about(ready: State, sight: Sight) -> frozenset[PieceId]:
    """Before the first throw: animals in hand that lie on the table, if any touch. Those of an orderly
    stock laid out in view don't."""
    if ready.thrower is not None or sight.before is None:
        return frozenset()
    flown = {p for p, _ in sight.thrown}
    lying = frozenset(
        p
        for p, placed in sight.now.items()
        if p not in flown and p in sight.before and _can_fly(ready, p) and placed.state is not Rest.OFF_TABLE
    )
    touching = any(
        pair & lying and contact.touch() is not Touch.CLEAR
        for pair, (_, _, contact) in sight.contacts.items()
    )
    return lying if touching else frozenset()


def _thrown(ready: State, sight: Sight, clearing: frozenset[PieceId], strangers: Moves) -> Iterator[Plot]:
    flown: Thrown = _once(sight.thrown)
    missed: Thrown = tuple((p, None) for p in unseen(ready, sight, clearing))
    wrong = [p for p, _ in flown if not _can_fly(ready, p)]
    if missed:
        asks = questions.ask_unseen(missed[0][0])
        flown = tuple((p, flight) for p, flight in flown if p not in wrong)
        strangers = (*strangers, *(Misplaced(p) for p in wrong))
        laid = (*strangers, *(Misplaced(p) for p, _ in missed))
        if flown:
            yield from _told(_in_order(ready, sight, flown, laid), 0.5, asks)
            yield from _told(_in_order(ready, sight, missed + flown, strangers), 0.25, asks)
            yield from _told(_in_order(ready, sight, flown + missed, strangers), 0.25, asks)
        else:
            yield from _told(_in_order(ready, sight, missed, strangers), 0.7, asks)
            yield Plot(0.3 * sight.weight, lambda told, doubt: laid, asks=asks)
        return
    if wrong:
        yield from _impossible(ready, sight, wrong[0], strangers)
        return
    plots = _in_order(ready, sight, flown, strangers)
    if sight.odd:
        plots = _told(plots, 1.0, questions.ask_double(min(sight.odd)))
    yield from plots


def _once(thrown: tuple[tuple[PieceId, Flight], ...]) -> Thrown:
    """A coaster that flew twice counts at its last flight."""
    return tuple({p: (p, flight) for p, flight in thrown}.values())


def _told(plots: Iterator[Plot], share: float, asks: str) -> Iterator[Plot]:
    for plot in plots:
        yield replace(plot, weight=plot.weight * share, asks=f"{asks} {plot.asks}".strip())


def _impossible(ready: State, sight: Sight, piece: PieceId, strangers: Moves) -> Iterator[Plot]:
    """What flew looks like an animal that can't be thrown: question it, don't hide it."""
    asks = questions.ask_impossible(piece, _where(ready, piece))
    could = [p for p in ready.stock(ready.turn) if p not in sight.now]
    for other in could:
        again = sight.renamed(piece, other)
        thrown = tuple((p, flight) for p, flight in _once(again.thrown) if _can_fly(ready, p))
        yield from _told(_in_order(ready, again, thrown, strangers), 0.6 / len(could), asks)
    yield Plot(0.4 * sight.weight, lambda told, doubt: (*strangers, Misplaced(piece)), asks=asks)


def _can_fly(ready: State, piece: PieceId) -> bool:
    return ready.seat_of(piece) is not None and ready.zones[piece] is Zone.STOCK


def _where(state: State, piece: PieceId) -> str:
    seat = state.won.get(piece, state.seat_of(piece))
    owner = None if seat is None else state.players[seat].name
    return words.where(state.zones.get(piece, Zone.ASIDE), owner, state.options.mode)


def _in_order(ready: State, sight: Sight, thrown: Thrown, strangers: Moves) -> Iterator[Plot]:
    """The throws as they came; with a question when they came out of turn, or on one another's heels."""
    layout = lay_out(ready, sight, frozenset(p for p, _ in thrown))
    if len(thrown) > 1 and not _apart(ready, sight, layout, thrown):
        asks = questions.ask_order(p for p, _ in thrown)
        yield from _told(_sequence(ready, sight, layout, thrown, strangers), 0.8, asks)
        yield from _told(_sequence(ready, sight, layout, thrown[::-1], strangers), 0.2, asks)
    else:
        yield from _sequence(ready, sight, layout, thrown, strangers)


def _apart(ready: State, sight: Sight, layout: Layout, thrown: Thrown) -> bool:
    """Nothing that lay before has shifted, and no two of the thrown are near each other: so what is seen
    now shows what each of them did."""
    names = {p for p, _ in thrown}
    return (
        all(p in sight.now for p in names)
        and not layout.gone
        and all(sight.still(p) for p in ready.in_play() if p in sight.now)
        and not any(len(pair & names) > 1 for pair in sight.contacts)
    )


def _sequence(ready: State, sight: Sight, layout: Layout, thrown: Thrown, strangers: Moves) -> Iterator[Plot]:
    doubts = (*_throw_doubts(ready, sight, thrown), *_gone_doubts(ready, layout), *layout.pairs)

    def builder(stand: bool) -> Build:
        return lambda told, doubt: (*strangers, *_moves(ready, layout, thrown, stand, told, doubt))

    plain = Plot(
        sight.weight,
        builder(stand=False),
        doubts,
        tuple(_because(sight, thrown)) + layout.because,
        thrown=tuple(p for p, _ in thrown),
        which=questions.ask_which(ready.players[ready.turn].name),
    )
    moves = builder(stand=True)(likeliest(doubts), frozenset())
    early = [then for move, then in pairwise(moves) if isinstance(move, Turn) and isinstance(then, Throw)]
    if not early:
        yield plain
        return
    asks = questions.ask_turn(next(p for p in ready.players if p.name == early[0].seat), early[0].piece)
    for stand in (True, False):
        yield replace(
            plain,
            weight=plain.weight / 2,
            build=builder(stand),
            asks=asks,
        )


def _moves(
    ready: State, layout: Layout, thrown: Thrown, stand: bool, told: Answers, doubt: frozenset[Pair]
) -> Iterator[Move]:
    """`stand`: throws out of turn are let stand, by saying whose turn it was; else they are taken back."""
    state = ready
    for i, (piece, flight) in enumerate(thrown):
        later = frozenset(p for p, _ in thrown[i + 1 :])
        seat = _owner(ready, piece)
        flips = [a for d, a in told.items() if d.kind is Kind.FLIP and d.pieces == (piece,)]
        flip = bool(flips[0]) if flips else flight is not None and flight.flip is Verdict.YES
        moves: list[Move] = [Throw(seat, piece, flip, layout.table(told, doubt, later))]
        if not state.over and state.players[state.turn].name != seat:
            moves = [Turn(seat), *moves] if stand else [Misplaced(piece)]
        for move in moves:
            state = rule(state, move).state
        state, _ = finish(state)
        yield from moves


def _owner(state: State, piece: PieceId) -> str:
    seat = state.seat_of(piece)
    return "" if seat is None else state.players[seat].name


def _throw_doubts(ready: State, sight: Sight, thrown: Thrown) -> Iterator[Doubt]:
    for piece, flight in thrown:
        if flight is None or flight.flip is Verdict.UNSURE:
            p = _flip_chance(flight)
            yield Doubt(Kind.FLIP, (piece,), questions.ask_flip(piece), ((True, p), (False, 1 - p)))
        if piece not in sight.now and flight is not None and flight.left:
            far: tuple[tuple[Answer, float], ...] = ((Zone.ELIMINATED, 0.9), (Zone.FLAT, 0.1))
            yield Doubt(Kind.PLACE, (piece,), questions.ask_left(piece), far)
        elif piece not in sight.now:
            answers: list[tuple[Answer, float]] = [(Zone.ELIMINATED, 0.4), (Zone.FLAT, 0.25)]
            if ready.options.mode != 3:
                answers.append((Zone.ON_BOX, 0.25))
            shifted = [p for p in ready.in_play() if p in sight.now and not sight.still(p)]
            answers += [((upper, piece), 0.05) for upper in shifted[:2]]
            yield Doubt(Kind.PLACE, (piece,), questions.ask_lost(piece), tuple(answers))


def _flip_chance(flight: Flight | None) -> float:
    """That the half turn was made, for the order of the answers. The face that ends up is a hint, no more:
    a coaster may turn over as it lands."""
    if flight is None:
        return UNSEEN_FLIP_P
    turns = flight.half_turns
    p = UNSEEN_FLIP_P if turns is None else turns.chance_above(FLIPPED_FROM)
    hint = {True: TURNED_OVER_ODDS, False: 1 / TURNED_OVER_ODDS, None: 1.0}[flight.turned_over]
    return hint * p / (hint * p + 1 - p)


def _gone_doubts(ready: State, layout: Layout) -> Iterator[Doubt]:
    for piece in layout.gone:
        answers: tuple[tuple[Answer, float], ...] = ((Zone.ELIMINATED, 0.6), (ready.zones[piece], 0.4))
        yield Doubt(Kind.PLACE, (piece,), questions.ask_gone(piece), answers)


def _because(sight: Sight, thrown: Thrown) -> Iterator[str]:
    for piece, flight in thrown:
        if piece in sight.guessed:
            yield questions.read_as(piece, sight.guessed[piece])
        if flight is not None and flight.half_turns is not None:
            yield questions.half_turns(piece, flight.half_turns)

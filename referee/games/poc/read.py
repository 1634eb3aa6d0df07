"""From two scenes to what happened between them: a throw, tidying up, or a nudge."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace

from referee.facts import Change
from referee.games.poc import questions
from referee.games.poc.doubts import Answers, likeliest
from referee.games.poc.layout import lay_out, remaining
from referee.games.poc.moves import IN_PLAY, Misplaced, Move, Observed, Pair, Table, Zone
from referee.games.poc.outcome import outcome, play
from referee.games.poc.rules import finish
from referee.games.poc.sight import Sight, sights
from referee.games.poc.state import State
from referee.games.poc.stories import Moves, Plot, decide
from referee.games.poc.throws import throws, unseen
from referee.games.poc.words import say
from referee.rules.game import Explained, Nothing, Unclear


def read(state: State, change: Change) -> Explained[Move] | Unclear[Move] | Nothing:
    """What happened. Nothing while nothing changed, people tidy up, or the game is over."""
    if state.over or not change:
        return Nothing()
    ready, _ = finish(state)
    plots, thrown = list[Plot](), False
    for sight in sights(ready, change):
        if not ready.over and (sight.thrown or unseen(ready, sight, state.clearing)):
            thrown = True
            plots += throws(ready, sight, state.clearing, _strangers(ready, state, sight))
        elif state.clearing:
            plots += _clearing(state, sight, _strangers(ready, state, sight))
        elif state.thrower is not None:
            plots += _shift(state, sight, _strangers(ready, state, sight))
        else:
            plots.append(Plot(sight.weight, lambda told, doubt: ()))
    return _told_apart(decide(plots, _ends(state, covers_count=not thrown and not state.clearing)))


def _told_apart(
    reading: Explained[Move] | Unclear[Move] | Nothing,
) -> Explained[Move] | Unclear[Move] | Nothing:
    """Of answers that read the same the likeliest: nobody could choose between them."""
    if not isinstance(reading, Unclear):
        return reading
    told: dict[tuple[str, ...], Moves] = {}
    for story in reading.options:
        told.setdefault(tuple(say(move) for move in story), story)
    return replace(reading, options=tuple(told.values()))


def _ends(state: State, covers_count: bool) -> Callable[[Moves], Hashable]:
    """What moves come to. After a mere nudge, who covers whom counts as well: nobody else will ask."""

    def ends(moves: Moves) -> Hashable:
        then = play(state, moves)
        return outcome(then), then.covers if covers_count else None

    return ends


def _strangers(ready: State, state: State, sight: Sight) -> Moves:
    """Newcomers that have no business on the table; before the first throw people are still setting up."""
    if ready.thrower is None:
        return ()
    mine = unseen(ready, sight, state.clearing)
    return tuple(
        Misplaced(p)
        for p in sight.newcomers()
        if ready.zones.get(p) not in IN_PLAY and p not in state.clearing and p not in mine
    )


def _clearing(state: State, sight: Sight, strangers: Moves) -> Iterator[Plot]:
    """Animals are taken away between passes. The others may shift; nothing is a throw."""
    layout = lay_out(state, sight)
    still = frozenset(remaining(state, sight))
    alerts = (*strangers, *(Misplaced(p) for p in layout.gone))
    gone = state.clearing - still

    def build(told: Answers, doubt: frozenset[Pair]) -> Moves:
        table = layout.table(told, doubt)
        if still and _unchanged(state, table):
            return alerts
        lying = tuple((p, Zone.FLAT) for p in sorted(still))
        return (*alerts, Observed(Table((*table.zones, *lying), table.covers, table.near, table.doubt)))

    because = ((questions.are_taken(gone),) if gone else ()) + layout.because
    yield Plot(sight.weight, build, layout.pairs, because)


def _shift(state: State, sight: Sight, strangers: Moves) -> Iterator[Plot]:
    """No throw, nothing to take away: something fell late, or was nudged and will be put back."""
    layout = lay_out(state, sight)
    alerts = (*strangers, *(Misplaced(p) for p in layout.gone))

    def build(told: Answers, doubt: frozenset[Pair]) -> Moves:
        table = layout.table(told, doubt)
        return alerts if _unchanged(state, table) else (*alerts, Observed(table))

    if build(likeliest(layout.pairs), frozenset()) == alerts:
        yield Plot(sight.weight, build, layout.pairs, layout.because)
        return
    fell = any(state.zones[p] is Zone.ON_BOX and zone is not Zone.ON_BOX for p, zone in layout.zones.items())
    counts = 0.7 if fell else 0.3
    asks = questions.ask_shift()
    yield Plot(sight.weight * counts, build, layout.pairs, layout.because, asks)
    yield Plot(sight.weight * (1 - counts), lambda told, doubt: alerts, asks=asks)


def _unchanged(state: State, table: Table) -> bool:
    """Nothing that the rules know of differs."""
    zones = {**state.zones, **dict(table.zones)}
    kept = {(a, b) for a, b in state.covers if Zone.ON_BOX not in (zones[a], zones[b])}
    return zones == state.zones and kept == set(table.covers)

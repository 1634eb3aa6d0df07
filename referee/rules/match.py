"""A match is a fold over its events."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from referee.errors import IncoherentLog
from referee.facts import PieceId, Scene, compare
from referee.rules.events import (
    CAMERA,
    Amended,
    Asked,
    Body,
    Dismissed,
    Event,
    Retracted,
    Ruled,
    Seen,
    Started,
    Upheld,
)
from referee.rules.game import Call, Explained, Game, Nothing, Standing, Unclear

S = TypeVar("S")


@dataclass(frozen=True)
class Line:
    """One ruling in force: its event, the moves that count, amended or not, what was called, scores after."""

    seq: int
    moves: tuple[Any, ...]
    calls: tuple[Call, ...]
    points: tuple[int, ...]


@dataclass(frozen=True)
class Match(Generic[S]):
    game: Game[S, Any]
    events: tuple[Event, ...]
    state: S
    scene: Scene | None = None
    open: int | None = None
    """seq of the Asked that waits for an answer."""
    lines: tuple[Line, ...] = ()

    @property
    def question(self) -> Asked | None:
        body = None if self.open is None else self.events[self.open].body
        return body if isinstance(body, Asked) else None

    def after(self, event: Event) -> Match[S]:
        """The match with `event` appended. Raises IncoherentLog, changing nothing."""
        if event.seq != len(self.events):
            raise IncoherentLog(f"expected event {len(self.events)}, got {event.seq}")
        match event.body:
            case Started():
                raise IncoherentLog("a match starts once")
            case Retracted(seq=seq):
                self._require(seq, (Ruled, Dismissed, Amended, Upheld, Retracted), "be taken back")
            case Amended(seq=seq):
                self._require(seq, (Ruled,), "be amended")
            case Upheld(seq=seq):
                self._require(seq, (Ruled, Amended), "be upheld")
            case Dismissed():
                if self.open is None:
                    raise IncoherentLog("there is no open question to dismiss")
            case Seen() | Asked() | Ruled():
                pass
        if isinstance(event.body, (Retracted, Amended)):
            return replay(self.game, (*self.events, event))
        return _fold(replace(self, events=(*self.events, event)), (event,), {})

    def _require(self, seq: int, kinds: tuple[type, ...], what: str) -> None:
        if not 0 < seq < len(self.events) or not isinstance(self.events[seq].body, kinds):
            raise IncoherentLog(f"event {seq} is not one that can {what}")
        if seq in void(self.events):
            raise IncoherentLog(f"event {seq} was taken back already")


def start(game: Game[S, Any], first: Event) -> Match[S]:
    """A match of one event. Raises IncoherentLog, or ConfigError for players or options that don't fit."""
    body = first.body
    if first.seq != 0 or not isinstance(body, Started) or body.game != game.name:
        raise IncoherentLog(f"a log of {game.name} opens with its Started")
    if body.version > game.version:
        raise IncoherentLog(
            f"this match was ruled by version {body.version} of {game.name}, this program has "
            f"version {game.version}: use a newer program"
        )
    return Match(game, (first,), game.setup(body.players, body.options))


def void(events: tuple[Event, ...]) -> frozenset[int]:
    """The seqs that a retraction in force voids. Later words win: undoing an undo brings the event back."""
    gone: set[int] = set()
    for event in reversed(events):
        if isinstance(event.body, Retracted) and event.seq not in gone:
            gone.add(event.body.seq)
    return frozenset(gone)


def replay(game: Game[S, Any], events: tuple[Event, ...], until: int | None = None) -> Match[S]:
    """Fold `events` from the start, with retractions and amendments in their place.

    `until` stops before the event of that seq, and gives the match as it stood there in today's light.
    Raises IncoherentLog when this is no log of `game`.
    """
    if not events:
        raise IncoherentLog("an empty log is no match")
    first = start(game, events[0])
    for seq, event in enumerate(events):
        if event.seq != seq or (seq and isinstance(event.body, Started)):
            raise IncoherentLog(f"event {event.seq} has no place {seq} events after the start")
    gone = void(events)
    instead = {e.body.seq: e.body.moves for e in events if isinstance(e.body, Amended) and e.seq not in gone}
    in_force = tuple(e for e in events[1:until] if e.seq not in gone)
    return _fold(replace(first, events=events[:until]), in_force, instead)


def _fold(match_: Match[S], events: tuple[Event, ...], instead: dict[int, tuple[Any, ...]]) -> Match[S]:
    """Play `events` from where the match stands; `instead` are the moves that amend rulings, by seq."""
    state, scene, open_, lines = match_.state, match_.scene, match_.open, list(match_.lines)
    for event in events:
        match event.body:
            case Seen(scene=seen):
                scene = seen
            case Asked():
                open_ = event.seq
            case Dismissed():
                open_ = None
            case Ruled(moves=moves):
                open_ = None
                state, line = _rule(match_.game, state, event.seq, instead.get(event.seq, moves))
                lines.append(line)
            case _:
                pass
    return replace(match_, state=state, scene=scene, open=open_, lines=tuple(lines))


def _rule(game: Game[S, Any], state: S, seq: int, moves: tuple[Any, ...]) -> tuple[S, Line]:
    calls: tuple[Call, ...] = ()
    for move in moves:
        ruling = game.rule(state, move)
        state, calls = ruling.state, (*calls, *ruling.calls)
    points = tuple(s.points for s in game.standing(state, None).scores)
    return state, Line(seq, moves, calls, points)


def missing(standing: Standing, scene: Scene) -> frozenset[PieceId]:
    """What the rules have on the table and nothing in the scene may be. (What is there and shouldn't be is
    the game's to say: some lets won pieces lie about.)"""
    expected = {w.piece for w in standing.pieces if w.in_view}
    return frozenset(expected - {name for placed in scene.placed for name, _ in placed.names})


def react(match_: Match[S], scene: Scene) -> tuple[Body, ...]:
    """The event bodies that a new scene gives rise to. Nothing while a question is open."""
    if match_.open is not None:
        return ()
    on = len(match_.events)
    match match_.game.read(match_.state, compare(match_.scene, scene)):
        case Explained(moves=moves, because=because):
            return Seen(scene), Ruled(moves, CAMERA, on, because)
        case Unclear(question=question, options=options):
            return Seen(scene), Asked(question, options, on)
        case Nothing():
            return (Seen(scene),)


def effect(match_: Match[S], event: Event) -> tuple[Match[S], tuple[Line, ...]]:
    """What an undo or amendment would do: the match after it, and the later rulings that become fouls.

    Raises IncoherentLog when it can't be done.
    """
    then = match_.after(event)
    was = {line.seq: line for line in match_.lines}
    worse = tuple(
        line
        for line in then.lines
        if any(c.foul for c in line.calls)
        and line.seq in was
        and not any(c.foul for c in was[line.seq].calls)
    )
    return then, worse

"""The one interface that a game implements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from referee.facts import Change, PieceId

S = TypeVar("S")
M = TypeVar("M")
M_co = TypeVar("M_co", covariant=True)
S_co = TypeVar("S_co", covariant=True)


@dataclass(frozen=True)
class Player:
    """A seat at the table. `side` is what the player plays with: a family in Poc!, else empty."""

    name: str
    side: str = ""


@dataclass(frozen=True)
class Explained(Generic[M_co]):
    """The change has one convincing explanation: these moves, in this order."""

    moves: tuple[M_co, ...]
    because: tuple[str, ...]


@dataclass(frozen=True)
class Unclear(Generic[M_co]):
    """A person must choose. At most six stories, likeliest first; each is a sequence of moves."""

    question: str
    options: tuple[tuple[M_co, ...], ...]
    because: tuple[str, ...] = ()


@dataclass(frozen=True)
class Nothing:
    """No move happened: players are tidying up, or nothing changed."""


@dataclass(frozen=True)
class Call:
    """One thing that the referee says aloud. `foul` when a move was refused: the state is unchanged."""

    text: str
    foul: bool = False
    pieces: tuple[PieceId, ...] = ()


@dataclass(frozen=True)
class Ruling(Generic[S_co]):
    """The state after a move, and what the referee says aloud."""

    state: S_co
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True)
class Whereabouts:
    """Where the rules say that a piece is; `in_view` when the camera should see it."""

    piece: PieceId
    where: str
    in_view: bool


@dataclass(frozen=True)
class Score:
    """One player's line on the board. `stores` are named counts: in hand, won, chips."""

    player: str
    side: str
    points: int
    stores: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Standing:
    """What one viewer may know of the game."""

    turn: str | None
    """Whose turn; None when the game is over."""
    phase: str
    """What is awaited, in a few plain words: "to throw", "to take away panda4 and fox3"."""
    scores: tuple[Score, ...]
    finished: bool
    winners: tuple[str, ...]
    pieces: tuple[Whereabouts, ...]
    """Every piece, exactly once."""


class Game(Protocol[S, M]):
    """Pure: no clock, randomness, I/O or mutation. A shuffle is a move that carries its result or seed."""

    name: str
    title: str
    version: int
    """Raised when any ruling could differ, for nothing else."""
    moves: tuple[type[M], ...]
    options_type: type[Any]
    """A frozen dataclass of plain fields, each with a default."""

    def setup(self, players: tuple[Player, ...], options: Any) -> S:
        """The opening state. Raises ConfigError, in one sentence, for players or options that don't fit."""
        ...

    def read(self, state: S, change: Change) -> Explained[M] | Unclear[M] | Nothing:
        """From evidence to what happened. Thresholds live here, and only here."""
        ...

    def rule(self, state: S, move: M) -> Ruling[S]:
        """What follows. Total over every value of the move types: a foul is a call, not an exception."""
        ...

    def options(self, state: S, seat: str | None) -> tuple[M, ...]:
        """Lawful moves now, of that seat or of anybody, to choose from: all that people may want to declare,
        of what comes in too many ways one of each kind."""
        ...

    def alternatives(self, state: S, moves: tuple[M, ...]) -> tuple[tuple[M, ...], ...]:
        """Near readings of what the camera may have got wrong in `moves`, played from `state`, likeliest
        first: what a person may put in their place when they dispute the ruling."""
        ...

    def say(self, move: M) -> str:
        """The move in a few plain words, for a button or a line of the log."""
        ...

    def standing(self, state: S, viewer: str | None) -> Standing: ...

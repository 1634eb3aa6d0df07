"""The match log's vocabulary. Append-only; nothing here is ever edited."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from referee.facts import Scene
from referee.rules.game import Player


class Role(Enum):
    CAMERA = "camera"
    SEAT = "seat"
    HOST = "host"
    BOT = "bot"


@dataclass(frozen=True)
class Who:
    """Who says so."""

    role: Role
    name: str = ""


CAMERA = Who(Role.CAMERA)


@dataclass(frozen=True)
class Started:
    game: str
    version: int
    players: tuple[Player, ...]
    options: Any
    """The game's own frozen Options."""


@dataclass(frozen=True)
class Seen:
    """Evidence. Changes no state."""

    scene: Scene


@dataclass(frozen=True)
class Asked:
    """The camera could not tell. Changes no state; holds play until Ruled or Dismissed answers it."""

    question: str
    options: tuple[tuple[Any, ...], ...]
    """Stories: each a sequence of moves, likeliest first."""
    on: int
    """seq of the Seen that it asks about."""


@dataclass(frozen=True)
class Ruled:
    """The only event that moves the game on."""

    moves: tuple[Any, ...]
    by: Who
    on: int | None = None
    """seq of the Seen that it rests on; None for what people declare."""
    because: tuple[str, ...] = ()


@dataclass(frozen=True)
class Dismissed:
    """A person says: nothing happened. Closes the open question."""

    by: Who
    reason: str


@dataclass(frozen=True)
class Retracted:
    """Voids an earlier Ruled, Dismissed, Amended or Retracted; the log is replayed without it."""

    seq: int
    by: Who
    reason: str


@dataclass(frozen=True)
class Amended:
    """Puts other moves in the place of an earlier Ruled; the log is replayed with them."""

    seq: int
    moves: tuple[Any, ...]
    by: Who
    reason: str


@dataclass(frozen=True)
class Upheld:
    """A disputed ruling stands. Changes no state; it is on record who said so and why."""

    seq: int
    by: Who
    reason: str


Body = Started | Seen | Asked | Ruled | Dismissed | Retracted | Amended | Upheld


@dataclass(frozen=True)
class Event:
    """One line of the log. `at` is UTC, ISO 8601."""

    seq: int
    at: str
    body: Body

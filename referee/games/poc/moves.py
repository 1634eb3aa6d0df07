"""What can happen in Poc!: the vocabulary of its log."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from referee.facts import PieceId


class Zone(Enum):
    """Where an animal is. Each is in exactly one zone."""

    STOCK = "stock"
    FLAT = "flat"
    """On the table, or tilted only because it lies on other animals."""
    LEANING = "leaning"
    """On the table and against the box: can't be won until it lies flat."""
    ON_BOX = "on_box"
    """In the box, balanced on its rim, or on its lid."""
    WON = "won"
    ELIMINATED = "eliminated"
    ASIDE = "aside"
    """Of a family that nobody plays."""


IN_PLAY = frozenset({Zone.FLAT, Zone.LEANING, Zone.ON_BOX})
"""Zones of an animal that was thrown and still counts."""

Pair = tuple[PieceId, PieceId]
"""Two animals, the upper one first."""


@dataclass(frozen=True)
class Table:
    """The whole table at rest, as it was observed."""

    zones: tuple[tuple[PieceId, Zone], ...]
    """FLAT, LEANING, ON_BOX, or ELIMINATED for off the table. An animal not named is where it was."""
    covers: tuple[Pair, ...] = ()
    """Every pair in which the first lies over the second, however little, also with others between."""
    near: tuple[Pair, ...] = ()
    """Pairs that nearly touch and were read as apart: what a dispute may be about. No ruling needs them."""
    doubt: tuple[Pair, ...] = ()
    """Pairs of `covers` or `near` that could not be told, and did not matter so far."""


@dataclass(frozen=True)
class Throw:
    """One flick, and the table after it."""

    seat: str
    piece: PieceId
    flip: bool
    """Half a turn or more in the air before the first contact."""
    table: Table


@dataclass(frozen=True)
class Observed:
    """The table seen again without a throw: after animals were taken away, or when something fell late."""

    table: Table


@dataclass(frozen=True)
class Cleared:
    """People say: all that had to be taken away is gone, and nothing else has moved."""


@dataclass(frozen=True)
class Misplaced:
    """A piece lies on the table that has no business there, or is gone without a throw. Changes nothing;
    the players are told."""

    piece: PieceId


@dataclass(frozen=True)
class Laid:
    """The referee comes to a game that has begun: these animals were on the table before the first throw
    that it saw."""

    table: Table


@dataclass(frozen=True)
class Turn:
    """People say whose turn it is, against the order of play."""

    seat: str


Move = Throw | Observed | Cleared | Misplaced | Laid | Turn

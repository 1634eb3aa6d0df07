"""The state of a game of Poc! between two moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from referee.facts import PieceId
from referee.games.poc.moves import IN_PLAY, Pair, Zone
from referee.games.poc.options import Options
from referee.games.poc.pieces import ANIMALS, FAMILY, VALUE
from referee.games.poc.resolve import Standoff
from referee.rules.game import Player


@dataclass(frozen=True)
class State:
    players: tuple[Player, ...]
    options: Options
    zones: Mapping[PieceId, Zone]
    """Every animal, and in mode 3 the trampoline, exactly once."""
    won: Mapping[PieceId, int]
    """By which seat, for each animal in zone WON."""
    turn: int
    """Seat that is to throw, or whose throw is being settled."""
    covers: frozenset[Pair] = frozenset()
    doubt: frozenset[Pair] = frozenset()
    """Pairs that could not be told when last seen."""
    thrower: int | None = None
    """Seat that threw last."""
    clearing: frozenset[PieceId] = frozenset()
    """To be taken off the table before play goes on."""
    told: frozenset[Standoff] = frozenset()
    """Stand-offs that the players know of."""
    final: bool = False
    """The throw of `turn` is the last one."""
    over: bool = False

    def stock(self, seat: int) -> tuple[PieceId, ...]:
        """What that seat has in hand, lowest value first."""
        family = self.players[seat].side
        return tuple(p for p in ANIMALS if FAMILY[p] == family and self.zones[p] is Zone.STOCK)

    def in_play(self) -> tuple[PieceId, ...]:
        """Thrown and still there: on the table or on the box. The trampoline is not among them."""
        return tuple(p for p in ANIMALS if self.zones[p] in IN_PLAY)

    def seat_of(self, piece: PieceId) -> int | None:
        """Whose animal it is; None for one aside, the trampoline, or no piece of this game."""
        family = FAMILY.get(piece)
        return next((i for i, p in enumerate(self.players) if p.side == family), None)

    def points(self, seat: int) -> int:
        """Values won, and double the values of one's own animals on the box."""
        family = self.players[seat].side
        won = sum(VALUE[p] for p, by in self.won.items() if by == seat)
        if self.options.mode == 3:
            return won
        boxed = (p for p in ANIMALS if FAMILY[p] == family and self.zones[p] is Zone.ON_BOX)
        return won + 2 * sum(VALUE[p] for p in boxed)

    def winners(self) -> tuple[str, ...]:
        """Those with most points, once the game is over: several share the win."""
        if not self.over:
            return ()
        points = [self.points(i) for i in range(len(self.players))]
        return tuple(p.name for p, n in zip(self.players, points, strict=True) if n == max(points))

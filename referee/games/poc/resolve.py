"""Who wins what lies under whom: one pass at a time, from the top of the pile down.

The table is seen again between passes, since coasters shift when others are taken away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from referee.facts import PieceId
from referee.games.poc.moves import Pair, Zone
from referee.games.poc.options import Options
from referee.games.poc.pieces import FAMILY, TRAMPOLINE, VALUE


@dataclass(frozen=True)
class Claim:
    """An animal goes to a family, thanks to its agents above it, which return to their owner's stock."""

    piece: PieceId
    family: str
    agents: frozenset[PieceId]


class Why(Enum):
    CONTESTED = "contested"
    """Animals of several players lie on it."""
    OUTMATCHED = "outmatched"
    """Only opponents that are too weak lie on it."""
    KNOTTED = "knotted"
    """All are covered: they hold each other down."""


@dataclass(frozen=True)
class Standoff:
    """Covered animals that nobody wins."""

    why: Why
    held: frozenset[PieceId]
    rivals: frozenset[PieceId] = frozenset()
    """The animals that lie uncovered above."""


@dataclass(frozen=True)
class Pass:
    claims: tuple[Claim, ...] = ()
    bounced: frozenset[PieceId] = frozenset()
    """Back to stock by the trampoline."""
    standoffs: tuple[Standoff, ...] = ()

    @property
    def taken(self) -> frozenset[PieceId]:
        """All that leaves the table."""
        return self.returned | {claim.piece for claim in self.claims}

    @property
    def returned(self) -> frozenset[PieceId]:
        """Agents and bounced animals, but none that was claimed itself."""
        agents = frozenset(a for claim in self.claims for a in claim.agents)
        return (agents | self.bounced) - {claim.piece for claim in self.claims}


def judge(
    zones: Mapping[PieceId, Zone], covers: frozenset[Pair], options: Options, family_in_turn: str
) -> Pass:
    """One pass. Edges that can have no effect (box, leaning, the trampoline on top) are left out first."""
    upper = {Zone.FLAT, Zone.LEANING} if options.leaning_can_capture else {Zone.FLAT}
    edges = [
        (a, b) for a, b in covers if a != TRAMPOLINE and zones.get(a) in upper and zones.get(b) is Zone.FLAT
    ]
    if not edges:
        return Pass()
    above: dict[PieceId, set[PieceId]] = {}
    for a, b in edges:
        above.setdefault(b, set()).add(a)
    tops = {a for a, _ in edges if options.covered_can_act or a not in above}
    bounced = frozenset(
        a
        for a in above.pop(TRAMPOLINE, set()) & tops
        if options.trampoline_any_turn or FAMILY[a] == family_in_turn
    )
    claims, standoffs = list[Claim](), list[Standoff]()
    for b in sorted(above):
        if not (over := above[b] & tops):
            continue
        able = {a for a in over if _able(a, b, options)}
        if not able:
            standoffs.append(Standoff(Why.OUTMATCHED, frozenset({b}), frozenset(over)))
            continue
        if options.strength_variant and len({FAMILY[a] for a in able}) > 1:
            best = max(VALUE[a] for a in able)
            able = {a for a in able if VALUE[a] == best}
        owners = {FAMILY[a] for a in able}
        if len(owners) == 1:
            claims.append(Claim(b, owners.pop(), frozenset(able)))
        else:
            standoffs.append(Standoff(Why.CONTESTED, frozenset({b}), frozenset(over)))
    if knotted := _knotted(edges):
        standoffs.append(Standoff(Why.KNOTTED, knotted))
    return Pass(tuple(claims), bounced, tuple(standoffs))


def _able(a: PieceId, b: PieceId, options: Options) -> bool:
    return not options.strength_variant or FAMILY[a] == FAMILY[b] or VALUE[a] >= VALUE[b]


def _knotted(edges: list[Pair]) -> frozenset[PieceId]:
    """Covered animals that no uncovered one lies above, not even through others."""
    covered = {b for _, b in edges}
    free = {a for a, _ in edges} - covered
    while below := {b for a, b in edges if a in free} - free:
        free |= below
    return frozenset(covered - free)

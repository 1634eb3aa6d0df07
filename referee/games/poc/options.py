"""The house rules of Poc!"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """House rules. Sizes of coasters and box are no rules: they belong to the piece set and the layout."""

    mode: int = 1
    """1 open box, 2 box with its lid on, 3 trampoline and no box."""
    strength_variant: bool = False
    """An opponent is won only by an animal of the same value or a higher one."""
    overlap_eps_mm: float = 0.0
    """Overlaps up to this don't count as covering."""
    leaning_can_capture: bool = False
    covered_can_act: bool = False
    """An animal that lies under others may still win what it covers."""
    trampoline_any_turn: bool = False
    """Animals that cover the trampoline come back on anybody's turn."""
    fist_distance_mm: float = 200.0
    """Advice only: how far from the box to put the fist."""
    starter: str = ""
    """Name, family or seat number (1 to 4) of the first player; empty: the first of the list."""

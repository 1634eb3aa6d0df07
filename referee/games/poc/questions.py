"""What Poc! asks, and the evidence that it gives: the other half of its sentences."""

from __future__ import annotations

from collections.abc import Iterable

from referee.facts import Measure, PieceId
from referee.games.poc.words import piece, several, who
from referee.rules.game import Player


def mm(overlap: Measure) -> str:
    return f"{abs(overlap.value):.1f} ± {overlap.sigma:.1f} mm"


def lies_on(upper: PieceId, lower: PieceId, overlap: Measure) -> str:
    return f"{piece(upper)} lies on {piece(lower)} by {mm(overlap)}"


def misses(one: PieceId, other: PieceId, overlap: Measure) -> str:
    return f"{piece(one)} misses {piece(other)} by {mm(overlap)}"


def half_turns(p: PieceId, turns: Measure) -> str:
    return f"{piece(p)} made {turns.value:.1f} ± {turns.sigma:.1f} half turns in the air"


def read_as(p: PieceId, share: float) -> str:
    return f"read as {piece(p)} ({share:.0%}), since the others that it may be can't lie there"


def are_taken(pieces: Iterable[PieceId]) -> str:
    return f"taken away: {several(pieces)}"


def ask_which(seat: str) -> str:
    return f"Which coaster did {seat} throw?"


def ask_flip(p: PieceId) -> str:
    return f"Did {piece(p)} make at least half a turn in the air?"


def ask_pair(upper: PieceId, lower: PieceId, overlap: Measure, apart: bool) -> str:
    """`apart`: they may not overlap at all."""
    if apart:
        gap = "overlap" if overlap.value > 0 else "gap"
        return f"Does {piece(upper)} cover {piece(lower)} ({gap} {mm(overlap)})?"
    return f"Which lies on top, {piece(upper)} or {piece(lower)} (overlap {mm(overlap)})?"


def ask_gone(p: PieceId) -> str:
    return f"Where is {piece(p)}: knocked off the table, or hidden under others?"


def ask_lost(p: PieceId) -> str:
    return f"Where did {piece(p)} land?"


def ask_left(p: PieceId) -> str:
    return f"{piece(p)} flew off the table, as it looked. Is it out?"


def ask_order(pieces: Iterable[PieceId]) -> str:
    return f"{several(pieces)} were thrown with no still moment between: what happened?"


def ask_turn(thrower: Player, p: PieceId) -> str:
    return f"{who(thrower)} threw {piece(p)} out of turn. Does the throw stand?"


def ask_impossible(p: PieceId, where: str) -> str:
    return f"The coaster thrown looks like {piece(p)}, which is {where}. Which one was it?"


def ask_double(p: PieceId) -> str:
    return f"The coaster thrown looks like {piece(p)}, which lies elsewhere on the table. Which one was it?"


def ask_unseen(p: PieceId) -> str:
    return f"{piece(p)} lies on the table, but no throw was seen. Was it thrown, with at least half a turn?"


def ask_laid(pieces: Iterable[PieceId]) -> str:
    return f"{several(pieces)} lay on the table before the first throw. Do they count?"


def ask_shift() -> str:
    return "The table changed without a throw. Does it count, or was it put back as it was?"


def ask_pile() -> str:
    return "This pile has more readings than can be told apart. Is this one right?"


def ask_any() -> str:
    return "What happened?"

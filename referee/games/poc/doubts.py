"""What the camera can't tell, with the likelihood of each answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from referee.facts import ON_TOP, Contact, PieceId, Touch, touch
from referee.games.poc import questions
from referee.games.poc.moves import Pair, Zone


class Kind(Enum):
    FLIP = "flip"
    """Half a turn or not: True or False."""
    PLACE = "place"
    """Where a piece that can't be seen is: a zone, or the pair of the one that hides it and itself."""
    PAIR = "pair"
    """Who covers whom: a pair, or None when they are apart."""


Answer = Pair | Zone | bool | None


@dataclass(frozen=True)
class Doubt:
    kind: Kind
    pieces: tuple[PieceId, ...]
    """One, or for PAIR the likelier upper one and the lower one."""
    question: str
    answers: tuple[tuple[Answer, float], ...]

    @property
    def pair(self) -> Pair | None:
        return (self.pieces[0], self.pieces[1]) if self.kind is Kind.PAIR else None


Answers = Mapping[Doubt, Answer]


def likeliest(doubts: Iterable[Doubt]) -> Answers:
    return {d: max(d.answers, key=lambda item: item[1])[0] for d in doubts}


def pair_doubt(upper: PieceId, lower: PieceId, contact: Contact, eps_mm: float) -> Doubt:
    """A contact that is too close to call: `upper` over `lower`, the other way round, or apart."""
    p = contact.overlap_chance(eps_mm)
    may_be_apart = touch(contact.overlap_mm, 1.0, eps_mm, contact.overlap_p) is Touch.TOO_CLOSE
    answers: list[tuple[Answer, float]] = [((upper, lower), p * contact.upper_p)]
    if contact.upper_p < ON_TOP:
        answers.append(((lower, upper), p * (1 - contact.upper_p)))
    if may_be_apart:
        answers.append((None, 1 - p))
    question = questions.ask_pair(upper, lower, contact.overlap_mm, may_be_apart)
    return Doubt(Kind.PAIR, (upper, lower), question, tuple(answers))

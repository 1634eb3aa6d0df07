"""A pair of pieces in words: what is ruled, and which evidence decided it. English texts are the keys that
translations go by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from referee.facts import OVERLAPS, Contact, Measure, Placed, Touch, Verdict, Weights

TELLS = 2.0
"""Log odds from which a kind of evidence is said to tell anything: about 7 to 1."""
FINE_MM = 0.25
"""Measures that are known better than this are told with two decimals."""


class Saying(Enum):
    LIES = "{upper} lies on {lower} by {mm}"
    JUST_LIES = "{upper} just lies on {lower} (overlap as measured {mm})"
    MISSES = "{upper} misses {lower} by {mm}"
    JUST_MISSES = "{upper} just misses {lower} (gap as measured {mm})"
    CLOSE_OVER = "Too close to call: {upper} and {lower} overlap by {mm}"
    CLOSE_APART = "Too close to call: {upper} and {lower} lie {mm} apart"
    CLOSE_STEEP = "Too close to call: {upper} and {lower}, as one leans steeply"
    PASSES = "{upper} and {lower} don't meet, as one leans steeply"
    WHICH = "Which lies on top can't be told: {upper} and {lower} overlap by {mm}"

    DISTANCE = "The distance alone tells."
    LEANS = "{upper} leans by {lean}: it lies on {lower}."
    AS_IF = "{upper} leans by {lean}, as if it lay on {lower}."
    LEVEL = "Neither leans; on the other, one would lean by {on}."
    SEEN = "Where both lie, {upper} is seen."
    HIGHER = "{upper} lies higher."
    TOGETHER = "No single sign decides; all of them together do."
    BUT_APART = "But the distance speaks against it."
    BUT_LEVEL = "But neither leans as one that lies on the other must, by {on}."
    BUT_LEANS = "But {lower} leans as if it lay on {upper}."
    BUT_SEEN = "But where both lie, {lower} is seen."
    BUT_HIGHER = "But {lower} lies higher."
    UNTOLD = "The distance is within its doubt, and a lean of {lean} doesn't tell: it would be {on}."
    STEEP = "Of a steep one the distance of the centres, {mm} nearer than two radii, tells little."
    BORNE = "They don't lie alone on the bare table, so that a lean doesn't tell."
    FAINT = "One of them isn't seen well enough to be measured."
    HIDDEN = "Too little of their edges and prints is seen where both lie."
    GONE = "{lower} is out of sight; it lies where it was last seen."


@dataclass(frozen=True)
class Phrase:
    text: str
    values: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text.format(**self.values)


def name(placed: Placed) -> str:
    """For people: panda4 -> Panda 4; a guess has a question mark, one without any name its number."""
    if not placed.names:
        return f"#{placed.track}"
    called = str(placed.names[0][0])
    word = called.rstrip("0123456789")
    known = f"{word.rstrip()} {called[len(word) :]}".strip() if word else called
    return known[:1].upper() + known[1:] + ("" if placed.piece is not None else "?")


def millimetres(measure: Measure) -> str:
    digits = 1 if measure.sigma >= FINE_MM else 2
    return f"{measure.value:.{digits}f} ± {measure.sigma:.{digits}f} mm"


def ruled(contact: Contact, upper: Placed, lower: Placed) -> Phrase:
    """The verdict as one sentence."""
    overlap = contact.overlap_mm
    gap = Measure(-overlap.value, overlap.sigma)
    by_distance = overlap.above(0.0)
    match contact.touch():
        case Touch.COVERS:
            sure = by_distance is Verdict.YES
            return _say(Saying.LIES if sure else Saying.JUST_LIES, upper, lower, mm=millimetres(overlap))
        case Touch.CLEAR if by_distance is Verdict.YES:
            return _say(Saying.PASSES, upper, lower)
        case Touch.CLEAR:
            sure = by_distance is Verdict.NO
            return _say(Saying.MISSES if sure else Saying.JUST_MISSES, upper, lower, mm=millimetres(gap))
        case Touch.TOO_CLOSE if _meet(contact):
            return _say(Saying.WHICH, upper, lower, mm=millimetres(overlap))
        case Touch.TOO_CLOSE if steep(contact):
            return _say(Saying.CLOSE_STEEP, upper, lower)
        case Touch.TOO_CLOSE if overlap.value >= 0:
            return _say(Saying.CLOSE_OVER, upper, lower, mm=millimetres(overlap))
        case Touch.TOO_CLOSE:
            return _say(Saying.CLOSE_APART, upper, lower, mm=millimetres(gap))


def because(contact: Contact, upper: Placed, lower: Placed) -> tuple[Phrase, ...]:
    """What decided it, or why nothing does; empty where the eye's reasons weren't kept."""
    if not lower.in_view:
        return (_say(Saying.GONE, upper, lower),)
    said = contact.weights
    if said is None:
        return ()
    lean = f"{said.lean_deg.value:.1f} ± {said.lean_deg.sigma:.1f}°"
    return tuple(
        _say(s, upper, lower, lean=lean, on=f"{said.lean_on_deg:.1f}°", mm=millimetres(contact.overlap_mm))
        for s in _reasons(contact, said)
    )


def _say(saying: Saying, upper: Placed, lower: Placed, **values: str) -> Phrase:
    values = {"upper": name(upper), "lower": name(lower), **values}
    return Phrase(saying.value, {k: v for k, v in values.items() if f"{{{k}}}" in saying.value})


def _meet(contact: Contact) -> bool:
    """Whether it is plain that they overlap."""
    if contact.overlap_p is None:
        return contact.overlap_mm.above(0.0) is Verdict.YES
    return contact.overlap_p >= OVERLAPS


def steep(contact: Contact) -> bool:
    """Whether the outlines are apart, or may be, though the centres are near: one leans away."""
    said = contact.weights
    near = contact.overlap_mm.above(0.0) is Verdict.YES
    return said is not None and said.leans is None and near and not _meet(contact)


def _reasons(contact: Contact, said: Weights) -> Iterator[Saying]:
    by_distance = contact.overlap_mm.above(0.0)
    leans = 0.0 if said.leans is None else said.leans.overlap
    match contact.touch():
        case Touch.CLEAR | Touch.TOO_CLOSE if steep(contact):
            yield Saying.STEEP
        case Touch.CLEAR:
            if by_distance is Verdict.NO:
                yield Saying.DISTANCE
            else:
                yield Saying.LEVEL if leans <= -TELLS else Saying.TOGETHER
        case Touch.TOO_CLOSE if not _meet(contact):
            yield from _why_close(said)
        case touch:
            if touch is Touch.COVERS and by_distance is not Verdict.YES and leans < TELLS:
                yield Saying.TOGETHER
            order = tuple(_order(said))
            yield from order
            if touch is Touch.TOO_CLOSE and not order:
                yield Saying.HIDDEN


def _order(said: Weights) -> Iterator[Saying]:
    """What tells which of two that overlap is on top: what speaks for the upper one first."""
    lean = _lean(said)
    seen, height = (0.0 if says is None else says.order for says in (said.pixels, said.heights))
    if lean is Saying.LEANS:
        yield lean
    yield from (s for odds, s in ((seen, Saying.SEEN), (height, Saying.HIGHER)) if odds >= TELLS)
    if lean is not None and lean is not Saying.LEANS:
        yield lean
    yield from (s for odds, s in ((seen, Saying.BUT_SEEN), (height, Saying.BUT_HIGHER)) if odds <= -TELLS)


def _lean(said: Weights) -> Saying | None:
    """What the leans say, where they say anything."""
    if said.leans is None or abs(said.leans.overlap) < TELLS:
        return None
    if said.leans.overlap < 0:
        return Saying.BUT_LEVEL
    return Saying.LEANS if said.leans.order > 0 else Saying.BUT_LEANS


def _why_close(said: Weights) -> Iterator[Saying]:
    """Why it can't be told whether they overlap at all."""
    lean, distance = _lean(said), said.distance.overlap
    if said.leans is None:
        yield Saying.FAINT if said.heights is None else Saying.BORNE
    elif lean is None or (lean is Saying.BUT_LEVEL and distance < TELLS):
        yield Saying.UNTOLD
    else:
        yield Saying.AS_IF if lean is Saying.LEANS else lean
        if lean is Saying.LEANS and distance <= -TELLS:
            yield Saying.BUT_APART

"""Which coaster a throw was: throws since the last scene, and the pieces that lie there now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from referee.facts import NAMED, Face, Flight, Placed
from referee.vision import track
from referee.vision.flight import Flown
from referee.vision.track import Book


@dataclass(frozen=True)
class Settings:
    furthest_mm: float = 300.0
    """A coaster slides no further from where it touched down."""
    thrown_mm: float = 60.0
    """A piece that was there before was taken up and thrown when it lies so far from there, else pushed."""
    like: float = 0.02
    """A piece can be the thrown one when the names read on the hand and on the table agree so far."""


def attribute(
    flown: Sequence[Flown],
    before: Book,
    after: Book,
    settings: Settings,
    tracking: track.Settings,
) -> tuple[Flight, ...]:
    """Throws as facts, in order, each with the piece that it became.

    A throw that is neither understood nor left a piece behind was none.
    """
    old = {p.track: p for p in before.placed}
    fresh = {t for t in track.fresh(before, after, tracking) if t not in old or _far(old[t], after, settings)}
    pairs = sorted(
        (_distance(f, p), i, p.track) for i, f in enumerate(flown) for p in after.placed if p.track in fresh
    )
    became: dict[int, int] = {}
    for distance, i, piece in pairs:
        if distance <= settings.furthest_mm and i not in became and piece not in became.values():
            became[i] = piece
    now = {p.track: p for p in after.placed}
    return tuple(
        _flight(f, now[became[i]] if i in became else None)
        for i, f in enumerate(flown)
        if f.understood or i in became
    )


def _far(piece: Placed, after: Book, settings: Settings) -> bool:
    now = next(p for p in after.placed if p.track == piece.track)
    step = hypot(now.x_mm.value - piece.x_mm.value, now.y_mm.value - piece.y_mm.value)
    return step > settings.thrown_mm


def _distance(flown: Flown, placed: Placed) -> float:
    if flown.landed_mm is None:
        return 0.0
    return hypot(placed.x_mm.value - flown.landed_mm[0], placed.y_mm.value - flown.landed_mm[1])


def _flight(flown: Flown, placed: Placed | None) -> Flight:
    names = flown.names
    if placed is not None and (placed.piece is not None or not names or names[0][1] < NAMED):
        names = placed.names
    return Flight(
        track=None if placed is None else placed.track,
        names=names,
        half_turns=flown.half_turns,
        flip=flown.flip,
        start_face=flown.face,
        end_face=Face.UNKNOWN if placed is None else placed.face,
        t_s=flown.t_flick_s,
        frame_flick=flown.frame_flick,
        frame_settled=flown.frame_settled,
    )

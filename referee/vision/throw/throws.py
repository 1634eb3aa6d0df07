"""Which coaster a throw was: throws since the last scene, and the pieces that lie there now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import hypot, inf

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.facts import NAMED, Face, Flight, Measure, Placed, Rest
from referee.vision.throw.flight import Flown
from referee.vision.watch import track
from referee.vision.watch.steady import Difference
from referee.vision.watch.track import Book

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    furthest_mm: float = 300.0
    """A coaster slides no further from where it touched down."""
    thrown_mm: float = 60.0
    """A piece that was there before was taken up and thrown when it lies so far from there, else pushed."""
    altered: float = 0.3
    """Where a throw came to rest, so much of a disc's place must have changed for it to lie there."""
    presumed_sigma_mm: float = 20.0
    """Of where a piece lies that was only seen flying there."""
    like: float = 0.05
    """Two readings disagree when the probability that they name one piece is less."""
    unlike_mm: float = 150.0
    """A piece whose name disagrees with the one read on the hand counts as so much further away."""


def attribute(
    flown: Sequence[Flown],
    before: Book,
    after: Book,
    difference: Difference | None,
    edge_mm: Array,
    radius_mm: float,
    settings: Settings,
    tracking: track.Settings,
) -> tuple[tuple[Flight, ...], Book]:
    """Throws as facts, in order, each with the piece that it became, and the book with what they add to it.

    edge_mm: (N, 2) outline of the table. A throw that was last seen going beyond it has left the table.

    A thrown piece that was not read, though something new lies where it came to rest, is put down as lying
    thereabouts: it must be asked about, not taken for gone. A throw that is neither understood nor left
    anything behind was none.
    """
    became = _partners(flown, before, after, settings, tracking)
    flights = []
    for i, throw in enumerate(flown):
        piece = became.get(i)
        if piece is None and (place := _lies(throw, difference, settings)) is not None:
            piece, after = _presume(throw, place, before, after, radius_mm, settings, tracking)
        if piece is not None:
            flights.append(_flight(throw, next(p for p in after.placed if p.track == piece)))
        elif throw.understood:
            flights.append(replace(_flight(throw, None), lost=not _beyond(edge_mm, throw)))
    return tuple(flights), after


def _partners(
    flown: Sequence[Flown], before: Book, after: Book, settings: Settings, tracking: track.Settings
) -> dict[int, int]:
    """Which track each throw became, where one did: the nearest of those that can be it. Throws that were
    understood choose first."""
    old = {p.track: p for p in before.placed}
    fresh = {t for t in track.fresh(before, after, tracking) if t not in old or _far(old[t], after, settings)}
    pairs = sorted(
        (not f.understood, _distance(f.landed_mm or f.rest_mm, p) + _unlike(f, p, settings), i, p.track)
        for i, f in enumerate(flown)
        for p in after.placed
        if p.track in fresh
    )
    became: dict[int, int] = {}
    for _, distance, i, piece in pairs:
        if distance <= settings.furthest_mm and i not in became and piece not in became.values():
            became[i] = piece
    return became


def _lies(throw: Flown, difference: Difference | None, settings: Settings) -> tuple[float, float] | None:
    """Where a throw lies by what has changed on the table: where it touched down, or where something was
    last seen moving. None when neither place has changed, or when it was no throw."""
    if difference is None or not throw.understood:
        return None
    places = [p for p in (throw.landed_mm, throw.rest_mm) if p is not None]
    changed, place = max((difference.share(*p), p) for p in places)
    return place if changed > settings.altered else None


def _presume(
    throw: Flown,
    place_mm: tuple[float, float],
    before: Book,
    after: Book,
    radius_mm: float,
    settings: Settings,
    tracking: track.Settings,
) -> tuple[int, Book]:
    """The book with a piece about where the throw came to rest. What lay there, and can't be read any
    more, is taken to lie there still."""
    x_mm, y_mm = (Measure(v, settings.presumed_sigma_mm) for v in place_mm)
    unknown = Measure(0.0, 180.0)
    number = after.next_track
    piece = Placed(
        number, "disc", throw.names, x_mm, y_mm, unknown, Measure(0.0, 90.0), Face.UNKNOWN, Rest.TABLE, 0.0
    )
    there = {p.track for p in after.placed}
    named = {p.piece for p in after.placed if p.piece is not None}
    under = tuple(
        track.out_of_sight(p, tracking)
        for p in before.placed
        if p.track not in there and p.piece not in named and _distance(place_mm, p) < 2 * radius_mm
    )
    there |= {p.track for p in under}
    kept = (
        c
        for c in before.contacts
        if {c.upper, c.lower} & {p.track for p in under} and {c.upper, c.lower} <= there
    )
    placed = (*after.placed, *under)
    near = [c for p in placed if (c := track.supposed(p, piece, radius_mm, tracking)) is not None]
    contacts = (*after.contacts, *kept, *(replace(c, upper_p=0.5) for c in near))
    return number, Book((*placed, piece), contacts, number + 1)


def _beyond(edge_mm: Array, throw: Flown) -> bool:
    """Whether the last that was seen of a throw was beyond the table's edge, or on its way there."""
    places = (throw.rest_mm, throw.bound_mm)
    return any(cv2.pointPolygonTest(edge_mm.astype(np.float32), p, False) < 0 for p in places)


def _far(piece: Placed, after: Book, settings: Settings) -> bool:
    now = next(p for p in after.placed if p.track == piece.track)
    step = hypot(now.x_mm.value - piece.x_mm.value, now.y_mm.value - piece.y_mm.value)
    return step > settings.thrown_mm


def _distance(place_mm: tuple[float, float], placed: Placed) -> float:
    return hypot(placed.x_mm.value - place_mm[0], placed.y_mm.value - place_mm[1])


def _unlike(flown: Flown, placed: Placed, settings: Settings) -> float:
    """Millimetres for a name that disagrees; infinitely many when it isn't even among what the hand held,
    as a family is not misread where a value may be."""
    if flown.names and placed.names and placed.names[0][0] not in dict(flown.names):
        return inf
    return settings.unlike_mm if track.alike(flown.names, placed.names) < settings.like else 0.0


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

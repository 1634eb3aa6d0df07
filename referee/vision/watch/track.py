"""The same piece, the same number: pieces of one scene matched with those of the scenes before, in mm."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot

import numpy as np

from referee.facts import ON_TOP, Contact, Measure, PieceId, Placed, Rest

Names = tuple[tuple[PieceId, float], ...]


@dataclass(frozen=True)
class Settings:
    near_mm: float = 25.0
    """A piece whose name doesn't say which it is may have been pushed so far."""
    unmoved_sigmas: float = 3.0
    like: float = 0.05
    """Two readings may be one piece when the probability that their names agree is at least this."""
    hidden: float = 0.85
    """A piece of which the seen ones may hide this share is taken to lie there still."""
    newly_hidden: float = 0.15
    """A piece that was in view is hidden only if pieces that came or moved lie over this share at least:
    one that lay there all along was under it."""
    hidden_sigma_mm: float = 2.0
    """What covers a piece may have shifted it by about so much."""
    contact_mm: float = 15.0
    """Pairs nearer than this to touching are contacts."""


@dataclass(frozen=True)
class Book:
    """What is known to lie on the table, with the numbers given out so far."""

    placed: tuple[Placed, ...] = ()
    contacts: tuple[Contact, ...] = ()
    next_track: int = 0


def follow(
    book: Book,
    placed: Sequence[Placed],
    contacts: Sequence[Contact],
    untouched: frozenset[int],
    radius_mm: float,
    settings: Settings,
) -> tuple[Book, tuple[int, ...]]:
    """Give the pieces of a new reading their tracks; returns also those tracks in the reading's order.

    `contacts` and the tracks in `placed` count the reading's own way.
    A piece that has not moved keeps the place where it was first measured, or measured best, so that
    nudges add up until they show. One that the others may hide is remembered as out of sight; one that
    the reading missed though its place is `untouched` is taken to lie there as before.
    """
    old = {p.track: p for p in book.placed}
    placed = exclusive(placed)
    partner = _match(book.placed, placed, settings)
    next_track = book.next_track
    track_of: dict[int, int] = {}
    now: dict[int, Placed] = {}
    for i, piece in enumerate(placed):
        before = partner.get(i)
        if before is None:
            track_of[piece.track], now[next_track] = next_track, replace(piece, track=next_track)
            next_track += 1
        else:
            track_of[piece.track] = before
            now[before] = _renewed(old[before], replace(piece, track=before), settings)
    named = {p.piece for p in now.values() if p.piece is not None}
    came = [p for p in now.values() if p.track not in old or moved(old[p.track], p, settings)]
    missed = {t: p for t, p in old.items() if t not in now and (p.piece is None or p.piece not in named)}
    newly = {
        t
        for t, p in missed.items()
        if not p.in_view or _share_under(came, p, radius_mm) >= settings.newly_hidden
    }
    now |= {t: p for t, p in missed.items() if t in untouched and t not in newly}
    seen = list(now.values())  # what was only missed hides others as before
    for track in newly:
        if _share_under(seen, missed[track], radius_mm) >= settings.hidden:
            now[track] = out_of_sight(missed[track], settings)
        elif track in untouched:
            now[track] = missed[track]
    renumbered = [replace(c, upper=track_of[c.upper], lower=track_of[c.lower]) for c in contacts]
    touching = _contacts(book, now, set(track_of.values()), renumbered, radius_mm, settings)
    numbers = tuple(track_of[p.track] for p in placed)
    return Book(tuple(now[t] for t in sorted(now)), touching, next_track), numbers


def fresh(before: Book, after: Book, settings: Settings) -> frozenset[int]:
    """Tracks in view that were not there before, or lay elsewhere."""
    old = {p.track: p for p in before.placed}
    return frozenset(
        p.track
        for p in after.placed
        if p.in_view and (p.track not in old or moved(old[p.track], p, settings))
    )


def exclusive(placed: Sequence[Placed]) -> tuple[Placed, ...]:
    """The pieces with each name borne once at most: by the one that is surest of it.

    What the others lose goes to none of their other candidates: their print was misread, so the second
    best is no better known than before.
    """
    surest: dict[PieceId, float] = {}
    for name, p in (pair for piece in placed for pair in piece.names):
        surest[name] = max(p, surest.get(name, 0.0))
    return tuple(
        replace(piece, names=tuple(sorted(_yielding(piece.names, surest), key=lambda pair: -pair[1])))
        for piece in placed
    )


def _yielding(names: Names, surest: Mapping[PieceId, float]) -> Names:
    return tuple((name, p if p == surest[name] else p * (1 - surest[name])) for name, p in names)


def moved(before: Placed, after: Placed, settings: Settings) -> bool:
    """Whether a piece lies elsewhere or otherwise, beyond the doubt of both readings."""
    if before.state is not after.state or before.face is not after.face:
        return True
    step = hypot(after.x_mm.value - before.x_mm.value, after.y_mm.value - before.y_mm.value)
    sigma = hypot(before.x_mm.sigma, before.y_mm.sigma, after.x_mm.sigma, after.y_mm.sigma)
    return step > settings.unmoved_sigmas * sigma


def _match(old: Sequence[Placed], new: Sequence[Placed], settings: Settings) -> dict[int, int]:
    """Position in `new` -> track. Sure names first, wherever they lie; then the nearest of like names."""
    partner: dict[int, int] = {}
    by_name = {p.piece: p.track for p in old if p.piece is not None}
    for i, piece in enumerate(new):
        if piece.piece in by_name:
            partner[i] = by_name.pop(piece.piece)
    taken = set(partner.values())
    pairs = sorted(
        (hypot(p.x_mm.value - q.x_mm.value, p.y_mm.value - q.y_mm.value), i, q.track)
        for i, p in enumerate(new)
        for q in old
        if i not in partner and q.track not in taken and alike(p.names, q.names) >= settings.like
    )
    for distance, i, track in pairs:
        if distance <= settings.near_mm and i not in partner and track not in taken:
            partner[i] = track
            taken.add(track)
    return partner


def alike(a: Names, b: Names) -> float:
    """Probability that two lists of candidates mean one piece; what they leave open may be anything."""
    left, right = dict(a), dict(b)
    both = sum(p * right.get(name, 0.0) for name, p in left.items())
    return both + (1 - sum(left.values())) + (1 - sum(right.values()))


def _renewed(before: Placed, after: Placed, settings: Settings) -> Placed:
    names = after.names
    if before.names and after.face is before.face and after.piece is None:
        best = before.names[0][1] > (after.names[0][1] if after.names else 0.0)
        names = before.names if best else after.names
    after = replace(after, names=names)
    if not before.in_view or moved(before, after, settings):
        return after
    worse = hypot(after.x_mm.sigma, after.y_mm.sigma) > 0.7 * hypot(before.x_mm.sigma, before.y_mm.sigma)
    return replace(after, x_mm=before.x_mm, y_mm=before.y_mm) if worse else after


def _share_under(others: Sequence[Placed], piece: Placed, radius_mm: float) -> float:
    """How much of a piece others may hide, 0 to 1: from samples on rings of equal area."""
    if piece.state is Rest.OFF_TABLE:
        return 0.0
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    rings = np.sqrt((np.arange(8) + 0.5) / 8)
    x = piece.x_mm.value + radius_mm * np.outer(rings, np.cos(turn)).reshape(-1)
    y = piece.y_mm.value + radius_mm * np.outer(rings, np.sin(turn)).reshape(-1)
    covered = np.zeros(len(x), bool)
    for other in others:
        covered |= np.hypot(x - other.x_mm.value, y - other.y_mm.value) <= radius_mm
    return float(covered.mean())


def out_of_sight(piece: Placed, settings: Settings) -> Placed:
    """The piece, remembered only: others lie over it."""
    if not piece.in_view:
        return piece

    def wider(m: Measure) -> Measure:
        return Measure(m.value, hypot(m.sigma, settings.hidden_sigma_mm))

    return replace(piece, in_view=False, visible_fraction=0.0, x_mm=wider(piece.x_mm), y_mm=wider(piece.y_mm))


def _contacts(
    book: Book,
    now: Mapping[int, Placed],
    seen: Collection[int],
    read: Sequence[Contact],
    radius_mm: float,
    settings: Settings,
) -> tuple[Contact, ...]:
    """The contacts read, those of unmoved pairs from the surer of two readings, and those of pieces that
    are known to lie there but are not among the `seen`."""
    old = {frozenset((c.upper, c.lower)): c for c in book.contacts}
    unmoved = {p.track for p in book.placed if p.track in now and not moved(p, now[p.track], settings)}
    result: dict[frozenset[int], Contact] = {}
    for contact in read:
        pair = frozenset((contact.upper, contact.lower))
        before = old.get(pair)
        surer = (
            before is not None
            and before.overlap_mm.sigma <= contact.overlap_mm.sigma
            and before.upper_p >= contact.upper_p
        )
        result[pair] = before if before is not None and surer and pair <= unmoved else contact
    for unread in (now[t] for t in now if t not in seen):
        for other in now.values():
            pair = frozenset((unread.track, other.track))
            if len(pair) == 2 and pair not in result:
                found = old.get(pair) if pair <= unmoved else supposed(unread, other, radius_mm, settings)
                if found is not None:
                    result[pair] = found
    return tuple(result.values())


def supposed(unread: Placed, other: Placed, radius_mm: float, settings: Settings) -> Contact | None:
    """The contact of a piece that was not read with one that has come near; out of sight, it lies below."""
    dx, dy = unread.x_mm.value - other.x_mm.value, unread.y_mm.value - other.y_mm.value
    overlap = 2 * radius_mm - hypot(dx, dy)
    if overlap < -settings.contact_mm:
        return None
    sigma = hypot(unread.x_mm.sigma, other.x_mm.sigma)
    upper_p = ON_TOP if other.in_view and not unread.in_view else 0.5
    return Contact(other.track, unread.track, Measure(overlap, sigma), upper_p, _lens_mm2(overlap, radius_mm))


def _lens_mm2(overlap_mm: float, radius_mm: float) -> float:
    """Area that two equal circles share."""
    if overlap_mm <= 0:
        return 0.0
    d = max(2 * radius_mm - overlap_mm, 0.0)
    half = np.arccos(d / (2 * radius_mm))
    return float(2 * radius_mm**2 * half - d * radius_mm * np.sin(half))

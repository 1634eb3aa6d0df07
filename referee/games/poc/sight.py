"""Which coaster each track is, and what the table looked like before and after, by name.

A name that is sure is believed, however odd. Where names are not sure, the rules say which are likely:
only animals in hand can be thrown, and what lies on the table is mostly what was thrown before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from referee.facts import NAMED, Change, Contact, Flight, PieceId, Placed, Rest, shifted
from referee.games.poc.likeliest import combinations
from referee.games.poc.moves import IN_PLAY, Zone
from referee.games.poc.pieces import ANIMALS, TRAMPOLINE
from referee.games.poc.state import State


@dataclass(frozen=True)
class Settings:
    """How likely the rules make a piece, before the camera has its say, and what is left out."""

    others_turn_p: float = 0.2
    not_in_hand_p: float = 0.02
    lying_about_p: float = 0.05
    """A coaster at rest that is not in play: not yet taken away, or in somebody's hand."""
    least_p: float = 0.02
    """Names less likely than this are not asked about."""
    most_names: int = 5
    most_namings: int = 8
    most_tried: int = 500


SETTINGS = Settings()

Names = dict[PieceId, float]
"""Candidates of one track, with weights."""

ZONES = {
    Rest.TABLE: Zone.FLAT,
    Rest.LEANING: Zone.LEANING,
    Rest.IN_BOX: Zone.ON_BOX,
    Rest.ON_RIM: Zone.ON_BOX,
    Rest.ON_LID: Zone.ON_BOX,
    Rest.OFF_TABLE: Zone.ELIMINATED,
}


@dataclass(frozen=True)
class Sight:
    """One naming of all that is seen. A flight that ended nowhere has a track below zero."""

    weight: float
    thrown: tuple[tuple[PieceId, Flight], ...]
    now: Mapping[PieceId, Placed]
    before: Mapping[PieceId, Placed] | None
    """None at the first scene of all."""
    contacts: Mapping[frozenset[PieceId], tuple[PieceId, PieceId, Contact]]
    """By pair: the upper one, the lower one, and the measure."""
    touched: frozenset[frozenset[PieceId]]
    """Pairs in contact in the scene before."""
    guessed: Mapping[PieceId, float]
    """Named with the help of the rules: how sure the camera was by itself."""
    odd: frozenset[PieceId]
    """What a thrown coaster surely looks like, though that one lies elsewhere."""

    def still(self, piece: PieceId) -> bool:
        """Seen before and now, and not shifted."""
        if self.before is None or piece not in self.before or piece not in self.now:
            return False
        return not shifted(self.before[piece], self.now[piece])

    def newcomers(self) -> tuple[PieceId, ...]:
        """On the table now, not before, and not seen flying."""
        if self.before is None:
            return ()
        flown = {p for p, _ in self.thrown}
        return tuple(
            p
            for p in sorted(self.now)
            if p not in self.before and p not in flown and self.now[p].state is not Rest.OFF_TABLE
        )

    def renamed(self, old: PieceId, new: PieceId) -> Sight:
        """The same, if the coaster read as `old` is `new`."""

        def name(p: PieceId) -> PieceId:
            return new if p == old else p

        return replace(
            self,
            thrown=tuple((name(p), flight) for p, flight in self.thrown),
            now={name(p): placed for p, placed in self.now.items()},
            contacts={
                frozenset((name(a), name(b))): (name(a), name(b), c) for a, b, c in self.contacts.values()
            },
        )


def sights(state: State, change: Change, settings: Settings = SETTINGS) -> tuple[Sight, ...]:
    """The likely namings, likeliest first. `state` is the one in which the next throw is awaited."""
    flights = _linked(change)
    flown = {track for track, _ in flights}
    lying = _lying_names(state, change, [p for p in change.after.placed if p.track not in flown], settings)
    sure = {p for names in lying.values() if len(names) == 1 for p in names}
    thrown, odd = dict[int, Names](), set[PieceId]()
    for track, flight in flights:
        names = _thrown_names(state, change, track, flight, sure, settings)
        odd |= names.keys() & sure
        thrown[track] = {p: w for p, w in names.items() if p not in sure} or _in_hand(state, sure)
    candidates = {**lying, **thrown}
    found = []
    for naming, weight in _namings(candidates, settings):
        found.append(_sight(change, flights, naming, weight, frozenset(odd)))
    return tuple(found)


def _linked(change: Change) -> tuple[tuple[int, Flight], ...]:
    """Flights by the track that they became. A lone lost flight is the lone piece that appeared; others
    that ended nowhere get tracks below zero."""
    here = {p.track for p in change.after.placed}
    flown: list[tuple[int, Flight]] = []
    for i, flight in enumerate(change.after.flights):
        track = flight.track if flight.track in here else None
        flown.append((-1 - i if track is None else track, flight))
    lost = [track for track, _ in flown if track < 0]
    fresh = (change.appeared if change.before else frozenset()) - {track for track, _ in flown}
    if len(lost) == len(fresh) == 1:
        return tuple((min(fresh) if track < 0 else track, flight) for track, flight in flown)
    return tuple(flown)


def _thrown_names(
    state: State, change: Change, track: int, flight: Flight, taken: set[PieceId], settings: Settings
) -> Names:
    placed = next((p for p in change.after.placed if p.track == track), None)
    sure = {name for name in (placed and placed.piece, flight.piece) if name}
    if sure:
        return {name: 1.0 / len(sure) for name in sorted(sure)}

    def prior(piece: PieceId) -> float:
        if state.zones.get(piece) is not Zone.STOCK:
            return settings.not_in_hand_p
        return 1.0 if state.seat_of(piece) == state.turn else settings.others_turn_p

    names = placed.names if placed and placed.names else flight.names
    return _likely(names, {p: prior(p) for p in ANIMALS if p not in taken}, settings)


def _in_hand(state: State, taken: set[PieceId]) -> Names:
    stock = [p for p in state.stock(state.turn) if p not in taken]
    return {p: 1.0 / len(stock) for p in stock}


def _lying_names(state: State, change: Change, lying: list[Placed], settings: Settings) -> dict[int, Names]:
    """Of two tracks with one sure name the older keeps it; the other is named like one that is unsure."""
    old = {p.track: p for p in change.before.placed} if change.before else {}
    found, unsure, taken = dict[int, Names](), list[Placed](), set[PieceId]()
    for placed in sorted(lying, key=lambda p: (p.track not in old, p.track)):
        known = placed.piece or (old[placed.track].piece if placed.track in old else None)
        if known is None or known in taken:
            unsure.append(placed)
        else:
            found[placed.track] = {known: 1.0}
            taken.add(known)

    def prior(piece: PieceId) -> float:
        return 1.0 if state.zones.get(piece) in IN_PLAY else settings.lying_about_p

    left = {p: prior(p) for p in (*ANIMALS, TRAMPOLINE) if p not in taken}
    for placed in unsure:
        found[placed.track] = _likely(placed.names, left, settings)
    return found


def _likely(names: tuple[tuple[PieceId, float], ...], prior: Names, settings: Settings) -> Names:
    """Bayes: what the camera sees times what the rules expect. Alone when it is sure enough to be said.

    Only the pieces in `prior` can be it.
    """
    said = {p: w for p, w in names if p in prior}
    unsaid = prior.keys() - said.keys()
    rest = max(0.0, 1.0 - sum(w for _, w in names)) / max(1, len(unsaid))
    weight = {p: said.get(p, rest) * prior[p] for p in prior}
    total = sum(weight.values())
    if total <= 0.0:
        return {}
    ranked = sorted(((p, w / total) for p, w in weight.items()), key=lambda item: (-item[1], item[0]))
    if ranked[0][1] >= NAMED:
        return {ranked[0][0]: 1.0}
    return {p: w for p, w in ranked[: settings.most_names] if w >= settings.least_p}


def _namings(
    candidates: Mapping[int, Names], settings: Settings
) -> Iterator[tuple[dict[int, PieceId], float]]:
    """One name a track and one track a name, likeliest first. A track without candidates goes unnamed."""
    tracks = [t for t in candidates if candidates[t]]
    tried = islice(combinations([list(candidates[t].items()) for t in tracks]), settings.most_tried)
    whole = ((dict(zip(tracks, names, strict=True)), w) for names, w in tried if len({*names}) == len(names))
    return islice(whole, settings.most_namings)


def _sight(
    change: Change,
    flights: tuple[tuple[int, Flight], ...],
    name: Mapping[int, PieceId],
    weight: float,
    odd: frozenset[PieceId],
) -> Sight:
    now = {name[p.track]: p for p in change.after.placed if p.track in name}
    before, was = None, dict[int, PieceId]()
    if change.before is not None:
        for p in change.before.placed:
            said = name.get(p.track) or p.piece or (p.names[0][0] if p.names else None)
            if said is not None:
                was[p.track] = said
        before = {was[p.track]: p for p in change.before.placed if p.track in was}
    contacts = {}
    for c in change.after.contacts:
        if c.upper in name and c.lower in name:
            upper, lower = name[c.upper], name[c.lower]
            contacts[frozenset((upper, lower))] = (upper, lower, c)
    touched = frozenset(
        frozenset((was[c.upper], was[c.lower]))
        for c in (change.before.contacts if change.before else ())
        if c.upper in was and c.lower in was
    )
    guessed = {
        piece: dict(p.names).get(piece, 0.0) for piece, p in now.items() if p.piece is None and p.names
    }
    thrown = tuple((name[track], f) for track, f in flights if track in name)
    return Sight(weight, thrown, now, before, contacts, touched, guessed, odd)

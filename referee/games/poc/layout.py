"""The table in one naming of what is seen: what is sure, and what can't be told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from referee.facts import PieceId, Rest, Touch
from referee.games.poc import questions
from referee.games.poc.doubts import Answers, Doubt, Kind, pair_doubt
from referee.games.poc.moves import Pair, Table, Zone
from referee.games.poc.pieces import TRAMPOLINE
from referee.games.poc.sight import ZONES, Sight
from referee.games.poc.state import State


@dataclass(frozen=True)
class Layout:
    zones: Mapping[PieceId, Zone]
    gone: tuple[PieceId, ...]
    """In play, seen in the scene before, and not now."""
    covers: tuple[Pair, ...]
    near: tuple[Pair, ...]
    pairs: tuple[Doubt, ...]
    because: tuple[str, ...]

    def table(
        self, told: Answers, doubt: frozenset[Pair], without: frozenset[PieceId] = frozenset()
    ) -> Table:
        """With the doubts told as given, and as if the pieces `without` had not been thrown yet."""
        zones, covers, near = dict(self.zones), list(self.covers), list(self.near)
        for d, answer in told.items():
            if isinstance(answer, tuple):
                covers.append(answer)
            elif d.pair is not None:
                near.append(d.pair)
            if d.kind is Kind.PLACE:
                zones[d.pieces[0]] = answer if isinstance(answer, Zone) else Zone.FLAT
        return Table(
            tuple(sorted(((p, z) for p, z in zones.items() if p not in without), key=lambda item: item[0])),
            _only(covers, without),
            _only(near, without),
            _only(doubt, without),
        )


def _only(pairs: list[Pair] | frozenset[Pair], without: frozenset[PieceId]) -> tuple[Pair, ...]:
    return tuple(sorted(pair for pair in pairs if without.isdisjoint(pair)))


def lay_out(base: State, sight: Sight, thrown: frozenset[PieceId] = frozenset()) -> Layout:
    """What is seen of the animals in play in `base` and of those `thrown`.

    Where two animals lie as they lay, the word that stands between them stands: people may have given it.
    """
    there = frozenset(base.in_play()) | thrown
    zones = {p: _zone(base, sight, p, p in thrown) for p in there if p in sight.now}
    gone = [p for p in sorted(there - thrown) if p not in sight.now and p in (sight.before or {})]
    if TRAMPOLINE in base.zones:
        there |= {TRAMPOLINE}
        if TRAMPOLINE in sight.now:
            zones[TRAMPOLINE] = ZONES[sight.now[TRAMPOLINE].state]
    flat = {p for p in there if zones.get(p, base.zones.get(p)) in (Zone.FLAT, Zone.LEANING)}
    flat |= thrown - zones.keys()
    doubtful = {frozenset(pair) for pair in base.doubt}
    covers, near, pairs, because = list[Pair](), list[Pair](), list[Doubt](), list[str]()

    def quiet(p: PieceId) -> bool:
        return p not in thrown and (p not in sight.now or sight.still(p))

    for pair, (upper, lower, contact) in sorted(sight.contacts.items(), key=lambda item: sorted(item[0])):
        if not pair <= flat:
            continue
        if quiet(upper) and quiet(lower) and pair in sight.touched and pair not in doubtful:
            known = [p for p in ((upper, lower), (lower, upper)) if p in base.covers]
            covers += known
            near += [] if known else [(upper, lower)]
            continue
        match contact.touch(base.options.overlap_eps_mm):
            case Touch.COVERS:
                covers.append((upper, lower))
                because.append(questions.lies_on(upper, lower, contact.overlap_mm))
            case Touch.CLEAR:
                near.append((upper, lower))
                because.append(questions.misses(upper, lower, contact.overlap_mm))
            case Touch.TOO_CLOSE:
                pairs.append(pair_doubt(upper, lower, contact, base.options.overlap_eps_mm))
    covers += [
        (a, b)
        for a, b in base.covers
        if frozenset((a, b)) not in sight.contacts and {a, b} <= flat and quiet(a) and quiet(b)
    ]
    return Layout(zones, tuple(gone), tuple(covers), tuple(near), tuple(pairs), tuple(because))


def _zone(base: State, sight: Sight, piece: PieceId, thrown: bool) -> Zone:
    """As seen; but what has not shifted is where it was, whatever it looks like today."""
    seen = ZONES[sight.now[piece].state]
    if thrown or seen is Zone.ELIMINATED or not sight.still(piece):
        return seen
    return base.zones[piece]


def remaining(state: State, sight: Sight) -> Iterator[PieceId]:
    """What should be taken away and still lies as it lay, or touches an animal in play.

    One that was laid elsewhere, clear of all others, is as good as gone.
    """
    there = frozenset(state.in_play())
    for piece in sorted(state.clearing):
        if piece not in sight.now or sight.now[piece].state is Rest.OFF_TABLE:
            continue
        if sight.before is None or sight.still(piece) or _touches(piece, there, sight):
            yield piece


def _touches(piece: PieceId, others: frozenset[PieceId], sight: Sight) -> bool:
    return any(
        piece in pair and pair & others and contact.touch() is not Touch.CLEAR
        for pair, (_, _, contact) in sight.contacts.items()
    )

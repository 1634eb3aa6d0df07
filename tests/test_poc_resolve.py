"""Who wins what, judged by a second judge that was written from the text and shares no code."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.facts import PieceId
from referee.games.poc import GAME
from referee.games.poc.moves import IN_PLAY, Cleared, Laid, Misplaced, Observed, Table, Throw, Turn, Zone
from referee.games.poc.options import Options
from referee.games.poc.pieces import ANIMALS, FAMILY, VALUE
from referee.games.poc.rules import finish, rule
from referee.games.poc.setup import setup
from referee.games.poc.state import State
from tests.game_play import players_of, random_moves
from tests.poc_states import position

Edges = frozenset[tuple[str, str]]


def brute_force(flat: set[str], edges: Edges, strength: bool) -> dict[str, str]:
    """Where each animal ends: "stays", "stock" or the family that wins it. Edge by edge, pass by pass."""
    ends = dict.fromkeys(flat, "stays")
    alive = set(flat)
    while True:
        on = [(a, b) for a, b in edges if a in alive and b in alive]
        free = [a for a in alive if not any(b == a for _, b in on)]
        fate: dict[str, str] = {}
        back: set[str] = set()
        for b in alive:
            takers = [a for a in free if (a, b) in on]
            if strength:
                takers = [a for a in takers if a[:-1] == b[:-1] or int(a[-1]) >= int(b[-1])]
                if len({a[:-1] for a in takers}) > 1:
                    top = max(int(a[-1]) for a in takers)
                    takers = [a for a in takers if int(a[-1]) == top]
            if len({a[:-1] for a in takers}) == 1:
                family = takers[0][:-1]
                fate[b] = "stock" if b[:-1] == family else family
                back |= set(takers)
        if not fate:
            return ends
        ends |= dict.fromkeys(back, "stock") | fate
        alive -= back | fate.keys()


def engine(flat: set[str], edges: Edges, strength: bool) -> dict[str, str]:
    state = _lying(flat, edges, strength)
    state = finish(rule(state, Observed(_table(flat, edges))).state)[0]
    ends = {}
    for name in flat:
        p = PieceId(name)
        zone = state.zones[p]
        ends[name] = (
            state.players[state.won[p]].side
            if zone is Zone.WON
            else {Zone.STOCK: "stock", Zone.FLAT: "stays"}[zone]
        )
    return ends


def _lying(flat: set[str], edges: Edges, strength: bool) -> State:
    """All lie there and nothing is known yet of who covers whom."""
    state = position(strength_variant=strength, thrower="P")
    return replace(state, zones={**state.zones, **{PieceId(p): Zone.FLAT for p in flat}})


def _table(flat: set[str], edges: Edges) -> Table:
    zones = tuple((PieceId(p), Zone.FLAT) for p in sorted(flat))
    return Table(zones, tuple(sorted((PieceId(a), PieceId(b)) for a, b in edges)))


@pytest.mark.parametrize("strength", [False, True])
def test_every_graph_of_three_animals_agrees_with_the_second_judge(strength: bool) -> None:
    for names in (("panda3", "fox2", "gecko4"), ("panda3", "panda1", "fox3"), ("fox1", "fox5", "gecko2")):
        pairs = list(combinations(names, 2))
        for choice in product((None, 0, 1), repeat=len(pairs)):
            edges = frozenset(
                pair if way == 0 else pair[::-1]
                for pair, way in zip(pairs, choice, strict=True)
                if way is not None
            )
            assert engine(set(names), edges, strength) == brute_force(set(names), edges, strength)


@pytest.mark.parametrize("strength", [False, True])
def test_random_piles_agree_with_the_second_judge(strength: bool) -> None:
    rng = random.Random(11)
    for _ in range(3000):
        flat = set(rng.sample(ANIMALS, rng.randint(2, 9)))
        pairs = [(a, b) for a in flat for b in flat if a != b]
        edges = frozenset(rng.sample(pairs, min(len(pairs), rng.randint(1, 12))))
        assert engine(flat, edges, strength) == brute_force(flat, edges, strength), (flat, edges)


# --- properties ---

animals = st.sampled_from(ANIMALS)
anything = st.sampled_from([*ANIMALS, PieceId("trampoline"), PieceId("owl9"), PieceId("")])
tables = st.builds(
    Table,
    zones=st.lists(st.tuples(anything, st.sampled_from(Zone)), max_size=8).map(tuple),
    covers=st.lists(st.tuples(anything, anything), max_size=8).map(tuple),
    near=st.just(()),
    doubt=st.lists(st.tuples(anything, anything), max_size=2).map(tuple),
)
seats = st.sampled_from(["Ana", "Ben", "Cleo", "Dan", "Eve", ""])
any_move = st.one_of(
    st.builds(Throw, seat=seats, piece=anything, flip=st.booleans(), table=tables),
    st.builds(Observed, table=tables),
    st.just(Cleared()),
    st.builds(Laid, table=tables),
    st.builds(Misplaced, piece=anything),
    st.builds(Turn, seat=seats),
)
options = st.builds(
    Options,
    mode=st.sampled_from([1, 2, 3]),
    strength_variant=st.booleans(),
    leaning_can_capture=st.booleans(),
    covered_can_act=st.booleans(),
    trampoline_any_turn=st.booleans(),
)
sensible_throws = st.builds(
    Throw, seat=seats, piece=animals, flip=st.sampled_from([True, True, True, False]), table=tables
)


def check(state: State) -> None:
    """What holds in every state."""
    assert set(state.zones) - {"trampoline"} == set(ANIMALS)
    assert {p for p, z in state.zones.items() if z is Zone.WON} == set(state.won)
    assert all(state.seat_of(p) not in (None, seat) for p, seat in state.won.items())
    for a, b in state.covers | state.doubt:
        assert state.zones[a] in IN_PLAY and state.zones[b] in IN_PLAY and a != b
    assert not any(state.zones[p] in IN_PLAY for p in state.clearing)
    if not state.over and not state.clearing:
        assert state.stock(state.turn), "whoever is to throw has something to throw"
    assert state.over == bool(state.winners())


@settings(deadline=None)
@given(options, st.integers(2, 4), st.lists(any_move | sensible_throws, max_size=25))
def test_every_move_is_ruled_and_every_animal_is_somewhere(
    house: Options, count: int, moves: list[Any]
) -> None:
    state = setup(players_of(GAME, count), house)
    for move in moves:
        ruling = rule(state, move)
        if any(call.foul for call in ruling.calls):
            assert ruling.state is state, "a foul changes nothing"
        state = ruling.state
        check(state)
        assert GAME.say(move)
        assert len({w.piece for w in GAME.standing(state, None).pieces}) == 21


@settings(deadline=None)
@given(options, st.lists(sensible_throws, max_size=15))
def test_seeing_the_settled_table_again_changes_nothing(house: Options, moves: list[Any]) -> None:
    house = replace(house, mode=1) if house.mode == 3 else house
    state = setup(players_of(GAME, 4), house)
    for move in moves:
        state, _ = finish(rule(state, move).state)
    if state.over or state.thrower is None:
        return
    zones = tuple((p, state.zones[p]) for p in state.in_play())
    ruling = rule(state, Observed(Table(zones, tuple(state.covers), doubt=tuple(state.doubt))))
    assert ruling.state == state
    assert ruling.calls == ()


def test_random_play_meets_every_rule() -> None:
    """The buttons reach whatever the rulebook speaks of."""
    wanted = {
        "is in the box",
        "is on the box",
        "leans on the box",
        "lies on the table",
        "left the table",
        "made no half turn",
        "was knocked off the table",
        "fell off the box",
        "now lies flat",
        "wins",
        "takes back",
        "from the trampoline",
        "nobody wins it, all stay",
        "is stronger than",
        "put the trampoline back",
        "should have been taken away",
        "one last throw",
        "the game is over",
        "share the win",
    }
    heard = set[str]()
    kinds = set[type]()
    most_passes = 0
    for seed in range(150):
        house = Options(mode=1 + seed % 3, strength_variant=seed % 2 == 1)
        passes = 0
        for state, move in random_moves(GAME, setup(players_of(GAME, 2 + seed % 3), house), seed):
            ruling = rule(state, move)
            kinds.add(type(move))
            passes = passes + 1 if ruling.state.clearing else 0
            most_passes = max(most_passes, passes)
            heard |= {w for w in wanted for call in ruling.calls if w in call.text}
    assert heard == wanted
    assert kinds == {Throw, Observed, Cleared}
    assert most_passes >= 2


def test_the_brute_judge_knows_the_rulebooks_example() -> None:
    edges = frozenset(
        {
            ("panda4", "fox3"),
            ("panda4", "penguin5"),
            ("fox3", "fox1"),
            ("fox1", "gecko1"),
            ("gecko1", "panda1"),
        }
    )
    flat = {p for pair in edges for p in pair}
    assert brute_force(flat, edges, strength=False) == {
        "panda4": "stock",
        "fox3": "panda",
        "penguin5": "panda",
        "fox1": "stock",
        "gecko1": "fox",
        "panda1": "stays",
    }
    assert all(FAMILY[p] in p and str(VALUE[p]) in p for p in ANIMALS)

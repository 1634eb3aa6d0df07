"""What rules cost: undo in a long match, whole games, one reading of a crowded table."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import replace

from referee import games
from referee.cli.bench import Row, measure, summary
from referee.facts import Contact, Face, Flight, Measure, PieceId, Placed, Rest, Scene, Verdict, compare
from referee.games.poc.moves import Cleared, Table, Throw, Zone
from referee.games.poc.options import Options
from referee.games.poc.state import State
from referee.rules.events import CAMERA, Event, Retracted, Ruled, Seen, Started
from referee.rules.game import Player
from referee.rules.match import Match, start

GAME = games.load("poc")
PLAYERS = tuple(
    Player(name, side)
    for name, side in (("Ana", "panda"), ("Ben", "fox"), ("Cleo", "gecko"), ("Dan", "penguin"))
)
AT = "2026-01-01T00:00:00+00:00"
GAMES = 100


def rows() -> Iterator[Row]:
    match = _long_match(500)
    undo = Event(len(match.events), AT, Retracted(match.lines[0].seq, CAMERA, "bench"))
    yield measure(
        "undo", f"the first ruling of {len(match.events)} events", lambda: match.after(undo), 20, 50.0
    )
    yield summary("whole game", "Poc! at random, 2 to 4 players", _whole_games(), 60.0)
    state, before, after = _crowded()
    yield measure(
        "reading",
        "a throw, 12 lying, 4 too close",
        lambda: GAME.read(state, compare(before, after)),
        20,
        100.0,
    )


def _long_match(events: int) -> Match:
    """Each player throws a 2, then takes it back with a 3, over and over; a scene before each ruling."""
    match = start(GAME, Event(0, AT, Started(GAME.name, GAME.version, PLAYERS, Options())))
    while len(match.events) < events:
        if match.state.clearing:
            move: Throw | Cleared = Cleared()
        else:
            player = PLAYERS[match.state.turn]
            two, three = PieceId(f"{player.side}2"), PieceId(f"{player.side}3")
            lies = match.state.zones[two] is Zone.FLAT
            thrown, covers = (three, ((three, two),)) if lies else (two, ())
            zones = tuple((p, Zone.FLAT) for p in (*match.state.in_play(), thrown))
            move = Throw(player.name, thrown, True, Table(zones, covers))
        for body in (Seen(_scene(())), Ruled((move,), CAMERA)):
            match = match.after(Event(len(match.events), AT, body))
    return match


def _whole_games() -> list[float]:
    times = []
    for seed in range(GAMES):
        began = time.perf_counter()
        rng = random.Random(seed)
        house = Options(mode=1 + seed % 3, strength_variant=seed % 2 == 1)
        state = GAME.setup(PLAYERS[: 2 + seed % 3], house)
        while moves := GAME.options(state, None):
            state = GAME.rule(state, rng.choice(moves)).state
        times.append(1000 * (time.perf_counter() - began))
    return times


def _crowded() -> tuple[State, Scene, Scene]:
    """Twelve animals lie there; panda 1 lands close to four of them."""
    names = [PieceId(f"{family}{n}") for family in ("fox", "gecko", "penguin") for n in (2, 3, 4, 5)]
    state = GAME.setup(PLAYERS, Options())
    zones = tuple((p, Zone.FLAT) for p in names)
    state = replace(state, zones={**state.zones, **dict(zones)}, thrower=3)
    lying = tuple(_placed(i, p, 100.0 * i) for i, p in enumerate(names))
    thrown = _placed(99, PieceId("panda1"), 150.0)
    turns, known = Measure(2.0, 0.2), ((PieceId("panda1"), 0.99),)
    flight = Flight(99, known, turns, Verdict.YES, Face.FRONT, Face.FRONT, 0.0, 0, 9)
    contacts = tuple(Contact(99, i, Measure(0.2, 0.3), 0.8, 1.0) for i in range(4))
    return state, _scene(lying), _scene((*lying, thrown), contacts, (flight,))


def _placed(track: int, piece: PieceId, x_mm: float) -> Placed:
    at, none = Measure(x_mm, 0.2), Measure(0.0, 0.2)
    return Placed(track, "disc", ((piece, 0.99),), at, none, none, none, Face.FRONT, Rest.TABLE, 1.0)


def _scene(
    placed: tuple[Placed, ...], contacts: tuple[Contact, ...] = (), flights: tuple[Flight, ...] = ()
) -> Scene:
    return Scene(0.0, 0, 0.5, placed, contacts, flights)

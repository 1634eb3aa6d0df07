"""Playing any game without a camera: players, random lawful play, random scenes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from referee.facts import Contact, Face, Flight, Measure, PieceId, Placed, Rest, Scene, Verdict
from referee.rules.events import CAMERA, Dismissed, Event, Role, Ruled, Started, Who
from referee.rules.game import Game, Player
from referee.rules.match import Match, react, start

HOST = Who(Role.HOST, "host")
AT = "2024-01-01T00:00:00Z"
SIDES = {"poc": ("panda", "fox", "gecko", "penguin")}
"""What players of a game choose from; games without sides need no line here."""


def players_of(game: Game[Any, Any], count: int) -> tuple[Player, ...]:
    sides = SIDES.get(game.name, ("",) * 4)
    return tuple(Player(n, s) for n, s in zip(("Ana", "Ben", "Cleo", "Dan")[:count], sides, strict=False))


def started(game: Game[Any, Any], count: int = 2, options: Any = None) -> Match[Any]:
    opening = Started(game.name, game.version, players_of(game, count), options or game.options_type())
    return start(game, Event(0, AT, opening))


def after(match: Match[Any], body: Any) -> Match[Any]:
    return match.after(Event(len(match.events), AT, body))


def random_moves(game: Game[Any, Any], state: Any, seed: int) -> Iterator[tuple[Any, Any]]:
    """Lawful moves at random until the game ends: each with the state before it."""
    rng = random.Random(seed)
    while moves := game.options(state, None):
        move = rng.choice(moves)
        yield state, move
        state = game.rule(state, move).state


def watch(match: Match[Any], scenes: list[Scene], answers: list[int]) -> Match[Any]:
    """Referee `scenes`; questions are answered by the numbers in `answers`, in turn; -1 dismisses."""
    for i, scene in enumerate(scenes):
        for body in react(match, scene):
            match = after(match, body)
        if match.question is not None:
            story = answers[i % len(answers)] if answers else 0
            options = match.question.options
            if 0 <= story < len(options):
                match = after(match, Ruled(options[story], HOST, match.question.on))
            else:
                match = after(match, Dismissed(HOST, "nothing happened"))
    return match


def scenes(pieces: list[PieceId]) -> st.SearchStrategy[Scene]:
    """Anything that a camera might claim to see, sense or nonsense."""
    measures = st.builds(Measure, st.floats(-300, 300), st.floats(0.01, 5))
    ranked = st.lists(
        st.tuples(st.sampled_from([*pieces, PieceId("owl")]), st.sampled_from([0.05, 0.3, 0.5, 0.95])),
        max_size=3,
        unique_by=lambda item: item[0],
    ).map(_normalised)
    tracks = st.integers(0, 9)
    placed = st.builds(
        Placed,
        track=tracks,
        kind=st.just("disc"),
        names=ranked,
        x_mm=measures,
        y_mm=measures,
        angle_deg=measures,
        tilt_deg=measures,
        face=st.sampled_from(Face),
        state=st.sampled_from(Rest),
        visible_fraction=st.floats(0, 1),
        in_view=st.booleans(),
    )
    flights = st.builds(
        Flight,
        track=st.none() | tracks,
        names=ranked,
        half_turns=st.none() | measures,
        flip=st.sampled_from(Verdict),
        start_face=st.sampled_from(Face),
        end_face=st.sampled_from(Face),
        t_s=st.just(0.0),
        frame_flick=st.just(0),
        frame_settled=st.just(9),
    )

    @st.composite
    def scene(draw: Any) -> Scene:
        lying = draw(st.lists(placed, max_size=6, unique_by=lambda p: p.track))
        pairs = [(a.track, b.track) for a in lying for b in lying if a.track < b.track]
        chosen = draw(st.lists(st.sampled_from(pairs), max_size=5, unique=True)) if pairs else []
        contacts = tuple(
            Contact(a, b, Measure(draw(st.floats(-3, 15)), 0.5), draw(st.sampled_from([0.6, 0.999])), 0.0)
            for a, b in chosen
        )
        flown = tuple(draw(st.lists(flights, max_size=2)))
        return Scene(0.0, 0, 0.5, tuple(lying), contacts, flown)

    return scene()


def _normalised(names: list[tuple[PieceId, float]]) -> tuple[tuple[PieceId, float], ...]:
    total = max(1.0, sum(p for _, p in names))
    return tuple(sorted(((n, p / total) for n, p in names), key=lambda item: -item[1]))


__all__ = ["AT", "CAMERA", "HOST", "after", "players_of", "random_moves", "scenes", "started", "watch"]

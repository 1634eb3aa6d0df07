"""What every game promises, run on every folder under referee/games."""

from __future__ import annotations

import json
import random
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from referee import games
from referee.codec import decode, encode
from referee.errors import UnknownGame
from referee.facts import compare
from referee.rules.events import CAMERA, Amended, Event, Retracted, Ruled
from referee.rules.game import Explained, Nothing, Unclear
from referee.rules.match import Match, replay
from tests.game_play import HOST, after, players_of, random_moves, scenes, started, watch

ALL = pytest.mark.parametrize("name", games.names())
SLOW = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow],
)


def pieces_of(name: str) -> list[Any]:
    game = games.load(name)
    return [w.piece for w in game.standing(started(game).state, None).pieces]


def refereed(data: Any, name: str) -> Match[Any]:
    """A match of random scenes, on top of some lawful moves."""
    game = games.load(name)
    match = started(game, data.draw(st.integers(2, 4)))
    for i, (_, move) in enumerate(random_moves(game, match.state, data.draw(st.integers(0, 999)))):
        if i >= data.draw(st.integers(0, 12)):
            break
        match = after(match, Ruled((move,), CAMERA))
    seen = data.draw(st.lists(scenes(pieces_of(name)), max_size=6))
    return watch(match, seen, data.draw(st.lists(st.integers(-1, 5), min_size=1, max_size=4)))


def test_an_unknown_game_is_named_with_those_there_are() -> None:
    with pytest.raises(UnknownGame, match=r"no game is called 'chess'; there are .*poc"):
        games.load("chess")


@ALL
def test_options_are_frozen_plain_fields_with_defaults(name: str) -> None:
    options = games.load(name).options_type()
    assert json.loads(json.dumps(encode(options))) == encode(options)
    for field in fields(options):
        with pytest.raises(AttributeError):
            setattr(options, field.name, None)


@ALL
@SLOW
@given(data=st.data())
def test_replay_gives_the_same_match(name: str, data: Any) -> None:
    match = refereed(data, name)
    again = replay(match.game, match.events)
    assert again.state == match.state
    assert again.lines == match.lines
    assert again.open == match.open
    assert again.scene == match.scene


@ALL
@SLOW
@given(data=st.data())
def test_the_log_survives_json(name: str, data: Any) -> None:
    match = refereed(data, name)
    kinds = (*match.game.moves, match.game.options_type)
    lines = [json.dumps(encode(e)) for e in match.events]
    assert tuple(decode(json.loads(line), Event, kinds) for line in lines) == match.events


@ALL
@SLOW
@given(data=st.data())
def test_taking_back_the_last_ruling_is_as_if_it_never_was(name: str, data: Any) -> None:
    match = refereed(data, name)
    if not match.lines:
        return
    seq = match.lines[-1].seq
    undone = after(match, Retracted(seq, HOST, "misread"))
    assert undone.state == replay(match.game, match.events[:seq]).state
    redone = after(undone, Retracted(len(match.events), HOST, "it was right"))
    assert redone.state == match.state
    assert redone.lines == match.lines


@ALL
@SLOW
@given(data=st.data())
def test_the_same_scene_again_is_nothing(name: str, data: Any) -> None:
    match = refereed(data, name)
    if match.scene is not None:
        quiet = compare(match.scene, match.scene)
        if not match.scene.flights:
            assert match.game.read(match.state, quiet) == Nothing()


@ALL
@SLOW
@given(data=st.data())
def test_questions_have_six_different_options_at_most(name: str, data: Any) -> None:
    match = refereed(data, name)
    reading = match.game.read(match.state, compare(match.scene, data.draw(scenes(pieces_of(name)))))
    match reading:
        case Explained(moves=moves):
            assert moves
        case Unclear(question=question, options=options):
            assert question
            assert 1 <= len(options) <= 6
            assert len(set(options)) == len(options)
            told = [tuple(match_say(name, m) for m in story) for story in options]
            assert len(set(told)) == len(told), "people must be able to tell the options apart"
        case Nothing():
            pass


def match_say(name: str, move: Any) -> str:
    return games.load(name).say(move)


@ALL
@SLOW
@given(data=st.data())
def test_every_piece_is_somewhere_exactly_once(name: str, data: Any) -> None:
    match = refereed(data, name)
    assert [w.piece for w in match.game.standing(match.state, None).pieces] == pieces_of(name)
    assert len(set(pieces_of(name))) == len(pieces_of(name))


@ALL
@pytest.mark.parametrize("count", [2, 3, 4])
def test_lawful_play_ends_and_stays_ended(name: str, count: int) -> None:
    game = games.load(name)
    for seed in range(25):
        opening = game.setup(players_of(game, count), game.options_type())
        state, played = opening, list[Any]()
        for before, move in random_moves(game, opening, seed):
            ruling = game.rule(before, move)
            assert not any(call.foul for call in ruling.calls), (move, ruling.calls)
            assert [w.piece for w in game.standing(ruling.state, None).pieces] == pieces_of(name)
            state = ruling.state
            played.append(move)
            assert len(played) <= 2000
        standing = game.standing(state, None)
        assert standing.finished and standing.turn is None and standing.winners
        for move in played[-20:]:
            assert game.rule(state, move).state == state


@ALL
def test_options_of_a_seat_are_some_of_anybodys(name: str) -> None:
    game = games.load(name)
    for state, _ in random_moves(game, started(game, 3).state, 7):
        anybody = game.options(state, None)
        for player in players_of(game, 3):
            assert set(game.options(state, player.name)) <= set(anybody)
        assert len(set(anybody)) == len(anybody)
        assert all(game.say(move) for move in anybody)


@ALL
def test_alternatives_come_to_something_else_and_can_be_put_in_place(name: str) -> None:
    game = games.load(name)
    match = started(game, 3)
    for _, move in random_moves(game, match.state, 3):
        match = after(match, Ruled((move,), CAMERA))
    rng = random.Random(1)
    for line in match.lines:
        before = replay(game, match.events, until=line.seq).state
        stories = game.alternatives(before, line.moves)
        assert len(stories) <= 12
        assert line.moves not in stories
        if stories:
            amended = after(match, Amended(line.seq, rng.choice(stories), HOST, "seen otherwise"))
            assert replay(game, amended.events).state == amended.state

"""Frozen dataclasses to JSON and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.codec import decode, encode
from referee.errors import IncoherentLog
from referee.facts import Measure, PieceId, Rest, Scene
from referee.games.poc import GAME
from referee.games.poc.moves import Cleared, Laid, Misplaced, Observed, Table, Throw, Turn, Zone
from referee.games.poc.options import Options
from referee.games.poc.pieces import ANIMALS
from referee.rules.events import CAMERA, Asked, Event, Retracted, Role, Ruled, Started, Who
from referee.rules.game import Player
from tests.poc_scenes import flight, placed, scene, touch

KINDS = (*GAME.moves, Options)


def there_and_back(value: Any, hint: Any) -> Any:
    return decode(json.loads(json.dumps(encode(value))), hint, KINDS)


animals = st.sampled_from(ANIMALS)
pairs = st.lists(st.tuples(animals, animals), max_size=5).map(tuple)
tables = st.builds(
    Table,
    zones=st.lists(st.tuples(animals, st.sampled_from(Zone)), max_size=6).map(tuple),
    covers=pairs,
    near=pairs,
    doubt=pairs,
)
moves = st.one_of(
    st.builds(Throw, seat=st.text(), piece=animals, flip=st.booleans(), table=tables),
    st.builds(Observed, table=tables),
    st.just(Cleared()),
    st.builds(Laid, table=tables),
    st.builds(Misplaced, piece=animals),
    st.builds(Turn, seat=st.text()),
)


@given(st.lists(moves, max_size=4).map(tuple))
def test_any_ruling_survives_json(story: tuple[Any, ...]) -> None:
    event = Event(7, "2024-01-01T00:00:00Z", Ruled(story, CAMERA, 3, ("seen",)))
    assert there_and_back(event, Event) == event


def test_every_kind_of_event_survives_json() -> None:
    seen = scene([placed("fox1", (1.0, 2.0), Rest.ON_RIM)], [touch("fox1", "fox2", 3.0)], [flight("fox1")])
    who = Who(Role.HOST, "Ana")
    for body in (
        Started("poc", 1, (Player("Ana", "fox"), Player("Ben", "gecko")), Options(mode=2)),
        Asked("Which?", ((Cleared(),), ()), 4),
        Retracted(3, who, "oops"),
    ):
        event = Event(0, "now", body)
        assert there_and_back(event, Event) == event
    assert there_and_back(seen, Scene) == seen


def test_a_whole_number_may_stand_for_a_length() -> None:
    assert decode({"value": 3, "sigma": 0.5}, Measure) == Measure(3.0, 0.5)


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        ({"value": "3", "sigma": 0.5}, Measure),
        ({"value": 3.0}, Measure),
        ({"value": 3.0, "sigma": 0.5, "unit": "mm"}, Measure),
        ({"seq": 0, "at": "now", "body": {"is": "Exploded"}}, Event),
        ({"seq": True, "at": "now", "body": {"is": "Upheld", "seq": 1, "by": {}, "reason": ""}}, Event),
        ([["fox1"]], tuple[tuple[PieceId, Zone], ...]),
        ("nowhere", Zone),
        (None, Measure),
        (5, PieceId),
    ],
)
def test_what_was_not_written_by_encode_is_refused(data: Any, hint: Any) -> None:
    with pytest.raises(IncoherentLog, match="not a readable"):
        decode(data, hint, KINDS)

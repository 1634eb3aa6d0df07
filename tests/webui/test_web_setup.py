"""Starting and resuming; the form is drawn from whatever options a game has."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee import games
from referee.errors import ConfigError
from referee.games.poc.options import Options as PocOptions
from tests.stand_ins import Toy
from tests.webui.conftest import Sitting
from webui.setup import choices, parse, seats


class Pace(Enum):
    SLOW = "slow"
    FAST = "fast"


@dataclass(frozen=True)
class Every:
    pace: Pace = Pace.SLOW
    rounds: Literal[3, 5] = 3
    limit: int = 10
    width_mm: float = 1.5
    double: bool = True
    title: str = ""


class Curious(Toy):
    name = "curious"
    options_type = Every


def test_every_kind_of_option_has_its_kind_of_field():
    kinds = {c.name: (c.kind, c.default, c.choices) for c in choices(Curious())}
    assert kinds == {
        "pace": ("choice", "slow", (("slow", "slow"), ("fast", "fast"))),
        "rounds": ("choice", "3", (("3", "3"), ("5", "5"))),
        "limit": ("number", "10", ()),
        "width_mm": ("number", "1.5", ()),
        "double": ("flag", "on", ()),
        "title": ("text", "", ()),
    }


def test_a_form_becomes_the_games_own_options():
    form = {"option-pace": "fast", "option-rounds": "5", "option-limit": "7", "option-width_mm": "2"}
    assert parse(Curious(), form) == Every(Pace.FAST, 5, 7, 2.0, False, "")


@pytest.mark.parametrize(
    ("name", "value"),
    [("pace", "warp"), ("rounds", "4"), ("limit", "many"), ("width_mm", "1,5"), ("limit", "")],
)
def test_a_wrong_option_is_named(name: str, value: str):
    with pytest.raises(ConfigError, match=name.replace("_", " ").capitalize()):
        parse(Curious(), {f"option-{name}": value})


@given(
    st.dictionaries(st.sampled_from([f"option-{n}" for n in Every.__annotations__]), st.text(), max_size=6)
)
def test_any_form_gives_options_or_one_sentence(form: dict[str, str]):
    try:
        parsed = parse(Curious(), form)
    except ConfigError as error:
        assert "\n" not in str(error).strip() or any("\n" in v for v in form.values())
    else:
        assert isinstance(parsed, Every)


def test_untouched_house_rules_are_the_games_defaults():
    assert parse(games.load("poc"), {}) == PocOptions()


def test_empty_seats_are_left_out_and_names_are_tidied():
    form = {"name-1": "  Ana  Maria ", "side-1": "fox", "name-2": " ", "side-2": "gecko", "name-4": "Ben"}
    assert [(p.name, p.side) for p in seats(form)] == [("Ana Maria", "fox"), ("Ben", "")]


def poc_form(**changes: str) -> dict[str, str]:
    form = {"game": "poc", "name-1": "Ana", "side-1": "fox", "name-2": "Ben", "side-2": "gecko"}
    return {**form, "option-mode": "2", **changes}


def test_a_match_of_poc_starts_from_the_form(empty: Sitting):
    assert empty.host().post("/start", **poc_form()).status_code == 303
    match = empty.session.latest().match
    assert [s.player for s in match.game.standing(match.state, None).scores] == ["Ana", "Ben"]
    assert match.events[0].body.options.mode == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"side-2": "fox"}, "both have the family fox"),
        ({"name-2": ""}, "two to four players"),
        ({"side-2": "dragon"}, "Ben has not chosen"),
        ({"name-2": "Ana"}, "two players are called Ana"),
        ({"option-mode": "9"}, "choose one of 1, 2, 3"),
        ({"option-starter": "Zoe"}, "starter"),
    ],
)
def test_what_does_not_fit_is_said_and_the_form_keeps_what_was_typed(
    empty: Sitting, change: dict[str, str], said: str
):
    answer = empty.host().post("/start", **poc_form(**change))
    assert answer.status_code == 400
    assert said in answer.text.replace("&#39;", "'")
    assert 'value="Ana"' in answer.text
    assert empty.session.latest().match is None


def test_an_unknown_game_is_said_so(empty: Sitting):
    answer = empty.host().post("/start", game="chess")
    assert answer.status_code == 400
    assert "chess" in answer.get_json()["error"]


def test_a_game_without_decoration_is_set_up_and_played(empty: Sitting, toy: Toy):
    host = empty.host()
    page = host.get("/start?game=toy").text
    assert "picker" not in page and "Goal" in page
    host.post("/start", game="toy", **{"name-1": "Ana", "name-2": "Ben", "option-goal": "3"})
    for path in ("/", "/board", "/overlay", "/history/"):
        page = host.get(path).text
        assert "Ana" in page and "seat-1" in page
    host.post("/declare", option=0, seen=len(empty.session.latest().match.events))
    assert "Pass." in host.get("/").text


def test_an_unfinished_match_is_resumed(playing: Sitting):
    host = playing.host()
    earlier = playing.session.latest().match_id
    host.post("/start", **poc_form())
    assert playing.session.latest().match_id != earlier
    assert f"/resume/{earlier}" in host.get("/start").text
    empty = playing.session.latest().match_id
    host.post(f"/resume/{earlier}")
    assert playing.session.latest().match_id == earlier
    assert f"/resume/{empty}" not in host.get("/start").text, "nothing was ruled in it"

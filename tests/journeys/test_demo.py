"""The demonstration that the package carries is ruled as the rulebook says."""

import json
import re

import pytest
from click.testing import CliRunner

from referee import demo
from referee.cli import group

pytestmark = pytest.mark.timeout(1200)  # a whole match, read as fast as a machine with other work can


@pytest.fixture(scope="module")
def said() -> str:
    """What `referee demo --once` prints."""
    result = CliRunner().invoke(group, ["demo", "--once"])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_every_throw_of_the_demonstration_is_seen_in_its_order_and_none_besides(said: str) -> None:
    thrown = re.findall(r"(\w+(?: \w+)?) was thrown", said)
    assert thrown == re.findall(r"throws (\w+):", demo.EXPECTED.read_text())


def test_half_a_turn_in_the_air_is_never_told_wrongly_and_seldom_asked_about(said: str) -> None:
    turns = json.loads(demo.TRUTH.read_text())["turns"]
    filmed = ["yes" if turn["half_turns_in_air"] >= 0.9 else "no" for turn in turns]
    told = re.findall(r"half a turn: (\w+)", said)
    assert len(told) == len(filmed)
    assert [t for t, f in zip(told, filmed, strict=True) if t not in (f, "unsure")] == []
    assert told.count("unsure") <= len(filmed) // 4


def test_the_demonstration_ends_with_the_result_that_the_rulebook_gives(said: str) -> None:
    ana, ben = re.findall(r"Ana (\d+), Ben (\d+):", demo.EXPECTED.read_text())[-1]
    assert said.splitlines()[-1] == f"Final score: fox {ana}, gecko {ben}"

"""Readings of the scenes under fixtures/scenes, where the eye's work ends and the rules' work begins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.codec import decode
from referee.facts import Scene, compare
from referee.games.poc import GAME
from referee.games.poc.moves import Move
from referee.games.poc.options import Options
from referee.rules.game import Explained, Nothing, Player, Unclear

FOLDER = Path(__file__).parent.parent / "fixtures" / "scenes"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda p: p.stem)
def test_a_pair_of_scenes_is_read_as_it_says(path: Path) -> None:
    said = json.loads(path.read_text(encoding="utf-8"))
    players = tuple(Player(*seat.split("=")) for seat in said["players"].split(","))
    state = GAME.setup(players, Options(**said["options"]))
    for move in said["moves"]:
        state = GAME.rule(state, decode(move, Move, GAME.moves)).state
    change = compare(decode(said["before"], Scene | None), decode(said["after"], Scene))
    match GAME.read(state, change):
        case Explained(moves=moves):
            read, says = "explained", [GAME.say(m) for m in moves]
        case Unclear(options=options):
            read, says = "unclear", ["; ".join(GAME.say(m) for m in story) for story in options]
        case Nothing():
            read, says = "nothing", []
    assert (read, says) == (said["reading"], said["says"]), said["about"]


def test_there_are_scenes_to_read() -> None:
    assert len(list(FOLDER.glob("*.json"))) >= 6

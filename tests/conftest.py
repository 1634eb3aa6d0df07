"""Shared fixtures."""

import pytest

from referee import games
from tests.stand_ins import Toy


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Toy:
    """A game that `referee.games` finds beside the real ones."""
    game, load = Toy(), games.load
    monkeypatch.setattr(games, "load", lambda name: game if name == game.name else load(name))
    return game

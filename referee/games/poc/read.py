from __future__ import annotations

from referee.facts import Change
from referee.games.poc.moves import Move
from referee.games.poc.state import State
from referee.rules.game import Explained, Nothing, Unclear


def read(state: State, change: Change) -> Explained[Move] | Unclear[Move] | Nothing:
    return Nothing()

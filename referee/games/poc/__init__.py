"""Poc!: flick a coaster off your fist; what it covers is yours; the box doubles your own."""

from __future__ import annotations

from referee.facts import Change
from referee.games.poc import words
from referee.games.poc.board import standing
from referee.games.poc.buttons import options
from referee.games.poc.disputes import alternatives
from referee.games.poc.moves import Cleared, Laid, Misplaced, Move, Observed, Throw, Turn
from referee.games.poc.options import Options
from referee.games.poc.read import read
from referee.games.poc.rules import rule
from referee.games.poc.setup import setup
from referee.games.poc.state import State
from referee.rules.game import Explained, Nothing, Player, Ruling, Standing, Unclear


class Poc:
    """The Game interface over the functions of this folder."""

    name = "poc"
    title = "Poc!"
    version = 1
    moves: tuple[type[Move], ...] = (Throw, Observed, Cleared, Misplaced, Laid, Turn)
    options_type = Options

    def setup(self, players: tuple[Player, ...], options: Options) -> State:
        return setup(players, options)

    def read(self, state: State, change: Change) -> Explained[Move] | Unclear[Move] | Nothing:
        return read(state, change)

    def rule(self, state: State, move: Move) -> Ruling[State]:
        return rule(state, move)

    def options(self, state: State, seat: str | None) -> tuple[Move, ...]:
        return options(state, seat)

    def alternatives(self, state: State, moves: tuple[Move, ...]) -> tuple[tuple[Move, ...], ...]:
        return alternatives(state, moves)

    def say(self, move: Move) -> str:
        return words.say(move)

    def standing(self, state: State, viewer: str | None) -> Standing:
        return standing(state)


GAME = Poc()

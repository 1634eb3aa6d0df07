"""A game played at the keyboard."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from referee import games
from referee.errors import ConfigError
from referee.games.poc.options import Options
from referee.play import play
from referee.rules.game import Player
from referee.rules.match import Match

PLAYERS = (Player("Ana", "panda"), Player("Ben", "fox"))


def typed(*lines: str) -> tuple[Match, list[str]]:
    """The match and all that was shown, when these lines are typed; then the keyboard is left alone."""
    shown: list[str] = []
    waiting: Iterator[str] = iter(lines)

    def ask(prompt: str) -> str:
        try:
            return next(waiting)
        except StopIteration:
            raise EOFError from None

    match = play(games.load("poc"), PLAYERS, Options(), ask, shown.append, lambda: "2024-01-01T00:00:00Z")
    return match, shown


def test_a_number_says_what_happened() -> None:
    match, shown = typed("1")
    assert [line.seq for line in match.lines] == [1]
    assert "   1  Ana throws panda 1, on the table" in shown
    assert "    Ana's panda 1 lies on the table" in shown
    assert "Ben: to throw" in shown


def test_undo_takes_back_the_last_ruling_or_the_one_named() -> None:
    assert [line.seq for line in typed("1", "1", "u")[0].lines] == [1]
    assert [line.seq for line in typed("1", "1", "u 1")[0].lines] == [2]


def test_the_log_shows_the_rulings_in_force() -> None:
    _, shown = typed("1", "l")
    assert "   1  Ana throws panda 1, on the table · Ana's panda 1 lies on the table" in shown


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("0", "'0' is none of these"),
        ("999", "'999' is none of these"),
        ("", "'' is none of these"),
        ("banana", "'banana' is none of these"),
        ("u", "there is nothing to undo"),
        ("u x", "'x' is no number of a ruling"),
        ("u 7", "event 7 is not one that can be taken back"),
    ],
)
def test_a_line_that_makes_no_sense_is_told_and_nothing_is_lost(line: str, says: str) -> None:
    match, shown = typed(line)
    assert any(text.startswith(says) for text in shown)
    assert len(match.events) == 1


def test_q_stops() -> None:
    match, _ = typed("1", "q", "1")
    assert len(match.lines) == 1


def test_the_game_is_played_to_its_end() -> None:
    match, shown = typed(*["1"] * 60)
    assert games.load("poc").standing(match.state, None).finished
    assert shown[-1] == "the game is over"


def test_players_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ConfigError, match="two to four players"):
        play(games.load("poc"), PLAYERS[:1], Options(), input, print, lambda: "")

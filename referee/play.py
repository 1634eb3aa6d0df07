"""A game without a camera, in text: what may happen is numbered, and people say which did.

For trying out rules, for tables where no camera stands, and for whoever wants to see a ruling argued.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from referee.errors import IncoherentLog
from referee.rules.events import Event, Retracted, Role, Ruled, Started, Who
from referee.rules.game import Game, Player, Standing
from referee.rules.match import Match, start

BY = Who(Role.HOST, "keyboard")

HELP = "a number: it happened · u: undo the last ruling · u N: undo ruling N · l: the log · q: stop"


def play(
    game: Game[Any, Any],
    players: tuple[Player, ...],
    options: Any,
    ask: Callable[[str], str],
    tell: Callable[[str], None],
    now: Callable[[], str],
) -> Match[Any]:
    """Play until the game ends, or until `ask` answers "q" or raises EOFError. Returns the match so far.

    ask: shows a prompt and returns a line. tell: shows a line. now: the time, UTC, ISO 8601.
    Raises ConfigError for players or options that don't fit.
    """
    match = start(game, Event(0, now(), Started(game.name, game.version, players, options)))
    tell(HELP)
    while True:
        standing = game.standing(match.state, None)
        moves = () if standing.finished else game.options(match.state, None)
        for line in (*scoreboard(standing), *(f"{i:>4}  {game.say(m)}" for i, m in enumerate(moves, 1))):
            tell(line)
        if standing.finished:
            return match
        try:
            word, _, rest = ask("> ").strip().lower().partition(" ")
        except EOFError:
            return match
        if word == "q":
            return match
        if word == "l":
            for line in log_lines(match):
                tell(line)
        elif word == "u":
            match = _undo(match, rest, tell, now)
        elif word.isdecimal() and 1 <= int(word) <= len(moves):
            match = match.after(Event(len(match.events), now(), Ruled((moves[int(word) - 1],), BY)))
            for call in match.lines[-1].calls:
                tell(f"    {call.text}")
        else:
            tell(f"{word!r} is none of these. {HELP}")


def _undo(match: Match[Any], which: str, tell: Callable[[str], None], now: Callable[[], str]) -> Match[Any]:
    if not which and not match.lines:
        tell("there is nothing to undo")
        return match
    if which and not which.isdecimal():
        tell(f"{which!r} is no number of a ruling")
        return match
    seq = int(which) if which else match.lines[-1].seq
    try:
        return match.after(Event(len(match.events), now(), Retracted(seq, BY, "undone at the keyboard")))
    except IncoherentLog as error:
        tell(str(error))
        return match


def scoreboard(standing: Standing) -> tuple[str, ...]:
    """Scores and stores, a line each, then what is awaited."""
    scores = [
        f"{s.player}{f' ({s.side})' if s.side else ''}: {s.points} points"
        + "".join(f", {count} {store}" for store, count in s.stores)
        for s in standing.scores
    ]
    awaited = f"{standing.turn}: {standing.phase}" if standing.turn else standing.phase
    return (*scores, awaited)


def log_lines(match: Match[Any]) -> tuple[str, ...]:
    """The rulings in force: number, what happened, what was called."""
    return tuple(
        f"{line.seq:>4}  {'; '.join(match.game.say(m) for m in line.moves)}"
        + "".join(f" · {call.text}" for call in line.calls)
        for line in match.lines
    )

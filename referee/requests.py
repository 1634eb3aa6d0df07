"""What people may ask of a running match, and the event that each request becomes. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from referee.errors import Refused
from referee.rules.events import Amended, Body, Dismissed, Event, Retracted, Role, Ruled, Seen, Upheld, Who
from referee.rules.match import Line, Match, replay


@dataclass(frozen=True)
class Answer:
    """Choose a story of the open question. `asked` is its seq: a stale button is refused."""

    asked: int
    option: int


@dataclass(frozen=True)
class Dismiss:
    """Nothing happened: close the open question."""

    asked: int
    reason: str


@dataclass(frozen=True)
class Declare:
    """A lawful move that people declare. `seen` is the length of the log that the sender saw."""

    move: Any
    seen: int


@dataclass(frozen=True)
class Retract:
    seq: int
    reason: str
    seen: int


@dataclass(frozen=True)
class Amend:
    """Put the alternative number `option` (of `alternatives`) in the place of ruling `seq`."""

    seq: int
    option: int
    reason: str
    seen: int


@dataclass(frozen=True)
class Uphold:
    seq: int
    reason: str
    seen: int


Request = Answer | Dismiss | Declare | Retract | Amend | Uphold


def event_body(match_: Match[Any], request: Request, by: Who) -> Body:
    """The event that grants `request`. Raises Refused, saying why it can't be granted now."""
    match request:
        case Answer(asked, option):
            question = _open_question(match_, asked)
            if not 0 <= option < len(question.options):
                raise Refused(f"the question has answers 1 to {len(question.options)}, not {option + 1}")
            return Ruled(question.options[option], by, question.on)
        case Dismiss(asked, reason):
            _open_question(match_, asked)
            return Dismissed(by, reason)
        case Declare(move, seen):
            _require_fresh(match_, seen)
            _require_lawful(match_, move, by)
            return Ruled((move,), by)
        case Retract(seq, reason, seen):
            _require_fresh(match_, seen)
            return Retracted(seq, by, reason)
        case Amend(seq, option, reason, seen):
            _require_fresh(match_, seen)
            instead = alternatives(match_, seq)
            if not 0 <= option < len(instead):
                raise Refused(
                    f"ruling {seq} has {len(instead)} other readings, there is no number {option + 1}"
                )
            return Amended(seq, instead[option], by, reason)
        case Uphold(seq, reason, seen):
            _require_fresh(match_, seen)
            return Upheld(seq, by, reason)


def alternatives(match_: Match[Any], seq: int) -> tuple[tuple[Any, ...], ...]:
    """What may be put in the place of ruling `seq`, likeliest first. Raises Refused if not in force."""
    line = _line(match_, seq)
    before = replay(match_.game, match_.events, until=seq)
    found: tuple[tuple[Any, ...], ...] = match_.game.alternatives(before.state, line.moves)
    return found


def _line(match_: Match[Any], seq: int) -> Line:
    for line in match_.lines:
        if line.seq == seq:
            return line
    raise Refused(f"event {seq} is not a ruling in force: look at the list again")


def _open_question(match_: Match[Any], asked: int) -> Any:
    if match_.open != asked or match_.question is None:
        raise Refused("that question is closed already; nothing was changed")
    return match_.question


def _require_fresh(match_: Match[Any], seen: int) -> None:
    """Only evidence may have come since the sender looked: it changes nothing of what they saw."""
    news: tuple[Event, ...] = match_.events[seen:]
    if not 0 < seen <= len(match_.events) or not all(isinstance(e.body, Seen | Upheld) for e in news):
        raise Refused(
            "the match has moved on since you looked; nothing was changed: look again, then repeat it"
        )


def _require_lawful(match_: Match[Any], move: Any, by: Who) -> None:
    if match_.open is not None:
        raise Refused("answer the open question first; nothing was changed")
    game = match_.game
    seat = by.name if by.role is Role.SEAT else None
    if type(move) not in {type(option) for option in game.options(match_.state, seat)}:
        raise Refused(f"{game.say(move)!r} can't be declared now; nothing was changed")
    fouls = [call.text for call in game.rule(match_.state, move).calls if call.foul]
    if fouls:
        raise Refused(f"{fouls[0]}; nothing was changed")

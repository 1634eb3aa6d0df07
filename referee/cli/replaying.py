"""A clip, seen and ruled frame by frame in this process: the lines of `replay`, and of `demo --once`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from pathlib import Path
from typing import Any

import click

from referee.cli import lines
from referee.entry import shown
from referee.errors import CalibrationError, ConfigError
from referee.facts import Scene
from referee.requests import Answer, Dismiss, event_body
from referee.rules.events import Asked, Body, Event, Role, Ruled, Started, Who
from referee.rules.game import Game, Player
from referee.rules.match import Match, react, start
from referee.vision.frames.source import Frame, Source
from referee.vision.outcome import Outcome

HOST = Who(Role.HOST, "answers file")

Answerer = Callable[[Match[Any]], int | None]
"""Asked when a question is open: the answer's number, 0 for "nothing happened", None to leave it open."""


@dataclass(frozen=True)
class Answers:
    """One line for each question, in their order: the number of the answer, or 0 for "nothing happened"."""

    numbers: tuple[int, ...] = ()

    @classmethod
    def load(cls, path: Path) -> Answers:
        """Raises ConfigError, naming the line."""
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"answers {path} can't be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise ConfigError(f"answers {path} can't be read: it is no text in UTF-8") from error
        rows = [row.partition("#")[0].strip() for row in text.splitlines()]
        for n, row in enumerate(rows, 1):
            if row and not (row.isdecimal() and len(row) < 10):
                raise ConfigError(
                    f"line {n} of {path} is {shown(row)}: write the number of an answer, or 0 for none"
                )
        return cls(tuple(int(row) for row in rows if row))

    def in_order(self) -> Answerer:
        left = iter(self.numbers)
        return lambda match_: next(left, None)


def open_match(game: Game[Any, Any], players: tuple[Player, ...], options: Any) -> Match[Any]:
    return start(game, _event(0, Started(game.name, game.version, players, options)))


def replay_lines(
    source: Source,
    eye: Any,
    see: Callable[[Any, Frame], tuple[Any, Outcome]],
    match_: Match[Any] | None,
    answer: Answerer,
) -> Iterator[dict[str, Any]]:
    """One line for each scene, throw, ruling and question, in order, and one for the end.

    Without a match it only observes. Raises CalibrationError at the end when the table was never seen.
    """
    began_s, frames = time.monotonic(), 0
    read, trouble = False, "the table never lay still"
    for frame in source.frames():
        frames += 1
        seeing_s = time.monotonic()
        eye, outcome = see(eye, frame)
        trouble = outcome.trouble or trouble
        if (seen := outcome.scene) is None:
            continue
        read = True
        yield lines.scene(seen)
        for flight in seen.flights:
            yield lines.throw(flight, seen, frame.index + _meanwhile(frame, time.monotonic() - seeing_s))
        if match_ is not None:
            match_, said = _rule(match_, seen, answer)
            yield from said
    wall_s = round(time.monotonic() - began_s, 3)
    yield {"event": "end", "frames": frames, "dropped": source.losses().dropped, "wall_s": wall_s}
    if not read:
        raise CalibrationError(f"nothing was read from {source.name}: {trouble}")


def tell(said: Iterable[dict[str, Any]], as_json: bool) -> None:
    """Print the lines as they come: for programs, or for people, who get the final score as well."""
    scores: dict[str, int] = {}
    for line in said:
        scores = line.get("scores", scores)
        if as_json:
            click.echo(json.dumps(line, ensure_ascii=False))
        elif text := _in_words(line):
            click.echo(text)
    if scores and not as_json:
        click.echo(f"Final score: {_points(scores)}")


def _in_words(line: dict[str, Any]) -> str:
    """A line for people; empty for what only programs want to know."""
    match line["event"]:
        case "throw":
            return f"        {line['coaster'] or 'a coaster'} was thrown; half a turn: {line['flip']}"
        case "ruling":
            return f"{line['t_s']:6.1f}  {line['text']}  [{_points(line['scores'])}]"
        case "question":
            choices = "  ".join(f"{n} {option}" for n, option in enumerate(line["options"], 1))
            answered = f"\n        answered: {line['answer']}" if "answer" in line else ""
            return f"{line['t_s']:6.1f}  {line['text']}  ({choices}){answered}"
        case "end":
            return f"{line['frames']} frames in {line['wall_s']:.1f} s"
        case _:
            return ""


def _points(scores: dict[str, int]) -> str:
    return ", ".join(f"{side} {points}" for side, points in scores.items())


def _meanwhile(frame: Frame, taken_s: float) -> int:
    """How many frames a camera of the clip's pace would have given while one was seen: a throw counts as
    ruled at the frame that would be on the screen by then, however fast the clip is read."""
    return ceil(taken_s * frame.index / frame.t_s) if frame.t_s > 0 else 0


def _rule(match_: Match[Any], seen: Scene, answer: Answerer) -> tuple[Match[Any], list[dict[str, Any]]]:
    said = []
    for body in react(match_, seen):
        match_, told = _follow(match_, body, seen.t_s)
        said += told
    if match_.open is not None and (number := answer(match_)) is not None:
        wanted = Answer(match_.open, number - 1) if number else Dismiss(match_.open, "nothing happened")
        body = event_body(match_, wanted, HOST)
        for line in said:
            if line["event"] == "question":
                line["answer"] = _answer_text(match_, body)
        match_, told = _follow(match_, body, seen.t_s)
        said += told
    return match_, said


def _follow(match_: Match[Any], body: Body, t_s: float) -> tuple[Match[Any], list[dict[str, Any]]]:
    match_ = match_.after(_event(len(match_.events), body))
    t_s = round(t_s, 3)
    match body:
        case Ruled():
            scores = lines.scores(match_.game.standing(match_.state, None))
            texts = [call.text for call in match_.lines[-1].calls]
            return match_, [{"event": "ruling", "t_s": t_s, "text": t, "scores": scores} for t in texts]
        case Asked(question, options):
            stories = [_story(match_, moves) for moves in options]
            return match_, [{"event": "question", "t_s": t_s, "text": question, "options": stories}]
        case _:
            return match_, []


def _answer_text(match_: Match[Any], body: Body) -> str:
    return _story(match_, body.moves) if isinstance(body, Ruled) else "nothing happened"


def _story(match_: Match[Any], moves: tuple[Any, ...]) -> str:
    return ", then ".join(map(match_.game.say, moves)) or "nothing"


def _event(seq: int, body: Body) -> Event:
    return Event(seq, datetime.now(UTC).isoformat(timespec="milliseconds"), body)

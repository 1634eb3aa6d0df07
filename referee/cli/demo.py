"""`referee demo`: the embedded match, refereed before your eyes."""

from __future__ import annotations

import json
import tempfile
import tomllib
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress

from calibration.render.demo import make_demo
from referee import config, demo, games
from referee.cli.board import board_options, show
from referee.cli.eye import job, sights
from referee.cli.replaying import open_match, replay_lines, tell
from referee.cli.setup import program_log
from referee.entry import Entry
from referee.errors import ConfigError, Refused
from referee.facts import FLIPPED_FROM
from referee.games.poc.moves import Throw
from referee.requests import Answer
from referee.rules.events import Role, Who
from referee.rules.game import Game, Player
from referee.rules.match import Match
from referee.seating import parse_options, parse_players
from referee.session import Session, Snapshot
from referee.vision import pipeline
from referee.vision.frames.source import Clip
from referee.vision.pipeline import Sights
from referee.vision.process.keeper import Keeper

FILM = Who(Role.HOST, "the players in the film")
PATIENCE_S = 6.0
"""So long a question waits for whoever looks on; then the players in the film answer it."""
PAUSE_S = 8.0
"""The final score stands so long before the match is shown again."""

Cast = tuple[Game[Any, Any], tuple[Player, ...], Any]


@click.command()
@click.option("--once", is_flag=True, help="Print the rulings and the final score, and exit.")
@click.option("--make", is_flag=True, help="Draw the clip anew before; takes some minutes.")
@board_options
def command(once: bool, make: bool, share: bool, port: int, no_browser: bool) -> None:
    """Referee the embedded match of Poc!, over and over, on a dashboard in the browser."""
    if make:
        with Progress(console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task("Drawing the clip", total=None)
            make_demo(
                demo.FOLDER, progress=lambda done, total: progress.update(task, completed=done, total=total)
            )
    if not demo.CLIP.is_file():
        raise ConfigError(
            f"the embedded clip is missing from {demo.FOLDER}: draw it with `referee demo --make`"
        )
    wanted = config.Config()
    seen = sights(demo.LAYOUT, demo.CAMERA, demo.PIECES, demo.CLIP, wanted)
    if once:
        _rule_once(seen, cast())
    else:
        with tempfile.TemporaryDirectory(prefix="referee-demo-") as data:
            _rule_on(Path(data), seen, wanted, lambda session: show(session, share, port, no_browser))


def cast() -> Cast:
    """The game of the embedded clip, its players and its house rules. Raises ConfigError."""
    try:
        told = Entry(tomllib.loads(demo.MATCH.read_text(encoding="utf-8")))
        game = games.load(told.at("game").word())
        given = options.table() if (options := told.get("options")) else {}
        rules = parse_options(game, {name: str(entry.value) for name, entry in given.items()})
        return game, parse_players(told.at("players").word()), rules
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(
            f"{demo.MATCH} can't be used: {why}; draw the demonstration anew with `referee demo --make`"
        ) from error


def as_filmed(match_: Match[Any]) -> int | None:
    """What the players in the film would answer: the story in which the next throw was what was filmed."""
    asked = match_.question
    if asked is None:
        return None
    turns = json.loads(demo.TRUTH.read_text(encoding="utf-8"))["turns"]
    thrown = sum(isinstance(move, Throw) for line in match_.lines for move in line.moves)
    turn = turns[min(thrown, len(turns) - 1)]
    flip = turn["half_turns_in_air"] >= FLIPPED_FROM
    for number, story in enumerate(asked.options, 1):
        if any(isinstance(m, Throw) and (m.piece, m.flip) == (turn["coaster"], flip) for m in story):
            return number
    return 1


def _answer(session: Session, now: Snapshot) -> None:
    """Answer the open question, unless somebody else was faster."""
    if now.match is None or now.match.open is None or (number := as_filmed(now.match)) is None:
        return
    with suppress(Refused):
        session.submit(Answer(now.match.open, number - 1), FILM, now.match_id)


def _rule_once(seen: Sights, cast: Cast) -> None:
    with closing(Clip(demo.CLIP)) as clip:
        match_ = open_match(*cast)
        tell(replay_lines(clip, pipeline.open_eye(seen), pipeline.see, match_, as_filmed), False)


def _rule_on(data: Path, seen: Sights, wanted: config.Config, show_it: Callable[[Session], None]) -> None:
    game, players, options = cast()
    eye = Keeper(job(str(demo.CLIP), seen, data, wanted))
    with closing(Session.open(data, eye)) as session, program_log(data):
        stop = Event()

        def encore() -> None:
            now, asked_s = session.latest(), 0.0
            while not stop.is_set():
                now = session.wait(now.version, 1.0)
                if now.match is None or now.match.open is None:
                    asked_s = monotonic()
                elif monotonic() - asked_s > PATIENCE_S:
                    _answer(session, now)
                if now.ended is not None and not stop.wait(PAUSE_S):
                    with suppress(Refused):  # somebody has opened it by hand
                        session.replay_source()
                    session.start(game.name, players, options)

        session.start(game.name, players, options)
        thread = Thread(target=encore, name="encore")
        thread.start()
        try:
            show_it(session)
        finally:
            stop.set()
            thread.join()

"""`referee run`: a match on a real table, from a camera to the scoreboard."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread

import click

from referee import config, games
from referee.cli.board import board_options, show
from referee.cli.eye import job, sights
from referee.cli.setup import (
    PATH,
    data_option,
    game_options,
    program_log,
    seats_and_rules,
    table_options,
)
from referee.errors import CameraUnavailable, ConfigError
from referee.session import Session
from referee.vision.process.keeper import Keeper

LATEST = "the latest"


@click.command()
@click.option(
    "--source",
    default="0",
    show_default=True,
    help="A camera's number or name, an address (http://…, rtsp://…), a clip, a folder of pictures.",
)
@click.option("--game", "game_name", default="poc", show_default=True)
@game_options
@table_options
@click.option("--resume", is_flag=False, flag_value=LATEST, help="Go on with a match that is not finished.")
@click.option("--config", "settings", type=PATH, help="A TOML file of settings.")
@data_option
@board_options
def command(
    source: str,
    game_name: str,
    players: str | None,
    mode: int | None,
    strength: bool,
    options: tuple[str, ...],
    layout: Path | None,
    camera: Path | None,
    pieces: Path | None,
    resume: str | None,
    settings: Path | None,
    data: Path,
    share: bool,
    port: int,
    no_browser: bool,
) -> None:
    """Referee a match. Without --players, the browser asks who plays."""
    if players and resume:
        raise click.UsageError(
            "--players starts a new match and --resume goes on with an old one: choose one"
        )
    game = games.load(game_name)
    seated = seats_and_rules(game, players, mode, strength, options) if players else None
    wanted = config.load(settings) if settings else config.Config()
    seen = sights(layout, camera, pieces, Path(source), wanted)
    eye = Keeper(job(source, seen, data, wanted), wanted.keeper)
    with closing(Session.open(data, eye, wanted.evidence)) as session, program_log(data):
        going_on = None if resume is None else _chosen(session, resume)
        await_eye(session)
        if seated is not None:
            session.start(game.name, *seated)
        elif going_on is not None:
            session.resume(going_on)
        elif unfinished := session.unfinished():
            name = unfinished[0].match_id
            click.echo(f"{name} is not finished: go on with it in the browser, or with --resume", err=True)
        with errors_told(session):
            show(session, share, port, no_browser)


@contextmanager
def errors_told(session: Session) -> Iterator[None]:
    """Say in the terminal too when the eye fails for good while the dashboard is served."""
    stop = Event()
    thread = Thread(target=_tell_errors, args=(session, stop), name="errors", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _tell_errors(session: Session, stop: Event) -> None:
    now, told = session.latest(), ""
    while not stop.is_set():
        error = now.ended.error if now.ended is not None else ""
        if error and error != told:
            click.echo(error, err=True)
        told = error
        now = session.wait(now.version, 0.5)


def await_eye(session: Session) -> None:
    """Wait for the eye's first word. Raises CameraUnavailable when it is that there is nothing to see."""
    now = session.latest()
    give_up_s = time.monotonic() + 60.0
    while now.health is None and now.ended is None and time.monotonic() < give_up_s:
        now = session.wait(now.version, 1.0)
    if now.ended is not None and now.ended.error:
        raise CameraUnavailable(now.ended.error)


def _chosen(session: Session, resume: str) -> str:
    if resume == LATEST:
        return _latest(session)
    if resume not in {match_.match_id for match_ in session.matches()}:
        raise ConfigError(f"no match is called {resume!r}: `referee matches` lists them")
    return resume


def _latest(session: Session) -> str:
    unfinished = session.unfinished()
    if not unfinished:
        raise click.UsageError("no match is unfinished: start one with --players, or without --resume")
    return unfinished[0].match_id

"""`referee run`: a match on a real table, from a camera to the scoreboard."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from threading import Event, Thread

import click

from referee import config, games
from referee.archive import summarise
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
from referee.entry import shown
from referee.errors import CameraUnavailable, ConfigError
from referee.log import Log
from referee.place import Place
from referee.session import Session, Table
from referee.vision.process.keeper import Keeper

LATEST = "the latest"


@click.command()
@click.option(
    "--source",
    show_default="0",
    help="A camera's number or name, an address (http://…, rtsp://…), a clip, a folder of pictures.",
)
@click.option("--game", "game_name", default="poc", show_default=True)
@game_options
@table_options
@click.option(
    "--resume",
    metavar="[MATCH]",
    is_flag=False,
    flag_value=LATEST,
    help="Go on with the match of that name (`referee matches` lists them), without a name with the latest "
    "that is under way: from the camera and with the files that it was played with, "
    "unless others are given.",
)
@click.option("--config", "settings", type=PATH, help="A TOML file of settings.")
@data_option
@board_options
def command(
    source: str | None,
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
    going_on, before = (None, Place()) if resume is None else _chosen(data, resume)
    place = _place(source, layout, camera, pieces, settings, before)
    wanted = config.load(Path(place.settings)) if place.settings else config.Config()
    seen = sights(_path(place.layout), _path(place.camera), _path(place.pieces), Path(place.source), wanted)
    table = Table(_lasting(place), seen.pieces)
    eye = Keeper(job(place.source, seen, data, wanted), wanted.keeper)
    with closing(Session.open(data, eye, wanted.evidence, table)) as session, program_log(data):
        await_eye(session)
        begin: Callable[[], object] | None = None
        if seated is not None:
            begin = partial(session.start, game.name, *seated)
        elif going_on is not None:
            begin = partial(session.resume, going_on)
        elif unfinished := session.unfinished():
            name = unfinished[0].match_id
            click.echo(f"{name} is not finished: go on with it in the browser, or with --resume", err=True)
        with errors_told(session):
            show(session, share, port, no_browser, begin)


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


def _chosen(data: Path, resume: str) -> tuple[str, Place]:
    """The match to go on with, and where it was played last."""
    with closing(Log.open(data, writes=False)) as log:
        name = _latest(log) if resume == LATEST else resume
        if name not in {record.match_id for record in log.records()}:
            raise ConfigError(f"no match is called {shown(name)}: `referee matches` lists them")
        return name, log.place(name) or Place()


def _latest(log: Log) -> str:
    summaries = (summarise(log, record) for record in log.records())
    if (newest := next((s for s in summaries if s.under_way), None)) is None:
        raise click.UsageError("no match is under way: start one with --players, or without --resume")
    return newest.match_id


def _place(
    source: str | None,
    layout: Path | None,
    camera: Path | None,
    pieces: Path | None,
    settings: Path | None,
    before: Place,
) -> Place:
    """What was given, else what was `before`."""
    return Place(
        before.source or "0" if source is None else source,
        before.layout if layout is None else str(layout),
        before.camera if camera is None else str(camera),
        before.pieces if pieces is None else str(pieces),
        before.settings if settings is None else str(settings),
    )


def _lasting(place: Place) -> Place:
    """The same from whatever folder the program is started next."""
    source = str(Path(place.source).absolute()) if Path(place.source).exists() else place.source
    files = (place.layout, place.camera, place.pieces, place.settings)
    return Place(source, *(str(Path(file).absolute()) if file else "" for file in files))


def _path(text: str) -> Path | None:
    return Path(text) if text else None

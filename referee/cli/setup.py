"""Options that several commands share, and what they stand for."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, TypeVar

import click

from referee.errors import ConfigError
from referee.rules.game import Game, Player
from referee.seating import parse_options, parse_players

F = TypeVar("F", bound=Callable[..., Any])

PATH = click.Path(path_type=Path)


def table_options(command: F) -> F:
    """--layout, --camera and --pieces: what the table, the camera and the pieces are."""
    for decorate in (
        click.option("--pieces", type=PATH, help="Folder of the piece set. Default: the printed set."),
        click.option("--camera", type=PATH, help="The camera's lens. Default: estimated from the markers."),
        click.option("--layout", type=PATH, help="Where the markers lie. Default: the loose printed ones."),
    ):
        command = decorate(command)
    return command


def game_options(command: F) -> F:
    """--players, --mode, --strength and --option: who plays, by which house rules."""
    for decorate in (
        click.option(
            "--option",
            "options",
            multiple=True,
            metavar="NAME=VALUE",
            help="Any other house rule of the game; may be repeated.",
        ),
        click.option("--strength", is_flag=True, help="Poc!: the strength variant."),
        click.option("--mode", type=int, help="Poc!: 1 open box, 2 box with lid, 3 trampoline."),
        click.option("--players", metavar="NAME=SIDE,…", help='In the order of play: "Ana=fox,Ben=gecko".'),
    ):
        command = decorate(command)
    return command


def data_option(command: F) -> F:
    return click.option(
        "--data",
        type=PATH,
        default=data_folder,
        show_default="the user's data folder",
        help="Where matches and evidence are kept.",
    )(command)


def seats_and_rules(
    game: Game[Any, Any], players: str, mode: int | None, strength: bool, options: tuple[str, ...]
) -> tuple[tuple[Player, ...], Any]:
    """What `game_options` gave, fit for the game's set-up. Raises ConfigError."""
    given = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise ConfigError(f"option {option!r} has no value: write it like --option mode=2")
        given[name.strip()] = value
    if mode is not None:
        given["mode"] = str(mode)
    if strength:
        given["strength"] = "yes"
    seated, rules = parse_players(players), parse_options(game, given)
    game.setup(seated, rules)
    return seated, rules


def data_folder() -> Path:
    """Where the user's programs keep their data."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "tabletop-referee"


@contextmanager
def program_log(data: Path) -> Iterator[None]:
    """What goes wrong inside the program goes to a file beside the matches, never to the user's screen."""
    handler = RotatingFileHandler(data / "referee.log", maxBytes=1_000_000, backupCount=1, delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    loggers = [logging.getLogger(name) for name in ("referee", "webui")]
    for logger in loggers:
        logger.addHandler(handler)
        logger.propagate = False
    try:
        yield
    finally:
        for logger in loggers:
            logger.propagate = True
            logger.removeHandler(handler)
        handler.close()

"""`referee play`: a match without a camera, people say what happened."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from pathlib import Path

import click

from referee import games
from referee.cli.board import board_options, show
from referee.cli.setup import data_option, game_options, program_log, seats_and_rules
from referee.session import Session


@click.command()
@click.option("--game", "game_name", default="poc", show_default=True)
@game_options
@data_option
@board_options
def command(
    game_name: str,
    players: str | None,
    mode: int | None,
    strength: bool,
    options: tuple[str, ...],
    data: Path,
    share: bool,
    port: int,
    no_browser: bool,
) -> None:
    """Keep score without a camera: every move is declared on the dashboard."""
    game = games.load(game_name)
    seated = seats_and_rules(game, players, mode, strength, options) if players else None
    with closing(Session.open(data)) as session, program_log(data):
        begin = None if seated is None else partial(session.start, game.name, *seated)
        show(session, share, port, no_browser, begin)

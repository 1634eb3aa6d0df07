"""`referee replay`: a clip seen and ruled as fast as may be, one line for each thing that happened."""

from __future__ import annotations

from pathlib import Path

import click

from referee import config, games
from referee.cli.eye import sights
from referee.cli.replaying import Answers, open_match, replay_lines, tell
from referee.cli.setup import PATH, game_options, seats_and_rules, table_options
from referee.errors import ConfigError
from referee.seating import require_pieces
from referee.vision import pipeline
from referee.vision.frames.opening import open_source


@click.command()
@click.argument("clip", type=PATH)
@table_options
@click.option("--game", "game_name", default="poc", show_default=True)
@game_options
@click.option(
    "--answers", type=PATH, help="A file with the number of the answer to each question, one a line."
)
@click.option("--config", "settings", type=PATH, help="A TOML file of settings.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(
    clip: Path,
    layout: Path | None,
    camera: Path | None,
    pieces: Path | None,
    game_name: str,
    players: str | None,
    mode: int | None,
    strength: bool,
    options: tuple[str, ...],
    answers: Path | None,
    settings: Path | None,
    as_json: bool,
) -> None:
    """Read a clip. With --players it is refereed, without it is only observed."""
    game = games.load(game_name)
    if players is None and (answers or mode or strength or options):
        raise ConfigError("house rules and answers are for a match: name who plays with --players")
    seated = seats_and_rules(game, players, mode, strength, options) if players else None
    wanted = config.load(settings) if settings else config.Config()
    seen = sights(layout, camera, pieces, clip, wanted)
    told = Answers.load(answers) if answers else Answers()
    source = open_source(str(clip), wanted.source, paced=False)
    try:
        match_ = open_match(game, *seated) if seated else None
        if match_ is not None:
            require_pieces(game, match_.state, seen.pieces)
        tell(replay_lines(source, pipeline.open_eye(seen), pipeline.see, match_, told.in_order()), as_json)
    finally:
        source.close()

"""`referee matches`: what the log holds."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from referee.archive import Summary, summarise
from referee.cli.setup import data_option
from referee.log import Log


@click.command()
@data_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(data: Path, as_json: bool) -> None:
    """List the matches in the log, newest first."""
    summaries = _summaries(data)
    if not summaries:
        click.echo(f"no match was played yet: {data} holds none", err=True)
    elif as_json:
        for summary in summaries:
            click.echo(json.dumps(asdict(summary), ensure_ascii=False))
    else:
        Console(width=None if sys.stdout.isatty() else 140).print(_table(summaries))


def _summaries(data: Path) -> list[Summary]:
    if not (data / "matches.db").exists():
        return []
    log = Log.open(data, writes=False)
    try:
        return [summarise(log, record) for record in log.records()]
    finally:
        log.close()


def _table(summaries: list[Summary]) -> Table:
    table = Table("match", "game", "started (UTC)", "events", "score", "state")
    for s in summaries:
        score = ", ".join(f"{line.player} {line.points}" for line in s.scores)
        state = s.trouble or (f"won by {' and '.join(s.winners)}" if s.finished else "unfinished")
        table.add_row(s.match_id, s.title, s.started_at[:16].replace("T", " "), str(s.events), score, state)
    return table

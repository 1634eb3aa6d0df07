"""`referee doctor`: whether everything that a match needs is here."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from referee import games
from referee.cli.setup import data_option
from referee.errors import RefereeError
from referee.log import Log


@click.command()
@data_option
def command(data: Path) -> None:
    """Check this computer: versions, cameras, the log. Exits with 1 when something is amiss."""
    well = True
    for what, finding, fine in _findings(data):
        click.echo(f"{'ok ' if fine else 'BAD'}  {what}: {finding}")
        well = well and fine
    sys.exit(0 if well else 1)


def _findings(data: Path) -> Iterator[tuple[str, str, bool]]:
    """What was looked at, what was found, and whether that will do."""
    yield "python", f"{platform.python_version()} on {platform.platform()}", True
    for package in ("opencv-python-headless", "numpy", "flask", "cheroot"):
        try:
            yield package, importlib.metadata.version(package), True
        except importlib.metadata.PackageNotFoundError:
            provided = package.startswith("opencv") and importlib.util.find_spec("cv2") is not None
            yield (
                package,
                "another build of it" if provided else "missing: install the project again",
                provided,
            )
    yield "games", ", ".join(games.names()), bool(games.names())
    from cv2_enumerate_cameras import enumerate_cameras

    names = dict.fromkeys(f"{c.name} ({c.index % 100})" for c in enumerate_cameras())
    yield "cameras", ", ".join(names) or "none connected; a network camera or a clip still serves", True
    try:
        log = Log.open(data, writes=False)
        yield "log", f"{len(log.records())} matches in {data}", True
        log.close()
        if not os.access(next(f for f in (data, *data.absolute().parents) if f.exists()), os.W_OK):
            yield "log", f"nothing can be written in {data}: choose another folder with --data", False
    except RefereeError as error:
        yield "log", str(error), False

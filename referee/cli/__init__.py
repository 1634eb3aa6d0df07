"""The `referee` command: the composition root. Each command is a module of this package."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from types import FrameType
from typing import Any, NoReturn

import click

from referee.errors import RefereeError

COMMANDS = ("demo", "run", "replay", "inspect", "play", "print", "matches", "doctor", "bench")


class Commands(click.Group):
    """Loads a command when it is wanted: `referee matches` needs no camera code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"{__name__}.{cmd_name}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """What goes wrong becomes one sentence and exit code 1."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise  # click's own affair
        except Exception as error:
            if ctx.params["traceback"]:
                raise
            if isinstance(error, RefereeError):
                raise click.ClickException(str(error)) from error
            raise click.ClickException(
                f"this is a fault of the program, not yours: {type(error).__name__}: {error}; "
                "`referee --traceback …` shows where"
            ) from error


@click.group(cls=Commands)
@click.option("--traceback", is_flag=True, help="Show where in the program an error comes from.")
@click.version_option(package_name="tabletop-referee")
def group(traceback: bool) -> None:
    """A computer-vision referee for games on a real table."""


def main() -> None:
    hush()
    for asked in (signal.SIGINT, signal.SIGTERM):
        signal.signal(asked, _stop)
    group(prog_name="referee")


def hush() -> None:
    """Keep what video and picture libraries write to file descriptor 2 from the user.

    Our own words, through sys.stderr, still arrive. Child processes inherit the silence.
    """
    try:
        words = os.dup(2)
        nowhere = os.open(os.devnull, os.O_WRONLY)
    except OSError:
        return
    os.dup2(nowhere, 2)
    os.close(nowhere)
    sys.stderr = os.fdopen(words, "w", encoding=sys.stderr.encoding, errors="backslashreplace", buffering=1)


def _stop(signum: int, frame: FrameType | None) -> NoReturn:
    """Put everything away and end; asked again, end at once: what was told to anybody is on disk."""
    for asked in (signal.SIGINT, signal.SIGTERM):
        signal.signal(asked, lambda *_: os._exit(130))
    raise KeyboardInterrupt

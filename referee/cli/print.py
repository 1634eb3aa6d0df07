"""`referee print`: everything to print before the first match."""

from __future__ import annotations

from math import isfinite
from pathlib import Path

import click

from calibration.art import RADIUS_MM, THICKNESS_MM
from calibration.sheets import BOX, PAPERS, make_sheets
from referee.cli.setup import PATH
from referee.errors import ConfigError
from referee.formats import BoxSize


@click.command()
@click.option("--out", type=PATH, default=Path("sheets.pdf"), show_default=True, help="The PDF to write.")
@click.option("--paper", type=click.Choice(list(PAPERS)), default="A4", show_default=True)
@click.option("--radius", type=float, default=RADIUS_MM, show_default=True, help="Of your beer mats, in mm.")
@click.option(
    "--thickness", type=float, default=THICKNESS_MM, show_default=True, help="Of one, glued, in mm."
)
@click.option("--box-side", type=float, default=BOX.outer_mm, show_default=True, help="Of the box, in mm.")
@click.option("--box-height", type=float, default=BOX.height_mm, show_default=True, help="Of the box, in mm.")
def command(
    out: Path, paper: str, radius: float, thickness: float, box_side: float, box_height: float
) -> None:
    """Write the sheets: markers, mat, coasters, box and rulers, in true millimetres.

    Beside the PDF come the files that --layout and --pieces of the other commands want.
    """
    for name, value in (("--thickness", thickness), ("--radius", radius)):
        if not (isfinite(value) and value > 0):
            raise ConfigError(f"{name} {value} is no length: give a positive number of millimetres")
    try:
        written = make_sheets(out, paper, radius, thickness, BoxSize(box_side, box_height, False))
    except OSError as error:
        raise ConfigError(f"{out} can't be written: {error.strerror}") from error
    for path in written:
        click.echo(path)
    click.echo("Print at 100 % (not “fit to page”), and check the rulers on the first pages.", err=True)

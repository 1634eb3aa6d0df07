"""`referee inspect`: still pictures of the table, read with care, one JSON object each."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import cv2
import numpy as np

from referee import config, demo, explained
from referee.cli import explaining, lines
from referee.cli.explaining import whole
from referee.cli.eye import own_file
from referee.cli.setup import PATH, table_options
from referee.errors import ConfigError, RefereeError
from referee.facts import Box, Scene, Stranger
from referee.formats import load_camera, load_layout, load_pieces
from referee.vision.discs import gallery
from referee.vision.discs.gallery import Gallery
from referee.vision.frames.source import pictures_in, read_picture
from referee.vision.reading import Reader, Reading
from referee.vision.show.canvas import Drawn, outlines
from referee.vision.table import pose as table
from referee.vision.table.camera import Camera
from referee.vision.table.pose import TableView


@click.command()
@click.argument("images", type=PATH, nargs=-1, required=True, metavar="IMAGE...")
@table_options
@click.option("--game", default="poc", show_default=True, help="What lies on the table: poc.")
@click.option("--out", type=PATH, help="Write NAME.json per picture into this folder instead of printing.")
@click.option(
    "--explain",
    type=PATH,
    metavar="DIR",
    help="Also draw every pair that overlaps or nearly does into this folder, and say why it is ruled so.",
)
@click.option("--config", "settings", type=PATH, help="A TOML file of settings.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(
    images: tuple[Path, ...],
    layout: Path | None,
    camera: Path | None,
    pieces: Path | None,
    game: str,
    out: Path | None,
    explain: Path | None,
    settings: Path | None,
    as_json: bool,
) -> None:
    """Read pictures, or folders of them: every coaster, its name, who lies on whom and by how much.

    A folder given for --layout or --camera means the file in it that is named after the picture.
    """
    if game != "poc":
        raise ConfigError(f"no pictures can be read for {game!r}: --game is poc")
    wanted = config.load(settings) if settings else config.Config()
    known = gallery.load(load_pieces(pieces or demo.PIECES))
    paths = [p for image in images for p in (pictures_in(image) if image.is_dir() else [image])]
    for folder in (out, explain):
        if folder is not None:
            make_folder(folder)
    failures: list[str] = []
    for path in paths:
        try:
            read, trouble, drawn = inspect(path, layout, camera, known, wanted)
        except RefereeError as error:
            if len(paths) == 1:
                raise
            failures.append(path.name)
            click.echo(f"{path.name}: {error}", err=True)
            continue
        if not read["table"]["found"]:
            failures.append(path.name)
        if trouble:
            click.echo(f"{path.name}: {trouble}", err=True)
        if out is not None:
            write(out / f"{path.stem}.json", read)
        else:
            click.echo(json.dumps(read, ensure_ascii=False) if as_json else in_words(read, drawn))
        if explain is not None and drawn is not None:
            explaining.write(explain, path, drawn, wanted.eye.draw.pair)
    if out is not None:
        click.echo(f"{len(paths) - len(failures)} of {len(paths)} pictures read into {out}", err=True)
    if failures:
        raise click.exceptions.Exit(1)


def inspect(
    path: Path, layout: Path | None, camera: Path | None, known: Gallery, wanted: config.Config
) -> tuple[dict[str, Any], str, Drawn | None]:
    """The reading of one picture as the JSON that is promised, what people should know of it, and what can
    be drawn of it: nothing without a table.

    Raises RefereeError for what can't be used.
    """
    ground = load_layout(own_file(layout, path) if layout else demo.LAYOUT)
    lens = Camera.load(load_camera(own_file(camera, path))) if camera else None
    bgr = read_picture(path, wanted.source)
    start = perf_counter()
    height, width = bgr.shape[:2]
    lens = lens.for_frame((width, height)) if lens else Camera.guess((width, height))
    gray = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    view = table.locate(gray, lens, ground)
    located_ms = 1000 * (perf_counter() - start)
    if view is None:
        nothing = as_dict(path, None, None, lens, {"locate": located_ms, "total": located_ms})
        return nothing, table.why_lost(gray, ground), None
    reading = Reader(known, ground, wanted.eye.reading).read(bgr, view)
    total_ms = 1000 * (perf_counter() - start)
    timing_ms = {"locate": located_ms, **reading.timing_ms, "total": total_ms}
    scene = Scene(0.0, 0, 0.0, reading.placed, reading.contacts, box=reading.box, strangers=reading.strangers)
    drawn = Drawn(scene, bgr, view, dict(enumerate(outlines(reading, view, known))))
    return as_dict(path, view, reading, lens, timing_ms), table.doubts(view), drawn


def as_dict(
    path: Path,
    view: TableView | None,
    reading: Reading | None,
    lens: Camera,
    timing_ms: dict[str, float],
) -> dict[str, Any]:
    head: dict[str, Any] = {"schema": "referee.scene/1", "image": path.name}
    if view is None or reading is None:
        where: dict[str, Any] = {"found": False, "markers": [], "residual_px": None}
        seen: dict[str, Any] = {"discs": [], "contacts": [], "box": None, "strangers": []}
    else:
        where = {"found": True, "markers": list(view.markers), "residual_px": round(view.residual_px, 3)}
        seen = {**lines.table(reading.placed, reading.contacts), "box": box(reading.box)}
        seen["strangers"] = [stranger(s) for s in reading.strangers]
    where["camera"] = "given" if lens.given else "estimated"
    return {**head, "table": where, **seen, "timing_ms": {k: round(v, 1) for k, v in timing_ms.items()}}


def box(seen: Box | None) -> dict[str, Any] | None:
    if seen is None:
        return None
    return {
        "center_mm": [round(seen.x_mm, 2), round(seen.y_mm, 2)],
        "yaw_deg": round(seen.yaw_deg, 2),
        "outer_mm": round(seen.outer_mm, 1),
        "height_mm": round(seen.height_mm, 1),
        "lid": seen.lid,
        "measured": seen.measured,
    }


def stranger(seen: Stranger) -> dict[str, Any]:
    return {
        "center_mm": [round(seen.x_mm, 1), round(seen.y_mm, 1)],
        "radius_mm": round(seen.radius_mm, 1),
        "height_mm": round(seen.height_mm, 1),
    }


def in_short(seen: Stranger) -> str:
    return f"an unknown round object, {2 * seen.radius_mm:.0f} mm wide, at {seen.x_mm:.0f}, {seen.y_mm:.0f}"


def in_words(read: dict[str, Any], drawn: Drawn | None) -> str:
    """The reading for people."""
    if drawn is None:
        return f"{read['image']}: no table"
    scene = drawn.scene
    out = [f"{read['image']}: {len(scene.placed)} coasters, {read['timing_ms']['total']:.0f} ms"]
    for placed, d in zip(scene.placed, read["discs"], strict=True):
        x, y = d["center_mm"]
        place = f"at {x:.1f}, {y:.1f} ± {d['sigma_mm']:.2f} mm"
        out.append(f"  {explained.name(placed)}: {d['face']}, {d['state']}, {place}")
    out += [f"  {in_short(s)}" for s in scene.strangers]
    return "\n".join((*out, *(f"  {told}" for told in explaining.sentences(drawn))))


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"no folder can be made at {folder}: {error.strerror}") from error


def write(path: Path, read: dict[str, Any]) -> None:
    whole(path, (json.dumps(read, ensure_ascii=False) + "\n").encode())

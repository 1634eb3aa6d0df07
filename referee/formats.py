"""The files that describe a set-up: table layout, camera and piece set, as plain values.

Both halves that need them (vision and the renderer) read them here, so that a file means one thing.
Lengths are millimetres on the table, image points pixels (the centre of the top-left pixel is 0,0).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from referee.entry import Entry, Misfit, shown
from referee.errors import CalibrationError, ConfigError, RefereeError

Point = tuple[float, float]

MARKER_FAMILIES = {"tag36h11": 587, "tag25h9": 35, "tag16h5": 30}
"""How many markers each family has; they are numbered from 0."""


@dataclass(frozen=True)
class BoxSize:
    outer_mm: float
    height_mm: float
    lid: bool


@dataclass(frozen=True)
class Layout:
    """Where the markers lie. A marker lies flat, its top edge towards +y."""

    marker_family: str
    marker_mm: float
    marker_centers_mm: dict[int, Point]
    marker_z_mm: float = 0.0
    box: BoxSize | None = None
    play_area_mm: tuple[Point, ...] = ()
    table_edge_mm: tuple[Point, ...] = ()


@dataclass(frozen=True)
class CameraModel:
    """OpenCV's pinhole model: K row by row, dist = k1, k2, p1, p2, k3."""

    size: tuple[int, int]
    K: tuple[tuple[float, float, float], ...]
    dist: tuple[float, ...]


@dataclass(frozen=True)
class Piece:
    """One piece. `tags` are the markers printed on its faces: (front, back), None where there is none."""

    id: str
    front: Path
    back: Path
    animal: str = ""
    value: int = 0
    tags: tuple[int | None, int | None] = (None, None)


@dataclass(frozen=True)
class PieceSet:
    name: str
    shape: str
    radius_mm: float
    thickness_mm: float
    pieces: tuple[Piece, ...]
    marker_family: str = "tag36h11"
    tag_mm: float = 0.0
    """Side of the black square of the tags on the faces, 0 when the set carries none."""
    tag_center: Point = field(default=(0.0, 0.0))
    """Centre of the tag on a face, in radii: x right, y up."""


def load_layout(path: Path) -> Layout:
    """Raises CalibrationError: what is wrong in which file, and what to do."""
    with _told(CalibrationError, f"layout {path}"):
        data = _content(path, CalibrationError, "layout")
        family = _family(data)
        centers = {
            _numbered(e, key, family): e.point() for key, e in data.at("marker_centers_mm").table().items()
        }
        if len(centers) < 2:
            raise Misfit("marker_centers_mm needs at least two markers")
        if len(set(centers.values())) < len(centers):
            raise Misfit("two markers have the same centre in marker_centers_mm")
        return Layout(
            family,
            data.at("marker_mm").positive(),
            centers,
            height.number() if (height := data.get("marker_z_mm")) else 0.0,
            _box(box) if (box := data.get("box")) else None,
            _outline(data, "play_area_mm"),
            _outline(data, "table_edge_mm"),
        )


def layout_json(layout: Layout) -> dict[str, Any]:
    """The content of the file from which `load_layout` reads this layout."""
    content: dict[str, Any] = {
        "marker_family": layout.marker_family,
        "marker_mm": layout.marker_mm,
        "marker_centers_mm": {str(k): list(v) for k, v in layout.marker_centers_mm.items()},
        "marker_z_mm": layout.marker_z_mm,
    }
    if layout.box is not None:
        content["box"] = asdict(layout.box)
    if layout.play_area_mm:
        content["play_area_mm"] = [list(p) for p in layout.play_area_mm]
    if layout.table_edge_mm:
        content["table_edge_mm"] = [list(p) for p in layout.table_edge_mm]
    return content


def load_camera(path: Path) -> CameraModel:
    """Raises CalibrationError: what is wrong in which file, and what to do."""
    with _told(CalibrationError, f"camera {path}"):
        data = _content(path, CalibrationError, "camera")
        width, height = (e.whole() for e in data.at("size").each(2, "two whole numbers, [width, height]"))
        if min(width, height) <= 0:
            raise Misfit("size must be positive")
        three = "three rows of three numbers"
        rows = [[e.number() for e in row.each(3, "three numbers")] for row in data.at("K").each(3, three)]
        matrix = tuple((row[0], row[1], row[2]) for row in rows)
        if matrix[0][0] <= 0 or matrix[1][1] <= 0 or matrix[2] != (0.0, 0.0, 1.0):
            raise Misfit("K is no camera matrix (fx, fy > 0; last row 0 0 1)")
        if matrix[0][1] != 0 or matrix[1][0] != 0:
            raise Misfit("K must be fx 0 cx, 0 fy cy, 0 0 1: a skewed camera can't be used")
        given = data.get("dist")
        dist = tuple(e.number() for e in given.each()) if given else (0.0,) * 5
        if len(dist) not in (4, 5, 8):
            raise Misfit(f"dist must have 4, 5 or 8 numbers, not {len(dist)}")
        return CameraModel((width, height), matrix, dist)


def load_pieces(folder: Path) -> PieceSet:
    """The piece set in `folder`. Raises ConfigError: what is wrong, where, and what to do."""
    path = folder / "pieces.json"
    if not folder.is_dir():
        raise ConfigError(f"no piece set at {folder}: it is a folder with a pieces.json in it")
    with _told(ConfigError, f"piece set {path}"):
        data = _content(path, ConfigError, "piece set")
        if (shape := data.at("shape")).word() != "disc":
            raise Misfit(f"shape {shown(shape.value)} is not one that this program reads: disc")
        family = _family(data)
        pieces = tuple(_piece(folder, e, family) for e in data.at("pieces").each())
        _require_distinct(pieces)
        return PieceSet(
            name.text() if (name := data.get("name")) else folder.name,
            "disc",
            data.at("radius_mm").positive(),
            data.at("thickness_mm").positive(),
            pieces,
            family,
            tag.number() if (tag := data.get("tag_mm")) else 0.0,
            center.point() if (center := data.get("tag_center")) else (0.0, 0.0),
        )


def _require_distinct(pieces: tuple[Piece, ...]) -> None:
    if not pieces:
        raise Misfit("it has no pieces")
    seen: set[str] = set()
    for piece in pieces:
        if piece.id in seen:
            raise Misfit(f"two pieces have the id {piece.id!r}: give each its own")
        seen.add(piece.id)
    tags = [tag for piece in pieces for tag in piece.tags if tag is not None]
    if len(set(tags)) < len(tags):
        twice = next(tag for tag in tags if tags.count(tag) > 1)
        raise Misfit(f"two faces carry the marker {twice}: give each its own")


def _piece(folder: Path, data: Entry, family: str) -> Piece:
    tags: tuple[int | None, ...] = (None, None)
    if given := data.get("tags"):
        faces = given.each(2, "two marker numbers, [front, back]; null where there is none")
        tags = tuple(None if e.value is None else _marker(e, e.whole(), family) for e in faces)
    return Piece(
        data.at("id").word(),
        _picture(folder, data, "front"),
        _picture(folder, data, "back"),
        animal.text() if (animal := data.get("animal")) else "",
        value.whole() if (value := data.get("value")) else 0,
        (tags[0], tags[1]),
    )


def _picture(folder: Path, data: Entry, face: str) -> Path:
    name = data.at(face).word()
    try:
        there = (folder / name).is_file()
    except OSError as error:
        raise Misfit(f"the picture {shown(name)} of {data.way} can't be read: {error.strerror}") from error
    except ValueError:  # no name that a file could have
        there = False
    if not there:
        raise Misfit(f"piece {data.at('id').value!r} has no picture at {shown(name)}")
    return folder / name


@contextmanager
def _told(kind: type[RefereeError], where: str) -> Iterator[None]:
    """A misfit becomes the sentence that names the file."""
    try:
        yield
    except Misfit as error:
        raise kind(f"{where} can't be used: {error}") from error


def _content(path: Path, error: type[RefereeError], what: str) -> Entry:
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as missing:
        raise error(f"no {what} at {path}: check the path") from missing
    except OSError as broken:
        raise error(f"{what} {path} can't be read: {broken.strerror}") from broken
    except UnicodeDecodeError as broken:
        raise error(f"{what} {path} can't be read: it is no text in UTF-8") from broken
    except json.JSONDecodeError as broken:
        raise error(
            f"{what} {path} is no JSON: line {broken.lineno}, column {broken.colno} can't be read"
        ) from broken
    except (ValueError, RecursionError) as broken:
        raise error(
            f"{what} {path} can't be read: it is nested too deeply, or has too long a number"
        ) from broken
    if not isinstance(data, dict):
        raise error(f"{what} {path} can't be used: it must hold one JSON object")
    return Entry(data)


def _family(data: Entry) -> str:
    given = data.get("marker_family")
    return given.one_of(MARKER_FAMILIES) if given else "tag36h11"


def _numbered(entry: Entry, key: str, family: str) -> int:
    """The marker whose number is the key of this entry."""
    number = int(key) if re.fullmatch(r"-?[0-9]{1,9}", key) else None
    if number is None:
        raise Misfit(f'{entry.way} must have a marker\'s number for its key, such as "0"')
    return _marker(entry, number, family)


def _marker(entry: Entry, number: int, family: str) -> int:
    if not 0 <= number < MARKER_FAMILIES[family]:
        last = MARKER_FAMILIES[family] - 1
        raise Misfit(f"{entry.way} is wrong: {family} has no marker {number}: its markers are 0 to {last}")
    return number


def _box(data: Entry) -> BoxSize:
    lid = data.get("lid")
    return BoxSize(data.at("outer_mm").positive(), data.at("height_mm").positive(), bool(lid and lid.flag()))


def _outline(data: Entry, key: str) -> tuple[Point, ...]:
    given = data.get(key)
    points = tuple(e.point() for e in given.each()) if given else ()
    if 0 < len(points) < 3:
        raise Misfit(f"{key} needs at least three corners")
    return points

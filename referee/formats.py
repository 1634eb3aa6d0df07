"""The files that describe a set-up: table layout, camera and piece set, as plain values.

Both halves that need them (vision and the renderer) read them here, so that a file means one thing.
Lengths are millimetres on the table, image points pixels (the centre of the top-left pixel is 0,0).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

from referee.errors import CalibrationError, ConfigError, RefereeError

Point = tuple[float, float]

MARKER_FAMILIES = {"tag36h11": 587, "tag25h9": 35, "tag16h5": 30}
"""How many markers each family has; they are numbered from 0."""

_BROKEN = (KeyError, TypeError, ValueError, AttributeError, OverflowError, OSError)
"""What a value of the wrong kind raises where it is used."""


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
    data = _json(path, CalibrationError, "layout")
    where = f"layout {path}"
    try:
        family = _family(data)
        centers = {_marker(k, family): _point(v) for k, v in data["marker_centers_mm"].items()}
        if len(centers) < 2:
            raise ValueError("marker_centers_mm needs at least two markers")
        if len(set(centers.values())) < len(centers):
            raise ValueError("two markers have the same centre in marker_centers_mm")
        box = data.get("box")
        return Layout(
            family,
            _positive(data, "marker_mm"),
            centers,
            _finite(data, "marker_z_mm", 0.0),
            None
            if box is None
            else BoxSize(
                _positive(box, "outer_mm"), _positive(box, "height_mm"), bool(box.get("lid", False))
            ),
            _outline(data, "play_area_mm"),
            _outline(data, "table_edge_mm"),
        )
    except _BROKEN as error:
        raise CalibrationError(f"{where} can't be used: {_why(error)}") from error


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
    data = _json(path, CalibrationError, "camera")
    try:
        width, height = (int(v) for v in data["size"])
        rows = [[float(v) for v in row] for row in data["K"]]
        dist = tuple(float(v) for v in data.get("dist", (0.0,) * 5))
        if min(width, height) <= 0:
            raise ValueError("size must be positive")
        if [len(row) for row in rows] != [3, 3, 3]:
            raise ValueError("K must have three rows of three numbers")
        matrix = tuple((row[0], row[1], row[2]) for row in rows)
        if not all(isfinite(v) for row in (*matrix, dist) for v in row):
            raise ValueError("K and dist must be finite numbers")
        if matrix[0][0] <= 0 or matrix[1][1] <= 0 or matrix[2] != (0.0, 0.0, 1.0):
            raise ValueError("K is no camera matrix (fx, fy > 0; last row 0 0 1)")
        if matrix[0][1] != 0 or matrix[1][0] != 0:
            raise ValueError("K must be fx 0 cx, 0 fy cy, 0 0 1: a skewed camera can't be used")
        if len(dist) not in (4, 5, 8):
            raise ValueError("dist must have 4, 5 or 8 numbers")
        return CameraModel((width, height), matrix, dist)
    except _BROKEN as error:
        raise CalibrationError(f"camera {path} can't be used: {_why(error)}") from error


def load_pieces(folder: Path) -> PieceSet:
    """The piece set in `folder`. Raises ConfigError: what is wrong, where, and what to do."""
    path = folder / "pieces.json"
    if not folder.is_dir():
        raise ConfigError(f"no piece set at {folder}: it is a folder with a pieces.json in it")
    data = _json(path, ConfigError, "piece set")
    try:
        shape = str(data["shape"])
        if shape != "disc":
            raise ValueError(f"shape {shape!r} is not one that this program reads: disc")
        family = _family(data)
        pieces = tuple(_piece(folder, p, family) for p in data["pieces"])
        if not pieces:
            raise ValueError("it has no pieces")
        seen: set[str] = set()
        for piece in pieces:
            if piece.id in seen:
                raise ValueError(f"two pieces have the id {piece.id!r}: give each its own")
            seen.add(piece.id)
        tags = [tag for piece in pieces for tag in piece.tags if tag is not None]
        if len(set(tags)) < len(tags):
            twice = next(tag for tag in tags if tags.count(tag) > 1)
            raise ValueError(f"two faces carry the marker {twice}: give each its own")
        center = _point(data.get("tag_center", (0.0, 0.0)))
        return PieceSet(
            str(data.get("name", folder.name)),
            shape,
            _positive(data, "radius_mm"),
            _positive(data, "thickness_mm"),
            pieces,
            family,
            _finite(data, "tag_mm", 0.0),
            center,
        )
    except _BROKEN as error:
        raise ConfigError(f"piece set {path} can't be used: {_why(error)}") from error


def _piece(folder: Path, data: dict[str, Any], family: str) -> Piece:
    front, back = (None if t is None else _marker(t, family) for t in data.get("tags", (None, None)))
    if not isinstance(data["id"], str) or not data["id"]:
        raise ValueError(f"a piece has the id {data['id']!r}: it must be a word")
    piece = Piece(
        data["id"],
        folder / str(data["front"]),
        folder / str(data["back"]),
        str(data.get("animal", "")),
        int(data.get("value", 0)),
        (front, back),
    )
    for picture in (piece.front, piece.back):
        if not picture.is_file():
            raise ValueError(f"piece {piece.id!r} has no picture at {picture.name!r}")
    return piece


def _json(path: Path, error: type[RefereeError], what: str) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as missing:
        raise error(f"no {what} at {path}: check the path") from missing
    except (OSError, ValueError, RecursionError) as broken:
        raise error(f"{what} {path} can't be read: {broken}") from broken
    if not isinstance(data, dict):
        raise error(f"{what} {path} can't be used: it must hold one JSON object")
    return data


def _family(data: dict[str, Any]) -> str:
    family = data.get("marker_family", "tag36h11")
    if family not in MARKER_FAMILIES:
        raise ValueError(f"marker_family {family!r} is none of {', '.join(MARKER_FAMILIES)}")
    return str(family)


def _marker(value: Any, family: str) -> int:
    marker = int(value)
    if not 0 <= marker < MARKER_FAMILIES[family]:
        raise ValueError(
            f"{family} has no marker {value}: its markers are 0 to {MARKER_FAMILIES[family] - 1}"
        )
    return marker


def _outline(data: dict[str, Any], key: str) -> tuple[Point, ...]:
    points = tuple(_point(p) for p in data.get(key, ()))
    if 0 < len(points) < 3:
        raise ValueError(f"{key} needs at least three corners")
    return points


def _finite(data: dict[str, Any], key: str, default: float) -> float:
    value = float(data.get(key, default))
    if not isfinite(value):
        raise ValueError(f"{key} must be a finite number")
    return value


def _positive(data: dict[str, Any], key: str) -> float:
    value = float(data[key])
    if not (isfinite(value) and value > 0):
        raise ValueError(f"{key} must be a positive number, not {data[key]!r}")
    return value


def _point(value: Any) -> Point:
    try:
        x, y = (float(v) for v in value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{value!r} is no point: two numbers are needed, [x, y]") from error
    if not (isfinite(x) and isfinite(y)):
        raise ValueError(f"{value!r} is no point: its numbers must be finite")
    return x, y


def _why(error: Exception) -> str:
    match error:
        case KeyError():
            return f"{error.args[0]!r} is missing"
        case TypeError() | AttributeError() | OverflowError():
            return f"a value in it is of the wrong kind ({error})"
        case _:
            return str(error)

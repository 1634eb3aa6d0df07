"""Writes the printed set as the folder that the eye is taught from (pieces.json and a picture per face)."""

from __future__ import annotations

import json
from pathlib import Path

import cv2

from calibration.art.faces import RADIUS_MM, TAG_CENTER, TAG_FAMILY, TAG_MM, THICKNESS_MM, printed_set
from calibration.art.shapes import raster


def write_piece_set(
    out: Path, radius_mm: float = RADIUS_MM, thickness_mm: float = THICKNESS_MM, size_px: int = 384
) -> None:
    """The folder `out`, made if absent: one PNG per face, `size_px` square, and pieces.json."""
    out.mkdir(parents=True, exist_ok=True)
    pieces: dict[str, dict[str, object]] = {}
    for face in printed_set(radius_mm):
        file = f"{face.name}.png"
        _, data = cv2.imencode(".png", raster(face.drawing, size_px), [cv2.IMWRITE_PNG_COMPRESSION, 9])
        (out / file).write_bytes(data.tobytes())
        piece = pieces.setdefault(
            face.piece, {"id": face.piece, "animal": face.animal, "value": face.value, "tags": []}
        )
        piece[face.side] = file
        tags = piece["tags"]
        assert isinstance(tags, list)
        tags.append(face.tag)
    content = {
        "name": "printed coasters",
        "shape": "disc",
        "radius_mm": radius_mm,
        "thickness_mm": thickness_mm,
        "marker_family": TAG_FAMILY,
        "tag_mm": TAG_MM,
        "tag_center": list(TAG_CENTER),
        "pieces": list(pieces.values()),
    }
    (out / "pieces.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")

"""Everything to print before the first match, in true millimetres, and the layout files that belong to it."""

from __future__ import annotations

import json
from pathlib import Path

from calibration.art import RADIUS_MM, THICKNESS_MM, write_piece_set
from calibration.sheets.box import draw_box
from calibration.sheets.coasters import draw_coasters
from calibration.sheets.first import draw_first, draw_rulers
from calibration.sheets.page import PAPERS, Sheets, paper_named
from calibration.sheets.table import draw_loose, draw_mat, loose_layout, mat_layout
from referee.errors import ConfigError
from referee.formats import BoxSize, layout_json

__all__ = ["BOX", "PAPERS", "make_sheets"]

BOX = BoxSize(104.0, 66.0, False)


def make_sheets(
    out: Path,
    paper: str = "A4",
    radius_mm: float = RADIUS_MM,
    thickness_mm: float = THICKNESS_MM,
    box: BoxSize = BOX,
) -> tuple[Path, ...]:
    """Writes the PDF `out` and, beside it, two layouts and the piece set; returns all that was written.

    `layout-markers.json` goes with the loose markers, `layout-mat.json` with the mat, the folder `pieces`
    with the coasters. Raises ConfigError, with nothing written, when something doesn't fit on the paper.
    """
    if radius_mm <= 0 or thickness_mm <= 0 or box.outer_mm <= 0 or box.height_mm <= 0:
        raise ConfigError("radius, thickness and box size must be above zero millimetres")
    sheet = paper_named(paper)
    loose, mat = loose_layout(box), mat_layout(box)
    draft = out.with_name(out.name + ".part")
    sheets = Sheets(draft, sheet)
    draw_first(sheets, (2 * radius_mm, thickness_mm), loose, mat, box)
    draw_rulers(sheets, inches=sheet.name == "letter")
    draw_loose(sheets, loose)
    draw_mat(sheets, mat)
    draw_coasters(sheets, radius_mm)
    draw_box(sheets, box)
    out.parent.mkdir(parents=True, exist_ok=True)
    sheets.save()
    draft.replace(out)
    files = out.with_name("layout-markers.json"), out.with_name("layout-mat.json")
    for path, layout in zip(files, (loose, mat), strict=True):
        path.write_text(json.dumps(layout_json(layout), indent=1) + "\n", encoding="utf-8")
    pieces = out.with_name("pieces")
    write_piece_set(pieces, radius_mm, thickness_mm)
    return out, *files, pieces

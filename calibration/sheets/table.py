"""Markers for the table: four loose ones, or all four on a mat."""

from __future__ import annotations

from math import ceil

from calibration.art import marker
from calibration.sheets.page import CUT, MARGIN_MM, Page, Paper, Sheets
from referee.formats import BoxSize, Layout

LOOSE_MM = 50.0
MAT_MARKER_MM = 40.0
_MAT_MM = (366.0, 256.0)
_OVERLAP_MM = 10.0
_LOOSE_PLACES = ((-270.0, -190.0), (270.0, -190.0), (270.0, 190.0), (-270.0, 190.0))
_PAPER_MM = 0.2
"""Thickness of a stuck-down sheet."""


def loose_layout(box: BoxSize) -> Layout:
    """Four loose markers where the sheet asks for them."""
    return Layout("tag36h11", LOOSE_MM, dict(enumerate(_LOOSE_PLACES)), _PAPER_MM, box)


def mat_layout(box: BoxSize) -> Layout:
    """The mat's four markers."""
    edge = MAT_MARKER_MM * 10 / 8 / 2 + 2.0
    x, y = _MAT_MM[0] / 2 - edge, _MAT_MM[1] / 2 - edge
    return Layout(
        "tag36h11", MAT_MARKER_MM, dict(enumerate(((-x, -y), (x, -y), (x, y), (-x, y)))), _PAPER_MM, box
    )


def draw_loose(sheets: Sheets, layout: Layout) -> None:
    """The four loose markers on one page."""
    page = sheets.page("markers 0 to 3: cut out and lay flat on the table")
    width, height = page.paper.width_mm, page.paper.height_mm
    plate = LOOSE_MM * 10 / 8
    step_x, step_y = width / 2, plate + 44
    top = height - MARGIN_MM - 26
    (x0, y0), (x1, y1) = layout.marker_centers_mm[0], layout.marker_centers_mm[2]
    page.text(MARGIN_MM, height - MARGIN_MM - 6, "Four loose markers", 16, bold=True)
    page.text(
        MARGIN_MM, height - MARGIN_MM - 13,
        f"Lay them on the corners of a rectangle {x1 - x0:g} mm by {y1 - y0:g} mm, middle to middle,",
    )  # fmt: skip
    page.text(
        MARGIN_MM,
        height - MARGIN_MM - 18,
        "all arrows away from the camera. Tape them down and leave them uncovered.",
    )
    # As they lie on the table: 3 and 2 away from the camera, 0 and 1 near it.
    for tag, column, row in ((3, 0, 0), (2, 1, 0), (0, 0, 1), (1, 1, 1)):
        x, y = step_x * (column + 0.5), top - 22 - plate / 2 - row * step_y
        _cut_out(page, tag, x, y, plate)


def _cut_out(page: Page, tag: int, x: float, y: float, plate: float) -> None:
    half, side = plate / 2 + 1.5, 9.0
    page.cut(
        [(x - half, y - half - side), (x + half, y - half - side), (x + half, y + half), (x - half, y + half)]
    )
    _marker(page, tag, x, y, LOOSE_MM)
    page.text(x - half + 2, y - half - side + 3, f"marker {tag}", 10, bold=True)
    base = y - half - side + 1.5
    page.lines([(x + half - 6, base), (x + half - 6, base + 7)], 0.5)
    page.lines([(x + half - 8, base + 5), (x + half - 6, base + 7), (x + half - 4, base + 5)], 0.5)
    page.text(x + half - 9, y - half - side + 3, "away (+y)", 8, align="right")


def _marker(page: Page, tag: int, x: float, y: float, side_mm: float) -> None:
    page.drawing(marker(tag, 1.0, 0.0, 0.0), x, y, side_mm)


def draw_mat(sheets: Sheets, layout: Layout) -> None:
    """The mat on one page if the paper is large enough, else on several that overlap."""
    width, height = _MAT_MM
    paper = max((sheets.paper, sheets.paper.turned()), key=lambda p: -_tiles(p)[0] * _tiles(p)[1])
    columns, rows = _tiles(paper)
    inner = paper.inner_mm
    for row in range(rows):
        for column in range(columns):
            several = f", part {row * columns + column + 1} of {rows * columns}" if rows * columns > 1 else ""
            page = sheets.page(f"the mat{several}", paper)
            left = column * (inner[0] - _OVERLAP_MM)
            low = (rows - 1 - row) * (inner[1] - _OVERLAP_MM)
            shown = min(inner[0], width - left), min(inner[1], height - low)
            foot = paper.height_mm - MARGIN_MM - shown[1]
            page.window(MARGIN_MM, foot, *shown)
            _mat(page, layout, -left, -low)
            page.restore()
            page.crop_marks(MARGIN_MM, foot, *shown)
            if column < columns - 1:
                x = MARGIN_MM + shown[0] - _OVERLAP_MM
                page.lines([(x, foot), (x, foot + shown[1])], 0.15, CUT, (1, 2))
                page.text(
                    x + 3,
                    foot + shown[1] / 2,
                    "the next part goes on top, up to this line",
                    7,
                    CUT,
                    angle_deg=90,
                )
            if row > 0:
                y = foot + shown[1] - _OVERLAP_MM
                page.lines([(MARGIN_MM, y), (MARGIN_MM + shown[0], y)], 0.15, CUT, (1, 2))


def _tiles(paper: Paper) -> tuple[int, int]:
    """Columns and rows of pages that the mat needs."""
    columns, rows = (
        max(1, ceil((mat - _OVERLAP_MM) / (room - _OVERLAP_MM)))
        for mat, room in zip(_MAT_MM, paper.inner_mm, strict=True)
    )
    return columns, rows


def _mat(page: Page, layout: Layout, x: float, y: float) -> None:
    """The mat with its lower left corner at (x, y)."""
    width, height = _MAT_MM
    page.cut([(x, y), (x + width, y), (x + width, y + height), (x, y + height)])
    middle = x + width / 2, y + height / 2
    for tag, (mx, my) in layout.marker_centers_mm.items():
        _marker(page, tag, middle[0] + mx, middle[1] + my, layout.marker_mm)
    if layout.box is not None:
        half = layout.box.outer_mm / 2
        corners = [
            (middle[0] + i * half, middle[1] + j * half) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        page.lines(corners, 0.3, CUT, (3, 2), closed=True)
        page.text(middle[0] - half / 2, middle[1] - 1, "box", 9, CUT, "middle")
    page.text(x + 0.32 * width, y + height - 8, "far side (+y)", 9, CUT, "middle")
    page.text(x + 0.32 * width, y + 5, "camera on this side", 9, CUT, "middle")

"""The page to read first, and the rulers that tell whether the printer kept to scale."""

from __future__ import annotations

from calibration.sheets.page import CUT, MARGIN_MM, Page, Sheets
from referee.formats import BoxSize, Layout

_INCH_MM = 25.4


def draw_first(
    sheets: Sheets, coaster_mm: tuple[float, float], loose: Layout, mat: Layout, box: BoxSize
) -> None:
    """What to print and how to check it. `coaster_mm` is the coasters' diameter and thickness."""
    page = sheets.page("read this first")
    top = page.paper.height_mm - MARGIN_MM
    page.text(MARGIN_MM, top - 10, "Sheets for Poc! with a referee that sees", 20, bold=True)
    across, thick = coaster_mm
    words = (
        (
            "1",
            "Print this page and the rulers at 100 % (“actual size”). Lay a real ruler on the bar below.",
        ),
        ("", "If it is not 100 mm, switch off scaling in the printer's dialogue and try again."),
        ("2", "Print the four loose markers, or the mat if you would rather not measure. Not both."),
        ("", f"With the loose markers ({loose.marker_mm:g} mm) give the referee layout-markers.json,"),
        ("", f"with the mat ({mat.marker_mm:g} mm) layout-mat.json."),
        ("3", "Print the coasters: on both sides of thin card, turned over the long edge, or one side each"),
        (
            "",
            f"and glued on beer mats {across:g} mm wide. The folder “pieces” has them {thick:g} mm thick;",
        ),
        (
            "",
            "if yours aren't, print again with theirs, for the referee sees the height of the edge.",
        ),
        (
            "4",
            f"Print the box if you have none: {box.outer_mm:g} mm wide, {box.height_mm:g} high. If you have",
        ),
        ("", "another, take “box” out of the layout file; the referee then measures it."),
        ("5", "Use matt paper. Leave the white edge about every marker: without it none is found."),
    )
    y = top - 26
    for number, line in words:
        if number:
            y -= 3
            page.text(MARGIN_MM, y, number, 12, bold=True)
        page.text(MARGIN_MM + 8, y, line, 9.5)
        y -= 6
    y -= 16
    _bar(page, MARGIN_MM + 10, y, 100)
    page.text(MARGIN_MM + 118, y + 2, "must be 100 mm long", 10, bold=True)
    _bar_upright(page, page.paper.width_mm - MARGIN_MM - 14, y - 112, 100)
    page.text(page.paper.width_mm - MARGIN_MM - 18, y - 112, "and this one too", 9, align="right")
    page.text(MARGIN_MM, y - 24, "Where things go on the table", 13, bold=True)
    _plan(page, MARGIN_MM + 4, y - 122, loose)


def _bar(page: Page, x: float, y: float, length: float) -> None:
    page.lines([(x, y), (x + length, y), (x + length, y + 5), (x, y + 5)], 0, inside=(0, 0, 0), closed=True)


def _bar_upright(page: Page, x: float, y: float, length: float) -> None:
    page.lines([(x, y), (x + 5, y), (x + 5, y + length), (x, y + length)], 0, inside=(0, 0, 0), closed=True)


def _plan(page: Page, x: float, y: float, layout: Layout) -> None:
    """The table from above, at an eighth of its size."""
    scale = 1 / 8
    middle = x + 48, y + 48
    places = {
        t: (middle[0] + px * scale, middle[1] + py * scale)
        for t, (px, py) in layout.marker_centers_mm.items()
    }
    for tag, (px, py) in places.items():
        h = layout.marker_mm * scale / 2
        page.lines(
            [(px - h, py - h), (px + h, py - h), (px + h, py + h), (px - h, py + h)],
            0,
            inside=(0.1, 0.1, 0.15),
            closed=True,
        )
        page.text(px, py - 8 if py < middle[1] else py + 5, f"marker {tag}", 7.5, align="middle")
    if layout.box is not None:
        h = layout.box.outer_mm * scale / 2
        page.lines(
            [(middle[0] + i * h, middle[1] + j * h) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))],
            0.3,
            closed=True,
        )
        page.text(*middle, "box", 7.5, align="middle")
    (left, low), (right, high) = places[0], places[2]
    (x0, y0), (x1, y1) = layout.marker_centers_mm[0], layout.marker_centers_mm[2]
    page.lines([(left, low - 12), (right, low - 12)], 0.2, CUT)
    page.text((left + right) / 2, low - 16, f"{x1 - x0:g} mm", 8, CUT, "middle")
    page.lines([(right + 10, low), (right + 10, high)], 0.2, CUT)
    page.text(right + 12, (low + high) / 2, f"{y1 - y0:g} mm", 8, CUT)
    page.text(middle[0], low - 23, "camera on this side, above, looking down", 8, CUT, "middle")


def draw_rulers(sheets: Sheets, inches: bool) -> None:
    """Rulers along both edges, so that a printer that stretches one way is found out."""
    page = sheets.page("rulers")
    top = page.paper.height_mm - MARGIN_MM
    page.text(MARGIN_MM + 40, top - 8, "Rulers", 16, bold=True)
    page.text(
        MARGIN_MM + 40,
        top - 15,
        "Compare both with a real ruler. Printed at 100 % they agree to half a millimetre.",
        9.5,
    )
    across = int(page.paper.inner_mm[0] // 10 - 1) * 10
    _ruler(page, MARGIN_MM + 4, top - 30, min(across, 200), upright=False)
    _ruler(page, MARGIN_MM + 14, top - 50 - 200, 200, upright=True)
    if inches:
        _inches(page, MARGIN_MM + 60, top - 50 - 200, 7)


def _ruler(page: Page, x: float, y: float, length_mm: int, upright: bool) -> None:
    def at(along: float, across: float) -> tuple[float, float]:
        return (x + across, y + along) if upright else (x + along, y - across)

    page.lines([at(0, 0), at(length_mm, 0)], 0.2)
    for i in range(length_mm + 1):
        tall = 9 if i % 10 == 0 else 6.5 if i % 5 == 0 else 4
        page.lines([at(i, 0), at(i, tall)], 0.2)
        if i % 10 == 0:
            px, py = at(i, 13)
            page.text(px, py - 1, f"{i}", 8, align="middle", bold=i % 100 == 0)
    page.text(*at(length_mm - 4, 19), "mm", 8, align="middle")


def _inches(page: Page, x: float, y: float, length: int) -> None:
    page.lines([(x, y), (x, y + length * _INCH_MM)], 0.2)
    for i in range(length * 8 + 1):
        tall = 9 if i % 8 == 0 else 6.5 if i % 4 == 0 else 4
        page.lines([(x, y + i * _INCH_MM / 8), (x + tall, y + i * _INCH_MM / 8)], 0.2)
        if i % 8 == 0:
            page.text(x + 12, y + i * _INCH_MM / 8 - 1, f"{i // 8}", 8)
    page.text(x, y + length * _INCH_MM + 4, "inches", 8)

"""The twenty coasters and the trampoline: fronts and backs, to print on both sides or to glue on."""

from __future__ import annotations

from math import sqrt

from calibration.art import Face, printed_set
from calibration.sheets.page import CUT, MARGIN_MM, Page, Paper, Sheets
from referee.errors import ConfigError

_GAP_MM = 1.4
_STAGGERED = sqrt(3) / 2
"""Distance of staggered rows, in steps."""


def draw_coasters(sheets: Sheets, radius_mm: float) -> None:
    """Pages of fronts, each followed by its backs with left and right exchanged, to meet in duplex print."""
    faces = printed_set(radius_mm)
    fronts = [f for f in faces if f.side == "front"]
    backs = {f.piece: f for f in faces if f.side == "back"}
    places = _places(sheets.paper, radius_mm)
    if not places:
        raise ConfigError(
            f"a coaster of radius {radius_mm:g} mm doesn't fit on {sheets.paper.name}: choose larger paper"
        )
    for number, start in enumerate(range(0, len(fronts), len(places)), 1):
        some = fronts[start : start + len(places)]
        page = sheets.page(f"coasters {number}, fronts")
        for face, (x, y) in zip(some, places, strict=False):
            _print(page, face, x, y, radius_mm)
        page = sheets.page(
            f"coasters {number}, backs (for printing on both sides, turned over the long edge)"
        )
        for face, (x, y) in zip(some, places, strict=False):
            _print(page, backs[face.piece], page.paper.width_mm - x, y, radius_mm)


def _places(paper: Paper, radius_mm: float) -> list[tuple[float, float]]:
    """Middles of as many coasters as fit, in straight rows or in staggered ones, whichever holds more."""
    width, height = paper.inner_mm
    step = 2 * radius_mm + _GAP_MM
    columns = int((width + _GAP_MM) // step)
    straight, staggered = [columns] * int((height + _GAP_MM) // step), [columns]
    while 2 * radius_mm + len(staggered) * step * _STAGGERED <= height:
        staggered.append(columns - len(staggered) % 2)
    best = max((straight, 1.0), (staggered, _STAGGERED), key=lambda rows: sum(rows[0]))
    if columns == 0 or 2 * radius_mm > height:
        return []
    top = paper.height_mm - MARGIN_MM - radius_mm
    return [
        (paper.width_mm / 2 + (i - (count - 1) / 2) * step, top - row * step * best[1])
        for row, count in enumerate(best[0])
        for i in range(count)
    ]


def _print(page: Page, face: Face, x: float, y: float, radius_mm: float) -> None:
    page.drawing(face.drawing, x, y, radius_mm)
    page.circle(x, y, radius_mm, 0.1, CUT)

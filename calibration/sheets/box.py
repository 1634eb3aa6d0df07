"""The box as a net: floor with two walls, the other two walls, and a lid that sits between the walls."""

from __future__ import annotations

from calibration.sheets.page import CUT, MARGIN_MM, Page, Sheets
from referee.errors import ConfigError
from referee.formats import BoxSize

_FLAP_MM = 12.0
_LID_FLAP_MM = 18.0
_PLAY_MM = 0.6
"""The lid's flaps stand in by this much, so that they go between the walls."""


def draw_box(sheets: Sheets, size: BoxSize) -> None:
    """Three pages; thin card (200 to 300 g/m2) is best."""
    inner = sheets.paper.inner_mm
    wide, tall = size.outer_mm + 2 * _FLAP_MM, size.outer_mm + 2 * size.height_mm
    if wide > inner[0] or tall > inner[1] - 14:
        raise ConfigError(
            f"a box {size.outer_mm:g} mm wide and {size.height_mm:g} mm high doesn't fit on "
            f"{sheets.paper.name}: choose larger paper or a smaller box"
        )
    _floor(sheets.page("the box: floor and two walls"), size)
    _walls(sheets.page("the box: the other two walls"), size)
    _lid(sheets.page("the box: lid, for mode 2"), size)


def _notes(page: Page, title: str, words: str) -> float:
    """Title and one line at the top; returns the height left under them."""
    top = page.paper.height_mm - MARGIN_MM
    page.text(MARGIN_MM, top - 5, title, 13, bold=True)
    page.text(MARGIN_MM, top - 11, words, 8.5)
    return top - 14


def _floor(page: Page, size: BoxSize) -> None:
    side, high = size.outer_mm, size.height_mm
    top = _notes(
        page,
        "Box, part 1",
        "Cut the full lines, fold the dashed ones up, put glue on the blue flaps.",
    )
    x, y = (page.paper.width_mm - side) / 2, (top - MARGIN_MM - side - 2 * high) / 2 + MARGIN_MM
    for low in (y, y + high + side):
        page.cut([(x, low), (x + side, low), (x + side, low + high), (x, low + high)])
        for edge, out in ((x, -1), (x + side, 1)):
            page.glue(_flap(edge, out, low, low + high))
            page.fold((edge, low), (edge, low + high))
    page.cut([(x, y + high), (x + side, y + high), (x + side, y + high + side), (x, y + high + side)])
    for fold_y in (y + high, y + high + side):
        page.lines([(x, fold_y), (x + side, fold_y)], 0.6, (1, 1, 1))
        page.fold((x, fold_y), (x + side, fold_y))
    page.text(x + side / 2, y + high + side / 2, f"floor {side:g} × {side:g} mm", 9, CUT, "middle")
    page.text(x + side / 2, y + high / 2, f"wall {side:g} × {high:g} mm", 9, CUT, "middle")


def _flap(edge: float, out: int, low: float, high: float) -> list[tuple[float, float]]:
    """A flap beside an upright fold from `low` to `high`, narrowing outwards."""
    tip = edge + out * _FLAP_MM
    return [(edge, low), (tip, low + 5), (tip, high - 5), (edge, high)]


def _walls(page: Page, size: BoxSize) -> None:
    side, high = size.outer_mm, size.height_mm
    top = _notes(
        page,
        "Box, part 2",
        "Glue each blue flap under the floor, and the ends of the walls on the flaps of part 1.",
    )
    x = (page.paper.width_mm - side) / 2
    y = top - 4 - high
    for _ in range(2):
        page.glue([(x, y), (x + 5, y - _FLAP_MM), (x + side - 5, y - _FLAP_MM), (x + side, y)])
        page.cut([(x, y), (x + side, y), (x + side, y + high), (x, y + high)])
        page.lines([(x, y), (x + side, y)], 0.6, (1, 1, 1))
        page.fold((x, y), (x + side, y))
        page.text(x + side / 2, y + high / 2, f"wall {side:g} × {high:g} mm", 9, CUT, "middle")
        y -= high + _FLAP_MM + 10


def _lid(page: Page, size: BoxSize) -> None:
    side, deep = size.outer_mm, _LID_FLAP_MM
    top = _notes(
        page,
        "Box, part 3: lid",
        "Fold the four flaps down; they go between the walls and keep the lid in place.",
    )
    x, y = (page.paper.width_mm - side) / 2, top - side - deep - 8
    a, b, c, d = (x, y), (x + side, y), (x + side, y + side), (x, y + side)
    page.cut([a, b, c, d])
    play, taper = _PLAY_MM, 8.0
    flap = [
        (play - side / 2, 0.0),
        (taper - side / 2, deep),
        (side / 2 - taper, deep),
        (side / 2 - play, 0.0),
    ]
    middle = x + side / 2, y + side / 2
    flaps = [[_turned(u, side / 2 + v, middle, quarter) for u, v in flap] for quarter in range(4)]
    for flap in flaps:
        page.cut(flap)
        page.lines([flap[0], flap[-1]], 0.6, (1, 1, 1))
        page.fold(flap[0], flap[-1])
    page.text(x + side / 2, y + side / 2, f"lid {side:g} × {side:g} mm", 9, CUT, "middle")


def _turned(u: float, v: float, middle: tuple[float, float], quarters: int) -> tuple[float, float]:
    """(u, v) from the middle, turned by quarters of a circle."""
    for _ in range(quarters):
        u, v = -v, u
    return middle[0] + u, middle[1] + v

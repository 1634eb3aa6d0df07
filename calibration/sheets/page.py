"""A sheet of paper in millimetres, origin at the lower left corner, y up; lines for knife, fold and glue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from calibration.art import on_page
from calibration.art.shapes import Drawing
from referee.errors import ConfigError

MARGIN_MM = 10.0
"""No printer that we know of leaves more than this unprinted."""

INK = (0.10, 0.10, 0.15)
CUT = (0.45, 0.45, 0.48)
FOLD = (0.05, 0.35, 0.75)
GLUE = (0.88, 0.92, 0.97)


@dataclass(frozen=True)
class Paper:
    name: str
    width_mm: float
    height_mm: float

    @property
    def inner_mm(self) -> tuple[float, float]:
        """Width and height that can be printed on."""
        return self.width_mm - 2 * MARGIN_MM, self.height_mm - 2 * MARGIN_MM

    def turned(self) -> Paper:
        return Paper(self.name, self.height_mm, self.width_mm)


PAPERS = {
    "A4": Paper("A4", 210.0, 297.0),
    "letter": Paper("letter", 215.9, 279.4),
    "A3": Paper("A3", 297.0, 420.0),
}


def paper_named(name: str) -> Paper:
    """Raises ConfigError: which papers there are."""
    for paper in PAPERS.values():
        if paper.name.lower() == name.lower():
            return paper
    raise ConfigError(f"no paper called {name!r}: choose one of {', '.join(PAPERS)}")


class Sheets:
    """A PDF being drawn, page after page."""

    def __init__(self, out: Path, paper: Paper) -> None:
        self.paper = paper
        self._canvas: Any = Canvas(
            str(out), pagesize=(paper.width_mm * mm, paper.height_mm * mm), pageCompression=1
        )
        self._canvas.setTitle("Tabletop Referee: sheets for Poc!")
        self._canvas.setAuthor("Tabletop Referee")
        self._number = 0

    def page(self, heading: str, paper: Paper | None = None) -> Page:
        """A new page; the one before is finished."""
        if self._number:
            self._canvas.showPage()
        self._number += 1
        paper = paper or self.paper
        self._canvas.setPageSize((paper.width_mm * mm, paper.height_mm * mm))
        page = Page(self._canvas, paper)
        page.text(MARGIN_MM, 5.0, f"{self._number}  ·  {heading}", 8, CUT)
        page.text(paper.width_mm - MARGIN_MM, 5.0, "print at 100 %, never “fit to page”", 8, CUT, "right")
        return page

    def save(self) -> None:
        self._canvas.save()


class Page:
    def __init__(self, canvas: Any, paper: Paper) -> None:
        self._canvas = canvas
        self.paper = paper

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size_pt: float = 10.0,
        colour: tuple[float, float, float] = INK,
        align: str = "left",
        bold: bool = False,
        angle_deg: float = 0.0,
    ) -> None:
        c = self._canvas
        c.saveState()
        c.translate(x * mm, y * mm)
        c.rotate(angle_deg)
        c.setFillColorRGB(*colour)
        c.setFont("Helvetica-Bold" if bold else "Helvetica", size_pt)
        {"left": c.drawString, "right": c.drawRightString, "middle": c.drawCentredString}[align](0, 0, words)
        c.restoreState()

    def lines(
        self,
        points: Sequence[tuple[float, float]],
        width_mm: float = 0.2,
        colour: tuple[float, float, float] = INK,
        dashes_mm: tuple[float, float] | None = None,
        closed: bool = False,
        inside: tuple[float, float, float] | None = None,
    ) -> None:
        """A line through the points; closed and filled if asked."""
        c = self._canvas
        c.saveState()
        c.setLineWidth(width_mm * mm)
        c.setStrokeColorRGB(*colour)
        if inside is not None:
            c.setFillColorRGB(*inside)
        if dashes_mm is not None:
            c.setDash(dashes_mm[0] * mm, dashes_mm[1] * mm)
        path = c.beginPath()
        path.moveTo(points[0][0] * mm, points[0][1] * mm)
        for x, y in points[1:]:
            path.lineTo(x * mm, y * mm)
        if closed:
            path.close()
        c.drawPath(path, stroke=int(width_mm > 0), fill=int(inside is not None))
        c.restoreState()

    def circle(
        self, x: float, y: float, radius: float, width_mm: float, colour: tuple[float, float, float]
    ) -> None:
        c = self._canvas
        c.saveState()
        c.setLineWidth(width_mm * mm)
        c.setStrokeColorRGB(*colour)
        c.circle(x * mm, y * mm, radius * mm, stroke=1, fill=0)
        c.restoreState()

    def cut(self, points: Sequence[tuple[float, float]]) -> None:
        self.lines(points, 0.2, CUT, closed=True)

    def fold(self, a: tuple[float, float], b: tuple[float, float]) -> None:
        self.lines([a, b], 0.25, FOLD, (2.0, 1.5))

    def glue(self, points: Sequence[tuple[float, float]]) -> None:
        """A flap to put glue on, cut out along its edge."""
        self.lines(points, 0.2, CUT, closed=True, inside=GLUE)

    def drawing(self, inks: Drawing, x: float, y: float, radius: float) -> None:
        """A drawing in units of `radius`, its middle at (x, y)."""
        on_page(inks, self._canvas, x * mm, y * mm, radius * mm)

    def crop_marks(self, x: float, y: float, width: float, height: float) -> None:
        """Short lines outside the corners of a rectangle."""
        for cx, sx in ((x, -1), (x + width, 1)):
            for cy, sy in ((y, -1), (y + height, 1)):
                self.lines([(cx + 1 * sx, cy), (cx + 6 * sx, cy)], 0.15, CUT)
                self.lines([(cx, cy + 1 * sy), (cx, cy + 6 * sy)], 0.15, CUT)

    def window(self, x: float, y: float, width: float, height: float) -> None:
        """From here to `restore` nothing outside the rectangle is drawn, and it is the new origin."""
        c = self._canvas
        c.saveState()
        path = c.beginPath()
        path.rect(x * mm, y * mm, width * mm, height * mm)
        c.clipPath(path, stroke=0, fill=0)
        c.translate(x * mm, y * mm)

    def restore(self) -> None:
        self._canvas.restoreState()

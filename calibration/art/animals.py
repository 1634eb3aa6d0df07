"""Four animals, five numerals and a spring, drawn in a square of about -1 to 1."""

from __future__ import annotations

from math import cos, pi, sin

from calibration.art.shapes import (
    Colour,
    Drawing,
    Ink,
    Path,
    Point,
    circle,
    ellipse,
    fill,
    line,
    placed,
    polyline,
    spline,
)

INK: Colour = (24, 26, 38)
WHITE: Colour = (255, 255, 255)


def _both(*inks: Ink) -> Drawing:
    """The inks and their mirror images."""
    return (*inks, *placed(inks, 0.0, 0.0, flip=True))


def _mirrored(half: list[Point]) -> list[Point]:
    """The closed outline whose right half is `half`, top to bottom, both ends on the axis."""
    return [*half, *[(-x, y) for x, y in half[-2:0:-1]]]


def _eyes(x: float, y: float, radius: float) -> Drawing:
    glint = radius * 0.36
    return (
        *_both(fill(INK, circle(x, y, radius))),
        fill(WHITE, circle(x + glint, y + glint, glint), circle(-x + glint, y + glint, glint)),
    )


def fox() -> Drawing:
    coat, dark, tongue = (236, 112, 22), (150, 58, 8), (250, 222, 196)
    ear = [(0.16, 0.50), (0.52, 0.86), (0.84, 1.02), (0.93, 0.60), (0.88, 0.12), (0.5, 0.2)]
    inner = [(0.40, 0.50), (0.60, 0.70), (0.78, 0.82), (0.82, 0.55), (0.78, 0.30)]
    head = _mirrored(
        [(0, 0.56), (0.45, 0.52), (0.80, 0.22), (1.06, -0.16), (0.80, -0.42), (0.42, -0.72), (0, -0.98)]
    )
    cheek = [
        (1.02, -0.15),
        (0.62, -0.06),
        (0.34, -0.28),
        (0.08, -0.56),
        (0.0, -0.95),
        (0.42, -0.70),
        (0.79, -0.41),
    ]
    blaze = _mirrored([(0, 0.52), (0.13, 0.50), (0.10, 0.1), (0, -0.2)])
    return (
        *_both(fill(coat, spline(ear)), fill(dark, spline(inner))),
        fill(coat, spline(head)),
        *_both(fill(WHITE, spline(cheek))),
        fill(tongue, spline(blaze)),
        *_eyes(0.40, 0.05, 0.125),
        fill(INK, ellipse(0, -0.84, 0.17, 0.125)),
    )


def panda() -> Drawing:
    smile = spline([(-0.2, -0.52), (-0.1, -0.61), (0.0, -0.52), (0.1, -0.61), (0.2, -0.52)], closed=False)
    return (
        *_both(fill(INK, circle(0.68, 0.64, 0.33))),
        fill(INK, ellipse(0, -0.06, 1.03, 0.90)),
        fill(WHITE, ellipse(0, -0.06, 0.96, 0.83)),
        *_both(fill(INK, ellipse(0.42, 0.06, 0.24, 0.33, -28))),
        *_both(fill(WHITE, circle(0.37, 0.10, 0.125))),
        *_eyes(0.36, 0.09, 0.085),
        fill(INK, ellipse(0, -0.33, 0.17, 0.115)),
        line(INK, 0.055, polyline([(0, -0.38), (0, -0.52)]), smile),
        *_both(fill((246, 178, 196), ellipse(0.62, -0.36, 0.13, 0.09))),
    )


def penguin() -> Drawing:
    coat, bill = (28, 42, 66), (246, 160, 24)
    body = _mirrored(
        [(0, 1.0), (0.36, 0.90), (0.52, 0.56), (0.62, 0.10), (0.68, -0.45), (0.50, -0.86), (0, -0.95)]
    )
    belly = _mirrored([(0, 0.30), (0.30, 0.16), (0.45, -0.25), (0.40, -0.66), (0, -0.84)])
    mask = _mirrored([(0, 0.66), (0.20, 0.80), (0.38, 0.62), (0.26, 0.32), (0, 0.24)])
    flipper = [(0.50, 0.34), (0.74, 0.14), (0.96, -0.28), (0.92, -0.46), (0.72, -0.32), (0.56, -0.14)]
    foot = [(0.10, -0.90), (0.30, -0.78), (0.54, -0.86), (0.62, -1.0), (0.34, -1.04), (0.10, -1.0)]
    return (
        *_both(fill(bill, spline(foot)), fill(coat, spline(flipper))),
        fill(coat, spline(body)),
        fill(WHITE, spline(mask)),
        fill(WHITE, spline(belly)),
        *_both(fill((250, 196, 70), ellipse(0.36, 0.30, 0.09, 0.16, 25))),
        *_eyes(0.20, 0.60, 0.085),
        fill(bill, spline(_mirrored([(0, 0.52), (0.17, 0.44), (0, 0.26)]))),
    )


def gecko() -> Drawing:
    skin, dark, spot = (18, 140, 84), (8, 84, 56), (190, 226, 80)
    legs: list[Path] = [
        spline([(-0.02, 0.36), (0.40, 0.48), (0.54, 0.80)], closed=False),
        spline([(-0.06, 0.34), (-0.52, 0.30), (-0.70, 0.02)], closed=False),
        spline([(-0.02, -0.22), (0.40, -0.24), (0.62, -0.52)], closed=False),
        spline([(0.0, -0.20), (-0.36, -0.34), (-0.46, -0.70)], closed=False),
    ]
    toes: list[Path] = []
    for (x, y), (ux, uy) in (
        ((0.54, 0.80), (0.1, 1.0)),
        ((-0.70, 0.02), (-0.3, -1.0)),
        ((0.62, -0.52), (0.5, -1.0)),
        ((-0.46, -0.70), (-0.2, -1.0)),
    ):
        n = (ux * ux + uy * uy) ** 0.5
        ux, uy = ux / n * 0.19, uy / n * 0.19
        for turn in (-0.9, 0.0, 0.9):
            toes.append(polyline([(x, y), (x + ux - turn * uy, y + uy + turn * ux)]))
    tail = [(0.14, -0.40), (0.20, -0.66), (0.10, -0.88), (-0.08, -0.98), (-0.22, -0.90), (-0.2, -0.8)]
    tail += [(-0.06, -0.78), (0.0, -0.66), (-0.10, -0.42)]
    trunk = [(0.0, 0.60), (0.17, 0.42), (0.22, 0.10), (0.17, -0.30), (0.13, -0.50), (-0.10, -0.48)]
    trunk += [(-0.20, -0.12), (-0.22, 0.18), (-0.17, 0.44)]
    head = [
        (0.0, 1.02),
        (0.17, 0.94),
        (0.27, 0.70),
        (0.16, 0.48),
        (-0.16, 0.48),
        (-0.27, 0.70),
        (-0.17, 0.94),
    ]
    spots = [
        (0.02, 0.32),
        (-0.07, 0.14),
        (0.08, 0.02),
        (-0.04, -0.14),
        (0.06, -0.28),
        (0.10, -0.50),
        (0.11, -0.68),
    ]
    return (
        line(skin, 0.17, *legs),
        line(skin, 0.085, *toes),
        fill(skin, spline(tail)),
        fill(skin, spline(trunk)),
        fill(skin, spline(head)),
        fill(spot, *(circle(x, y, 0.062 - 0.002 * i) for i, (x, y) in enumerate(spots))),
        *_both(fill(spot, circle(0.19, 0.76, 0.115)), fill(INK, circle(0.20, 0.77, 0.075))),
        line(dark, 0.04, spline([(-0.09, 0.93), (0, 0.90), (0.09, 0.93)], closed=False)),
    )


def star(colour: Colour) -> Drawing:
    """A five-pointed star, one point up."""
    points = [
        ((1.0 if i % 2 == 0 else 0.44) * sin(pi * i / 5), (1.0 if i % 2 == 0 else 0.44) * cos(pi * i / 5))
        for i in range(10)
    ]
    return (fill(colour, Path(points[0], tuple((p, p, p) for p in [*points[1:], points[0]]))),)


_NUMERALS: dict[int, tuple[Path, ...]] = {
    1: (polyline([(-0.38, 0.52), (0.06, 0.86), (0.06, -0.86)]),),
    2: (
        Path(
            (-0.46, 0.42),
            (
                ((-0.44, 1.02), (0.50, 1.06), (0.46, 0.38)),
                ((0.43, 0.0), (-0.16, -0.42), (-0.48, -0.86)),
                ((-0.48, -0.86), (0.52, -0.86), (0.52, -0.86)),
            ),
        ),
    ),
    3: (
        Path(
            (-0.44, 0.60),
            (
                ((-0.28, 0.98), (0.44, 0.98), (0.42, 0.46)),
                ((0.40, 0.16), (0.14, 0.06), (-0.08, 0.06)),
                ((0.20, 0.06), (0.50, -0.10), (0.48, -0.42)),
                ((0.46, -1.02), (-0.34, -1.02), (-0.50, -0.56)),
            ),
        ),
    ),
    4: (polyline([(0.24, -0.86), (0.24, 0.86), (-0.54, -0.36), (0.54, -0.36)]),),
    5: (
        Path(
            (0.42, 0.84),
            (
                ((0.42, 0.84), (-0.34, 0.84), (-0.34, 0.84)),
                ((-0.34, 0.84), (-0.42, 0.10), (-0.42, 0.10)),
                ((-0.12, 0.34), (0.50, 0.26), (0.50, -0.30)),
                ((0.50, -1.02), (-0.30, -1.02), (-0.50, -0.60)),
            ),
        ),
    ),
}


def numeral(value: int, colour: Colour, weight: float = 0.34) -> Drawing:
    """The numeral as a thick round-ended line; `weight` in halves of its height."""
    return (line(colour, weight, *_NUMERALS[value]),)

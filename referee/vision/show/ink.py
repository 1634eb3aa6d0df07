"""Lines, letters and labels on pictures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import ceil, hypot

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.frames.source import Pixels

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Colour = tuple[int, int, int]

UPPER: Colour = (40, 140, 255)
LOWER: Colour = (255, 200, 40)
SHARED: Colour = (80, 60, 255)
INK: Colour = (245, 245, 245)
FAINT: Colour = (180, 180, 180)
PAPER: Colour = (32, 28, 26)
"""Blue, green, red. Orange and light blue can be told apart by everybody."""
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_SIGNS = {"±": 18, "°": 11}
"""What not every build of the font has, and how wide it is drawn at size 1."""
_SIGNS_APART = re.compile("([±°])")


def line(image: Pixels, points: Array, colour: Colour) -> None:
    """A closed outline through (N, 2) pixels."""
    path = [_fixed(points)]
    cv2.polylines(image, path, True, PAPER, 3, cv2.LINE_AA, shift=4)
    cv2.polylines(image, path, True, colour, 1, cv2.LINE_AA, shift=4)


def parts(image: Pixels, points: Array, seen: Mask, colour: Colour, cased: bool = True) -> None:
    """A closed outline through (N, 2) pixels: strong where it is seen (N,), else thin and dashed."""
    ends = np.roll(points, -1, axis=0)
    shares = np.linspace(0, 1, max(1, ceil(float(np.hypot(*(ends - points).T).max()) / 3)), endpoint=False)
    points = (points[:, None] + shares[:, None] * (ends - points)[:, None]).reshape(-1, 2)
    ends, seen = np.roll(points, -1, axis=0), np.repeat(seen, len(shares))
    along = np.concatenate(([0.0], np.cumsum(np.hypot(*(ends - points).T))))[:-1]
    pieces = _fixed(np.stack((points, ends), axis=1))
    strong, thin = list(pieces[seen]), list(pieces[~seen & (along % 18 < 10)])
    for segments, thick in ((strong, 2), (thin, 1 if cased else 2)):
        if cased:
            cv2.polylines(image, segments, False, PAPER, thick + 3, cv2.LINE_AA, shift=4)
        cv2.polylines(image, segments, False, colour, thick, cv2.LINE_AA, shift=4)


def dots(image: Pixels, points: Array, colour: Colour, every_px: float = 8.0) -> None:
    """A closed dotted outline through (N, 2) pixels."""
    ends = np.roll(points, -1, axis=0)
    steps = np.hypot(*(ends - points).T)
    far = np.concatenate(([0.0], np.cumsum(steps)))
    at = np.arange(0, far[-1], every_px)
    closed = np.vstack((points, points[:1]))
    for x, y in _fixed(np.column_stack([np.interp(at, far, closed[:, i]) for i in (0, 1)])):
        cv2.circle(image, (int(x), int(y)), 28, colour, cv2.FILLED, cv2.LINE_AA, shift=4)


def stroke(image: Pixels, a: Array, b: Array, colour: Colour = INK, arrow: bool = False) -> None:
    """A straight line between two places (2,), with a head at b."""
    for thick, shade in ((3, PAPER), (1, colour)):
        cv2.polylines(image, [_fixed(np.stack((a, b)))], False, shade, thick, cv2.LINE_AA, shift=4)
    if arrow and (length := hypot(*(b - a))) > 0:
        back = (a - b) / length
        side = np.array([-back[1], back[0]])
        head = np.stack((b, b + 9 * back + 3.5 * side, b + 9 * back - 3.5 * side))
        cv2.fillPoly(image, [_fixed(head)], colour, cv2.LINE_AA, shift=4)


def _fixed(points: Array) -> NDArray[np.int32]:
    """Pixels in the sixteenths that `shift=4` means."""
    return np.round(points * 16).astype(np.int32)


def tags(image: Pixels, labels: Sequence[tuple[str, Array, Colour]], size: float = 0.5) -> None:
    """Small labels about their places (2,), each on a plate of its own so that it can be read over any
    picture; one that would lie on another gives way downwards. None leaves the picture."""
    taken: list[tuple[int, int, int, int]] = []
    for words, middle, colour in labels:
        width, height = size_px(words, size)
        left, top = round(float(middle[0]) - width / 2) - 4, round(float(middle[1]) - height / 2) - 4
        high = height + 9
        left = max(0, min(left, image.shape[1] - width - 8))
        right, top = left + width + 8, max(0, min(top, image.shape[0] - high))
        while any(left < x1 and x0 < right and top < y1 and y0 < top + high for x0, y0, x1, y1 in taken):
            top += high // 2
        taken.append((left, top, right, top + high))
        cv2.rectangle(image, (left, top), (right, top + high), PAPER, cv2.FILLED)
        text(image, words, (left + 4, top + 4 + height), size, colour)


def size_px(words: str, size: float) -> tuple[int, int]:
    """Width and height of some words."""
    width = sum(wide for _, wide in _runs(words, size))
    return width, int(cv2.getTextSize(words, _FONT, size, 1)[0][1])


def text(image: Pixels, words: str, at: tuple[int, int], size: float, colour: Colour = INK) -> None:
    for thick, shade in ((4, PAPER), (1, colour)):
        x, y = at
        for run, wide in _runs(words, size):
            if run in _SIGNS:
                _sign(image, run, (x, y), size, shade, thick)
            else:
                cv2.putText(image, run, (x, y), _FONT, size, shade, thick, cv2.LINE_AA)
            x += wide


def _runs(words: str, size: float) -> list[tuple[str, int]]:
    """The words cut before and after the signs that the font may lack, with the width of each part."""
    end = cv2.getTextSize("|", _FONT, size, 1)[0][0]  # a blank at the end has no width by itself
    runs = [run for run in _SIGNS_APART.split(words) if run]
    wide = [cv2.getTextSize(f"{run}|", _FONT, size, 1)[0][0] - end for run in runs]
    return [(r, round(_SIGNS[r] * size) if r in _SIGNS else int(w)) for r, w in zip(runs, wide, strict=True)]


def _sign(image: Pixels, sign: str, at: tuple[int, int], size: float, colour: Colour, thick: int) -> None:
    x, y = at
    if sign == "°":
        middle = (x + round(5 * size), y - round(18 * size))
        cv2.circle(image, middle, max(2, round(3.5 * size)), colour, thick, cv2.LINE_AA)
        return
    left, right, middle_x = x + round(2 * size), x + round(16 * size), x + round(9 * size)
    cv2.line(image, (left, y), (right, y), colour, thick, cv2.LINE_AA)
    cv2.line(image, (left, y - round(11 * size)), (right, y - round(11 * size)), colour, thick, cv2.LINE_AA)
    cv2.line(
        image, (middle_x, y - round(18 * size)), (middle_x, y - round(4 * size)), colour, thick, cv2.LINE_AA
    )


def wrapped(words: str, size: float, width_px: int) -> list[str]:
    """The words in lines that are no wider."""
    lines = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and size_px(longer, size)[0] > width_px:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines

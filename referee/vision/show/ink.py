"""Lines, letters and labels on pictures."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.frames.source import Pixels

Array = NDArray[np.float64]
Colour = tuple[int, int, int]

UPPER: Colour = (40, 140, 255)
LOWER: Colour = (255, 200, 40)
SHARED: Colour = (80, 60, 255)
INK: Colour = (245, 245, 245)
PAPER: Colour = (32, 28, 26)
"""Blue, green, red."""
_FONT = cv2.FONT_HERSHEY_SIMPLEX


def line(image: Pixels, points: Array, colour: Colour) -> None:
    """A closed outline through (N, 2) pixels."""
    path = [np.round(points * 16).astype(np.int32)]
    cv2.polylines(image, path, True, PAPER, 3, cv2.LINE_AA, shift=4)
    cv2.polylines(image, path, True, colour, 1, cv2.LINE_AA, shift=4)


def tags(image: Pixels, labels: Sequence[tuple[str, Array, Colour]]) -> None:
    """Small labels about their places (2,), each on a plate of its own so that it can be read over any
    picture; one that would lie on another gives way downwards."""
    taken: list[tuple[int, int, int, int]] = []
    for words, middle, colour in labels:
        (width, height), _ = cv2.getTextSize(words, _FONT, 0.5, 1)
        left, top = round(float(middle[0]) - width / 2) - 4, round(float(middle[1]) - height / 2) - 4
        right, high = left + width + 8, height + 9
        while any(left < x1 and x0 < right and top < y1 and y0 < top + high for x0, y0, x1, y1 in taken):
            top += high // 2
        taken.append((left, top, right, top + high))
        cv2.rectangle(image, (left, top), (right, top + high), PAPER, cv2.FILLED)
        text(image, words, (left + 4, top + 4 + height), 0.5, colour)


def text(image: Pixels, words: str, at: tuple[int, int], size: float, colour: Colour = INK) -> None:
    cv2.putText(image, words, at, _FONT, size, PAPER, 4, cv2.LINE_AA)
    cv2.putText(image, words, at, _FONT, size, colour, 1, cv2.LINE_AA)

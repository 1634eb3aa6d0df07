"""Pieces that nothing has touched: whose place looks as it did when they were last seen."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.facts import Placed
from referee.vision import motion
from referee.vision.motion import Glimpse
from referee.vision.table import TableView


@dataclass(frozen=True)
class Settings:
    least: float = 0.6
    """Share of a piece's place that must look unchanged."""


def untouched(
    placed: tuple[Placed, ...],
    before: Glimpse,
    now: Glimpse,
    view: TableView,
    radius_mm: float,
    settings: Settings,
    seeing: motion.Settings,
) -> frozenset[int]:
    """Tracks of the pieces in view whose place hasn't changed since `before`, as seen by the same camera."""
    if before.small.shape != now.small.shape:
        return frozenset()
    changed = motion.changed(now.small, before.small, seeing)
    scale = now.small.shape[1] / view.camera.size_px[0]
    same = set()
    for piece in placed:
        if not piece.in_view:
            continue
        mask = np.zeros(changed.shape, np.uint8)
        rim = (view.to_px(_rim(piece, radius_mm)) + 0.5) * scale - 0.5
        cv2.fillPoly(mask, [np.round(rim).astype(np.int32)], 255)
        whole = cv2.countNonZero(mask)
        if whole and cv2.countNonZero(motion.without(mask, changed)) >= settings.least * whole:
            same.add(piece.track)
    return frozenset(same)


def _rim(piece: Placed, radius_mm: float) -> NDArray[np.float64]:
    turn = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    x = piece.x_mm.value + radius_mm * np.cos(turn)
    return np.column_stack((x, piece.y_mm.value + radius_mm * np.sin(turn), np.zeros(32)))

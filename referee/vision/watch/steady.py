"""What has changed on the table since it was last read, piece by piece."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.facts import Placed
from referee.vision.table.pose import TableView
from referee.vision.watch import motion
from referee.vision.watch.motion import Glimpse, Mask


@dataclass(frozen=True)
class Settings:
    untouched: float = 0.6
    """Share of a piece's place that must look as it did, for the piece to lie there still."""


@dataclass(frozen=True, eq=False)
class Difference:
    """Where the small picture differs from that of the last scene, seen by the same camera."""

    mask: Mask
    view: TableView
    radius_mm: float

    @classmethod
    def between(
        cls, before: Glimpse, now: Glimpse, view: TableView, radius_mm: float, seeing: motion.Settings
    ) -> Difference:
        return cls(motion.changed(now.small, before.small, seeing), view, radius_mm)

    def near(self, mm: float) -> NDArray[np.bool_]:
        """(H, W) of the whole picture: what has changed, its gaps, and so much around it."""
        scale = self.mask.shape[1] / self.view.camera.size_px[0]
        reach = max(round(mm * scale * self.view.camera.matrix[0, 0] / float(self.view.eye_mm[2])), 1)
        disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
        wide = cv2.dilate(cv2.morphologyEx(self.mask, cv2.MORPH_CLOSE, disc), disc)
        return cv2.resize(wide, self.view.camera.size_px, interpolation=cv2.INTER_NEAREST) > 0

    def share(self, x_mm: float, y_mm: float) -> float:
        """How much of a disc's place has changed, 0 to 1. 0 when it lies outside the picture."""
        turn = np.linspace(0, 2 * np.pi, 32, endpoint=False)
        rim = np.column_stack(
            (x_mm + self.radius_mm * np.cos(turn), y_mm + self.radius_mm * np.sin(turn), np.zeros(32))
        )
        scale = self.mask.shape[1] / self.view.camera.size_px[0]
        place = np.zeros_like(self.mask)
        outline = (self.view.to_px(rim) + 0.5) * scale - 0.5
        cv2.fillPoly(place, [np.round(outline).astype(np.int32)], 255)
        whole = cv2.countNonZero(place)
        return cv2.countNonZero(motion.both(place, self.mask)) / whole if whole else 0.0


def untouched(
    placed: tuple[Placed, ...], difference: Difference | None, settings: Settings
) -> frozenset[int]:
    """Tracks of the pieces in view that nothing has touched: their place looks as it did.

    difference: None when there is nothing to compare with, and nothing is known.
    """
    if difference is None:
        return frozenset()
    return frozenset(
        p.track
        for p in placed
        if p.in_view and difference.share(p.x_mm.value, p.y_mm.value) <= 1 - settings.untouched
    )

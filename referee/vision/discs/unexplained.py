"""What stands out from the table and is no disc found so far: where something is still to be found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.discs.picture import Picture
from referee.vision.table.backdrop import Backdrop

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

PAPER, FRAME = 1.25, 0.85
"""A marker's white paper and the middle of its black frame, over the black square."""


@dataclass(frozen=True)
class Settings:
    width_px: int = 480
    """So wide is the picture in which it is sought."""
    crumbs_mm: float = 6.5
    """Narrower strips are the discs' own seams, walls and shadows."""
    least_area_mm2: float = 350.0
    """A quarter of a disc that is seen nearly edge-on."""
    join_mm: float = 16.0
    """Parts so near each other may belong to one disc that others cross."""
    margin_mm: float = 6.0
    """So far beyond what stands out its edges may lie."""


@dataclass(frozen=True, eq=False)
class Thing:
    window: tuple[slice, slice]
    """Rows and columns of the picture."""
    mask: Mask
    """(H, W) of the picture: what stands out, and its edges."""


def standing_out(
    picture: Picture, free: Mask, backdrop: Backdrop, width_px: int, shrinking: int
) -> tuple[Mask, int]:
    """What is neither the table's colours nor, by `free` (H, W), explained; and how many times smaller than
    the picture that mask is, about `width_px` wide. shrinking: OpenCV's way of it, by areas or faster."""
    shrink = max(round(picture.bgr.shape[1] / width_px), 1)
    small = cv2.resize(picture.bgr, None, fx=1 / shrink, fy=1 / shrink, interpolation=shrinking)
    strange = backdrop.of_lab8(np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2LAB), np.uint8)) > 0.5
    deep, wide = strange.shape
    strange &= free[shrink // 2 :: shrink, shrink // 2 :: shrink][:deep, :wide]
    return strange, shrink


def things(
    picture: Picture,
    free: Mask,
    backdrop: Backdrop,
    near: Sequence[tuple[Array, float]],
    settings: Settings,
) -> list[Thing]:
    """What is left to explain, largest first.

    free: (H, W) pixels that no disc explains; near: places (3,) in mm and how far around them to look.
    """
    if not near:
        return []
    s, view = settings, picture.view
    height, width = picture.bgr.shape[:2]
    strange, shrink = standing_out(picture, free, backdrop, s.width_px, cv2.INTER_AREA)
    deep, wide = strange.shape
    for paper in _markers(picture):
        cv2.fillConvexPoly(strange.view(np.uint8), np.rint(paper / shrink).astype(np.int32), 0)
    around = np.zeros(strange.shape, np.uint8)
    px = view.to_px(np.stack([c for c, _ in near])) / shrink
    distance = np.linalg.norm(np.stack([c for c, _ in near]) - view.eye_mm, axis=1)
    scale = view.camera.matrix[0, 0] / shrink / distance
    for (x, y), (_, reach), per_mm in zip(px, near, scale, strict=True):
        if abs(x) < 4 * wide and abs(y) < 4 * deep:
            cv2.circle(around, (round(x), round(y)), round(reach * per_mm), 1, -1)
    per_mm = float(np.median(scale))

    def ball(mm: float) -> NDArray[np.uint8]:
        side = max(round(mm * per_mm), 1) | 1
        return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)

    whole = cv2.morphologyEx(
        (strange & (around > 0)).view(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)
    )
    thick = cv2.morphologyEx(whole, cv2.MORPH_OPEN, ball(s.crumbs_mm))
    _, labels = cv2.connectedComponents(cv2.dilate(thick, ball(s.join_mm)))
    areas = np.bincount(labels[thick > 0], minlength=1) / per_mm**2
    areas[0] = 0
    edged = cv2.dilate(thick, ball(2 * s.margin_mm)) > 0
    out = []
    for i in sorted(np.flatnonzero(areas > s.least_area_mm2), key=lambda i: -areas[i]):
        part = (edged & (labels == i)).view(np.uint8)
        left, top, w, h = cv2.boundingRect(part)
        rows = slice(top * shrink, min((top + h) * shrink, height))
        columns = slice(left * shrink, min((left + w) * shrink, width))
        full = (w * shrink, h * shrink)
        large = cv2.resize(part[top : top + h, left : left + w], full, interpolation=cv2.INTER_NEAREST) > 0
        window = rows, columns
        mask = np.zeros((height, width), bool)
        mask[window] = large[: rows.stop - rows.start, : columns.stop - columns.start]
        out.append(Thing(window, mask))
    return out


def _markers(picture: Picture) -> list[Array]:
    """(4, 2) px each: the paper of the markers that nothing covers: their black frames show on white."""
    quads = picture.view.corners_px
    if quads is None:
        return []
    bgr = picture.bgr
    height, width = bgr.shape[:2]
    along = np.linspace(0, 1, 8, endpoint=False)[:, None, None]
    bare = []
    for quad in quads:
        middle = quad.mean(axis=0)
        round_ = ((1 - along) * quad + along * np.roll(quad, -1, axis=0)).reshape(-1, 2) - middle
        px = np.rint(middle + round_ * np.array([FRAME, (1 + PAPER) / 2])[:, None, None]).astype(int)
        if (px >= 0).all() and (px < [width, height]).all():
            black, white = bgr[px[..., 1], px[..., 0]].max(axis=2).astype(float)
            if (black < white / 2).all():
                bare.append(middle + PAPER * (quad - middle))
    return bare

"""Where a box of known size may stand: a coarse look over all places and turns.

Seen from straight above through the real camera, the top of a box is a square of known side, and its
foot the same square drawn towards the point under the camera. So the picture is laid onto the plane of the
top, turned step by step until the sides run along rows and columns, and each side becomes one box filter.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.box.shape import BoxPose
from referee.vision.table.backdrop import Backdrop, lay_flat
from referee.vision.table.pose import TableView

Array = NDArray[np.float64]
Plane = NDArray[np.float32]


@dataclass(frozen=True)
class Settings:
    cell_mm: float = 5.0
    turn_deg: float = 6.0
    step_limit: int = 24
    """Grey levels beyond which a step in colour counts no more: a hard edge is no better than a clear one."""
    per_turn: int = 4
    keep: int = 6
    plain: float = 0.25
    """What an edge counts that only parts colours of the table: a box may have one of them."""
    apart_mm: float = 12.0
    apart_deg: float = 8.0


def propose(
    bgr: NDArray[np.uint8],
    view: TableView,
    outer_mm: float,
    height_mm: float,
    area_mm: tuple[float, float, float, float],
    backdrop: Backdrop,
    settings: Settings | None = None,
) -> list[tuple[float, BoxPose]]:
    """The likeliest coarse poses with their scores, best first; never empty.

    area_mm: (left, right, near, far) where the box's middle may be.
    """
    settings = settings or Settings()
    cell, margin = settings.cell_mm, outer_mm * 0.8
    left, right, near, far = area_mm
    top, to_mm = lay_flat(
        bgr, view, height_mm, (left - margin, right + margin, near - margin, far + margin), cell
    )
    top = np.dstack((top, _levels(backdrop.of_lab8(top), settings.plain)))
    eye = view.eye_mm
    shrink = (eye[2] - height_mm) / eye[2]
    found: list[tuple[float, BoxPose]] = []
    for yaw in np.arange(0.0, 90.0, settings.turn_deg):
        turned, back = _turn(top, yaw)
        under_eye = _apply(_inverse(back), _apply(_inverse(to_mm), eye[:2]))
        score = _square_score(turned, outer_mm / cell, shrink, under_eye, settings.step_limit)
        for value, column, row in _peaks(score, settings):
            x, y = _apply(to_mm, _apply(back, np.array([column, row])))
            if left <= x <= right and near <= y <= far:
                found.append((value, BoxPose(float(x), float(y), float(yaw), outer_mm, height_mm)))
    return _distinct(sorted(found, key=lambda f: -f[0]), settings)


def _turn(top: NDArray[np.uint8], yaw_deg: float) -> tuple[NDArray[np.uint8], Array]:
    """The flat picture turned so that a box of that yaw has upright sides, and the (2, 3) map back."""
    height, width = top.shape[:2]
    turn = np.radians(yaw_deg)
    c, s = np.cos(turn), np.sin(turn)
    forward = np.array([(c, -s), (s, c)])
    size = (int(width * c + height * s) + 2, int(width * s + height * c) + 2)
    shift = np.array(size) / 2 - forward @ np.array([(width - 1) / 2, (height - 1) / 2])
    onto = np.column_stack((forward, shift))
    turned = cv2.warpAffine(top, onto, size, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(turned, np.uint8), _inverse(onto)


def _square_score(
    turned: NDArray[np.uint8], side: float, shrink: float, under_eye: Array, limit: int
) -> Plane:
    """For each pixel as the middle of the top: how well the sides of top and foot are drawn, 0 to 1.7.

    A side counts by the mean colour step across it, sign kept, in two halves: texture cancels out, and a
    background that changes half way does not.
    """
    half, length = side / 2, max(round(side * 0.42), 3)
    rows, columns = turned.shape[:2]
    draw = np.array([(shrink, 0, (1 - shrink) * under_eye[0]), (0, shrink, (1 - shrink) * under_eye[1])])
    total = np.zeros((rows, columns), np.float32)
    sides = np.full((rows, columns), 4, np.float32)
    for across in (True, False):
        drawn = _steps(turned, across, length, limit)
        foot = np.asarray(
            cv2.warpAffine(drawn, draw, (columns, rows), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP),
            np.float32,
        )
        if not across:  # work along rows in both cases
            drawn, foot = drawn.T, foot.T
        sum_, count = (total, sides) if across else (total.T, sides.T)
        away = np.arange(sum_.shape[1]) - under_eye[0 if across else 1]
        top, bottom = _two_halves(drawn, half), _two_halves(foot, half)
        for sign in (-1, 1):
            step = round(half) + round(sign * half)
            sum_ += top[:, step : step + sum_.shape[1]]
            seen = np.flatnonzero(-sign * away > half)
            if len(seen):
                part = slice(seen[0], seen[-1] + 1)
                sum_[:, part] += bottom[:, step + seen[0] : step + seen[-1] + 1]
                count[:, part] += 1
    return total / sides


def _two_halves(drawn: Plane, half: float) -> Plane:
    """The mean of the plane a quarter side up and down, padded by half a side to the left and right."""
    quarter, pad = round(half / 2), round(half)
    padded = np.pad(drawn, ((quarter, quarter), (pad, pad)))
    return np.asarray((padded[: -2 * quarter] + padded[2 * quarter :]) / 2, np.float32)


def _levels(strange: Plane, plain: float) -> NDArray[np.uint8]:
    """What edges count beside colours of that strangeness, as levels up to 255."""
    near = cv2.dilate(strange, np.ones((3, 3), np.uint8))
    return np.asarray(255 * (plain + (1 - plain) * near), np.uint8)


def _steps(turned: NDArray[np.uint8], across: bool, length: int, limit: int) -> Plane:
    """The size of the mean colour step over a length of a side, widened by a pixel across it."""
    order, window, wide = ((1, 0), (1, length), (1, 3)) if across else ((0, 1), (length, 1), (3, 1))
    step = np.clip(cv2.Sobel(turned[..., :3], cv2.CV_16S, *order, ksize=1), -limit, limit)
    counts = np.float32(1 / 255) * turned[..., 3]
    light, red, yellow = (cv2.boxFilter(one * counts, cv2.CV_32F, window) for one in cv2.split(step))
    drawn = cv2.magnitude(cv2.magnitude(light, red), yellow)
    return np.asarray(cv2.dilate(drawn, np.ones(wide, np.uint8)) / limit, np.float32)


def _peaks(score: Plane, settings: Settings) -> list[tuple[float, int, int]]:
    reach = max(round(settings.apart_mm / settings.cell_mm), 1)
    out = []
    for _ in range(settings.per_turn):
        row, column = divmod(int(score.argmax()), score.shape[1])
        out.append((float(score[row, column]), column, row))
        score[max(row - reach, 0) : row + reach + 1, max(column - reach, 0) : column + reach + 1] = 0
    return out


def _distinct(found: list[tuple[float, BoxPose]], settings: Settings) -> list[tuple[float, BoxPose]]:
    kept: list[tuple[float, BoxPose]] = []
    for value, pose in found:
        if all(apart(pose, other, settings.apart_mm, settings.apart_deg) for _, other in kept):
            kept.append((value, pose))
            if len(kept) == settings.keep:
                break
    return kept


def apart(a: BoxPose, b: BoxPose, mm: float, deg: float) -> bool:
    """Whether two poses differ by more than that, in place or in turn (modulo 90 degrees)."""
    turn = abs((a.yaw_deg - b.yaw_deg + 45) % 90 - 45)
    return np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) > mm or turn > deg


def _apply(map_: Array, point: Array) -> Array:
    return np.asarray(map_[:, :2] @ point + map_[:, 2])


def _inverse(map_: Array) -> Array:
    return np.asarray(cv2.invertAffineTransform(map_), np.float64)

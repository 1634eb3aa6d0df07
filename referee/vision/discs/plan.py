"""The picture seen straight from above, and where discs may lie in it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.discs.gallery import Gallery
from referee.vision.table.pose import TableView
from referee.vision.table.ridges import ridges

Array = NDArray[np.float64]
Image = NDArray[np.float32]


@dataclass(frozen=True)
class Settings:
    scale_mm: float = 1.5
    """Size of a pixel of the plan."""
    reach_mm: tuple[float, float] = (600.0, 480.0)
    """Half width and half depth of what is looked at around the mat's middle."""
    edge_level: float = 4.0
    """Grey levels per mm below which an edge doesn't vote."""
    least_vote: float = 0.10
    """Share of the circles' circumference that must vote for a centre."""
    most_edges: int = 60_000
    """On a patterned table only the strongest edges vote."""
    spread_mm: float = 1.5
    """Votes for one centre lie about so far around it."""
    most: int = 60


@dataclass(frozen=True, eq=False)
class Plan:
    """A rectified picture of one height over the table. Row 0 is the far side."""

    bgr: NDArray[np.uint8]
    inside: NDArray[np.bool_]
    """False where the camera's picture doesn't reach."""
    left_mm: float
    top_mm: float
    scale_mm: float

    def to_mm(self, column: Array, row: Array) -> Array:
        return np.column_stack((self.left_mm + self.scale_mm * column, self.top_mm - self.scale_mm * row))


def rectify(bgr: NDArray[np.uint8], view: TableView, height_mm: float, settings: Settings) -> Plan:
    """The picture as seen from above, things at `height_mm` in their true places.

    The map is exact on a grid of eight pixels and bilinear between (error under 0.02 px).
    """
    height, width = bgr.shape[:2]
    x, y = np.linspace(0, width - 1, 9), np.linspace(0, height - 1, 9)
    border = np.array(
        [(a, b) for a in x for b in (0, height - 1)] + [(a, b) for a in (0, width - 1) for b in y]
    )
    seen = view.to_mm(border, height_mm)
    reach = np.array(settings.reach_mm)
    behind = (view.camera.rays(border) @ view.rotation)[:, 2] >= 0  # above the horizon
    if behind.any():
        low, high = -reach, reach
    else:
        low, high = np.maximum(seen.min(axis=0), -reach), np.minimum(seen.max(axis=0), reach)
    step = settings.scale_mm
    columns, rows = np.maximum((high - low) / step, 16).astype(int)
    coarse = 8
    gx, gy = np.meshgrid(np.arange(0, columns + coarse, coarse), np.arange(0, rows + coarse, coarse))
    grid = np.column_stack(
        (low[0] + step * gx.ravel(), high[1] - step * gy.ravel(), np.full(gx.size, height_mm))
    )
    px = view.to_px(grid).astype(np.float32).reshape(*gx.shape, 2)
    shift = np.array([[coarse, 0, 0], [0, coarse, 0]], float)  # coarse node i is fine pixel 8 i
    fine = cv2.warpAffine(px, shift, (int(columns), int(rows)), flags=cv2.INTER_LINEAR)
    image = cv2.remap(bgr, fine[..., 0], fine[..., 1], cv2.INTER_LINEAR)
    inside = (
        (fine[..., 0] > 0) & (fine[..., 0] < width - 1) & (fine[..., 1] > 0) & (fine[..., 1] < height - 1)
    )
    return Plan(np.asarray(image, np.uint8), inside, float(low[0]), float(high[1]), step)


def edges(plan: Plan, settings: Settings) -> tuple[Image, Image]:
    """Thinned edge pixels: (N, 2) column and row, and (N, 2) unit gradient."""
    scale = settings.scale_mm
    soft = np.asarray(cv2.GaussianBlur(plan.bgr, (0, 0), 0.9 / scale), np.uint8)
    gx, gy, power, thin = ridges(soft)
    keep = thin & (power > (settings.edge_level * scale) ** 2) & plan.inside
    at = np.flatnonzero(keep)
    if len(at) > settings.most_edges:
        strong = np.argpartition(power.take(at), len(at) - settings.most_edges)
        at = np.sort(at[strong[len(at) - settings.most_edges :]])
    row, column = np.divmod(at, power.shape[1])
    unit = np.column_stack((gx.take(at), gy.take(at))) / np.sqrt(power.take(at))[:, None]
    places = np.column_stack((column, row)).astype(np.float32)
    return places, np.asarray(unit, np.float32)


def centres(plan: Plan, gallery: Gallery, settings: Settings) -> tuple[Array, Array]:
    """Where discs may lie: (N, 2) mm and (N,) scores, best first.

    Every edge pixel votes for the two places that lie the radius of each printed circle away along its
    gradient; the circles of one face share a centre, so that their votes add up.
    """
    at, unit = edges(plan, settings)
    (rows, columns), spread = plan.inside.shape, settings.spread_mm
    border = int(max(gallery.radii_mm) / plan.scale_mm) + 2  # so that no vote falls outside
    wide = columns + 2 * border
    x, y = (at + np.float32(border)).T
    votes = {}
    for index in sorted({i for circle in gallery.circles for i in circle}):
        radius = gallery.radii_mm[index]
        if index and radius < 0.3 * gallery.radius_mm:
            continue  # too small to tell from texture
        dx, dy = np.float32(radius / plan.scale_mm) * unit.T
        places = [np.rint(y + s * dy) * wide + np.rint(x + s * dx) for s in (1, -1)]
        count = np.bincount(np.concatenate(places).astype(np.intp), minlength=wide * (rows + 2 * border))
        acc = count.reshape(-1, wide)[border:-border, border:-border].astype(np.float32)
        votes[index] = acc * np.float32(spread**2 / radius / plan.scale_mm)
    best = np.zeros((rows, columns), np.float32)
    for circle in gallery.circles:
        shown = [votes[i] for i in circle if i in votes]
        share = cv2.GaussianBlur(np.sum(shown, axis=0) / len(shown), (0, 0), spread / plan.scale_mm)
        best = np.maximum(best, share)
    peak = cv2.dilate(best, np.ones((9, 9))) == best
    row, column = np.nonzero(peak & (best > settings.least_vote))
    score = best[row, column].astype(float)
    order = np.argsort(-score)[: settings.most]
    return plan.to_mm(column[order].astype(float), row[order].astype(float)), score[order]


def unrivalled(places_mm: Array, scores: Array, reach_mm: float) -> list[int]:
    """Which of the places (N, 3) have no better one within reach, best first.

    What is found at one of them changes nothing at the others: the outcome is the same as if always the best
    of all were looked at, one by one.
    """
    order = np.argsort(-scores, kind="stable")
    places = places_mm[order]
    near = np.linalg.norm(places[:, None] - places, axis=-1) < reach_mm
    return [int(i) for i in order[~np.tril(near, -1).any(axis=1)]]

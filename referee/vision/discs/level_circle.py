"""Level circles of any size in the picture: the brim of what stands or lies on the table, and its foot.

A level circle at any height is seen against the table's plane as a circle, only larger and further off (two
parallel planes through one point of view). So edges are sought in that plane along rays from a middle, and a
circle through them is one whatever its size and height; how high it is, the circle of its foot tells.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.facts import Stranger
from referee.vision.discs.picture import Picture
from referee.vision.table.pose import TableView

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Settings:
    radii_mm: tuple[float, float] = (10.0, 150.0)
    """Smaller ones are crumbs and ornaments, larger ones table tops."""
    rays: int = 96
    reach: tuple[float, float] = (0.35, 2.2)
    """Edges are sought along the rays over this range, in radii of the blot."""
    step: float = 0.016
    least_step_mm: float = 0.4
    edge_level: float = 14.0
    """Grey levels by which an edge must step."""
    sharp: float = 0.35
    """Share of the change over the neighbourhood that must happen within a step: a mirrored lamp and a soft
    shadow have none such."""
    wide: int = 5
    """Half the width of that neighbourhood, in steps."""
    tries: int = 300
    close: float = 0.02
    close_mm: tuple[float, float] = (0.7, 1.4)
    """An edge is on a circle when it is so near, in radii, but no less nor more than so many mm."""
    least_seen: float = 0.5
    """Share of the circle that must be in the picture and not under a coaster."""
    least_drawn: float = 0.85
    """Share of what is to be seen of the circle that must be drawn."""
    heights_mm: tuple[float, ...] = tuple(np.arange(4.0, 164.0, 4.0))
    least_foot: float = 0.6
    """Share of a foot's visible part that must be drawn."""
    beyond_mm: float = 2.0
    """Where the foot of what stands up is seen so far beside its top, it tells how high it is."""


@dataclass(frozen=True, eq=False)
class Edges:
    """What lies along the rays from a middle."""

    at_mm: Array
    """(N, 2) edges on the table's plane."""
    ray: NDArray[np.intp]
    """(N,) whose they are."""
    open: Mask
    """(rays, steps) in the picture and explained by no coaster."""
    middle: Array
    radii: Array
    """(steps,)."""


def edges_about(picture: Picture, free: Mask, circle: Array, settings: Settings) -> Edges | None:
    """Sharp edges along rays from the circle's middle; None when hardly any of it is in the picture."""
    s = settings
    height, width = picture.bgr.shape[:2]
    middle, reach = circle[:2], float(circle[2])
    step = max(s.step * reach, s.least_step_mm)
    radii = np.arange(s.reach[0] * reach, s.reach[1] * reach, step)
    turn = 2 * np.pi * np.arange(s.rays) / s.rays
    ways = np.column_stack((np.cos(turn), np.sin(turn)))
    at = middle + radii[:, None] * ways[:, None, :]
    px = picture.view.to_px(np.column_stack((at.reshape(-1, 2), np.zeros(at[..., 0].size))))
    px = px.reshape(*at.shape[:2], 2)
    inside = (px > 1).all(axis=2) & (px[..., 0] < width - 2) & (px[..., 1] < height - 2)
    if inside.mean() < 0.3:
        return None
    x, y = px[..., 0].astype(np.float32), px[..., 1].astype(np.float32)
    seen = cv2.GaussianBlur(cv2.remap(picture.bgr, x, y, cv2.INTER_LINEAR), (1, 3), 0).astype(np.float32)
    open_ = inside & (cv2.remap(free.view(np.uint8), x, y, cv2.INTER_NEAREST) > 0)

    def change(half: int) -> Array:
        out = np.zeros(seen.shape[:2])
        out[:, half:-half] = np.abs(seen[:, 2 * half :] - seen[:, : -2 * half]).max(axis=2)
        return out

    near, far = change(1), change(s.wide)
    peak = (near >= np.roll(near, 1, axis=1)) & (near >= np.roll(near, -1, axis=1))
    edge = peak & (near > s.edge_level) & (near > s.sharp * far) & open_
    edge[:, : s.wide] = edge[:, -s.wide :] = False
    ray, column = np.nonzero(edge)
    return Edges(at[ray, column], ray, open_, middle, radii)


def outermost(edges: Edges, settings: Settings) -> Array | None:
    """(x, y, radius) of the largest circle about the likeliest middle that is drawn as a circle must be."""
    s, at = settings, edges.at_mm
    if len(at) < s.rays // 2:
        return None
    rng = np.random.default_rng(0)
    circles = _through(at[rng.integers(0, len(at), (s.tries, 3))])
    off = np.hypot(*(circles[:, None, :2] - edges.middle).transpose(2, 0, 1)).ravel()
    fit = (circles[:, 2] > edges.radii[0]) & (circles[:, 2] < edges.radii[-1]) & (off < 0.6 * circles[:, 2])
    circles = circles[fit]
    if not len(circles):
        return None
    away = np.linalg.norm(at[None] - circles[:, None, :2], axis=2)
    misses = np.abs(away - circles[:, 2:])
    votes = (misses < _tolerance(circles[:, 2:], s)).sum(axis=1)
    best = _polished(circles[int(votes.argmax())], edges, s)
    middle = best[:2]
    away = np.linalg.norm(at - middle, axis=1)
    for radius in np.arange(edges.radii[-1], edges.radii[0], -edges.radii[0] * 0.02):
        near = np.abs(away - radius) < _tolerance(radius, s)
        if len(np.unique(edges.ray[near])) < s.least_drawn * s.least_seen * s.rays:
            continue
        circle = _polished(np.array([*middle, radius]), edges, s)
        seen, drawn = _drawn(circle, edges, s)
        sized = s.radii_mm[0] < circle[2] < s.radii_mm[1]
        if sized and seen >= s.least_seen and drawn >= s.least_drawn:
            return circle
    return None


def _through(three: Array) -> Array:
    """(N, 3) circles x, y, radius through three points each, (N, 3, 2)."""
    a, b, c = three.transpose(1, 0, 2)
    p, q = b - a, c - a
    area = 2 * (p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0])
    area = np.where(np.abs(area) < 1e-6, np.inf, area)
    pp, qq = (p * p).sum(axis=1), (q * q).sum(axis=1)
    x = (q[:, 1] * pp - p[:, 1] * qq) / area
    y = (p[:, 0] * qq - q[:, 0] * pp) / area
    return np.column_stack((a[:, 0] + x, a[:, 1] + y, np.hypot(x, y)))


def _polished(circle: Array, edges: Edges, settings: Settings) -> Array:
    """The circle by least squares on the edges that are near it."""
    for wide in (2.0, 1.5, 1.0, 1.0):
        off = edges.at_mm - circle[:2]
        away = np.linalg.norm(off, axis=1)
        near = np.abs(away - circle[2]) < wide * _tolerance(circle[2], settings)
        if near.sum() < 8:
            break
        ways = off[near] / away[near, None]
        move, *_ = np.linalg.lstsq(
            np.column_stack((ways, np.ones(len(ways)))), away[near] - circle[2], rcond=None
        )
        circle = circle + move
    return circle


def _tolerance(radius: Array | float, settings: Settings) -> Array:
    return np.clip(settings.close * np.asarray(radius), *settings.close_mm)


def _drawn(circle: Array, edges: Edges, settings: Settings) -> tuple[float, float]:
    """Share of the circle that could be seen, and the share of that which is drawn."""
    count = len(edges.open)
    turn = 2 * np.pi * np.arange(count) / count
    on = circle[:2] + circle[2] * np.column_stack((np.cos(turn), np.sin(turn)))
    could = _open_at(on, edges)
    away = np.linalg.norm(edges.at_mm - circle[:2], axis=1)
    near = np.abs(away - circle[2]) < _tolerance(circle[2], settings)
    off = edges.at_mm[near] - circle[:2]
    drawn = _turns(off, count)
    return float(could.mean()), float(drawn[could].mean()) if could.any() else 0.0


def _turns(off: Array, count: int) -> Mask:
    """(count,) of directions evenly around, those in which an offset (N, 2) points, and their neighbours."""
    there = np.zeros(count, bool)
    there[np.rint(np.arctan2(off[:, 1], off[:, 0]) / (2 * np.pi) * count).astype(int) % count] = True
    return np.asarray(there | np.roll(there, 1) | np.roll(there, -1))


def _open_at(points: Array, edges: Edges) -> Mask:
    """(N,) whether a place is in the picture and free."""
    off = points - edges.middle
    rays, steps = edges.open.shape
    ray = np.rint(np.arctan2(off[:, 1], off[:, 0]) / (2 * np.pi) * rays).astype(int) % rays
    column = np.rint((np.linalg.norm(off, axis=1) - edges.radii[0]) / (edges.radii[1] - edges.radii[0]))
    there = (column >= 0) & (column < steps)
    return np.asarray(there & edges.open[ray, np.clip(column, 0, steps - 1).astype(int)])


def standing(edges: Edges, circle: Array, view: TableView, settings: Settings) -> Stranger:
    """The thing whose top is seen as that circle: as high as its foot, where that is seen, tells.

    A top at height h over the table is seen H / (H - h) times as large and as far from the point below
    the eye, which is H high.
    """
    s, eye = settings, view.eye_mm
    x, y, radius = (float(v) for v in circle)
    best, height = s.least_foot, 0.0
    turn = 2 * np.pi * np.arange(s.rays) / s.rays
    ways = np.column_stack((np.cos(turn), np.sin(turn)))
    for high in s.heights_mm:
        share = 1 - high / float(eye[2])
        middle = eye[:2] + share * (np.array([x, y]) - eye[:2])
        beside = float(np.hypot(*(middle - [x, y])))
        if beside + share * radius < radius + s.beyond_mm:
            continue
        # the two circles and their common tangents are the outline: this part of the foot's is not behind it
        shown = ways @ (middle - [x, y]) / beside > (radius - share * radius) / beside
        shown &= _open_at(middle + share * radius * ways, edges)
        if shown.sum() < s.rays // 8:
            continue
        off = edges.at_mm - middle
        near = np.abs(np.linalg.norm(off, axis=1) - share * radius) < _tolerance(share * radius, s)
        there = _turns(off[near], s.rays)
        if (seen := float(there[shown].mean())) > best:
            best, height = seen, float(high)
    share = 1 - height / float(eye[2])
    x, y = eye[:2] + share * (np.array([x, y]) - eye[:2])
    return Stranger(float(x), float(y), share * radius, height)

"""Discs of any lean by their printed circles: every edge of the picture votes for centres.

On the plane of its face a disc's circles are circles, whatever the view; each edge point then says where the
middle of a circle of known radius would be. What the circles of one face agree on is a disc's centre.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.facts import Box
from referee.vision.box.rest import solid
from referee.vision.discs.gallery import Gallery
from referee.vision.discs.picture import Picture
from referee.vision.table.backdrop import Backdrop
from referee.vision.table.ridges import ridges

Array = NDArray[np.float64]
Image = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Settings:
    margin_mm: float = 95.0
    """How far around the box is looked."""
    edge_level: float = 5.0
    """Grey levels per pixel below which an edge doesn't vote."""
    most_edges: int = 8000
    cell_mm: float = 3.0
    reach_mm: float = 140.0
    """Half width of the plane on which votes are counted."""
    least_vote: float = 0.12
    """Share of a face's circles that must be drawn."""
    least_radius: float = 0.45
    """Circles smaller than this share of the disc are too like texture."""
    px_per_mm: float = 0.8
    """So fine are edges sought, or finer."""


@dataclass(frozen=True, eq=False)
class Edges:
    """Edge points of a part of the picture as directions from the eye."""

    rays: Array
    """(N, 3) in the table frame."""
    beside: Array
    """(N, 3) the same, one pixel further along the edge."""
    shrink: int
    """So many pixels of the picture make one of those that the edges were sought in."""
    each: int = 1
    """So many edge points each of these stands for."""

    def thinned(self, most: int) -> Edges:
        """About so many of them, evenly over strong and weak ones."""
        step = -(-len(self.rays) // most)
        return replace(self, rays=self.rays[::step], beside=self.beside[::step], each=step)


def edges_around(picture: Picture, box: Box, free: Mask, backdrop: Backdrop, settings: Settings) -> Edges:
    """Thinned edges around the box, of what is neither the table nor the box nor explained yet."""
    view = picture.view
    side = box.outer_mm / 2 + settings.margin_mm
    corners = [(x, y, z) for x in (-side, side) for y in (-side, side) for z in (0, box.height_mm + 40)]
    px = view.to_px(solid(box).to_table(np.array(corners)))
    height, width = picture.bgr.shape[:2]
    left, top = np.clip(np.floor(px.min(axis=0)).astype(int), 0, [width - 2, height - 2])
    right, bottom = np.clip(np.ceil(px.max(axis=0)).astype(int), [left + 2, top + 2], [width, height])
    part = picture.bgr[top:bottom, left:right]
    distance = float(np.linalg.norm(view.eye_mm - [box.x_mm, box.y_mm, 0]))
    shrink = max(round(view.camera.matrix[0, 0] / distance / settings.px_per_mm), 1)
    small = cv2.resize(part, None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_AREA)
    soft = np.asarray(cv2.GaussianBlur(small, (0, 0), 0.8), np.uint8)
    at, power, along = _ridges(soft, settings.edge_level)
    strange = backdrop.of_lab8(np.asarray(cv2.cvtColor(soft, cv2.COLOR_BGR2LAB), np.uint8))
    thing = cv2.erode(cv2.dilate(strange, np.ones((7, 7), np.uint8)), np.ones((3, 3), np.uint8)) > 0.5
    full = (at + 0.5) * shrink - 0.5 + [left, top]
    nearest = np.minimum(np.rint(full).astype(int), [width - 1, height - 1])
    open_ = np.flatnonzero(free[nearest[:, 1], nearest[:, 0]] & thing[at[:, 1], at[:, 0]])
    open_ = open_[np.argsort(-power[open_])[: settings.most_edges]]
    full, along = full[open_], along[open_]
    rays, beside = (view.camera.rays(p) @ view.rotation for p in (full, full + along))
    return Edges(rays, beside, shrink)


def _ridges(soft: NDArray[np.uint8], level: float) -> tuple[NDArray[np.intp], Image, Array]:
    """(N, 2) column and row of thinned edge pixels, (N,) their power, (N, 2) unit steps along them."""
    gx, gy, power, thin = ridges(soft)
    row, column = np.nonzero(thin & (power > level**2))
    along = np.column_stack((-gy[row, column], gx[row, column])).astype(float)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    return np.column_stack((column, row)), power[row, column], along


def _on_plane(
    picture: Picture, edges: Edges, middle: Array, axes: Array, normal: Array
) -> tuple[Array, Array]:
    """(N, 2) edge points on the plane through `middle` and (N, 2) unit steps across them."""
    eye = picture.view.eye_mm
    depth = float((middle - eye) @ normal)
    down = edges.rays @ normal
    seen = down < -0.02
    uv, beside = (
        ((depth / (rays[seen] @ normal))[:, None] * rays[seen] + (eye - middle)) @ axes
        for rays in (edges.rays, edges.beside)
    )
    dx, dy = (beside - uv).T
    return uv, np.column_stack((-dy, dx)) / (np.hypot(dx, dy) + 1e-12)[:, None]


@dataclass(frozen=True, eq=False)
class Circles:
    """The printed circles that are large enough to be told from texture."""

    radii_mm: Array
    """(K,)."""
    sets: tuple[NDArray[np.intp], ...]
    """Per distinct kind of print: which of them it shows."""

    @classmethod
    def of(cls, gallery: Gallery, settings: Settings) -> Circles:
        radii = np.array(gallery.radii_mm)
        large = np.flatnonzero(radii > settings.least_radius * gallery.radius_mm)
        sets = tuple(np.flatnonzero(np.isin(large, circle)) for circle in gallery.circles)
        return cls(radii[large], sets)

    def share(self, counts: Image) -> Image:
        """(K, ...) shares of each circle that are drawn to (kinds, ...) mean shares of each kind of print."""
        return np.stack([counts[circle].mean(axis=0) for circle in self.sets])


def votes(
    picture: Picture, edges: Edges, middle: Array, normal: Array, circles: Circles, settings: Settings
) -> list[tuple[float, Array]]:
    """Centres (3,) on the plane through `middle`, each with the share of its circles that is drawn, best
    first."""
    axes = plane_axes(normal)
    uv, across = _on_plane(picture, edges, middle, axes, normal)
    near = (np.abs(uv) < settings.reach_mm + circles.radii_mm.max()).all(axis=1)
    uv, across = uv[near], across[near]
    cells = int(2 * settings.reach_mm / settings.cell_mm)
    sigma = 0.85  # cells: centres are voted for within about a cell
    gathered = 2 * np.pi * sigma**2 * edges.each / _pixels_per_mm(picture, middle, axes, edges.shrink)
    radii = circles.radii_mm
    both = np.concatenate((radii, -radii))[:, None] / settings.cell_mm
    wide = cells + 2  # what falls outside is counted on a border
    column, row = (
        np.clip(np.rint((x + settings.reach_mm) / settings.cell_mm + both * dx) + 1, 0, cells + 1)
        for x, dx in zip(uv.T, across.T, strict=True)
    )
    which = np.tile(np.arange(len(radii)), 2)[:, None]
    index = ((which * wide + row) * wide + column).astype(np.intp).ravel()
    counts = np.bincount(index, minlength=len(radii) * wide * wide).reshape(-1, wide, wide)
    weight = (gathered / radii).astype(np.float32)[:, None, None]
    planes = circles.share(counts[:, 1:-1, 1:-1].astype(np.float32) * weight)
    best = np.max([cv2.GaussianBlur(plane, (0, 0), sigma) for plane in planes], axis=0)
    peak = (cv2.dilate(best, np.ones((5, 5), np.uint8)) == best) & (best > settings.least_vote)
    row, column = np.nonzero(peak)
    order = np.argsort(-best[row, column])
    places = np.column_stack((column, row)) * settings.cell_mm - settings.reach_mm
    return [(float(best[row[i], column[i]]), middle + axes @ places[i]) for i in order]


def _pixels_per_mm(picture: Picture, centre: Array, axes: Array, shrink: int) -> float:
    """About how many edge pixels, after shrinking and thinning, a circle makes per mm of its radius."""
    angle = 2 * np.pi * np.arange(17) / 16
    ring = centre + 40.0 * np.column_stack((np.cos(angle), np.sin(angle))) @ axes.T
    steps = np.abs(np.diff(picture.view.to_px(ring), axis=0))
    return max(float(steps.max(axis=1).sum()) / shrink, 1.0) / 40.0


def plane_axes(normal: Array) -> Array:
    """(3, 2) columns: a level axis of the plane and the one uphill from it."""
    x = np.array([-normal[1], normal[0], 0.0])
    length = float(np.hypot(x[0], x[1]))
    x = x / length if length > 0.02 else np.array([1.0, 0.0, 0.0])
    y = np.cross(normal, x)
    return np.column_stack((x, y / np.linalg.norm(y)))

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
from referee.vision.box_rest import solid
from referee.vision.disc import Pose
from referee.vision.gallery import Gallery
from referee.vision.picture import Picture

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
    polish_deg: tuple[float, ...] = (4.0, 2.0)
    polish_mm: tuple[float, ...] = (2.5, 1.5)


@dataclass(frozen=True, eq=False)
class Edges:
    """Edge points of a part of the picture as directions from the eye."""

    rays: Array
    """(N, 3) in the table frame."""
    beside: Array
    """(N, 3) the same, one pixel further along the edge."""
    each: int = 1
    """So many edge points each of these stands for."""

    def thinned(self, most: int) -> Edges:
        """About so many of them, evenly over strong and weak ones."""
        step = -(-len(self.rays) // most)
        return replace(self, rays=self.rays[::step], beside=self.beside[::step], each=step)


def edges_around(picture: Picture, box: Box, free: Mask, settings: Settings) -> Edges:
    """Thinned edges around the box, at half size, where nothing is explained yet."""
    view = picture.view
    side = box.outer_mm / 2 + settings.margin_mm
    corners = [(x, y, z) for x in (-side, side) for y in (-side, side) for z in (0, box.height_mm + 40)]
    px = view.to_px(solid(box).to_table(np.array(corners)))
    height, width = picture.bgr.shape[:2]
    left, top = np.clip(np.floor(px.min(axis=0)).astype(int), 0, [width - 2, height - 2])
    right, bottom = np.clip(np.ceil(px.max(axis=0)).astype(int), [left + 2, top + 2], [width, height])
    part = picture.bgr[top:bottom, left:right]
    small = cv2.resize(part, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small, (0, 0), 0.8)
    gx, gy = cv2.Scharr(soft, cv2.CV_32F, 1, 0) / 32, cv2.Scharr(soft, cv2.CV_32F, 0, 1) / 32
    power = gx * gx + gy * gy
    channel = power.argmax(axis=2)[..., None]
    gx, gy, power = (np.take_along_axis(a, channel, 2)[..., 0] for a in (gx, gy, power))
    inner = power[1:-1, 1:-1]
    ridge = np.where(
        np.abs(gx[1:-1, 1:-1]) > np.abs(gy[1:-1, 1:-1]),
        (inner >= power[1:-1, :-2]) & (inner > power[1:-1, 2:]),
        (inner >= power[:-2, 1:-1]) & (inner > power[2:, 1:-1]),
    )
    row, column = np.nonzero(ridge & (inner > settings.edge_level**2))
    at = np.column_stack((column + 1, row + 1))
    along = np.column_stack((-gy[at[:, 1], at[:, 0]], gx[at[:, 1], at[:, 0]])).astype(float)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    full = (at + 0.5) * 2 - 0.5 + [left, top]
    nearest = np.minimum(np.rint(full).astype(int), [width - 1, height - 1])
    open_ = np.flatnonzero(free[nearest[:, 1], nearest[:, 0]])
    strength = power[at[open_, 1], at[open_, 0]]
    open_ = open_[np.argsort(-strength)[: settings.most_edges]]
    full, along = full[open_], along[open_]
    rays, beside = (view.camera.rays(p) @ view.rotation for p in (full, full + along))
    return Edges(rays, beside)


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
    along = beside - uv
    along /= np.linalg.norm(along, axis=1, keepdims=True) + 1e-12
    return uv, np.column_stack((-along[:, 1], along[:, 0]))


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

    def best(self, shares: Array | Image) -> Array:
        """(K, ...) shares of each circle that are drawn to the mean share of the kind that is drawn best."""
        drawn = [shares[circle].mean(axis=0) for circle in self.sets]
        return np.asarray(np.max(drawn, axis=0), np.float64)


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
    gathered = 2 * np.pi * sigma**2 * edges.each / _pixels_per_mm(picture, middle, axes)
    shares = np.empty((len(circles.radii_mm), cells, cells), np.float32)
    for share, radius in zip(shares, circles.radii_mm, strict=True):
        places = np.concatenate((uv + radius * across, uv - radius * across))
        cell = np.rint((places + settings.reach_mm) / settings.cell_mm).astype(np.int64)
        good = ((cell >= 0) & (cell < cells)).all(axis=1)
        counted = np.bincount(cell[good] @ [1, cells], minlength=cells * cells).reshape(cells, cells)
        share[:] = cv2.GaussianBlur(counted.astype(np.float32), (0, 0), sigma) * (gathered / radius)
    best = circles.best(shares).astype(np.float32)
    peak = (cv2.dilate(best, np.ones((5, 5), np.uint8)) == best) & (best > settings.least_vote)
    row, column = np.nonzero(peak)
    order = np.argsort(-best[row, column])
    places = np.column_stack((column, row)) * settings.cell_mm - settings.reach_mm
    return [(float(best[row[i], column[i]]), middle + axes @ places[i]) for i in order]


def polish(
    picture: Picture, edges: Edges, pose: Pose, circles: Circles, settings: Settings
) -> tuple[float, Pose]:
    """The pose nearby whose circles are drawn most completely, and the share of them that is."""
    uv, _ = _on_plane(picture, edges, pose.centre_mm, pose.axes[:, :2], pose.normal)
    around = np.hypot(uv[:, 0], uv[:, 1]) < 1.2 * circles.radii_mm.max()
    seen = np.flatnonzero(edges.rays @ pose.normal < -0.02)[around]
    edges = Edges(edges.rays[seen], edges.beside[seen])
    best = _drawn(picture, edges, pose, circles, settings.polish_mm[0])
    for step_deg, sigma in zip(settings.polish_deg, settings.polish_mm, strict=True):
        middle = best[1]
        best = _drawn(picture, edges, middle, circles, sigma)
        for turn in np.arange(8) * np.pi / 4:
            axis = np.cos(turn) * middle.axes[:, 0] + np.sin(turn) * middle.axes[:, 1]
            tried = middle.moved(np.zeros(3), np.radians(step_deg) * axis)
            best = max(best, _drawn(picture, edges, tried, circles, sigma), key=lambda b: b[0])
    return best


def _drawn(
    picture: Picture, edges: Edges, pose: Pose, circles: Circles, sigma_mm: float
) -> tuple[float, Pose]:
    """How completely a pose's circles are drawn, after its centre has moved to where its votes gather."""
    axes = pose.axes[:, :2]
    uv, across = _on_plane(picture, edges, pose.centre_mm, axes, pose.normal)
    radii = circles.radii_mm
    both = np.concatenate((radii, -radii))
    places = uv[:, None] + both[:, None] * across[:, None]
    point, circle = np.nonzero((np.abs(places) < 4 * sigma_mm).all(axis=2))
    at = places[point, circle]
    centre = np.zeros(2)
    for _ in range(4):
        weight = np.exp(-np.sum((at - centre) ** 2, axis=1) / (2 * sigma_mm**2))
        if weight.sum() < 1:
            break
        centre = weight @ at / weight.sum()
    weight = np.exp(-np.sum((at - centre) ** 2, axis=1) / (2 * sigma_mm**2))
    counted = np.bincount(circle % len(radii), weight, len(radii))
    shares = counted / (radii * _pixels_per_mm(picture, pose.centre_mm, axes))
    return float(circles.best(shares)), replace(pose, centre_mm=pose.centre_mm + axes @ centre)


def _pixels_per_mm(picture: Picture, centre: Array, axes: Array) -> float:
    """About how many edge pixels, at half size and after thinning, a circle makes per mm of its radius."""
    angle = 2 * np.pi * np.arange(17) / 16
    ring = centre + 40.0 * np.column_stack((np.cos(angle), np.sin(angle))) @ axes.T
    steps = np.abs(np.diff(picture.view.to_px(ring), axis=0))
    return max(float(steps.max(axis=1).sum()) / 2, 1.0) / 40.0


def plane_axes(normal: Array) -> Array:
    """(3, 2) columns: a level axis of the plane and the one uphill from it."""
    x = np.array([-normal[1], normal[0], 0.0])
    length = float(np.hypot(x[0], x[1]))
    x = x / length if length > 0.02 else np.array([1.0, 0.0, 0.0])
    y = np.cross(normal, x)
    return np.column_stack((x, y / np.linalg.norm(y)))

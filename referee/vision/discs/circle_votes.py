"""Discs of any lean by their printed circles: every edge votes for centres, one shape of ellipse at a time.

To an eye that is far off, a disc's circles are ellipses of one shape, as flat as the disc leans against the
line of sight. For a given shape each edge point, by its direction, says where the middle of a circle of known
radius would be; what the circles of one face agree on is a disc's centre. A shape is that of two leans, one
the mirror of the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.discs.gallery import Gallery
from referee.vision.discs.picture import Picture
from referee.vision.table.pose import TableView
from referee.vision.table.ridges import ridges

Array = NDArray[np.float64]
Image = NDArray[np.float32]
Mask = NDArray[np.bool_]

BLOCK_CELLS = 100_000
"""So many votes are counted at a time: what fits in a processor's cache."""


@dataclass(frozen=True)
class Settings:
    edge_level: float = 5.0
    """Grey levels per pixel below which an edge doesn't vote."""
    most_edges: int = 8000
    px_per_mm: float = 0.8
    """So fine are edges sought, or finer."""
    cell_mm: float = 4.0
    least_vote: float = 0.12
    """Share of a face's circles that must be drawn."""
    least_radius: float = 0.45
    """Circles smaller than this share of the disc are too like texture."""
    as_likely: float = 0.5
    """A print that tells less than this share of what the likeliest tells isn't the one."""
    apart_cells: int = 2
    """Of one shape, a centre is looked at when none within so many cells has more votes."""


@dataclass(frozen=True, eq=False)
class Edges:
    """Edge points of a part of the picture, as seen against a plane that faces the eye."""

    middle_mm: Array
    """(3,) the point of that plane about which the edges lie."""
    axes: Array
    """(3, 3) columns: across and up that plane, and towards the eye."""
    at_mm: Array
    """(N, 2) places on the plane."""
    across: Array
    """(N, 2) unit steps across the edge."""
    nearer: Array
    """(N,) by how much a thing at the middle's height looks larger there than on the plane."""
    falling: float
    """By how much less per mm up the plane."""
    px_per_mm: float
    each: int = 1
    """So many edge points each of these stands for."""

    def thinned(self, most: int) -> Edges:
        """About so many of them, evenly over strong and weak ones."""
        step = max(-(-len(self.at_mm) // most), 1)
        some = slice(None, None, step)
        return replace(
            self, at_mm=self.at_mm[some], across=self.across[some], nearer=self.nearer[some], each=step
        )


def edges_in(
    picture: Picture, window: tuple[slice, slice], wanted: Mask, height_mm: float, settings: Settings
) -> Edges | None:
    """Thinned edges, strongest first, of things about so high over the table; None where there are none.

    window: the rows and columns that are looked at; wanted: (H, W) pixels whose edges may vote.
    """
    view = picture.view
    rows, columns = window
    part = picture.bgr[window]
    middle_px = np.array([[(columns.start + columns.stop) / 2, (rows.start + rows.stop) / 2]])
    middle = np.append(view.to_mm(middle_px, height_mm)[0], height_mm)
    distance = float(np.linalg.norm(view.eye_mm - middle))
    focal = float(view.camera.matrix[0, 0])
    shrink = max(round(focal / distance / settings.px_per_mm), 1)
    small = cv2.resize(part, None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_AREA)
    at, power, along = _ridges(
        np.asarray(cv2.GaussianBlur(small, (0, 0), 0.8), np.uint8), settings.edge_level
    )
    full = (at + 0.5) * shrink - 0.5 + [columns.start, rows.start]
    height, width = wanted.shape
    nearest = np.minimum(np.rint(full).astype(int), [width - 1, height - 1])
    open_ = np.flatnonzero(wanted[nearest[:, 1], nearest[:, 0]])
    if not len(open_):
        return None
    open_ = open_[np.argsort(-power[open_])[: settings.most_edges]]
    full, along = full[open_], along[open_]
    axes = _facing(view, middle)
    places, nearer = _on_plane(view, full, middle, axes)
    beside, _ = _on_plane(view, full + along, middle, axes)
    step = beside - places
    step /= np.linalg.norm(step, axis=1, keepdims=True) + 1e-12
    across = np.column_stack((-step[:, 1], step[:, 0]))
    # as large as at a disc's middle are all its circles: see votes
    falling = 1 - _nearer(np.array([[0.0, 1.0]]), middle, axes, distance)[0]
    return Edges(middle, axes, places, across, nearer, float(falling), focal / distance / shrink)


def _facing(view: TableView, middle_mm: Array) -> Array:
    """(3, 3) axes of the plane through a point that faces the eye: level, uphill, towards the eye."""
    eye = view.eye_mm - middle_mm
    eye /= np.linalg.norm(eye)
    level = np.array([-eye[1], eye[0], 0.0])
    length = float(np.linalg.norm(level))
    level = level / length if length > 0.02 else np.array([1.0, 0.0, 0.0])
    return np.asarray(np.column_stack((level, np.cross(eye, level), eye)))


def _on_plane(view: TableView, px: Array, middle_mm: Array, axes: Array) -> tuple[Array, Array]:
    """(N, 2) mm where pixels' rays meet the plane, and (N,) how much nearer than it the rays are when they
    meet the level of its middle."""
    rays = view.camera.rays(px) @ view.rotation
    distance = float((view.eye_mm - middle_mm) @ axes[:, 2])
    places = np.asarray(rays @ axes[:, :2] / -(rays @ axes[:, 2])[:, None] * distance)
    return places, _nearer(places, middle_mm, axes, distance)


def _nearer(at_mm: Array, middle_mm: Array, axes: Array, distance_mm: float) -> Array:
    """(N,) how much nearer than the plane is what lies in its places (N, 2) at the height of its middle."""
    fall = (at_mm @ axes[2, :2] - distance_mm * axes[2, 2]) / (-distance_mm * axes[2, 2])
    return np.asarray(np.maximum(fall, 0.05))


def _ridges(soft: NDArray[np.uint8], level: float) -> tuple[NDArray[np.intp], Image, Array]:
    """(N, 2) column and row of thinned edge pixels, (N,) their power, (N, 2) unit steps along them."""
    gx, gy, power, thin = ridges(soft)
    row, column = np.nonzero(thin & (power > level**2))
    along = np.column_stack((-gy[row, column], gx[row, column])).astype(float)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    return np.column_stack((column, row)), power[row, column], along


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


@dataclass(frozen=True, eq=False)
class Voted:
    """Centres with votes, best first."""

    share: Array
    """(M,) of the circles of one face that are drawn."""
    lean: NDArray[np.intp]
    """(M,) which of the normals."""
    centre_mm: Array
    """(M, 3)."""


def prints(edges: Edges, centre_mm: Array, normal: Array, circles: Circles, settings: Settings) -> Mask:
    """(prints,) which ones a disc there may bear: those whose circles are drawn, and no others."""
    own = normal @ edges.axes
    c, short = abs(float(own[2])), own[:2] / max(float(np.hypot(own[0], own[1])), 1e-9)
    upright = np.array([[short[1], short[0]], [-short[0], short[1]]])
    at = (edges.at_mm - (centre_mm - edges.middle_mm) @ edges.axes[:, :2]) @ upright
    place, across = at / [1, c], edges.across @ upright * [1, c]
    radius = np.linalg.norm(place, axis=1) + 1e-9
    radial = np.abs((place * across).sum(axis=1)) > 0.9 * radius * np.linalg.norm(across, axis=1)
    squeezed = np.linalg.norm(at, axis=1) / radius  # of a step on the face, as it is seen
    off = np.abs(radius[:, None] - circles.radii_mm * edges.nearer[:, None]) * squeezed[:, None]
    count = ((off < settings.cell_mm / 3) & radial[:, None]).sum(axis=0) * edges.each
    share = count / (circles.radii_mm * 2 * np.pi * np.sqrt((1 + c * c) / 2) * edges.px_per_mm)
    told = np.array([(share[k] - share.max() / 2).sum() for k in circles.sets])
    return np.asarray(told >= settings.as_likely * told.max())


def refined(
    edges: Edges, centre_mm: Array, normal: Array, step_mm: float, circles: Circles, settings: Settings
) -> tuple[float, Array, Array, Mask]:
    """Share, centre (3,), normal (3,) and prints of what gathers most votes there, in a third of the steps.

    step_mm: by so much the rims of two shapes differ that were tried one after the other.
    """
    s = settings
    own, radius = normal @ edges.axes, float(circles.radii_mm.max())
    c, turn = float(own[2]), float(np.arctan2(own[1], own[0]))
    level = step_mm / radius / 3 * np.arange(-2, 3)
    cosines = np.clip(c + level, 0.05, 0.999)
    turns = turn + level / max(1 - c, 0.05)
    c, turn = (v.ravel() for v in np.meshgrid(cosines, turns))
    sine = np.sqrt(1 - c * c)
    normals = np.column_stack((sine * np.cos(turn), sine * np.sin(turn), c)) @ edges.axes.T
    at = (centre_mm - edges.middle_mm) @ edges.axes[:, :2]
    close = np.hypot(*(edges.at_mm - at).T) < radius * edges.nearer.max() + s.cell_mm
    mine = replace(edges, at_mm=edges.at_mm[close], across=edges.across[close], nearer=edges.nearer[close])
    fine = replace(s, cell_mm=s.cell_mm / 2, least_vote=0.0, apart_cells=1)
    found = votes(mine, normals, circles, fine, (at, 2 * s.cell_mm))
    centre, lean = found.centre_mm[0], normals[found.lean[0]]
    return float(found.share[0]), centre, lean, prints(mine, centre, lean, circles, s)


def votes(
    edges: Edges,
    normals: Array,
    circles: Circles,
    settings: Settings,
    about: tuple[Array, float] | None = None,
) -> Voted:
    """What discs of those normals, (S, 3), gather; `about`: only so near, in mm, to a place on the plane.

    A disc's mirror by the line of sight has the same circles: one of the two is enough to be asked for.
    """
    s = settings
    reach = float(circles.radii_mm.max() * edges.nearer.max()) + 2 * s.cell_mm
    if about is None:
        low, high = edges.at_mm.min(axis=0) - reach, edges.at_mm.max(axis=0) + reach
    else:
        low, high = about[0] - about[1], about[0] + about[1]
    wide, deep = (np.ceil((high - low) / s.cell_mm).astype(int) + 1).tolist()
    own = normals @ edges.axes
    block = max(BLOCK_CELLS // (deep * wide), 1)
    best = np.concatenate(
        [
            _gathered(edges, own[i : i + block], circles, low, (deep, wide), about is not None, s)
            for i in range(0, len(own), block)
        ]
    )
    side = 2 * s.apart_cells + 1
    peak = (cv2.dilate(best, np.ones((side, side), np.uint8)) == best) & (best > s.least_vote)
    row, column = np.divmod(np.flatnonzero(peak), wide)
    order = np.argsort(-best[row, column], kind="stable")
    row, column = row[order], column[order]
    places = np.column_stack((column, row % deep)) * s.cell_mm + low
    centres = edges.middle_mm + places @ edges.axes[:, :2].T
    return Voted(best[row, column].astype(float), row // deep, centres)


def _gathered(
    edges: Edges,
    own: Array,
    circles: Circles,
    low_mm: Array,
    size: tuple[int, int],
    part: bool,
    settings: Settings,
) -> Image:
    """(S * deep, wide) share of the circles of the likeliest face about each place, a grid for each lean.

    own: (S, 3) normals in the axes of the edges; low_mm: (2,) the grid's first place on the plane; part:
    whether votes may fall beside the grid.
    """
    deep, wide = size
    own = own.astype(np.float32)
    flat = np.hypot(own[:, 0], own[:, 1])[:, None]
    short = np.where(flat > 1e-6, own[:, :2] / np.maximum(flat, 1e-9), np.array([0, 1], np.float32))
    c = np.abs(own[:, 2:])
    across = edges.across.T.astype(np.float32)
    along_long = short[:, 1:] * across[0] - short[:, :1] * across[1]  # (S, N)
    along_short = c * (short @ across)
    length = np.sqrt(along_long * along_long + along_short * along_short) + np.float32(1e-9)
    a, b = along_long / length, c * along_short / length  # to the rim of a unit circle
    step_x, step_y = a * short[:, 1:] + b * short[:, :1], b * short[:, 1:] - a * short[:, :1]
    x, y = ((edges.at_mm - low_mm) / settings.cell_mm).T.astype(np.float32)
    fall = np.float32(edges.falling / settings.cell_mm) * step_y
    fall_x, fall_y = fall * step_x, fall * step_y
    scale = (edges.nearer / settings.cell_mm).astype(np.float32)
    step_x, step_y = step_x * scale, step_y * scale
    first = np.arange(len(own), dtype=np.int32)[:, None] * np.int32(deep * wide)
    drawn = {}
    for k in np.unique(np.concatenate(circles.sets)):
        radius = np.float32(circles.radii_mm[k])
        middle_x, middle_y = x - radius * radius * fall_x, y - radius * radius * fall_y
        ways = []
        for way in (radius, -radius):
            column, row = np.rint(middle_x + way * step_x), np.rint(middle_y + way * step_y)
            cells = first + (row * np.float32(wide) + column).astype(np.int32)
            if part:
                cells = cells[(row >= 0) & (row < deep) & (column >= 0) & (column < wide)]
            ways.append(cells.ravel())
        count = np.bincount(np.concatenate(ways), minlength=len(own) * deep * wide)
        drawn[int(k)] = np.multiply(count, 1 / radius, dtype=np.float32, casting="unsafe").reshape(-1, wide)
    sigma = 0.85  # cells: centres are voted for within about a cell
    gathered = 2 * np.pi * sigma**2 * edges.each / edges.px_per_mm
    around = 2 * np.pi * np.sqrt((1 + c[:, 0] ** 2) / 2)  # of the ellipse of a unit circle, nearly
    best = np.zeros((len(own) * deep, wide), np.float32)
    for circle in circles.sets:
        together = drawn[int(circle[0])] / np.float32(len(circle))
        for k in circle[1:]:
            together += drawn[int(k)] / np.float32(len(circle))
        best = np.maximum(best, cv2.GaussianBlur(together, (7, 7), sigma))
    return np.asarray(best * np.repeat(gathered / around, deep).astype(np.float32)[:, None])

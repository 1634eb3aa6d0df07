"""How well a box fits a picture, and how to move it so that it fits better.

Two judges. *Edges*: along each visible edge short profiles across it give places where the colour steps;
robust least squares moves the box onto them. *Colours*: the box is taken to have one colour, shaded
differently on each face; an edge point speaks for the box when its inner side has that colour and its
outer side has not. What hides the box (coasters on the lid, against a wall) only takes evidence away.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.box.shape import TOP, BoxPose, Edges, visible_edges
from referee.vision.table.backdrop import Backdrop
from referee.vision.table.pose import TableView

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]
Colours = NDArray[np.float32]
Palette = dict[int, Colours]
"""Lab colour by face."""

POSE = ("x_mm", "y_mm", "yaw_deg")
POSE_AND_SIZE = (*POSE, "outer_mm", "height_mm")


@dataclass(frozen=True)
class Settings:
    rim_mm: float = 2.0
    """Thickness of an open box's wall, as far as it must be known: where to look for the rim's colour."""
    inside_mm: float = 3.0
    """Where, from the edge, a face's colour is taken; of a rim, in the middle of it."""
    outside_mm: float = 2.5
    clear_step: float = 14.0
    """Lab distance across an edge that counts fully."""
    same_colour: float = 14.0
    """Lab distance at which a place is hardly of the face's colour any more."""
    same_hue: float = 10.0
    """The same between faces, after their brightness is levelled."""
    palette: int = 20
    """So many colours are tried for a face."""
    peaks: int = 4
    """So many steps of a profile are kept; which one is the edge is decided with the others."""
    finest_px: float = 0.5
    floor_mm: float = 0.15
    """Edges are not trusted below this."""
    plain: float = 0.4
    """What a place speaks for the box that has a colour of the table."""
    correlated: float = 4.0
    """Neighbouring profiles err together: so many count as one."""


@dataclass(frozen=True, eq=False)
class Evidence:
    score: float
    """Share of the visible edges that are drawn as they should be, 0 to 1."""
    walls: float
    """The same for the feet and corners of the walls alone: a mere print or sheet has none."""
    colours: Palette


@dataclass(frozen=True, eq=False)
class Fit:
    pose: BoxPose
    covariance: Array
    """Of the fitted fields, in their order."""


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Edges as they come to lie in the picture."""

    edges: Edges
    px: Array
    normal: Array
    """(N, 2) unit steps in the picture across the edge, onto its face."""
    px_per_mm: Array

    def across(self, offsets_mm: Array) -> Array:
        """(N, K, 2) pixels at (N, K) or (K,) offsets from the edge, positive onto the face."""
        offsets = np.broadcast_to(offsets_mm, (len(self.px), np.shape(offsets_mm)[-1]))
        return np.asarray(
            self.px[:, None] + (offsets * self.px_per_mm[:, None])[..., None] * self.normal[:, None]
        )


def draw(pose: BoxPose, view: TableView, spacing_mm: float) -> _Drawn:
    edges = visible_edges(pose, view.eye_mm, spacing_mm)
    at = pose.to_table(edges.points)
    px = view.to_px(at)
    along = view.to_px(pose.to_table(edges.points + edges.along)) - px
    onto = view.to_px(pose.to_table(edges.points + edges.inward)) - px
    normal = np.stack((-along[:, 1], along[:, 0]), axis=1)
    normal *= (np.sign(np.sum(normal * onto, axis=1)) / np.linalg.norm(normal, axis=1))[:, None]
    depth = at @ view.rotation[2] + view.translation_mm[2]
    return _Drawn(edges, px, normal, view.camera.matrix[0, 0] / depth)


def judge(
    bgr: Picture,
    view: TableView,
    backdrop: Backdrop,
    pose: BoxPose,
    lid: bool,
    spacing_mm: float,
    settings: Settings,
) -> Evidence:
    """How much of the visible edges the picture shows, with the colours that explain most of them."""
    drawn = draw(pose, view, spacing_mm)
    edges = drawn.edges
    depth = np.where(edges.face == TOP, _top_depth(lid, settings), settings.inside_mm)
    inside = _sides(bgr, drawn, depth)
    outside = _sides(bgr, drawn, np.full(len(depth), -settings.outside_mm))
    step = np.minimum(_length(outside - inside) / settings.clear_step, 1)
    step *= settings.plain + (1 - settings.plain) * backdrop.of_lab(inside)

    faces = [int(f) for f in np.unique(edges.face)]
    palettes = []
    for face in faces:
        own = inside[edges.face == face]
        palettes.append(own[:: max(len(own) // settings.palette, 1)])
    worth = [
        (_alike(p, inside[edges.face == f], settings.same_colour) * step[edges.face == f]).sum(axis=1)
        for f, p in zip(faces, palettes, strict=True)
    ]
    chosen = _one_hue(palettes, worth, settings.same_hue)
    colours = {f: p[i] for f, p, i in zip(faces, palettes, chosen, strict=True)}

    told = step.copy()
    for face, colour in colours.items():
        own, far = edges.face == face, edges.beyond == face
        told[own] *= _alike(colour[None], inside[own], settings.same_colour)[0]
        told[far] *= _alike(colour[None], outside[far], settings.same_colour)[0]
    walls = told[edges.face != TOP]  # none is seen from right above
    return Evidence(float(told.mean()), float(walls.mean()) if len(walls) else 0.0, colours)


def has_lid(bgr: Picture, view: TableView, pose: BoxPose, spacing_mm: float, settings: Settings) -> bool:
    """Whether the top's colour runs on from its edge inwards, past where an open box's rim would end."""
    drawn = draw(pose, view, spacing_mm)
    top = drawn.edges.face == TOP
    offsets = [settings.rim_mm / 2, settings.rim_mm + settings.inside_mm, -settings.outside_mm]
    rim, inner, outer = (_sides(bgr, drawn, np.full(len(top), d))[top] for d in offsets)
    told = _length(rim - outer) > settings.clear_step
    runs_on = _length(rim - inner) < settings.clear_step
    return bool(told.any() and runs_on[told].mean() > 0.5)


def refine(
    bgr: Picture,
    view: TableView,
    pose: BoxPose,
    reach_mm: float,
    spacing_mm: float,
    settings: Settings,
    colours: Palette | None = None,
    lid: bool = True,
    fields: tuple[str, ...] = POSE,
) -> Fit | None:
    """The box moved onto colour steps within reach of its edges; None when there are too few.

    With `colours`, a step counts by how well its inner side has the face's colour.
    """
    drawn = draw(pose, view, spacing_mm)
    fine = max(settings.finest_px / float(drawn.px_per_mm.mean()), settings.floor_mm)
    count = int(np.ceil(reach_mm / fine)) + 1
    offsets = np.asarray(np.arange(-count, count + 1) * fine, np.float64)
    profiles = _along(sample_lab(bgr, drawn.across(offsets)), drawn.edges.edge)
    at, height = _steps(profiles, offsets, settings)
    if colours is not None:
        depth = np.where(drawn.edges.face == TOP, _top_depth(lid, settings), settings.inside_mm)
        inner = sample_lab(bgr, drawn.across(np.where(height > 0, at, 0) + depth[:, None]))
        want = np.stack([colours.get(int(f), inner[0, 0]) for f in drawn.edges.face])
        away = _length(inner - want[:, None]) / settings.same_colour
        height = np.asarray(height * np.exp(-(away**2)), np.float64)
    good = height.max(axis=1) > 0.05
    if np.count_nonzero(good) < 6 * len(fields):
        return None
    slopes = _slopes(pose, view, drawn, fields)[good]
    return _solve(pose, fields, slopes, at[good], height[good], reach_mm, settings)


def sample_lab(bgr: Picture, points_px: Array) -> Colours:
    """(..., 3) Lab colours (L 0 to 100) at (..., 2) raw pixels, bilinear."""
    columns = 1024  # remap wants at most 32767 columns
    flat = points_px.reshape(-1, 2).astype(np.float32)
    rows = -(-len(flat) // columns)
    grid = np.pad(flat, ((0, rows * columns - len(flat)), (0, 0))).reshape(rows, columns, 2)
    found = cv2.remap(bgr, grid[..., 0], grid[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    lab = cv2.cvtColor(found, cv2.COLOR_BGR2LAB).reshape(-1, 3)[: len(flat)]
    levels = (lab - np.array([0, 128, 128], np.float32)) * np.array([100 / 255, 1, 1], np.float32)
    return np.asarray(levels.reshape(*points_px.shape[:-1], 3), np.float32)


def _top_depth(lid: bool, settings: Settings) -> float:
    return settings.inside_mm if lid else settings.rim_mm / 2


def _sides(bgr: Picture, drawn: _Drawn, depth_mm: Array) -> Colours:
    """(N, 3) colour at that depth from the edge, averaged over three places along it."""
    middle = drawn.across(depth_mm[:, None])
    along = np.stack((drawn.normal[:, 1], -drawn.normal[:, 0]), axis=1)
    step = np.array([-1.0, 0.0, 1.0])[None, :, None] * (along * drawn.px_per_mm[:, None])[:, None]
    return np.asarray(sample_lab(bgr, middle + step).mean(axis=1))


def _alike(palette: Colours, colours: Colours, scale: float) -> Colours:
    """(P, N) how much each colour is one of the palette's: 1 the same, towards 0 far off."""
    away = _length(palette[:, None] - colours[None])
    return np.asarray(np.exp(-np.square(away / np.float32(scale))))


def _length(colours: Colours) -> Colours:
    """(...) of Lab differences (..., 3)."""
    return np.asarray(np.sqrt(np.einsum("...c,...c->...", colours, colours)), np.float32)


def _one_hue(palettes: list[Colours], worth: list[Colours], scale: float) -> list[int]:
    """For each face, which of its colours: together of most worth while one paint can explain them all.

    Under more or less of the same light, a / (L + 16) and b / (L + 16) of a paint stay the same.
    """
    hues = [p[:, 1:] / (p[:, :1] + 16) * 66 for p in palettes]
    paints = np.concatenate(hues)
    shared = [_alike(paints, hue, scale) * w for hue, w in zip(hues, worth, strict=True)]
    best = int(np.sum([s.max(axis=1) for s in shared], axis=0).argmax())
    return [int(s[best].argmax()) for s in shared]


def _along(profiles: Colours, edge: NDArray[np.intp]) -> Colours:
    """Profiles averaged with their neighbours on the same edge (1 2 1)."""
    joined = (edge[1:] == edge[:-1])[:, None, None]
    out = 2 * profiles
    out[1:] += np.where(joined, profiles[:-1], profiles[1:])
    out[:-1] += np.where(joined, profiles[1:], profiles[:-1])
    out[0] += profiles[0]
    out[-1] += profiles[-1]
    return np.asarray(out / 4, np.float32)


def _steps(profiles: Colours, offsets: Array, settings: Settings) -> tuple[Array, Array]:
    """(N, K) places of each profile's clearest colour steps and their heights, 0 to 1 (0: none)."""
    jump = _length(profiles[:, 2:] - profiles[:, :-2])
    before, here, after = jump[:, :-2], jump[:, 1:-1], jump[:, 2:]
    least = np.maximum(0.3 * jump.max(axis=1), settings.clear_step / 2)[:, None]
    height = np.where((here >= before) & (here > after) & (here > least), here, 0)
    best = np.argpartition(-height, settings.peaks, axis=1)[:, : settings.peaks]
    height = np.take_along_axis(height, best, axis=1)
    b, h, a = (np.take_along_axis(g, best, axis=1) for g in (before, here, after))
    bend = np.minimum(b - 2 * h + a, -1e-6)
    at = offsets[2:-2][best] + np.clip(0.5 * (b - a) / bend, -1, 1) * (offsets[1] - offsets[0])
    full = 2 * settings.clear_step
    return np.where(height > 0, at, 1e3), np.asarray(np.minimum(height, full) / full, np.float64)


def _slopes(pose: BoxPose, view: TableView, drawn: _Drawn, fields: tuple[str, ...]) -> Array:
    """(N, F): by how many mm an edge point moves across its edge, for a unit of each field."""
    out = np.empty((len(drawn.px), len(fields)))
    small = 0.5
    for j, name in enumerate(fields):
        other = replace(pose, **{name: getattr(pose, name) + small})
        grown = np.array([other.outer_mm / pose.outer_mm] * 2 + [other.height_mm / pose.height_mm])
        moved = view.to_px(other.to_table(drawn.edges.points * grown)) - drawn.px
        out[:, j] = np.sum(moved * drawn.normal, axis=1) / (small * drawn.px_per_mm)
    return out


def _solve(
    pose: BoxPose,
    fields: tuple[str, ...],
    slopes: Array,
    at: Array,
    height: Array,
    reach_mm: float,
    settings: Settings,
) -> Fit:
    """Tukey-weighted least squares; each profile's step is the one nearest to where the box is by now."""
    x: Array = np.zeros(len(fields))
    scale = reach_mm / 2.5
    for _ in range(15):
        away = at - (slopes @ x)[:, None]
        nearest = np.abs(away).argmin(axis=1)[:, None]
        r, step, w = (np.take_along_axis(a, nearest, axis=1)[:, 0] for a in (away, at, height))
        scale = max(min(scale, 1.4826 * float(np.median(np.abs(r)))), settings.floor_mm)
        w = w * np.clip(1 - (r / (3 * scale)) ** 2, 0, None) ** 2
        normal = slopes.T @ (w[:, None] * slopes) + 1e-4 * np.eye(len(fields))
        before = x
        x = np.asarray(np.linalg.solve(normal, slopes.T @ (w * step)), np.float64)
        if np.abs(x - before).max() < 0.005:
            break
    x = np.clip(x, -2 * reach_mm, 2 * reach_mm)
    spread = max(float(np.sum(w * r * r) / max(w.sum(), 1e-6)), settings.floor_mm**2)
    moved = replace(pose, **{f: getattr(pose, f) + float(v) for f, v in zip(fields, x, strict=True)})
    return Fit(moved, np.asarray(np.linalg.inv(normal) * spread * settings.correlated, np.float64))

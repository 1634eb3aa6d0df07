"""Discs that lie in, on or against the box: seldom flat, often half hidden.

A disc of any lean shows its printed circles as circles once its plane is seen square on. So for each lean
that the eye could see, every edge of the picture votes for the centres of circles of the known radii; what
gathers votes and could physically rest there is ranked by its rings, fitted by its print and taken out of
the picture, best first.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.facts import Box
from referee.vision import peel as peeling
from referee.vision.box_rest import gap_to, possible, solid
from referee.vision.disc import Pose
from referee.vision.gallery import Gallery
from referee.vision.identify import KindFit, rank_kinds
from referee.vision.peel import Found, examine, grown
from referee.vision.picture import Picture

Array = NDArray[np.float64]
Image = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Settings:
    flattest_deg: float = 18.0
    lean_step_deg: float = 7.0
    turn_step_deg: float = 22.5
    steepest_deg: float = 126.0
    """Beyond 90 the underside is seen, of a disc that leans towards the eye."""
    edge_on: float = 0.2
    """Cosine of the angle between normal and view below which a face can't be read."""
    margin_mm: float = 95.0
    """How far around the box is looked."""
    edge_level: float = 5.0
    """Grey levels per pixel below which an edge doesn't vote."""
    most_edges: int = 8000
    most_voters: int = 2500
    """Where many leans are tried, so many edges vote."""
    cell_mm: float = 3.0
    reach_mm: float = 140.0
    """Half width of the plane on which votes are counted."""
    least_vote: float = 0.12
    per_plane: int = 5
    most: int = 30
    """So many voted places are looked at more closely."""
    polish_deg: tuple[float, ...] = (4.0, 2.0)
    polish_mm: tuple[float, ...] = (2.5, 1.5)
    finalists: int = 16
    """So many are ranked by their rings."""
    least_score: float = 0.15
    least_explained: float = 0.1
    most_explained: float = 0.4
    """Share of the face that the picture must bear out: of a plain fit, and of a poor one."""
    plain: float = 0.8
    plain_scale: float = 0.0599
    flat_size: float = 0.02
    """By how much of its size a flat face may be off: a quarter of the box's height makes about that."""
    steep_size: float = 0.04
    mistaken_deg: float = 7.0
    """A disc near the box that was taken for a flat one and then tilted this much is looked for again."""
    mistaken_size: float = 0.025
    apart_mm: float = 7.0
    apart_deg: float = 9.0


@dataclass(frozen=True, eq=False)
class _Edges:
    """Edge points of a part of the picture as directions from the eye."""

    rays: Array
    """(N, 3) in the table frame."""
    beside: Array
    """(N, 3) the same, one pixel further along the edge."""
    each: int = 1
    """So many edge points each of these stands for."""

    def thinned(self, most: int) -> _Edges:
        """About so many of them, evenly over strong and weak ones."""
        step = -(-len(self.rays) // most)
        return replace(self, rays=self.rays[::step], beside=self.beside[::step], each=step)


def find_raised(
    picture: Picture,
    box: Box,
    gallery: Gallery,
    settings: Settings | None = None,
    peel: peeling.Settings | None = None,
) -> list[Found]:
    """Discs that lie about flat above the table: on the lid, across the rim, on the floor of the box.

    To be looked for before those on the table: from the plane of the table a disc nearer to the eye is only
    a disc too large, and half believed.
    """
    settings, peel = settings or Settings(), peel or peeling.Settings()
    free = np.ones(picture.bgr.shape[:2], bool)
    up = np.array([[0, 0, 1.0]])
    poses = propose(picture, box, free, up, gallery, settings)
    return _peeled(picture, box, poses, free, [], gallery, settings, peel, flat=True)


def find_steep(
    picture: Picture,
    box: Box,
    found: list[Found],
    gallery: Gallery,
    settings: Settings | None = None,
    peel: peeling.Settings | None = None,
) -> list[Found]:
    """`found` with the discs that lean in or against the box put in, and what was mistaken for flat left out."""
    settings, peel = settings or Settings(), peel or peeling.Settings()
    kept = [f for f in found if not _mistaken(f, box, gallery, settings)]
    free = np.ones(picture.bgr.shape[:2], bool)
    for f in kept:
        rows, columns = f.patch.box
        free[rows, columns] &= ~grown(f.agrees)
    to_eye = picture.view.eye_mm - [box.x_mm, box.y_mm, box.height_mm / 2]
    poses = propose(picture, box, free, leans(to_eye, box.yaw_deg, settings), gallery, settings)
    return _peeled(picture, box, poses, free, kept, gallery, settings, peel, flat=False)


def _peeled(
    picture: Picture,
    box: Box,
    poses: list[Pose],
    free: Mask,
    before: list[Found],
    gallery: Gallery,
    settings: Settings,
    peel: peeling.Settings,
    flat: bool,
) -> list[Found]:
    """`before` and the poses that prove to be discs, best first; each takes its pixels out of `free`."""
    size = settings.flat_size if flat else settings.steep_size
    polars = [picture.polar(p, gallery.radius_mm) for p in poses]

    def rank(i: int) -> list[KindFit]:
        mask = picture.polar_mask(free, poses[i], gallery.radius_mm)
        return rank_kinds(polars[i], mask, gallery, peel.identify)

    ranks = [rank(i) for i in range(len(poses))]
    open_ = set(range(len(poses)))
    found = list(before)
    while open_:
        best = max(open_, key=lambda i: ranks[i][0].score)
        if ranks[best][0].score < settings.least_score:
            break
        open_.discard(best)
        disc = examine(picture, poses[best], polars[best], ranks[best], free, gallery, peel)
        if disc is None or not _convinces(disc, settings):
            continue
        disc = _settled(disc, picture, box, gallery)
        if abs(disc.fit.size - 1) > size:
            continue
        if any(_alike(disc.pose, other.pose, picture.view.eye_mm, settings) for other in found):
            continue
        if flat and _lies_on_the_table(picture, disc, free, gallery, settings, peel):
            continue
        found.append(disc)
        rows, columns = disc.patch.box
        free[rows, columns] &= ~grown(disc.agrees)
        for i in open_:
            ranks[i] = rank(i)
    return found


def _settled(disc: Found, picture: Picture, box: Box, gallery: Gallery) -> Found:
    """The disc at the place on its line of sight where it can rest and its print has the right size."""
    eye, pose = picture.view.eye_mm, disc.pose
    distance = float(np.linalg.norm(pose.centre_mm - eye))
    resting = possible(pose.centre_mm, pose.normal, eye, gallery.radius_mm, gallery.thickness_mm, box)
    if not resting:
        return disc

    def misfit(centre_mm: Array) -> float:
        return abs(disc.fit.size * float(np.linalg.norm(centre_mm - eye)) / distance - 1)

    best = min(resting, key=misfit)
    size = disc.fit.size * float(np.linalg.norm(best - eye)) / distance
    return replace(disc, fit=replace(disc.fit, pose=replace(pose, centre_mm=best), size=size))


def _convinces(disc: Found, settings: Settings) -> bool:
    """Whether much of the face is there, or what is there of it is there plainly."""
    plain = disc.score > settings.plain * disc.visible and disc.fit.scale < settings.plain_scale
    return disc.score > (settings.least_explained if plain else settings.most_explained)


def _lies_on_the_table(
    picture: Picture, disc: Found, free: Mask, gallery: Gallery, settings: Settings, peel: peeling.Settings
) -> bool:
    """Whether a disc of the right size on the table explains the picture better than this raised one."""
    low = disc.pose.at_height(gallery.thickness_mm, picture.view)
    polar = picture.polar(low, gallery.radius_mm)
    ranks = rank_kinds(polar, picture.polar_mask(free, low, gallery.radius_mm), gallery, peel.identify)
    other = examine(picture, low, polar, ranks, free, gallery, peel)
    return other is not None and abs(other.fit.size - 1) < settings.flat_size and other.score > disc.score


def propose(
    picture: Picture, box: Box, free: Mask, normals: Array, gallery: Gallery, settings: Settings
) -> list[Pose]:
    """Poses of those leans that gather votes and could rest near the box, best first."""
    edges = _edges(picture, box, free, settings)
    if len(edges.rays) < 30:
        return []
    middle = np.array([box.x_mm, box.y_mm, box.height_mm / 2 if len(normals) > 1 else box.height_mm])
    eye = picture.view.eye_mm
    alone = len(normals) == 1
    most = settings.most if alone else settings.per_plane
    voters = edges if alone else edges.thinned(settings.most_voters)
    voted: list[tuple[float, Pose]] = []
    for normal in normals:
        for share, centre in _votes(picture, voters, middle, normal, gallery, settings)[:most]:
            resting = possible(centre, normal, eye, gallery.radius_mm, gallery.thickness_mm, box)
            if resting:
                voted.append((share, _posed(resting[len(resting) // 2], normal)))
    polished = [
        polish(picture, edges, pose, gallery, settings)
        for _, pose in _distinct(voted, settings.most, eye, settings)
    ]
    return [pose for _, pose in _distinct(polished, settings.finalists, eye, settings)]


def _distinct(
    scored: list[tuple[float, Pose]], most: int, eye_mm: Array, settings: Settings
) -> list[tuple[float, Pose]]:
    """The best ones that look different from where the eye is; how far off they are shows too little."""
    kept: list[tuple[float, Pose]] = []
    for share, pose in sorted(scored, key=lambda v: -v[0]):
        if not any(_alike(pose, other, eye_mm, settings) for _, other in kept):
            kept.append((share, pose))
            if len(kept) == most:
                break
    return kept


def leans(to_eye: Array, yaw_deg: float, settings: Settings) -> Array:
    """(N, 3) unit normals that an eye in that direction can read, in step with the box's sides."""
    eye = to_eye / np.linalg.norm(to_eye)
    out = []
    for lean in np.radians(np.arange(settings.flattest_deg, settings.steepest_deg, settings.lean_step_deg)):
        count = max(round(360 / settings.turn_step_deg * min(1.0, 0.2 + np.sin(lean))), 4)
        for turn in np.radians(yaw_deg) + 2 * np.pi * np.arange(count) / count:
            out.append(np.array([np.sin(lean) * np.cos(turn), np.sin(lean) * np.sin(turn), np.cos(lean)]))
    normals = np.array(out)
    return np.asarray(normals[normals @ eye > settings.edge_on])


def _mistaken(disc: Found, box: Box, gallery: Gallery, settings: Settings) -> bool:
    """Whether a disc that was sought on the table is more likely one in, on or against the box."""
    middle = disc.pose.middle(gallery.thickness_mm)
    away = float(np.hypot(middle[0] - box.x_mm, middle[1] - box.y_mm))
    if middle[2] > box.height_mm / 2 or away > box.outer_mm / np.sqrt(2) + 2 * gallery.radius_mm:
        return False
    if np.degrees(disc.pose.tilt_rad) > settings.mistaken_deg:
        return True
    if box.outer_mm / 2 > away and not box.lid and abs(disc.fit.size - 1) < settings.flat_size:
        return False  # on the floor of the box
    gap = gap_to(middle, disc.pose.normal, gallery.radius_mm, gallery.thickness_mm, box)
    return disc.fit.size - 1 > settings.mistaken_size or gap < -8.0


def _edges(picture: Picture, box: Box, free: Mask, settings: Settings) -> _Edges:
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
    return _Edges(rays, beside)


def _on_plane(
    picture: Picture, edges: _Edges, middle: Array, axes: Array, normal: Array
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


def _radii(gallery: Gallery) -> dict[int, float]:
    """The printed circles large enough to be told from texture, by their number."""
    return {i: r for i, r in enumerate(gallery.radii_mm) if r > 0.45 * gallery.radius_mm}


def _best_set(shares: dict[int, Image], gallery: Gallery) -> Image:
    """The mean share of the circles that one kind of print shows, of the best such kind."""
    sets = [[shares[i] for i in circle if i in shares] for circle in gallery.circles]
    return np.asarray(np.max([np.mean(drawn, axis=0) for drawn in sets], axis=0), np.float32)


def _votes(
    picture: Picture, edges: _Edges, middle: Array, normal: Array, gallery: Gallery, settings: Settings
) -> list[tuple[float, Array]]:
    """Centres (3,) on the plane through `middle`, each with the share of its circles that is drawn."""
    axes = _axes(normal)
    uv, across = _on_plane(picture, edges, middle, axes, normal)
    near = (np.abs(uv) < settings.reach_mm + gallery.radius_mm).all(axis=1)
    uv, across = uv[near], across[near]
    cells = int(2 * settings.reach_mm / settings.cell_mm)
    sigma = 0.85  # cells: centres are voted for within about a cell
    shares: dict[int, Image] = {}
    for index, radius in _radii(gallery).items():
        places = np.concatenate((uv + radius * across, uv - radius * across))
        cell = np.rint((places + settings.reach_mm) / settings.cell_mm).astype(np.int64)
        good = ((cell >= 0) & (cell < cells)).all(axis=1)
        counted = np.bincount(cell[good] @ [1, cells], minlength=cells * cells).reshape(cells, cells)
        share = 2 * np.pi * sigma**2 * edges.each / _edge_pixels(picture, middle, axes, radius)
        shares[index] = cv2.GaussianBlur(counted.astype(np.float32), (0, 0), sigma) * np.float32(share)
    best = _best_set(shares, gallery)
    peak = (cv2.dilate(best, np.ones((5, 5), np.uint8)) == best) & (best > settings.least_vote)
    row, column = np.nonzero(peak)
    order = np.argsort(-best[row, column])
    places = np.column_stack((column, row))[order] * settings.cell_mm - settings.reach_mm
    return [(float(best[row[i], column[i]]), middle + axes @ at) for i, at in zip(order, places, strict=True)]


def polish(
    picture: Picture, edges: _Edges, pose: Pose, gallery: Gallery, settings: Settings
) -> tuple[float, Pose]:
    """The pose nearby whose circles are drawn most completely, and the share of them that is."""
    uv, _ = _on_plane(picture, edges, pose.centre_mm, pose.axes[:, :2], pose.normal)
    around = np.hypot(uv[:, 0], uv[:, 1]) < 1.2 * gallery.radius_mm
    seen = np.flatnonzero(edges.rays @ pose.normal < -0.02)[around]
    edges = _Edges(edges.rays[seen], edges.beside[seen])
    best = _drawn(picture, edges, pose, gallery, settings.polish_mm[0])
    for step_deg, sigma in zip(settings.polish_deg, settings.polish_mm, strict=True):
        middle = best[1]
        best = _drawn(picture, edges, middle, gallery, sigma)
        for turn in np.arange(8) * np.pi / 4:
            axis = np.cos(turn) * middle.axes[:, 0] + np.sin(turn) * middle.axes[:, 1]
            tried = middle.moved(np.zeros(3), np.radians(step_deg) * axis)
            best = max(best, _drawn(picture, edges, tried, gallery, sigma), key=lambda b: b[0])
    return best


def _drawn(
    picture: Picture, edges: _Edges, pose: Pose, gallery: Gallery, sigma_mm: float
) -> tuple[float, Pose]:
    """How completely a pose's circles are drawn, after its centre has moved to where its votes gather."""
    axes, normal = pose.axes[:, :2], pose.normal
    uv, across = _on_plane(picture, edges, pose.centre_mm, axes, normal)
    radii = _radii(gallery)
    places = []
    for index, radius in radii.items():
        for sign in (1, -1):
            at = uv + sign * radius * across
            at = at[(np.abs(at) < 4 * sigma_mm).all(axis=1)]
            places.append((index, at))
    every = np.concatenate([at for _, at in places])
    centre = np.zeros(2)
    for _ in range(4):
        weight = np.exp(-np.sum((every - centre) ** 2, axis=1) / (2 * sigma_mm**2))
        if weight.sum() < 1:
            break
        centre = weight @ every / weight.sum()
    shares = {index: np.zeros(1, np.float32) for index in radii}
    for index, at in places:
        shares[index] += np.exp(-np.sum((at - centre) ** 2, axis=1) / (2 * sigma_mm**2)).sum()
    for index, radius in radii.items():
        shares[index] /= _edge_pixels(picture, pose.centre_mm, axes, radius)
    moved = replace(pose, centre_mm=pose.centre_mm + axes @ centre)
    return float(_best_set(shares, gallery)[0]), moved


def _edge_pixels(picture: Picture, centre: Array, axes: Array, radius_mm: float) -> float:
    """About how many edge pixels a wholly seen circle makes at half size, after thinning."""
    angle = 2 * np.pi * np.arange(17) / 16
    ring = centre + radius_mm * np.column_stack((np.cos(angle), np.sin(angle))) @ axes.T
    steps = np.abs(np.diff(picture.view.to_px(ring), axis=0))
    return max(float(steps.max(axis=1).sum()) / 2, 1.0)


def _axes(normal: Array) -> Array:
    """(3, 2) columns: a level axis of the plane and the one uphill from it."""
    x = np.array([-normal[1], normal[0], 0.0])
    length = float(np.hypot(x[0], x[1]))
    x = x / length if length > 0.02 else np.array([1.0, 0.0, 0.0])
    y = np.cross(normal, x)
    return np.column_stack((x, y / np.linalg.norm(y)))


def _posed(centre_mm: Array, normal: Array) -> Pose:
    axes = _axes(normal)
    return Pose(centre_mm, np.column_stack((axes, normal)))


def _alike(a: Pose, b: Pose, eye_mm: Array, settings: Settings) -> bool:
    turn = np.degrees(np.arccos(np.clip(a.normal @ b.normal, -1, 1)))
    to_a, to_b = a.centre_mm - eye_mm, b.centre_mm - eye_mm
    apart = np.linalg.norm(to_a - to_b * (np.linalg.norm(to_a) / np.linalg.norm(to_b)))
    return bool(turn < settings.apart_deg and apart < settings.apart_mm)

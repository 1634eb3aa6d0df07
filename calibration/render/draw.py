"""Draws a scene: every pixel is the mean of sixteen rays, each shaded by what it meets first.

The sixteen lie on a Hammersley set, all with different x and all with different y, so that an upright or
level edge is placed to 1/32 px and a slanting one better. Where things move, eight rays are shared out among
the moments at which they are given: motion blur.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.art.faces import tag_cells
from calibration.render.bodies import round_of, sides_of, walls_of
from calibration.render.develop import develop, grain, printed, through_jpeg
from calibration.render.light import Cast, Owner, Points, lit, shine
from calibration.render.prints import Faces
from calibration.render.scene import Disc, Limb, Round, Scene
from calibration.render.solids import DiscSolid, Laid, RectSolid, RodSolid, Solid
from calibration.render.surfaces import Top
from calibration.render.view import Image, Rays, Window, covering, whole
from referee.errors import ConfigError

SAMPLES, MOVING_SAMPLES = 16, 8
_FLOOR = (0.13, 0.13, 0.125)
_SKY_REACH_MM = 40.0
"""How far from a solid its dimming of the room's light is followed."""
_MARGIN_PX = 2


def render(scene: Scene, seed: int, window: Window | None = None) -> NDArray[np.uint8]:
    """(h, w, 3) BGR: the whole picture, or the part of it in `window`, as it comes out of its JPEG file."""
    return through_jpeg(shoot(scene, seed, window), scene.develop.jpeg_quality)


def shoot(scene: Scene, seed: int, window: Window | None = None) -> NDArray[np.uint8]:
    """(h, w, 3) BGR: the picture through lens and sensor, before it becomes a JPEG file."""
    window = window or whole(scene.view.camera)
    studio = Studio(scene)
    light = studio.expose([scene], window)
    rng = np.random.default_rng(seed)
    negative = develop(light, scene.develop, scene.view.camera.size, window)
    return printed(negative, grain(rng, window.height, window.width, scene.develop))


def window_about(scene: Scene, discs: Sequence[Disc], margin_px: int = 24) -> Window | None:
    """The part of the picture that shows these discs; None when none of them is in it."""
    points = [_disc_solid(scene, disc, np.zeros((1, 1, 3), np.float32)).outline_mm for disc in discs]
    return covering(scene.view.project(np.concatenate(points)), margin_px, whole(scene.view.camera))


def _disc_solid(scene: Scene, disc: Disc, face: Image) -> DiscSolid:
    return DiscSolid(disc, scene.pieces.radius_mm, scene.pieces.thickness_mm, face)


@dataclass(frozen=True, eq=False)
class _Ground:
    """The bare table in a window: its rays, where they meet it, and what is painted there."""

    window: Window
    rays: Rays
    points: Points
    albedo: Image


@dataclass(frozen=True, eq=False)
class _Part:
    """A solid of the scene. `key` is the same while it stays where it is, `owner` also when it moves."""

    key: int
    owner: Owner
    solid: Solid


class Studio:
    """Draws scenes that share camera, table, markers and piece set; keeps what they have in common."""

    def __init__(self, scene: Scene) -> None:
        self._view = scene.view
        self._top = Top(scene.surface)
        self._faces = Faces(scene.pieces)
        self._markers = _markers(scene)
        self._limit = whole(scene.view.camera)
        self._ground: _Ground | None = None

    def expose(self, moments: Sequence[Scene], window: Window) -> Image:
        """Linear light (h, w, 3) RGB in `window`, the mean over `moments` of one scene whose parts move."""
        middle = moments[len(moments) // 2]
        casts = self._casts(middle)
        picture = self._table(middle, window, casts)
        ground = self._ground_in(middle, window)
        laid: dict[int, tuple[Window, Laid]] = {}
        groups: list[list[tuple[Window, Laid]]] = []
        for moment in moments:
            group = []
            for part in self._parts(moment):
                if part.key not in laid:
                    place = covering(self._view.project(part.solid.outline_mm), _MARGIN_PX, window)
                    if place is None:
                        continue
                    others = [c for c in casts if c.owner != part.owner]
                    rays = ground.rays.part(place.within(ground.window))
                    laid[part.key] = place, part.solid.lay(self._view, rays, place, middle.light, others)
                group.append(laid[part.key])
            groups.append(group)
        for cluster in _clusters([place for place, _ in laid.values()]):
            where = cluster.within(window)
            picture[where] = self._sample(
                ground.rays.part(cluster.within(ground.window)), cluster, picture[where], groups
            )
        return picture

    def reach(self, scene: Scene, parts: Sequence[Disc | Limb]) -> Window | None:
        """The part of the picture that these discs and limbs of the scene can change, with their shadows."""
        wanted = {id(p) for p in parts}
        out: Window | None = None
        for part in self._parts(scene):
            place = self._influence(part.solid, scene) if part.key in wanted else None
            if place is not None:
                out = place if out is None else out.join(place)
        return out

    def _sample(
        self, rays: Rays, cluster: Window, ground: Image, groups: list[list[tuple[Window, Laid]]]
    ) -> Image:
        total = np.zeros_like(ground)
        near = [[(p, s) for p, s in group if p.meet(cluster)] for group in groups]
        count = SAMPLES if len(groups) == 1 else MOVING_SAMPLES
        for k in range(count):
            dx, dy = (k + 0.5) / count - 0.5, _radical_inverse(k) + 0.5 / count - 0.5
            u, v = rays.at(dx, dy)
            colour = ground.copy()
            depth = np.full(u.shape, np.inf, np.float32)
            for place, solid in near[k * len(groups) // count]:
                where = place.within(cluster)
                d, c = solid.hit(np.ascontiguousarray(u[where]), np.ascontiguousarray(v[where]))
                seen = d < depth[where]
                depth[where][seen] = d[seen]
                colour[where][seen] = c[seen]
            total += colour
        return total / np.float32(count)

    def _table(self, scene: Scene, window: Window, casts: Sequence[Cast]) -> Image:
        ground = self._ground_in(scene, window)
        where = window.within(ground.window)
        light = lit(ground.points.part(where), np.array([0.0, 0.0, 1.0]), scene.light, casts, window)
        picture = np.asarray(ground.albedo[where] * light, np.float32)
        if scene.light.gloss > 0:
            up = np.array([0.0, 0.0, 1.0])
            picture += shine(ground.points.part(where), self._view.eye_mm, up, scene.light)[..., None]
        return picture

    def _ground_in(self, scene: Scene, window: Window) -> _Ground:
        if self._ground is None or self._ground.window.meet(window) != window:
            self._ground = self._lay_table(scene, window)
        return self._ground

    def _lay_table(self, scene: Scene, window: Window) -> _Ground:
        rays = self._view.rays(window)
        p = self._ground_points(rays)
        x0, y0, x1, y1 = scene.surface.edge_mm
        albedo = self._top.albedo(p.x, p.y)
        albedo[(p.x < x0) | (p.x > x1) | (p.y < y0) | (p.y > y1)] = _FLOOR
        return _Ground(window, rays, p, albedo)

    def _ground_points(self, rays: Rays) -> Points:
        u, v = rays.u, rays.v
        m, eye = self._view.rotation.T.astype(np.float32), self._view.eye_mm
        dz = np.minimum(m[2, 0] * u + m[2, 1] * v + m[2, 2], np.float32(-1e-3))
        s = np.float32(-eye[2]) / dz
        x = np.float32(eye[0]) + s * (m[0, 0] * u + m[0, 1] * v + m[0, 2])
        y = np.float32(eye[1]) + s * (m[1, 0] * u + m[1, 1] * v + m[1, 2])
        return Points(x, y, np.zeros_like(x))

    def _parts(self, scene: Scene) -> list[_Part]:
        out = [_Part(id(m), id(m), m) for m in self._markers]
        out += [_Part(id(d), d.piece, self._disc(scene, d)) for d in scene.discs]
        if scene.box is not None:
            walls = walls_of(scene.box)[0]
            out += [_Part(hash((scene.box, i)), hash((scene.box, i)), w) for i, w in enumerate(walls)]
        out += [_Part(id(limb), id(limb), RodSolid(limb)) for limb in scene.limbs]
        for thing in scene.things:
            solids: Sequence[Solid] = [round_of(thing)] if isinstance(thing, Round) else sides_of(thing)
            out += [_Part(hash((id(thing), i)), id(thing), solid) for i, solid in enumerate(solids)]
        return out

    def _disc(self, scene: Scene, disc: Disc) -> DiscSolid:
        toward = disc.rotation.T @ (self._view.eye_mm - disc.center_mm)
        side = "front" if toward[2] > 0 else "back"
        # The face is needed at twice the scale at which the lens shows it, and no finer.
        distance = max(float(np.linalg.norm(toward)), 1.0)
        size_px = self._view.camera.K[0][0] * 2 * scene.pieces.radius_mm / distance
        return _disc_solid(scene, disc, self._faces.at(disc, side, 2 * size_px))

    def _casts(self, scene: Scene) -> list[Cast]:
        casts = []
        for part in self._parts(scene):
            place = self._influence(part.solid, scene) if part.solid.shades else None
            if place is not None:
                casts += [Cast(part.owner, shade, place) for shade in part.solid.shades]
        if scene.box is not None:
            shade = walls_of(scene.box)[1]
            reach = shade.half * 1.5 + 2 * shade.height
            corners = np.array([(i * reach, j * reach, 0.0) for i in (-1, 1) for j in (-1, 1)]) + shade.center
            place = covering(self._view.project(corners), 60, self._limit)
            if place is not None:
                casts.append(Cast(id(scene.box), shade, place))
        return casts

    def _influence(self, solid: Solid, scene: Scene) -> Window | None:
        """Where the solid and its shadow on the table are seen, with a margin for its dimming of the room."""
        towards = scene.light.towards
        body = solid.outline_mm
        shadow = body - towards * (np.maximum(body[:, 2:], 0) / towards[2])
        grown = shadow.mean(axis=0) + (shadow - shadow.mean(axis=0)) * 1.1
        ground = body * np.array([1.0, 1.0, 0.0])
        tall = solid.thickness_mm if isinstance(solid, DiscSolid) else 0.0
        reach = max(_SKY_REACH_MM, 3 * tall)
        spread = [ground + np.array([i * reach, j * reach, 0]) for i in (-1, 1) for j in (-1, 1)]
        return covering(self._view.project(np.concatenate([body, grown, *spread])), 4, self._limit)


def _markers(scene: Scene) -> tuple[RectSolid, ...]:
    """The layout's markers on white paper, one cell of white about the black square."""
    layout = scene.layout
    if layout.marker_family != "tag36h11":
        raise ConfigError(f"the renderer draws tag36h11 markers, the layout asks for {layout.marker_family}")
    half = layout.marker_mm * 10 / 8 / 2
    up = np.eye(3)
    out = []
    for tag, (x, y) in layout.marker_centers_mm.items():
        cells = np.full((10, 10), 0.80, np.float32)
        cells[1:-1, 1:-1] = np.where(np.array(tag_cells(tag)), 0.80, 0.014)
        painted = np.repeat(cells[..., None], 3, axis=2)
        out.append(RectSolid(np.array([x, y, layout.marker_z_mm]), up, (half, half), painted))
    return tuple(out)


def _clusters(places: Sequence[Window]) -> list[Window]:
    """Windows that meet, joined until none do."""
    out: list[Window] = []
    for place in places:
        joined = place
        while True:
            touching = [w for w in out if w.meet(joined)]
            if not touching:
                break
            for w in touching:
                out.remove(w)
                joined = joined.join(w)
        out.append(joined)
    return out


def _radical_inverse(k: int) -> float:
    """Van der Corput's sequence in base two."""
    out, weight = 0.0, 0.5
    while k:
        out += weight * (k & 1)
        k >>= 1
        weight /= 2
    return out

"""What a ray can meet: a disc with its wall, a rectangle, a round-ended rod.

Each knows its outline and its shadow and, once laid into a window of the picture, the depth and colour along
any ray of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.render.light import Cast, DiscShade, Points, RodShade, Shade, WallShade, lit, shine
from calibration.render.scene import Disc, Light, Limb, Rgb
from calibration.render.view import Array, Image, Rays, View, Window

BOARD: Rgb = (0.55, 0.43, 0.29)
_RIM_POINTS = 48


class Laid(Protocol):
    def hit(self, u: Image, v: Image) -> tuple[Image, Image]:
        """Depth (h, w) along the camera's axis, infinite where missed, and colour (h, w, 3)."""
        ...


class Solid(Protocol):
    @property
    def outline_mm(self) -> Array:
        """(N, 3) points whose hull holds the solid."""
        ...

    @property
    def shades(self) -> tuple[Shade, ...]: ...

    def lay(self, view: View, rays: Rays, window: Window, light: Light, casts: Iterable[Cast]) -> Laid: ...


@dataclass(frozen=True, eq=False)
class DiscSolid:
    disc: Disc
    radius_mm: float
    thickness_mm: float
    face: Image
    """Picture of the face that the camera sees, linear RGB, square."""
    wall: Rgb = BOARD

    @property
    def outline_mm(self) -> Array:
        a = np.linspace(0, 2 * np.pi, _RIM_POINTS, endpoint=False)
        grown = self.radius_mm / np.cos(np.pi / _RIM_POINTS)
        rim = np.stack([grown * np.cos(a), grown * np.sin(a), 0 * a], axis=1)
        half = np.array([0, 0, self.thickness_mm / 2])
        return np.concatenate([rim + half, rim - half]) @ self.disc.rotation.T + self.disc.center_mm

    @property
    def shades(self) -> tuple[Shade, ...]:
        normal = self.disc.rotation[:, 2]
        up = normal if normal[2] >= 0 else -normal
        torn = self.disc.bite
        bite = None if torn is None else (self.disc.rotation[:, :2] @ np.array(torn[:2]), torn[2])
        return (DiscShade(self.disc.center_mm, up, self.radius_mm, self.thickness_mm, bite),)

    def lay(self, view: View, rays: Rays, window: Window, light: Light, casts: Iterable[Cast]) -> Laid:
        rotation = self.disc.rotation
        origin = rotation.T @ (view.eye_mm - self.disc.center_mm)
        turn = rotation.T @ view.rotation.T
        side = 1.0 if origin[2] > 0 else -1.0
        normal = side * rotation[:, 2]
        base = self.disc.center_mm + normal * self.thickness_mm / 2
        points = _on_plane(view, rays, base, normal)
        around = _held(points, base, self.radius_mm * 1.02)
        shade = lit(around, normal, light, casts, window)
        mirrored = shine(around, view.eye_mm, normal, light) if light.gloss > 0 else None
        return _LaidDisc(self, origin, turn, side, shade, mirrored, light)


@dataclass(frozen=True, eq=False)
class _LaidDisc:
    solid: DiscSolid
    origin: Array
    turn: Array
    side: float
    shade: Image
    mirrored: Image | None
    light: Light

    def hit(self, u: Image, v: Image) -> tuple[Image, Image]:
        o, m = self.origin.astype(np.float32), self.turn.astype(np.float32)
        radius, half = self.solid.radius_mm, self.solid.thickness_mm / 2
        dx, dy, dz = (m[i, 0] * u + m[i, 1] * v + m[i, 2] for i in range(3))
        with np.errstate(divide="ignore", invalid="ignore"):
            depth = np.asarray((np.float32(self.side * half) - o[2]) / dz, np.float32)
        x, y = o[0] + depth * dx, o[1] + depth * dy
        inside = (x * x + y * y <= radius * radius) & (depth > 0)
        size = self.solid.face.shape[0]
        per_mm = np.float32(size / (2 * radius))
        px = (x + np.float32(radius)) * per_mm - np.float32(0.5)
        py = (np.float32(radius) - np.float32(self.side) * y) * per_mm - np.float32(0.5)
        colour = cv2.remap(self.solid.face, px, py, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        shaded = np.asarray(colour * self.shade, np.float32)
        if self.mirrored is not None:
            shaded += self.mirrored[..., None]
        inside &= ~self._torn(x, y)
        depth[~inside] = np.inf
        self._wall(~inside, (dx, dy, dz), depth, shaded)
        return depth, shaded

    def _torn(self, x: Image, y: Image) -> NDArray[np.bool_]:
        """Where a bite has been taken out of the disc."""
        if self.solid.disc.bite is None:
            return np.zeros(x.shape, bool)
        middle_x, middle_y, radius = self.solid.disc.bite
        return np.asarray(np.hypot(x - middle_x, y - middle_y) < radius)

    def _wall(
        self, where: NDArray[np.bool_], d: tuple[Image, Image, Image], depth: Image, colour: Image
    ) -> None:
        """Fills in the side wall on rays that miss the face."""
        o, radius, half = self.origin, self.solid.radius_mm, self.solid.thickness_mm / 2
        dx, dy, dz = d[0][where], d[1][where], d[2][where]
        a, b = dx * dx + dy * dy, o[0] * dx + o[1] * dy
        root = b * b - a * (o[0] ** 2 + o[1] ** 2 - radius**2)
        s = (-b - np.sqrt(np.maximum(root, 0))) / a
        z = o[2] + s * dz
        met = (root > 0) & (np.abs(z) <= half) & (s > 0) & ~self._torn(o[0] + s * dx, o[1] + s * dy)
        rows, columns = np.nonzero(where)
        at = rows[met], columns[met]
        s = s[met]
        out = np.stack([o[0] + s * dx[met], o[1] + s * dy[met]], axis=1) / radius
        normal = out @ self.solid.disc.rotation[:, :2].T
        towards = self.light.towards
        lamp = (1 - self.light.ambient) * np.maximum(normal @ towards, 0) / towards[2]
        bright = lamp + self.light.ambient * (0.42 + 0.2 * normal[:, 2])
        depth[at] = s
        colour[at] = self.shade[at] * (bright[:, None] * np.array(self.solid.wall))


@dataclass(frozen=True, eq=False)
class RectSolid:
    """A rectangle seen from the side its normal looks to; `cells` paint it as a grid, rows from the top."""

    center: Array
    axes: Array
    """Columns: along the width, along the height, normal."""
    half: tuple[float, float]
    cells: Image
    casts_shadow: bool = False

    @property
    def outline_mm(self) -> Array:
        a, b = self.half[0] * self.axes[:, 0], self.half[1] * self.axes[:, 1]
        return np.stack([self.center + i * a + j * b for i in (-1, 1) for j in (-1, 1)])

    @property
    def shades(self) -> tuple[Shade, ...]:
        return (WallShade(self.center, self.axes, self.half),) if self.casts_shadow else ()

    def lay(self, view: View, rays: Rays, window: Window, light: Light, casts: Iterable[Cast]) -> Laid:
        origin = self.axes.T @ (view.eye_mm - self.center)
        points = _on_plane(view, rays, self.center, self.axes[:, 2])
        around = _held(points, self.center, 1.5 * float(np.hypot(*self.half)))
        shade = lit(around, self.axes[:, 2], light, casts, window)
        return _LaidRect(self, origin, self.axes.T @ view.rotation.T, shade)


@dataclass(frozen=True, eq=False)
class _LaidRect:
    solid: RectSolid
    origin: Array
    turn: Array
    shade: Image

    def hit(self, u: Image, v: Image) -> tuple[Image, Image]:
        if self.origin[2] <= 0:
            return np.full_like(u, np.inf), self.shade
        o, m = self.origin.astype(np.float32), self.turn.astype(np.float32)
        dx, dy, dz = (m[i, 0] * u + m[i, 1] * v + m[i, 2] for i in range(3))
        with np.errstate(divide="ignore", invalid="ignore"):
            depth = np.asarray(-o[2] / dz, np.float32)
        x, y = o[0] + depth * dx, o[1] + depth * dy
        a, b = self.solid.half
        depth[~((np.abs(x) <= a) & (np.abs(y) <= b) & (depth > 0))] = np.inf
        rows, columns = self.solid.cells.shape[:2]
        if rows == columns == 1:
            return depth, self.shade * self.solid.cells[0, 0]
        i = np.clip((b - y) * (rows / (2 * b)), 0, rows - 1).astype(np.intp)
        j = np.clip((x + a) * (columns / (2 * a)), 0, columns - 1).astype(np.intp)
        return depth, self.shade * self.solid.cells[i, j]


@dataclass(frozen=True, eq=False)
class RodSolid:
    limb: Limb

    @property
    def outline_mm(self) -> Array:
        r = self.limb.radius_mm
        corners = np.array([(i, j, k) for i in (-r, r) for j in (-r, r) for k in (-r, r)])
        return np.concatenate([self.limb.start_mm + corners, self.limb.end_mm + corners])

    @property
    def shades(self) -> tuple[Shade, ...]:
        return (RodShade(self.limb.start_mm, self.limb.end_mm, self.limb.radius_mm),)

    def lay(self, view: View, rays: Rays, window: Window, light: Light, casts: Iterable[Cast]) -> Laid:
        return _LaidRod(self.limb, view, light)


@dataclass(frozen=True, eq=False)
class _LaidRod:
    limb: Limb
    view: View
    light: Light

    def hit(self, u: Image, v: Image) -> tuple[Image, Image]:
        # All in the camera's frame, where the ray is (u, v, 1); the start of the rod is the origin.
        turn = self.view.rotation.astype(np.float32)
        eye = turn @ (self.view.eye_mm - self.limb.start_mm).astype(np.float32)
        along = turn @ (self.limb.end_mm - self.limb.start_mm).astype(np.float32)
        length = float(np.linalg.norm(along))
        axis = along / np.float32(max(length, 1e-6))
        radius = np.float32(self.limb.radius_mm)
        dd = u * u + v * v + 1
        da, de = axis[0] * u + axis[1] * v + axis[2], eye[0] * u + eye[1] * v + eye[2]
        ea, ee = eye @ axis, eye @ eye
        a, b = dd - da * da, de - da * ea
        root = b * b - a * (ee - ea * ea - radius**2)
        s = (-b - np.sqrt(np.maximum(root, 0))) / np.maximum(a, np.float32(1e-9))
        height = ea + s * da
        depth = np.asarray(np.where((root > 0) & (height > 0) & (height < length), s, np.inf), np.float32)
        for end in (np.float32(0), np.float32(length)):
            # A ball about each end.
            b = de - end * da
            root = b * b - dd * (ee - 2 * end * ea + end * end - radius**2)
            s = (-b - np.sqrt(np.maximum(root, 0))) / dd
            depth = np.asarray(np.where((root > 0) & (s < depth), s, depth), np.float32)
        met = np.isfinite(depth)
        colour = np.zeros((*depth.shape, 3), np.float32)
        colour[met] = self._shaded(eye, axis, length, u[met], v[met], depth[met])
        return depth, colour

    def _shaded(self, eye: Image, axis: Image, length: float, u: Image, v: Image, depth: Image) -> Image:
        point = eye + depth[:, None] * np.stack([u, v, np.ones_like(u)], axis=1)
        height = np.clip(point @ axis, 0, length)
        normal = (point - height[:, None] * axis) / np.float32(self.limb.radius_mm)
        towards = (self.view.rotation @ self.light.towards).astype(np.float32)
        up = self.view.rotation[:, 2].astype(np.float32)
        lamp = (1 - self.light.ambient) * np.maximum(normal @ towards, 0) / self.light.towards[2]
        bright = lamp + self.light.ambient * (0.62 + 0.38 * (normal @ up))
        return np.asarray(
            bright[:, None] * np.array(self.limb.colour) * np.array(self.light.colour), np.float32
        )


def _on_plane(view: View, rays: Rays, base: Array, normal: Array) -> Points:
    """Where the pixels' rays meet the plane, held far away where they never do."""
    eye = view.eye_mm
    m = view.rotation.T.astype(np.float32)
    d = [m[i, 0] * rays.u + m[i, 1] * rays.v + m[i, 2] for i in range(3)]
    n = normal.astype(np.float32)
    slant = d[0] * n[0] + d[1] * n[1] + d[2] * n[2]
    slant = np.where(np.abs(slant) < 1e-4, np.float32(-1e-4), slant)
    s = np.float32((base - eye) @ normal) / slant
    return Points(*(np.asarray(eye[i] + s * d[i], np.float32) for i in range(3)))


def _held(p: Points, base: Array, reach: float) -> Points:
    """The points drawn in to within `reach` of `base`: light is only needed there, and stays finite."""
    x, y, z = p.x - base[0], p.y - base[1], p.z - base[2]
    k = np.minimum(1.0, reach / np.maximum(np.sqrt(x * x + y * y + z * z), 1e-6))
    return Points(*(np.asarray(base[i] + k * w, np.float32) for i, w in enumerate((x, y, z))))

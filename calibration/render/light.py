"""How much light reaches a point: the lamp past all that stands in its way, and the room's light in corners.

Both are closed formulas of the point, not samples: a shadow's edge widens with the distance of what casts
it (penumbra = distance * tan(softness)), and a wall of height H at distance d hides
0.5 * (1 - d / hypot(d, H)) of the sky from level ground.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from calibration.render.scene import Light
from calibration.render.view import Array, Image, Window

_SKIN_MM = 0.05
"""Nothing nearer than this shades a point: it is the surface itself."""
_SHARPEST_MM = 0.2
_VARNISH_DEG = 1.5
"""By how much varnish spreads what it mirrors."""


@dataclass(frozen=True, eq=False)
class Points:
    """Places in the table frame, (h, w) each."""

    x: Image
    y: Image
    z: Image

    def part(self, where: tuple[slice, slice]) -> Points:
        return Points(self.x[where], self.y[where], self.z[where])


@dataclass(frozen=True, eq=False)
class DiscShade:
    center: Array
    normal: Array
    """Looks up or level."""
    radius: float
    thickness: float
    bite: tuple[Array, float] | None = None
    """Middle, from the disc's, and radius of a part that is torn off."""

    def lamp(self, p: Points, towards: Array, tangent: float) -> Image:
        n, c = self.normal, self.center
        slant = float(towards @ n)
        if abs(slant) < 0.02:
            return np.ones_like(p.x)
        s = ((c[0] - p.x) * n[0] + (c[1] - p.y) * n[1] + (c[2] - p.z) * n[2]) / slant
        x, y, z = p.x + s * towards[0] - c[0], p.y + s * towards[1] - c[1], p.z + s * towards[2] - c[2]
        beyond = np.sqrt(x * x + y * y + z * z) - self.radius
        if self.bite is not None:
            middle, reach = self.bite
            torn = np.sqrt((x - middle[0]) ** 2 + (y - middle[1]) ** 2 + (z - middle[2]) ** 2)
            beyond = np.maximum(beyond, reach - torn)
        # Seen edge-on from the lamp it hides only part of it.
        across = self.radius * abs(slant) + self.thickness / 2
        share = np.minimum(1.0, across / np.maximum(s * tangent, _SHARPEST_MM))
        return np.asarray(1 - share * (1 - _soft(beyond, s, tangent)), np.float32)

    def room(self, p: Points) -> Image:
        c, n = self.center, self.normal
        dx, dy = p.x - c[0], p.y - c[1]
        r = np.hypot(dx, dy)
        d = r - self.radius
        # Height of the rim next to the point (under it, if it is under the disc).
        k = np.minimum(1.0, self.radius / np.maximum(r, 1e-3)) / max(float(n[2]), 0.2)
        mid = c[2] - (dx * n[0] + dy * n[1]) * k - p.z
        top = np.maximum(mid + self.thickness / 2, 0.0)
        gap = np.maximum(mid - self.thickness / 2, 0.0)
        beside = 0.5 * (_slope(d, gap) - _slope(d, top))
        under = 0.5 * (1 + _slope(-d, gap))
        near = self.radius**2 / (self.radius**2 + gap**2)
        hidden = np.where(d > 0, np.maximum(beside, 0), np.where(mid > 0, under, 0)) * near
        if self.bite is not None:
            middle, reach = self.bite
            hidden = np.where(np.hypot(dx - middle[0], dy - middle[1]) < reach, 0.5 * hidden, hidden)
        return np.asarray(1 - 0.9 * max(float(n[2]), 0.0) * hidden, np.float32)


@dataclass(frozen=True, eq=False)
class WallShade:
    """A rectangle that casts a shadow."""

    center: Array
    axes: Array
    """Columns: along the width, along the height, normal."""
    half: tuple[float, float]

    def lamp(self, p: Points, towards: Array, tangent: float) -> Image:
        a, b, n = self.axes.T
        c = self.center
        slant = float(towards @ n)
        if abs(slant) < 0.02:
            return np.ones_like(p.x)
        s = ((c[0] - p.x) * n[0] + (c[1] - p.y) * n[1] + (c[2] - p.z) * n[2]) / slant
        x, y, z = p.x + s * towards[0] - c[0], p.y + s * towards[1] - c[1], p.z + s * towards[2] - c[2]
        across = np.abs(x * a[0] + y * a[1] + z * a[2]) - self.half[0]
        along = np.abs(x * b[0] + y * b[1] + z * b[2]) - self.half[1]
        return _soft(np.maximum(across, along), s, tangent)

    def room(self, p: Points) -> Image:
        return np.ones_like(p.x)


@dataclass(frozen=True, eq=False)
class BoxShade:
    """The room's light about and inside four walls (the lamp's is left to WallShade)."""

    center: Array
    yaw: float
    half: float
    wall: float
    height: float
    open: bool

    def lamp(self, p: Points, towards: Array, tangent: float) -> Image:
        return np.ones_like(p.x)

    def room(self, p: Points) -> Image:
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        x = np.abs(c * (p.x - self.center[0]) + s * (p.y - self.center[1]))
        y = np.abs(c * (p.y - self.center[1]) - s * (p.x - self.center[0]))
        tall = np.maximum(self.height - p.z, 0.0)
        outside = np.hypot(np.maximum(x - self.half, 0), np.maximum(y - self.half, 0))
        light = 1 - 0.45 * (1 - _slope(outside, tall))
        if self.open:
            inner = self.half - self.wall
            free = np.ones_like(p.x)
            for d in (inner - x, inner + x, inner - y, inner + y):
                free = free * (1 - 0.5 * (1 - _slope(np.maximum(d, 0), tall)))
            light = np.where(np.maximum(x, y) < inner + 0.01, free, light)
        return np.asarray(np.where(p.z > self.height - 0.01, 1.0, light), np.float32)


@dataclass(frozen=True, eq=False)
class RodShade:
    start: Array
    end: Array
    radius: float

    def lamp(self, p: Points, towards: Array, tangent: float) -> Image:
        along = self.end - self.start
        flat_along = along - towards * float(along @ towards)
        length2 = max(float(flat_along @ flat_along), 1e-9)
        x, y, z = p.x - self.start[0], p.y - self.start[1], p.z - self.start[2]
        depth = x * towards[0] + y * towards[1] + z * towards[2]
        x, y, z = x - depth * towards[0], y - depth * towards[1], z - depth * towards[2]
        t = np.clip((x * flat_along[0] + y * flat_along[1] + z * flat_along[2]) / length2, 0, 1)
        x, y, z = x - t * flat_along[0], y - t * flat_along[1], z - t * flat_along[2]
        s = t * float(along @ towards) - depth
        return _soft(np.sqrt(x * x + y * y + z * z) - self.radius, s, tangent)

    def room(self, p: Points) -> Image:
        a, b = self.start, self.end
        along = b[:2] - a[:2]
        t = ((p.x - a[0]) * along[0] + (p.y - a[1]) * along[1]) / max(float(along @ along), 1e-9)
        t = np.clip(t, 0, 1)
        d = np.hypot(p.x - a[0] - t * along[0], p.y - a[1] - t * along[1])
        high = np.maximum(a[2] + t * (b[2] - a[2]) - p.z, 1.0)
        return np.asarray(1 - 0.55 * self.radius**2 / (self.radius**2 + d * d + high * high), np.float32)


Owner = str | int
"""What a solid belongs to: a coaster by its name, anything else by a number."""

Shade = DiscShade | WallShade | BoxShade | RodShade


@dataclass(frozen=True, eq=False)
class Cast:
    """A shade, whose it is, and the part of the picture that it can darken."""

    owner: Owner
    shade: Shade
    window: Window


def lit(p: Points, normal: Array, light: Light, casts: Iterable[Cast], window: Window) -> Image:
    """(h, w, 3) light on a surface with that normal, seen in `window`; 1 is an open level table."""
    towards = light.towards
    tangent = float(np.tan(np.radians(light.softness_deg)))
    lamp = np.full_like(p.x, (1 - light.ambient) * max(0.0, float(normal @ towards)) / float(towards[2]))
    room = np.full_like(p.x, light.ambient * (0.65 + 0.35 * float(normal[2])))
    facing = float(normal @ towards) > 0
    for cast in casts:
        common = cast.window.meet(window)
        if common is None:
            continue
        where = common.within(window)
        part = p.part(where)
        if facing:
            lamp[where] *= cast.shade.lamp(part, towards, tangent)
        room[where] *= cast.shade.room(part)
    slope = 1 + light.falloff[0] * p.x / 1000 + light.falloff[1] * p.y / 1000
    total = (lamp + room) * np.maximum(slope, 0.05)
    return np.asarray(total[..., None] * np.array(light.colour, np.float32), np.float32)


def shine(p: Points, eye_mm: Array, normal: Array, light: Light) -> Image:
    """(h, w) how much of the lamp a varnished surface of that normal mirrors towards the eye: a soft spot."""
    towards = light.towards
    mirrored = towards - 2 * float(towards @ normal) * normal
    x, y, z = p.x - eye_mm[0], p.y - eye_mm[1], p.z - eye_mm[2]
    along = mirrored[0] * x + mirrored[1] * y + mirrored[2] * z
    off = np.arccos(np.clip(along / np.sqrt(x * x + y * y + z * z), -1, 1))
    width = np.radians(light.softness_deg + _VARNISH_DEG)
    return np.asarray(light.gloss * np.exp(-np.square(off / width)), np.float32)


def _slope(d: Image, height: Image) -> Image:
    return np.asarray(d / np.sqrt(d * d + height * height + 1e-6), np.float32)


def _soft(beyond: Image, distance: Image, tangent: float) -> Image:
    """1 in the light, 0 in the shadow, smooth across the penumbra; 1 where the caster is behind the point."""
    half = np.maximum(distance * tangent, _SHARPEST_MM)
    t = np.clip(0.5 + 0.5 * beyond / half, 0, 1)
    return np.asarray(np.where(distance > _SKIN_MM, t * t * (3 - 2 * t), 1.0), np.float32)

"""What there is to draw: coasters in poses, a box, an arm, markers on a table, light and lens."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from calibration.render.view import Array, Image, View
from referee.formats import BoxSize, Layout, PieceSet

Rgb = tuple[float, float, float]
"""Linear reflectance or light, 0 to 1."""


@dataclass(frozen=True, eq=False)
class Disc:
    """A coaster. `rotation`'s columns: the front picture's x and y axes, and the normal of the front."""

    piece: str
    rotation: Array
    center_mm: Array
    """Middle of the disc, at half its thickness."""
    state: str = "flat"
    """flat, resting (on other coasters), in_box, on_rim, on_lid, leaning_on_box, off_table; or moving."""
    worn: int | None = None
    """The seed of its scratches and of the print that has come off; None when it is new."""
    bite: tuple[float, float, float] | None = None
    """A circle x, y, radius in mm on the front: what lies in it has been torn off."""


@dataclass(frozen=True)
class Box:
    center_mm: tuple[float, float]
    yaw_deg: float
    size: BoxSize
    colour: Rgb = (0.10, 0.20, 0.42)
    wall_mm: float = 2.0


@dataclass(frozen=True, eq=False)
class Limb:
    """A round-ended rod: part of an arm or a finger."""

    start_mm: Array
    end_mm: Array
    radius_mm: float
    colour: Rgb


@dataclass(frozen=True, eq=False)
class Round:
    """An upright cylinder that is no coaster of the set: a plate, a cup, a coin, a paper cut out."""

    kind: str
    center_mm: tuple[float, float]
    radius_mm: float
    height_mm: float
    face: Image
    """Picture of its upper side, linear RGB, square."""
    wall: Rgb
    turn_deg: float = 0.0


@dataclass(frozen=True, eq=False)
class Slab:
    """A flat thing with corners on the table: a phone, a card, a photograph."""

    kind: str
    center_mm: tuple[float, float]
    size_mm: tuple[float, float]
    height_mm: float
    face: Image
    """Picture of its upper side, linear RGB, painted as a grid of cells."""
    wall: Rgb
    yaw_deg: float = 0.0


Thing = Round | Slab


@dataclass(frozen=True)
class Light:
    """One lamp, far away and not small, and the light of the room."""

    azimuth_deg: float = 120.0
    """Where it stands, counter-clockwise from +x seen from above."""
    elevation_deg: float = 58.0
    softness_deg: float = 7.0
    """Half the angle under which the lamp is seen."""
    ambient: float = 0.55
    colour: Rgb = (1.0, 0.98, 0.94)
    falloff: tuple[float, float] = (0.0, 0.0)
    """Relative change of brightness per metre along x and y."""
    gloss: float = 0.0
    """How bright the lamp is mirrored in varnish: in the table's and in the coasters'."""

    @property
    def towards(self) -> Array:
        a, e = np.radians(self.azimuth_deg), np.radians(self.elevation_deg)
        return np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])


@dataclass(frozen=True)
class Develop:
    """Lens and sensor: what becomes of the light."""

    exposure: float = 1.0
    white_balance: Rgb = (1.0, 1.0, 1.0)
    blur_px: float = 0.65
    bloom: float = 0.02
    vignette: float = 0.25
    noise: float = 1.0
    sharpen: float = 0.5
    jpeg_quality: int = 92


@dataclass(frozen=True)
class Surface:
    """A table top by name (see surfaces.py); `edge_mm` is the rectangle x0, y0, x1, y1 that it fills."""

    kind: str = "wood"
    seed: int = 0
    edge_mm: tuple[float, float, float, float] = (-700.0, -560.0, 700.0, 520.0)


@dataclass(frozen=True, eq=False)
class Scene:
    view: View
    layout: Layout
    pieces: PieceSet
    discs: tuple[Disc, ...] = ()
    """Lower ones first: a disc lies on those before it."""
    box: Box | None = None
    limbs: tuple[Limb, ...] = ()
    things: tuple[Thing, ...] = ()
    surface: Surface = field(default_factory=Surface)
    light: Light = field(default_factory=Light)
    develop: Develop = field(default_factory=Develop)


def flat(
    x_mm: float, y_mm: float, thickness_mm: float, angle_deg: float, face: str, z_mm: float = 0.0
) -> Array:
    """A pose (3, 4) on a level surface at height z_mm, `face` up, the picture's x axis at `angle_deg`."""
    return tilted((x_mm, y_mm, z_mm + thickness_mm / 2), np.array([0.0, 0.0, 1.0]), angle_deg, face)


def tilted(center_mm: tuple[float, float, float], up: Array, angle_deg: float, face: str) -> Array:
    """A pose (3, 4) whose upper side looks along `up`; the x axis lies over `angle_deg` in plan."""
    a = np.radians(angle_deg)
    x = np.array([np.cos(a), np.sin(a), 0.0])
    x[2] = -(x @ up) / up[2] if abs(up[2]) > 1e-9 else 0.0
    x /= np.linalg.norm(x)
    normal = up if face == "front" else -up
    pose: NDArray[np.float64] = np.stack([x, np.cross(normal, x), normal, np.array(center_mm)], axis=1)
    return pose


def disc(piece: str, pose: Array, state: str = "flat") -> Disc:
    return Disc(piece, pose[:, :3], pose[:, 3], state)

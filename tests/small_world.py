"""A drawn table for the tests of the eye: patterned ground, an arm, discs that fly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.table.camera import Camera
from referee.vision.table.pose import TableView

Array = NDArray[np.float64]
Pixels = NDArray[np.uint8]

SIZE = (1280, 720)
RADIUS_MM, THICKNESS_MM = 47.0, 3.0
FPS = 30.0


def view(tilt_deg: float = 35.0, distance_mm: float = 1150.0) -> TableView:
    """A camera that looks at the table's middle from the near side, `tilt_deg` off straight down."""
    camera = Camera(SIZE, np.array([[1240.0, 0, 639.5], [0, 1240.0, 359.5], [0, 0, 1]]), np.zeros(5))
    t = np.radians(tilt_deg)
    rotation = np.array([[1, 0, 0], [0, -np.cos(t), -np.sin(t)], [0, np.sin(t), -np.cos(t)]])
    return TableView(camera, rotation, np.array([0, 0, distance_mm]), 0.1, (0, 1, 2, 3), np.eye(6) * 1e-8)


def ground(seed: int = 0) -> Pixels:
    """A table top with soft blotches, as wood or cloth has."""
    rng = np.random.default_rng(seed)
    coarse = rng.normal(0, 1, (45, 80, 3)).astype(np.float32)
    soft = cv2.resize(coarse, SIZE, interpolation=cv2.INTER_CUBIC) * 9
    return np.clip(np.array([70, 110, 150]) + soft, 0, 255).astype(np.uint8)


def noisy(picture: Pixels, rng: np.random.Generator, level: float = 2.0) -> Pixels:
    """The picture with a sensor's noise: one of a few fields, shifted, as drawing them anew is slow."""
    field = np.roll(_noise(int(rng.integers(4))), int(rng.integers(1280)), axis=1)
    return np.asarray(cv2.add(picture, field * level, dtype=cv2.CV_8U), np.uint8)


@cache
def _noise(seed: int) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal((SIZE[1], SIZE[0], 3), np.float32)


def arm(picture: Pixels, reach_px: float, row: int = 300) -> Pixels:
    """A sleeve and a fist that come in from the left edge as far as column `reach_px`."""
    out = picture.copy()
    cv2.line(out, (-200, row + 60), (int(reach_px) - 60, row), (150, 60, 50), 110)
    cv2.circle(out, (int(reach_px) - 50, row), 62, (120, 150, 205), -1)
    return out


def cylinder_px(seen_by: TableView, centre_mm: Array, normal: Array) -> Array:
    """(N, 2) pixels of both rims of a disc; their hull is its silhouette."""
    side = np.cross(normal, [1.0, 0, 0] if abs(normal[0]) < 0.9 else [0, 1.0, 0])
    side /= np.linalg.norm(side)
    other = np.cross(normal, side)
    turn = np.linspace(0, 2 * np.pi, 90, endpoint=False)[:, None]
    ring = RADIUS_MM * (np.cos(turn) * side + np.sin(turn) * other)
    faces = [centre_mm + ring + s * THICKNESS_MM / 2 * normal for s in (-1, 1)]
    return seen_by.to_px(np.concatenate(faces))


def disc(picture: Pixels, seen_by: TableView, centre_mm: Array, normal: Array) -> Pixels:
    """A disc with a pale front and a dark back, whichever the camera sees."""
    out = picture.copy()
    towards = float(normal @ (seen_by.eye_mm - centre_mm))
    colour = (60, 200, 240) if towards > 0 else (170, 60, 40)
    hull = cv2.convexHull(np.round(cylinder_px(seen_by, centre_mm, normal) * 16).astype(np.int32))
    cv2.fillConvexPoly(out, hull, colour, cv2.LINE_AA, shift=4)
    return out


@dataclass(frozen=True)
class Throw:
    """A flick from a fist at `start_mm`: turns by half_turns until it lands flat on `landing_mm`."""

    half_turns: float
    start_mm: tuple[float, float, float] = (-190.0, 40.0, 130.0)
    landing_mm: tuple[float, float, float] = (90.0, -30.0, 2.0)
    flight_s: float = 0.33
    bearing_deg: float = 80.0

    def centre(self, t_s: float) -> Array:
        a, b = np.array(self.start_mm), np.array(self.landing_mm)
        g = np.array([0, 0, -9810.0])
        t = float(np.clip(t_s, 0, self.flight_s))
        speed = (b - a) / self.flight_s - 0.5 * g * self.flight_s
        return np.asarray(a + speed * t + 0.5 * g * t * t)

    def normal(self, t_s: float) -> Array:
        turned = np.pi * self.half_turns * float(np.clip(t_s / self.flight_s, 0, 1))
        if t_s >= self.flight_s:
            turned = np.pi * round(self.half_turns)
        bearing = np.radians(self.bearing_deg)
        axis = np.array([np.cos(bearing), np.sin(bearing), 0])
        return np.asarray(cv2.Rodrigues(axis * turned)[0] @ np.array([0, 0, 1.0]))


def film(
    throw: Throw, seen_by: TableView, seed: int = 0, before: int = 12, after: int = 14
) -> Iterator[Pixels]:
    """An arm comes in with a disc on its fist, holds it, flicks, waits and leaves; 30 pictures a second.

    The flick is between picture `before + 19` and the next.
    """
    rng = np.random.default_rng(seed)
    table = ground(seed)
    at = seen_by.to_px(np.array([throw.start_mm]))[0]
    there, row = float(at[0]) + 50, int(at[1]) + 25
    coming = np.linspace(-120, there, 8)
    flying = int(np.ceil(throw.flight_s * FPS)) + 8
    for _ in range(before):
        yield noisy(table, rng)
    for reach in [*coming, *[there] * 12]:
        shift = seen_by.to_mm(np.array([[at[0] + reach - there, at[1]]]), throw.start_mm[2])[0]
        held = np.array([*shift, throw.start_mm[2]])
        yield noisy(disc(arm(table, reach, row), seen_by, held, np.array([0, 0, 1.0])), rng)
    for k in range(1, flying):
        moments = [(k - 0.5 + s) / FPS for s in (0.0, 0.25, 0.5)]
        shown = [disc(arm(table, there, row), seen_by, throw.centre(t), throw.normal(t)) for t in moments]
        yield noisy(np.mean(shown, axis=0).astype(np.uint8), rng)
    rest = disc(table, seen_by, np.array(throw.landing_mm), throw.normal(9.0))
    for reach in [*coming[::-1], *[-500] * after]:
        yield noisy(arm(rest, reach, row), rng)

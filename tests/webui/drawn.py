"""A drawn table: coasters of the printed set on wood, seen obliquely, outlined as by an eye."""

from __future__ import annotations

from functools import cache
from math import cos, hypot, pi, sin

import cv2
import numpy as np

from calibration.art import RADIUS_MM, printed_set, raster
from referee.facts import Contact, Face, Measure, PieceId, Placed, Rest, Scene
from referee.vision.messages import Gate, Mark, Preview

WIDTH, HEIGHT = 1280, 720
SCALE = 1.45
"""Pixels of the flat drawing for a millimetre."""
Spot = tuple[float, float]

_FLAT = np.float32([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]])
_SEEN = np.float32([[150, 40], [WIDTH - 130, 20], [WIDTH + 90, HEIGHT + 30], [-110, HEIGHT + 40]])
_VIEW = cv2.getPerspectiveTransform(_FLAT, _SEEN)


def scene(spots: dict[str, Spot], boxed: tuple[str, ...] = (), t_s: float = 0.0, frame: int = 0) -> Scene:
    """The pieces lie where `spots` says, later ones on top; sizes and doubts are those of a fair camera."""
    placed = tuple(
        Placed(
            track=track,
            kind="disc",
            names=((PieceId(name), 0.98),),
            x_mm=Measure(x, 0.2),
            y_mm=Measure(y, 0.2),
            angle_deg=Measure(0.0, 1.0),
            tilt_deg=Measure(0.0, 1.0),
            face=Face.FRONT,
            state=Rest.IN_BOX if name in boxed else Rest.TABLE,
            visible_fraction=1.0,
        )
        for track, (name, (x, y)) in enumerate(spots.items())
    )
    contacts = []
    for upper in placed:
        for lower in placed[: upper.track]:
            far = hypot(upper.x_mm.value - lower.x_mm.value, upper.y_mm.value - lower.y_mm.value)
            if (overlap := 2 * RADIUS_MM - far) > -15:
                contacts.append(
                    Contact(upper.track, lower.track, Measure(round(overlap, 1), 0.35), 0.994, 120.0)
                )
    return Scene(t_s, frame, 0.6, placed, tuple(contacts))


@cache
def picture(at: Scene) -> bytes:
    """The table as the camera sees it, a JPEG."""
    return _jpeg(cv2.warpPerspective(_flat(at), _VIEW, (WIDTH, HEIGHT), borderValue=(46, 52, 60)))


@cache
def close_up(at: Scene, tracks: tuple[int, ...]) -> bytes:
    """Evidence: the pieces of `tracks` from above, outlined, their overlap filled."""
    table = _flat(at)
    centres = [_pixel(at.at(t).x_mm.value, at.at(t).y_mm.value) for t in tracks]
    radius = round(RADIUS_MM * SCALE)
    lens = np.zeros(table.shape[:2], np.uint8)
    for centre in centres:
        disc = np.zeros_like(lens)
        cv2.circle(disc, centre, radius, 1, -1)
        lens += disc
    table[lens > 1] = table[lens > 1] // 2 + np.uint8([0, 60, 127])
    for centre, colour in zip(centres, [(80, 255, 120), (60, 190, 255)] * 2, strict=False):
        cv2.circle(table, centre, radius, colour, 2, cv2.LINE_AA)
    x, y = (sum(c[i] for c in centres) // len(centres) for i in (0, 1))
    left, top = min(max(x - 200, 0), WIDTH - 400), min(max(y - 150, 0), HEIGHT - 300)
    return _jpeg(
        cv2.resize(table[top : top + 300, left : left + 400], (800, 600), interpolation=cv2.INTER_CUBIC)
    )


def preview(at: Scene, gate: Gate = Gate.STILL, unsure: tuple[str, ...] = ()) -> Preview:
    marks = tuple(
        Mark(
            p.track, f"{p.piece}?" if p.piece in unsure else str(p.piece), _outline(p), p.piece not in unsure
        )
        for p in at.placed
    )
    return Preview(at.frame, at.t_s, gate, picture(at), marks)


def _outline(placed: Placed) -> tuple[Spot, ...]:
    ring = [
        [
            _pixel(
                placed.x_mm.value + RADIUS_MM * cos(2 * pi * i / 32),
                placed.y_mm.value + RADIUS_MM * sin(2 * pi * i / 32),
            )
        ]
        for i in range(32)
    ]
    seen = cv2.perspectiveTransform(np.float32(ring), _VIEW)[:, 0]
    return tuple((float(x) / WIDTH, float(y) / HEIGHT) for x, y in seen)


def _flat(at: Scene) -> np.ndarray:
    table = _wood().copy()
    left, top = _pixel(-52, 52)
    right, bottom = _pixel(52, -52)
    cv2.rectangle(table, (left + 10, top + 14), (right + 14, bottom + 16), (30, 36, 44), -1)
    cv2.rectangle(table, (left, top), (right, bottom), (86, 104, 176), -1)
    cv2.rectangle(table, (left + 7, top + 7), (right - 7, bottom - 7), (44, 52, 92), -1)
    for placed in at.placed:
        _lay(table, str(placed.names[0][0]), _pixel(placed.x_mm.value, placed.y_mm.value))
    return table


def _lay(table: np.ndarray, piece: str, centre: tuple[int, int]) -> None:
    radius = round(RADIUS_MM * SCALE)
    shade = table.copy()
    cv2.circle(shade, (centre[0] + 5, centre[1] + 7), radius, (20, 24, 30), -1, cv2.LINE_AA)
    cv2.addWeighted(shade, 0.45, table, 0.55, 0, table)
    face = _face(piece, 2 * radius)
    mask = np.zeros(face.shape[:2], np.uint8)
    cv2.circle(mask, (radius, radius), radius - 1, 255, -1)
    x, y = centre[0] - radius, centre[1] - radius
    part = table[y : y + 2 * radius, x : x + 2 * radius]
    part[mask > 0] = face[mask > 0]


@cache
def _face(piece: str, size_px: int) -> np.ndarray:
    drawing = next(f.drawing for f in printed_set() if f.piece == piece and f.side == "front")
    return raster(drawing, size_px)


@cache
def _wood() -> np.ndarray:
    grain = np.random.default_rng(5)
    rows = cv2.GaussianBlur(grain.normal(0, 26, (HEIGHT, 12)).astype(np.float32), (0, 0), 1.2)
    stripes = cv2.resize(rows, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)
    light = np.linspace(1.08, 0.86, WIDTH)[None, :, None]
    return np.clip((np.array([98, 142, 184]) + stripes[..., None]) * light, 0, 255).astype(np.uint8)


def _pixel(x_mm: float, y_mm: float) -> tuple[int, int]:
    return round(WIDTH / 2 + SCALE * x_mm), round(HEIGHT / 2 - SCALE * y_mm)


def _jpeg(bgr: np.ndarray) -> bytes:
    done, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, 86])
    assert done
    return bytes(data)

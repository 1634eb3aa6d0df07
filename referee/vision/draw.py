"""Pictures that a ruling rests on, and the outlines over the live one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.facts import Contact, Placed, Scene, Touch
from referee.vision.aloft import Chase
from referee.vision.messages import Mark
from referee.vision.motion import Glimpse
from referee.vision.outcome import Shot
from referee.vision.source import Pixels
from referee.vision.table import TableView

Array = NDArray[np.float64]
Colour = tuple[int, int, int]

UPPER: Colour = (40, 140, 255)
LOWER: Colour = (255, 200, 40)
SHARED: Colour = (80, 60, 255)
INK: Colour = (245, 245, 245)
PAPER: Colour = (32, 28, 26)
"""Blue, green, red."""


@dataclass(frozen=True)
class Settings:
    table_px: int = 1280
    quality: int = 88
    panel_px: int = 480
    """Side of each of the two views of a contact."""
    zoom_mm: float = 44.0
    """What the closer view of a contact shows, from side to side."""
    beyond_mm: float = 5.0
    """Pairs further apart than this get no picture."""
    most_contacts: int = 8
    strip_frames: int = 8
    strip_s: tuple[float, float] = (0.08, 0.5)
    """How long before and after the flick the strip of a throw shows."""
    strip_px: tuple[int, int] = (320, 200)
    """Size of each picture of the strip."""
    strip_margin_diameters: float = 1.5
    """What it shows around the throw's way."""


@dataclass(frozen=True, eq=False)
class Canvas:
    """A piece of the table, seen straight from above at one height."""

    middle_mm: tuple[float, float]
    width_mm: float
    side_px: int
    height_mm: float

    @property
    def scale(self) -> float:
        return self.side_px / self.width_mm

    def cut(self, picture: Pixels, view: TableView) -> Pixels:
        """(side, side, 3) rectified. The way back is exact on a coarse grid and linear between."""
        coarse = np.linspace(0, self.side_px - 1, 33)
        xs, ys = np.meshgrid(coarse, coarse)
        mm = self.to_mm(np.stack((xs, ys), axis=-1).reshape(-1, 2))
        px = view.to_px(np.column_stack((mm, np.full(len(mm), self.height_mm)))).reshape(33, 33, 2)
        fine = np.linspace(0, 32, self.side_px, dtype=np.float32)
        grid_x, grid_y = np.meshgrid(fine, fine)
        maps = [cv2.remap(px[..., i].astype(np.float32), grid_x, grid_y, cv2.INTER_LINEAR) for i in (0, 1)]
        return np.asarray(cv2.remap(picture, maps[0], maps[1], cv2.INTER_CUBIC), np.uint8)

    def to_mm(self, points_px: Array) -> Array:
        centre = (self.side_px - 1) / 2
        return np.asarray((points_px - centre) * [1, -1] / self.scale + self.middle_mm)

    def to_px(self, points_mm: Array) -> Array:
        centre = (self.side_px - 1) / 2
        return np.asarray((points_mm - self.middle_mm) * [1, -1] * self.scale + centre)


@dataclass(frozen=True, eq=False)
class Drawn:
    """What there is to draw: a scene, the picture that it was read from, and the pieces' rims in it."""

    scene: Scene
    picture: Pixels
    view: TableView
    rims_px: dict[int, Array]
    """By track: (N, 2) raw pixels of the seen face's rim."""


@dataclass(frozen=True, eq=False)
class Strip:
    """A throw in a few pictures."""

    pictures: tuple[tuple[float, Pixels], ...]
    """Each with the seconds since the flick."""


def marks(drawn: Drawn) -> tuple[Mark, ...]:
    """The outlines over the live picture."""
    height, width = drawn.picture.shape[:2]
    found = []
    for placed in drawn.scene.placed:
        rim = drawn.rims_px.get(placed.track)
        if rim is not None:
            outline = tuple((float((x + 0.5) / width), float((y + 0.5) / height)) for x, y in rim[::2])
            found.append(Mark(placed.track, label(placed), outline, placed.piece is not None))
    return tuple(found)


def label(placed: Placed) -> str:
    """The name, with a question mark while it isn't sure."""
    if placed.piece is not None:
        return placed.piece
    return f"{placed.names[0][0]}?" if placed.names else "?"


def evidence(
    drawn: Drawn, fresh: frozenset[int], strips: Mapping[int, Strip], settings: Settings
) -> tuple[Shot, ...]:
    """Pictures of a scene: the whole table, every doubtful or real contact of a piece in `fresh` (closest
    calls first), and a strip of each throw. strips: by the frame of the flick."""
    scene = drawn.scene
    close = [
        c
        for c in scene.contacts
        if {c.upper, c.lower} & fresh
        and c.overlap_mm.value > -settings.beyond_mm
        and c.upper in drawn.rims_px
        and c.lower in drawn.rims_px
    ]
    close.sort(key=lambda c: abs(c.overlap_mm.value))
    shots = [Shot(_jpeg(whole_table(drawn, settings), settings))]
    for c in close[: settings.most_contacts]:
        shots.append(Shot(_jpeg(contact(drawn, c, settings), settings), tracks=(c.upper, c.lower)))
    for f in scene.flights:
        if f.frame_flick in strips:
            shown = _jpeg(flight_strip(strips[f.frame_flick], settings), settings)
            shots.append(Shot(shown, tracks=() if f.track is None else (f.track,)))
    return tuple(shots)


def whole_table(drawn: Drawn, settings: Settings) -> Pixels:
    """The picture with every piece outlined and named."""
    width = drawn.picture.shape[1]
    scale = settings.table_px / width
    size = (settings.table_px, round(drawn.picture.shape[0] * scale))
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    result = np.asarray(cv2.resize(drawn.picture, size, interpolation=way), np.uint8)
    for placed in drawn.scene.placed:
        rim = drawn.rims_px.get(placed.track)
        if rim is None:
            continue
        points = (rim + 0.5) * scale - 0.5
        _line(result, points, UPPER if placed.piece else SHARED, closed=True)
    for placed in drawn.scene.placed:
        rim = drawn.rims_px.get(placed.track)
        if rim is not None:
            _tag(result, label(placed), ((rim.mean(axis=0) + 0.5) * scale).tolist())
    return result


def contact(drawn: Drawn, touching: Contact, settings: Settings) -> Pixels:
    """A pair from above: both pieces whole, the place where they meet close up, and the numbers below."""
    upper, lower = drawn.scene.at(touching.upper), drawn.scene.at(touching.lower)
    rims = [drawn.rims_px[touching.lower], drawn.rims_px[touching.upper]]
    flat = [drawn.view.to_mm(r, 0.0) for r in rims]
    everything = np.concatenate(flat)
    low, high = everything.min(axis=0), everything.max(axis=0)
    near, far = flat[1].mean(axis=0), flat[0].mean(axis=0)
    meeting = _meeting(near, far, touching.overlap_mm.value, float(np.hypot(*(flat[1] - near).T).mean()))
    wide = Canvas(tuple((low + high) / 2), float((high - low).max()) + 12.0, settings.panel_px, 0.0)
    close = Canvas(meeting, settings.zoom_mm, settings.panel_px, 0.0)
    views = []
    for canvas, weight in ((wide, 0.3), (close, 0.22)):
        image = canvas.cut(drawn.picture, drawn.view)
        lines = [canvas.to_px(f) for f in flat]
        _shade_shared(image, lines, weight)
        for points, colour in zip(lines, (LOWER, UPPER), strict=True):
            _line(image, points, colour, closed=True)
        _ruler(image, canvas)
        views.append(image)
    _tag(views[0], label(lower), wide.to_px(far).tolist(), LOWER)
    _tag(views[0], label(upper), wide.to_px(near).tolist(), UPPER)
    return np.asarray(np.vstack([np.hstack(views), _caption(upper, lower, touching, 2 * settings.panel_px)]))


def strip(
    flick_s: float, chase: Chase, history: Sequence[Glimpse], diameter_px: float, settings: Settings
) -> Strip | None:
    """Some pictures of a throw, cut out about its way. None when they are gone.

    diameter_px: of a lying disc, in the half picture.
    """
    before_s, after_s = settings.strip_s
    shown = [g for g in history if -before_s <= g.t_s - flick_s <= after_s]
    if len(shown) < 2:
        return None
    way = [s for s in chase.sights if s.t_s - flick_s <= after_s] or [chase.last]
    places = 2 * np.array([[s.x_px, s.y_px] for s in way]) + 0.5
    part = _part(places, settings.strip_margin_diameters * diameter_px, shown[0].half, settings)
    at = np.unique(np.linspace(0, len(shown) - 1, settings.strip_frames).round().astype(int))
    return Strip(tuple((shown[i].t_s - flick_s, shown[i].half[part].copy()) for i in at))


def _part(places_px: Array, margin_px: float, picture: Pixels, settings: Settings) -> tuple[slice, slice]:
    """The part of a picture around some places in it, of the strip's shape."""
    (height, width), (wide, high) = picture.shape[:2], settings.strip_px
    low, high_px = places_px.min(axis=0) - margin_px, places_px.max(axis=0) + margin_px
    scale = min(max((high_px - low) / (wide, high)), width / wide, height / high)
    size = np.floor(scale * np.array([wide, high])).astype(int)
    left, top = np.clip(((low + high_px - size) / 2).astype(int), 0, np.array([width, height]) - size)
    return slice(top, top + size[1]), slice(left, left + size[0])


def flight_strip(strip: Strip, settings: Settings) -> Pixels:
    """The pictures of a throw side by side, with the time since the flick."""
    frames = []
    for since_s, picture in strip.pictures:
        frame = np.asarray(cv2.resize(picture, settings.strip_px, interpolation=cv2.INTER_CUBIC), np.uint8)
        _text(frame, f"{since_s:+.2f} s", (6, frame.shape[0] - 8), 0.5)
        frames.append(frame)
    while len(frames) % 4:
        frames.append(np.full_like(frames[0], 24))
    return np.asarray(np.vstack([np.hstack(frames[i : i + 4]) for i in range(0, len(frames), 4)]), np.uint8)


def _meeting(near: Array, far: Array, overlap_mm: float, radius_mm: float) -> tuple[float, float]:
    """The middle of the overlap or gap, on the line between two centres."""
    away = float(hypot(*(far - near)))
    direction = (far - near) / away if away > 1e-6 else np.array([1.0, 0.0])
    x, y = near + direction * (radius_mm - overlap_mm / 2)
    return float(x), float(y)


def _shade_shared(image: Pixels, rims: Sequence[Array], weight: float) -> None:
    masks = [np.zeros(image.shape[:2], np.uint8) for _ in rims]
    for mask, rim in zip(masks, rims, strict=True):
        cv2.fillPoly(mask, [np.round(rim * 16).astype(np.int32)], 255, shift=4)
    shared = cv2.bitwise_and(masks[0], masks[1]) > 0
    image[shared] = (image[shared] * (1 - weight) + np.array(SHARED) * weight).astype(np.uint8)


WORDS = {Touch.COVERS: "covers", Touch.CLEAR: "clear", Touch.TOO_CLOSE: "too close to call"}


def _caption(upper: Placed, lower: Placed, touching: Contact, width_px: int) -> Pixels:
    paper = np.full((86, width_px, 3), PAPER, np.uint8)
    word = touching.touch()
    join = "over" if word is Touch.COVERS else "and"
    overlap = touching.overlap_mm
    what = "overlap" if overlap.value >= 0 else "gap"
    _text(paper, f"{label(upper)} {join} {label(lower)}: {WORDS[word]}", (16, 34), 0.8)
    numbers = f"{what} {abs(overlap.value):.2f} mm, sigma {overlap.sigma:.2f} mm"
    if overlap.value > 0:
        numbers += f"; {label(upper)} on top: p {touching.upper_p:.3f}"
    _text(paper, numbers, (16, 68), 0.6)
    return paper


def _ruler(image: Pixels, canvas: Canvas) -> None:
    length_mm = 20 if canvas.width_mm > 80 else 5
    end = 16 + round(length_mm * canvas.scale)
    y = canvas.side_px - 16
    for colour, thick in ((PAPER, 5), (INK, 2)):
        cv2.line(image, (16, y), (end, y), colour, thick, cv2.LINE_AA)
    _text(image, f"{length_mm} mm", (end + 8, y + 5), 0.5)


def _line(image: Pixels, points: Array, colour: Colour, *, closed: bool) -> None:
    path = [np.round(points * 16).astype(np.int32)]
    cv2.polylines(image, path, closed, PAPER, 3, cv2.LINE_AA, shift=4)
    cv2.polylines(image, path, closed, colour, 1, cv2.LINE_AA, shift=4)


def _tag(image: Pixels, text: str, middle: Sequence[float], colour: Colour = INK) -> None:
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.5, 1)
    _text(image, text, (round(middle[0] - width / 2), round(middle[1] + height / 2)), 0.5, colour)


def _text(image: Pixels, text: str, at: tuple[int, int], size: float, colour: Colour = INK) -> None:
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, PAPER, 4, cv2.LINE_AA)
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, colour, 1, cv2.LINE_AA)


def _jpeg(image: Pixels, settings: Settings) -> bytes:
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, settings.quality])[1])

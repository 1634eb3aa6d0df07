"""Pictures that a ruling rests on, and the outlines over the live one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import hypot

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.facts import Contact, Placed, Rest, Scene, Touch
from referee.vision.frames.source import Pixels
from referee.vision.messages import Mark
from referee.vision.outcome import Shot
from referee.vision.show import strip
from referee.vision.show.ink import INK, LOWER, PAPER, SHARED, UPPER, line, tags, text
from referee.vision.show.strip import Strip
from referee.vision.table.pose import TableView

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    table_px: int = 1280
    quality: int = 88
    panel_px: int = 480
    """Side of each of the two views of a contact."""
    zoom_mm: float = 44.0
    zoom_overlaps: float = 1.7
    """What the closer view of a contact shows, from side to side: so much, or so many times the overlap."""
    beyond_mm: float = 5.0
    """Pairs further apart than this get no picture."""
    most_contacts: int = 8
    strip: strip.Settings = field(default_factory=strip.Settings)


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
            shown = _jpeg(strip.drawn(strips[f.frame_flick], settings.strip), settings)
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
        line(result, points, UPPER if placed.piece else SHARED)
    middles = {t: (rim.mean(axis=0) + 0.5) * scale - 0.5 for t, rim in drawn.rims_px.items()}
    labels = []
    for placed in drawn.scene.placed:
        rim = drawn.rims_px.get(placed.track)
        if rim is not None:
            wide = float(np.ptp(rim[:, 0])) * scale
            aside = _aside(middles[placed.track], list(middles.values()), wide)
            labels.append((label(placed), middles[placed.track] + 0.25 * wide * aside, INK))
    tags(result, labels)
    return result


def _aside(middle: Array, others: Sequence[Array], wide_px: float) -> Array:
    """(2,) unit direction away from the pieces that lie near, or else down: where a label hides least."""
    away = np.zeros(2)
    for other in others:
        off = middle - other
        gap = float(np.hypot(*off))
        if 0 < gap < wide_px:
            away += off / gap * (1 - gap / wide_px)
    length = float(np.hypot(*away))
    return away / length if length > 0.05 else np.array([0.0, 1.0])


def contact(drawn: Drawn, touching: Contact, settings: Settings) -> Pixels:
    """A pair from above: both pieces whole, the place where they meet close up, and the numbers below."""
    upper, lower = drawn.scene.at(touching.upper), drawn.scene.at(touching.lower)
    rims = [drawn.rims_px[touching.lower], drawn.rims_px[touching.upper]]
    height_mm = _height_mm(upper, drawn.scene)
    flat = [drawn.view.to_mm(r, height_mm) for r in rims]
    everything = np.concatenate(flat)
    low, high = everything.min(axis=0), everything.max(axis=0)
    near, far = flat[1].mean(axis=0), flat[0].mean(axis=0)
    meeting = _meeting(near, far, touching.overlap_mm.value, float(np.hypot(*(flat[1] - near).T).mean()))
    whole_mm = float((high - low).max()) + 12.0
    zoom_mm = min(max(settings.zoom_mm, settings.zoom_overlaps * touching.overlap_mm.value), whole_mm)
    wide = Canvas(tuple((low + high) / 2), whole_mm, settings.panel_px, height_mm)
    close = Canvas(meeting, zoom_mm, settings.panel_px, height_mm)
    views = []
    for canvas, weight in ((wide, 0.3), (close, 0.22)):
        image = canvas.cut(drawn.picture, drawn.view)
        lines = [canvas.to_px(f) for f in flat]
        _shade_shared(image, lines, weight)
        for points, colour in zip(lines, (LOWER, UPPER), strict=True):
            line(image, points, colour)
        _ruler(image, canvas)
        views.append(image)
    apart = (near - far) / max(float(np.hypot(*(near - far))), 1e-6) * 14.0
    ends = ((label(lower), wide.to_px(far - apart), LOWER), (label(upper), wide.to_px(near + apart), UPPER))
    tags(views[0], ends)
    return np.asarray(np.vstack([np.hstack(views), _caption(upper, lower, touching, 2 * settings.panel_px)]))


def _height_mm(placed: Placed, scene: Scene) -> float:
    """About how high a piece lies, so that the ruler beside it is right."""
    on_top = placed.state in (Rest.ON_LID, Rest.ON_RIM)
    return scene.box.height_mm if on_top and scene.box is not None else 0.0


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


def _caption(upper: Placed, lower: Placed, touching: Contact, width_px: int) -> Pixels:
    """What is ruled, and the numbers that it rests on."""
    paper = np.full((86, width_px, 3), PAPER, np.uint8)
    one, other = label(upper), label(lower)
    match touching.touch():
        case Touch.COVERS:
            ruled = f"{one} covers {other}"
        case Touch.CLEAR:
            ruled = f"{one} and {other} don't touch"
        case Touch.TOO_CLOSE:
            ruled = f"{one} and {other}: too close to call"
    text(paper, ruled, (16, 34), 0.8)
    overlap = touching.overlap_mm
    what = "overlap" if overlap.value >= 0 else "gap"
    numbers = f"{what} {abs(overlap.value):.2f} mm, sigma {overlap.sigma:.2f} mm"
    if touching.touch() is not Touch.CLEAR:
        numbers += f"; {one} on top: {_percent(touching.upper_p)}"
    text(paper, numbers, (16, 68), 0.6)
    return paper


def _percent(p: float) -> str:
    return "over 99.9 % sure" if p > 0.999 else f"{100 * p:.1f} % sure"


def _ruler(image: Pixels, canvas: Canvas) -> None:
    length_mm = 20 if canvas.width_mm > 80 else 5
    end = 16 + round(length_mm * canvas.scale)
    y = canvas.side_px - 16
    for colour, thick in ((PAPER, 5), (INK, 2)):
        cv2.line(image, (16, y), (end, y), colour, thick, cv2.LINE_AA)
    text(image, f"{length_mm} mm", (end + 8, y + 5), 0.5)


def _jpeg(image: Pixels, settings: Settings) -> bytes:
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, settings.quality])[1])

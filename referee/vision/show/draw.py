"""Pictures that a ruling rests on, and the outlines over the live one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from referee import explained
from referee.facts import Placed, Stranger
from referee.vision.frames.source import Pixels
from referee.vision.messages import Mark
from referee.vision.outcome import Shot
from referee.vision.show import pair, strip
from referee.vision.show.canvas import Drawn
from referee.vision.show.ink import INK, SHARED, UPPER, line, tags
from referee.vision.show.strip import Strip
from referee.vision.table.pose import TableView

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    table_px: int = 1280
    quality: int = 88
    most_contacts: int = 8
    pair: pair.Settings = field(default_factory=pair.Settings)
    strip: strip.Settings = field(default_factory=strip.Settings)


def marks(drawn: Drawn) -> tuple[Mark, ...]:
    """The outlines over the live picture."""
    height, width = drawn.picture.shape[:2]
    found = []
    for placed in drawn.scene.placed:
        rim = drawn.rims_px.get(placed.track)
        if rim is not None:
            outline = tuple(
                (float((x + 0.5) / width), float((y + 0.5) / height))
                for x, y in rim[:: max(1, len(rim) // 36)]
            )
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
    close = [c for c in pair.pictured(drawn, settings.pair) if {c.upper, c.lower} & fresh]
    shots = [Shot(_jpeg(whole_table(drawn, settings), settings))]
    for c in close[: settings.most_contacts]:
        shown = _jpeg(pair.drawn(drawn, c, settings.pair), settings)
        shots.append(Shot(shown, tracks=(c.upper, c.lower)))
    for f in drawn.scene.flights:
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
            labels.append((explained.name(placed), middles[placed.track] + 0.25 * wide * aside, INK))
    for stranger in drawn.scene.strangers:
        points = (_brim_px(stranger, drawn.view) + 0.5) * scale - 0.5
        line(result, points, SHARED)
        labels.append(("unknown round object", points.mean(axis=0), INK))
    tags(result, labels)
    return result


def _brim_px(stranger: Stranger, view: TableView) -> Array:
    """(72, 2) raw pixels of its upper edge."""
    a = 2 * np.pi * np.arange(72) / 72
    x, y = stranger.x_mm + stranger.radius_mm * np.cos(a), stranger.y_mm + stranger.radius_mm * np.sin(a)
    return view.to_px(np.column_stack((x, y, np.full(72, stranger.height_mm))))


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


def _jpeg(image: Pixels, settings: Settings) -> bytes:
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, settings.quality])[1])

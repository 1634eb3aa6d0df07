"""How the careful reading grows with the coasters on the table, beside what plain OpenCV takes for less.

The plain way only finds circles: the picture seen from above, and Hough's transform. It names no coaster,
tells no order and measures no overlap; it is there so that the ratio carries over from machine to machine.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import cv2
import numpy as np

from calibration.render import Spec, deal, render
from calibration.render.arrange import LAYOUT
from calibration.render.rest import drop
from calibration.render.scene import Disc, Scene
from referee import demo
from referee.cli.bench import Row, summary
from referee.formats import load_pieces
from referee.vision.discs import gallery, plan
from referee.vision.discs.gallery import Gallery
from referee.vision.reading import Reader
from referee.vision.table import pose as table
from referee.vision.table.camera import Camera
from referee.vision.table.pose import TableView
from tests.table_scenes import HD, Bgr, gray

COUNTS = 1, 3, 6, 12, 21
LIMITS_MS = {12: 250.0}
COLUMNS_MM, ROWS_MM = np.linspace(-258, 258, 7), (-98.0, 0.0, 98.0)
JITTER_MM = 9.0
"""Neighbours in a row lie singly or overlap by a few mm."""
SEED, ROUNDS = 12, 5


def rows() -> Iterator[Row]:
    pieces = load_pieces(demo.PIECES)
    known = gallery.load(pieces)
    scene = replace(deal(Spec("singles", pieces, HD, 30.0, "wood"), SEED), discs=())
    discs = _spread(scene)
    lens = Camera.load(scene.view.camera)
    reading_ms = []
    for count in COUNTS:
        bgr = render(replace(scene, discs=discs[:count]), SEED)
        view = table.locate(gray(bgr), lens, LAYOUT)
        assert view is not None
        reader = Reader(known, LAYOUT)
        found = len(reader.read(bgr, view).placed)
        ours, plain = _in_turn(partial(_read, reader, bgr, lens), partial(_circles, bgr, view, known))
        reading_ms.append(statistics.median(ours))
        ratio = reading_ms[-1] / statistics.median(plain)
        on = f"1920x1080, {found} found: {ratio:.1f}x plain circles"
        yield summary(f"read {count} coaster{'s'[: count > 1]}", on, ours, LIMITS_MS.get(count))
        yield summary("  plain circles", "rectify, HoughCircles", plain)
    each, _ = np.polyfit(COUNTS, reading_ms, 1)
    yield summary("  each coaster more", f"1 to {COUNTS[-1]}, a line through them", [float(each)])


def _spread(scene: Scene) -> tuple[Disc, ...]:
    """Coasters dropped one by one, so that the first few of them are a scene as well."""
    rng = np.random.default_rng(SEED)
    pieces, discs = scene.pieces, list[Disc]()
    places = rng.permutation([(x, y) for x in COLUMNS_MM for y in ROWS_MM])
    for piece, place in zip(rng.permutation([p.id for p in pieces.pieces]), places, strict=False):
        x, y = (float(v) for v in place + rng.uniform(-JITTER_MM, JITTER_MM, 2))
        face = str(rng.choice(["front", "back"]))
        discs.append(drop(pieces, str(piece), (x, y), float(rng.uniform(-180, 180)), face, discs))
    return tuple(discs)


def _read(reader: Reader, bgr: Bgr, lens: Camera) -> None:
    view = table.locate(gray(bgr), lens, LAYOUT)
    assert view is not None
    reader.read(bgr, view)


def _circles(bgr: Bgr, view: TableView, known: Gallery) -> None:
    flat = plan.rectify(bgr, view, known.thickness_mm, plan.Settings())
    radius = round(known.radius_mm / flat.scale_mm)
    cv2.HoughCircles(
        cv2.GaussianBlur(gray(flat.bgr), (5, 5), 0),
        cv2.HOUGH_GRADIENT,
        1,
        radius / 2,
        param1=100,
        param2=30,
        minRadius=radius - 2,
        maxRadius=radius + 2,
    )


def _in_turn(*steps: Callable[[], None]) -> list[list[float]]:
    """Per step its times in ms, taken in turn so that a busy moment falls on all of them."""
    times = [list[float]() for _ in steps]
    for _ in range(ROUNDS):
        for step, taken in zip(steps, times, strict=True):
            began = time.perf_counter()
            step()
            taken.append(1000 * (time.perf_counter() - began))
    return times

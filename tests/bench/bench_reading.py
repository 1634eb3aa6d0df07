"""What it takes to read a table at rest with care, stage by stage."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import cv2

from calibration.render import Spec, deal, render
from referee import demo
from referee.cli.bench import Row, skip, summary
from referee.formats import Layout, load_camera, load_layout, load_pieces
from referee.vision.discs import gallery
from referee.vision.discs.gallery import Gallery
from referee.vision.reading import Reader
from referee.vision.table import pose as table
from referee.vision.table.camera import Camera
from tests.table_scenes import HD, Bgr, gray

FRAMES = Path(__file__).parents[2] / "fixtures" / "frames"
STOCK = Path(__file__).parents[3] / "shared" / "data" / "poc"
TEN = 42
"""The pile of this seed has ten coasters, of each of which a third is seen."""
ROUNDS = 8


def rows() -> Iterator[Row]:
    pieces = load_pieces(demo.PIECES)
    known = gallery.load(pieces)
    pile = deal(Spec("pile", pieces, HD, 30.0, "wood"), TEN)
    yield from _stages("a pile", render(pile, TEN), Camera.load(pile.view.camera), pile.layout, known)
    yield from _stages("at the box", *_picture(FRAMES, "box_1"), known)
    if not STOCK.is_dir():
        yield skip("read a pile without markers", "those scenes are not on this machine")
        return
    stock = gallery.load(load_pieces(STOCK / "pieces"))
    yield from _stages("a pile without markers", *_picture(STOCK / "scenes", "pile_107"), stock)


def _picture(folder: Path, name: str) -> tuple[Bgr, Camera, Layout]:
    setup = folder / "setup" / f"{name}.json"
    bgr = cv2.imread(str(folder / f"{name}.jpg"))
    return bgr, Camera.load(load_camera(setup)), load_layout(setup)


def _stages(what: str, bgr: Bgr, lens: Camera, layout: Layout, known: Gallery) -> Iterator[Row]:
    """The first picture of a camera, then the same table again and again, looked at anew each time."""
    reader, stages = Reader(known, layout), defaultdict[str, list[float]](list)
    for _ in range(1 + ROUNDS):
        began = time.perf_counter()
        view = table.locate(gray(bgr), lens, layout)
        assert view is not None
        stages["locate"].append(1000 * (time.perf_counter() - began))
        reading = reader.read(bgr, view)
        stages["total"].append(1000 * (time.perf_counter() - began))
        for stage, ms in reading.timing_ms.items():
            stages[stage].append(ms)
    height, width = bgr.shape[:2]
    on = f"{width}x{height}, {len(reading.placed)} coasters"
    total = stages.pop("total")
    yield summary(f"read {what}", on, total[1:], 400)
    yield summary("  first picture", on, total[:1])
    for stage, times_ms in stages.items():
        yield summary(f"  {stage}", on, times_ms[1:])

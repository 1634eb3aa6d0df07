"""What it takes to read a table at rest with care, stage by stage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from referee import demo
from referee.cli.bench import Row, summary
from referee.cli.inspect import inspect
from referee.config import Config
from referee.formats import load_pieces
from referee.vision.discs import gallery

FRAMES = Path(__file__).parents[2] / "fixtures" / "frames"
ROUNDS = 12


def rows() -> Iterator[Row]:
    known, setup = gallery.load(load_pieces(demo.PIECES)), FRAMES / "setup"
    stages: dict[str, list[float]] = defaultdict(list)
    coasters = 0
    for _ in range(ROUNDS):
        read = inspect(FRAMES / "pile_1.jpg", setup, setup, known, Config())
        coasters = len(read["discs"])
        for stage, ms in read["timing_ms"].items():
            stages[stage].append(ms)
    on = f"1920x1080, {coasters} coasters in a pile"
    yield summary("read a picture", on, stages.pop("total"), 400)
    for stage, times_ms in stages.items():
        yield summary(f"  {stage}", on, times_ms)

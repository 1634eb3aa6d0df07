"""What every frame of a clip takes, and what the careful reading of a table at rest takes on top."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from referee.cli.bench import Row, skip, summary
from referee.cli.eye import sights
from referee.config import Config
from referee.vision import pipeline
from referee.vision.frames.source import Clip

DATA = Path(__file__).parents[3] / "shared" / "data" / "poc"


def rows() -> Iterator[Row]:
    clip = DATA / "clips" / "clip_113.mp4"
    if not clip.exists():
        yield skip("frames of a clip", f"{clip.name} is not on this machine")
        return
    setup = DATA / "clips" / "setup"
    eye = pipeline.open_eye(sights(setup, setup, DATA / "pieces", clip, Config()))
    every: list[float] = []
    stages: dict[str, list[float]] = defaultdict(list)
    for frame in Clip(clip).frames():
        began = time.perf_counter()
        eye, outcome = pipeline.see(eye, frame)
        taken_ms = 1000 * (time.perf_counter() - began)
        if outcome.scene is None:
            every.append(taken_ms)
        else:
            stages["whole"].append(taken_ms)
        for stage, ms in outcome.stage_ms:
            stages[stage].append(ms)
    yield summary("a frame", "1280x720, no scene", every, 1000 / 30)
    for stage, times_ms in stages.items():
        yield summary(f"  {stage}", "1280x720", times_ms)

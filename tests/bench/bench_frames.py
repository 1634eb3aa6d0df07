"""What every frame of a clip takes, and what the careful reading of a table at rest takes on top."""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from referee.cli.bench import Row, skip, summary
from referee.cli.eye import sights
from referee.config import Config
from referee.vision import pipeline
from referee.vision.frames.source import Clip

FPS = 30
DATA = Path(__file__).parents[3] / "shared" / "data" / "poc"


def rows() -> Iterator[Row]:
    clip = DATA / "clips" / "clip_113.mp4"
    if not clip.exists():
        yield skip("frames of a clip", f"{clip.name} is not on this machine")
        return
    setup = DATA / "clips" / "setup"
    eye = pipeline.open_eye(sights(setup, setup, DATA / "pieces", clip, Config()))
    every, all_ms, last_s = list[float](), 0.0, 0.0
    stages: dict[str, list[float]] = defaultdict(list)
    for frame in Clip(clip).frames():
        began = time.perf_counter()
        eye, outcome = pipeline.see(eye, frame)
        taken_ms = 1000 * (time.perf_counter() - began)
        all_ms, last_s = all_ms + taken_ms, frame.t_s
        if outcome.scene is None:
            every.append(taken_ms)
        else:
            stages["whole"].append(taken_ms)
        for stage, ms in outcome.stage_ms:
            stages[stage].append(ms)
    yield summary(
        "a frame",
        f"1280x720, no scene: {1000 / FPS / statistics.median(every):.1f}x real time",
        every,
        1000 / FPS,
    )
    pace = 1000 * last_s / all_ms
    yield summary("a clip", f"1280x720, {last_s:.0f} s: {pace:.1f}x real time", [all_ms])
    for stage, times_ms in stages.items():
        yield summary(f"  {stage}", "1280x720", times_ms)

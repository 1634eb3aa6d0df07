"""`referee bench`: what each stage takes on this machine, as one table.

A benchmark is a file `bench_*.py` in the folder `tests/bench` with a function `rows()` that yields Rows.
Each time is also told as a multiple of decoding one 1280x720 JPEG just before and just after, which carries
over from machine to machine, and from a busy hour to a quiet one, better than milliseconds do.
"""

from __future__ import annotations

import importlib.util
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np
from rich.console import Console
from rich.table import Table

from referee.errors import ConfigError

CHECKOUT = Path(__file__).parents[2] / "tests" / "bench"


@dataclass(frozen=True)
class Row:
    """What one stage took."""

    stage: str
    what: str
    """On what: the picture's size, the number of pieces."""
    median_ms: float
    p95_ms: float
    limit_ms: float | None = None
    """What it may take."""
    skipped: str = ""
    """Why it was not measured."""

    @property
    def missed(self) -> bool:
        return self.limit_ms is not None and self.median_ms > self.limit_ms


def measure(
    stage: str, what: str, step: Callable[[], object], rounds: int = 30, limit_ms: float | None = None
) -> Row:
    """Time `step`, after one round that doesn't count."""
    step()
    return summary(stage, what, [_timed(step) for _ in range(rounds)], limit_ms)


def summary(stage: str, what: str, times_ms: Iterable[float], limit_ms: float | None = None) -> Row:
    taken = sorted(times_ms)
    p95 = taken[min(len(taken) - 1, round(0.95 * len(taken)))]
    return Row(stage, what, statistics.median(taken), p95, limit_ms)


def skip(stage: str, why: str) -> Row:
    return Row(stage, "", 0.0, 0.0, skipped=why)


@click.command()
@click.option(
    "--from", "folder", type=click.Path(path_type=Path), default=CHECKOUT, help="Where benchmarks are."
)
@click.option("--only", default="", help="Only files with this in their name.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(folder: Path, only: str, as_json: bool) -> None:
    """Measure every stage. Run it on a machine that does nothing else."""
    cv2.setNumThreads(1)
    paths = sorted(p for p in folder.glob("bench_*.py") if only in p.stem)
    if not paths:
        raise ConfigError(f"no benchmarks in {folder}: they belong to a checkout of the project")
    sys.path.insert(0, str(folder.resolve().parents[1]))  # benchmarks share stand-ins with the tests
    before = _yardstick()
    rows = [before]
    decode_ms = [before.median_ms]
    for path in paths:
        measured = list(_load(path)())
        after = _yardstick()
        rows += measured
        decode_ms += [(before.median_ms + after.median_ms) / 2] * len(measured)
        before = after
    if as_json:
        for row in rows:
            click.echo(json.dumps(asdict(row)))
    else:
        Console(width=None if sys.stdout.isatty() else 120).print(_table(rows, decode_ms))


def _load(path: Path) -> Callable[[], Iterator[Row]]:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rows: Any = module.rows
    return rows  # type: ignore[no-any-return]


def _yardstick() -> Row:
    noise = np.random.default_rng(1).normal(128, 12, (720, 1280, 3))
    picture = cv2.GaussianBlur(np.clip(noise, 0, 255).astype(np.uint8), (0, 0), 1.5)
    jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 85])[1]
    return measure("decode", "1280x720 JPEG", lambda: cv2.imdecode(jpeg, cv2.IMREAD_COLOR), 60)


def _table(rows: list[Row], decode_ms: list[float]) -> Table:
    """decode_ms: per row, what decoding took about then."""
    table = Table("stage", "on", "median ms", "p95 ms", "x decode", "limit ms", "")
    for column in table.columns[2:6]:
        column.justify = "right"
    for row, yardstick_ms in zip(rows, decode_ms, strict=True):
        if row.skipped:
            table.add_row(row.stage, f"skipped: {row.skipped}", "", "", "", "", "")
            continue
        limit = "" if row.limit_ms is None else f"{row.limit_ms:.0f}"
        verdict = "" if row.limit_ms is None else "over" if row.missed else "ok"
        times = f"{row.median_ms:.2f}", f"{row.p95_ms:.2f}", f"{row.median_ms / yardstick_ms:.1f}"
        table.add_row(row.stage, row.what, *times, limit, verdict)
    return table


def _timed(step: Callable[[], object]) -> float:
    began = time.perf_counter()
    step()
    return 1000 * (time.perf_counter() - began)

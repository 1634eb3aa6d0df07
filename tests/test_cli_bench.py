"""The benchmark runner: one table, each row beside its limit."""

import json
from pathlib import Path

from click.testing import CliRunner

from referee.cli import group

ROWS = """
from referee.cli.bench import skip, summary
def rows():
    yield summary("quick", "a thing", [1.0, 2.0, 9.0], 5.0)
    yield summary("slow", "a thing", [7.0], 5.0)
    yield skip("absent", "no such data here")
"""


def test_every_row_is_told_with_its_median_and_its_limit(tmp_path: Path) -> None:
    folder = tmp_path / "tests" / "bench"
    folder.mkdir(parents=True)
    (folder / "bench_things.py").write_text(ROWS)
    told = CliRunner().invoke(group, ["bench", "--from", str(folder), "--json"])
    rows = {row["stage"]: row for row in map(json.loads, told.stdout.splitlines())}
    assert rows["quick"]["median_ms"] == 2.0 and rows["quick"]["p95_ms"] == 9.0
    assert rows["decode"]["median_ms"] > 0 and rows["absent"]["skipped"] == "no such data here"
    shown = CliRunner().invoke(group, ["bench", "--from", str(folder)]).stdout
    (quick,) = [line for line in shown.splitlines() if "quick" in line]
    (slow,) = [line for line in shown.splitlines() if "slow" in line]
    assert "ok" in quick and "over" in slow and "skipped: no such data here" in shown


def test_a_folder_without_benchmarks_is_told(tmp_path: Path) -> None:
    told = CliRunner().invoke(group, ["bench", "--from", str(tmp_path)])
    assert told.exit_code == 1 and "no benchmarks in" in told.stderr

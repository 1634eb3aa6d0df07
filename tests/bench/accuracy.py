"""How near the eye comes to what pictures allow, and what each of its ingredients is worth.

`make bench-accuracy` draws the pictures itself, and reads others' scenes besides whose truth is known, where
there are any.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.bench import ablation, limit, pairs
from tests.bench.figures import PAIRS, scored, table

OF_PAIRS = ("found", "wrong", "unsure", "width_rms_mm", "z_rms")
OF_SCENES = (
    "recall",
    "extra_discs",
    "id_right",
    "id_wrong",
    "state_right",
    "centre_rms_mm",
    "covers_right",
    "confidently_wrong_count",
    "exact_scenes",
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench-accuracy", description=__doc__)
    parser.add_argument("folder", type=Path, help="may hold data/poc (scenes, pieces) and tools")
    parser.add_argument("--alone", type=int, default=12, help="pictures of coasters that touch nothing")
    parser.add_argument(
        "--pairs", type=int, default=1000, help="pictures of three near ties to draw and read"
    )
    parser.add_argument(
        "--without", type=int, default=60, help="of these, pictures to read without each ingredient"
    )
    asked = parser.parse_args()
    if asked.alone:
        alone(limit.rows(asked.alone))
    if asked.pairs:
        table("Near ties", PAIRS, pairs.scores(pairs.swept(asked.pairs), asked.pairs))
    if asked.without:
        rows = [
            _picked(pairs.scores(told, asked.without), OF_PAIRS) for told in ablation.of_pairs(asked.without)
        ]
        without(f"{3 * asked.without} near ties without", OF_PAIRS, rows)
        poc, scorer = asked.folder / "data" / "poc", asked.folder / "tools" / "score_scenes.py"
        if scorer.exists() and (poc / "scenes").exists():
            without("Scenes of a set without markers, without", OF_SCENES, of_scenes(poc, scorer))
        else:
            print(f"\nno scenes were read without an ingredient: none lie in {asked.folder}")
    return 0


def alone(rows: Sequence[dict[str, Any]]) -> None:
    heads = [key.replace("_", " ") for key in rows[0]]
    print(f"\n### A coaster on its own\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row in rows:
        print(f"| {' | '.join('–' if v is None else str(v) for v in row.values())} |", flush=True)


def of_scenes(poc: Path, scorer: Path) -> list[list[Any]]:
    pictures = sorted((poc / "scenes").glob("*.jpg"))
    with tempfile.TemporaryDirectory() as scratch:
        setup = poc / "scenes" / "setup"
        folders = ablation.of_scenes(pictures, setup, poc / "pieces", Path(scratch))
        return [_picked(scored(scorer, poc / "scenes", folder), OF_SCENES) for folder in folders]


def _picked(scores: dict[str, Any], keys: Sequence[str]) -> list[Any]:
    return [scores[key] for key in keys]


def without(title: str, keys: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    heads = [key.replace("_", " ") for key in keys]
    print(f"\n### {title}\n\n| | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}")
    for off, row in zip(ablation.INGREDIENTS, rows, strict=True):
        print(f"| {off.what} | {' | '.join('–' if v is None else f'{v:g}' for v in row)} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())

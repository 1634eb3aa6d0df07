"""How well the eye reads: `make figures` prints the tables of docs/figures.md.

It reads pictures and clips whose truth is known with the `referee` command, has the readings scored, and
holds the scores against what is aimed at. The scenes and clips, and the programs that score readings, are
no part of the project: they lie in a folder of their own, data/poc and tools.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench import pairs

CHECKOUT = Path(__file__).parents[2]
REFEREE = Path(sys.executable).with_name("referee")


@dataclass(frozen=True)
class Figure:
    """One number of a scorer's answer, what it means, and what is aimed at."""

    key: str
    what: str
    least: float | None = None
    most: float | None = None

    def row(self, scores: dict[str, Any]) -> str:
        value = scores[self.key]
        aim = (
            f"≥ {self.least:g}"
            if self.least is not None
            else f"≤ {self.most:g}"
            if self.most is not None
            else ""
        )
        missed = value is None or (
            (self.least is not None and value < self.least) or (self.most is not None and value > self.most)
        )
        shown = "–" if value is None else f"{value:g}"
        return f"| {self.what} | {f'**{shown}**' if aim and missed else shown} | {aim} |"


SIZE = (Figure("scenes", "pictures"), Figure("visible_discs", "coasters of which a quarter is seen or more"))
READ = (
    Figure("extra_discs", "coasters that are none"),
    Figure("face_right", "face right"),
    Figure("centre_rms_mm", "centre, RMS error in mm"),
    Figure("centre_p95_mm", "centre, 95 % within, mm"),
    Figure("within_2_sigma", "centres within 2 sigma (0.95 for an honest one)"),
    Figure("covers", "pairs that cover"),
    Figure("covers_right", "of these ruled, and the right one on top", least=0.80),
    Figure("order_wrong", "the wrong one on top"),
    Figure("false_covers", "covering seen where there is none"),
    Figure("unsure", "covering left to people"),
    Figure("width_rms_mm", "covered width, RMS error in mm"),
    Figure("confidently_wrong", "verdicts that are wrong and sure", most=0.04),
    Figure("exact_scenes", "pictures read without any fault"),
    Figure("median_ms", "one picture, median ms", most=400),
)
STOCK = (
    *SIZE,
    Figure("recall", "found", least=0.93),
    Figure("id_right", "named rightly", least=0.92),
    Figure("id_wrong", "named wrongly", most=0.02),
    Figure("state_right", "on the table, in, on or against the box: right", least=0.90),
    *READ,
)
PRINTED = (
    *SIZE,
    Figure("recall", "found"),
    Figure("id_right", "named rightly", least=0.99),
    Figure("id_wrong", "named wrongly", most=0),
    Figure("state_right", "on the table, in, on or against the box: right"),
    *READ,
)
PAIRS = (
    Figure("pairs", "pairs drawn, from a gap of 10 mm to an overlap of 10 mm"),
    Figure("near", "of these nearer to touching than 0.5 mm"),
    Figure("found", "pairs of which both coasters are found"),
    Figure("wrong", "verdicts that are wrong and sure", most=0.003),
    Figure("unsure", "left to people", most=0.08),
    Figure("unsure_far", "of these further from touching than 2 mm"),
    Figure("width_rms_mm", "overlap or gap, RMS error in mm"),
    Figure("width_p95_mm", "the same, 95 % within, mm"),
    Figure("z_rms", "the same in sigmas, RMS (1 for an honest one)"),
    Figure("within_95", "within 1.96 sigma (0.95 for an honest one)", least=0.93),
    Figure("beyond_3_sigma", "beyond 3 sigma"),
    Figure(
        "places_within_95", "coasters within 2.45 sigma of their place (0.95 for an honest one)", least=0.93
    ),
)
CLIPS = (
    Figure("clips", "clips"),
    Figure("throws", "throws"),
    Figure("seen", "throws seen"),
    Figure("extra", "throws that were none", most=0),
    Figure("coaster_right", "coaster named rightly"),
    Figure("coaster_wrong", "coaster named wrongly"),
    Figure("flip_right", "half turn told rightly"),
    Figure("flip_wrong", "half turn told wrongly"),
    Figure("flip_unsure", "half turn left to people"),
    Figure("contacts", "contacts of what was thrown"),
    Figure("contacts_right", "of these right"),
    Figure("contacts_wrong", "of these wrong"),
    Figure("median_lag_s", "from the hand's leaving to the ruling, median s", most=1),
    Figure("p95_lag_s", "the same, 95 % within, s"),
    Figure("times_real_time", "pictures read, times real time", least=1),
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make figures", description=__doc__)
    parser.add_argument("folder", type=Path, help="holds data/poc (scenes, clips, pieces) and tools")
    parser.add_argument("--pairs", type=int, default=100, help="pictures of near ties to draw and read")
    asked = parser.parse_args()
    folder: Path = asked.folder
    poc, tools = folder / "data" / "poc", folder / "tools"
    wanted = (
        poc / "scenes",
        poc / "clips",
        poc / "pieces",
        tools / "score_scenes.py",
        tools / "score_clips.py",
    )
    if absent := [str(path) for path in wanted if not path.exists()]:
        print(
            f"nothing was measured: {', '.join(absent)} can't be found; "
            "name the folder that holds them: make figures DATA=FOLDER",
            file=sys.stderr,
        )
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch)
        setup = ("--layout", poc / "scenes" / "setup", "--camera", poc / "scenes" / "setup")
        inspect(poc / "scenes", out / "scenes", *setup, "--pieces", poc / "pieces")
        table(
            "Scenes of a set without markers",
            STOCK,
            scored(tools / "score_scenes.py", poc / "scenes", out / "scenes"),
        )
        frames = CHECKOUT / "fixtures" / "frames"
        inspect(frames, out / "frames", "--layout", frames / "setup", "--camera", frames / "setup")
        table("Scenes of the printed set", PRINTED, scored(tools / "score_scenes.py", frames, out / "frames"))
        if asked.pairs:
            table("Near ties", PAIRS, pairs.scores(pairs.swept(asked.pairs), asked.pairs))
        replay(poc / "clips", out / "clips", poc / "pieces")
        table("Clips", CLIPS, scored(tools / "score_clips.py", poc / "clips", out / "clips"))
    return 0


def inspect(pictures: Path, out: Path, *options: str | Path) -> None:
    """A picture that can't be read is told on standard error, and counts as one in which nothing was seen."""
    subprocess.run([REFEREE, "inspect", pictures, "--out", out, "--json", *options], check=False)


def replay(clips: Path, out: Path, pieces: Path) -> None:
    out.mkdir()
    for clip in sorted(clips.glob("*.mp4")):
        setup = ("--layout", clips / "setup", "--camera", clips / "setup", "--pieces", pieces)
        with (out / f"{clip.stem}.jsonl").open("w", encoding="utf-8") as lines:
            subprocess.run([REFEREE, "replay", clip, "--json", *setup], stdout=lines, check=False)


def scored(scorer: Path, truth: Path, readings: Path) -> dict[str, Any]:
    told = subprocess.run(
        [sys.executable, scorer, truth, readings, "--json"], check=True, capture_output=True, text=True
    )
    scores: dict[str, Any] = json.loads(told.stdout)
    return scores


def table(title: str, figures: tuple[Figure, ...], scores: dict[str, Any]) -> None:
    print(f"\n### {title}\n\n| | measured | aim |\n|---|---|---|")
    print("\n".join(figure.row(scores) for figure in figures), flush=True)


if __name__ == "__main__":
    sys.exit(main())

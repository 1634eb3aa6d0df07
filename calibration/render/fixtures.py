"""Draws the fixtures and keeps the list of all of them: `python -m calibration.render.fixtures fixtures`.

Scenes and clip are the same for the same program and seeds. The list, MANIFEST.toml, names every file under
the folder with its source, its licence and its sha256. What is drawn here is described here; other files keep
what the list says of them, and one that it doesn't know is taken to be written by hand for this project.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tomllib
from dataclasses import replace
from pathlib import Path

import cv2
import tomli_w

from calibration.render.arrange import Spec, deal
from calibration.render.demo import write_clip
from calibration.render.draw import shoot
from calibration.render.film import film_truth
from calibration.render.match import PLAYS, demo_reel
from calibration.render.scene import Surface
from calibration.render.truth import scene_truth, setup_json
from referee import demo
from referee.formats import PieceSet, load_pieces

MANIFEST = "MANIFEST.toml"
HD, SMALL = (1920, 1080), (1280, 720)
SCENES: tuple[tuple[str, int, tuple[int, int], float, str], ...] = (
    ("singles", 1, SMALL, 0.0, "cloth"),
    ("singles", 2, HD, 50.0, "stone"),
    ("knife", 1, HD, 12.0, "wood"),
    ("knife", 2, HD, 38.0, "check"),
    ("knife", 3, SMALL, 28.0, "cloth"),
    ("pile", 1, HD, 30.0, "wood"),
    ("pile", 2, SMALL, 45.0, "stone"),
    ("box", 1, HD, 25.0, "check"),
    ("box", 2, SMALL, 35.0, "wood"),
    ("lid", 1, HD, 20.0, "cloth"),
    ("tramp", 1, SMALL, 40.0, "wood"),
)
"""Kind, seed, size, tilt and table of every scene."""
_CLIP_SEED = 7
_CLIP_PLAYS = 4
_DRAWN = {"source": "drawn by calibration.render", "licence": "MIT"}
_WRITTEN = {"source": "written by hand for this project", "licence": "MIT"}


def draw(folder: Path) -> None:
    """Draws frames (picture, truth, set-up) and the clip into `folder`, and lists all that is there."""
    pieces = load_pieces(demo.PIECES)
    for kind, seed, size, tilt_deg, surface in SCENES:
        _draw_scene(folder / "frames", Spec(kind, pieces, size, tilt_deg, surface), seed)
    _draw_clip(folder / "clips", pieces)
    record(folder)


def _draw_scene(folder: Path, spec: Spec, seed: int) -> None:
    scene = deal(spec, seed)
    name = f"{spec.kind}_{seed}"
    (folder / "setup").mkdir(parents=True, exist_ok=True)
    quality = [cv2.IMWRITE_JPEG_QUALITY, scene.develop.jpeg_quality]
    cv2.imwrite(str(folder / f"{name}.jpg"), shoot(scene, seed), quality)
    _write_json(folder / f"{name}.json", scene_truth(scene, f"{name}.jpg", spec.kind))
    _write_json(folder / "setup" / f"{name}.json", setup_json(scene))


def _draw_clip(folder: Path, pieces: PieceSet) -> None:
    """The first throws of the match on another table, thrown and turned otherwise."""
    reel = demo_reel(pieces, PLAYS[:_CLIP_PLAYS], _CLIP_SEED)
    reel = replace(reel, scene=replace(reel.scene, surface=Surface("wood", 6)))
    (folder / "setup").mkdir(parents=True, exist_ok=True)
    _write_json(folder / "throws.json", film_truth(reel, "throws.mp4"))
    _write_json(folder / "setup" / "throws.json", setup_json(reel.scene))
    write_clip(reel, folder / "throws.mp4", _CLIP_SEED)


def record(folder: Path) -> None:
    """Writes MANIFEST.toml anew from the files that are there."""
    path = folder / MANIFEST
    known = {f["path"]: f for f in tomllib.loads(path.read_text("utf-8"))["file"]} if path.is_file() else {}
    files = []
    for file in sorted(p for p in folder.rglob("*") if p.is_file() and p != path):
        name = file.relative_to(folder).as_posix()
        told = _DRAWN if name.startswith(("frames/", "clips/")) else known.get(name, _WRITTEN)
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        files.append({"path": name, "source": told["source"], "licence": told["licence"], "sha256": digest})
    head = (
        "# Every file under fixtures/. Frames and clips are drawn again, and this list is written again, by\n"
        "#   python -m calibration.render.fixtures fixtures\n"
        "# and the list alone, after any other file has changed, by\n"
        "#   python -m calibration.render.fixtures fixtures --list-only\n\n"
    )
    path.write_text(head + tomli_w.dumps({"file": files}), encoding="utf-8")


def _write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m calibration.render.fixtures", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--list-only", action="store_true", help="only write MANIFEST.toml anew")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    (record if asked.list_only else draw)(asked.folder)


if __name__ == "__main__":
    main()

"""Makes the demonstration: the clip of a match, what it is seen with, and what should be said of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import tomli_w

from calibration.art import write_piece_set
from calibration.render.film import Reel, film_truth, frames
from calibration.render.match import MODE, PLAYERS, PLAYS, Play, demo_reel, expected_text
from calibration.render.truth import camera_json, layout_of
from referee.errors import ConfigError
from referee.formats import load_pieces

_SEED = 1


def make_demo(
    out_dir: Path, plays: tuple[Play, ...] = PLAYS, progress: Callable[[int, int], None] | None = None
) -> None:
    """Fills `out_dir`: clip.mp4, layout.json, camera.json, match.toml, pieces, truth.json, expected.txt.

    `progress` is told the number of frames drawn and of all frames. The clip appears only when it is
    whole. Raises ConfigError where the folder can't be written to.
    """
    try:
        _make(out_dir, plays, progress)
    except OSError as error:
        raise ConfigError(f"{error.filename or out_dir} can't be written: {error.strerror}") from error


def _make(out_dir: Path, plays: tuple[Play, ...], progress: Callable[[int, int], None] | None) -> None:
    pieces_dir = out_dir / "pieces"
    write_piece_set(pieces_dir)
    reel = demo_reel(load_pieces(pieces_dir), plays, _SEED)
    _write_json(out_dir / "layout.json", layout_of(reel.scene))
    _write_json(out_dir / "camera.json", camera_json(reel.scene.view))
    told = {"game": "poc", "players": PLAYERS, "options": {"mode": MODE}}
    (out_dir / "match.toml").write_text(tomli_w.dumps(told), encoding="utf-8")
    (out_dir / "expected.txt").write_text(expected_text(plays), encoding="utf-8")
    _write_json(out_dir / "truth.json", film_truth(reel, "clip.mp4"))
    write_clip(reel, out_dir / "clip.mp4", _SEED, progress)


def write_clip(reel: Reel, path: Path, seed: int, progress: Callable[[int, int], None] | None = None) -> None:
    """Films the reel into an MP4 file that OpenCV reads everywhere (MPEG-4 part 2)."""
    draft = path.with_name("drawing-" + path.name)
    fourcc = cv2.VideoWriter.fourcc(*"mp4v")
    writer = cv2.VideoWriter(str(draft), fourcc, reel.fps, reel.scene.view.camera.size)
    if not writer.isOpened():
        raise ConfigError(f"OpenCV can't write {draft}: is the folder there, and may it be written to?")
    total = reel.first_frames[-1]
    try:
        for number, picture in enumerate(frames(reel, seed), 1):
            writer.write(picture)
            if progress is not None:
                progress(number, total)
    finally:
        writer.release()
    draft.replace(path)


def _write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")

"""What the user named — table, camera, pieces, source — put together into what the eye needs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from referee import demo
from referee.config import Config
from referee.evidence import Store
from referee.formats import load_camera, load_layout, load_pieces
from referee.vision import pipeline
from referee.vision.pipeline import Sights
from referee.vision.process.worker import Job


def sights(
    layout: Path | None, camera: Path | None, pieces: Path | None, picture: Path, config: Config
) -> Sights:
    """Read the three; a folder given for layout or camera means the file in it named after `picture`.

    Raises CalibrationError or ConfigError: what is wrong in which file.
    """
    return Sights(
        load_layout(own_file(layout, picture) if layout else demo.LAYOUT),
        load_camera(own_file(camera, picture)) if camera else None,
        load_pieces(pieces or demo.PIECES),
        config.eye,
    )


def job(source: str, seen: Sights, data: Path, config: Config) -> Job:
    """The seeing process's instructions."""
    sourcing = config.source
    if sourcing.size_px is None and seen.camera is not None:
        sourcing = replace(sourcing, size_px=seen.camera.size)
    return Job(
        source,
        partial(pipeline.open_eye, seen),
        pipeline.see,
        Store(data / "evidence"),
        sourcing=sourcing,
        settings=config.worker,
    )


def own_file(path: Path, picture: Path) -> Path:
    return path / f"{picture.stem}.json" if path.is_dir() else path

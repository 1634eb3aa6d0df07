"""What the eye says of one frame. The worker turns it into messages and files."""

from __future__ import annotations

from dataclasses import dataclass

from referee.facts import Scene
from referee.vision.messages import Gate, Mark


@dataclass(frozen=True)
class Shot:
    """An evidence picture or clip that is not on disk yet."""

    content: bytes
    kind: str = "jpg"
    """jpg, mp4 or webm."""
    tracks: tuple[int, ...] = ()
    """The pieces that it was cut for; empty for the whole table."""


@dataclass(frozen=True)
class Outcome:
    gate: Gate
    marks: tuple[Mark, ...] = ()
    markers: tuple[int, ...] = ()
    residual_px: float | None = None
    trouble: str = ""
    """One sentence for people when something is wrong: what, and what to do."""
    scene: Scene | None = None
    """The table at rest, told once; its pictures are the `shots`, which the worker stores and names."""
    shots: tuple[Shot, ...] = ()
    stage_ms: tuple[tuple[str, float], ...] = ()
    """What each stage took, where it ran."""

"""What the seeing process says to the session. Plain values: they cross a process boundary."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from referee.facts import Scene


class Gate(Enum):
    """What the table is doing."""

    MOVING = "moving"
    """Something moves: a hand, a flying piece."""
    SETTLING = "settling"
    """Nothing has moved for a moment; not yet long enough."""
    STILL = "still"
    BLIND = "blind"
    """The table can't be seen: markers hidden, picture dark or frozen, camera knocked."""


@dataclass(frozen=True)
class Mark:
    """An outline over the preview. Points are shares of the picture's width and height, 0 to 1."""

    track: int
    label: str
    outline: tuple[tuple[float, float], ...]
    sure: bool


@dataclass(frozen=True)
class Preview:
    """The newest picture, plain, with the outlines to draw over it."""

    frame: int
    t_s: float
    gate: Gate
    jpeg: bytes
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Saw:
    """The table came to rest. The evidence pictures that the scene names are on disk already."""

    scene: Scene


@dataclass(frozen=True)
class Health:
    """How the seeing goes, about once a second."""

    source: str
    t_s: float
    fps: float
    """Frames a second that the source gives, dropped ones included; 0 while nobody knows. How many the eye
    has seen is told by `frames` and `dropped`."""
    frames: int
    dropped: int
    """Frames that came while a newer one was wanted."""
    corrupt: int
    """Frames that could not be decoded."""
    size_px: tuple[int, int]
    gate: Gate
    markers: tuple[int, ...]
    residual_px: float | None
    """Reprojection RMS of the marker corners; None while the table is not found."""
    trouble: str = ""
    """One sentence for people when something is wrong: what, and what to do."""
    stage_ms: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Ended:
    """The source has come to its end (a clip) or has failed for good (`error` says how)."""

    frames: int
    dropped: int
    error: str = ""


@dataclass(frozen=True)
class Opened:
    """A seeing process begins. What comes after is what it sees, and no other one before it."""


@dataclass(frozen=True)
class Notice:
    """One sentence for people about the seeing itself: it was restarted, the camera is looked for again."""

    text: str


Message = Preview | Saw | Health | Ended

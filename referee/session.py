"""The one place where the halves meet: scenes in, events on disk, snapshots out. The only writer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from referee.rules.match import Match
from referee.vision.messages import Health, Preview


@dataclass(frozen=True)
class Answer:
    """Choose a story of the open question. `asked` is its seq: a stale button is refused."""

    asked: int
    option: int


@dataclass(frozen=True)
class Dismiss:
    """Nothing happened: close the open question."""

    asked: int
    reason: str


@dataclass(frozen=True)
class Declare:
    """A lawful move that people declare. `seen` is the length of the log that the sender saw."""

    move: Any
    seen: int


@dataclass(frozen=True)
class Retract:
    seq: int
    reason: str
    seen: int


@dataclass(frozen=True)
class Amend:
    """Put the alternative number `option` (of Game.alternatives) in the place of ruling `seq`."""

    seq: int
    option: int
    reason: str
    seen: int


@dataclass(frozen=True)
class Uphold:
    seq: int
    reason: str
    seen: int


Request = Answer | Dismiss | Declare | Retract | Amend | Uphold


@dataclass(frozen=True)
class Snapshot:
    """What a web thread may show. One slot, newest wins."""

    version: int
    """Grows with every change of anything below."""
    match_id: str | None
    match: Match[Any] | None
    preview: Preview | None
    health: Health | None
    seen_at_s: float | None = None
    """time.monotonic() of this process when `preview` came: what is shown is as old as that."""
    notice: str = ""
    """One sentence for people: the camera was knocked, the worker was restarted."""

"""What the session lets others see: the match as it is, and as it would be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from referee.rules.game import Score
from referee.rules.match import Line, Match
from referee.vision.messages import Ended, Health, Preview


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
    ended: Ended | None = None
    """Set while the source is at its end: no picture will come until it is opened again."""


@dataclass(frozen=True)
class Effect:
    """What a request would do, before it is confirmed."""

    before: tuple[Score, ...]
    after: tuple[Score, ...]
    fouls: tuple[Line, ...]
    """Later rulings that would become fouls."""
    match: Match[Any]
    """The match as it would be."""

"""What looks at a match: its camera, and the files that say what the camera sees."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Place:
    """As words of the command line, with whole paths; empty where the usual one serves.

    The log keeps it beside a match's events, so that the match can be gone on with at the same table. It
    is no event: it changes no ruling, and no page, list or file shows it, for an address may hold a password.
    """

    source: str = field(default="", repr=False)
    layout: str = ""
    camera: str = ""
    pieces: str = ""
    settings: str = ""

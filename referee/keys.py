"""Names that people write into files and on the command line."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable

from referee.errors import ConfigError

LONGEST_NAME = 40
LONGEST_REASON = 200

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that turn the order in which what follows is read, out of the name and into the page."""


def tidy(text: str, most: int = LONGEST_NAME) -> str:
    """What a person typed, on one line, at most so long; empty when nothing of it could be seen.

    Composed, so that a name is the same however it was typed, and without control characters and halves
    of characters, which no log, page or terminal can hold.
    """
    seen = "".join(
        " " if c.isspace() else c
        for c in unicodedata.normalize("NFC", text)
        if c.isspace() or (unicodedata.category(c) not in ("Cc", "Cs") and c not in _BIDI)
    )
    line = " ".join(seen.split())[:most].strip()
    return line if any(unicodedata.category(c)[0] not in "CZM" for c in line) else ""


def require_known(key: str, known: Iterable[str], what: str) -> None:
    """Raises ConfigError for a key that is none of `known`, with the one that was probably meant."""
    names = sorted(known)
    if key in names:
        return
    near = difflib.get_close_matches(key, names, 1, 0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
    raise ConfigError(f"{key!r} is no {what}: {hint}")

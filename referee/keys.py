"""Names that people write into files and on the command line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from referee.errors import ConfigError


def require_known(key: str, known: Iterable[str], what: str) -> None:
    """Raises ConfigError for a key that is none of `known`, with the one that was probably meant."""
    names = sorted(known)
    if key in names:
        return
    near = difflib.get_close_matches(key, names, 1, 0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
    raise ConfigError(f"{key!r} is no {what}: {hint}")

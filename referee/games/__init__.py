"""Games, found by looking: each folder here exposes GAME."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from referee.errors import UnknownGame
from referee.rules.game import Game


def names() -> tuple[str, ...]:
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__) if m.ispkg))


def load(name: str) -> Game[Any, Any]:
    """The game of that name. Raises UnknownGame."""
    if name not in names():
        raise UnknownGame(f"no game is called {name!r}; there are {', '.join(names())}")
    game: Game[Any, Any] = importlib.import_module(f"{__name__}.{name}").GAME
    return game

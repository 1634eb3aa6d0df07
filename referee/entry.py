"""One value of a file that people write, and where it stands there, so that it can be told what is wrong."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from math import isfinite
from typing import Any

LONGEST = 60
"""Characters of a value that a message shows."""


class Misfit(ValueError):
    """A value is not what belongs in its place; the message says which one, and what it must be."""

    def __init__(self, said: str, way: str = "") -> None:
        super().__init__(f"{way} {said}" if way else said)
        self._said, self._way = said, way

    def inside(self, key: int | str) -> Misfit:
        """The same, told from one level further out."""
        inner = f".{self._way}" if self._way and not self._way.startswith("[") else self._way
        return Misfit(self._said, f"{_step(key)}{inner}")


@dataclass(frozen=True)
class Entry:
    """`value` as it was parsed, and the way to it: `box.height_mm`, `pieces[3].id`; empty for a whole file.

    Every method raises Misfit when the value is of another kind.
    """

    value: Any
    way: str = ""

    def number(self) -> float:
        """A finite number; true and false are none."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.misfit("a number")
        if not _finite(self.value):
            raise self.misfit("a finite number")
        return float(self.value)

    def positive(self) -> float:
        if (number := self.number()) <= 0:
            raise self.misfit("a positive number")
        return number

    def whole(self) -> int:
        if not (number := self.number()).is_integer():
            raise self.misfit("a whole number")
        return int(number)

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.misfit("a text")
        return self.value

    def word(self) -> str:
        """A text that is not empty."""
        if not isinstance(self.value, str) or not self.value:
            raise self.misfit("a word")
        return self.value

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.misfit("true or false")
        return self.value

    def one_of(self, known: Collection[str]) -> str:
        if not isinstance(self.value, str) or self.value not in known:
            raise self.misfit(f"one of {', '.join(known)}")
        return self.value

    def point(self) -> tuple[float, float]:
        x, y = self.each(2, "a point, two numbers [x, y]")
        return x.number(), y.number()

    def each(self, count: int | None = None, wanted: str = "a list") -> tuple[Entry, ...]:
        """The entries of a list, of `count` values if that is given."""
        if not isinstance(self.value, list) or count not in (None, len(self.value)):
            raise self.misfit(wanted)
        return tuple(Entry(v, f"{self.way}[{n}]") for n, v in enumerate(self.value))

    def table(self) -> dict[str, Entry]:
        """The entries of an object, by key."""
        if not isinstance(self.value, dict):
            raise self.misfit("an object, { … }")
        return {key: Entry(value, self._way_to(key)) for key, value in self.value.items()}

    def at(self, key: str) -> Entry:
        """What the object must have under `key`."""
        if (found := self.table().get(key)) is None:
            raise Misfit("is missing", self._way_to(key))
        return found

    def get(self, key: str) -> Entry | None:
        """What the object may have under `key`; null means that it hasn't."""
        found = self.table().get(key)
        return None if found is None or found.value is None else found

    def misfit(self, wanted: str) -> Misfit:
        return Misfit(f"must be {wanted}, not {shown(self.value)}", self.way)

    def _way_to(self, key: str) -> str:
        return f"{self.way}.{_step(key)}" if self.way else _step(key)


def shown(value: Any) -> str:
    """A value as its file has it, on one line, cut short when it is long."""
    text = repr(value) if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _step(key: int | str) -> str:
    if isinstance(key, int):
        return f"[{key}]"
    return key if key.isprintable() and len(key) <= LONGEST else shown(key)


def _finite(number: int | float) -> bool:
    try:
        return isfinite(number)
    except OverflowError:
        return False

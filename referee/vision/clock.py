"""What each stage of the eye took."""

from __future__ import annotations

from time import perf_counter


class Clock:
    """Laps in milliseconds, from the moment it is made."""

    def __init__(self) -> None:
        self.laps: tuple[tuple[str, float], ...] = ()
        self._last = perf_counter()

    def lap(self, name: str) -> None:
        now = perf_counter()
        self.laps = (*self.laps, (name, 1000 * (now - self._last)))
        self._last = now

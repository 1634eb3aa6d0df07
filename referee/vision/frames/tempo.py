"""When a frame was taken, from when it came: networks and busy machines delay frames, cameras keep time.

A delay only ever makes a frame late, so that the frames that come soonest tell the tempo.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class Settings:
    frames: int = 64
    """The tempo is the mean over so many frames."""
    least_frames: int = 12
    """Before so many have come, each is taken for punctual."""
    follow: float = 0.1
    """Share of its lateness by which a late frame moves the beat: drift is followed, a hiccup is not."""
    least_gap_s: float = 0.002
    """Frames that come in a burst are set apart by this."""
    lost_s: float = 0.5
    """A frame that is off by more begins a new tempo: the stream has paused."""


class Tempo:
    """Follows one stream of frames."""

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or Settings()
        self._came: deque[float] = deque(maxlen=self._settings.frames)
        self._last_s = -inf

    def taken_s(self, came_s: float) -> float:
        """When the frame was taken that came at `came_s`. Each is later than the one before."""
        s = self._settings
        if self._came and came_s - self._came[-1] > s.lost_s:
            self._came.clear()
        self._came.append(came_s)
        taken_s = max(came_s, self._last_s + s.least_gap_s)
        if len(self._came) >= s.least_frames:
            beat_s = self._last_s + (self._came[-1] - self._came[0]) / (len(self._came) - 1)
            if 0 < came_s - beat_s <= s.lost_s:
                taken_s = beat_s + s.follow * (came_s - beat_s)
        self._last_s = taken_s
        return taken_s

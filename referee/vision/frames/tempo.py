"""When a frame was taken, from when it came: networks and busy machines delay frames, cameras keep time.

A delay only ever makes a frame late, so that the frames that come soonest tell the tempo. A camera that says
itself when it took a frame is believed.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import inf

BELIEVED_S = 10.0
"""A camera's clock may differ by so much from when its frames come; more is no delay but another clock."""


class Stamps:
    """A camera's own clock, which begins anywhere, put to ours; for one connection."""

    def __init__(self) -> None:
        self._offset_s: float | None = None
        self._newest_s = -inf
        self._believed = True

    def came_s(self, stamp_s: float | None, came_s: float) -> float:
        """When a frame with that stamp would have come without delay. A clock that stands still or jumps,
        or counts no seconds, is not believed any more: then, as without a stamp, `came_s`."""
        if stamp_s is None or not self._believed:
            return came_s
        if self._offset_s is None:
            self._offset_s = came_s - stamp_s
        taken_s = stamp_s + self._offset_s
        self._believed = stamp_s > self._newest_s and abs(taken_s - came_s) < BELIEVED_S
        self._newest_s = stamp_s
        return taken_s if self._believed else came_s


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

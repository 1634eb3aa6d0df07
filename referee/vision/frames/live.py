"""Sources that don't wait: a thread takes what comes.

Frames that come while the eye reads a table wait for it, for a second or two: a throw must not be lost to
the reading before it, and the eye catches up many times faster than frames come. When more wait than may,
all give way to the newest, so that no delay can grow.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from threading import Condition, Event, Thread

import cv2
import numpy as np
from cv2_enumerate_cameras import CameraInfo, enumerate_cameras

from referee.errors import CameraUnavailable
from referee.vision.frames.source import Frame, Losses, Pixels, Settings, decode, public, require_size
from referee.vision.frames.tempo import Tempo

Shots = Generator[tuple[float, Pixels | bytes], None, None]
"""Each frame as it comes: the monotonic clock, and the picture. Bytes are yet to be decoded, or corrupt."""


@dataclass(frozen=True, eq=False)
class _Shot:
    index: int
    t_s: float
    content: Pixels | bytes

    @property
    def size(self) -> int:
        return len(self.content) if isinstance(self.content, bytes) else self.content.nbytes


class Live:
    """A source that runs by itself."""

    def __init__(self, name: str, shoot: Callable[[Event], Shots], settings: Settings) -> None:
        """`shoot` opens the source and runs in a thread until the event that it is given is set."""
        self.name = name
        self._shoot = shoot
        self._settings = settings
        self._came = Condition()
        self._stop = Event()
        self._waiting: deque[_Shot] = deque()
        self._failure: Exception | None = None
        self._over = False
        self._losses = Losses()
        self._thread = Thread(target=self._run, name=f"source {name}", daemon=True)

    def frames(self) -> Iterator[Frame]:
        self._thread.start()
        patience_s, good_s = self._settings.open_s, time.monotonic()
        while (shot := self._take(patience_s)) is not None:
            bgr = decode(shot.content) if isinstance(shot.content, bytes) else shot.content
            if bgr is not None:
                yield Frame(shot.index, shot.t_s, require_size(bgr, self.name, self._settings))
                patience_s, good_s = self._settings.silent_s, time.monotonic()
                continue
            with self._came:
                self._losses += Losses(corrupt=1)
            if time.monotonic() - good_s > patience_s:
                raise CameraUnavailable(
                    f"{self.name} gives nothing but pictures that can't be decoded: restart it"
                )

    def losses(self) -> Losses:
        return self._losses

    def close(self) -> None:
        """The thread ends by itself: a driver that hangs must not hang the program."""
        self._stop.set()

    def _take(self, patience_s: float) -> _Shot | None:
        with self._came:
            there = self._came.wait_for(lambda: self._waiting or self._failure or self._over, patience_s)
            if self._waiting:
                return self._waiting.popleft()
            if self._failure is not None:
                raise self._failure
            if not there:
                raise CameraUnavailable(
                    f"{self.name} gave no picture for {patience_s:.0f} s: check that it is on and connected"
                )
            return None

    def _run(self) -> None:
        try:
            tempo = Tempo()
            with closing(self._shoot(self._stop)) as shots:
                for index, (came_s, content) in enumerate(shots):
                    if self._stop.is_set():
                        return
                    self._add(_Shot(index, tempo.taken_s(came_s), content))
        except Exception as error:  # handed to whoever asks for the next frame
            self._failure = error
        with self._came:
            self._over = True
            self._came.notify_all()

    def _add(self, shot: _Shot) -> None:
        settings = self._settings
        with self._came:
            size = shot.size + sum(s.size for s in self._waiting)
            late = bool(self._waiting) and shot.t_s - self._waiting[0].t_s > settings.backlog_s
            if late or size > settings.backlog_mb * 1e6:
                self._losses += Losses(dropped=len(self._waiting))
                self._waiting.clear()
            self._waiting.append(shot)
            self._came.notify_all()


def camera(text: str, settings: Settings) -> Live:
    """The camera of that number, or of that name or a part of it. Raises CameraUnavailable."""
    found = enumerate_cameras()
    if text.isdigit():
        name, index, backend = f"camera {text}", int(text), cv2.CAP_ANY
    else:
        chosen = [c for c in found if text.lower() in c.name.lower()]
        if not chosen:
            raise CameraUnavailable(f"no camera is called {text!r}: {_cameras(found)}")
        name, index, backend = chosen[0].name, chosen[0].index, chosen[0].backend
    options = [cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"), cv2.CAP_PROP_FPS, int(settings.fps)]
    if settings.size_px is not None:
        width, height = settings.size_px
        options += [cv2.CAP_PROP_FRAME_WIDTH, width, cv2.CAP_PROP_FRAME_HEIGHT, height]

    def shoot(stop: Event) -> Shots:
        video = cv2.VideoCapture(index, backend, options)
        if not video.isOpened():
            raise CameraUnavailable(f"no picture from {name}: {_cameras(found)}")
        yield from _read(video, stop)

    return Live(name, shoot, settings)


def stream(address: str, settings: Settings) -> Live:
    """A network camera that speaks RTSP."""
    shown = public(address)
    limit_ms = int(settings.open_s * 1000)
    options = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, limit_ms, cv2.CAP_PROP_READ_TIMEOUT_MSEC, limit_ms]

    def shoot(stop: Event) -> Shots:
        video = cv2.VideoCapture(address, cv2.CAP_FFMPEG, options)
        if not video.isOpened():
            raise CameraUnavailable(f"no video from {shown}: check the address, and that the camera is on")
        yield from _read(video, stop)

    return Live(shown, shoot, settings)


def _read(video: cv2.VideoCapture, stop: Event) -> Shots:
    try:
        while not stop.is_set():
            if not video.grab():
                raise CameraUnavailable(
                    "the camera has gone: plug it in again, or check its cable or network"
                )
            read, bgr = video.retrieve()
            yield time.monotonic(), np.asarray(bgr, np.uint8) if read else b""
    finally:
        video.release()


def _cameras(found: list[CameraInfo]) -> str:
    names = ", ".join(dict.fromkeys(f"{c.index % 100} ({c.name})" for c in found))
    return f"there are {names}" if names else "no camera is connected to this computer"

"""Frames, and the sources of them that are files: a clip, a folder of pictures. Live ones: `live`.

A source counts what it loses and never queues: a live one gives the newest frame, one read as fast as
possible gives every frame.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.errors import CameraUnavailable

Pixels = NDArray[np.uint8]

PICTURES = (".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff")


@dataclass(frozen=True)
class Settings:
    size_px: tuple[int, int] | None = None
    """Asked of a camera; it may give another."""
    fps: float = 30.0
    """Asked of a camera, and taken for pictures that carry no time of their own."""
    open_s: float = 3.0
    """Within this a live source gives its first frame, or is unavailable."""
    silent_s: float = 3.0
    """A live source that gives no frame for so long is lost."""
    backlog_s: float = 2.0
    """Frames of a live source may wait for so long while the eye is busy."""
    backlog_mb: float = 120.0
    """Nor may they take more memory than this: raw ones of 1280x720 are 2.8 MB each."""
    least_px: int = 64
    """A picture narrower or lower than this shows no table."""


DEFAULT = Settings()


@dataclass(frozen=True, eq=False)
class Frame:
    index: int
    """Counts every frame of the source, those that were dropped or corrupt included."""
    t_s: float
    """Live: the monotonic clock. Otherwise frame / fps."""
    bgr: Pixels
    """(H, W, 3) uint8."""


@dataclass(frozen=True)
class Losses:
    dropped: int = 0
    """Frames of a live source that nobody was ready for."""
    corrupt: int = 0
    """Frames that could not be decoded."""

    def __add__(self, other: Losses) -> Losses:
        return Losses(self.dropped + other.dropped, self.corrupt + other.corrupt)


class Source(Protocol):
    name: str

    def frames(self) -> Iterator[Frame]:
        """Every frame (or the newest, when live), until the end.

        Raises CameraUnavailable when a live source can't be opened or falls silent.
        """
        ...

    def losses(self) -> Losses: ...

    def close(self) -> None: ...


def public(text: str) -> str:
    """How a source is called before everybody: an address without its user, password and query."""
    scheme, separator, rest = text.partition("://")
    if not separator:
        return text
    where = rest.partition("?")[0].partition("#")[0]
    host, slash, path = where.rpartition("@")[2].partition("/")
    return f"{scheme}://{host}{slash}{path}"


class Clip:
    """A video file, every frame of it: as fast as it is asked for, or `paced` to come no sooner than live.

    A paced clip whose frames were asked for too late makes up for it: it loses time for a while, no frame.
    """

    def __init__(self, path: Path, settings: Settings = DEFAULT, *, paced: bool = False) -> None:
        self._paced = paced
        self.name = path.name
        self._settings = settings
        self._corrupt = 0
        self._video = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
        if not self._video.isOpened():
            raise CameraUnavailable(
                f"{path} is not a video that can be read: give a clip, such as an .mp4 file"
            )
        rate = self._video.get(cv2.CAP_PROP_FPS)
        self.fps = rate if math.isfinite(rate) and 1.0 <= rate <= 1000.0 else settings.fps

    def frames(self) -> Iterator[Frame]:
        total = int(self._video.get(cv2.CAP_PROP_FRAME_COUNT))
        index, began_s = 0, time.monotonic()
        while True:
            read, bgr = self._video.read()
            if read:
                if self._paced:
                    time.sleep(max(0.0, began_s + index / self.fps - time.monotonic()))
                yield Frame(index, index / self.fps, require_size(bgr, self.name, self._settings))
            elif index < total:
                self._corrupt += 1
            else:
                return
            index += 1

    def losses(self) -> Losses:
        return Losses(corrupt=self._corrupt)

    def close(self) -> None:
        self._video.release()


class Folder:
    """Pictures in the order of their names, as if taken at `Settings.fps`."""

    def __init__(self, path: Path, settings: Settings = DEFAULT) -> None:
        self.name = path.name
        self.fps = settings.fps
        self._settings = settings
        self._corrupt = 0
        self._paths = [path] if path.is_file() else pictures_in(path)

    def frames(self) -> Iterator[Frame]:
        for index, path in enumerate(self._paths):
            try:
                bgr = read_picture(path, self._settings)
            except CameraUnavailable:
                if len(self._paths) == 1:
                    raise
                self._corrupt += 1
                continue
            yield Frame(index, index / self.fps, bgr)

    def losses(self) -> Losses:
        return Losses(corrupt=self._corrupt)

    def close(self) -> None:
        """Nothing is held open."""


def pictures_in(folder: Path) -> list[Path]:
    """Raises CameraUnavailable when there is none."""
    paths = sorted(p for p in folder.iterdir() if p.suffix.lower() in PICTURES)
    if not paths:
        raise CameraUnavailable(f"no pictures in {folder}: give a folder of {', '.join(PICTURES)} files")
    return paths


def read_picture(path: Path, settings: Settings = DEFAULT) -> Pixels:
    """The picture in a file, (H, W, 3) uint8 BGR. Raises CameraUnavailable, in one sentence."""
    try:
        content = np.fromfile(path, np.uint8)
    except OSError as error:
        raise CameraUnavailable(f"{path} can't be read: {error.strerror}") from error
    bgr = decode(content.tobytes())
    if bgr is None:
        raise CameraUnavailable(f"{path} is not a picture that can be read: {_unreadable(content)}")
    return require_size(bgr, str(path), settings)


def _unreadable(content: Pixels) -> str:
    """Why `decode` has no picture of it, and what to do."""
    try:
        whole = content.size > 0 and cv2.imdecode(content, cv2.IMREAD_COLOR) is not None
    except cv2.error as error:
        if "MAX_IMAGE" in str(error):
            most = int(os.environ["OPENCV_IO_MAX_IMAGE_PIXELS"]) // 1_000_000
            return f"it has more than {most} million pixels; make it smaller"
        whole = False
    return "it is cut short; copy it anew" if whole else "it is no picture, or damaged"


def decode(content: bytes) -> Pixels | None:
    """An encoded picture to (H, W, 3) uint8 BGR; None when it is none, is cut short, or is too large."""
    if content.startswith(b"\xff\xd8") and b"\xff\xd9" not in content[-64:]:
        return None
    try:
        bgr = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR) if content else None
    except cv2.error:  # over OPENCV_IO_MAX_IMAGE_PIXELS
        return None
    return None if bgr is None else np.asarray(bgr, np.uint8)


def require_size(bgr: NDArray[np.generic], where: str, settings: Settings) -> Pixels:
    """Raises CameraUnavailable for a picture that is too small to show a table."""
    height, width = bgr.shape[:2]
    if min(height, width) < settings.least_px:
        raise CameraUnavailable(
            f"{where} is {width}x{height} pixels: too small to show a table, {settings.least_px} is the least"
        )
    return np.asarray(bgr, np.uint8)

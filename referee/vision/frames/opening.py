"""One word of text to a source of frames."""

from __future__ import annotations

from pathlib import Path

from referee.errors import CameraUnavailable
from referee.vision.frames import live
from referee.vision.frames.http_camera import http_camera
from referee.vision.frames.source import DEFAULT, PICTURES, Clip, Folder, Settings, Source, public


def open_source(text: str, settings: Settings = DEFAULT, *, paced: bool = True) -> Source:
    """The source that `text` names: a camera's number or name, an address, a clip, a folder, a picture.

    A `paced` clip runs in real time. Raises CameraUnavailable for what can be told without waiting.
    """
    scheme, separator, _ = text.partition("://")
    if separator:
        if scheme in ("http", "https"):
            return http_camera(text, settings)
        if scheme in ("rtsp", "rtsps"):
            return live.stream(text, settings)
        raise CameraUnavailable(
            f"{public(text)} is no camera's address: it begins with http://, https:// or rtsp://"
        )
    path = Path(text)
    if path.is_dir() or (path.is_file() and path.suffix.lower() in PICTURES):
        return Folder(path, settings)
    if path.is_file():
        return Clip(path, settings, paced=paced)
    if path.suffix or path.name != text:
        raise CameraUnavailable(f"no file {text}: check the path, or give a camera's number, name or address")
    return live.camera(text, settings)

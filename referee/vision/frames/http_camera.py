"""A network camera that speaks HTTP: a stream of JPEGs (MJPEG), or one picture at a time.

Read by our own few lines and not by OpenCV, which follows redirects anywhere, opens local files given as
addresses, waits half a minute for a dead one, and doesn't say what it could not decode.
"""

from __future__ import annotations

import base64
import re
import socket
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from threading import Event
from typing import BinaryIO
from urllib.parse import SplitResult, unquote, urlsplit

from referee.errors import CameraUnavailable
from referee.vision.frames.live import Live, Shots
from referee.vision.frames.source import Settings, public
from referee.vision.frames.tempo import Stamps

LINE_LIMIT = 8192
"""Bytes in one line of a part's head."""
PART_LIMIT = 32_000_000
"""Bytes in one picture."""


def http_camera(address: str, settings: Settings) -> Live:
    """The camera at an http or https address. It is connected to when its frames are asked for."""
    url = urlsplit(address)
    shown = public(address)
    if not url.hostname:
        raise CameraUnavailable(
            f"{shown} has no host name in it: give an address such as http://camera:8080/video"
        )

    def shoot(stop: Event) -> Shots:
        try:
            yield from _shoot(url, shown, settings, stop)
        except (OSError, HTTPException, ValueError) as error:
            raise CameraUnavailable(f"no picture from {shown}: {_why(error)}") from error

    return Live(shown, shoot, settings)


def _shoot(url: SplitResult, shown: str, settings: Settings, stop: Event) -> Shots:
    connection = _connect(url, settings)
    try:
        while not stop.is_set():
            asked_s = time.monotonic()
            with _ask(connection, url, shown) as response:
                kind = response.headers.get_content_type()
                if kind.startswith("multipart/"):
                    boundary = str(response.headers.get_param("boundary", ""))
                    stamps = Stamps()
                    for content, stamp_s in _parts(response, boundary, shown):
                        yield stamps.came_s(stamp_s, time.monotonic()), content
                    raise CameraUnavailable(f"{shown} has ended its stream: check that the camera is on")
                if not kind.startswith("image/"):
                    raise CameraUnavailable(
                        f"{shown} gives {kind}, neither MJPEG nor a picture: look up its video address"
                    )
                content = response.read(PART_LIMIT)
            yield time.monotonic(), content
            stop.wait(asked_s + 1.0 / settings.fps - time.monotonic())
    finally:
        connection.close()


def _connect(url: SplitResult, settings: Settings) -> HTTPConnection:
    kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
    assert url.hostname is not None
    return kind(url.hostname, url.port, timeout=settings.open_s * 0.7)


def _ask(connection: HTTPConnection, url: SplitResult, shown: str) -> HTTPResponse:
    headers = {"Accept": "multipart/x-mixed-replace, image/jpeg"}
    if url.username is not None:
        secret = f"{unquote(url.username)}:{unquote(url.password or '')}".encode()
        headers["Authorization"] = "Basic " + base64.b64encode(secret).decode("ascii")
    path = url._replace(scheme="", netloc="", fragment="").geturl() or "/"
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    if response.status != 200:
        response.close()
        hint = "check the address, and its name and password"
        if 300 <= response.status < 400:
            pointed = response.headers.get("Location", "which it doesn't name")
            hint = f"give the address that it points to, {public(pointed)}"
        raise CameraUnavailable(f"{shown} answers {response.status} {response.reason}: {hint}")
    return response


def _parts(stream: BinaryIO, boundary: str, shown: str) -> Iterator[tuple[bytes, float | None]]:
    """The bodies of a multipart stream, until it ends, and when they were taken by the camera's clock.
    Parts may or may not say that, and how long they are."""
    mark = boundary.strip('"').lstrip("-").encode("latin-1")
    found = _skip_to(stream, mark)
    while found:
        length, stamp_s = _head(stream)
        if length is None:
            body, found = _read_to(stream, mark, shown)
            yield body, stamp_s
        elif length <= PART_LIMIT:
            yield stream.read(length), stamp_s
            found = _skip_to(stream, mark)
        else:
            raise CameraUnavailable(f"{shown} sends pictures of {length} bytes: that is no camera")


def _skip_to(stream: BinaryIO, mark: bytes) -> bool:
    while line := stream.readline(LINE_LIMIT):
        if _is_mark(line, mark):
            return True
    return False


def _head(stream: BinaryIO) -> tuple[int | None, float | None]:
    """Content-Length and X-Timestamp (seconds) of the part whose head comes next, if it says so."""
    length = stamp_s = None
    while (line := stream.readline(LINE_LIMIT)).strip():
        name, _, text = line.partition(b":")
        name, text = name.strip().lower(), text.strip()
        if name == b"content-length" and text.isdigit():
            length = int(text)
        elif name == b"x-timestamp" and re.fullmatch(rb"\d{1,12}(\.\d{1,9})?", text):
            stamp_s = float(text)
    return length, stamp_s


def _read_to(stream: BinaryIO, mark: bytes, shown: str) -> tuple[bytes, bool]:
    """Everything up to the next mark, and whether there was one."""
    body = bytearray()
    while line := stream.readline(LINE_LIMIT):
        if _is_mark(line, mark):
            return bytes(body), True
        body += line
        if len(body) > PART_LIMIT:
            raise CameraUnavailable(f"{shown} sends a picture without an end: that is no camera")
    return bytes(body), False


def _is_mark(line: bytes, mark: bytes) -> bool:
    return line.startswith(b"--") and line.lstrip(b"-").startswith(mark)


def _why(error: Exception) -> str:
    if isinstance(error, socket.gaierror):
        return "no such host; check the address"
    if isinstance(error, TimeoutError):
        return "no answer; check that the camera is on and in the same network"
    if isinstance(error, ConnectionRefusedError):
        return "nothing answers there; check the address and the port"
    return f"{error or type(error).__name__}; check the address"

"""What whole journeys need: clips of real play, and a camera that serves them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import cv2
import pytest

DATA = Path(__file__).parents[3] / "shared" / "data" / "poc"


@dataclass(frozen=True)
class Play:
    """A clip, and what is needed to read it."""

    clip: Path
    setup: Path
    pieces: Path


@pytest.fixture(scope="session")
def play() -> Play:
    found = Play(DATA / "clips" / "clip_113.mp4", DATA / "clips" / "setup", DATA / "pieces")
    if not found.clip.exists():
        pytest.skip(f"{found.clip.name} is not on this machine")
    return found


class Camera:
    """An HTTP camera on loopback that shows a clip in real time to whoever connects, once switched on.

    Like many it stamps its frames, so that a machine too busy to hear them in time still knows when they
    were taken.
    """

    def __init__(self, clip: Path) -> None:
        self.on = Event()
        self.on.set()
        self._jpegs = [self._jpeg(bgr) for bgr in _pictures(clip)]
        camera = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
                self.end_headers()
                began_s = time.monotonic()
                try:
                    for n, jpeg in enumerate(camera._jpegs):
                        time.sleep(max(0.0, began_s + n / 30 - time.monotonic()))
                        if not camera.on.is_set():
                            return
                        head = b"--frame\r\nX-Timestamp: %.6f\r\nContent-Length: %d\r\n\r\n" % (
                            n / 30,
                            len(jpeg),
                        )
                        self.wfile.write(head + jpeg + b"\r\n")
                except OSError:
                    return

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/video"
        Thread(target=self._server.serve_forever, daemon=True).start()

    @staticmethod
    def _jpeg(bgr: object) -> bytes:
        return cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, 97])[1].tobytes()

    def close(self) -> None:
        self.on.clear()
        self._server.shutdown()
        self._server.server_close()


def _pictures(clip: Path) -> Iterator[object]:
    video = cv2.VideoCapture(str(clip))
    while (taken := video.read())[0]:
        yield taken[1]
    video.release()


@pytest.fixture
def camera() -> Iterator[Callable[[Path], Camera]]:
    cameras: list[Camera] = []

    def show(clip: Path) -> Camera:
        cameras.append(Camera(clip))
        return cameras[-1]

    yield show
    for each in cameras:
        each.close()

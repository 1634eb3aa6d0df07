"""Frames in, whatever gives them; losses counted; bad sources told in one sentence."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import cv2
import numpy as np
import pytest

from referee.errors import CameraUnavailable
from referee.vision.frames import live
from referee.vision.frames.http_camera import http_camera
from referee.vision.frames.opening import open_source
from referee.vision.frames.source import Clip, Folder, Settings, public, read_picture


def jpeg(grey: int, size=(120, 160)) -> bytes:
    picture = np.full((*size, 3), grey, np.uint8)
    return cv2.imencode(".jpg", picture)[1].tobytes()


def grey_of(frame) -> int:
    return round(float(frame.bgr.mean()))


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    path = tmp_path / "clip.mp4"
    video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 20.0, (160, 120))
    for n in range(30):
        video.write(np.full((120, 160, 3), 5 * n, np.uint8))
    video.release()
    return path


@pytest.fixture
def serve() -> Iterator:
    """An HTTP server on loopback that sends the given head and body chunks."""
    servers = []

    def start(kind: str, chunks, status: int = 200, pause_s: float = 0.0, headers=()):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                for name, value in headers:
                    self.send_header(name, value)
                self.end_headers()
                try:
                    for chunk in chunks:
                        self.wfile.write(chunk)
                        time.sleep(pause_s)
                except OSError:
                    pass

            def log_message(self, *args) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}/video"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def part(content: bytes, length: bool = True) -> bytes:
    head = b"--frame\r\nContent-Type: image/jpeg\r\n"
    return head + (b"Content-Length: %d\r\n" % len(content) if length else b"") + b"\r\n" + content + b"\r\n"


def test_a_clip_read_at_leisure_gives_every_frame_in_its_own_time(clip: Path) -> None:
    frames = list(Clip(clip).frames())
    assert [f.index for f in frames] == list(range(30))
    assert frames[20].t_s == pytest.approx(1.0)


def test_a_paced_clip_takes_its_time_and_loses_no_frame_when_the_eye_is_late(clip: Path) -> None:
    began_s = time.monotonic()
    indexes = []
    for frame in Clip(clip, paced=True).frames():
        assert time.monotonic() - began_s >= frame.t_s - 0.001
        indexes.append(frame.index)
        time.sleep(0.4 if frame.index == 5 else 0)
    assert indexes == list(range(30))


def test_pictures_of_a_folder_come_in_the_order_of_their_names_and_broken_ones_are_counted(
    tmp_path: Path,
) -> None:
    for name, grey in (("b.jpg", 50), ("a.jpg", 10), ("d.jpg", 90)):
        (tmp_path / name).write_bytes(jpeg(grey))
    (tmp_path / "c.jpg").write_bytes(b"no picture")
    source = Folder(tmp_path)
    assert [(f.index, grey_of(f)) for f in source.frames()] == [(0, 10), (1, 50), (3, 90)]
    assert source.losses().corrupt == 1


@pytest.mark.parametrize("length", [True, False])
def test_an_mjpeg_camera_gives_its_frames_and_skips_the_corrupt_ones(serve, length: bool) -> None:
    whole = [jpeg(grey) for grey in (20, 60, 100)]
    broken = whole[1][: len(whole[1]) // 2]
    chunks = [part(c, length) for c in (whole[0], broken, b"", whole[1], whole[2])]
    source = http_camera(serve("multipart/x-mixed-replace; boundary=frame", chunks, pause_s=0.1), Settings())
    seen = []
    with pytest.raises(CameraUnavailable, match="ended its stream"):
        for frame in source.frames():
            seen.append((frame.index, grey_of(frame)))
    assert seen == [(0, 20), (3, 60), (4, 100)]
    assert source.losses().corrupt == 2


def test_frames_that_come_in_a_burst_keep_the_times_that_the_camera_gave_them(serve) -> None:
    def stamped(n: int) -> bytes:
        return part(jpeg(4 * n)).replace(b"\r\n", b"\r\nX-Timestamp: %.6f\r\n" % (9.0 + n / 25), 1)

    chunks = [b"".join(map(stamped, range(20))), *map(stamped, range(20, 30))]
    source = http_camera(serve("multipart/x-mixed-replace; boundary=frame", chunks, pause_s=0.02), Settings())
    times = []
    with pytest.raises(CameraUnavailable, match="ended its stream"):
        for frame in source.frames():
            times.append(frame.t_s)
    assert len(times) == 30 and np.allclose(np.diff(times), 1 / 25, atol=1e-6)


def test_a_camera_that_gives_single_pictures_is_asked_again_and_again(serve) -> None:
    source = http_camera(serve("image/jpeg", [jpeg(40)]), Settings(fps=50.0))
    frames = source.frames()
    assert [grey_of(next(frames)) for _ in range(3)] == [40, 40, 40]
    source.close()


def test_frames_wait_while_a_table_is_read_and_none_is_lost(serve) -> None:
    chunks = [part(jpeg(4 * n)) for n in range(30)]
    source = http_camera(serve("multipart/x-mixed-replace; boundary=frame", chunks, pause_s=0.01), Settings())
    indexes = []
    with pytest.raises(CameraUnavailable, match="ended its stream"):
        for frame in source.frames():
            indexes.append(frame.index)
            time.sleep(0.2 if frame.index < 2 else 0)
    assert indexes == list(range(30)) and source.losses().dropped == 0


def test_when_more_wait_than_may_only_the_newest_is_left(serve) -> None:
    chunks = [part(jpeg(4 * n)) for n in range(50)] + [b"--frame--"]
    address = serve("multipart/x-mixed-replace; boundary=frame", chunks, pause_s=0.01)
    source = http_camera(address, Settings(backlog_s=0.1))
    frames = source.frames()
    first = next(frames)
    time.sleep(0.3)
    second = next(frames)
    assert second.index > first.index + 5
    assert source.losses().dropped >= second.index - first.index - 1
    source.close()


@pytest.mark.parametrize(
    ("kind", "status", "headers", "said"),
    [
        ("text/html", 200, (), "neither MJPEG nor a picture"),
        ("text/html", 404, (), "404"),
        (
            "text/html",
            302,
            (("Location", "http://127.0.0.1:1/secret"),),
            "give the address that it points to",
        ),
        ("multipart/x-mixed-replace; boundary=frame", 200, (), "ended its stream"),
    ],
)
def test_an_address_that_is_no_camera_is_told_in_a_sentence(serve, kind, status, headers, said: str) -> None:
    source = http_camera(serve(kind, [b"<html>"], status, headers=headers), Settings())
    with pytest.raises(CameraUnavailable, match=said):
        next(source.frames())


def test_a_part_that_claims_to_be_vast_is_refused_before_it_is_read(serve) -> None:
    vast = b"--frame\r\nContent-Length: 99999999999\r\n\r\n"
    source = http_camera(serve("multipart/x-mixed-replace; boundary=frame", [vast]), Settings())
    with pytest.raises(CameraUnavailable, match="no camera"):
        next(source.frames())


def test_a_camera_that_answers_and_then_says_nothing_is_lost(serve) -> None:
    address = serve("multipart/x-mixed-replace; boundary=frame", [part(jpeg(9)), b"--fr"], pause_s=2.0)
    frames = http_camera(address, Settings(silent_s=0.3)).frames()
    next(frames)
    with pytest.raises(CameraUnavailable, match="gave no picture"):
        next(frames)


def test_a_camera_that_sends_nothing_but_rubbish_is_given_up(serve) -> None:
    address = serve("multipart/x-mixed-replace; boundary=frame", [part(b"rubbish")] * 100, pause_s=0.02)
    with pytest.raises(CameraUnavailable, match="can't be decoded"):
        next(http_camera(address, Settings(open_s=0.5)).frames())


def test_an_address_where_nothing_answers_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        with pytest.raises(CameraUnavailable, match="nothing answers there"):
            next(open_source(address).frames())


def test_an_address_that_accepts_and_keeps_silent_is_given_up() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        with pytest.raises(CameraUnavailable, match=r"no answer|gave no picture"):
            next(open_source(address, Settings(open_s=0.5)).frames())


def test_a_password_in_an_address_is_never_shown() -> None:
    assert "secret" not in http_camera("http://me:secret@127.0.0.1:1/video", Settings()).name
    assert "secret" not in live.stream("rtsp://me:secret@127.0.0.1:1/video", Settings()).name
    with pytest.raises(CameraUnavailable) as refused:
        open_source("ftp://me:secret@camera/")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://me:secret@camera:8080/video", "http://camera:8080/video"),
        ("rtsp://me:p@ss/word@camera/live", "rtsp://camera/live"),
        ("http://camera/video?user=me&pwd=secret", "http://camera/video"),
        ("http://[::1]:8080", "http://[::1]:8080"),
        ("clips/a@b.mp4", "clips/a@b.mp4"),
        ("0", "0"),
    ],
)
def test_a_source_is_called_before_everybody_without_what_is_secret(address: str, shown: str) -> None:
    assert public(address) == shown


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("ftp://camera/video", "no camera's address"),
        ("http:///video", "no host name"),
        ("missing.mp4", "no file missing.mp4"),
        ("no such camera", "no camera is called"),
    ],
)
def test_a_source_that_is_none_is_told_in_a_sentence(source: str, said: str) -> None:
    with pytest.raises(CameraUnavailable, match=said):
        open_source(source)


def test_a_camera_number_that_is_not_there_is_told() -> None:
    with pytest.raises(CameraUnavailable, match="no picture from camera 73"):
        next(open_source("73").frames())


def test_a_file_that_is_no_video_is_told(tmp_path: Path) -> None:
    (tmp_path / "no.mp4").write_bytes(b"hello" * 1000)
    with pytest.raises(CameraUnavailable, match="not a video"):
        open_source(str(tmp_path / "no.mp4"))


def test_a_picture_of_one_pixel_shows_no_table(tmp_path: Path) -> None:
    (tmp_path / "dot.jpg").write_bytes(jpeg(9, (1, 1)))
    with pytest.raises(CameraUnavailable, match="1x1 pixels: too small"):
        read_picture(tmp_path / "dot.jpg")


def test_a_vast_picture_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    """In its own process: OpenCV reads its limit once, when it is loaded."""
    import struct
    import zlib

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = zlib.compress(bytes(20001) * 20000, 9)
    head = struct.pack(">IIBBBBB", 20000, 20000, 8, 0, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    (tmp_path / "vast.png").write_bytes(png)
    code = (
        "import sys, pathlib\nfrom referee.vision.frames.source import read_picture\n"
        "from referee.errors import CameraUnavailable\n"
        "try: read_picture(pathlib.Path(sys.argv[1]))\n"
        "except CameraUnavailable as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "vast.png")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert "more than 120 million pixels; make it smaller" in done.stdout and not done.stderr


def test_a_tall_picture_of_odd_size_is_as_good_as_any(tmp_path: Path) -> None:
    (tmp_path / "tall.png").write_bytes(cv2.imencode(".png", np.zeros((333, 101), np.uint8))[1].tobytes())
    assert read_picture(tmp_path / "tall.png").shape == (333, 101, 3)

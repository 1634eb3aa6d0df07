"""The web server: many threads, so that pages may hold their streams; stalled readers are dropped."""

from __future__ import annotations

import errno
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread

from cheroot.wsgi import Server
from flask import Flask

from referee.errors import RefereeError

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Settings:
    threads: int = 256
    stalled_s: int = 10
    """A reader that takes nothing for so long is dropped."""
    most_body: int = 1_000_000
    """Bytes that a request may bring: more is refused unread. What is less, and still too much, the pages
    refuse in words."""
    most_head: int = 64_000
    farewell_s: int = 3
    """Requests under way may take so long after the server was told to stop."""


@dataclass(frozen=True)
class Links:
    """Addresses of the dashboard: to look, and to be its host. The host's is a secret."""

    viewer: str
    host: str


def links(app: Flask, host: str, port: int) -> Links:
    name = f"[{host}]" if ":" in host else host
    viewer = f"http://{name}:{port}/"
    return Links(viewer, f"{viewer}host#{app.extensions['access'].token}")


def lan_address() -> str:
    """This machine's address on its network, without sending anything. Raises RefereeError offline."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # TEST-NET-1: only the route is looked up
        except OSError as error:
            raise RefereeError(
                "this machine is on no network: share needs one, or leave out --share"
            ) from error
        return str(probe.getsockname()[0])


def serve(app: Flask, host: str, port: int, ready: Callable[[int], None]) -> None:
    """Serve until interrupted (Ctrl-C). `ready` is told the port once pages can be opened; the system
    chooses it when `port` is 0.

    Raises RefereeError when the address can't be had.
    """
    with _bound(app, host, port, Settings()) as server:
        ready(server.bind_addr[1])
        try:
            server.serve()
        except KeyboardInterrupt:
            return


@contextmanager
def serving(app: Flask, host: str, port: int, settings: Settings | None = None) -> Iterator[int]:
    """Serve in a thread of its own while the block runs; gives the port. Raises like `serve`."""
    with _bound(app, host, port, settings or Settings()) as server:
        Thread(target=server.serve, name="web", daemon=True).start()
        yield server.bind_addr[1]


class _Server(Server):
    def error_log(self, msg: str = "", level: int = 20, traceback: bool = False) -> None:
        """To the program's log; cheroot would write it into the user's terminal."""
        _log.log(level, msg, exc_info=traceback)

    @staticmethod
    def bind_socket(socket_: socket.socket, bind_addr: tuple[str, int]) -> socket.socket:
        """cheroot leaves the socket of an address that can't be had to the garbage collector."""
        try:
            socket_.bind(bind_addr)
        except OSError:
            socket_.close()
            raise
        return socket_


@contextmanager
def _bound(app: Flask, host: str, port: int, settings: Settings) -> Iterator[Server]:
    server = _Server(
        (host, port),
        app,
        numthreads=settings.threads,
        request_queue_size=128,
        timeout=settings.stalled_s,
        shutdown_timeout=settings.farewell_s,
    )
    server.max_request_body_size, server.max_request_header_size = settings.most_body, settings.most_head
    try:
        server.prepare()
    except OSError as error:
        raise RefereeError(_why(host, port, error)) from error
    try:
        yield server
    finally:
        app.extensions["closing"].set()
        server.stop()


def _why(host: str, port: int, error: OSError) -> str:
    if f"Errno {errno.EADDRINUSE}]" in str(error):
        return f"port {port} is in use by another program: choose another with --port"
    if f"Errno {errno.EACCES}]" in str(error):
        return f"port {port} is reserved for the system: choose one above 1023 with --port"
    return f"the dashboard can't be served at {host}:{port}: {error}"

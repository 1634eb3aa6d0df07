"""From the seeing process to whoever listens, without ever holding up the eye."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from multiprocessing.connection import Connection
from threading import Condition, Thread

from referee.vision.messages import Health, Message, Preview


@dataclass(frozen=True)
class Fault:
    """The seeing process met a fault of the program and ends; for the program's own log."""

    text: str
    trace: str


class Outbox:
    """Sends in a thread of its own.

    A preview or a health report that was not sent yet gives way to a newer one; nothing else is lost.
    """

    def __init__(self, pipe: Connection) -> None:
        self.deaf = False
        """Nobody listens any more."""
        self._pipe = pipe
        self._waiting: deque[Message | Fault] = deque()
        self._changed = Condition()
        self._closing = False
        self._thread = Thread(target=self._send, name="outbox", daemon=True)
        self._thread.start()

    def put(self, message: Message | Fault) -> None:
        with self._changed:
            if isinstance(message, Preview | Health):
                self._waiting = deque(m for m in self._waiting if type(m) is not type(message))
            self._waiting.append(message)
            self._changed.notify()

    def close(self) -> None:
        """Send what waits, then end."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()
        self._pipe.close()

    def _send(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closing)
                if not self._waiting:
                    return
                message = self._waiting.popleft()
            try:
                self._pipe.send(message)
            except OSError:
                self.deaf = True
                return

"""Matches for the dashboard's tests: real events, a real log, a real session; only the eye is a script."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from queue import Queue
from typing import Any

from referee import games
from referee.evidence import Store
from referee.facts import PieceId, Scene
from referee.games.poc.moves import Cleared, Table, Throw, Zone
from referee.log import Log
from referee.rules.events import CAMERA, Asked, Body, Event, Ruled, Seen, Started
from referee.rules.game import Player
from referee.session import Session
from referee.vision.messages import Gate, Health, Message
from tests.webui.drawn import close_up, picture, preview, scene

PLAYERS = (Player("Ana", "fox"), Player("Ben", "gecko"), Player("Cleo", "panda"))
MATCH_ID = "20260101-120000-poc"
HEALTH = Health("camera 0", 1.0, 29.9, 900, 3, 0, (1280, 720), Gate.STILL, (0, 1, 2, 3), 0.31)


class ScriptedEye:
    """Says what a test tells it to say."""

    def __init__(self) -> None:
        self._said: Queue[Message | None] = Queue()

    def say(self, *messages: Message) -> None:
        for message in messages:
            self._said.put(message)

    def messages(self) -> Iterator[Message]:
        while (message := self._said.get()) is not None:
            yield message

    def reopen(self, remembered: Scene | None) -> None:
        pass

    def close(self) -> None:
        self._said.put(None)


FIRST = {"fox3": (-150.0, 40.0)}
COVERED = {"fox3": (-150.0, 40.0), "gecko2": (-82.0, 62.0)}
BOXED = {"panda4": (0.0, 0.0)}
SECOND = {**BOXED, "fox5": (150.0, -60.0)}
CLOSE = {**SECOND, "gecko4": (231.0, -12.0)}


def write_match(folder: Path, *, asks: bool = True) -> Scene:
    """Log a match under way, with evidence; with `asks` a question is open. Gives the newest scene."""
    store = Store(folder / "evidence")
    throws: list[tuple[dict[str, Any], tuple[str, ...], tuple[int, ...], tuple[Any, ...]]] = [
        (FIRST, (), (0,), (_throw("Ana", "fox3"),)),
        (COVERED, (), (1, 0), (_throw("Ben", "gecko2", over=("fox3",)),)),
        ({}, (), (), (Cleared(),)),
        (BOXED, ("panda4",), (0,), (_throw("Cleo", "panda4", Zone.ON_BOX),)),
        (SECOND, ("panda4",), (1,), (_throw("Ana", "fox5", others={"panda4": Zone.ON_BOX}),)),
    ]
    events = [_event(0, Started("poc", games.load("poc").version, PLAYERS, games.load("poc").options_type()))]
    for spots, boxed, tracks, moves in throws:
        seen = _with_pictures(scene(spots, boxed, frame=len(events)), store, tracks)
        events.append(_event(len(events), Seen(seen)))
        events.append(_event(len(events), Ruled(moves, CAMERA, len(events) - 1, ("seen from above",))))
    latest = _with_pictures(scene(CLOSE, ("panda4",), frame=len(events)), store, (2, 1))
    if asks:
        events.append(_event(len(events), Seen(latest)))
        boxed_now = {"panda4": Zone.ON_BOX, "fox5": Zone.FLAT}
        stories = (
            (_throw("Ben", "gecko4", over=("fox5",), others=boxed_now),),
            (_throw("Ben", "gecko4", others=boxed_now),),
        )
        text = "Does gecko 4 lie over fox 5? 0.2 ± 0.4 mm"
        events.append(_event(len(events), Asked(text, stories, len(events) - 1)))
    log = Log.open(folder)
    log.append(MATCH_ID, *events)
    log.close()
    return latest


@contextmanager
def sitting(folder: Path, *, asks: bool = True, match: bool = True) -> Iterator[tuple[Session, ScriptedEye]]:
    """A session with a match under way and an eye that has shown one picture."""
    latest = write_match(folder, asks=asks) if match else scene(FIRST)
    eye = ScriptedEye()
    session = Session.open(folder, eye)
    try:
        if match:
            session.resume(MATCH_ID)
        eye.say(HEALTH, preview(latest, unsure=("gecko4",)))
        while session.latest().preview is None:
            session.wait(session.latest().version, 0.1)
        yield session, eye
    finally:
        session.close()


def _throw(
    seat: str,
    piece: str,
    zone: Zone = Zone.FLAT,
    over: tuple[str, ...] = (),
    others: dict[str, Zone] | None = None,
) -> Throw:
    zones = {**(others or {}), **dict.fromkeys(over, Zone.FLAT), piece: zone}
    table = Table(
        tuple((PieceId(p), z) for p, z in sorted(zones.items())),
        tuple((PieceId(piece), PieceId(p)) for p in over),
    )
    return Throw(seat, PieceId(piece), True, table)


def _event(seq: int, body: Body) -> Event:
    return Event(seq, f"2026-01-01T12:{seq // 3:02d}:{20 * (seq % 3):02d}.000+00:00", body)


def _with_pictures(at: Scene, store: Store, tracks: tuple[int, ...]) -> Scene:
    whole = store.put(picture(at))
    close = (store.put(close_up(at, tracks), tracks=tracks),) if tracks else ()
    return replace(at, pictures=(whole, *close))

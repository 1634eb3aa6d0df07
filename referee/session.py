"""The one place where the halves meet: scenes in, events on disk, snapshots out. The only writer."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Condition, Thread
from typing import Any, Protocol

from referee import evidence, games
from referee.archive import Summary, bound, fold, summarise
from referee.errors import IncoherentLog, RefereeError, Refused
from referee.facts import Scene
from referee.formats import PieceSet
from referee.log import Log, Record
from referee.place import Place
from referee.requests import (
    Amend,
    Answer,
    Declare,
    Dismiss,
    Request,
    Retract,
    Uphold,
    alternatives,
    event_body,
)
from referee.rules.events import Body, Event, Seen, Started, Who
from referee.rules.game import Player
from referee.rules.match import Match, effect, react, start
from referee.seating import require_pieces
from referee.snapshot import Effect, Snapshot
from referee.vision.messages import Ended, Health, Message, Notice, Opened, Preview, Saw

__all__ = [
    "Amend",
    "Answer",
    "Declare",
    "Dismiss",
    "Effect",
    "Request",
    "Retract",
    "Session",
    "Snapshot",
    "Summary",
    "Table",
    "Uphold",
    "alternatives",
]

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Table:
    """What the eye looks at, as far as a match must know it."""

    place: Place
    pieces: PieceSet


class Seeing(Protocol):
    """The eye as the session knows it: `referee.vision.process.keeper.Keeper`, or a script in a test."""

    def messages(self) -> Iterator[Message | Notice | Opened]:
        """What the eye says, until `close`."""
        ...

    def reopen(self, remembered: Scene | None) -> None:
        """Open the source anew, its pieces taken for those of `remembered` where they lie the same."""
        ...

    def close(self) -> None: ...


class Session:
    """Owns the log, the match that is on, and the eye. Every method may be called from any thread."""

    def __init__(self, log: Log, store: evidence.Store, eye: Seeing | None, table: Table | None) -> None:
        self._log = log
        self._store = store
        self._eye = eye
        self._at = table
        self._changed = Condition()
        self._snapshot = Snapshot(0, None, None, None, None)
        self._table: Scene | None = None
        """The newest scene, read or not."""
        self._reopening = False
        """The eye was told to start anew: what the old one may still say is of pieces numbered otherwise."""
        self._held: Scene | None = None
        """The newest scene that came while play was held, with all flights since."""
        self._summaries: dict[Record, Summary] = {}
        self._thread = Thread(target=self._watch, name="session", daemon=True)

    @classmethod
    def open(
        cls,
        data: Path,
        eye: Seeing | None = None,
        keep: evidence.Settings | None = None,
        table: Table | None = None,
    ) -> Session:
        """A session over the log and the evidence in the folder `data`; without an eye it only keeps matches.
        `table` is what the eye looks at.

        Raises IncoherentLog when the log can't be used, Refused when another referee writes there.
        """
        data = data.absolute()  # Flask serves files of relative paths from its own folder
        log, store = Log.open(data), evidence.Store(data / "evidence")
        try:
            bound(log, store, keep or evidence.Settings())
        except BaseException:
            log.close()
            raise
        session = cls(log, store, eye, table)
        session._thread.start()
        return session

    def close(self) -> None:
        if self._eye is not None:
            self._eye.close()
        self._thread.join()
        self._log.close()

    # What is so

    @property
    def watched(self) -> bool:
        """Whether an eye looks on; else people say all that happens."""
        return self._eye is not None

    def latest(self) -> Snapshot:
        return self._snapshot

    def wait(self, version: int, timeout_s: float) -> Snapshot:
        """The first snapshot newer than `version`; after `timeout_s` the latest, newer or not."""
        with self._changed:
            self._changed.wait_for(lambda: self._snapshot.version > version, timeout_s)
            return self._snapshot

    def picture(self, name: str) -> Path | None:
        """The evidence file of that name; None when it is no such name, or the file has gone."""
        return self._store.path(name)

    def matches(self) -> tuple[Summary, ...]:
        """Every match in the log, newest first. One that can't be read says so."""
        for record in (records := self._log.records()):
            if record not in self._summaries:
                self._summaries[record] = summarise(self._log, record)
        return tuple(self._summaries[record] for record in records)

    def unfinished(self) -> tuple[Summary, ...]:
        """The matches that are worth going on with, newest first."""
        return tuple(m for m in self.matches() if m.under_way)

    def events(self, match_id: str) -> tuple[Event, ...]:
        """The events of any match, as they were logged."""
        return self._log.read(match_id)

    # What people ask for

    def start(self, game: str, players: tuple[Player, ...], options: Any) -> str:
        """Open a new match and return its id. The match that was on stays in the log as it is.

        Raises UnknownGame; ConfigError for players, options or a piece set that don't fit.
        """
        rules = games.load(game)
        opening = Event(0, _now(), Started(game, rules.version, players, options))
        match_ = start(rules, opening)
        self._require_pieces(match_)
        with self._changed:
            opened = [opening]
            if self._table is not None:
                opened.append(Event(1, _now(), Seen(replace(self._table, flights=()))))
                match_ = match_.after(opened[1])
            match_id = self._new_id(game)
            self._log.append(match_id, *opened, place=self._place())
            self._held = None
            self._publish(match_id=match_id, match=match_, notice="")
        return match_id

    def resume(self, match_id: str) -> None:
        """Go on with a match of the log. Raises IncoherentLog, UnknownGame or ConfigError."""
        with self._changed:
            events = self._log.read(match_id)
            match_ = fold(events)
            self._require_pieces(match_)
            if (place := self._place()) is not None and place != self._log.place(match_id):
                self._log.append(match_id, place=place)
            self._reopen(match_.scene)
            self._publish(match_id=match_id, match=match_, notice="")

    def submit(self, request: Request, by: Who, match_id: str | None = None) -> Match[Any]:
        """Grant `request` and return the match after it. `match_id` is the match that the sender saw.

        Raises Refused, in words, when it can't be granted; nothing is changed then.
        """
        with self._changed:
            match_, event = self._asked(request, by, match_id)
            self._append(match_, event)
            self._catch_up()
            return self._match()

    def effect(self, request: Request, by: Who, match_id: str | None = None) -> Effect:
        """What `submit` would do. Raises Refused, like it."""
        with self._changed:
            match_, event = self._asked(request, by, match_id)
        then, fouls = effect(match_, event)
        game = match_.game
        before, after = (game.standing(m.state, None).scores for m in (match_, then))
        return Effect(before, after, fouls, then)

    def replay_source(self) -> None:
        """Open the source that has ended again, from its start: to a match in play with the table as it was,
        else with the table taken for new. Raises Refused while it is open.
        """
        with self._changed:
            if self._snapshot.ended is None:
                raise Refused("the camera is open already; nothing was changed")
            match_ = self._snapshot.match
            over = match_ is None or match_.game.standing(match_.state, None).finished
            self._reopen(None if match_ is None or over else match_.scene)
            self._publish(ended=None, preview=None, notice="")

    # What the eye says

    def _watch(self) -> None:
        if self._eye is None:
            return
        for message in self._eye.messages():
            try:
                self._hear(message)
            except Exception as error:  # one bad scene must not deafen the session
                _log.exception("a message of the eye could not be taken in")
                reason = str(error) if isinstance(error, RefereeError) else "this is a fault of the program"
                with self._changed:
                    self._publish(notice=f"The last picture could not be ruled: {reason}.")

    def _hear(self, message: Message | Notice | Opened) -> None:
        with self._changed:
            match message:
                case Preview():
                    self._publish(preview=message, seen_at_s=time.monotonic(), ended=None)
                case Health():
                    self._publish(health=message, ended=None)
                case Notice(text):
                    self._publish(notice=text)
                case Ended():
                    self._publish(ended=message, notice=message.error)
                case Opened():
                    self._reopening = False
                case Saw(scene) if not self._reopening:
                    self._table = scene
                    if self._snapshot.match is not None:
                        self._held = _merge(self._held, scene)
                        self._catch_up()

    def _catch_up(self) -> None:
        """Read the scene that waits, unless play is held."""
        scene, match_ = self._held, self._match()
        if scene is None or match_.open is not None:
            return
        if match_.game.standing(match_.state, None).finished:
            self._held = replace(scene, flights=())
            return
        self._held = None
        self._append(match_, *react(match_, scene))

    def _place(self) -> Place | None:
        return None if self._at is None else self._at.place

    def _require_pieces(self, match_: Match[Any]) -> None:
        if self._at is not None:
            require_pieces(match_.game, match_.state, self._at.pieces)

    # Under the lock

    def _reopen(self, remembered: Scene | None) -> None:
        self._held = self._table = None
        if self._eye is not None:
            self._reopening = True
            self._eye.reopen(remembered)

    def _match(self) -> Match[Any]:
        if self._snapshot.match is None:
            raise Refused("no match is on: start one first")
        return self._snapshot.match

    def _asked(self, request: Request, by: Who, match_id: str | None) -> tuple[Match[Any], Event]:
        match_ = self._match()
        if match_id is not None and match_id != self._snapshot.match_id:
            raise Refused("another match is on now; nothing was changed: look again")
        event = Event(len(match_.events), _now(), event_body(match_, request, by))
        try:
            match_.after(event)
        except IncoherentLog as error:
            raise Refused(f"{error}; nothing was changed") from error
        return match_, event

    def _append(self, match_: Match[Any], *news: Event | Body) -> None:
        """Fold, write, then tell: nobody hears of an event that is not on disk."""
        assert self._snapshot.match_id is not None
        events = []
        for item in news:
            event = item if isinstance(item, Event) else Event(len(match_.events), _now(), item)
            match_ = match_.after(event)
            events.append(event)
        self._log.append(self._snapshot.match_id, *events)
        self._publish(match=match_)

    def _publish(self, **changes: Any) -> None:
        self._snapshot = replace(self._snapshot, version=self._snapshot.version + 1, **changes)
        self._changed.notify_all()

    def _new_id(self, game: str) -> str:
        base = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{game}"
        taken = {record.match_id for record in self._log.records()}
        return next(i for n in range(len(taken) + 1) if (i := f"{base}-{n}" if n else base) not in taken)


def _merge(held: Scene | None, scene: Scene) -> Scene:
    """The newer scene with the flights and pictures of the one that was never read."""
    if held is None:
        return scene
    return replace(scene, flights=(*held.flights, *scene.flights), pictures=(*held.pictures, *scene.pictures))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")

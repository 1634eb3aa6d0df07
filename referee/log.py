"""The event log: one SQLite file, append-only, on disk before anyone is told. A match is its events.

WAL with synchronous=FULL: a commit that returned survives a kill and a pulled plug. One program
writes at a time; readers may look meanwhile.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from referee import games
from referee.codec import decode, encode
from referee.errors import IncoherentLog, Refused, UnknownGame
from referee.rules.events import Body, Event

SCHEMA = 1
"""Raised when the tables change."""

_TABLES = (
    "CREATE TABLE events (match TEXT NOT NULL, seq INTEGER NOT NULL, at TEXT NOT NULL, body TEXT NOT NULL, "
    "PRIMARY KEY (match, seq)) STRICT",
    "CREATE TRIGGER no_change BEFORE UPDATE ON events "
    "BEGIN SELECT RAISE(ABORT, 'events are never changed'); END",
    "CREATE TRIGGER no_loss BEFORE DELETE ON events "
    "BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END",
    f"PRAGMA user_version = {SCHEMA}",
)


@dataclass(frozen=True)
class Record:
    """One match in the log, unread: its name, its length and the UTC stamps of its ends."""

    match_id: str
    events: int
    started_at: str
    last_at: str


class Log:
    """The log in one folder. `Log.open` to write, `Log.open(folder, writes=False)` to look."""

    def __init__(self, path: Path, database: sqlite3.Connection, writer: sqlite3.Connection | None) -> None:
        self._path = path
        self._database = database
        self._writer = writer
        self._lock = Lock()

    @classmethod
    def open(cls, folder: Path, *, writes: bool = True) -> Log:
        """The log of `folder`, made when it is new.

        Raises IncoherentLog when the file is damaged or newer than this program, Refused when another
        program writes there.
        """
        path = folder / "matches.db"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise IncoherentLog(
                f"no log can be kept in {folder}: {error.strerror}; choose another folder"
            ) from error
        writer = _claim(folder) if writes else None
        try:
            with _readable(path):
                database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
                try:
                    _prepare(database, path)
                except BaseException:
                    database.close()
                    raise
        except BaseException:
            if writer is not None:
                writer.close()
            raise
        return cls(path, database, writer)

    def append(self, match_id: str, *events: Event) -> None:
        """Write `events` together, durably: when this returns they are on disk, when it raises none is.

        Raises IncoherentLog when a place in the match is taken, or when the disk won't have them.
        """
        if self._writer is None:
            raise Refused("this log was opened to look, not to write")
        rows = [
            (match_id, e.seq, e.at, json.dumps(encode(e.body), ensure_ascii=False, separators=(",", ":")))
            for e in events
        ]
        with self._lock, _readable(self._path), _together(self._database):
            self._database.executemany("INSERT INTO events VALUES (?, ?, ?, ?)", rows)

    def read(self, match_id: str) -> tuple[Event, ...]:
        """The events of a match, in order.

        Raises IncoherentLog, naming the event that is missing or can't be read; UnknownGame.
        """
        with self._lock, _readable(self._path):
            rows = self._database.execute(
                "SELECT seq, at, body FROM events WHERE match = ? ORDER BY seq", (match_id,)
            ).fetchall()
        if not rows:
            raise IncoherentLog(f"no match {match_id!r} in {self._path}: `referee matches` lists them")
        bodies = [self._json(match_id, index, *row) for index, row in enumerate(rows)]
        kinds = self._kinds(match_id, bodies[0])
        return tuple(
            Event(seq, at, self._body(match_id, seq, body, kinds))
            for (seq, at, _), body in zip(rows, bodies, strict=True)
        )

    def records(self) -> tuple[Record, ...]:
        """Every match, newest first."""
        with self._lock, _readable(self._path):
            rows = self._database.execute(
                "SELECT match, COUNT(*), MIN(at), MAX(at) FROM events "
                "GROUP BY match ORDER BY MIN(at) DESC, match DESC"
            ).fetchall()
        return tuple(Record(*row) for row in rows)

    def pictures(self) -> dict[str, set[str]]:
        """The names of the evidence pictures that each match points at."""
        with self._lock, _readable(self._path):
            rows = self._database.execute(
                "SELECT match, json_extract(picture.value, '$.name') FROM events, json_each("
                "CASE WHEN json_valid(body) THEN body ELSE '{}' END, '$.scene.pictures') AS picture"
            ).fetchall()
        named: dict[str, set[str]] = {}
        for match_id, name in rows:
            named.setdefault(match_id, set()).add(name)
        return named

    def close(self) -> None:
        with self._lock:
            self._database.close()
            if self._writer is not None:
                self._writer.close()

    def _json(self, match_id: str, index: int, seq: int, at: str, text: str) -> dict[str, Any]:
        if seq != index:
            raise IncoherentLog(f"event {index} of match {match_id} is missing from {self._path}")
        try:
            body = json.loads(text)
        except json.JSONDecodeError as error:
            raise IncoherentLog(
                f"event {seq} of match {match_id} in {self._path} is damaged: {error}"
            ) from error
        if not isinstance(body, dict):
            raise IncoherentLog(f"event {seq} of match {match_id} in {self._path} is damaged: no object")
        return body

    def _kinds(self, match_id: str, first: dict[str, Any]) -> tuple[type, ...]:
        """The classes that a game's events hold. A newer version may hold others, so it is refused first."""
        name, version = first.get("game"), first.get("version")
        if first.get("is") != "Started" or not isinstance(name, str) or not isinstance(version, int):
            raise IncoherentLog(f"match {match_id} in {self._path} doesn't open with its Started")
        try:
            game = games.load(name)
        except UnknownGame as error:
            raise UnknownGame(f"match {match_id} can't be read: {error}") from error
        if version > game.version:
            raise IncoherentLog(
                f"match {match_id} was ruled by version {version} of {name}, this program has "
                f"version {game.version}: use a newer program"
            )
        return (*game.moves, game.options_type)

    def _body(self, match_id: str, seq: int, body: dict[str, Any], kinds: tuple[type, ...]) -> Body:
        try:
            decoded: Body = decode(body, Body, kinds)
        except IncoherentLog as error:
            raise IncoherentLog(
                f"event {seq} of match {match_id} in {self._path} is damaged: {error}"
            ) from error
        return decoded


def _claim(folder: Path) -> sqlite3.Connection:
    """The right to write, held by a lock that the system lets go of even when this program is killed."""
    claim = sqlite3.connect(folder / "writer.lock", timeout=0, isolation_level=None, check_same_thread=False)
    try:
        claim.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        claim.close()
        raise Refused(
            f"another referee is writing in {folder}: stop it, or give this one its own folder with --data"
        ) from error
    return claim


def _prepare(database: sqlite3.Connection, path: Path) -> None:
    database.execute("PRAGMA busy_timeout = 2000")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    with _together(database):
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version == 0:
            for statement in _TABLES:
                database.execute(statement)
    if version > SCHEMA:
        raise IncoherentLog(f"the log {path} was written by a newer program: use that one")


@contextmanager
def _together(database: sqlite3.Connection) -> Iterator[None]:
    """All statements within reach the disk, or none."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise IncoherentLog(f"the log {path} can't be used: {error}") from error

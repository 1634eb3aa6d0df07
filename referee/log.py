"""The event log: one SQLite file, append-only, on disk before anyone is told. A match is its events.

WAL with synchronous=FULL: a commit that returned survives a kill and a pulled plug. One program
writes at a time; readers may look meanwhile.
"""

from __future__ import annotations

import json
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from referee import games, tables
from referee.codec import decode, encode
from referee.errors import IncoherentLog, Refused, UnknownGame
from referee.place import Place
from referee.rules.events import Body, Event
from referee.tables import readable, together


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

        To look makes and changes no file. Raises IncoherentLog when the file is damaged, foreign or newer
        than this program, Refused when another program writes there.
        """
        path = folder / "matches.db"
        if not writes:
            return cls(path, tables.look(path), None)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # a camera's address may hold a password
        except OSError as error:
            raise IncoherentLog(
                f"no log can be kept in {folder}: {error.strerror}; choose another folder with --data"
            ) from error
        writer = tables.claim(folder)
        try:
            return cls(path, tables.write(path), writer)
        except BaseException:
            writer.close()
            raise

    def append(self, match_id: str, *events: Event, place: Place | None = None) -> None:
        """Write `events` together, durably: when this returns they are on disk, when it raises none is.
        `place` is kept beside them, in the place of an earlier one.

        Raises IncoherentLog when a place in the match is taken, or when the disk won't have them.
        """
        if self._writer is None:
            raise Refused("this log was opened to look, not to write")
        rows = [
            (match_id, e.seq, e.at, json.dumps(encode(e.body), ensure_ascii=False, separators=(",", ":")))
            for e in events
        ]
        kept = [] if place is None else [(match_id, json.dumps(encode(place), ensure_ascii=False))]
        with self._lock, readable(self._path), together(self._database):
            self._database.executemany("INSERT INTO events VALUES (?, ?, ?, ?)", rows)
            self._database.executemany("INSERT INTO places VALUES (?, ?)", kept)

    def read(self, match_id: str) -> tuple[Event, ...]:
        """The events of a match, in order.

        Raises IncoherentLog, naming the event that is missing or can't be read; UnknownGame.
        """
        with self._lock, readable(self._path):
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
        with self._lock, readable(self._path):
            rows = self._database.execute(
                "SELECT match, COUNT(*), MIN(at), MAX(at) FROM events "
                "GROUP BY match ORDER BY MIN(at) DESC, match DESC"
            ).fetchall()
        return tuple(Record(*row) for row in rows)

    def place(self, match_id: str) -> Place | None:
        """Where the match was played last; None when nobody knows."""
        with self._lock, readable(self._path):
            if tables.version(self._database) < 2:
                return None
            rows = self._database.execute(
                "SELECT body FROM places WHERE match = ? ORDER BY rowid DESC LIMIT 1", (match_id,)
            ).fetchall()
        return _place(rows[0][0]) if rows else None

    def pictures(self) -> dict[str, set[str]]:
        """The names of the evidence pictures that each match points at."""
        with self._lock, readable(self._path):
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


def _place(text: str) -> Place | None:
    try:
        place: Place = decode(json.loads(text), Place)
    except (ValueError, IncoherentLog):  # no match hangs on it
        return None
    return place

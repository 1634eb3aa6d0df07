"""The SQLite file under the log: its tables, who may write to it, and what to do when it can't be used."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from referee.errors import IncoherentLog, Refused

_EVENTS = (
    "CREATE TABLE events (match TEXT NOT NULL, seq INTEGER NOT NULL, at TEXT NOT NULL, body TEXT NOT NULL, "
    "PRIMARY KEY (match, seq)) STRICT",
    "CREATE TRIGGER no_change BEFORE UPDATE ON events "
    "BEGIN SELECT RAISE(ABORT, 'events are never changed'); END",
    "CREATE TRIGGER no_loss BEFORE DELETE ON events "
    "BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END",
)
_PLACES = ("CREATE TABLE places (match TEXT NOT NULL, body TEXT NOT NULL) STRICT",)

_STEPS = (_EVENTS, _PLACES)
"""How the tables came to be: each step makes the version of its number from the one before it."""
SCHEMA = len(_STEPS)

_DAMAGED = ("SQLITE_NOTADB", "SQLITE_CORRUPT", "SQLITE_SCHEMA", "SQLITE_ERROR")
"""The last two: it hasn't the tables that it should have."""
_ASIDE = "move it aside, with the files beside it whose names begin like its own,"


def write(path: Path) -> sqlite3.Connection:
    """The file to write to, its tables made or brought up to date. Raises IncoherentLog."""
    with readable(path):
        database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        return _opened(database, path, _update)


def look(path: Path) -> sqlite3.Connection:
    """The file to look into, which is left as it is; when there is none, an empty one that is nowhere.

    Raises IncoherentLog.
    """
    if not path.exists() or not path.stat().st_size:  # a full disk may have left it empty
        nowhere = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        return _opened(nowhere, path, _update)
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    with readable(path):
        try:
            return _opened(_by_address(address), path, version)
        except sqlite3.OperationalError:  # no files may be made beside it: take it as it stands
            return _opened(_by_address(f"{address}&immutable=1"), path, version)


def version(database: sqlite3.Connection) -> int:
    """Which of the steps was the last; 0 for a new file."""
    (number,) = database.execute("PRAGMA user_version").fetchone()
    return int(number)


def claim(folder: Path) -> sqlite3.Connection:
    """The right to write, held by a lock that the system lets go of even when this program is killed."""
    held = sqlite3.connect(folder / "writer.lock", timeout=0, isolation_level=None, check_same_thread=False)
    try:
        held.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        held.close()
        if error.sqlite_errorname == "SQLITE_BUSY":
            raise Refused(
                f"another referee is writing in {folder}: stop it, "
                "or give this one its own folder with --data"
            ) from error
        raise IncoherentLog(
            f"no log can be kept in {folder}: {_why(folder / 'writer.lock', error)}"
        ) from error
    return held


@contextmanager
def together(database: sqlite3.Connection) -> Iterator[None]:
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
def readable(path: Path) -> Iterator[None]:
    """What SQLite can't do becomes IncoherentLog: what, where, and what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise IncoherentLog(f"the log {path} can't be used: {_why(path, error)}") from error


def _by_address(address: str) -> sqlite3.Connection:
    return sqlite3.connect(address, uri=True, check_same_thread=False, isolation_level=None)


def _opened(
    database: sqlite3.Connection, path: Path, prepare: Callable[[sqlite3.Connection], object]
) -> sqlite3.Connection:
    try:
        database.execute("PRAGMA busy_timeout = 2000")
        _require_ours(database, path)
        prepare(database)
    except BaseException:
        database.close()
        raise
    return database


def _update(database: sqlite3.Connection) -> None:
    """Takes the steps that the file has not gone yet. Nothing is written to one that is damaged."""
    if database.execute("PRAGMA quick_check(1)").fetchall() != [("ok",)]:
        raise sqlite3.DatabaseError(_DAMAGED[0])
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    with together(database):
        for number, step in list(enumerate(_STEPS, 1))[version(database) :]:
            for statement in step:
                database.execute(statement)
            database.execute(f"PRAGMA user_version = {number}")


def _require_ours(database: sqlite3.Connection, path: Path) -> None:
    """Raises IncoherentLog for a file that another program made, or a newer version of this one."""
    here = version(database)
    if here > SCHEMA:
        raise IncoherentLog(
            f"the log {path} was written by a newer program: use that one, or another folder with --data"
        )
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if tables if here == 0 else "events" not in tables:
        raise IncoherentLog(
            f"{path} is a database of something else, and no log of matches: {_ASIDE} or choose another "
            "folder with --data"
        )


def _why(path: Path, error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", str(error))
    if name.startswith(_DAMAGED):
        return (
            f"it is damaged; {_ASIDE} and put back a copy, or begin a new log: what can still be read "
            "comes out with the sqlite3 program's .recover"
        )
    if name.startswith("SQLITE_FULL") or name == "SQLITE_IOERR_WRITE":
        return "the disk is full; nothing was changed: free some space, then repeat it"
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return f"you may not write in {path.parent}; choose another folder with --data, or allow it"
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return "another program holds it; close that one, then repeat it"
    return f"{error}; nothing was changed: check the disk, then repeat it"

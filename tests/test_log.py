"""What the log took is there for ever, whatever happens to the program."""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from referee.errors import IncoherentLog, Refused, UnknownGame
from referee.log import Log
from referee.place import Place
from referee.rules.events import CAMERA, Event, Ruled, Seen, Started
from tests.stand_ins import PLAYERS, Options, Point, table

AT = "2026-01-02T03:04:05+00:00"


def opening(game: str = "toy", version: int = 3) -> Event:
    return Event(0, AT, Started(game, version, PLAYERS, Options()))


def point(seq: int, count: int = 1) -> Event:
    return Event(seq, AT, Ruled((Point(count),), CAMERA, None, ("seen",)))


@pytest.fixture
def log(tmp_path: Path, toy):
    log = Log.open(tmp_path)
    yield log
    log.close()


def vandalise(folder: Path, statement: str) -> None:
    database = sqlite3.connect(folder / "matches.db")
    database.executescript(f"DROP TRIGGER no_change; DROP TRIGGER no_loss; {statement}")
    database.close()


def test_what_was_logged_is_read_back_the_same(log: Log) -> None:
    events = (opening(), Event(1, AT, Seen(table(1, 2))), point(2))
    log.append("m", *events)
    assert log.read("m") == events


def test_matches_are_listed_newest_first(log: Log) -> None:
    for n in (1, 3, 2):
        log.append(f"m{n}", Event(0, f"2026-01-0{n}T00:00:00+00:00", opening().body))
    assert [r.match_id for r in log.records()] == ["m3", "m2", "m1"]


def test_events_are_logged_together_or_not_at_all(log: Log) -> None:
    log.append("m", opening())
    with pytest.raises(IncoherentLog):
        log.append("m", point(1), point(0))
    assert log.read("m") == (opening(),)


def test_an_event_is_never_changed_or_deleted(log: Log, tmp_path: Path) -> None:
    log.append("m", opening())
    database = sqlite3.connect(tmp_path / "matches.db")
    for statement in ("UPDATE events SET body = '{}'", "DELETE FROM events"):
        with pytest.raises(sqlite3.IntegrityError, match="never"):
            database.execute(statement)
    database.close()


def test_only_one_program_writes_and_others_may_look(log: Log, tmp_path: Path) -> None:
    log.append("m", opening())
    with pytest.raises(Refused, match="another referee is writing"):
        Log.open(tmp_path)
    looking = Log.open(tmp_path, writes=False)
    assert looking.read("m") == (opening(),)
    with pytest.raises(Refused):
        looking.append("m", point(1))
    looking.close()


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE events SET body = substr(body, 1, 20) WHERE seq = 1", "event 1 of match m .* is damaged"),
        ('UPDATE events SET body = \'{"is": "Ruled"}\' WHERE seq = 1', "event 1 of match m .* is damaged"),
        ("UPDATE events SET body = '[]' WHERE seq = 1", "event 1 of match m .* is damaged"),
        ("DELETE FROM events WHERE seq = 1", "event 1 of match m is missing"),
        ("DELETE FROM events WHERE seq = 0", "event 0 of match m is missing"),
    ],
)
def test_a_damaged_event_is_named(log: Log, tmp_path: Path, statement: str, said: str) -> None:
    log.append("m", opening(), point(1), point(2))
    vandalise(tmp_path, statement)
    with pytest.raises(IncoherentLog, match=said):
        log.read("m")


def test_a_file_that_is_no_log_is_told(tmp_path: Path) -> None:
    (tmp_path / "matches.db").write_bytes(b"this is no database, whatever its name says" * 50)
    with pytest.raises(IncoherentLog, match="damaged; move it aside"):
        Log.open(tmp_path)
    (tmp_path / "matches.db").unlink()
    Log.open(tmp_path).close()


def test_a_log_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    Log.open(tmp_path).close()
    database = sqlite3.connect(tmp_path / "matches.db")
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(IncoherentLog, match="newer program"):
        Log.open(tmp_path)


def test_a_log_of_the_first_version_is_brought_up_to_date_when_it_is_written(
    log: Log, tmp_path: Path
) -> None:
    log.append("m", opening())
    log.close()
    vandalise(tmp_path, "DROP TABLE places; PRAGMA user_version = 1")
    looking = Log.open(tmp_path, writes=False)
    assert looking.read("m") == (opening(),) and looking.place("m") is None
    looking.close()
    database = sqlite3.connect(tmp_path / "matches.db")
    database.executescript("DROP TABLE IF EXISTS places")
    database.close()
    writing = Log.open(tmp_path)
    writing.append("m", place=Place("2"))
    assert writing.read("m") == (opening(),) and writing.place("m") == Place("2")
    writing.close()


def test_where_a_match_was_played_is_kept_beside_it_and_the_newest_counts(log: Log, tmp_path: Path) -> None:
    log.append("m", opening(), place=Place("http://me:secret@camera/video", layout="/a/layout.json"))
    log.append("n", opening())
    assert log.place("n") is None
    log.append("m", place=Place("1"))
    assert log.place("m") == Place("1") and log.read("m") == (opening(),)
    assert (tmp_path / "matches.db").stat().st_mode & 0o077 == 0, "an address may hold a password"
    assert "secret" not in repr(Place("http://me:secret@camera/video"))


def test_to_look_makes_no_file_and_changes_none(tmp_path: Path) -> None:
    nowhere = Log.open(tmp_path / "none", writes=False)
    assert nowhere.records() == () and nowhere.place("m") is None
    nowhere.close()
    assert not (tmp_path / "none").exists()
    (tmp_path / "matches.db").touch()
    empty = Log.open(tmp_path, writes=False)
    assert empty.records() == ()
    empty.close()
    assert (tmp_path / "matches.db").stat().st_size == 0


@pytest.mark.skipif(os.name == "nt", reason="folders are not locked so there")
def test_a_log_in_a_folder_that_takes_no_files_can_be_looked_at(log: Log, tmp_path: Path) -> None:
    log.append("m", opening())
    log.close()
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "matches.db").write_bytes((tmp_path / "matches.db").read_bytes())
    code = (
        "import sys, os, pathlib\n"
        "from referee.log import Log\n"
        "if os.geteuid() == 0: os.setgid(65534); os.setuid(65534)\n"
        "print(Log.open(pathlib.Path(sys.argv[1]), writes=False).records())"
    )
    for folder in (kept, *kept.parents[:3]):
        folder.chmod(0o555 if folder == kept else folder.stat().st_mode | 0o111)
    (kept / "matches.db").chmod(0o444)
    root = str(Path(__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code, str(kept)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
    )
    kept.chmod(0o755)
    assert "match_id='m'" in done.stdout, done.stderr


def test_a_match_ruled_by_newer_rules_is_refused(log: Log) -> None:
    log.append("m", opening(version=4))
    with pytest.raises(IncoherentLog, match=r"version 4 of toy.*use a newer program"):
        log.read("m")


def test_a_match_of_an_unknown_game_says_so(log: Log) -> None:
    log.append("m", opening(game="tiddlywinks"))
    with pytest.raises(UnknownGame, match=r"match m can't be read.*tiddlywinks"):
        log.read("m")


def test_a_match_that_is_not_there_is_told(log: Log) -> None:
    with pytest.raises(IncoherentLog, match="no match 'm'"):
        log.read("m")


WRITER = """
import sys, pathlib
from referee.log import Log
from tests.test_log import opening, point
log = Log.open(pathlib.Path(sys.argv[1]))
seq = next((r.events for r in log.records()), 0)
while True:
    log.append("m", point(seq) if seq else opening())
    print(seq, flush=True)
    seq += 1
"""


def test_nothing_acknowledged_is_lost_when_the_program_is_killed_again_and_again(tmp_path: Path, toy) -> None:
    acknowledged = -1
    root = str(Path(__file__).parents[1])
    for kill in range(8):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": root},
        )
        assert writer.stdout is not None
        for _ in range(3 + 7 * kill):
            acknowledged = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        acknowledged = max([acknowledged, *map(int, writer.stdout.read().split())])
        writer.wait()
        writer.stdout.close()
        log = Log.open(tmp_path)
        assert len(log.read("m")) >= acknowledged + 1
        log.close()

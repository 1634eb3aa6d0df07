"""What a data folder holds: its matches listed, its evidence kept within bounds."""

import json
import os
import time
from dataclasses import replace
from pathlib import Path

from click.testing import CliRunner

from referee import archive
from referee.cli import group
from referee.evidence import Settings, Store
from referee.facts import Picture
from referee.log import Log
from referee.rules.events import CAMERA, Event, Ruled, Seen, Started
from tests.stand_ins import PLAYERS, Options, Point, Toy, table

AT = "2026-01-02T03:04:05+00:00"
OLD_S = time.time() - 86400


def play(log: Log, match_id: str, points: int, picture: Picture) -> None:
    """A match of one ruling that rests on one picture; ten points end it."""
    seen = replace(table(1), pictures=(picture,))
    bodies = (Started("toy", 3, PLAYERS, Options()), Seen(seen), Ruled((Point(points),), CAMERA, 1))
    log.append(match_id, *(Event(n, AT, body) for n, body in enumerate(bodies)))


def keep(store: Store, content: bytes) -> Picture:
    picture = store.put(content + bytes(1_000_000))
    os.utime(store.folder / picture.name, (OLD_S, OLD_S))
    return picture


def test_evidence_of_a_match_that_may_go_on_outlives_that_of_one_that_is_over(
    tmp_path: Path, toy: Toy
) -> None:
    log, store = Log.open(tmp_path), Store(tmp_path / "evidence")
    pictures = {name: keep(store, name.encode()) for name in ("over", "on", "unreadable", "loose")}
    play(log, "over", 10, pictures["over"])
    play(log, "on", 3, pictures["on"])
    play(log, "unreadable", 3, pictures["unreadable"])
    log.append("unreadable", Event(4, AT, Seen(table())))
    assert archive.bound(log, store, Settings(limit_mb=10.0)) == 0
    assert archive.bound(log, store, Settings(limit_mb=1.0)) == 2
    left = {name for name, picture in pictures.items() if store.path(picture.name)}
    assert left == {"on", "unreadable"}
    log.close()


def test_matches_are_listed_with_their_scores_and_with_what_is_wrong_with_them(
    tmp_path: Path, toy: Toy
) -> None:
    log, store = Log.open(tmp_path), Store(tmp_path / "evidence")
    play(log, "over", 10, keep(store, b"a"))
    play(log, "on", 3, keep(store, b"b"))
    log.append("broken", Event(0, AT, Started("tiddlywinks", 1, PLAYERS, Options())))
    log.close()
    result = CliRunner().invoke(group, ["matches", "--json", "--data", str(tmp_path)])
    told = {m["match_id"]: m for m in map(json.loads, result.stdout.splitlines())}
    assert told["over"]["winners"] == ["Ana"] and told["over"]["finished"]
    assert told["on"]["scores"][0]["points"] == 3 and not told["on"]["finished"]
    assert "tiddlywinks" in told["broken"]["trouble"]
    shown = CliRunner().invoke(group, ["matches", "--data", str(tmp_path)])
    assert shown.exit_code == 0 and "Ana" in shown.stdout


def test_a_folder_without_a_log_holds_no_matches_and_is_left_alone(tmp_path: Path) -> None:
    result = CliRunner().invoke(group, ["matches", "--data", str(tmp_path / "none")])
    assert result.exit_code == 0 and "no match was played yet" in result.stderr
    assert not (tmp_path / "none").exists()


def test_a_log_without_matches_says_so(tmp_path: Path) -> None:
    Log.open(tmp_path).close()
    result = CliRunner().invoke(group, ["matches", "--data", str(tmp_path)])
    assert result.exit_code == 0 and "no match was played yet" in result.stderr and not result.stdout


def test_the_doctor_finds_a_broken_log(tmp_path: Path) -> None:
    assert CliRunner().invoke(group, ["doctor", "--data", str(tmp_path)]).exit_code == 0
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "matches.db").write_bytes(b"this is no database, whatever its name says" * 50)
    result = CliRunner().invoke(group, ["doctor", "--data", str(tmp_path / "bad")])
    assert result.exit_code == 1 and "BAD  log" in result.stdout

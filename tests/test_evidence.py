"""Evidence is whole, is what it was, and stays as long as a ruling needs it."""

import hashlib
import os
import time
from pathlib import Path

import pytest

from referee.evidence import Settings, Store, prune

OLD_S = time.time() - 86400


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "evidence")


def keep(store: Store, content: bytes, age_s: float = 3600.0) -> str:
    name = store.put(content).name
    then_s = time.time() - age_s
    os.utime(store.folder / name, (then_s, then_s))
    return name


def test_a_picture_is_found_by_its_name_and_is_what_was_stored(store: Store) -> None:
    picture = store.put(b"abc", "jpg", (3, 4))
    path = store.path(picture.name)
    assert path is not None and path.read_bytes() == b"abc"
    assert picture.tracks == (3, 4) and picture.sha256 == hashlib.sha256(b"abc").hexdigest()


def test_a_picture_that_was_altered_is_no_evidence_and_is_put_back_when_it_comes_again(store: Store) -> None:
    picture = store.put(b"abc")
    (store.folder / picture.name).write_bytes(b"abd")
    assert store.path(picture.name) is None
    assert store.put(b"abc") == picture
    assert store.path(picture.name) is not None


def test_the_same_picture_twice_is_one_file(store: Store) -> None:
    assert store.put(b"abc") == store.put(b"abc")
    assert len(list(store.folder.iterdir())) == 1


@pytest.mark.parametrize(
    "name", ["../matches.db", "/etc/passwd", "", ".", "a" * 32, "a" * 32 + ".py", "x\0.jpg"]
)
def test_no_name_leads_out_of_the_store(store: Store, name: str) -> None:
    (store.folder.parent / "matches.db").write_bytes(b"secret")
    store.put(b"abc")
    assert store.path(name) is None


def test_a_full_disk_leaves_nothing_half_written(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        store.put(b"abc")
    assert list(store.folder.iterdir()) == []


def test_what_no_ruling_names_goes_first_then_the_oldest_of_finished_matches(store: Store) -> None:
    finished = [keep(store, b"f%d" % n + bytes(400_000), 9000.0 - n) for n in range(2)]
    loose = keep(store, b"l" + bytes(400_000), 7000.0)
    needed = keep(store, b"n" + bytes(400_000), 99999.0)
    assert prune(store, {needed}, {*finished, needed}, Settings(limit_mb=1.3)) == 1
    assert store.path(loose) is None
    assert prune(store, {needed}, {*finished, needed}, Settings(limit_mb=1.0)) == 1
    assert store.path(finished[0]) is None and store.path(finished[1]) and store.path(needed)


def test_what_an_unfinished_match_needs_and_what_is_new_stays_over_any_limit(store: Store) -> None:
    needed, new = keep(store, b"n"), keep(store, b"new", age_s=1.0)
    assert prune(store, {needed}, {needed}, Settings(limit_mb=0.0)) == 0
    assert store.path(needed) and store.path(new)


def test_what_a_killed_program_left_half_written_is_cleared_away(store: Store) -> None:
    store.put(b"abc")
    left = store.folder / "tmp123.part"
    left.write_bytes(b"half")
    os.utime(left, (OLD_S, OLD_S))
    prune(store, set(), set(), Settings())
    assert not left.exists()

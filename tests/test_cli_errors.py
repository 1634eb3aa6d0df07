"""Whatever is wrong with what the command is given, the user reads one sentence and the exit code tells."""

from __future__ import annotations

import json
import os
import re
import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from calibration.art import write_piece_set
from referee import demo
from referee.cli import group
from referee.games.poc.options import Options
from referee.log import Log
from referee.rules.events import Event, Started
from tests.test_formats import JARGON

LAYOUT = {
    "marker_mm": 50.0,
    "marker_centers_mm": {"0": [-270, -190], "1": [270, -190], "2": [270, 190], "3": [-270, 190]},
}
CAMERA = {"size": [320, 240], "K": [[300, 0, 160], [0, 300, 120], [0, 0, 1]], "dist": [0, 0, 0, 0, 0]}
SEATS = ["--players", "Ana=fox,Ben=gecko"]


@pytest.fixture(scope="session")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("set") / "pieces"
    write_piece_set(folder)
    return folder


class Desk:
    """A folder with a layout, a camera and a blank clip, and the command to run on them."""

    def __init__(self, folder: Path, pieces: Path) -> None:
        self.folder = folder
        self.pieces = pieces
        self.layout = self.write("layout.json", LAYOUT)
        self.camera = self.write("camera.json", CAMERA)
        self.clip = folder / "clip.mp4"
        video = cv2.VideoWriter(str(self.clip), cv2.VideoWriter.fourcc(*"mp4v"), 30.0, (320, 240))
        rng = np.random.default_rng(3)
        table = cv2.GaussianBlur(rng.integers(60, 180, (240, 320, 3), np.uint8), (0, 0), 3)
        for _ in range(40):
            video.write(table)
        video.release()

    def write(self, name: str, content: object) -> Path:
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def table(self) -> list[str]:
        return ["--layout", str(self.layout), "--camera", str(self.camera), "--pieces", str(self.pieces)]

    def replay(self, *more: str, clip: Path | None = None) -> Result:
        return call("replay", str(clip or self.clip), *self.table(), *more)

    def run(self, *more: str, source: str | Path | None = None) -> Result:
        where = ["--data", str(self.folder / "data"), "--port", "0", "--no-browser"]
        return call("run", "--source", str(source or self.clip), *where, *self.table(), *more)


def call(*arguments: str) -> Result:
    return CliRunner().invoke(group, arguments)


def sentence(result: Result, code: int = 1) -> str:
    """The one sentence on standard error."""
    assert result.exit_code == code, result.output
    *before, last = result.stderr.strip().splitlines()
    assert (
        last.startswith("Error: ") and "Traceback" not in result.stderr and "fault of the program" not in last
    )
    assert code == 2 or not before
    return last


@pytest.fixture
def desk(tmp_path: Path, pieces: Path) -> Desk:
    return Desk(tmp_path, pieces)


@pytest.fixture
def silent_address() -> Iterator[str]:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        yield f"http://127.0.0.1:{silent.getsockname()[1]}/video"


Spoil = Callable[[Desk], object]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda d: d.layout.unlink(), "no layout at"),
        (lambda d: d.camera.unlink(), "no camera at"),
        (lambda d: d.write("layout.json", "{"), "layout .* can't be read"),
        (lambda d: d.write("layout.json", "[]"), "layout .* must hold one JSON object"),
        (lambda d: d.write("layout.json", {**LAYOUT, "marker_mm": 0}), "marker_mm must be a positive number"),
        (lambda d: d.write("layout.json", {**LAYOUT, "marker_centers_mm": {"0": [0, 0]}}), "at least two"),
        (
            lambda d: d.write("layout.json", {**LAYOUT, "marker_centers_mm": {"0": [0, 0], "1": [0, 0]}}),
            "two markers have the same centre",
        ),
        (lambda d: d.write("camera.json", {**CAMERA, "K": [[1, 2], [3, 4]]}), "three rows of three"),
        (lambda d: d.write("camera.json", {**CAMERA, "size": [300, 300]}), "300x300.*320x240"),
        (lambda d: setattr(d, "pieces", d.folder), "no piece set at .*pieces.json"),
        (lambda d: setattr(d, "pieces", d.folder / "none"), "no piece set at"),
        (lambda d: setattr(d, "clip", d.write("no.mp4", "hello")), "not a video"),
        (lambda d: d.clip.unlink(), "no file"),
    ],
)
def test_a_set_up_that_cant_be_used_is_told(desk: Desk, spoil: Spoil, said: str) -> None:
    spoil(desk)
    assert re.search(said, sentence(desk.replay()))


def test_two_pieces_of_one_id_are_told(desk: Desk, tmp_path: Path) -> None:
    told = json.loads((desk.pieces / "pieces.json").read_text())
    for piece in told["pieces"]:
        for face in ("front", "back"):
            piece[face] = str(desk.pieces / piece[face])
    told["pieces"][1]["id"] = told["pieces"][0]["id"]
    desk.pieces = tmp_path / "twice"
    desk.pieces.mkdir()
    desk.write("twice/pieces.json", told)
    assert "two pieces have the id" in sentence(desk.replay())


def test_a_clip_without_a_marker_in_view_is_told(desk: Desk) -> None:
    assert "table can't be found" in sentence(desk.replay())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--players", "Ana,Ben=gecko"], "Ana has no family"),
        (["--players", "Ana=fox,Ben=fox"], "Ana and Ben both have the family fox"),
        (["--players", "Ana=fox,Ana=gecko"], "two players are called Ana"),
        (["--players", "Ana=fox"], "two to four players"),
        (["--players", "Ana=fox,=gecko"], "seat without a name"),
        (["--players", "Ana=ox,Ben=gecko"], "family 'ox' is not in the game"),
        (["--game", "tiddlywinks"], "no game is called 'tiddlywinks'"),
        ([*SEATS, "--mode", "7"], "mode 7 is none of"),
        ([*SEATS, "--option", "moed=2"], "did you mean 'mode'"),
        ([*SEATS, "--option", "mode"], "has no value"),
        (["--config", "none.toml"], "settings none.toml can't be read"),
    ],
)
@pytest.mark.parametrize("command", ["replay", "run"])
def test_players_and_rules_that_dont_fit_are_told(
    desk: Desk, command: str, arguments: list[str], said: str
) -> None:
    result = desk.replay(*arguments) if command == "replay" else desk.run(*arguments)
    assert said in sentence(result)
    assert not (desk.folder / "data").exists()


def test_house_rules_without_players_are_told(desk: Desk) -> None:
    assert "name who plays" in sentence(desk.replay("--mode", "2"))


def test_answers_that_are_no_numbers_are_told(desk: Desk) -> None:
    desk.write("answers.txt", "yes\n")
    assert "line 1 of" in sentence(desk.replay(*SEATS, "--answers", str(desk.folder / "answers.txt")))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("73", "no picture from camera 73"),
        ("Nobody's camera", "no camera is called"),
        ("ftp://camera/", "no camera's address"),
        ("no.mp4", "no file no.mp4"),
    ],
)
def test_a_source_that_is_not_there_is_told_and_no_match_is_begun(desk: Desk, source: str, said: str) -> None:
    assert said in sentence(desk.run(*SEATS, source=source))
    log = Log.open(desk.folder / "data", writes=False)
    assert log.records() == ()
    log.close()


def test_an_address_that_keeps_silent_is_given_up(desk: Desk, silent_address: str) -> None:
    assert "no answer" in sentence(desk.run(*SEATS, source=silent_address))


def test_a_picture_of_one_pixel_is_told(desk: Desk) -> None:
    picture = desk.folder / "picture.png"
    cv2.imwrite(str(picture), np.zeros((1, 1, 3), np.uint8))
    assert "1x1 pixels: too small" in sentence(desk.run(source=picture))


def test_a_camera_file_for_another_shape_of_picture_is_told_at_once(desk: Desk) -> None:
    picture = desk.folder / "picture.png"
    cv2.imwrite(str(picture), np.zeros((300, 300, 3), np.uint8))
    assert "320x240, the picture is 300x300" in sentence(desk.run(source=picture))


def test_a_port_in_use_is_told(desk: Desk) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        result = desk.run(*SEATS, "--port", str(taken.getsockname()[1]))
        assert "in use by another program" in sentence(result)
    with closing(Log.open(desk.folder / "data", writes=False)) as log:
        assert log.records() == (), "a start that was refused begins no match"


def test_a_data_folder_that_another_referee_uses_is_told(desk: Desk) -> None:
    log = Log.open(desk.folder / "data")
    assert "another referee is writing" in sentence(desk.run(*SEATS))
    log.close()


def test_a_data_folder_that_cant_be_made_is_told(desk: Desk) -> None:
    desk.write("data", "a file where the folder should be")
    assert "no log can be kept" in sentence(desk.run(*SEATS))


def foreign(path: Path) -> None:
    database = sqlite3.connect(path)
    database.executescript("CREATE TABLE events (what TEXT); INSERT INTO events VALUES ('a concert')")
    database.close()


def newer(path: Path) -> None:
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.close()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda path: path.write_bytes(b"no database at all " * 99), "is damaged; move it aside"),
        (lambda path: path.write_bytes(path.read_bytes()[:5000]), "is damaged; move it aside"),
        (
            lambda path: path.write_bytes(path.read_bytes()[:4096] + os.urandom(4096 * 3)),
            "is damaged; move it aside",
        ),
        (lambda path: (path.unlink(), foreign(path)), "database of something else.*move it aside"),
        (newer, "written by a newer program: use that one"),
    ],
)
def test_a_log_that_cant_be_used_says_where_it_is_and_what_to_do(
    desk: Desk, spoil: Callable[[Path], object], said: str
) -> None:
    path = desk.folder / "data" / "matches.db"
    log = Log.open(path.parent)
    log.append("m", Event(0, "2026-01-02", Started("poc", 1, (), Options())))
    log.close()
    spoil(path)
    for arguments in (["matches"], ["play"], ["play", *SEATS], ["run", "--resume", "m"]):
        told = sentence(call(*arguments, "--data", str(path.parent)))
        assert re.search(said, told) and str(path) in told
    examined = call("doctor", "--data", str(path.parent))
    assert examined.exit_code == 1 and re.search(rf"BAD +log: .*{said}", examined.stdout)


@pytest.mark.parametrize("command", ["replay", "run"])
def test_a_piece_set_that_nobody_plays_with_is_told(desk: Desk, command: str) -> None:
    told = json.loads((desk.pieces / "pieces.json").read_text())
    foxes = [p for p in told["pieces"] if p["animal"] in ("fox", "panda")]
    for pieces, said in (
        ([{**p, "id": f"old {p['id']}"} for p in foxes], "no piece of Poc!: old fox1, … instead of fox1, …"),
        (foxes, "has no gecko for Ben: choose one of fox, panda, or give another set with --pieces"),
    ):
        for piece in pieces:
            for face in ("front", "back"):
                piece[face] = str(desk.pieces / piece[face])
        (desk.folder / "some").mkdir(exist_ok=True)
        desk.write("some/pieces.json", {**told, "pieces": pieces})
        given = [*SEATS, "--pieces", str(desk.folder / "some")]
        result = desk.replay(*given) if command == "replay" else desk.run(*given)
        assert said in sentence(result)


@pytest.mark.parametrize("text", ["", "game = 7", 'game = "poc"', "[game]", "players"])
def test_a_demonstration_that_is_damaged_says_how_to_mend_it(desk: Desk, monkeypatch, text: str) -> None:
    monkeypatch.setattr(demo, "MATCH", desk.write("match.toml", text))
    told = sentence(call("demo", "--once"))
    assert "match.toml can't be used" in told and "referee demo --make" in told
    assert not JARGON.search(told)


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["run", "--port", "x"], ["run", "--players", "A=fox", "--resume"], ["replay"]]
)
def test_a_command_that_is_none_ends_with_two(arguments: list[str]) -> None:
    sentence(call(*arguments), code=2)


def test_a_match_to_resume_must_be_there(desk: Desk) -> None:
    assert "no match is called 'yesterday'" in sentence(desk.run("--resume", "yesterday"))


def test_a_fault_of_the_program_is_owned_up_to_and_its_place_shown_on_request(
    desk: Desk, monkeypatch
) -> None:
    def fail(*args: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("referee.cli.replay.sights", fail)
    result = desk.replay()
    assert result.exit_code == 1 and "fault of the program, not yours: ZeroDivisionError: oh" in result.stderr
    again = call("--traceback", "replay", str(desk.clip))
    assert isinstance(again.exception, ZeroDivisionError)

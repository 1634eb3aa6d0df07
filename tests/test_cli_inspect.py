"""`referee inspect` prints what is promised, nothing else, and tells bad input in one sentence."""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from referee import demo
from referee.cli import group
from referee.cli.inspect import in_short, stranger
from referee.facts import Stranger

FRAMES = Path(__file__).parents[1] / "fixtures" / "frames"
PICTURE = FRAMES / "knife_3.jpg"
STATES = {"table", "in_box", "on_rim", "on_lid", "leaning", "off_table"}


def inspect(*arguments: object, layout: Path = FRAMES / "setup", camera: Path = FRAMES / "setup") -> Result:
    words = ["inspect", *arguments, "--layout", layout, "--camera", camera]
    return CliRunner().invoke(group, [str(w) for w in words])


def told(result: Result) -> str:
    """The one sentence on standard error; nothing was printed, no traceback."""
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    (said,) = result.stderr.strip().splitlines()
    assert "Traceback" not in said and "fault of the program" not in said
    return said


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and np.isfinite(value)


def is_point(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(is_number, value))


def check(read: dict[str, Any], image: str) -> None:
    """The object has the keys, kinds and ranges that are promised."""
    assert read.keys() == {
        "schema", "image", "table", "discs", "contacts", "box", "strangers", "timing_ms"
    }  # fmt: skip
    assert (read["schema"], read["image"]) == ("referee.scene/1", image)
    where = read["table"]
    assert where.keys() == {"found", "markers", "residual_px", "camera"}
    assert isinstance(where["found"], bool) and where["camera"] in ("given", "estimated")
    assert all(isinstance(m, int) for m in where["markers"])
    assert is_number(where["residual_px"]) if where["found"] else where["residual_px"] is None
    for odd in read["strangers"]:
        assert odd.keys() == {"center_mm", "radius_mm", "height_mm"}
        assert is_point(odd["center_mm"]) and odd["radius_mm"] > 0 and odd["height_mm"] >= 0
    for disc in read["discs"]:
        assert disc.keys() == {
            "id", "names", "face", "center_mm", "sigma_mm", "tilt_deg", "rotation_deg", "state",
            "visible_fraction",
        }  # fmt: skip
        assert all(isinstance(n, str) and 0 <= p <= 1 for n, p in disc["names"])
        chances = [p for _, p in disc["names"]]
        assert chances == sorted(chances, reverse=True) and sum(chances) <= 1.001
        assert disc["id"] is None or disc["id"] == disc["names"][0][0]
        assert disc["face"] in ("front", "back", "unknown") and disc["state"] in STATES
        assert is_point(disc["center_mm"]) and disc["sigma_mm"] > 0
        assert is_number(disc["tilt_deg"]) and -180 <= disc["rotation_deg"] <= 180
        assert 0 <= disc["visible_fraction"] <= 1
    for contact in read["contacts"]:
        assert contact.keys() == {"top", "bottom", "width_mm", "sigma_mm", "area_mm2", "verdict"}
        assert contact["top"] != contact["bottom"]
        assert {contact["top"], contact["bottom"]} <= set(range(len(read["discs"])))
        assert is_number(contact["width_mm"]) and contact["sigma_mm"] > 0 and contact["area_mm2"] >= 0
        assert contact["verdict"] in ("covers", "clear", "too_close")
    if read["box"] is not None:
        assert {"center_mm", "yaw_deg", "outer_mm", "height_mm", "lid"} <= read["box"].keys()
        assert is_point(read["box"]["center_mm"]) and isinstance(read["box"]["lid"], bool)
    assert {"locate", "total"} <= read["timing_ms"].keys()
    assert all(is_number(v) and v >= 0 for v in read["timing_ms"].values())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two frames and a blank picture that shows no table, with their set-ups."""
    made = tmp_path_factory.mktemp("pictures")
    (made / "setup").mkdir()
    for name in ("knife_3", "box_2"):
        for file in (f"{name}.jpg", f"setup/{name}.json"):
            (made / file).write_bytes((FRAMES / file).read_bytes())
    return made


def test_one_picture_is_one_json_object_as_promised():
    result = inspect(PICTURE, "--json")
    assert result.exit_code == 0 and result.stderr == ""
    (line,) = result.stdout.splitlines()
    read = json.loads(line)
    check(read, "knife_3.jpg")
    assert len(read["discs"]) == 6 and len(read["contacts"]) >= 3 and read["box"] is None
    assert read["table"]["camera"] == "given" and read["table"]["markers"] == [1, 2, 3]
    assert {"find", "identify", "contact"} <= read["timing_ms"].keys()


def test_a_folder_is_one_object_a_line(folder):
    result = inspect(folder, "--json", layout=folder / "setup", camera=folder / "setup")
    assert result.exit_code == 0 and result.stderr == ""
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [r["image"] for r in lines] == ["box_2.jpg", "knife_3.jpg"]
    for read in lines:
        check(read, read["image"])
    assert lines[0]["box"] is not None


def test_out_writes_a_whole_file_for_each_picture_and_prints_none(folder, tmp_path):
    out = tmp_path / "new" / "readings"
    result = inspect(folder, "--json", "--out", out, layout=folder / "setup", camera=folder / "setup")
    assert result.exit_code == 0 and result.stdout == ""
    assert sorted(p.name for p in out.iterdir()) == ["box_2.json", "knife_3.json"]
    for path in out.iterdir():
        check(json.loads(path.read_text("utf-8")), f"{path.stem}.jpg")


def test_without_a_camera_the_focal_length_is_said_to_be_estimated():
    result = CliRunner().invoke(
        group, ["inspect", str(PICTURE), "--json", "--layout", str(FRAMES / "setup" / "knife_3.json")]
    )
    read = json.loads(result.stdout)
    check(read, "knife_3.jpg")
    assert read["table"]["camera"] == "estimated"


def test_without_json_people_are_told_who_covers_whom():
    result = inspect(PICTURE)
    assert result.exit_code == 0
    assert "knife_3.jpg: 6 coasters" in result.stdout and " misses " in result.stdout


def test_an_unknown_round_object_is_told_in_words_and_in_json():
    seen = Stranger(-120.04, 33.0, 43.96)
    assert stranger(seen) == {"center_mm": [-120.0, 33.0], "radius_mm": 44.0, "height_mm": 0.0}
    assert in_short(seen) == "an unknown round object, 88 mm wide, at -120, 33"


def test_a_picture_without_a_table_says_so_and_fails(tmp_path):
    blank = tmp_path / "knife_3.jpg"
    cv2.imwrite(str(blank), np.full((720, 1280, 3), 90, np.uint8))
    result = inspect(blank, "--json")
    assert result.exit_code == 1
    read = json.loads(result.stdout)
    check(read, "knife_3.jpg")
    assert read["table"]["found"] is False and read["discs"] == read["contacts"] == []
    (said,) = result.stderr.strip().splitlines()
    assert "table can't be found" in said and "two of the layout's markers" in said


def vast_png(path: Path, side: int) -> Path:
    """A black picture of side x side that takes little room on disk: one bit a pixel, deflated."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    squeeze = zlib.compressobj(9)
    row = bytes(1 + side // 8)
    rows = b"".join(squeeze.compress(row) for _ in range(side)) + squeeze.flush()
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", rows) + chunk(b"IEND", b""))
    return path


def pictures(folder: Path) -> Iterator[tuple[Path, str]]:
    one = folder / "one.png"
    cv2.imwrite(str(one), np.zeros((1, 1, 3), np.uint8))
    yield one, "1x1 pixels: too small"
    yield vast_png(folder / "vast.png", 20_000), "more than 120 million pixels; make it smaller"
    words = folder / "words.jpg"
    words.write_text("not a picture")
    yield words, "not a picture that can be read"
    empty = folder / "empty.jpg"
    empty.write_bytes(b"")
    yield empty, "not a picture that can be read"
    cut_off = folder / "cut_off.jpg"
    cut_off.write_bytes(PICTURE.read_bytes()[:20_000])
    yield cut_off, "damaged"
    yield folder / "none.jpg", "can't be read: No such file"


def test_a_file_that_is_no_usable_picture_is_told(tmp_path):
    single = FRAMES / "setup" / "knife_3.json"
    for path, said in pictures(tmp_path):
        assert said in told(inspect(path, "--json", layout=single, camera=single))


def test_a_folder_without_a_picture_is_told(tmp_path):
    assert "no pictures in" in told(inspect(tmp_path, "--json"))


def test_a_bad_picture_among_good_ones_loses_none_of_them(folder, tmp_path):
    single = FRAMES / "setup" / "knife_3.json"
    bad = tmp_path / "bad.jpg"
    bad.write_text("not a picture")
    out = tmp_path / "out"
    result = inspect(bad, PICTURE, "--out", out, layout=single, camera=single)
    assert result.exit_code == 1 and result.stdout == ""
    assert "bad.jpg" in result.stderr and "1 of 2 pictures read" in result.stderr
    assert [p.name for p in out.iterdir()] == ["knife_3.json"]


def spoilt(path: Path, changed: dict[str, Any]) -> Path:
    whole = json.loads((FRAMES / "setup" / "knife_3.json").read_text("utf-8"))
    path.write_text(json.dumps({**whole, **changed}))
    return path


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"marker_mm": "wide"}, "marker_mm must be a number, not 'wide'"),
        ({"marker_centers_mm": {"0": [1, 2], "1": [1, 2]}}, "two markers have the same centre"),
        ({"marker_family": "tag99"}, "marker_family must be one of tag36h11, tag25h9, tag16h5, not 'tag99'"),
        ({"size": [640, 480]}, "the camera file is for 640x480, the picture is 1280x720"),
        ({"K": []}, "three rows of three"),
    ],
)
def test_a_set_up_that_contradicts_itself_or_the_picture_is_told(tmp_path, changed, said):
    broken = spoilt(tmp_path / "setup.json", changed)
    out = tmp_path / "out"
    assert said in told(inspect(PICTURE, "--out", out, layout=broken, camera=broken))
    assert not out.exists() or not list(out.iterdir())


def test_a_set_up_that_isnt_there_is_told(tmp_path):
    single = FRAMES / "setup" / "knife_3.json"
    assert "no layout at" in told(inspect(PICTURE, layout=tmp_path / "none.json", camera=single))
    assert "no camera at" in told(inspect(PICTURE, layout=single, camera=tmp_path / "none.json"))


def test_a_layout_of_other_markers_finds_no_table(tmp_path):
    other = spoilt(tmp_path / "setup.json", {"marker_centers_mm": {"7": [0, 0], "8": [100, 0]}})
    result = inspect(PICTURE, "--json", layout=other, camera=other)
    assert result.exit_code == 1 and json.loads(result.stdout)["table"]["found"] is False


MOVED = {"0": [-270, -190], "1": [270, -190], "3": [-270, 190]}
"""Without the marker at 270, 190."""


def test_markers_that_lie_otherwise_than_the_layout_says_are_told(tmp_path):
    far = spoilt(tmp_path / "far.json", {"marker_centers_mm": {**MOVED, "2": [285, 190]}})
    result = inspect(PICTURE, "--json", layout=far, camera=far)
    assert result.exit_code == 1 and json.loads(result.stdout)["table"]["found"] is False
    assert "in view, but not where it says" in result.stderr


@pytest.mark.parametrize("changed", [{"marker_centers_mm": {**MOVED, "2": [272, 190]}}, {"marker_mm": 40.0}])
def test_a_table_that_fits_its_markers_badly_is_read_and_doubted(tmp_path, changed):
    near = spoilt(tmp_path / "near.json", changed)
    result = inspect(PICTURE, "--json", layout=near, camera=near)
    assert result.exit_code == 0 and json.loads(result.stdout)["table"]["found"] is True
    (said,) = result.stderr.splitlines()
    assert "px beside where layout and camera file put them" in said and "check" in said


def piece_set(folder: Path, change: Any) -> Path:
    """The printed set's list, its pictures by their full names, changed."""
    content = json.loads((demo.PIECES / "pieces.json").read_text("utf-8"))
    for piece in content["pieces"]:
        for side in ("front", "back"):
            piece[side] = str(demo.PIECES / piece[side])
    change(content["pieces"])
    folder.mkdir()
    (folder / "pieces.json").write_text(json.dumps(content))
    return folder


def test_a_piece_set_that_cant_be_used_is_told(tmp_path):
    words = tmp_path / "words.png"
    words.write_text("not a picture")
    for i, (change, said) in enumerate(
        [
            (lambda p: p[1].update(id=p[0]["id"]), "two pieces have the id 'fox1'"),
            (lambda p: p[2].update(front="gone.png"), "no picture at 'gone.png'"),
            (lambda p: p[2].update(front=str(words)), "it must be a JPEG or PNG"),
        ]
    ):
        pieces = piece_set(tmp_path / str(i), change)
        assert said in told(inspect(PICTURE, "--json", "--pieces", pieces))


def test_an_unknown_game_is_told():
    assert "'tiddlywinks'" in told(inspect(PICTURE, "--game", "tiddlywinks"))


def test_a_folder_that_cant_be_written_is_told(tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("a file where the folder should be")
    assert "no folder can be made at" in told(inspect(PICTURE, "--out", taken))


def test_a_reading_that_cant_be_written_leaves_nothing_half_written(tmp_path):
    (tmp_path / "knife_3.json").mkdir()
    (tmp_path / "knife_3.json" / "something").write_text("in the way")
    assert "knife_3.json can't be written" in told(inspect(PICTURE, "--out", tmp_path))
    assert [p.name for p in tmp_path.iterdir()] == ["knife_3.json"]


def test_explain_draws_every_close_pair_and_says_why(folder, tmp_path):
    out = tmp_path / "new" / "why"
    result = inspect(folder, "--json", "--explain", out, layout=folder / "setup", camera=folder / "setup")
    assert result.exit_code == 0 and result.stderr == ""
    reads = [json.loads(line) for line in result.stdout.splitlines()]
    for read in reads:
        check(read, read["image"])
    listed = [c for read in reads for c in read["contacts"] if c["width_mm"] > -5]
    drawn = sorted(out.glob("*.png"))
    assert len(drawn) == len(listed) >= 3
    assert {p.name for p in out.glob("*.txt")} == {"box_2.txt", "knife_3.txt"}
    assert not list(out.glob("*.part"))
    told = (out / "knife_3.txt").read_text("utf-8").splitlines()
    sentence = r"Gecko 3 misses Penguin 1 by 1\.[89]\d ± 0\.\d\d mm\. The distance alone tells\."
    assert re.fullmatch(sentence, told[4])
    assert told[5] == "    knife_3_gecko3_beside_penguin1.png"
    shown = cv2.imread(str(out / told[5].strip()))
    assert shown.shape[1] == 1280 and shown.shape[0] > 640


def test_explain_says_when_no_pair_is_close(tmp_path):
    name = "singles_1"
    set_up = FRAMES / "setup" / f"{name}.json"
    result = inspect(FRAMES / f"{name}.jpg", "--explain", tmp_path, layout=set_up, camera=set_up)
    assert result.exit_code == 0
    assert [p.name for p in tmp_path.iterdir()] == [f"{name}.txt"]
    assert (tmp_path / f"{name}.txt").read_text() == "No two coasters overlap or nearly touch.\n"


def test_a_folder_for_explanations_that_cant_be_written_is_told(tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("a file where the folder should be")
    assert "no folder can be made at" in told(inspect(PICTURE, "--explain", taken))
    (tmp_path / "knife_3.txt").mkdir()
    (tmp_path / "knife_3.txt" / "something").write_text("in the way")
    result = inspect(PICTURE, "--json", "--explain", tmp_path)
    assert result.exit_code == 1 and "knife_3.txt can't be written" in result.stderr

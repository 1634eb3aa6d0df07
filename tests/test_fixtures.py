"""The fixtures are what their list says, no more, no less."""

import hashlib
import json
import tomllib
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.render import Spec, deal, render
from calibration.render.fixtures import MANIFEST, SCENES, record
from calibration.render.match import PLAYS, RESULT, expected_text
from calibration.render.truth import scene_truth, setup_json
from referee import demo
from referee.formats import load_camera, load_layout, load_pieces

FIXTURES = Path(__file__).parents[1] / "fixtures"
LARGEST_BYTES, LARGEST_CLIP_BYTES = 25_000_000, 9_000_000


def listed():
    return tomllib.loads((FIXTURES / MANIFEST).read_text("utf-8"))["file"]


def test_every_file_is_listed_with_source_licence_and_hash():
    there = {p.relative_to(FIXTURES).as_posix() for p in FIXTURES.rglob("*") if p.is_file()} - {MANIFEST}
    assert {f["path"] for f in listed()} == there
    for file in listed():
        assert file["source"] and file["licence"]
        assert hashlib.sha256((FIXTURES / file["path"]).read_bytes()).hexdigest() == file["sha256"], file[
            "path"
        ]


def test_the_fixtures_stay_small():
    assert sum(p.stat().st_size for p in FIXTURES.rglob("*") if p.is_file()) <= LARGEST_BYTES


@pytest.mark.parametrize("name", [f"{kind}_{seed}" for kind, seed, *_ in SCENES])
def test_a_frame_has_its_truth_and_its_set_up(name):
    frames = FIXTURES / "frames"
    picture = cv2.imread(str(frames / f"{name}.jpg"))
    truth = json.loads((frames / f"{name}.json").read_text("utf-8"))
    setup = frames / "setup" / f"{name}.json"
    assert load_camera(setup).size == picture.shape[1::-1] == tuple(truth["camera"]["size"])
    assert len(load_layout(setup).marker_centers_mm) == 4
    assert truth["coasters"]
    assert "coasters" not in setup.read_text("utf-8")


def test_the_scenes_deal_out_again_as_they_are_stored():
    pieces = load_pieces(demo.PIECES)
    for kind, seed, size, tilt_deg, surface in SCENES:
        scene = deal(Spec(kind, pieces, size, tilt_deg, surface), seed)
        stored = json.loads((FIXTURES / "frames" / f"{kind}_{seed}.json").read_text("utf-8"))
        setup = json.loads((FIXTURES / "frames" / "setup" / f"{kind}_{seed}.json").read_text("utf-8"))
        dealt = scene_truth(scene, f"{kind}_{seed}.jpg", kind)
        assert [c["id"] for c in dealt["coasters"]] == [c["id"] for c in stored["coasters"]]
        for now, then in zip(dealt["coasters"], stored["coasters"], strict=True):
            assert np.allclose(now["pose"], then["pose"], atol=1e-3) and now["state"] == then["state"]
        assert [(o["top"], o["bottom"]) for o in dealt["overlaps"]] == [
            (o["top"], o["bottom"]) for o in stored["overlaps"]
        ]
        assert setup_json(scene)["size"] == setup["size"] and np.allclose(setup_json(scene)["K"], setup["K"])


def test_a_frame_draws_again_as_it_is_stored():
    kind, seed, size, tilt_deg, surface = SCENES[0]
    scene = deal(Spec(kind, load_pieces(demo.PIECES), size, tilt_deg, surface), seed)
    stored = cv2.imread(str(FIXTURES / "frames" / f"{kind}_{seed}.jpg")).astype(int)
    assert np.abs(render(scene, seed) - stored).mean() < 0.5


def test_the_clip_is_as_long_as_its_truth():
    truth = json.loads((FIXTURES / "clips" / "throws.json").read_text("utf-8"))
    clip = cv2.VideoCapture(str(FIXTURES / "clips" / "throws.mp4"))
    count = 0
    while clip.grab():
        count += 1
    assert count == truth["frames"]
    assert len(truth["turns"]) == 4
    for turn in truth["turns"]:
        order = [turn[f"frame_{k}"] for k in ("enter", "flick", "landed", "settled")]
        assert order == sorted(order) and turn["frame_flick"] < turn["frame_exit"] <= count


def test_a_file_that_nobody_described_counts_as_written_by_hand(tmp_path):
    (tmp_path / "playthroughs").mkdir()
    (tmp_path / "playthroughs" / "a.txt").write_text("one", "utf-8")
    record(tmp_path)
    (file,) = tomllib.loads((tmp_path / MANIFEST).read_text("utf-8"))["file"]
    assert (file["path"], file["source"]) == ("playthroughs/a.txt", "written by hand for this project")
    assert file["sha256"] == hashlib.sha256(b"one").hexdigest()


def test_the_embedded_clip_is_whole_and_small_and_tells_the_match():
    truth = json.loads((demo.FOLDER / "truth.json").read_text("utf-8"))
    clip = cv2.VideoCapture(str(demo.CLIP))
    assert int(clip.get(cv2.CAP_PROP_FRAME_COUNT)) == truth["frames"]
    assert clip.get(cv2.CAP_PROP_FPS) == truth["fps"] == 30
    assert demo.CLIP.stat().st_size <= LARGEST_CLIP_BYTES
    assert load_camera(demo.CAMERA).size == (1280, 720)
    assert load_layout(demo.LAYOUT).box is not None
    assert [t["coaster"] for t in truth["turns"]] == [p.piece for p in PLAYS]
    assert (demo.FOLDER / "expected.txt").read_text("utf-8") == expected_text()


def test_the_embedded_match_is_the_one_of_its_playthrough():
    text = (FIXTURES / "playthroughs" / "poc" / "demonstration.txt").read_text("utf-8")
    throws = [line for line in text.splitlines() if line.startswith("> ") and " throws " in line]
    assert len(throws) == len(PLAYS)
    for line, play in zip(throws, PLAYS, strict=True):
        assert line.startswith(f"> {play.player.name} throws {play.piece}")
        assert ("no half turn" in line) == (play.half_turns == 0)
        assert ("in the box" in line) == (play.where == "box")
        assert (" over " in line) == ("covers" in play.says)
    assert text.rstrip().endswith("= Ana 24, Ben 13 | the game is over") and RESULT.startswith(
        "Ana 24, Ben 13"
    )

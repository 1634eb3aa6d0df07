"""Frames in, scenes out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee import demo
from referee.facts import Rest, Scene, Verdict
from referee.formats import load_camera, load_layout, load_pieces
from referee.vision import pipeline
from referee.vision.frames.source import Clip, Frame
from referee.vision.messages import Gate
from referee.vision.outcome import Outcome
from referee.vision.pipeline import Eye, Sights
from referee.vision.reading import Reading
from tests import small_world as world
from tests.test_track import laid

CLIPS = Path(__file__).parents[2] / "shared" / "data" / "poc" / "clips"


@pytest.fixture(scope="module")
def sights() -> Sights:
    camera = load_camera(demo.CAMERA)
    return Sights(load_layout(demo.LAYOUT), camera, load_pieces(demo.PIECES))


class NothingThere:
    """A reader of empty tables: what the eye does around the reading is what is tested."""

    def __init__(self, eye: Eye) -> None:
        self.gallery = eye.reader.gallery
        self.read_at: list[np.ndarray] = []

    def read(self, bgr: np.ndarray, view: object, before: object = None) -> Reading:
        self.read_at.append(bgr)
        return Reading((), (), None, (), (), 0, {})


def eye_of(sights: Sights) -> Eye:
    eye = pipeline.open_eye(sights)
    return replace(eye, reader=NothingThere(eye))


def seen(
    eye: Eye, pictures: Iterator[np.ndarray] | list[np.ndarray], first: int = 0
) -> tuple[Eye, list[Outcome]]:
    outcomes = []
    for i, picture in enumerate(pictures, first):
        eye, outcome = pipeline.see(eye, Frame(i, i / 30, picture))
        outcomes.append(outcome)
    return eye, outcomes


@pytest.fixture(scope="module")
def table() -> np.ndarray:
    """The demo's table, empty, markers and all."""
    picture = next(iter(Clip(demo.CLIP).frames())).bgr
    return np.ascontiguousarray(picture)


def calm(table: np.ndarray, count: int, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [world.noisy(table, rng) for _ in range(count)]


def test_a_table_at_rest_is_told_once(sights: Sights, table: np.ndarray) -> None:
    _, outcomes = seen(eye_of(sights), calm(table, 20))
    scenes = [o.scene for o in outcomes if o.scene]
    assert len(scenes) == 1
    assert scenes[0].still_s >= sights.settings.settle.quiet_s
    assert outcomes[-1].gate is Gate.STILL
    assert len(outcomes[-1].markers) >= 3


def test_a_reading_averages_the_quiet_pictures(sights: Sights, table: np.ndarray) -> None:
    eye, _ = seen(eye_of(sights), calm(table, 20))
    (read,) = eye.reader.read_at
    single = cv2.absdiff(calm(table, 1)[0], table).std()
    assert cv2.absdiff(read, table).std() < 0.75 * single


def test_after_movement_the_table_is_told_again(sights: Sights, table: np.ndarray) -> None:
    rng = np.random.default_rng(4)
    passing = [
        world.noisy(world.arm(table, r), rng)
        for r in [*np.linspace(-100, 500, 8), *np.linspace(500, -400, 8)]
    ]
    _, outcomes = seen(eye_of(sights), [*calm(table, 12), *passing, *calm(table, 14, seed=8)])
    assert sum(o.scene is not None for o in outcomes) == 2


def test_a_table_without_markers_is_blind_and_says_so(sights: Sights) -> None:
    _, outcomes = seen(eye_of(sights), calm(world.ground(), 12))
    assert outcomes[-1].gate is Gate.BLIND
    assert "markers" in outcomes[-1].trouble
    assert all(o.scene is None for o in outcomes)


def test_a_table_that_comes_into_view_is_found(sights: Sights, table: np.ndarray) -> None:
    _, outcomes = seen(eye_of(sights), [*calm(world.ground(), 10), *calm(table, 30, seed=3)])
    assert outcomes[-1].gate is Gate.STILL
    assert sum(o.scene is not None for o in outcomes) == 1


def restless(picture: np.ndarray, count: int) -> list[np.ndarray]:
    """Something small is always moving along the picture's upper edge."""
    pictures = calm(picture, count, seed=4)
    for i, moved in enumerate(pictures):
        cv2.rectangle(moved, (100 + 40 * (i % 25), 0), (180 + 40 * (i % 25), 40), (20, 20, 200), -1)
    return pictures


def test_where_nothing_rests_and_no_table_is_found_people_are_told(sights: Sights) -> None:
    _, outcomes = seen(eye_of(sights), restless(world.ground(), 110))
    assert all(o.gate is not Gate.STILL for o in outcomes[1:])
    assert outcomes[30].trouble == ""
    assert "markers" in outcomes[-1].trouble


def test_what_moves_beside_the_table_holds_nothing_up(sights: Sights, table: np.ndarray) -> None:
    _, outcomes = seen(eye_of(sights), restless(table, 130))
    assert sum(o.scene is not None for o in outcomes) == 1
    assert outcomes[-1].trouble == ""


def test_pictures_are_kept_no_longer_than_a_throw_needs(sights: Sights, table: np.ndarray) -> None:
    eye, _ = seen(eye_of(sights), calm(table, 100))
    assert eye.history[-1].t_s - eye.history[0].t_s <= sights.settings.history_s + 1e-6
    assert len(eye.recent) <= sights.settings.run_up_s / sights.settings.run_up_apart_s + 1


def test_a_knocked_camera_is_measured_anew_and_said(sights: Sights, table: np.ndarray) -> None:
    shift = np.array([[1, 0, 9], [0, 1, -6]], np.float32)
    knocked = cv2.warpAffine(table, shift, (table.shape[1], table.shape[0]), borderMode=cv2.BORDER_REPLICATE)
    eye, _ = seen(eye_of(sights), calm(table, 12))
    where = eye.mount.view.to_px(np.zeros((1, 3)))[0]
    eye, after = seen(eye, calm(knocked, 20, seed=2), first=12)
    assert np.hypot(*(eye.mount.view.to_px(np.zeros((1, 3)))[0] - where - [9, -6])) < 1
    assert any("moved" in o.trouble for o in after)
    assert after[-1].gate is Gate.STILL
    assert any(o.scene for o in after)


def test_a_camera_that_changes_its_size_is_followed(sights: Sights, table: np.ndarray) -> None:
    eye, _ = seen(eye_of(sights), calm(table, 12))
    smaller = [cv2.resize(p, (960, 540), interpolation=cv2.INTER_AREA) for p in calm(table, 14, seed=5)]
    eye, after = seen(eye, smaller, first=12)
    assert after[-1].gate is Gate.STILL
    assert any(o.scene for o in after)


def test_the_pose_gets_steadier_while_the_camera_stands(sights: Sights, table: np.ndarray) -> None:
    rng = np.random.default_rng(6)
    wave = [world.noisy(world.arm(table, r), rng) for r in (-60, 200, 400, 200, -60)]
    pictures = [p for i in range(4) for p in (*calm(table, 10, seed=i), *wave)]
    eye, _ = seen(eye_of(sights), pictures)
    assert eye.mount.looks >= 3


def test_an_eye_opened_again_knows_what_lay_there(sights: Sights) -> None:
    lay = laid(3, "fox1", 0, 0)
    eye = pipeline.open_eye(sights, Scene(1.0, 30, 0.3, (lay,), ()))
    assert eye.book.placed == (lay,)
    assert eye.book.next_track == 4


def test_the_demo_is_seen_as_it_was_filmed(sights: Sights) -> None:
    truth = json.loads((demo.FOLDER / "truth.json").read_text())
    until = truth["turns"][1]["frame_exit"] + 12
    eye, flights, last = pipeline.open_eye(sights), [], None
    for frame in Clip(demo.CLIP).frames():
        if frame.index > until:
            break
        eye, outcome = pipeline.see(eye, frame)
        if outcome.scene:
            last = outcome.scene
            flights += outcome.scene.flights
    assert last is not None
    for flight, turn in zip(flights, truth["turns"][:2], strict=True):
        assert flight.piece == turn["coaster"]
        assert flight.flip is Verdict.YES
        assert abs(flight.half_turns.value - turn["half_turns_in_air"]) < 3 * flight.half_turns.sigma
        assert flight.start_face.value == turn["start_face"]
        assert abs(flight.frame_flick - turn["frame_flick"]) <= 2
    assert {p.piece: p.state for p in last.placed} == {"fox3": Rest.TABLE, "gecko2": Rest.TABLE}


@pytest.mark.parametrize("name", ["clip_113", "clip_117", "clip_120"])
def test_every_throw_of_a_simulated_clip_is_seen_and_ruled_right(name: str) -> None:
    if not CLIPS.is_dir():
        pytest.skip("the simulated clips are not on this machine")
    truth = json.loads((CLIPS / f"{name}.json").read_text())
    setup = CLIPS / "setup" / f"{name}.json"
    eye = pipeline.open_eye(
        Sights(load_layout(setup), load_camera(setup), load_pieces(CLIPS.parent / "pieces"))
    )
    flights = []
    for frame in Clip(CLIPS / f"{name}.mp4").frames():
        eye, outcome = pipeline.see(eye, frame)
        if outcome.scene:
            flights += outcome.scene.flights
    assert len(flights) == len(truth["turns"])
    for flight, turn in zip(flights, truth["turns"], strict=True):
        assert flight.piece in (turn["coaster"], None)
        wrong = Verdict.NO if turn["half_turns_in_air"] >= 0.9 else Verdict.YES
        assert flight.flip is not wrong

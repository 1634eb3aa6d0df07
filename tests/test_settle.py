"""When the table counts as still."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
import pytest

from referee.vision.messages import Gate
from referee.vision.watch import motion, settle
from referee.vision.watch.settle import Watch
from tests import small_world as world

SEEING = motion.Settings()
SETTLE = settle.Settings()


def watched(
    pictures: Iterable[world.Pixels], fps: float = 30.0, watch: Watch | None = None, **areas: motion.Mask
) -> list[Watch]:
    seen: list[Watch] = []
    for i, picture in enumerate(pictures):
        t_s = i / fps if watch is None else watch.latest.t_s + 1 / fps
        now = motion.glimpse(i, t_s, picture, SEEING)
        if watch is None:
            watch = settle.begin(now)
        else:
            watch = settle.step(watch, now, areas.get("area"), areas.get("play"), SETTLE, SEEING)
        seen.append(watch)
    return seen


def quiet(count: int, seed: int = 0, level: float = 2.0) -> list[world.Pixels]:
    rng, table = np.random.default_rng(seed), world.ground()
    return [world.noisy(table, rng, level) for _ in range(count)]


def with_arm(reaches: Iterable[float]) -> list[world.Pixels]:
    rng, table = np.random.default_rng(5), world.ground()
    return [world.noisy(world.arm(table, reach), rng) for reach in reaches]


def gates(seen: list[Watch]) -> list[Gate]:
    return [w.gate for w in seen]


def test_a_quiet_table_is_still_after_a_moment() -> None:
    found = gates(watched(quiet(12)))
    assert found[0] is Gate.SETTLING
    assert found[-1] is Gate.STILL


def test_a_noisy_camera_does_not_keep_the_table_moving() -> None:
    assert gates(watched(quiet(12, level=8.0)))[-1] is Gate.STILL


def test_a_coming_hand_is_movement() -> None:
    seen = watched([*quiet(10), *with_arm(np.linspace(-100, 500, 8))])
    assert Gate.STILL in gates(seen[:10])
    assert all(g is Gate.MOVING for g in gates(seen[-6:]))


def test_a_hand_that_rests_in_view_holds_the_table() -> None:
    seen = watched([*quiet(10), *with_arm([*np.linspace(-100, 500, 8), *[500] * 40])])
    assert all(w.gate is not Gate.STILL for w in seen[12:])
    assert seen[-1].held_up


def test_the_table_is_still_soon_after_the_hand_has_left() -> None:
    leaving = [*np.linspace(-100, 500, 6), *[500] * 10, *np.linspace(500, -400, 10)]
    seen = watched([*quiet(10), *with_arm(leaving), *quiet(9, seed=9)])
    assert seen[-1].gate is Gate.STILL


def test_a_coaster_put_down_far_from_the_edge_is_no_hand() -> None:
    view, table = world.view(), world.ground()
    rng = np.random.default_rng(3)
    laid = world.disc(table, view, np.array([30.0, 20.0, 1.5]), np.array([0, 0, 1.0]))
    seen = watched([*quiet(10), *(world.noisy(laid, rng) for _ in range(10))])
    assert seen[10].gate is Gate.MOVING
    assert seen[-1].gate is Gate.STILL


def steady(seen: list[Watch]) -> list[bool]:
    return [w.aim is not None and w.aim.steady for w in seen]


def test_a_hand_that_aims_is_steady_and_one_that_comes_or_goes_is_not() -> None:
    reaches = [*np.linspace(-100, 500, 8), *[500] * 10, *np.linspace(500, -400, 8)]
    found = steady(watched([*quiet(10), *with_arm(reaches)]))
    assert not any(found[:20])
    assert all(found[23:28])
    assert not any(found[-5:])


def test_a_steady_hand_stays_so_when_a_coaster_leaves_it() -> None:
    rng, arm = np.random.default_rng(6), world.arm(world.ground(), 500)
    view, up = world.view(), np.array([0, 0, 1.0])
    at = view.to_mm(np.array([[450.0, 300.0]]))[0]
    thrown = [world.disc(arm, view, np.array([at[0] + 18 * i, at[1], 3.0]), up) for i in range(7)]
    pictures = [*with_arm(np.linspace(-100, 500, 8)), *[world.noisy(thrown[0], rng) for _ in range(9)]]
    seen = watched([*quiet(10), *pictures, *(world.noisy(p, rng) for p in thrown)])
    assert all(steady(seen)[-8:])
    assert cv2.countNonZero(seen[-1].hand) > cv2.countNonZero(seen[-1].aim.hand)


def test_a_hand_that_was_there_from_the_start_leaves_no_ghost() -> None:
    seen = watched([*with_arm([500] * 12), *with_arm(np.linspace(500, -400, 10)), *quiet(14)])
    assert seen[-1].gate is Gate.STILL


def test_what_lies_at_the_edge_for_long_and_off_the_play_area_becomes_part_of_the_table() -> None:
    play = np.zeros((180, 320), np.uint8)
    play[40:140, 200:300] = 255
    pictures = [*quiet(10), *with_arm([300] * 100)]
    seen = watched(pictures, fps=10.0, play=play)
    assert seen[60].gate is Gate.MOVING
    assert seen[-1].gate is Gate.STILL


def test_what_lies_on_the_play_area_from_the_edge_is_complained_about() -> None:
    play = np.full((180, 320), 255, np.uint8)
    seen = watched([*quiet(10), *with_arm([300] * 100)], fps=10.0, play=play)
    assert seen[-1].gate is Gate.MOVING
    assert "take it away" in seen[-1].trouble


def test_a_flickering_lamp_is_no_movement() -> None:
    lit = [cv2.convertScaleAbs(p, alpha=1 + 0.08 * np.sin(2.1 * i)) for i, p in enumerate(quiet(20))]
    seen = watched(lit)
    assert all(g is Gate.STILL for g in gates(seen[8:]))


def test_slowly_fading_daylight_is_no_movement() -> None:
    lit = [cv2.convertScaleAbs(p, alpha=1 - 0.003 * i) for i, p in enumerate(quiet(90))]
    assert all(g is Gate.STILL for g in gates(watched(lit)[8:]))


def test_a_bumped_table_moves_and_then_rests() -> None:
    calm = quiet(30)
    for i in range(10, 16):
        shift = np.array([[1, 0, 7 * np.sin(1.7 * i)], [0, 1, 5 * np.cos(i)]], np.float32)
        calm[i] = cv2.warpAffine(calm[i], shift, world.SIZE, borderMode=cv2.BORDER_REPLICATE)
    found = gates(watched(calm))
    assert Gate.MOVING in found[10:16]
    assert found[-1] is Gate.STILL


def test_a_dark_picture_is_blind_and_says_why() -> None:
    seen = watched([*quiet(8), *[np.zeros((720, 1280, 3), np.uint8)] * 3, *quiet(9)])
    assert seen[9].gate is Gate.BLIND
    assert "dark" in seen[9].trouble
    assert seen[-1].gate is Gate.STILL


def test_a_frozen_camera_is_blind_and_says_why() -> None:
    same = quiet(1)[0]
    seen = watched([*quiet(5), *[same] * 20], fps=5.0)
    assert seen[-1].gate is Gate.BLIND
    assert "same picture" in seen[-1].trouble


def test_movement_outside_the_watched_area_does_not_matter() -> None:
    area = np.zeros((180, 320), np.uint8)
    area[20:160, 200:310] = 255
    seen = watched([*quiet(10), *with_arm(np.linspace(-100, 500, 10))], area=area)
    assert all(g is Gate.STILL for g in gates(seen[8:]))


def test_a_picture_of_another_size_begins_anew() -> None:
    small = [cv2.resize(p, (960, 720)) for p in quiet(3)]
    assert gates(watched([*quiet(10), *small]))[-1] is Gate.SETTLING


@pytest.mark.parametrize("fps", [25.0, 30.0, 50.0, 60.0])
def test_the_same_pictures_settle_at_the_same_one_whatever_the_clock_reads(fps: float) -> None:
    pictures = quiet(16)
    rng = np.random.default_rng(2)

    def still_at(begin_s: float, jitter_s: float = 0.0) -> int:
        late_s = rng.uniform(0, jitter_s, len(pictures))
        glimpses = [
            motion.glimpse(i, begin_s + i / fps + float(late_s[i]), p, SEEING) for i, p in enumerate(pictures)
        ]
        watch = settle.begin(glimpses[0])
        for now in glimpses[1:]:
            watch = settle.step(watch, now, None, None, SETTLE, SEEING)
            if watch.gate is Gate.STILL:
                return now.index
        raise AssertionError("never still")

    at = still_at(0.0)
    assert {still_at(b) for b in (0.7, 2891.7538, 77777.123, 1e6 / 3)} == {at}
    assert {still_at(b, 0.004) for b in (0.7, 2891.7538, 77777.123)} == {at}

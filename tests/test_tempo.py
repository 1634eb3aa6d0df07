"""A camera's beat is heard through the delays of the network."""

import numpy as np
import pytest

from referee.vision.frames.tempo import Stamps, Tempo


def errors_s(period_s: float, delays_s: np.ndarray) -> np.ndarray:
    """Of each interval between frames, over all that come after the tempo is known."""
    came = np.maximum.accumulate(period_s * np.arange(len(delays_s)) + delays_s)
    tempo = Tempo()
    taken = np.array([tempo.taken_s(float(c)) for c in came])
    assert np.all(np.diff(taken) > 0) and np.max(taken - came) < period_s
    return np.diff(taken)[100:] - period_s


def test_frames_that_come_late_now_and_then_keep_their_beat() -> None:
    rng = np.random.default_rng(5)
    delays = np.where(rng.random(2000) < 0.15, rng.exponential(0.04, 2000), 0.001 * rng.random(2000))
    plain = np.diff(np.maximum.accumulate(np.arange(2000) / 30 + delays))[100:] - 1 / 30
    steadied = errors_s(1 / 30, delays)
    assert np.percentile(abs(steadied), 99) < 0.35 * np.percentile(abs(plain), 99)


@pytest.mark.parametrize("fps", [8.0, 25.0, 60.0])
def test_a_punctual_camera_is_believed(fps: float) -> None:
    assert np.max(abs(errors_s(1 / fps, np.zeros(300)))) < 1e-6


def test_a_camera_that_slows_down_in_the_dark_is_followed() -> None:
    tempo, came, lag = Tempo(), 0.0, 0.0
    for n in range(400):
        came += 1 / 30 if n < 200 else 1 / 15
        lag = came - tempo.taken_s(came)
    assert lag < 0.05


def test_a_pause_begins_a_new_tempo() -> None:
    tempo = Tempo()
    for n in range(50):
        tempo.taken_s(n / 30)
    assert tempo.taken_s(10.0) == 10.0


def test_a_camera_that_stamps_its_frames_is_believed_however_late_they_come() -> None:
    stamps, rng = Stamps(), np.random.default_rng(7)
    came = 100.0 + np.maximum.accumulate(np.arange(300) / 30 + rng.exponential(0.3, 300))
    taken = [stamps.came_s(7.0 + n / 30, float(c)) for n, c in enumerate(came)]
    assert np.allclose(np.diff(taken), 1 / 30)


@pytest.mark.parametrize(
    "stamp",
    [lambda n: 0.0, lambda n: float(n // 30), lambda n: 1000 * n / 30, lambda n: -n / 30, lambda n: None],
    ids=["stands still", "whole seconds", "milliseconds", "backwards", "none"],
)
def test_a_clock_that_tells_no_time_is_not_believed(stamp) -> None:
    stamps = Stamps()
    came = [50.0 + n / 30 for n in range(900)]
    assert [stamps.came_s(stamp(n), c) for n, c in enumerate(came)][1:] == came[1:]

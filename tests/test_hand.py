"""What is read of a coaster that lies on the hand."""

from __future__ import annotations

import numpy as np
import pytest

from referee.facts import Face, Measure, PieceId, Verdict
from referee.vision.frames.source import Frame
from referee.vision.throw import hand
from referee.vision.throw.flight import Flown, Held

SETTINGS = hand.Settings()
FOX1, FOX4 = PieceId("fox1"), PieceId("fox4")
PICTURE = np.zeros((8, 8, 3), np.uint8)


def recognised(monkeypatch: pytest.MonkeyPatch, read: dict[int, dict[PieceId, float]], visible: float = 0.95):
    """A throw held until 1 s, its frames a tenth of a second apart; `read` says what each frame shows."""

    def look(frame: Frame, *_: object) -> hand._Read | None:
        return hand._Read(Face.BACK, read[frame.index], visible) if frame.index in read else None

    monkeypatch.setattr(hand, "_read", look)
    held = Held(1.0, np.zeros(3), np.array([0, 0, 1.0]))
    flown = Flown(31, 41, 1.03, Measure(1.0, 0.1), Verdict.YES, (0, 0), 45, (0, 0), (0, 0), held)
    frames = [Frame(i, i / 10, PICTURE) for i in range(8, 11)]
    return hand.recognise(flown, frames, None, None, SETTINGS)


def test_a_name_that_two_frames_show_is_read_on_the_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    flown = recognised(monkeypatch, {10: {FOX1: 0.99, FOX4: 0.01}, 9: {FOX1: 0.96, FOX4: 0.04}})
    assert flown.names == ((FOX1, 0.96), (FOX4, 0.01))
    assert flown.face is Face.BACK


def test_a_value_that_two_frames_show_differently_is_not_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    flown = recognised(monkeypatch, {10: {FOX1: 0.99, FOX4: 0.01}, 9: {FOX1: 0.02, FOX4: 0.98}})
    assert flown.names[0][1] < 0.1


@pytest.mark.parametrize("visible", [0.7, 0.95])
def test_of_a_coaster_half_seen_or_seen_once_only_the_family_is_known(
    monkeypatch: pytest.MonkeyPatch, visible: float
) -> None:
    flown = recognised(monkeypatch, {10: {FOX1: 0.99, FOX4: 0.01}}, visible)
    assert dict(flown.names) == {FOX1: 0.5, FOX4: 0.5}


def test_a_hand_that_shows_nothing_names_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert recognised(monkeypatch, {}).names == ()

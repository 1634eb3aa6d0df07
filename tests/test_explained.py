"""Every verdict in words, with what decided it: right for each kind of evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee import explained
from referee.facts import Contact, Measure, Says, Touch, Weights
from tests.test_track import laid

PANDA, FOX = laid(4, "panda4", 0.0, 0.0), laid(3, "fox3", 90.0, 0.0)
NOTHING = Says(-0.7, -0.7, -0.7)
APART, OVER = Says(0.0, -20.0, -20.0), Says(-20.0, 0.0, 0.0)
ON, UNDER, LEVEL = Says(-9.0, 0.0, -9.0), Says(-9.0, -9.0, 0.0), Says(0.0, -9.0, -9.0)
SEEN, HIDES = Says(0.0, 4.5, -4.5), Says(0.0, -4.5, 4.5)


def contact(
    overlap_mm: float,
    sigma_mm: float,
    overlap_p: float,
    upper_p: float = 0.999,
    distance: Says = NOTHING,
    leans: Says | None = None,
    pixels: Says | None = None,
    heights: Says | None = None,
) -> Contact:
    said = Weights(distance, leans, pixels, heights, Measure(1.7, 0.25), 1.83, (sigma_mm, sigma_mm))
    return Contact(4, 3, Measure(overlap_mm, sigma_mm), upper_p, 0.0, overlap_p, said)


def told(pair: Contact) -> str:
    words = [f"{explained.ruled(pair, PANDA, FOX)}.", *map(str, explained.because(pair, PANDA, FOX))]
    return " ".join(words)


@pytest.mark.parametrize(
    ("pair", "touch", "words"),
    [
        (
            contact(5.4, 0.3, 1.0, distance=OVER, leans=None, pixels=SEEN, heights=SEEN),
            Touch.COVERS,
            "Panda 4 lies on Fox 3 by 5.4 ± 0.3 mm. Where both lie, Panda 4 is seen. Panda 4 lies higher.",
        ),
        (
            contact(0.2, 0.3, 0.9999, leans=ON),
            Touch.COVERS,
            "Panda 4 just lies on Fox 3 (overlap as measured 0.2 ± 0.3 mm). "
            "Panda 4 leans by 1.7 ± 0.2°: it lies on Fox 3.",
        ),
        (
            contact(4.0, 0.3, 1.0, distance=OVER, leans=LEVEL, pixels=SEEN),
            Touch.COVERS,
            "Panda 4 lies on Fox 3 by 4.0 ± 0.3 mm. Where both lie, Panda 4 is seen. "
            "But neither leans as one that lies on the other must, by 1.8°.",
        ),
        (
            contact(-1.2, 0.2, 0.0, distance=APART, leans=LEVEL),
            Touch.CLEAR,
            "Panda 4 misses Fox 3 by 1.20 ± 0.20 mm. The distance alone tells.",
        ),
        (
            contact(-0.1, 0.3, 0.0005, leans=LEVEL),
            Touch.CLEAR,
            "Panda 4 just misses Fox 3 (gap as measured 0.1 ± 0.3 mm). "
            "Neither leans; on the other, one would lean by 1.8°.",
        ),
        (
            contact(0.2, 0.3, 0.8, leans=Says(-0.5, 0.0, -3.0)),
            Touch.TOO_CLOSE,
            "Too close to call: Panda 4 and Fox 3 overlap by 0.2 ± 0.3 mm. "
            "The distance is within its doubt, and a lean of 1.7 ± 0.2° doesn't tell: it would be 1.8°.",
        ),
        (
            contact(-1.0, 0.3, 0.5, distance=Says(0.0, -8.0, -8.0), leans=ON),
            Touch.TOO_CLOSE,
            "Too close to call: Panda 4 and Fox 3 lie 1.0 ± 0.3 mm apart. "
            "Panda 4 leans by 1.7 ± 0.2°, as if it lay on Fox 3. But the distance speaks against it.",
        ),
        (
            contact(1.0, 0.3, 0.5, distance=Says(-8.0, 0.0, 0.0), leans=LEVEL),
            Touch.TOO_CLOSE,
            "Too close to call: Panda 4 and Fox 3 overlap by 1.0 ± 0.3 mm. "
            "But neither leans as one that lies on the other must, by 1.8°.",
        ),
        (
            contact(-0.2, 0.3, 0.3, pixels=SEEN, heights=SEEN),
            Touch.TOO_CLOSE,
            "Too close to call: Panda 4 and Fox 3 lie 0.2 ± 0.3 mm apart. "
            "They don't lie alone on the bare table, so that a lean doesn't tell.",
        ),
        (
            contact(10.5, 0.4, 0.0, heights=SEEN),
            Touch.CLEAR,
            "Panda 4 and Fox 3 don't meet, as one leans steeply. "
            "Of a steep one the distance of the centres, 10.5 ± 0.4 mm nearer than two radii, tells little.",
        ),
        (
            contact(10.5, 0.4, 0.5, heights=SEEN),
            Touch.TOO_CLOSE,
            "Too close to call: Panda 4 and Fox 3, as one leans steeply. "
            "Of a steep one the distance of the centres, 10.5 ± 0.4 mm nearer than two radii, tells little.",
        ),
        (
            contact(1.0, 7.0, 0.6),
            Touch.TOO_CLOSE,
            "Too close to call: Panda 4 and Fox 3 overlap by 1.0 ± 7.0 mm. "
            "One of them isn't seen well enough to be measured.",
        ),
        (
            contact(5.0, 0.3, 1.0, 0.7, distance=OVER, pixels=SEEN, heights=HIDES),
            Touch.TOO_CLOSE,
            "Which lies on top can't be told: Panda 4 and Fox 3 overlap by 5.0 ± 0.3 mm. "
            "Where both lie, Panda 4 is seen. But Fox 3 lies higher.",
        ),
        (
            contact(5.0, 0.3, 1.0, 0.6, distance=OVER, heights=Says(0.0, 0.2, -0.2)),
            Touch.TOO_CLOSE,
            "Which lies on top can't be told: Panda 4 and Fox 3 overlap by 5.0 ± 0.3 mm. "
            "Too little of their edges and prints is seen where both lie.",
        ),
    ],
)
def test_a_verdict_is_told_with_what_decided_it(pair: Contact, touch: Touch, words: str) -> None:
    assert pair.touch() is touch
    assert told(pair) == words


def test_a_lean_the_wrong_way_speaks_for_the_other_piece() -> None:
    pair = contact(4.0, 0.3, 1.0, 0.6, distance=OVER, leans=UNDER, pixels=SEEN)
    assert told(pair).endswith("Where both lie, Panda 4 is seen. But Fox 3 leans as if it lay on Panda 4.")


def test_a_hidden_piece_is_said_to_be_out_of_sight() -> None:
    pair = Contact(4, 3, Measure(20.0, 2.8), 0.98, 100.0)
    (why,) = explained.because(pair, PANDA, replace(FOX, in_view=False))
    assert str(why) == "Fox 3 is out of sight; it lies where it was last seen."
    assert explained.because(pair, PANDA, FOX) == ()


def test_names_are_those_that_people_say() -> None:
    guess = replace(PANDA, names=(("panda4", 0.6),))
    assert [explained.name(p) for p in (PANDA, guess, replace(PANDA, names=()))] == [
        "Panda 4",
        "Panda 4?",
        "#4",
    ]
    assert [explained.name(laid(0, n, 0, 0)) for n in ("trampoline", "7", "old_owl12")] == [
        "Trampoline",
        "7",
        "Old_owl 12",
    ]


def test_turned_evidence_speaks_for_the_other_piece() -> None:
    said = Says(-1.0, 2.0, -3.0)
    assert (said.overlap, said.order) == (3.0, 5.0)
    assert (said.turned().overlap, said.turned().order) == (3.0, -5.0)

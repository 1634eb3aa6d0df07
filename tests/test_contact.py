"""Two coasters moved together bit by bit: clear, then too close, then covering, never wrong."""

from __future__ import annotations

import numpy as np
import pytest

from referee.facts import Touch
from tests.table_scenes import SMALL, cut, two

STEPS = (10.0, 5.0, 2.5, 1.6, 1.2, 0.9, 0.6, 0.4, 0.25, 0.1)
OVERLAPS = (*(-s for s in STEPS), *reversed(STEPS))
"""From a wide gap to a plain overlap, mm; closest where it matters."""
UNSURE_MM = 1.0
"""Left to people is only what is nearer than this to touching."""
PAIRS = {
    "two families": (("fox1", "gecko2"), ("front", "front")),
    "one family": (("fox1", "fox4"), ("front", "front")),
}


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize(("tilt_deg", "direction_deg"), [(0.0, 30.0), (35.0, 100.0), (50.0, 60.0)])
def test_a_near_tie_is_never_ruled_wrongly_and_seldom_left_to_people(pair, tilt_deg, direction_deg):
    names, faces = PAIRS[pair]
    said: list[Touch] = []
    for overlap in OVERLAPS:
        shot = cut(two(names, overlap, direction_deg, faces), SMALL, tilt_deg)
        reading = shot.read()
        assert sorted(p.piece for p in reading.placed) == sorted(names)
        (contact,) = reading.contacts
        said.append(contact.touch())
        true = 94.0 - np.hypot(*(shot.discs[0].center_mm - shot.discs[1].center_mm)[:2])
        assert abs(contact.overlap_mm.value - true) < 4 * contact.overlap_mm.sigma
        if contact.touch() is Touch.COVERS:
            assert overlap > 0 and reading.placed[contact.upper].piece == names[1]
        elif contact.touch() is Touch.CLEAR:
            assert overlap < 0
        else:
            assert abs(overlap) < UNSURE_MM
    steps = [Touch.CLEAR, Touch.TOO_CLOSE, Touch.COVERS]
    assert said == sorted(said, key=steps.index)  # each once: no flicker


def test_coasters_far_apart_are_no_pair():
    assert cut(two(("fox1", "gecko2"), -18.0)).read().contacts == ()

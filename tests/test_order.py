"""Who lies on whom, by what the picture shows where two faces overlap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from calibration.render.scene import Disc
from referee.vision.discs import order, peel
from referee.vision.discs.align import Settings as AlignSettings
from referee.vision.discs.align import align
from referee.vision.discs.peel import Found, judged
from referee.vision.discs.picture import Picture
from tests.table_scenes import SMALL, Cut, cut, known, lay, true_pose, two


def finds(shot: Cut, picture: Picture, wanted: Sequence[Disc]) -> list[Found]:
    """The discs as the reader would have found them, in that order, each fitted from its true place."""
    out, free = [], np.ones(shot.bgr.shape[:2], bool)
    for disc in wanted:
        side = "front" if disc.rotation[2, 2] > 0 else "back"
        kind, face = next(
            (k, f) for k in known().kinds for f in k.faces if (f.piece, f.face.value) == (disc.piece, side)
        )
        pose = true_pose(disc, known().thickness_mm)
        fit = align(picture, pose, face, known().radius_mm, AlignSettings(), steps=((0.0, 4),))
        found = judged(picture, kind, face, fit, free, known(), peel.Settings())
        assert found is not None
        out.append(found)
    return out


def evidence(shot: Cut, wanted: Sequence[Disc]) -> dict[tuple[int, int], order.Evidence]:
    picture = Picture.of(shot.bgr, shot.view)
    found = finds(shot, picture, wanted)
    return order.compare(picture, found, known().radius_mm, order.Settings())[0]


@pytest.mark.parametrize("tilt_deg", [0.0, 40.0])
@pytest.mark.parametrize("side", ["front", "back"])
@pytest.mark.parametrize("names", [("fox1", "fox4"), ("panda2", "panda5"), ("gecko3", "gecko1")])
def test_of_two_coasters_of_one_colour_the_upper_is_told(tilt_deg, side, names):
    shot = cut(two(names, 14.0, faces=(side, side)), SMALL, tilt_deg)
    (seen,) = evidence(shot, shot.discs).values()
    assert seen.log_odds < -5  # the second lies on the first
    assert 1 - seen.p_a(order.Settings().doubt) > 0.98
    (turned,) = evidence(shot, shot.discs[::-1]).values()
    assert turned.log_odds == pytest.approx(-seen.log_odds, rel=0.1)


def test_what_lies_wholly_under_a_third_coaster_tells_nothing_of_the_two():
    below = lay((), "fox1", -44, 0)
    beside = lay([below], "gecko2", 44, 0)
    over = lay([below, beside], "panda3", 0, 0)
    shot = cut([below, beside, over], SMALL, 20.0)
    seen = evidence(shot, shot.discs)
    assert (0, 1) not in seen or abs(seen[0, 1].log_odds) < 1
    assert seen[0, 2].log_odds < -5 and seen[1, 2].log_odds < -5


def test_coasters_that_lie_apart_give_no_evidence():
    shot = cut(two(("fox1", "gecko2"), -8.0), SMALL, 20.0)
    assert evidence(shot, shot.discs) == {}


def test_the_picture_is_never_trusted_without_any_doubt():
    sure = order.Evidence(0, 1, 1e6, 500.0)
    assert sure.p_a(0.002) == pytest.approx(0.998) and order.Evidence(0, 1, -1e6, 500.0).p_a(
        0.002
    ) == pytest.approx(0.002)
    assert order.Evidence(0, 1, 0.0, 0.0).p_a(0.002) == 0.5

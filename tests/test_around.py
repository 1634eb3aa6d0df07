"""What is believed of a leaning face: it must be seen where it can be seen."""

from __future__ import annotations

import numpy as np
import pytest

from referee.vision.discs import leaning
from referee.vision.discs import peel as peeling
from referee.vision.discs.leaning import peeled
from referee.vision.discs.picture import Picture
from referee.vision.discs.propose import Proposal
from tests.table_scenes import cut, known, lay


class Screen:
    """Stands before one side of every face, out to a share of its radius."""

    def __init__(self, share: float) -> None:
        self.share = share

    def reaches(self):
        return []

    def rests(self, pose, found):
        return [pose.centre_mm]

    def hides(self, patch, pose):
        return patch.u_mm < (2 * self.share - 1) * known().radius_mm


@pytest.mark.parametrize(("share", "count"), [(-1.0, 1), (0.45, 0)])
def test_no_face_is_seen_through_what_stands_before_it(share, count):
    shot = cut([lay((), "panda3", 0.0, 40.0)])
    picture = Picture.of(shot.bgr, shot.view)
    (disc,) = peeling.find(picture, known(), peeling.Settings())
    free = np.ones(picture.bgr.shape[:2], bool)
    proposed = [Proposal(1.0, 1.0, disc.pose.levelled())]
    found = peeled(
        picture, proposed, free, [], Screen(share), known(), leaning.Settings(), peeling.Settings()
    )
    assert len(found) == count

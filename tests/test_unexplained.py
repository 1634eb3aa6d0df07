"""What stands out from the table is looked at; its own markers are known, unless something covers them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from referee.vision.box.find import backdrop_of
from referee.vision.discs.picture import Picture
from referee.vision.discs.unexplained import Settings, things
from tests.table_scenes import bare_picture, bare_view

SIZE, TILT = (1280, 720), 35.0


@pytest.mark.parametrize("surface", ["cloth", "wood", "check"])
def test_a_marker_is_no_thing_to_explain_but_one_that_is_covered_may_be(surface):
    bgr, view = bare_picture(SIZE, TILT, surface=surface).copy(), bare_view(SIZE, TILT, surface=surface)
    assert view.corners_px is not None
    backdrop = backdrop_of(bgr, view)
    free = np.ones(bgr.shape[:2], bool)
    middles = [view.to_mm(quad.mean(axis=0)[None])[0] for quad in view.corners_px]
    near = [(np.append(middle, 0.0), 60.0) for middle in middles]
    assert not things(Picture.of(bgr, view), free, backdrop, near, Settings())
    covered = view.corners_px[0]
    bottom, left = covered[:, 1].max(), covered[:, 0].mean()
    cv2.circle(bgr, (round(float(left)), round(float(bottom))), 30, (30, 30, 220), -1)
    (thing,) = things(Picture.of(bgr, view), free, backdrop, near, Settings())
    column, row = np.rint(covered.mean(axis=0)).astype(int)
    assert thing.mask[row, column]

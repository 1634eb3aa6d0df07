"""What is believed of a face at the box: it must look like its print, and be seen where it can be seen."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from referee.facts import Box
from referee.vision.box import around
from referee.vision.discs import peel as peeling
from referee.vision.discs.peel import Found
from referee.vision.discs.picture import Picture
from tests.table_scenes import cut, known, lay

FAR = Box(600.0, 0.0, 0.0, 104.0, 66.0, True)


@cache
def seen() -> tuple[Picture, Found]:
    """A coaster that nothing hides."""
    shot = cut([lay((), "panda3", 0.0, 40.0)])
    picture = Picture.of(shot.bgr, shot.view)
    (disc,) = peeling.find(picture, known(), peeling.Settings())
    return picture, disc


def believed(box: Box, settings: peeling.Settings | None = None) -> bool:
    picture, disc = seen()
    everywhere = np.ones(picture.bgr.shape[:2], bool)
    peel = settings or peeling.Settings()
    return around._fits(disc, picture, box, everywhere, known(), around.Settings(), peel)


def test_a_face_that_is_seen_whole_is_believed():
    assert believed(FAR)


@pytest.mark.parametrize(("y_mm", "so"), [(-75.0, False), (-170.0, True)])
def test_no_face_is_seen_through_the_box(y_mm, so):
    """A box before the disc would hide half of it; one further off towards the eye hides nothing."""
    assert believed(Box(0.0, y_mm, 0.0, 104.0, 66.0, True)) == so


def test_a_face_that_fits_so_badly_that_it_would_be_doubtful_elsewhere_is_not_believed():
    picture, disc = seen()
    everywhere = np.ones(picture.bgr.shape[:2], bool)
    usual = peeling.Settings()
    cost = float(peeling.costs_of(picture, disc, (disc.face,), everywhere, known(), usual, range(1))[0, 0])
    assert believed(FAR, replace(usual, doubtful_cost=1.1 * cost))
    assert not believed(FAR, replace(usual, doubtful_cost=0.9 * cost, worst_cost=1.1 * cost))

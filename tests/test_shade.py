"""Coasters that are plain to see but badly lit or worn: found, named, and placed as well as it is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.render import Spec, render
from calibration.render.scene import Limb, Scene
from calibration.render.strange import deal_strange
from referee.vision.discs import shade
from referee.vision.discs.picture import Picture
from referee.vision.reading import Reader, Reading
from referee.vision.table import pose as table
from tests.table_scenes import SMALL, bare, gray, known, lay, lens, pieces


def read(scene: Scene, seed: int = 1) -> Reading:
    bgr = render(scene, seed)
    view = table.locate(gray(bgr), lens(scene), scene.layout)
    assert view is not None
    return Reader(known(), scene.layout).read(bgr, view)


def all_are_read(scene: Scene, seen: Reading) -> None:
    places = {d.piece: d.center_mm for d in scene.discs}
    assert sorted(p.piece or "" for p in seen.placed) == sorted(places)
    for placed in seen.placed:
        x, y, _ = places[placed.piece or ""]
        assert abs(placed.x_mm.value - x) < min(4 * placed.x_mm.sigma, 0.5)
        assert abs(placed.y_mm.value - y) < min(4 * placed.y_mm.sigma, 0.5)


def in_the_shadow_of_a_rod(scene: Scene) -> Scene:
    """A hard shadow along the table's x axis, from y = 0 on, of a rod that is itself far off."""
    light = replace(scene.light, azimuth_deg=90.0, elevation_deg=40.0, softness_deg=0.4, ambient=0.25)
    towards = light.towards
    lift = np.array([0.0, 30.0, 0.0]) + towards * (420.0 / np.hypot(towards[0], towards[1]))
    ends = (lift + np.array([side, 0.0, 0.0]) for side in (-400.0, 400.0))
    return replace(scene, light=light, limbs=(Limb(*ends, 20.0, (0.4, 0.2, 0.15)),))


@pytest.mark.parametrize(("piece", "face"), [("panda3", "front"), ("fox2", "front"), ("penguin4", "back")])
def test_a_coaster_half_in_a_hard_shadow_is_read(piece, face):
    scene = replace(bare(SMALL, 30.0, surface="wood"), discs=(lay((), piece, 20.0, 2.0, 35.0, face),))
    scene = in_the_shadow_of_a_rod(scene)
    all_are_read(scene, read(scene))


@pytest.mark.parametrize("seed", [11, 13])
def test_coasters_under_a_bare_bulb_are_read_where_an_arm_shades_them(seed):
    scene = deal_strange(Spec("shadow", pieces(), SMALL), seed)
    all_are_read(scene, read(scene, seed))


@pytest.mark.parametrize("seed", [13, 14])
def test_faded_scratched_and_bitten_coasters_are_read(seed):
    scene = deal_strange(Spec("worn", pieces(), SMALL), seed)
    all_are_read(scene, read(scene, seed))


def test_what_fits_well_is_left_as_it_is():
    scene = replace(bare(SMALL, 30.0), discs=(lay((), "gecko2", 0.0, 0.0),))
    bgr = render(scene, 1)
    view = table.locate(gray(bgr), lens(scene), scene.layout)
    assert view is not None
    reading, picture = Reader(known(), scene.layout).read(bgr, view), Picture.of(bgr, view)
    peel = Reader(known()).settings.peel
    same, found = shade.even(picture, reading.found, known(), shade.Settings(), peel)
    assert same is picture and found == list(reading.found)

"""Round things that are no coasters: said to be there, never taken for one; and coasters beside them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.render import Spec, render
from calibration.render.scene import Round, Scene
from calibration.render.strange import STRANGE, deal_strange, ringed, starred
from referee.facts import Stranger, Touch
from referee.formats import Layout
from referee.vision.discs import strangers
from referee.vision.reading import Reader, Reading
from referee.vision.table import pose as table
from tests.table_scenes import HD, SMALL, bare, gray, known, lay, lens, pieces

WHITE, RED, BLUE = (0.8, 0.78, 0.74), (0.5, 0.08, 0.06), (0.08, 0.2, 0.5)
PLATE = Round("plate", (60.0, 20.0), 88.0, 8.0, ringed([(1, WHITE), (0.95, BLUE), (0.9, WHITE)]), WHITE)
CUP = Round("cup", (-110.0, 70.0), 40.0, 75.0, ringed([(1, RED), (0.88, (0.1, 0.05, 0.03))]), RED)
COIN = Round("coin", (20.0, -60.0), 14.0, 2.2, ringed([(1, (0.6, 0.45, 0.16))]), (0.4, 0.3, 0.1))
OTHER = Round("foreign", (90.0, -50.0), 47.0, 3.0, starred(BLUE, WHITE, 5), (0.5, 0.4, 0.3), 25.0)


def read(scene: Scene, seed: int = 1) -> Reading:
    bgr = render(scene, seed)
    view = table.locate(gray(bgr), lens(scene), scene.layout)
    assert view is not None
    return Reader(known(), scene.layout).read(bgr, view)


@pytest.mark.parametrize("thing", [PLATE, CUP, COIN, OTHER], ids=lambda t: t.kind)
def test_a_round_thing_is_no_coaster_and_its_size_is_told(thing):
    sound = [lay((), "fox1", -160.0, -100.0), lay((), "gecko4", 170.0, 110.0, face="back")]
    seen = read(replace(bare(SMALL, 40.0), discs=tuple(sound), things=(thing,)))
    assert sorted(p.piece or "" for p in seen.placed) == ["fox1", "gecko4"]
    assert seen.contacts == ()
    (stranger,) = seen.strangers
    assert stranger.radius_mm == pytest.approx(thing.radius_mm, rel=0.05)
    assert np.hypot(stranger.x_mm - thing.center_mm[0], stranger.y_mm - thing.center_mm[1]) < 4


def test_a_coaster_on_a_plate_is_read_and_so_is_the_plate():
    on_it = replace(lay((), "panda3", 60.0, 20.0), center_mm=np.array([60.0, 20.0, 9.5]), state="resting")
    seen = read(replace(bare(SMALL, 25.0), discs=(on_it,), things=(PLATE,)))
    assert [p.piece for p in seen.placed] == ["panda3"]
    assert [round(s.radius_mm / 88.0, 1) for s in seen.strangers] == [1.0]


def test_coasters_alone_are_no_strangers():
    pile = list[object]()
    for i, name in enumerate(("fox1", "gecko2", "panda3", "penguin4")):
        pile.append(lay(pile, name, 40.0 * i - 60.0, 15.0 * i, 70.0 * i))  # type: ignore[arg-type]
    seen = read(replace(bare(SMALL, 30.0, surface="wood"), discs=tuple(pile)))  # type: ignore[arg-type]
    assert len(seen.placed) == 4 and seen.strangers == ()


def test_a_mirrored_lamp_is_no_thing():
    scene = deal_strange(Spec("lamp", pieces(), SMALL, 20.0, "cloth"), 5)
    bare_table = replace(scene, discs=())
    seen = read(bare_table)
    assert seen.placed == () and seen.strangers == ()


def test_a_coaster_half_out_of_the_picture_lies_where_it_is_said_to_or_is_not_found():
    scene = deal_strange(Spec("edge", pieces(), SMALL, 15.0, "cloth"), 3)
    seen = read(scene)
    for placed in seen.placed:
        true = next(d for d in scene.discs if d.piece == placed.piece)
        assert abs(placed.x_mm.value - true.center_mm[0]) < 4 * placed.x_mm.sigma
        assert abs(placed.y_mm.value - true.center_mm[1]) < 4 * placed.y_mm.sigma
    assert len(seen.placed) >= len(scene.discs) - 2


@pytest.mark.parametrize("seed", [1, 2])
def test_a_hard_shadow_over_a_pair_doesnt_turn_its_order(seed):
    scene = deal_strange(Spec("shadow", pieces(), HD), seed)
    names = [d.piece for d in scene.discs]  # lower ones first
    seen = read(scene, seed)
    sure = [c for c in seen.contacts if c.touch() is Touch.COVERS]
    assert len(seen.contacts) > 0
    for upper, lower in ((seen.placed[c.upper].piece, seen.placed[c.lower].piece) for c in sure):
        assert upper is not None and lower is not None
        assert names.index(upper) > names.index(lower)


@pytest.mark.parametrize("kind", STRANGE)
def test_the_same_seed_deals_the_same_strange_scene(kind):
    one, again = (deal_strange(Spec(kind, pieces(), (640, 360)), 4) for _ in range(2))
    assert [d.piece for d in one.discs] == [d.piece for d in again.discs]
    assert len(one.discs) >= 4


def test_what_stands_away_from_play_is_not_spoken_of():
    layout = Layout("tag36h11", 50.0, {0: (-270.0, -190.0), 2: (270.0, 190.0)}, 0.2)
    cup = Stranger(320.0, 0.0, 40.0)
    assert not strangers.near_play(cup, layout)
    assert strangers.near_play(replace(cup, x_mm=300.0), layout)
    area = ((-400.0, -200.0), (400.0, -200.0), (400.0, 200.0), (-400.0, 200.0))
    assert strangers.near_play(cup, replace(layout, play_area_mm=area))
    assert strangers.near_play(cup, None)

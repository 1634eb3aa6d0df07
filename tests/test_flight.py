"""Throws: seen, followed, and their half turns counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from referee.facts import Box, Verdict
from referee.vision.throw import aloft, flight, silhouette
from referee.vision.throw.aloft import Aloft
from referee.vision.throw.flight import Flown
from referee.vision.throw.ground import Ground
from referee.vision.throw.silhouette import DIRECTIONS, Outlines, Silhouette
from referee.vision.throw.spin import Disc, Scope
from referee.vision.watch import motion, settle
from tests import small_world as world

VIEW = world.view()
SCOPE = Scope(VIEW, 2.0)
TABLE = Ground()
NEAR_MM = (-165.0, -45.0, 2.0)
"""So near to the fist that the coaster never comes clear of it in the picture."""
DISC = Disc(world.RADIUS_MM, world.THICKNESS_MM)


def silhouettes(throw: world.Throw, noise_px: float = 0.3, fps: float = 30.0) -> Outlines:
    """What a throw shows, drawn from the rims of a cylinder: not the formula that the fit uses."""
    rng = np.random.default_rng(7)

    def shown(index: int) -> Silhouette:
        moments = [(index - 0.4 + s) / fps for s in np.linspace(0, 0.5, 9)]
        points = np.concatenate([world.cylinder_px(VIEW, throw.centre(t), throw.normal(t)) for t in moments])
        reach = ((points - 0.5) / 2 @ DIRECTIONS).max(axis=0)
        return Silhouette(index, (index - 0.15) / fps, reach + rng.normal(0, noise_px, 16))

    last = int(throw.flight_s * fps) + 4
    return Outlines(shown(-1), tuple(shown(i) for i in range(1, last)), 0.0)


def understood(throw: world.Throw, ground: Ground = TABLE, **how: float) -> Flown:
    seen = silhouettes(throw, **how)
    return flight.understand(seen, 99, (0.0, 0.0), (0.0, 0.0), SCOPE, DISC, ground, flight.Settings())


@pytest.mark.parametrize("half_turns", [0.0, 0.15, 0.3, 1.0, 2.0, 3.0])
def test_half_turns_are_counted_within_their_sigma(half_turns: float) -> None:
    count = understood(world.Throw(half_turns)).half_turns
    assert count is not None
    assert abs(count.value - half_turns) < 3 * count.sigma
    assert count.sigma < 0.35


@pytest.mark.parametrize("bearing_deg", [0.0, 45.0, 120.0, 200.0, 290.0])
def test_a_flip_is_seen_whichever_way_the_coaster_turns(bearing_deg: float) -> None:
    assert understood(world.Throw(1.0, bearing_deg=bearing_deg)).flip is Verdict.YES


@pytest.mark.parametrize("bearing_deg", [0.0, 45.0, 120.0, 200.0, 290.0])
def test_a_throw_that_stays_flat_is_no_flip(bearing_deg: float) -> None:
    assert understood(world.Throw(0.15, bearing_deg=bearing_deg)).flip is Verdict.NO


@pytest.mark.parametrize("half_turns", [0.7, 0.75, 0.8])
def test_three_quarters_of_a_half_turn_are_not_ruled(half_turns: float) -> None:
    assert understood(world.Throw(half_turns)).flip is Verdict.UNSURE


def _meets(throw: world.Throw, t_s: float, lid_mm: tuple[float, float, float]) -> bool:
    """Whether some point of the rim is in the lid by then, or all is over."""
    normal = throw.normal(t_s)
    side = np.cross(normal, [0.6, 0.8, 0.0])
    side /= np.linalg.norm(side)
    turn = np.linspace(0, 2 * np.pi, 90)[:, None]
    rim = throw.centre(t_s) + 47 * (np.cos(turn) * side + np.sin(turn) * np.cross(normal, side))
    inside = np.abs(rim[:, :2] - lid_mm[:2]).max(axis=1) < 52
    return bool((inside & (rim[:, 2] < 66)).any()) or t_s >= throw.flight_s


@pytest.mark.parametrize("half_turns", [1.0, 2.0])
def test_a_throw_on_the_lid_is_counted_until_it_meets_the_lid(half_turns: float) -> None:
    landing = (90.0, -30.0, 67.5)
    throw = world.Throw(half_turns, landing_mm=landing)
    contact = next(t for t in np.linspace(0, throw.flight_s, 500) if _meets(throw, t, landing))
    count = understood(throw, Ground(Box(90.0, -30.0, 0.0, 104.0, 66.0, lid=True))).half_turns
    assert count is not None
    assert abs(count.value - half_turns * contact / throw.flight_s) < 3 * count.sigma


@pytest.mark.parametrize("seed", range(4))
def test_a_throw_is_seen_though_a_third_of_its_pictures_is_lost(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pictures = list(world.film(world.Throw(1.0), VIEW))
    kept = [i for i in range(len(pictures)) if i < 8 or rng.random() > 0.3]
    (flown,) = followed([pictures[i] for i in kept], taken=kept)
    assert flown.flip is not Verdict.NO


def test_where_a_throw_came_down_is_known() -> None:
    flown = understood(world.Throw(1.0))
    assert flown.landed_mm is not None
    assert np.hypot(flown.landed_mm[0] - 90, flown.landed_mm[1] + 30) < 25


def test_a_throw_with_a_gap_in_which_it_may_have_turned_unseen_claims_nothing() -> None:
    seen = silhouettes(world.Throw(2.0))
    rest = replace(seen, flying=(*seen.flying[:2], *seen.flying[4:5], *seen.flying[7:9]))
    flown = flight.understand(rest, 99, (0.0, 0.0), (0.0, 0.0), SCOPE, DISC, TABLE, flight.Settings())
    assert flown.half_turns is None
    assert flown.flip is Verdict.UNSURE


def test_silhouettes_that_fit_no_throw_claim_nothing() -> None:
    flown = understood(world.Throw(1.0), noise_px=9.0)
    assert flown.half_turns is None
    assert flown.flip is Verdict.UNSURE


def followed(
    pictures: list[world.Pixels],
    fps: float = world.FPS,
    area: motion.Mask | None = None,
    taken: Sequence[int] | None = None,
) -> list[Flown]:
    """The throws in a clip. taken: the number of each picture, where some are lost."""
    seeing, settings, following = motion.Settings(), settle.Settings(), aloft.Settings()
    watch, chases, history, found = None, Aloft(), [], []
    width_px = SCOPE.width_px(DISC)
    for i, picture in zip(taken or range(len(pictures)), pictures, strict=True):
        now = motion.glimpse(i, i / fps, picture, seeing)
        history.append(now)
        if watch is None:
            watch = settle.begin(now)
            continue
        watch = settle.step(watch, now, area, None, settings, seeing)
        chases, thrown = aloft.step(chases, watch, width_px / 2, following)
        for chase in thrown:
            found.append(
                flight.measure(
                    tuple(history),
                    chase,
                    watch.background,
                    width_px,
                    SCOPE,
                    DISC,
                    TABLE,
                    flight.Settings(),
                    silhouette.Settings(),
                    seeing,
                )
            )
    return found


@pytest.mark.parametrize(("half_turns", "flip"), [(1.0, Verdict.YES), (0.1, Verdict.NO), (2.0, Verdict.YES)])
def test_a_filmed_throw_is_seen_once_and_its_flip_told(half_turns: float, flip: Verdict) -> None:
    (flown,) = followed(list(world.film(world.Throw(half_turns), VIEW)))
    assert flown.flip is flip
    assert flown.half_turns is not None
    assert abs(flown.half_turns.value - half_turns) < 3 * flown.half_turns.sigma
    assert abs(flown.frame_flick - 33) <= 2
    assert flown.held is not None
    assert np.hypot(*(flown.held.centre_mm - np.array([-190, 40, 130]))[:2]) < 20


def test_a_hand_that_comes_and_goes_throws_nothing() -> None:
    rng, table = np.random.default_rng(1), world.ground()
    reach = [*[-200] * 10, *np.linspace(-100, 600, 12), *[600] * 5, *np.linspace(600, -400, 14), *[-400] * 8]
    assert followed([world.noisy(world.arm(table, r), rng) for r in reach]) == []


def test_a_hand_that_puts_a_coaster_down_throws_nothing() -> None:
    rng, table = np.random.default_rng(2), world.ground()
    flat = np.array([0, 0, 1.0])
    laid = world.disc(table, VIEW, np.array([-60.0, 40.0, 1.5]), flat)
    at = VIEW.to_px(np.array([[-60.0, 40.0, 1.5]]))[0]
    pictures = [world.noisy(table, rng) for _ in range(10)]
    for reach in np.linspace(-100, at[0] + 60, 14):
        place = VIEW.to_mm(np.array([[reach - 60, at[1]]]), 1.5)[0]
        held = world.disc(table, VIEW, np.array([*place, 1.5]), flat)
        pictures.append(world.noisy(world.arm(held, reach - 60, int(at[1])), rng))
    pictures += [world.noisy(world.arm(laid, r, int(at[1])), rng) for r in np.linspace(at[0] - 5, -400, 14)]
    pictures += [world.noisy(laid, rng) for _ in range(10)]
    assert followed(pictures) == []


def test_two_throws_before_the_table_rests_are_two() -> None:
    first = list(world.film(world.Throw(1.0), VIEW, after=0))[:-4]
    second = world.Throw(0.1, landing_mm=(130.0, 90.0, 2.0))
    rest = world.disc(world.ground(), VIEW, np.array([90.0, -30.0, 2.0]), np.array([0, 0, -1.0]))
    empty = world.ground()
    again = []
    for picture in world.film(second, VIEW, before=0):
        new = cv2.absdiff(picture, empty).max(axis=2) > 40
        again.append(np.where(new[..., None], picture, rest))
    flown = followed([*first, *again])
    assert [f.flip for f in flown] == [Verdict.YES, Verdict.NO]


def test_a_throw_that_comes_down_beside_the_hand_is_seen() -> None:
    (flown,) = followed(list(world.film(world.Throw(1.0, landing_mm=NEAR_MM, flight_s=0.36), VIEW)))
    assert flown.flip is Verdict.YES


def test_a_throw_from_a_fist_beside_the_table_is_seen() -> None:
    area = np.zeros((180, 320), np.uint8)
    area[30:170, 140:300] = 255
    (flown,) = followed(list(world.film(world.Throw(1.0), VIEW)), area=area)
    assert flown.flip is Verdict.YES


@pytest.mark.parametrize("count", [1, 2, 5, 12])
def test_behind_a_flight_lies_the_middle_one_of_its_pictures(count: int):
    pictures = [np.random.default_rng(n).integers(0, 256, (9, 7, 3), np.uint8) for n in range(count)]
    middle = np.sort(np.stack(pictures), axis=0)[count // 2]
    assert np.array_equal(silhouette._median(pictures), middle)

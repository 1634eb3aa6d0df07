"""A coaster is fitted to the tenth of a millimetre from a rough start, and says how well."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from referee.vision.discs import align as aligning
from referee.vision.discs.align import INFLATE, align
from referee.vision.discs.disc import patch_of
from referee.vision.discs.picture import Picture
from tests.table_scenes import HD, SMALL, Cut, bare, cut, known, lay, true_pose, two

UHD = (3840, 2160)
FACES = [("fox1", "front"), ("gecko4", "back"), ("panda2", "front"), ("trampoline", "back")]


def art(piece: str, side: str):
    return next(f for f in known().faces if (f.piece, f.face.value) == (piece, side))


def true_place(size, surface: str) -> dict[str, np.ndarray]:
    """Where the camera stood, not where its markers put it."""
    view = bare(size, 30.0, 1, surface).view
    return {"rotation": view.rotation, "translation_mm": view.translation_mm}


def off(true, rng):
    """A start that is wrong in every way that a start may be."""
    shift = [*rng.uniform(-1.5, 1.5, 2), 0.0]
    return true.moved(np.array(shift), np.radians([*rng.uniform(-1.5, 1.5, 2), rng.uniform(-2.5, 2.5)]))


def fitted(shot: Cut, i: int, seed: int = 1, allowed=None):
    """The fit of the shot's disc number i from a rough start, with its true pose."""
    disc, g = shot.discs[i], known()
    true = true_pose(disc, g.thickness_mm)
    face = art(disc.piece, "front" if disc.rotation[2, 2] > 0 else "back")
    picture = Picture.of(shot.bgr, shot.view)
    start = off(true, np.random.default_rng(seed))
    return align(picture, start, face, g.radius_mm, aligning.Settings(), allowed), true


def errors(fit, true) -> np.ndarray:
    """x, y in mm; the lean's x and y and the turn in rad."""
    between = true.axes.T @ fit.pose.axes
    turn = np.arctan2(between[1, 0], between[0, 0])
    lean = fit.pose.normal - true.normal
    return np.array([*(fit.pose.centre_mm - true.centre_mm)[:2], -lean[1], lean[0], turn])


@pytest.mark.parametrize("size", [SMALL, HD], ids=["720p", "1080p"])
@pytest.mark.parametrize("tilt_deg", [0.0, 20.0, 35.0, 50.0])
@pytest.mark.parametrize(("piece", "side"), FACES)
def test_a_coaster_is_placed_to_a_tenth_of_a_millimetre(size, tilt_deg, piece, side):
    shot = cut([lay((), piece, 40, -30, 25, side)], size, tilt_deg)
    fit, true = fitted(shot, 0)
    error = errors(fit, true)
    lean_deg = np.degrees(np.hypot(*error[2:4]))
    assert np.hypot(*error[:2]) <= 0.1
    if tilt_deg:
        assert lean_deg <= 0.3
    else:  # seen from straight above, a face hardly tells how it leans: it must know that
        sigma = np.sqrt(fit.covariance[2, 2] + fit.covariance[3, 3]) * INFLATE
        assert lean_deg < min(3 * np.degrees(sigma), 1.5)
    assert abs(np.degrees(error[4])) <= 0.3
    assert fit.support > 0.85 and fit.size == pytest.approx(1, abs=0.004)


@pytest.mark.parametrize("tilt_deg", [0.0, 35.0, 50.0])
def test_a_coaster_that_leans_on_another_is_seen_to_lean_so(tilt_deg):
    shot = cut(two(("gecko1", "fox3"), 25.0), SMALL, tilt_deg)
    fit, true = fitted(shot, 1)
    assert np.degrees(true.tilt_rad) > 2
    error = errors(fit, true)
    assert np.hypot(*error[:2]) <= 0.1 and np.degrees(np.hypot(*error[2:4])) <= 0.3


@pytest.mark.parametrize("size", [SMALL, HD, UHD], ids=["720p", "1080p", "4K"])
@pytest.mark.parametrize("surface", ["cloth", "check"])
def test_a_coaster_on_its_own_is_placed_to_a_twentieth_of_a_pixel(size, surface):
    errors_px = []
    for k, (piece, side) in enumerate(FACES):
        shot = cut([lay((), piece, 50 - 30 * k, 20 * k - 30, 70 * k, side)], size, 30.0, surface=surface)
        true = true_pose(shot.discs[0], known().thickness_mm)
        face, start = art(piece, side), true.moved(np.array([0.3, -0.2, 0.0]), np.array([0, 0, 0.01]))
        picture = Picture.of(shot.bgr, replace(shot.view, **true_place(size, surface)))
        fit = align(picture, start, face, known().radius_mm, aligning.Settings(), tilt=False)
        errors_px.append(picture.view.to_px(np.stack([fit.pose.centre_mm, true.centre_mm])))
    errors_px = np.array(errors_px)
    assert np.sqrt(np.mean(np.square(errors_px[:, 0] - errors_px[:, 1]))) < 0.05


@pytest.mark.parametrize("size", [SMALL, HD, UHD], ids=["720p", "1080p", "4K"])
@pytest.mark.parametrize("surface", ["cloth", "check"])
def test_a_coaster_on_its_own_is_placed_to_a_fiftieth_of_a_pixel_in_the_end(size, surface):
    errors_px = []
    for k, (piece, side) in enumerate(FACES):
        shot = cut([lay((), piece, 50 - 30 * k, 20 * k - 30, 70 * k, side)], size, 30.0, surface=surface)
        true = true_pose(shot.discs[0], known().thickness_mm)
        face, start = art(piece, side), true.moved(np.array([0.05, -0.05, 0.0]), np.array([0, 0, 0.002]))
        picture = Picture.of(shot.bgr, replace(shot.view, **true_place(size, surface)))
        fit = align(picture, start, face, known().radius_mm, aligning.PRECISE, tilt=False)
        errors_px.append(picture.view.to_px(np.stack([fit.pose.centre_mm, true.centre_mm])))
    errors_px = np.array(errors_px)
    assert np.sqrt(np.mean(np.square(errors_px[:, 0] - errors_px[:, 1]))) < 0.02


HALVES = {"left": (-1, 0), "right": (1, 0), "far": (0, 1), "near": (0, -1)}


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("tilt_deg", [0.0, 35.0, 50.0])
def test_half_a_coaster_is_placed_within_its_doubt(half, tilt_deg):
    shot = cut([lay((), "panda3", -60, 40, 130)], SMALL, tilt_deg)
    true = true_pose(shot.discs[0], known().thickness_mm)
    picture = Picture.of(shot.bgr, shot.view)
    patch = patch_of(true, known().radius_mm, shot.view, picture.rays)
    allowed = np.zeros(shot.bgr.shape[:2], bool)
    x, y = HALVES[half]
    allowed[patch.box] = x * patch.u_mm + y * patch.v_mm > 0
    fit, true = fitted(shot, 0, 3, allowed)
    sigma = np.sqrt(np.diag(fit.covariance)[:5]) * INFLATE
    assert (np.abs(errors(fit, true)) < 3 * sigma).all()


def test_something_that_lies_on_it_and_nobody_told_of_doesnt_pull_a_coaster():
    shot = cut(two(("gecko1", "fox3"), 22.0), SMALL, 35.0)
    fit, true = fitted(shot, 0)
    assert np.hypot(*errors(fit, true)[:2]) <= 0.15
    assert fit.support < 0.95


def test_the_doubt_of_a_fit_is_honest_and_of_use():
    inflate = INFLATE
    shares, doubts = [], []
    rng = np.random.default_rng(8)
    for k in range(16):
        at = rng.uniform((-120, -80), (120, 80))
        disc = lay((), FACES[k % 4][0], *at, rng.uniform(-180, 180), FACES[k % 4][1])
        shot = cut([disc], SMALL, (0.0, 35.0, 50.0)[k % 3])
        fit, true = fitted(shot, 0, k)
        sigma = np.sqrt(np.diag(fit.covariance)[:5]) * inflate
        shares.append(errors(fit, true) / np.hypot(sigma, [0.06, 0.06, 0, 0, 0]))
        doubts.append(sigma)
    assert np.abs(shares).max() < 3
    assert np.sqrt(np.mean(np.square(shares))) < 1.1
    assert (
        np.median(doubts, axis=0)[:2].max() < 0.15 and np.degrees(np.median(doubts, axis=0)[2:4]).max() < 0.5
    )


def test_a_coaster_outside_the_picture_or_wholly_hidden_isnt_fitted():
    shot = cut([lay((), "panda3", -60, 40)], SMALL, 35.0)
    true = true_pose(shot.discs[0], known().thickness_mm)
    picture = Picture.of(shot.bgr, shot.view)
    face, settings = art("panda3", "front"), aligning.Settings()
    away = true.moved(np.array([900.0, 0, 0]), np.zeros(3))
    assert align(picture, away, face, known().radius_mm, settings) is None
    nothing = np.zeros(shot.bgr.shape[:2], bool)
    assert align(picture, true, face, known().radius_mm, settings, nothing) is None

"""The picture of a pair shows outlines, bands and measure where they are, true to scale."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from referee.facts import Contact, Measure, Says, Scene, Weights
from referee.vision.discs.disc import Pose
from referee.vision.show import canvas, ink, pair
from referee.vision.show.canvas import Canvas, Drawn, Outline
from tests import small_world as world
from tests import table_scenes as tables
from tests.test_track import laid

VIEW = world.view()
SETTINGS = pair.Settings()
RADIUS = world.RADIUS_MM


def scene(overlap_mm: float, sigmas_mm: tuple[float, float] = (0.2, 0.3)) -> tuple[Drawn, Contact]:
    """The upper disc, its face 3 mm higher, right of the lower one."""
    apart = 2 * RADIUS - overlap_mm
    places = ((-apart / 2, 0.0, 3.0), (apart / 2, 0.0, 6.0))
    poses = [Pose.flat(*place) for place in places]
    picture = world.ground()
    for pose in poses:
        picture = world.disc(picture, VIEW, pose.middle(3.0), pose.normal)
    nothing = Says(0.0, 0.0, 0.0)
    said = Weights(nothing, None, None, None, Measure(0.0, 0.2), 1.8, sigmas_mm)
    contact = Contact(1, 0, Measure(overlap_mm, float(np.hypot(*sigmas_mm))), 1.0, 1.0, None, said)
    placed = (laid(0, "fox3", *places[0][:2]), laid(1, "panda4", *places[1][:2]))
    outlines = {i: Outline.whole(p.rim(RADIUS, 360)) for i, p in enumerate(poses)}
    return Drawn(Scene(0.0, 0, 0.0, placed, (contact,)), picture, VIEW, outlines), contact


def canvas_of(overlap_mm: float) -> tuple[Canvas, pair.Meeting, Drawn]:
    drawn, _ = scene(overlap_mm)
    meet = pair.meeting(drawn.outlines[1], drawn.outlines[0], overlap_mm)
    _, close = pair._canvases(drawn, drawn.outlines[1], drawn.outlines[0], meet, SETTINGS)
    return close, meet, drawn


def test_an_outline_is_drawn_where_the_picture_shows_it() -> None:
    """Where a point of the rim is in the crop, there the camera saw it: within half a pixel of the crop."""
    close, _, drawn = canvas_of(5.0)
    for track, height in ((0, 3.0), (1, 6.0)):
        rim = drawn.outlines[track].rim_mm
        assert np.allclose(rim[:, 2], height)
        shown = close.project(rim, VIEW)
        back = VIEW.to_px(np.column_stack((close.to_mm(shown), np.full(len(rim), close.height_mm))))
        assert np.abs(back - VIEW.to_px(rim)).max() * close.scale / 1.2 < 0.5
    assert np.allclose(
        close.project(drawn.outlines[1].rim_mm, VIEW), close.to_px(drawn.outlines[1].rim_mm[:, :2])
    )


def test_the_crop_shows_the_edge_of_a_white_disc_under_its_outline() -> None:
    close, _, drawn = canvas_of(-4.0)
    rim = VIEW.to_px(drawn.outlines[1].rim_mm)
    fine = np.zeros((4 * 720, 4 * 1280, 3), np.uint8)
    cv2.fillPoly(fine, [np.round((4 * rim + 1.5) * 256).astype(np.int32)], (255, 255, 255), shift=8)
    picture = cv2.resize(fine, (1280, 720), interpolation=cv2.INTER_AREA)
    crop = close.cut(picture, VIEW)[..., 0].astype(float)
    row = close.side_px // 2
    edge = np.interp(127.5, crop[row, 320:], np.arange(320, 640))
    shown = close.project(drawn.outlines[1].rim_mm, VIEW)
    nearest = shown[np.argmin(np.abs(shown[:, 1] - row) + 1000 * (shown[:, 0] > 640))]
    assert abs(edge - nearest[0]) < 0.25 * close.scale / 1.2  # a quarter of a pixel of the picture


@pytest.mark.parametrize("overlap_mm", [-4.0, -0.2, 0.0, 0.3, 5.0, 60.0])
def test_the_measure_runs_from_edge_to_edge(overlap_mm: float) -> None:
    close, meet, _ = canvas_of(overlap_mm)
    near, far = (close.to_px(p[None])[0] for p in (meet.edge_mm, meet.far_mm))
    assert far[0] - near[0] == pytest.approx(overlap_mm * close.scale, abs=1e-6)
    assert meet.edge_mm == pytest.approx([-overlap_mm / 2, 0.0], abs=1e-3)
    assert meet.height_mm == pytest.approx(6.0)
    assert close.scale >= 8.0 or overlap_mm > 20.0


@pytest.mark.parametrize("half_px", [2.0, 5.0, 11.5])
def test_a_band_is_as_wide_as_the_doubt(half_px: float) -> None:
    turn = np.linspace(0, 2 * np.pi, 360, endpoint=False)
    rim = np.column_stack((200 + 150 * np.cos(turn), 200 + 150 * np.sin(turn)))
    for way in (rim, rim[::-1]):
        mask = pair.band(way, half_px, (400, 400))
        assert mask[200, 200:].sum() == pytest.approx(2 * half_px, abs=1.1)
        assert mask.sum() == pytest.approx(2 * np.pi * 150 * 2 * half_px, rel=0.15)
        assert np.flatnonzero(mask[200, 200:]).mean() == pytest.approx(150, abs=1.1)


def test_a_doubt_too_small_to_see_is_drawn_wider_and_said() -> None:
    drawn, contact = scene(3.0, (0.01, 0.3))
    close, _, _ = canvas_of(3.0)
    assert pair._half_px(0.01, close, SETTINGS) == SETTINGS.least_band_px
    assert "drawn wider than it is" in pair._legend(drawn, contact, close, SETTINGS)
    drawn, contact = scene(3.0, (0.2, 0.3))
    assert "drawn wider" not in pair._legend(drawn, contact, close, SETTINGS)


def test_what_they_share_is_lightened_and_hatched() -> None:
    drawn, contact = scene(10.0)
    apart, gap = scene(-3.0)
    image = pair.drawn(drawn, contact, SETTINGS)
    assert image.shape[1] == 2 * SETTINGS.panel_px and image.shape[0] > SETTINGS.panel_px + 60
    centre = (slice(310, 330), slice(950, 970))
    assert np.abs(image[centre].astype(int) - pair.drawn(apart, gap, SETTINGS)[centre]).max() > 15


def test_no_measure_is_drawn_across_a_steep_one() -> None:
    drawn, flat = scene(10.0)
    apart = replace(flat, overlap_p=0.0)
    side = SETTINGS.panel_px
    shown, steep = (pair.drawn(drawn, c, SETTINGS)[:side, side:].astype(int) for c in (flat, apart))
    assert np.abs(shown - steep).max() > 100


def test_hidden_edges_are_dashed() -> None:
    paper = np.full((400, 400, 3), 128, np.uint8)
    turn = np.linspace(0, 2 * np.pi, 360, endpoint=False)
    rim = np.column_stack((200 + 150 * np.cos(turn), 200 + 150 * np.sin(turn)))
    seen = turn < np.pi
    ink.parts(paper, rim, seen, ink.UPPER)
    on = (np.abs(paper.astype(int) - ink.UPPER).max(axis=2) < 60).astype(np.uint8)
    on = cv2.dilate(on, np.ones((3, 3), np.uint8))
    x, y = np.round(rim).astype(int).T
    drawn = on[y, x] > 0
    assert drawn[seen].mean() > 0.98
    assert 0.4 < drawn[~seen].mean() < 0.85


@pytest.mark.parametrize("words", ["1.7 ± 0.2°", "±", "no sign at all", ""])
def test_letters_are_drawn_within_their_size(words: str) -> None:
    paper = np.zeros((60, 400, 3), np.uint8)
    ink.text(paper, words, (20, 40), 0.8)
    columns = np.flatnonzero((paper > 100).any(axis=(0, 2)))
    wide, _ = ink.size_px(words, 0.8)
    if words:
        assert columns.min() >= 18 and columns.max() <= 20 + wide + 2
        assert columns.max() > 20 + wide - 12


def test_long_words_are_broken_between_words() -> None:
    lines = ink.wrapped("one two three four five six", 0.6, 90)
    assert " ".join(lines) == "one two three four five six" and len(lines) > 1
    assert all(ink.size_px(line, 0.6)[0] <= 90 for line in lines)


@pytest.mark.parametrize("size", [(1280, 720), (3840, 2160)])
def test_edges_are_strong_where_they_are_seen_and_dashed_where_the_other_lies(size: tuple[int, int]) -> None:
    shot = tables.cut(tables.two(("fox1", "gecko2"), 12.0, 60.0, ("front", "front")), size, 35.0)
    reading = shot.read()
    (contact,) = reading.contacts
    outlines = canvas.outlines(reading, shot.view, tables.known())
    upper, lower = outlines[contact.upper], outlines[contact.lower]
    assert upper.seen.mean() > 0.97
    ways = lower.rim_mm[:, :2] - upper.rim_mm[:, :2].mean(axis=0)
    inside = np.hypot(*ways.T) - RADIUS
    assert lower.seen[inside > 6.0].mean() > 0.97
    assert lower.seen[inside < -6.0].mean() < 0.05

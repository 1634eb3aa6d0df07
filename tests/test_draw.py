"""Evidence pictures show what they claim."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from referee.facts import Contact, Measure, Scene, Stranger
from referee.vision.show import draw, ink, strip
from referee.vision.show.canvas import Canvas, Drawn, Outline
from referee.vision.throw.aloft import Chase, Sight
from referee.vision.watch import motion
from tests import small_world as world
from tests.test_track import laid

VIEW = world.view()
SETTINGS = draw.Settings()


def drawn(gap_mm: float = -10.0, name: str | None = "fox1") -> Drawn:
    """Two discs side by side, overlapping by -gap_mm."""
    places = [(-52.0 - gap_mm / 2, 0.0), (42.0 + gap_mm / 2, 0.0)]
    picture = world.ground()
    up = np.array([0, 0, 1.0])
    for x, y in places:
        picture = world.disc(picture, VIEW, np.array([x, y, 1.5]), up)
    turn = np.linspace(0, 2 * np.pi, 360, endpoint=False)
    rims = {
        i: Outline.whole(np.column_stack((x + 47 * np.cos(turn), y + 47 * np.sin(turn), np.full(360, 3.0))))
        for i, (x, y) in enumerate(places)
    }
    placed = (laid(0, name, *places[0]), laid(1, "panda2", *places[1]))
    contact = Contact(1, 0, Measure(-gap_mm, 0.3), 1.0, 100.0)
    return Drawn(Scene(1.0, 30, 0.3, placed, (contact,)), picture, VIEW, rims)


def decoded(content: bytes) -> world.Pixels:
    return np.asarray(cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def test_an_unknown_round_object_is_outlined_where_it_stands() -> None:
    plain = drawn()
    odd = replace(plain, scene=replace(plain.scene, strangers=(Stranger(0.0, 120.0, 30.0, 20.0),)))
    settings = draw.Settings(table_px=plain.picture.shape[1])
    one, other = (draw.whole_table(d, settings).astype(int) for d in (odd, plain))
    changed = np.abs(one - other).max(axis=2)
    for x, y in ((30.0, 120.0), (-30.0, 120.0), (0.0, 150.0)):
        column, row = np.rint(VIEW.to_px(np.array([[x, y, 20.0]]))[0]).astype(int)
        assert changed[row - 2 : row + 3, column - 2 : column + 3].max() > 40
    column, row = np.rint(VIEW.to_px(np.array([[30.0, 40.0, 0.0]]))[0]).astype(int)
    assert not changed[row - 5 : row + 6, column - 5 : column + 6].any()


def test_marks_lie_on_the_coasters_and_carry_their_names() -> None:
    scene = drawn(name=None)
    unknown, panda = draw.marks(scene)
    assert (unknown.label, unknown.sure, panda.label, panda.sure) == ("?", False, "panda2", True)
    middle = np.mean(panda.outline, axis=0) * world.SIZE
    truth = VIEW.to_px(np.array([[37.0, 0.0, 3.0]]))[0]
    assert np.hypot(*(middle - truth)) < 3


def test_a_canvas_shows_millimetres_true_to_scale() -> None:
    canvas = Canvas((20.0, -30.0), 80.0, 400, 0.0)
    points = np.array([[0.0, -30.0], [40.0, -50.0]])
    assert np.allclose(canvas.to_mm(canvas.to_px(points)), points)
    assert np.allclose(np.diff(canvas.to_px(points), axis=0), [[200.0, 100.0]])
    square = world.ground()
    corners = VIEW.to_px(np.array([[10.0, -40, 0], [30, -40, 0], [30, -20, 0], [10, -20, 0]]))
    cv2.fillConvexPoly(square, np.round(corners * 16).astype(np.int32), (255, 255, 255), shift=4)
    white = np.argwhere(canvas.cut(square, VIEW).min(axis=2) > 240)
    assert np.allclose(white.min(axis=0), 150, atol=5)
    assert np.allclose(white.max(axis=0), 250, atol=5)


def test_only_contacts_of_new_or_moved_coasters_get_a_picture() -> None:
    scene = drawn()
    assert len(draw.evidence(scene, frozenset(), {}, SETTINGS)) == 1
    table, contact = draw.evidence(scene, frozenset({1}), {}, SETTINGS)
    assert table.tracks == ()
    assert contact.tracks == (1, 0)
    assert decoded(contact.content).shape[1] == 2 * SETTINGS.pair.panel_px


def test_labels_lie_beside_one_another() -> None:
    paper = np.full((120, 200, 3), 255, np.uint8)
    ink.tags(paper, [("one", np.array([100.0, 40.0]), ink.INK)])
    one = (paper != 255).any(axis=2).sum()
    ink.tags(both := np.full_like(paper, 255), [("one", np.array([100.0, 40.0]), ink.INK)] * 2)
    assert (both != 255).any(axis=2).sum() == pytest.approx(2 * one, rel=0.1)


def test_coasters_far_apart_get_no_picture() -> None:
    assert len(draw.evidence(drawn(gap_mm=9.0), frozenset({0, 1}), {}, SETTINGS)) == 1


def test_a_throw_is_shown_as_a_strip_about_its_way_from_before_the_flick() -> None:
    pictures = [world.noisy(world.ground(), np.random.default_rng(i)) for i in range(40)]
    for i in range(16, 26):
        cv2.circle(pictures[i], (400 + 30 * (i - 16), 300), 40, (0, 0, 255), -1)
    history = [motion.glimpse(i, i / 30, p, motion.Settings()) for i, p in enumerate(pictures)]
    sights = tuple(Sight(i, i / 30, 100 + 7.5 * (i - 16), 75.0, 300.0) for i in range(16, 26))
    shown = strip.cut(0.5, Chase(sights), history, 50.0, SETTINGS.strip)
    assert shown is not None
    since_s = [s for s, _ in shown.pictures]
    assert since_s[0] < 0 < since_s[-1] <= SETTINGS.strip.window_s[1]
    red = [p[..., 2].astype(int) - p[..., 0] > 180 for _, p in shown.pictures]
    flying = [r.any() for r, s in zip(red, since_s, strict=True) if 16 / 30 <= s + 0.5 <= 25 / 30]
    assert all(flying)
    assert max(r.mean() for r in red) > 0.02
    wide, high = SETTINGS.strip.size_px
    assert strip.drawn(shown, SETTINGS.strip).shape[:2] == (2 * high, 4 * wide)
    assert strip.cut(0.5, Chase(sights), history[35:], 50.0, SETTINGS.strip) is None


def test_a_throw_at_the_edge_of_the_picture_is_shown_as_large() -> None:
    history = [motion.glimpse(i, i / 30, world.ground(), motion.Settings()) for i in range(30)]
    sights = tuple(Sight(i, i / 30, 3.0 + i, 176.0, 300.0) for i in range(16, 20))
    shown = strip.cut(0.5, Chase(sights), history, 50.0, SETTINGS.strip)
    assert shown is not None
    height, width = shown.pictures[0][1].shape[:2]
    assert width / height == pytest.approx(SETTINGS.strip.size_px[0] / SETTINGS.strip.size_px[1], rel=0.02)

"""Evidence pictures show what they claim."""

from __future__ import annotations

import cv2
import numpy as np

from referee.facts import Contact, Face, Flight, Measure, PieceId, Scene, Verdict
from referee.vision import draw, motion
from referee.vision.draw import Drawn
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
    turn = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    rims = {
        i: VIEW.to_px(np.column_stack((x + 47 * np.cos(turn), y + 47 * np.sin(turn), np.full(72, 3.0))))
        for i, (x, y) in enumerate(places)
    }
    placed = (laid(0, name, *places[0]), laid(1, "panda2", *places[1]))
    contact = Contact(1, 0, Measure(-gap_mm, 0.3), 1.0, 100.0)
    return Drawn(Scene(1.0, 30, 0.3, placed, (contact,)), picture, VIEW, rims)


def decoded(content: bytes) -> world.Pixels:
    return np.asarray(cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def test_marks_lie_on_the_coasters_and_carry_their_names() -> None:
    scene = drawn(name=None)
    unknown, panda = draw.marks(scene)
    assert (unknown.label, unknown.sure, panda.label, panda.sure) == ("?", False, "panda2", True)
    middle = np.mean(panda.outline, axis=0) * world.SIZE
    truth = VIEW.to_px(np.array([[37.0, 0.0, 3.0]]))[0]
    assert np.hypot(*(middle - truth)) < 3


def test_a_contact_is_drawn_from_above_with_its_overlap_tinted_in_the_middle() -> None:
    scene = drawn(gap_mm=-10.0)
    plain = draw.contact(drawn(gap_mm=3.0), scene.scene.contacts[0], SETTINGS)
    shown = draw.contact(scene, scene.scene.contacts[0], SETTINGS)
    assert shown.shape[1] == 2 * SETTINGS.panel_px
    centre = (SETTINGS.panel_px // 2, SETTINGS.panel_px * 3 // 2)
    assert np.abs(shown[centre].astype(int) - plain[centre]).max() > 15


def test_a_canvas_shows_millimetres_true_to_scale() -> None:
    canvas = draw.Canvas((20.0, -30.0), 80.0, 400, 0.0)
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
    assert len(draw.evidence(scene, frozenset(), (), SETTINGS)) == 1
    table, contact = draw.evidence(scene, frozenset({1}), (), SETTINGS)
    assert table.tracks == ()
    assert contact.tracks == (1, 0)
    assert decoded(contact.content).shape[1] == 2 * SETTINGS.panel_px


def test_coasters_far_apart_get_no_picture() -> None:
    assert len(draw.evidence(drawn(gap_mm=9.0), frozenset({0, 1}), (), SETTINGS)) == 1


def test_a_throw_is_shown_as_a_strip_from_before_the_flick() -> None:
    history = [motion.glimpse(i, i / 30, world.ground(i % 3), motion.Settings()) for i in range(40)]
    names = ((PieceId("fox1"), 1.0),)
    flight = Flight(1, names, None, Verdict.UNSURE, Face.FRONT, Face.BACK, 0.5, 15, 30)
    strip = draw.flight_strip(flight, history, SETTINGS)
    assert strip is not None
    assert strip.shape[1] == 4 * SETTINGS.strip_px
    assert draw.flight_strip(flight, history[35:], SETTINGS) is None

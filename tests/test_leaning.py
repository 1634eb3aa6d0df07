"""Coasters that lean far from the box, or flatly to the eye, are found; nothing is where none leans."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.render.scene import Disc, disc, tilted
from referee.vision.discs.circle_votes import Circles, Settings, edges_in, refined, votes
from referee.vision.discs.disc import Pose, paint, patch_of
from referee.vision.discs.picture import Picture
from referee.vision.discs.propose import Settings as ProposeSettings
from referee.vision.discs.propose import leans
from tests.table_scenes import cut, known, pieces
from tests.test_boxes import looking_down

RADIUS, THICKNESS = 47.0, 3.0


def leaning_on_a_stack(count: int, lean_deg: float, towards_deg: float, face: str) -> list[Disc]:
    """A stack, and fox3 with its foot on the table and its underside on the stack's upper rim."""
    names = [p.id for p in pieces().pieces if p.animal and p.id != "fox3"][:count]
    level = np.array([0.0, 0.0, 1.0])
    stack = [
        disc(name, tilted((20.0, 10.0, (k + 0.5) * THICKNESS), level, 40.0 * k, "back"), "resting")
        for k, name in enumerate(names)
    ]
    lean, towards = np.radians([lean_deg, towards_deg])
    way = np.array([np.cos(towards), np.sin(towards), 0.0])
    # in the plane across the rim: the lower face runs from its foot over the stack's upper edge
    edge = np.array([20.0, 10.0, 0.0]) - RADIUS * way
    foot = edge - count * THICKNESS / np.tan(lean) * way
    normal = np.cos(lean) * level - np.sin(lean) * way
    middle = foot + RADIUS * (np.cos(lean) * way + np.sin(lean) * level) + THICKNESS / 2 * normal
    pose = tilted((middle[0], middle[1], middle[2]), normal, 70.0, face)
    return [*stack, disc("fox3", pose, "resting")]


@pytest.mark.parametrize(
    ("count", "lean_deg", "towards_deg", "face", "surface"),
    [(7, 25.0, 80.0, "back", "cloth"), (8, 28.0, 200.0, "front", "check"), (6, 22.0, 330.0, "back", "wood")],
)
def test_a_coaster_that_leans_on_a_stack_is_read_without_a_box(count, lean_deg, towards_deg, face, surface):
    shot = cut(leaning_on_a_stack(count, lean_deg, towards_deg, face), surface=surface)
    reading = shot.read()
    (steep,) = [p for p in reading.placed if p.tilt_deg.value > 15]
    x, y, _ = shot.discs[-1].center_mm
    assert steep.piece == "fox3" and steep.face.value == face
    assert abs(steep.tilt_deg.value - lean_deg) < 2
    assert np.hypot(steep.x_mm.value - x, steep.y_mm.value - y) < 3
    assert len(reading.placed) == 2  # of the stack only the top is seen


@pytest.mark.parametrize(
    ("lean_deg", "about_deg"), [(20.0, 70.0), (50.0, 250.0), (75.0, 200.0), (60.0, 10.0)]
)
def test_edges_tell_the_lean_of_a_coaster_even_of_one_that_is_seen_flatly(lean_deg, about_deg):
    gallery, view = known(), looking_down()
    lean, about = np.radians([lean_deg, about_deg])
    axis = lean * np.array([-np.sin(about), np.cos(about), 0.0])
    pose = Pose.flat(30.0, -20.0, 40.0).moved(np.zeros(3), axis)
    blank = np.full((720, 1280, 3), (60, 80, 70), np.uint8)
    picture = Picture.of(blank, view)
    patch = patch_of(pose, gallery.radius_mm, view, picture.rays)
    assert patch is not None
    names = [k.name for k in gallery.kinds]
    back = names.index("fox back")
    shown = paint(gallery.kinds[back].faces[0], patch, gallery.radius_mm, 0.75, np.ones(3), np.zeros(3))
    inside = patch.within(gallery.radius_mm)
    blank[patch.box][inside] = np.clip(shown * picture.white, 0, 255)[inside].astype(np.uint8)
    settings, whole = Settings(), (slice(0, 720), slice(0, 1280))
    edges = edges_in(Picture.of(blank, view), whole, np.ones((720, 1280), bool), 40.0, settings)
    assert edges is not None
    circles, normals = Circles.of(gallery, settings), leans(edges, gallery, ProposeSettings())
    found = votes(edges.thinned(600), normals, circles, settings)
    near = found.centre_mm[0], normals[found.lean[0]]
    _, centre, normal, prints = refined(edges, *near, ProposeSettings().shape_mm, circles, settings)
    to_eye = (view.eye_mm - centre) / np.linalg.norm(view.eye_mm - centre)
    mirrored = 2 * (normal @ to_eye) * to_eye - normal
    off = min(np.degrees(np.arccos(np.clip(n @ pose.normal, -1, 1))) for n in (normal, mirrored))
    away = centre - pose.centre_mm
    assert off < 8  # what the fit starts from
    assert np.linalg.norm(away - (away @ to_eye) * to_eye) < 2.5
    assert prints[gallery.prints[back]]


def test_a_pile_in_which_nothing_leans_far_shows_nothing_that_does():
    level = leaning_on_a_stack(3, 20.0, 80.0, "back")[:-1]
    reading = cut(level).read()
    assert [p.piece for p in reading.placed] == [level[-1].piece]

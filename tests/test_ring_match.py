"""A face is told from the table by its rings, however it is turned, before any fit."""

from dataclasses import replace

import numpy as np
import pytest

from referee import demo
from referee.formats import load_pieces
from referee.vision.discs import gallery as faces
from referee.vision.discs.disc import Patch, Pose, paint, patch_of
from referee.vision.discs.picture import Picture
from referee.vision.discs.ring_match import Settings, ring_scores, settle
from tests.test_boxes import looking_down


@pytest.fixture(scope="module")
def seen() -> tuple[Picture, Pose, faces.Gallery]:
    """A picture of one coaster lying flat and turned, alone on a blue table."""
    gallery = faces.load(load_pieces(demo.PIECES))
    view = looking_down()
    blank = np.full((720, 1280, 3), (200, 90, 20), np.uint8)
    picture = Picture.of(blank, view)
    pose = Pose.flat(15.0, -20.0, 3.0, 0.7)
    patch = patch_of(pose, gallery.radius_mm, view, picture.rays)
    assert isinstance(patch, Patch)
    shown = paint(gallery.faces[0], patch, gallery.radius_mm, 0.75, np.ones(3), np.zeros(3))
    inside = np.hypot(patch.u_mm, patch.v_mm) < gallery.radius_mm
    blank[patch.box][inside] = np.clip(shown * picture.white, 0, 255)[inside].astype(np.uint8)
    return Picture.of(blank, view), pose, gallery


def test_a_coaster_scores_far_above_the_bare_table_whatever_its_turn(seen):
    picture, pose, gallery = seen
    free = np.ones(picture.bgr.shape[:2], bool)
    poses = [pose, pose.turned(2.0), Pose.flat(-150.0, 60.0, 3.0)]
    there, turned, elsewhere = ring_scores(picture, poses, free, gallery, Settings())
    assert abs(there - turned) < 0.08
    assert there > 0.6 > elsewhere + 0.2


def test_what_others_explain_does_not_count_for_a_coaster(seen):
    picture, pose, gallery = seen
    nothing = np.zeros(picture.bgr.shape[:2], bool)
    assert ring_scores(picture, [pose], nothing, gallery, Settings())[0] == 0


def test_a_pose_that_is_off_moves_to_where_the_rings_are(seen):
    picture, pose, gallery = seen
    free = np.ones(picture.bgr.shape[:2], bool)
    start = replace(pose, centre_mm=pose.centre_mm + np.array([3.5, 2.0, 0.0]))
    [(score, settled)] = settle(picture, [start], free, gallery, Settings(), lean=False)
    assert np.linalg.norm(settled.centre_mm - pose.centre_mm) < 1.5
    assert score > ring_scores(picture, [start], free, gallery, Settings())[0]

"""How a disc rests is told from its pose against the box, not from where its middle is."""

import json
from math import cos, radians, sin
from pathlib import Path

import numpy as np
import pytest

from referee.facts import Box, Rest
from referee.vision.box.rest import bears, possible, rest_of
from referee.vision.discs.disc import Pose

SCENES = Path(__file__).parents[1] / ".." / "shared" / "data" / "poc" / "scenes"
RADIUS, THICK = 47.0, 3.0
OPEN = Box(0, 0, 0, 104, 66, False)
CLOSED = Box(0, 0, 0, 104, 66, True)
EYE = np.array([100.0, -600.0, 700.0])
WORDS = {
    "flat": Rest.TABLE,
    "resting": Rest.TABLE,
    "in_box": Rest.IN_BOX,
    "on_rim": Rest.ON_RIM,
    "on_lid": Rest.ON_LID,
    "leaning_on_box": Rest.LEANING,
}


def resting(x: float, z: float, lean_deg: float, box: Box) -> Rest:
    """The state of a disc whose middle is at (x, 0, z), its normal leaning towards +x."""
    normal = np.array([sin(radians(lean_deg)), 0, cos(radians(lean_deg))])
    return rest_of(np.array([x, 0, z]), normal, RADIUS, THICK, box)[0]


def face(x: float, y: float, z: float, lean_deg: float = 0.0) -> Pose:
    """The seen face of a disc, its normal leaning towards +x."""
    return Pose.flat(x, y, z).moved(np.zeros(3), np.array([0.0, radians(lean_deg), 0.0]))


@pytest.mark.parametrize(
    ("box", "pose", "height_mm"),
    [
        (CLOSED, face(0, 0, 72), 66 + THICK),
        (OPEN, face(10, 0, 70), 66 + THICK),
        (OPEN, face(0, 0, 4), 2 + THICK),
        (OPEN, face(300, 0, 5), THICK),
    ],
    ids=["on the lid", "across the rim", "on the floor of the box", "on the table"],
)
def test_a_level_disc_lies_on_what_bears_it(box, pose, height_mm):
    assert bears(pose, RADIUS, THICK, box).height_mm == pytest.approx(height_mm, abs=0.01)


@pytest.mark.parametrize("lean_deg", [4.0, -4.0])
def test_a_disc_that_hangs_over_the_edge_of_the_lid_is_borne_by_the_edge_or_by_its_rim_on_the_lid(lean_deg):
    # its middle 30 mm over: the edge lies 22 mm beyond the middle, its near rim 17 mm from the box's middle
    pose = face(30, 0, 72, lean_deg)
    touch = bears(pose, RADIUS, THICK, CLOSED)
    s, c = sin(radians(abs(lean_deg))), cos(radians(lean_deg))
    arm = 22 if lean_deg > 0 else 47
    assert touch.height_mm == pytest.approx(66 + THICK / c + arm * s / c, abs=0.3)
    assert touch.at_mm[0] == pytest.approx(52 if lean_deg > 0 else -17, abs=1.0)


def leaning_against(box: Box, lean_deg: float, gap_mm: float = 0.0) -> tuple[float, float]:
    """Where (x, z) the middle of a disc is that stands on the table, its underside over the box's edge."""
    s, c = sin(radians(lean_deg)), cos(radians(lean_deg))
    z = RADIUS * s + THICK / 2 * c
    return box.outer_mm / 2 + (THICK / 2 + gap_mm - (z - box.height_mm) * c) / s, z


@pytest.mark.parametrize("lean_deg", [50, 60, 75])
def test_a_disc_on_the_table_against_the_box_leans(lean_deg):
    x, z = leaning_against(CLOSED, lean_deg)
    assert resting(x, z, lean_deg, CLOSED) is Rest.LEANING
    assert resting(x, z, lean_deg, OPEN) is Rest.LEANING


def test_a_disc_leaning_on_a_leaning_disc_is_on_the_table():
    x, z = leaning_against(CLOSED, 65, gap_mm=4.0)
    assert resting(x, z, 65, CLOSED) is Rest.TABLE


def test_a_disc_flat_beside_the_box_is_on_the_table():
    assert resting(52 + 47.2, 1.5, 0, OPEN) is Rest.TABLE


def test_a_disc_on_the_floor_or_tilted_in_the_box_is_in_it():
    assert resting(0, 3.5, 0, OPEN) is Rest.IN_BOX
    assert resting(12, 2 + 47 * sin(radians(40)) + 1.2, 40, OPEN) is Rest.IN_BOX


def test_a_disc_that_sticks_out_of_the_box_but_stands_in_it_is_in_it():
    z = 2 + RADIUS * sin(radians(70)) + 0.5
    assert z + RADIUS * sin(radians(70)) > 80
    assert resting(-20, z, 70, OPEN) is Rest.IN_BOX


def test_a_disc_across_the_rim_is_on_it_even_when_its_middle_hangs_over_the_table():
    assert resting(60, 67.5, 0, OPEN) is Rest.ON_RIM


def test_a_disc_on_the_lid_is_on_it_even_when_it_overhangs():
    assert resting(50, 67.5, 0, CLOSED) is Rest.ON_LID
    assert resting(10, 73.0, 3, CLOSED) is Rest.ON_LID


def test_turning_the_box_and_disc_together_changes_nothing():
    x, z = leaning_against(CLOSED, 60)
    for yaw in (15, 40, 77):
        c, s = cos(radians(yaw)), sin(radians(yaw))
        lean = sin(radians(60))
        normal = np.array([c * lean, s * lean, cos(radians(60))])
        box = Box(30, -20, yaw, 104, 66, True)
        rest, p = rest_of(np.array([30 + c * x, -20 + s * x, z]), normal, RADIUS, THICK, box)
        assert rest is Rest.LEANING and p > 0.9


def test_between_touching_and_not_the_answer_is_doubtful():
    chances = []
    for gap in (0.0, 2.0, 2.6, 3.2, 6.0):
        x, z = leaning_against(CLOSED, 65, gap_mm=gap)
        normal = np.array([sin(radians(65)), 0, cos(radians(65))])
        rest, p = rest_of(np.array([x, 0, z]), normal, RADIUS, THICK, CLOSED)
        chances.append(p if rest is Rest.LEANING else 1 - p)
    assert chances == sorted(chances, reverse=True)
    assert chances[0] > 0.95 and chances[-1] < 0.05 and 0.2 < chances[2] < 0.8


def test_a_disc_seen_leaning_is_placed_where_it_touches_table_and_box():
    x, z = leaning_against(CLOSED, 60)
    normal = np.array([sin(radians(60)), 0, cos(radians(60))])
    face = np.array([x, 0, z]) + THICK / 2 * normal
    nearer = EYE + 0.97 * (face - EYE)  # only the line of sight is known
    places = possible(nearer, normal, EYE, RADIUS, THICK, CLOSED)
    assert min(np.linalg.norm(place - face) for place in places) < 0.5


def test_a_steep_disc_that_nothing_holds_up_is_not_possible():
    normal = np.array([-sin(radians(60)), 0, cos(radians(60))])  # leans away from the box
    x, z = leaning_against(CLOSED, 60)
    assert possible(np.array([x + 30, 0, z]), normal, EYE, RADIUS, THICK, CLOSED) == []


def test_every_simulated_disc_is_put_in_its_state_from_its_true_pose():
    truths = [json.loads(p.read_text()) for p in sorted(SCENES.glob("*.json"))]
    truths = [t for t in truths if t.get("box")]
    if not truths:
        pytest.skip(f"no scenes with a box at {SCENES}")
    wrong = []
    for truth in truths:
        b = truth["box"]
        box = Box(*b["center_mm"], b["yaw_deg"], b["outer_mm"], b["height_mm"], b["lid"])
        for disc in truth["coasters"]:
            pose = np.array(disc["pose"])
            want = WORDS.get(disc["state"])
            size = truth["coaster"]["radius"], truth["coaster"]["thickness"]
            rest, p = rest_of(pose[:, 3], pose[:, 2], *size, box)
            if want is not None and (rest is not want or p < 0.75):
                wrong.append((disc["id"], want, rest, p))
    assert wrong == []

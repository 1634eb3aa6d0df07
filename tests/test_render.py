"""The renderer tells the truth about what it draws."""

import json
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.render import KINDS, Spec, deal, render, render_scene
from calibration.render.arms import Player
from calibration.render.arrange import pair
from calibration.render.draw import Studio, window_about
from calibration.render.match import PLAYS, demo_reel
from calibration.render.motion import Throw, throw
from calibration.render.rest import drop
from calibration.render.scene import Box, Develop, Light, Round, Scene, Slab, Surface
from calibration.render.strange import ringed
from calibration.render.truth import overlaps, scene_truth
from calibration.render.view import Window, look_at, pinhole, whole
from referee import demo
from referee.formats import BoxSize, Layout, Piece, load_pieces

BRIGHT = Light(azimuth_deg=90, elevation_deg=89, softness_deg=1, ambient=1.0)
LENS = Develop(vignette=0, noise=0, bloom=0, blur_px=0.5, sharpen=0)


@pytest.fixture(scope="module")
def pieces():
    return load_pieces(demo.PIECES)


@pytest.fixture
def table(pieces):
    camera = pinhole((960, 720), 1500.0, (-0.08, 0.02, 0.001, -0.0005, 0.003))
    view = look_at(camera, (5.0, -3.0), 1100.0, 37.0, azimuth_deg=12.0, roll_deg=2.0)
    layout = Layout("tag36h11", 50.0, {0: (-150.0, -120.0), 2: (150.0, 120.0)}, 0.2)
    return Scene(view, layout, pieces, surface=Surface("cloth", 3), light=BRIGHT, develop=LENS)


def test_a_point_falls_where_opencv_puts_it(table):
    rng = np.random.default_rng(4)
    points = rng.uniform(-200, 200, (50, 3)) * [1, 1, 0.3]
    rotation, _ = cv2.Rodrigues(table.view.rotation)
    camera = table.view.camera
    expected, _ = cv2.projectPoints(
        points, rotation, table.view.translation_mm, np.array(camera.K), np.array(camera.dist)
    )
    assert np.allclose(table.view.project(points), expected.reshape(-1, 2), atol=1e-8)


def test_rays_run_back_through_the_points_that_they_show(table):
    rays = table.view.rays(whole(table.view.camera))
    for x, y in ((3, 5), (480, 360), (950, 20), (40, 710)):
        ahead = table.view.rotation.T @ np.array([rays.u[y, x], rays.v[y, x], 1.0])
        assert np.allclose(table.view.project((table.view.eye_mm + 900 * ahead)[None])[0], (x, y), atol=5e-3)


def rim_error_px(scene, disc, height_mm, light):
    """How far the edges in `light` lie outside the disc's rim, along its normals, on the far half."""
    a = np.linspace(0, 2 * np.pi, 720, endpoint=False)
    away = scene.view.rotation.T @ [0, 0, 1]
    a = a[np.cos(a) * away[0] + np.sin(a) * away[1] > 0.3]
    r = scene.pieces.radius_mm
    offsets = np.linspace(-2.5, 2.5, 101)
    grey = light.mean(axis=2)
    errors = []
    for angle in a:
        out = np.array([np.cos(angle), np.sin(angle), 0])
        centre = np.array([*disc.center_mm[:2], height_mm])
        p, q = scene.view.project(np.stack([centre + r * out, centre + (r + 1) * out]))
        step = (q - p) / np.linalg.norm(q - p)
        px = (p + offsets[:, None] * step).astype(np.float32)
        profile = cv2.remap(grey, px[:, 0], px[:, 1], cv2.INTER_LINEAR).ravel()
        inner, outer = profile[:10].mean(), profile[-10:].mean()
        share = np.clip((profile - outer) / (inner - outer), 0, 1)
        errors.append(share.sum() * 0.05 - 2.5 - 0.025)
    return np.array(errors)


@pytest.fixture
def white_disc(table, tmp_path):
    """A coaster that is white all over on a dark table, in linear light, without a lens."""
    path = tmp_path / "white.png"
    cv2.imwrite(str(path), np.full((64, 64, 3), 255, np.uint8))
    scene = replace(table, pieces=replace(table.pieces, pieces=(Piece("white", path, path),)))
    disc = drop(scene.pieces, "white", (20.0, -10.0), 30.0, "front", ())
    return disc, Studio(scene).expose([replace(scene, discs=(disc,))], whole(scene.view.camera))


def test_the_rim_of_a_disc_is_drawn_to_a_fiftieth_of_a_pixel(table, white_disc):
    disc, light = white_disc
    errors = rim_error_px(table, disc, 3.0, light)
    assert abs(errors.mean()) < 0.02
    assert np.sqrt((errors**2).mean()) < 0.06


def test_the_rim_is_seen_at_the_height_of_the_upper_face_and_not_on_the_table(table, white_disc):
    disc, light = white_disc
    at_top, at_table = (rim_error_px(table, disc, z, light).mean() for z in (3.0, 0.0))
    # 3 mm at 37 degrees move the far rim by about 3 * sin(37) = 1.8 mm, and 1.36 px are a millimetre.
    assert at_table - at_top == pytest.approx(3.0 * np.sin(np.radians(37)) * 1500 / 1100, rel=0.3)


def test_markers_are_found_where_the_layout_puts_them(table):
    picture = render(replace(table, develop=replace(LENS, exposure=0.9)), 1)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary).detectMarkers(picture)
    assert sorted(np.ravel(ids)) == [0, 2]
    for tag, quad in zip(np.ravel(ids), corners, strict=True):
        x, y = table.layout.marker_centers_mm[int(tag)]
        middle = table.view.project(np.array([[x, y, 0.2]]))[0]
        a, b, c, d = quad.reshape(4, 2)
        s, t = np.linalg.solve(np.stack([c - a, b - d], axis=1), b - a)
        assert np.allclose(a + s * (c - a), middle, atol=0.6), (t, tag)
        assert a[1] < d[1] and a[0] < b[0]


@pytest.mark.parametrize("tilt_deg", [0.0, 25.0, 45.0])
def test_tags_are_read_off_coasters_that_lie_alone(pieces, tilt_deg):
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    tags = {(p.id, side): t for p in pieces.pieces for side, t in zip(("front", "back"), p.tags, strict=True)}
    scene = deal(Spec("singles", pieces, (2560, 1440), tilt_deg, "wood"), 3)
    shown = {tags[c["id"], c["face_seen"]] for c in scene_truth(scene, "x.jpg", "singles")["coasters"]}
    _, ids, _ = cv2.aruco.ArucoDetector(dictionary).detectMarkers(render(scene, 3))
    assert {int(i) for i in np.ravel(ids)} - {0, 1, 2, 3} == shown


@pytest.mark.parametrize("width", [0.1, 0.5, 3.0, 40.0])
def test_a_coaster_that_overlaps_another_leans_on_it_and_touches_nothing_else(pieces, width):
    below, above = pair(pieces, ("fox1", "gecko2"), (0, 0), width, 35.0, ("front", "back"), (0.0, 90.0))
    (found,) = overlaps((below, above), pieces)
    assert (found["top"], found["bottom"]) == ("gecko2", "fox1")
    assert found["width_mm"] == pytest.approx(width, abs=0.002)
    tilt = np.degrees(np.arccos(abs(above.rotation[2, 2])))
    # One side on the table, the other 3 mm up at the near rim of the lower coaster.
    assert tilt == pytest.approx(np.degrees(np.arctan(3.0 / (94.0 - width))), rel=0.08)
    assert lowest_gap(above, below, pieces) > -0.05


def lowest_gap(upper, lower, pieces):
    """How far the upper disc's lower face stays clear of the lower disc's upper face, mm, where both are."""
    t, r = np.meshgrid(np.linspace(0, 2 * np.pi, 180), np.linspace(0, 1, 40) * pieces.radius_mm)
    up = np.sign(upper.rotation[2, 2])
    local = np.stack([r * np.cos(t), r * np.sin(t), np.full_like(r, -up * pieces.thickness_mm / 2)], axis=-1)
    world = local.reshape(-1, 3) @ upper.rotation.T + upper.center_mm
    low = (world - lower.center_mm) @ lower.rotation
    low[:, 2] *= np.sign(lower.rotation[2, 2])
    over = np.hypot(low[:, 0], low[:, 1]) < pieces.radius_mm
    return min(world[:, 2].min(), (low[over, 2] - pieces.thickness_mm / 2).min())


def test_coasters_beside_each_other_lie_flat_and_overlap_nothing(pieces):
    couple = pair(pieces, ("fox1", "gecko2"), (0, 0), -0.2, 35.0, ("front", "back"), (0.0, 90.0))
    assert overlaps(couple, pieces) == []
    assert all(d.state == "flat" and d.center_mm[2] == pytest.approx(1.5) for d in couple)


@pytest.mark.parametrize("kind", KINDS)
def test_truth_agrees_with_the_poses(pieces, kind):
    scene = deal(Spec(kind, pieces), 7)
    truth = json.loads(json.dumps(scene_truth(scene, "x.jpg", kind)))
    places = {c["id"]: np.array(c["pose"]) for c in truth["coasters"]}
    assert len(places) == len(scene.discs)
    for coaster in truth["coasters"]:
        pose = places[coaster["id"]]
        assert np.allclose(pose[:, :3] @ pose[:, :3].T, np.eye(3), atol=1e-4)
        assert np.allclose(pose[:, 3], coaster["center_mm"], atol=1e-3)
        assert coaster["face"] == ("front" if pose[2, 2] > 0 else "back")
        assert 0 <= coaster["visible_fraction"] <= coaster["in_picture"] <= 1
    for o in truth["overlaps"]:
        a, b = places[o["top"]], places[o["bottom"]]
        assert o["width_mm"] == pytest.approx(94.0 - np.hypot(*(a - b)[:2, 3]), abs=0.01)
    states = {c["state"] for c in truth["coasters"]}
    wanted = {"box": "in_box", "lid": "on_lid", "pile": "resting"}
    assert wanted.get(kind, "flat") in states
    if kind in ("box", "lid"):
        assert "leaning_on_box" in states


def test_a_thrown_coaster_never_sinks_into_the_lid_that_it_lands_on(pieces):
    box = Box((0.0, 0.0), 30.0, BoxSize(104.0, 66.0, True))
    landing = drop(pieces, "fox1", (10.0, 5.0), 20.0, "front", (), box)
    thrower = Player("Ana", "fox", -90.0, (0.0, -330.0), (0.2, 0.2, 0.6), (0.8, 0.6, 0.5))
    turn = throw(pieces, thrower, (), box, Throw("fox1", "front", landing, 2, 0.9))
    c, s = np.cos(np.radians(30.0)), np.sin(np.radians(30.0))
    rim = np.linspace(0, 2 * np.pi, 90)
    lowest = []
    for t in np.arange(turn.marks_s["flick"], turn.length_s, 1 / 120):
        flying = turn.at(float(t))[0][-1]
        own = 47.0 * np.stack([np.cos(rim), np.sin(rim), 0 * rim], 1)
        for side in (-1.5, 1.5):
            points = (own + np.array([0, 0, side])) @ flying.rotation.T + flying.center_mm
            over = np.abs(points[:, :2] @ [[c, -s], [s, c]]).max(axis=1) < 52.0
            lowest += list(points[over, 2])
    assert min(lowest) > 66.0 - 1.0
    assert turn.marks_s["landed"] < turn.marks_s["settled"]


def test_nothing_of_a_coaster_is_seen_through_another_that_covers_it(pieces):
    scene = deal(Spec("singles", pieces, tilt_deg=0.0), 1)
    below = drop(pieces, "fox1", (0, 0), 0.0, "front", ())
    above = drop(pieces, "fox2", (0, 0), 90.0, "front", (below,))
    truth = scene_truth(replace(scene, discs=(below, above)), "x.jpg", "pile")
    assert [c["visible_fraction"] for c in truth["coasters"]] == [pytest.approx(0.0, abs=0.01), 1.0]


def test_the_same_seed_gives_the_same_picture_and_another_seed_another(pieces):
    spec = Spec("knife", pieces, (640, 360))
    one, again, other = (render_scene(spec, seed) for seed in (5, 5, 6))
    assert np.array_equal(one[0], again[0]) and one[1] == again[1]
    assert not np.array_equal(one[0], other[0])


def test_a_window_shows_what_the_whole_picture_shows_there(pieces):
    scene = deal(Spec("pile", pieces, (640, 360)), 2)
    scene = replace(
        scene, develop=replace(scene.develop, noise=0, blur_px=0, bloom=0, sharpen=0, jpeg_quality=100)
    )
    window = Window(200, 100, 240, 160)
    part, all_of_it = render(scene, 1, window), render(scene, 1)
    inner = np.abs(part.astype(int) - all_of_it[window.slices])
    assert inner.mean() < 0.5 and inner.max() <= 16  # the two JPEG files have their blocks elsewhere


def test_a_pair_can_be_drawn_alone_in_a_window_about_it(pieces, table):
    couple = pair(pieces, ("fox1", "gecko2"), (0, 0), 1.0, 35.0, ("front", "back"), (0.0, 90.0))
    scene = replace(table, discs=couple)
    window = window_about(scene, couple)
    assert window is not None and window.width < 400 and window.height < 300
    corners = [[window.x, window.y], [window.x + window.width - 1, window.y + window.height - 1]]
    for disc in couple:
        assert (scene.view.project(disc.center_mm[None])[0] > corners[0]).all()
        assert (scene.view.project(disc.center_mm[None])[0] < corners[1]).all()
    bare = render(replace(scene, discs=()), 1, window)
    edge = np.ones(bare.shape[:2], bool)
    edge[12:-12, 12:-12] = False
    changed = np.abs(render(scene, 1, window).astype(int) - bare).max(axis=2) > 40
    assert changed.any() and not changed[edge].any()


@pytest.fixture(scope="module")
def reel(pieces):
    return demo_reel(pieces)


def test_every_throw_of_the_match_starts_from_what_lies_there(reel):
    throws = [t for t in reel.turns if t.thrown]
    assert [t.thrown for t in throws] == [p.piece for p in PLAYS]
    for turn in throws:
        assert turn.thrown not in {d.piece for d in turn.before}
        assert {d.piece for d in turn.after} == {d.piece for d in turn.before} | {turn.thrown}


def test_a_failed_throw_makes_no_half_turn_and_the_others_do(reel):
    for turn, play in zip([t for t in reel.turns if t.thrown], PLAYS, strict=True):
        assert turn.half_turns == pytest.approx(play.half_turns, abs=0.25)
        assert (turn.half_turns < 0.5) == (play.half_turns == 0)


def test_no_coaster_sinks_into_the_table_or_another_while_it_comes_to_rest(reel):
    pieces = reel.scene.pieces
    for turn in [t for t in reel.turns if t.thrown][:5]:
        for t in np.arange(turn.marks_s["landed"], turn.length_s, 1 / 60):
            discs, _ = turn.at(float(t))
            moving = discs[-1]
            rim = np.linspace(0, 2 * np.pi, 90)
            for side in (-1, 1):
                local = np.stack([47 * np.cos(rim), 47 * np.sin(rim), np.full(90, side * 1.5)], axis=1)
                assert (local @ moving.rotation.T + moving.center_mm)[:, 2].min() > -0.8, (turn.thrown, t)
    assert pieces.thickness_mm == 3.0


def test_the_overlaps_of_the_match_are_those_that_the_rulings_speak_of(reel):
    for turn, play in zip([t for t in reel.turns if t.thrown], PLAYS, strict=True):
        at = [d for d in turn.after if d.state in ("flat", "resting")]
        covered = {o["bottom"] for o in overlaps(at, reel.scene.pieces) if o["top"] == play.piece}
        others = {d.piece for d in turn.before}
        told = {
            f"{a}{v}" for a in ("fox", "gecko") for v in range(1, 6) if f"{a} {v}" in play.says.split(":")[0]
        }
        assert covered == (told - {play.piece} if "covers" in play.says else set()), play.says
        assert covered <= others


@pytest.fixture
def plate(table):
    """A white plate of 60 mm radius and 20 mm height on the dark cloth, in linear light."""
    white = Round("plate", (20.0, -10.0), 60.0, 20.0, ringed([(1, (1.0, 1.0, 1.0))]), (0.2, 0.2, 0.2))
    scene = replace(table, things=(white,))
    return scene, Studio(table).expose([scene], whole(table.view.camera)).mean(axis=2)


def test_a_round_thing_is_as_wide_and_high_as_it_is_said_to_be(plate):
    scene, grey = plate
    turn = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    for radius, white in ((58.5, True), (61.5, False)):
        rim = np.stack([20 + radius * np.cos(turn), -10 + radius * np.sin(turn), np.full(60, 20.0)], axis=1)
        column, row = np.rint(scene.view.project(rim)).astype(int).T
        assert ((grey[row, column] > 0.5) == white).all()


def test_what_lies_behind_a_thing_is_not_seen(pieces, table):
    behind = drop(pieces, "fox1", (20.0, 80.0), 0.0, "front", ())
    cup = Round("cup", (20.0, 0.0), 45.0, 90.0, ringed([(1, (1.0, 0.0, 0.0))]), (1.0, 0.0, 0.0))
    seen = [
        scene_truth(replace(table, discs=(behind,), things=things), "x.jpg", "cup")["coasters"][0]
        for things in ((), (cup,))
    ]
    assert seen[0]["visible_fraction"] == 1.0 and 0.05 < seen[1]["visible_fraction"] < 0.5
    told = scene_truth(replace(table, things=(cup,)), "x.jpg", "cup")["things"]
    assert told == [{"kind": "cup", "center_mm": [20.0, 0.0], "radius_mm": 45.0, "height_mm": 90.0}]


def test_a_slab_has_the_corners_that_it_is_said_to_have(table):
    phone = Slab(
        "phone", (0.0, 0.0), (60.0, 100.0), 8.0, np.ones((1, 1, 3), np.float32), (0.1, 0.1, 0.1), 30.0
    )
    grey = Studio(table).expose([replace(table, things=(phone,))], whole(table.view.camera)).mean(axis=2)
    c, s = np.cos(np.radians(30)), np.sin(np.radians(30))
    for share, white in ((0.94, True), (1.06, False)):
        corners = np.array([(i * 30 * share, j * 50 * share) for i in (-1, 1) for j in (-1, 1)])
        world = np.column_stack((corners @ np.array([[c, s], [-s, c]]), np.full(4, 8.0)))
        column, row = np.rint(table.view.project(world)).astype(int).T
        assert ((grey[row, column] > 0.5) == white).all()


def test_a_lamp_is_mirrored_where_angles_of_fall_and_return_are_equal(table):
    place = np.array([30.0, 20.0, 0.0])
    ray = (place - table.view.eye_mm) / np.linalg.norm(place - table.view.eye_mm)
    light = replace(
        BRIGHT,
        azimuth_deg=float(np.degrees(np.arctan2(ray[1], ray[0]))),
        elevation_deg=float(np.degrees(np.arcsin(-ray[2]))),
        gloss=2.0,
    )
    window = whole(table.view.camera)
    shown = Studio(table).expose([replace(table, light=light)], window)
    plain = Studio(table).expose([replace(table, light=replace(light, gloss=0.0))], window)
    more = cv2.GaussianBlur((shown - plain).mean(axis=2), (0, 0), 2)
    row, column = np.unravel_index(int(more.argmax()), more.shape)
    assert np.hypot(*(table.view.project(place[None])[0] - (column, row))) < 3
    assert more.max() == pytest.approx(2.0, rel=0.05)


def test_a_worn_coaster_keeps_its_outline_and_a_bitten_one_shows_the_table(pieces, table):
    new = drop(pieces, "fox1", (20.0, -10.0), 0.0, "front", ())
    window = whole(table.view.camera)

    def drawn(disc):
        return Studio(table).expose([replace(table, discs=(disc,) if disc else ())], window)

    none, whole_one, worn = drawn(None), drawn(new), drawn(replace(new, worn=3))
    bitten = drawn(replace(new, bite=(47.0, 0.0, 15.0)))
    inside = np.abs(whole_one - none).max(axis=2) > 0.02
    changed = np.abs(worn - whole_one).max(axis=2) > 0.02
    assert changed.sum() > 0.1 * inside.sum() and not (changed & ~inside).any()
    for x, torn in ((60.0, True), (45.0, False)):  # the bite is 15 mm about the rim's rightmost point, 67
        column, row = np.rint(table.view.project(np.array([[x, -10.0, 3.0]]))[0]).astype(int)
        same = np.abs(bitten[row, column] - whole_one[row, column]).max() < 1e-3
        assert same != torn

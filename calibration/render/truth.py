"""What is true of a drawn scene: poses, who lies on whom, and how much of each face can be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from math import degrees
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.render.bodies import round_of, sides_of, walls_of
from calibration.render.scene import Disc, Limb, Round, Scene, Thing
from calibration.render.solids import DiscSolid, RectSolid
from calibration.render.view import Array, View
from referee.formats import Piece, PieceSet, layout_json

Flags = NDArray[np.bool_]

NEAR_MM = 15.0
_GRID = 48
"""Places across a face at which it is asked whether the camera sees it."""
_TOLD_APART = 40.0
"""Difference of two prints, in grey levels over the three channels, that tells them apart."""


def scene_truth(scene: Scene, image: str, kind: str) -> dict[str, Any]:
    """Everything that is known of the scene, as JSON."""
    discs = scene.discs
    seen = [_seen(scene, i) for i in range(len(discs))]
    return {
        "image": image,
        "kind": kind,
        "units": "mm",
        "camera": camera_truth(scene.view),
        "coaster": {"radius": scene.pieces.radius_mm, "thickness": scene.pieces.thickness_mm},
        "box": box_truth(scene),
        "table": {"surface": scene.surface.kind, **layout_of(scene)},
        "coasters": [placed_truth(d) | s for d, s in zip(discs, seen, strict=True)],
        "things": [thing_truth(t) for t in scene.things],
        "overlaps": overlaps(discs, scene.pieces),
        "near_pairs": near_pairs(discs, scene.pieces),
    }


def camera_truth(view: View) -> dict[str, Any]:
    tilt = degrees(float(np.arccos(np.clip(-view.rotation[2, 2], -1, 1))))
    place = {"R": view.rotation.tolist(), "t": view.translation_mm.tolist()}
    return camera_json(view) | {"rvec_tvec": place, "tilt_deg": round(tilt, 3)}


def box_truth(scene: Scene) -> dict[str, Any] | None:
    if scene.box is None:
        return None
    size = scene.box.size
    return {
        "center_mm": list(scene.box.center_mm),
        "yaw_deg": scene.box.yaw_deg,
        "outer_mm": size.outer_mm,
        "height_mm": size.height_mm,
        "lid": size.lid,
    }


def thing_truth(thing: Thing) -> dict[str, Any]:
    size = {"radius_mm": thing.radius_mm} if isinstance(thing, Round) else {"size_mm": list(thing.size_mm)}
    return {"kind": thing.kind, "center_mm": list(thing.center_mm), **size, "height_mm": thing.height_mm}


def layout_of(scene: Scene) -> dict[str, Any]:
    """The layout file as the product reads it, with the size of the box that stands there."""
    return layout_json(replace(scene.layout, box=None if scene.box is None else scene.box.size))


def camera_json(view: View) -> dict[str, Any]:
    camera = view.camera
    return {
        "size": list(camera.size),
        "K": [list(row) for row in camera.K],
        "dist": list(camera.dist),
    }


def setup_json(scene: Scene) -> dict[str, Any]:
    """Layout and camera in one, as the product is given them; no word of where anything lies."""
    return camera_json(scene.view) | layout_of(scene)


def placed_truth(disc: Disc) -> dict[str, Any]:
    normal = disc.rotation[:, 2]
    rotation = degrees(float(np.arctan2(disc.rotation[1, 0], disc.rotation[0, 0])))
    return {
        "id": disc.piece,
        "center_mm": [round(float(v), 3) for v in disc.center_mm],
        "tilt_deg": round(degrees(float(np.arccos(min(1.0, abs(float(normal[2])))))), 2),
        "face": "front" if normal[2] >= 0 else "back",
        "rotation_deg": round(rotation, 1),
        "state": disc.state,
    }


def overlaps(discs: Sequence[Disc], pieces: PieceSet) -> list[dict[str, Any]]:
    """Pairs whose outlines overlap in plan; the later one of a pair lies on the earlier."""
    out = []
    for j, upper in enumerate(discs):
        for lower in discs[:j]:
            area = _shared_area(upper, lower, pieces.radius_mm)
            if area > 0:
                width = 2 * pieces.radius_mm - _distance(upper, lower)
                out.append(
                    {
                        "top": upper.piece,
                        "bottom": lower.piece,
                        "area_mm2": round(area, 2),
                        "width_mm": round(width, 3),
                    }
                )
    return out


def near_pairs(discs: Sequence[Disc], pieces: PieceSet) -> list[dict[str, Any]]:
    out = []
    for j, b in enumerate(discs):
        for a in discs[:j]:
            gap = _distance(a, b) - 2 * pieces.radius_mm
            if abs(gap) < NEAR_MM:
                out.append({"a": a.piece, "b": b.piece, "gap_mm": round(gap, 3)})
    return out


def _distance(a: Disc, b: Disc) -> float:
    return float(np.hypot(*(a.center_mm - b.center_mm)[:2]))


def _shared_area(a: Disc, b: Disc, radius: float) -> float:
    if _distance(a, b) >= 2 * radius:
        return 0.0
    t = np.linspace(0, 2 * np.pi, 720, endpoint=False)
    rim = radius * np.stack([np.cos(t), np.sin(t), 0 * t], axis=1)
    middle = (a.center_mm + b.center_mm) / 2
    outlines = [((rim @ d.rotation.T + d.center_mm - middle)[:, :2]).astype(np.float32) for d in (a, b)]
    area, _ = cv2.intersectConvexConvex(outlines[0], outlines[1])
    return float(area)


def _seen(scene: Scene, index: int) -> dict[str, Any]:
    disc, pieces = scene.discs[index], scene.pieces
    radius, half = pieces.radius_mm, pieces.thickness_mm / 2
    eye = disc.rotation.T @ (scene.view.eye_mm - disc.center_mm)
    side = 1.0 if eye[2] > 0 else -1.0
    face = "front" if side > 0 else "back"
    steps = (np.arange(_GRID) + 0.5) / _GRID * 2 - 1
    x, y = (g.ravel() for g in np.meshgrid(steps, -steps))
    on = x * x + y * y <= 1
    local = np.stack([x * radius, side * y * radius, np.full_like(x, side * half)], axis=1)
    world = local @ disc.rotation.T + disc.center_mm
    px = scene.view.project(world)
    w, h = scene.view.camera.size
    inside = (px[:, 0] > -0.5) & (px[:, 0] < w - 0.5) & (px[:, 1] > -0.5) & (px[:, 1] < h - 0.5)
    seen = inside & ~hidden(scene, world, skip=index)
    cell = (2 * radius / _GRID) ** 2
    telling = _telling(pieces, disc.piece, face)
    return {
        "face_seen": face,
        "visible_fraction": round(float(seen[on].mean()), 3),
        "in_picture": round(float(inside[on].mean()), 3),
        "telling_mm2": round(float((telling & (seen & on)[None]).sum(axis=1).min() * cell), 1),
        "pose": np.round(np.column_stack([disc.rotation, disc.center_mm]), 5).tolist(),
    }


def _telling(pieces: PieceSet, piece: str, side: str) -> Flags:
    """For every other piece, the places (on the same grid) where its face differs from this one's."""
    own = _small(next(p for p in pieces.pieces if p.id == piece), side)
    others = [_small(p, side) for p in pieces.pieces if p.id != piece]
    return np.stack([np.abs(own - o).sum(axis=-1).ravel() > _TOLD_APART for o in others])


def _small(piece: Piece, side: str) -> Array:
    return _shrunk(piece.front if side == "front" else piece.back)


@cache
def _shrunk(path: Path) -> Array:
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    assert picture is not None, path
    return cv2.resize(picture, (_GRID, _GRID), interpolation=cv2.INTER_AREA).astype(np.float64)


def hidden(scene: Scene, points_mm: Array, skip: int) -> Flags:
    """(N,) bool: whether some disc other than `skip`, or something else, stands between a point and the
    camera."""
    eye, pieces = scene.view.eye_mm, scene.pieces
    out = np.zeros(len(points_mm), bool)
    for i, other in enumerate(scene.discs):
        if i != skip:
            out |= _behind_disc(other, pieces.radius_mm, pieces.thickness_mm / 2, eye, points_mm)
    for thing in scene.things:
        if isinstance(thing, Round):
            body: DiscSolid = round_of(thing)
            out |= _behind_disc(body.disc, body.radius_mm, body.thickness_mm / 2, eye, points_mm)
        else:
            out |= _behind_walls(sides_of(thing), eye, points_mm)
    for limb in scene.limbs:
        out |= _behind_limb(limb, eye, points_mm)
    if scene.box is not None:
        out |= _behind_walls(walls_of(scene.box)[0], eye, points_mm)
    return out


def _behind_disc(disc: Disc, radius: float, half: float, eye: Array, points: Array) -> Flags:
    """Whether the line from a point to the eye passes through a face of the disc."""
    p, e = (points - disc.center_mm) @ disc.rotation, disc.rotation.T @ (eye - disc.center_mm)
    d = e - p
    out = np.zeros(len(p), bool)
    with np.errstate(divide="ignore", invalid="ignore"):
        for z in (half, -half):
            s = (z - p[:, 2]) / d[:, 2]
            x, y = p[:, 0] + s * d[:, 0], p[:, 1] + s * d[:, 1]
            out |= (s > 1e-6) & (s < 1) & (x * x + y * y < radius * radius)
    return out


def _behind_limb(limb: Limb, eye: Array, points: Array) -> Flags:
    """Whether the line from a point to the eye passes within the radius of the rod's axis."""
    ways = (eye - points) / np.linalg.norm(eye - points, axis=1)[:, None]
    out = np.zeros(len(points), bool)
    for share in np.linspace(0, 1, _GRID):
        off = limb.start_mm + share * (limb.end_mm - limb.start_mm) - points
        along = (off * ways).sum(axis=1)
        out |= (along > 0) & (np.linalg.norm(off - along[:, None] * ways, axis=1) < limb.radius_mm)
    return out


def _behind_walls(walls: Sequence[RectSolid], eye: Array, points: Array) -> Flags:
    out = np.zeros(len(points), bool)
    for wall in walls:
        p, e = (points - wall.center) @ wall.axes, wall.axes.T @ (eye - wall.center)
        with np.errstate(divide="ignore", invalid="ignore"):
            s = -p[:, 2] / (e[2] - p[:, 2])
        q = p + s[:, None] * (e - p)
        within = (np.abs(q[:, 0]) < wall.half[0]) & (np.abs(q[:, 1]) < wall.half[1])
        out |= (s > 1e-6) & (s < 1) & within & (e[2] > 0)
    return out

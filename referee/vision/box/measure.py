"""The size of a box that no layout gives, from a picture in which most of it can be seen.

Looked for only where something stands that neither the table nor the pieces explain, which takes little to
see; fitting it takes as long as a reading.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.box import fit as box_fit
from referee.vision.box import search as box_search
from referee.vision.box.find import BoxSighting, inside_markers, sighting
from referee.vision.box.fit import POSE_AND_SIZE, Evidence, Fit, Palette, has_lid, judge, refine
from referee.vision.box.shape import BoxPose
from referee.vision.table.backdrop import Backdrop
from referee.vision.table.pose import TableView

Picture = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Area = tuple[float, float, float, float]


@dataclass(frozen=True)
class Settings:
    outers_mm: tuple[float, ...] = (60, 68, 78, 89, 101, 115, 131, 150)
    heights_mm: tuple[float, ...] = (25, 45, 70, 100)
    search: box_search.Settings = field(
        default_factory=lambda: box_search.Settings(turn_deg=7.5, per_turn=2, keep=2)
    )
    fit: box_fit.Settings = field(default_factory=box_fit.Settings)
    cells: float = 20.0
    """So many cells of the coarse look make a side."""
    candidates: int = 14
    reaches_mm: tuple[float, ...] = (8.0, 5.0, 3.0, 1.5)
    spacing_mm: float = 3.0
    fine_mm: float = 2.0
    finalists: int = 3
    same_outer_mm: float = 1.5
    same_height_mm: float = 2.0
    least_lead: float = 0.03
    """By how much a size must fit better than another."""
    least_height_mm: float = 15.0
    """Flatter things are prints, sheets or squares of the cloth."""
    least_score: float = 0.58
    least_walls: float = 0.5
    least_margin: float = 0.2
    """A chequered cloth shows many boxes, a table with a box on it shows one."""
    width_px: int = 480
    """So wide is the picture in which something unexplained is sought."""
    border_mm: float = 100.0
    """Twice as far within the markers' outer corners as things are looked for: their own width and some."""
    crumbs: int = 5
    """Unexplained strips narrower than so many of its pixels are the pieces' own seams and shadows."""
    least_area_mm2: float = 800.0
    around_mm: float = 50.0
    """So far from what is seen of it, past the pieces, a box's middle may be."""
    same_mm: float = 8.0
    """What isn't explained has not changed while its limits moved by less."""
    apart_mm: float = 15.0
    apart_deg: float = 10.0
    floor_mm: float = 0.3
    floor_deg: float = 0.2


def unexplained(
    bgr: Picture, view: TableView, backdrop: Backdrop, free: Mask, settings: Settings | None = None
) -> Area | None:
    """(left, right, near, far) in mm of the largest thing between the markers that no piece explains.

    free: (H, W) pixels that no piece explains. None when there is nothing of a box's size.
    """
    settings = settings or Settings()
    shrink = max(round(bgr.shape[1] / settings.width_px), 1)
    small = cv2.resize(bgr, None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_AREA)
    height, width = small.shape[:2]
    strange = backdrop.of_lab8(np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2LAB), np.uint8)) > 0.5
    strange &= free[shrink // 2 :: shrink, shrink // 2 :: shrink][:height, :width]
    left, right, near, far = inside_markers(view, settings.border_mm)
    border = np.array([(left, near, 0.0), (right, near, 0.0), (right, far, 0.0), (left, far, 0.0)])
    between = np.zeros(strange.shape, np.uint8)
    cv2.fillConvexPoly(between, np.rint(view.to_px(border) / shrink).astype(np.int32), 1)
    thick = np.ones((settings.crumbs, settings.crumbs), np.uint8)
    kept = cv2.morphologyEx(between * strange, cv2.MORPH_OPEN, thick)
    _, _, stats, _ = cv2.connectedComponentsWithStats(np.asarray(kept, np.uint8))
    if len(stats) < 2:
        return None
    column, row, wide, deep, area = stats[1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())]
    ends = np.array([(c, r) for c in (column, column + wide) for r in (row, row + deep)], float)
    at = view.to_mm(ends * shrink)
    (west, near), (east, far) = at.min(axis=0), at.max(axis=0)
    per_px = float(np.linalg.norm(at[2] - at[0])) / float(wide)
    if area * per_px**2 < settings.least_area_mm2:
        return None
    return (float(west), float(east), float(near), float(far))


def measure_box(
    bgr: Picture, view: TableView, backdrop: Backdrop, area: Area, settings: Settings | None = None
) -> BoxSighting | None:
    """The box in a picture with its size and whether it has a lid, or None unless one stands out clearly.

    bgr: (H, W, 3) uint8, raw; area: (left, right, near, far) in mm of what is seen of it.
    """
    settings = settings or Settings()
    coarse: list[tuple[float, BoxPose]] = []
    for outer in settings.outers_mm:
        search = replace(settings.search, cell_mm=outer / settings.cells)
        left, right, near, far = inside_markers(view, outer)
        around = settings.around_mm
        here = (
            max(left, area[0] - around),
            min(right, area[1] + around),
            max(near, area[2] - around),
            min(far, area[3] + around),
        )
        for height in settings.heights_mm:
            coarse += box_search.propose(bgr, view, outer, height, here, backdrop, search)
    coarse.sort(key=lambda c: -c[0])
    found = [
        f for _, pose in coarse[: settings.candidates] if (f := _fit(bgr, view, backdrop, pose, settings))
    ]
    if not found:
        return None
    found.sort(key=lambda f: -f[1].score)
    found += [
        again
        for fit, evidence, _ in found[: settings.finalists]
        if (again := _polish(bgr, view, backdrop, fit.pose, evidence.colours, settings))
    ]
    fit, evidence, lid = max(found, key=lambda f: f[1].score)
    elsewhere = [
        e.score
        for f, e, _ in found
        if box_search.apart(f.pose, fit.pose, settings.apart_mm, settings.apart_deg)
    ]
    margin = evidence.score - max(elsewhere, default=0.0)
    otherwise = [e.score for f, e, _ in found if _sized(f, fit, settings)]
    sure = (
        evidence.score >= settings.least_score
        and evidence.walls >= settings.least_walls
        and margin >= settings.least_margin
        and evidence.score - max(otherwise, default=0.0) >= settings.least_lead
    )
    if not sure:
        return None
    seen = sighting(fit, evidence.score, lid, margin, settings.floor_mm, settings.floor_deg)
    return replace(seen, box=replace(seen.box, measured=True))


def _sized(one: Fit, other: Fit, settings: Settings) -> bool:
    """Whether two fits differ in the box's size."""
    wider = abs(one.pose.outer_mm - other.pose.outer_mm)
    higher = abs(one.pose.height_mm - other.pose.height_mm)
    return wider > settings.same_outer_mm or higher > settings.same_height_mm


def _polish(
    bgr: Picture,
    view: TableView,
    backdrop: Backdrop,
    pose: BoxPose,
    colours: Palette,
    settings: Settings,
) -> tuple[Fit, Evidence, bool] | None:
    """Fitted again by the edges of the box's own colour, now that it shows whether there is a lid."""
    s = settings
    lid = has_lid(bgr, view, pose, s.fine_mm, s.fit)
    found: Fit | None = None
    for reach in s.reaches_mm[-2:]:
        found = refine(bgr, view, pose, reach, s.fine_mm, s.fit, colours, lid, POSE_AND_SIZE)
        if found is None or found.pose.height_mm < s.least_height_mm:
            return None
        pose = found.pose
        colours = judge(bgr, view, backdrop, pose, lid, s.fine_mm, s.fit).colours
    assert found is not None
    return found, judge(bgr, view, backdrop, pose, lid, s.fine_mm, s.fit), lid


def _fit(
    bgr: Picture, view: TableView, backdrop: Backdrop, pose: BoxPose, settings: Settings
) -> tuple[Fit, Evidence, bool] | None:
    """Place and size fitted by the edges, then by the edges of the box's own colour."""

    def fit(pose: BoxPose, reach_mm: float, colours: Palette | None = None, lid: bool = True) -> Fit | None:
        found = refine(
            bgr, view, pose, reach_mm, settings.spacing_mm, settings.fit, colours, lid, POSE_AND_SIZE
        )
        return None if found is None or found.pose.height_mm < settings.least_height_mm else found

    for reach in settings.reaches_mm:
        found = fit(pose, reach)
        if found is None:
            return None
        pose = found.pose
    lid = has_lid(bgr, view, pose, settings.spacing_mm, settings.fit)
    evidence = judge(bgr, view, backdrop, pose, lid, settings.spacing_mm, settings.fit)
    found = fit(pose, settings.reaches_mm[-1], evidence.colours, lid)
    if found is None:
        return None
    return found, judge(bgr, view, backdrop, found.pose, lid, settings.spacing_mm, settings.fit), lid

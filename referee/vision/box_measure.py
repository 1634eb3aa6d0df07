"""The size of a box that no layout gives, from a picture in which most of it can be seen.

Slow (about a second): meant for setting up, before play, not for every picture.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from referee.vision import box_fit, box_search
from referee.vision.backdrop import Backdrop
from referee.vision.box_fit import POSE_AND_SIZE, Evidence, Fit, Palette, has_lid, judge, refine
from referee.vision.box_shape import BoxPose
from referee.vision.boxes import BoxSighting, backdrop_of, inside_markers, sighting
from referee.vision.table import TableView

Picture = NDArray[np.uint8]


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
    least_height_mm: float = 15.0
    """Flatter things are prints, sheets or squares of the cloth."""
    least_score: float = 0.58
    least_walls: float = 0.5
    least_margin: float = 0.2
    """A chequered cloth shows many boxes, a table with a box on it shows one."""
    apart_mm: float = 15.0
    apart_deg: float = 10.0
    floor_mm: float = 0.3
    floor_deg: float = 0.2


def measure_box(bgr: Picture, view: TableView, settings: Settings | None = None) -> BoxSighting | None:
    """The box in a picture with its size and whether it has a lid, or None unless one stands out clearly.

    bgr: (H, W, 3) uint8, raw.
    """
    settings = settings or Settings()
    backdrop = backdrop_of(bgr, view)
    coarse: list[tuple[float, BoxPose]] = []
    for outer in settings.outers_mm:
        search = replace(settings.search, cell_mm=outer / settings.cells)
        for height in settings.heights_mm:
            coarse += box_search.propose(
                bgr, view, outer, height, inside_markers(view, outer), backdrop, search
            )
    coarse.sort(key=lambda c: -c[0])
    found = [
        f for _, pose in coarse[: settings.candidates] if (f := _fit(bgr, view, backdrop, pose, settings))
    ]
    if not found:
        return None
    found.sort(key=lambda f: -f[1].score)
    fit, evidence, lid = found[0]
    others = [
        e.score
        for f, e, _ in found
        if box_search.apart(f.pose, fit.pose, settings.apart_mm, settings.apart_deg)
    ]
    margin = evidence.score - max(others, default=0.0)
    sure = (
        evidence.score >= settings.least_score
        and evidence.walls >= settings.least_walls
        and margin >= settings.least_margin
    )
    if not sure:
        return None
    seen = sighting(fit, evidence.score, lid, margin, settings.floor_mm, settings.floor_deg)
    return replace(seen, box=replace(seen.box, measured=True))


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

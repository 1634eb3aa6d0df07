"""The game's box: where it stands and how it is turned, from one picture."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from referee.facts import Box
from referee.formats import BoxSize
from referee.vision.abreast import each
from referee.vision.box import fit as box_fit
from referee.vision.box import search as box_search
from referee.vision.box.fit import Evidence, Fit, Palette, judge, refine
from referee.vision.box.shape import SIDES, BoxPose
from referee.vision.table.backdrop import Backdrop, lay_flat
from referee.vision.table.pose import TableView

Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class Settings:
    search: box_search.Settings = field(default_factory=box_search.Settings)
    fit: box_fit.Settings = field(default_factory=box_fit.Settings)
    coarse_mm: float = 5.0
    """Distance of the edge points while many candidates are compared."""
    fine_mm: float = 2.5
    finalists: int = 2
    reaches_mm: tuple[float, float, float] = (7.0, 2.5, 1.5)
    """How far from the expected edge the true one is sought, step after step."""
    least_score: float = 0.24
    least_margin: float = 0.08
    as_before: float = 0.8
    """A box that is seen this much as well as before has stayed where it was."""
    apart_mm: float = 10.0
    apart_deg: float = 8.0
    """Poses that differ by less are one answer."""
    floor_mm: float = 0.1
    """Sigma that always remains: markers, lens, a box that is not quite square."""
    floor_deg: float = 0.1


@dataclass(frozen=True)
class BoxSighting:
    box: Box
    sigma_mm: float
    """One standard deviation of the middle, along each axis."""
    sigma_deg: float
    score: float
    """Share of the visible edges that are drawn as they should be, 0 to 1."""
    margin: float
    """By how much the score beats the best different pose."""


@dataclass(frozen=True, eq=False)
class _Candidate:
    fit: Fit
    evidence: Evidence


def find_box(
    bgr: Picture,
    view: TableView,
    size: BoxSize,
    previous: BoxSighting | None = None,
    settings: Settings | None = None,
    backdrop: Backdrop | None = None,
) -> BoxSighting | None:
    """The box of that size in a picture, or None where none can be told from the rest.

    bgr: (H, W, 3) uint8, raw. `previous` is where it was seen before: the search over the whole table is left
    out as long as the box is seen there about as well as then. `backdrop` as `backdrop_of` gives it.
    """
    settings = settings or Settings()
    backdrop = backdrop or backdrop_of(bgr, view)
    if previous is not None:
        box = previous.box
        pose = BoxPose(box.x_mm, box.y_mm, box.yaw_deg, size.outer_mm, size.height_mm)
        again = _best(bgr, view, backdrop, [pose], size.lid, settings)
        if again is not None and again.score > settings.as_before * previous.score:
            return again
    candidates = box_search.propose(
        bgr,
        view,
        size.outer_mm,
        size.height_mm,
        inside_markers(view, size.outer_mm),
        backdrop,
        settings.search,
    )
    return _best(bgr, view, backdrop, [pose for _, pose in candidates], size.lid, settings)


def backdrop_of(bgr: Picture, view: TableView) -> Backdrop:
    """The colours of the table between the markers and a little around them."""
    flat, _ = lay_flat(bgr, view, 0.0, inside_markers(view, -100.0), 5.0)
    return Backdrop.of(flat)


def inside_markers(view: TableView, outer_mm: float) -> tuple[float, float, float, float]:
    """(left, right, near, far) where the box's middle may be: a box does not stand on the markers.

    The mat is symmetric about the table's origin, so that two markers tell where the hidden ones lie.
    """
    reach = np.array([300.0, 220.0])
    if view.corners_px is not None:
        reach = np.abs(view.to_mm(view.corners_px.reshape(-1, 2))).max(axis=0)
    x, y = np.maximum(reach - outer_mm / 2, outer_mm / 2)
    return (-x, x, -y, y)


def _best(
    bgr: Picture, view: TableView, backdrop: Backdrop, poses: list[BoxPose], lid: bool, settings: Settings
) -> BoxSighting | None:
    def fit(
        pose: BoxPose, reaches_mm: tuple[float, ...], spacing_mm: float, colours: Palette | None = None
    ) -> list[_Candidate]:
        found = _fit(bgr, view, backdrop, pose, lid, reaches_mm, spacing_mm, colours, settings)
        return [] if found is None else [found]

    wide, middle, narrow = settings.reaches_mm
    rough = [c for found in each(lambda p: fit(p, (wide,), settings.coarse_mm), poses) for c in found]
    rough.sort(key=_score, reverse=True)
    final = [c for r in rough[: settings.finalists] for c in fit(r.fit.pose, (middle,), settings.fine_mm)]
    final = [
        c for f in final for c in fit(f.fit.pose, (middle, narrow), settings.fine_mm, f.evidence.colours)
    ]
    if not final:
        return None
    best = max(final, key=_score)
    # Inner and outer edge of a rim are easily mixed up: start again from a rim's width away on each side.
    for x, y in () if lid else settings.fit.rim_mm * SIDES @ best.fit.pose.axes:
        pose = replace(best.fit.pose, x_mm=best.fit.pose.x_mm + x, y_mm=best.fit.pose.y_mm + y)
        again = fit(pose, (narrow,), settings.fine_mm, best.evidence.colours)
        best = max([best, *again], key=_score)
    best = max(
        fit(best.fit.pose, (middle, narrow), settings.fine_mm, best.evidence.colours) or [best], key=_score
    )
    others = [
        c.evidence.score
        for c in (*final, *rough)
        if box_search.apart(c.fit.pose, best.fit.pose, settings.apart_mm, settings.apart_deg)
    ]
    margin = best.evidence.score - max(others, default=0.0)
    if best.evidence.score < settings.least_score or margin < settings.least_margin:
        return None
    return sighting(best.fit, best.evidence.score, lid, margin, settings.floor_mm, settings.floor_deg)


def _fit(
    bgr: Picture,
    view: TableView,
    backdrop: Backdrop,
    pose: BoxPose,
    lid: bool,
    reaches_mm: tuple[float, ...],
    spacing_mm: float,
    colours: Palette | None,
    settings: Settings,
) -> _Candidate | None:
    """The pose moved onto the edges that it meets, reach after reach; None when there are too few."""
    fitted: Fit | None = None
    for reach in reaches_mm:
        fitted = refine(bgr, view, pose, reach, spacing_mm, settings.fit, colours, lid)
        if fitted is None:
            return None
        pose = fitted.pose
    if fitted is None:
        return None
    return _Candidate(fitted, judge(bgr, view, backdrop, pose, lid, spacing_mm, settings.fit))


def _score(candidate: _Candidate) -> float:
    return candidate.evidence.score


def sighting(
    fit: Fit, score: float, lid: bool, margin: float, floor_mm: float, floor_deg: float
) -> BoxSighting:
    pose = fit.pose
    spread = np.sqrt(np.diag(fit.covariance))
    yaw = (pose.yaw_deg + 45) % 90 - 45
    return BoxSighting(
        Box(pose.x_mm, pose.y_mm, yaw, pose.outer_mm, pose.height_mm, lid),
        float(np.hypot(max(spread[0], spread[1]), floor_mm)),
        float(np.hypot(spread[2], floor_deg)),
        score,
        margin,
    )

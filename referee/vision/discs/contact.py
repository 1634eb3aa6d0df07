"""Who lies on whom, by how much, how surely: plan distances, leans and pixels weighed together.

A rigid disc that covers another, however slightly, leans on its rim: sin(lean) = t / (2R - width). That
tells covering from a near miss where the distance alone can't (three hypotheses: apart, a on b, b on a).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, cosh, degrees, erfc, hypot, log, radians, sqrt

import numpy as np
from numpy.typing import NDArray

from referee.facts import Contact, Measure, Says, Weights
from referee.vision.discs.align import INFLATE
from referee.vision.discs.disc import Pose
from referee.vision.discs.gallery import Gallery
from referee.vision.discs.order import Evidence
from referee.vision.discs.rest import lens_area, table_height
from referee.vision.discs.stacking import Stack
from referee.vision.discs.support import steep
from referee.vision.table.pose import TableView

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    listed_mm: float = 15.0
    """Pairs with a wider gap aren't listed."""
    place_sigma_mm: float = 0.06
    """What lens and table leave in a place, per axis, relative to a neighbour."""
    residual_share: float = 0.5
    """So much of the markers' residual is left between neighbours: an unknown lens bends the table."""
    table_sigma_mm: float = 0.02
    """What is left in a place on the table itself, per axis, of a lens and a table that the markers fit."""
    table_residual: float = 0.3
    """So much of the markers' residual is left in it as well."""
    thickness_sigma_mm: float = 0.17
    """How well a household measures a coaster's thickness: all faces are higher or lower alike."""
    radius_sigma_mm: float = 0.06
    lean_sigma_deg: float = 0.22
    """Discs warp: no lean is known better."""
    lean_cap: float = 9.5
    """The most that a lean may say (log odds): now and then a disc leans for a reason that nobody sees."""
    hidden_lean_cap: float = 3.0
    """The same where one lies higher than the other would lift it: what nobody sees may hold it level."""
    doubtful_mm: float = 5.0
    """Sigma of a doubtful find's place."""
    pile_sigma_mm: float = 0.4
    """What leans leave in the height of one face over another, beside the doubt of their own heights."""
    height_cap: float = 5.0
    """The most that heights may say (log odds)."""
    pixel_cap: float = 9.0
    """The most that pixels may say (log odds)."""


@dataclass(frozen=True)
class Place:
    """A disc's plan place and lean with their doubts."""

    plan_mm: Array
    """(2,) the disc's centre at half thickness."""
    covariance: Array
    """(2, 2) mm^2."""
    lean: Array
    """(2,) rad: the normal's horizontal part."""
    lean_sigma: float


def place(laid: Stack, i: int, gallery: Gallery, view: TableView, settings: Settings) -> Place:
    """Where the fit puts the disc. A doubt about its lean is a doubt about its height, and so of its place
    along the view."""
    disc, free = laid.found[i], laid.free[i]
    loose = float(free.covariance[[2, 3], [2, 3]].max()) * INFLATE**2
    lean_sigma = hypot(sqrt(loose), radians(settings.lean_sigma_deg))
    bent = settings.residual_share * view.residual_px * _mm_per_px(disc.pose, view)
    covariance = _seen(laid, i, laid.heights[i].sigma_mm, view, settings)
    covariance += np.eye(2) * (settings.place_sigma_mm**2 + bent**2)
    plan = disc.pose.middle(gallery.thickness_mm)[:2]
    return Place(plan, covariance, free.pose.normal[:2].copy(), lean_sigma)


def on_table(laid: Stack, i: int, view: TableView, settings: Settings) -> Array:
    """(2, 2) mm^2: the doubt of a place on the table itself, which shares no errors with a neighbour."""
    pose = laid.found[i].pose
    share = view.plane_jacobian(*pose.centre_mm)
    bent = settings.table_residual * view.residual_px * _mm_per_px(pose, view)
    height_sigma = hypot(laid.heights[i].sigma_mm, settings.thickness_sigma_mm)
    covariance = _seen(laid, i, height_sigma, view, settings) + share @ view.covariance @ share.T
    return np.asarray(covariance + np.eye(2) * (settings.table_sigma_mm**2 + bent**2))


def _seen(laid: Stack, i: int, height_sigma_mm: float, view: TableView, settings: Settings) -> Array:
    """(2, 2) mm^2: what fit and height leave in a place."""
    disc = laid.found[i]
    ray = disc.pose.centre_mm - view.eye_mm
    along = ray[:2] / abs(ray[2])
    covariance = disc.fit.covariance[:2, :2] * INFLATE**2 + np.outer(along, along) * height_sigma_mm**2
    if disc.doubtful:
        covariance += np.eye(2) * settings.doubtful_mm**2
    return np.asarray(covariance)


def _mm_per_px(pose: Pose, view: TableView) -> float:
    return float(np.linalg.norm(pose.centre_mm - view.eye_mm) / view.camera.matrix[0, 0])


def measure(
    laid: Stack,
    evidence: dict[tuple[int, int], Evidence],
    gallery: Gallery,
    view: TableView,
    settings: Settings,
) -> list[Contact]:
    """A Contact for every pair that overlaps in plan or nearly does; tracks are indexes into the stack."""
    places = [place(laid, i, gallery, view, settings) for i in range(len(laid.found))]
    contacts = []
    for a in range(len(places)):
        for b in range(a + 1, len(places)):
            width = 2 * gallery.radius_mm - hypot(*(places[a].plan_mm - places[b].plan_mm))
            if width > -settings.listed_mm:
                contacts.append(
                    _contact(a, b, width, places, laid, evidence.get((a, b)), gallery, view, settings)
                )
    return contacts


def _contact(
    a: int,
    b: int,
    width: float,
    places: list[Place],
    laid: Stack,
    seen: Evidence | None,
    gallery: Gallery,
    view: TableView,
    settings: Settings,
) -> Contact:
    between = places[a].plan_mm - places[b].plan_mm
    unit = between / max(float(np.hypot(*between)), 1e-6)
    spread = float(unit @ (places[a].covariance + places[b].covariance) @ unit)
    sigma = sqrt(spread + 2 * settings.radius_sigma_mm**2)
    pixels = 0.0 if seen is None else float(np.clip(seen.log_odds, -settings.pixel_cap, settings.pixel_cap))
    doubtful = laid.found[a].doubtful or laid.found[b].doubtful
    if doubtful:
        pixels = 0.0
    nothing_else = not doubtful and laid.lowers[a] <= {b} and laid.lowers[b] <= {a}
    lone = nothing_else and all(_lies_on_table(laid.found[i].pose, gallery) for i in (a, b))
    lean = asin(min(gallery.thickness_mm / (2 * gallery.radius_mm - max(width, 0)), 0.5))
    leans = heights = None
    if lone and width < gallery.radius_mm:
        flat_width, raised_a, raised_b = (
            _width_if(a, b, up, lean, laid, gallery, view) for up in (None, a, b)
        )
        distance = Says(*(_log_tail(mm / sigma) for mm in (-flat_width, raised_a, raised_b)))
        leans = _lean_says(places[a], places[b], unit, lean, settings.lean_cap)
        # pixels speak of the order only where there is enough overlap in the picture to see it
        order = Says(-abs(pixels) / 4, pixels / 2, -pixels / 2)
    else:
        into = _into(between, laid.found[a].pose, laid.found[b].pose, gallery.radius_mm) / sigma
        order = Says(0.0, pixels / 2, -pixels / 2)
        higher = 0.0 if doubtful else _higher(a, b, laid, gallery, settings)
        if not doubtful:
            heights = Says(0.0, higher / 2, -higher / 2)
        if nothing_else and width < gallery.radius_mm and not steep(laid.found[a].pose, laid.found[b].pose):
            leans = _lean_says(places[a], places[b], unit, lean, settings.hidden_lean_cap)
            leans = Says(max(leans.on, leans.under), leans.on, leans.under)
        # who is above says nothing of whether they overlap
        either = log(2 * cosh((pixels + higher) / 2))
        distance = Says(_log_tail(-into) + either, _log_tail(into), _log_tail(into))
    said = (distance, leans, order if pixels else None, heights)
    apart, a_on_b, b_on_a = (
        sum(getattr(s, way) for s in said if s is not None) for way in ("apart", "on", "under")
    )
    top = max(apart, a_on_b, b_on_a)
    p_apart, p_a, p_b = (float(np.exp(v - top)) for v in (apart, a_on_b, b_on_a))
    overlap_p = (p_a + p_b) / (p_apart + p_a + p_b)
    upper, lower, upper_p = (a, b, p_a) if p_a >= p_b else (b, a, p_b)
    unit = unit if upper == a else -unit
    area = lens_area(2 * gallery.radius_mm - width, gallery.radius_mm)
    weights = Weights(
        *(said if upper == a else _turned(*said)),
        Measure(degrees(float(places[upper].lean @ unit)), degrees(places[upper].lean_sigma)),
        degrees(lean),
        (_edge_sigma(places[upper], unit, settings), _edge_sigma(places[lower], unit, settings)),
    )
    return Contact(upper, lower, Measure(width, sigma), upper_p / (p_a + p_b), area, overlap_p, weights)


def _turned(distance: Says, *others: Says | None) -> tuple[Says, Says | None, Says | None, Says | None]:
    leans, pixels, heights = (None if s is None else s.turned() for s in others)
    return distance.turned(), leans, pixels, heights


def _edge_sigma(spot: Place, unit: Array, settings: Settings) -> float:
    """The doubt of an outline where it meets another, along the line of their centres, mm."""
    return sqrt(float(unit @ spot.covariance @ unit) + settings.radius_sigma_mm**2)


def _into(between: Array, a: Pose, b: Pose, radius_mm: float) -> float:
    """How far two outlines reach into each other in plan, in mm; negative when they are apart.

    between: (2,) from one middle to the other. A disc reaches less far the way it leans; outlines are apart
    when they are along any line (the separating axis of convex shapes).
    """
    turn = np.arctan2(between[1], between[0]) + np.linspace(-np.pi / 2, np.pi / 2, 37)
    ways = np.column_stack((np.cos(turn), np.sin(turn)))
    reach = sum(np.sqrt(np.maximum(1 - (ways @ p.normal[:2]) ** 2, 0)) for p in (a, b))
    return float((radius_mm * reach - ways @ between).min())


def _higher(a: int, b: int, laid: Stack, gallery: Gallery, settings: Settings) -> float:
    """Log odds that a lies over b, from their heights where they overlap: the upper face is a thickness
    above the lower one at least."""
    one, other = laid.found[a].pose, laid.found[b].pose
    middle = (one.centre_mm[:2] + other.centre_mm[:2]) / 2
    z = [p.centre_mm[2] - (middle - p.centre_mm[:2]) @ p.normal[:2] / p.normal[2] for p in (one, other)]
    doubts = (laid.heights[i].sigma_at(middle - laid.found[i].pose.centre_mm[:2]) for i in (a, b))
    sigma = hypot(settings.pile_sigma_mm, *doubts)
    rise = float(z[0] - z[1])
    short_a = max(0.0, gallery.thickness_mm - rise) / sigma
    short_b = max(0.0, gallery.thickness_mm + rise) / sigma
    return float(np.clip((short_b**2 - short_a**2) / 2, -settings.height_cap, settings.height_cap))


def _lies_on_table(pose: Pose, gallery: Gallery) -> bool:
    if steep(pose):
        return False
    lowest = table_height(pose.normal, gallery.radius_mm, gallery.thickness_mm)
    return abs(float(pose.centre_mm[2]) - lowest) < 0.25 * gallery.thickness_mm


def _lean_says(a: Place, b: Place, unit: Array, lean: float, cap: float) -> Says:
    """What the leans of two discs with nothing else under them say; one on the other leans by `lean` rad.

    cap: the most that they may say, in log odds.
    """

    def leans(spot: Place, towards: float, expected: float) -> float:
        error = float(spot.lean @ unit) * towards - expected
        return -0.5 * (error / spot.lean_sigma) ** 2

    ways = (
        leans(a, 1, 0) + leans(b, -1, 0),
        leans(a, 1, lean) + leans(b, -1, 0),
        leans(a, 1, 0) + leans(b, -1, lean),
    )
    return Says(*(max(way - max(ways), -cap) for way in ways))


def _width_if(
    a: int, b: int, up: int | None, lean: float, laid: Stack, gallery: Gallery, view: TableView
) -> float:
    """The plan overlap if disc `up` leans on the other and the rest lies flat."""
    centres = []
    for i in (a, b):
        pose: Pose = laid.found[i].pose
        tilt = lean if i == up else 0.0
        normal = np.array([np.sin(tilt), 0, np.cos(tilt)])
        moved = pose.at_height(table_height(normal, gallery.radius_mm, gallery.thickness_mm), view)
        centres.append(moved.centre_mm[:2] - gallery.thickness_mm / 2 * pose.normal[:2])
    return 2 * gallery.radius_mm - hypot(*(centres[0] - centres[1]))


def _log_tail(z: float) -> float:
    """Log of the chance that a standard normal stays below z; never less than e^-30."""
    return log(max(0.5 * erfc(-z / sqrt(2)), 1e-13))

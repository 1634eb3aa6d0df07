"""How high a face lies and how surely: by what bears it and by its size in the picture, weighed together."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import asin, radians, sqrt

import numpy as np
from numpy.typing import NDArray

from referee.vision.discs import under
from referee.vision.discs.align import INFLATE, Fit
from referee.vision.discs.disc import Pose
from referee.vision.discs.peel import Found
from referee.vision.discs.picture import Picture
from referee.vision.discs.rest import Touch, height_over

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    rest_sigma_mm: float = 0.1
    """How well a coaster touches what bears it, and how well its thickness is known."""
    warp_deg: float = 0.22
    """Coasters warp: no lean is known better."""
    size_sigma: float = 0.0003
    """What texture and print leave in the apparent size of a wholly seen face, as a share."""
    astray: float = 0.008
    """The same, from the share of a face's pixels that disagree with its print: they pull at its edges."""
    print_sigma: float = 0.002
    """How far the print may be off its size where no disc of the scene shows it."""
    hidden: tuple[float, ...] = (0.93, 0.05, 0.015, 0.005)
    """How often a level disc lies on none, one, two, three discs that nobody sees."""
    heaped: tuple[float, ...] = (0.6, 0.2, 0.12, 0.08)
    """The same in or on the box, where discs lie in one heap."""
    disorder: float = 0.01
    """How often it lies lower than the order says, for each layer."""
    hidden_mm: float = 1.0
    """Sigma of the height of a disc that leans on something hidden."""
    most_lean: float = 1.3
    """The same disc leans more, by this factor, than one that lies on a single rim."""
    surprise: float = 2.5
    """Sigmas at which the size overrules the pile: something is hidden, or the order is wrong."""
    flat_deg: float = 0.8
    """A disc with nothing under it and no more lean lies flat: half of what the thinnest overlap makes."""
    under: under.Settings = field(default_factory=under.Settings)


@dataclass(frozen=True, eq=False)
class Height:
    """The height of a face's middle, with the doubt of the plane that the face lies in."""

    mm: float
    covariance: Array
    """(3, 3) of that height (mm) and of the turns (rad) about the table's x and y axes."""

    @property
    def sigma_mm(self) -> float:
        return sqrt(float(self.covariance[0, 0]))

    def sigma_at(self, off_mm: Array) -> float:
        """The doubt of the plane's height (2,) mm away from the middle."""
        h = _rise(off_mm)
        return sqrt(float(h @ self.covariance @ h))


def sure(mm: float, sigma_mm: float) -> Height:
    """A height whose lean is known."""
    return Height(mm, np.diag([sigma_mm**2, 0.0, 0.0]))


def _rise(off_mm: Array) -> Array:
    """(3,): how a plane's height at a place moves with its height at the middle and with its turns."""
    return np.array([1.0, off_mm[1], -off_mm[0]])


def rests(
    pose: Pose,
    fit: Fit,
    ground: Touch,
    lowers: list[tuple[Pose, Height]],
    radius_mm: float,
    thickness_mm: float,
    s: Settings,
) -> Height:
    """How high a leaning disc lies on the ground or on `lowers`, lowered until it touches.

    It turns about the place where it touches, and that is known as well as the lower face is there: the lean
    of a coaster of which little is seen is poorly known, and what lies far from its middle with it.
    """
    height, touch = ground.height_mm, ground.at_mm
    sigma = float(np.hypot(s.rest_sigma_mm, ground.sigma_mm))
    for lower, known in lowers:
        over = height_over(pose, lower, radius_mm, thickness_mm)
        if over is not None and over[0] > height:
            height, touch = over
            sigma = float(np.hypot(s.rest_sigma_mm, known.sigma_at(touch - lower.centre_mm[:2])))
    leans = fit.covariance[2:4, 2:4] * INFLATE**2 + np.eye(2) * radians(s.warp_deg) ** 2
    about = np.zeros((3, 3))
    about[0, 0], about[1:, 1:] = sigma**2, leans
    to_middle = np.eye(3)
    to_middle[0] = _rise(pose.centre_mm[:2] - touch)
    return Height(height, to_middle @ about @ to_middle.T)


def by_size(
    found: list[Found],
    free: list[Fit],
    lowers: list[set[int]],
    picture: Picture,
    thickness_mm: float,
    settings: Settings,
) -> list[tuple[float, float]]:
    """How high each face is by its apparent size: (mm, sigma).

    A face that is nearer looks larger. The well seen discs that lie on the table show how large the print
    really is, fronts and backs apart; a disc can't be its own measure. `free` are their fits with the tilt
    left free: a warped disc that is taken for level looks larger or smaller than it is.
    """
    level = [
        f.visible > 0.75 and np.degrees(fit.pose.tilt_rad) < settings.flat_deg and not under
        for f, fit, under in zip(found, free, lowers, strict=True)
    ]
    eye = float(picture.view.eye_mm[2])
    # what their sizes would be if all lay on the table
    sizes = np.array([f.size * (eye - thickness_mm) / (eye - float(f.pose.centre_mm[2])) for f in free])
    sigmas = np.array([_size_sigma(f, fit, settings) for f, fit in zip(found, free, strict=True)])
    out = []
    for i, f in enumerate(found):
        like = [j for j, g in enumerate(found) if level[j] and j != i and g.kind.face is f.kind.face]
        size, doubt = 1.0, settings.print_sigma
        if like:
            size = _middle(sizes[like], 1 / sigmas[like] ** 2)
            doubt = float(1 / np.sqrt(np.sum(1 / sigmas[like] ** 2)))
        sigma = float(np.hypot(sigmas[i], doubt))
        out.append((eye + (thickness_mm - eye) * size / float(sizes[i]), eye * sigma))
    return out


def _middle(values: Array, weights: Array) -> float:
    """The weighted median: one of a few that lies on something nobody sees mustn't count."""
    order = np.argsort(values)
    sums = np.cumsum(weights[order])
    return float(values[order][int(np.searchsorted(sums, sums[-1] / 2))])


def _size_sigma(disc: Found, fit: Fit, settings: Settings) -> float:
    """How well the apparent size of its face is known, as a share."""
    whole = float(np.hypot(settings.size_sigma, settings.astray * (1 - fit.support)))
    return float(np.hypot(whole / max(disc.visible, 0.1) ** 1.5, 2 * sqrt(float(fit.covariance[5, 5]))))


def weigh_level(
    piled: Height, layers: int, told: tuple[float, float], hidden: tuple[float, ...], bare: float,
    least_mm: float, thickness_mm: float, s: Settings,
) -> Height:  # fmt: skip
    """A level disc lies whole thicknesses higher or lower than its pile, if at all: something lies hidden, or
    the order is wrong.

    told: its height by its size, and the sigma; hidden: how often none, one, two ... discs lie hidden;
    bare: log odds that nothing is hidden, by what the picture shows under its rim.
    """
    steps = np.arange(-layers, len(hidden))
    prior = np.array([s.disorder] * layers + list(hidden))
    prior[layers + 1 :] *= np.exp(-bare)
    prior = np.where(piled.mm + thickness_mm * steps < least_mm - 0.5, 0, prior)
    weighed = _weigh(piled, steps, prior, told, thickness_mm)
    return Height(max(weighed.mm, least_mm), weighed.covariance)


def _weigh(
    borne: Height, steps: NDArray[np.intp], prior: Array, told: tuple[float, float], thickness_mm: float
) -> Height:
    """The likeliest of the heights so many thicknesses above `borne`, doubted by what the others weigh."""
    levels = borne.mm + thickness_mm * steps
    spread = told[1] ** 2 + borne.covariance[0, 0]
    chance = prior * np.exp(-0.5 * np.minimum((told[0] - levels) ** 2 / spread, 80))
    chance /= chance.sum()
    best = float(levels[int(chance.argmax())])
    covariance = borne.covariance.copy()
    covariance[0, 0] += float(chance @ (levels - best) ** 2)
    return Height(best, covariance)


def weigh_steep(
    standing: Height, told: tuple[float, float], hidden: tuple[float, ...], thickness_mm: float
) -> Height:
    """A disc that leans steeply stands on what is seen, or whole thicknesses above it on what is hidden.

    told: its height by its size, and the sigma; hidden: how often none, one, two ... discs lie hidden.
    """
    return _weigh(standing, np.arange(len(hidden)), np.array(hidden), told, thickness_mm)


def weigh_leaning(
    piled: Height, layers: int, told: tuple[float, float], pose: Pose, least_mm: float,
    radius_mm: float, thickness_mm: float, s: Settings,
) -> Height:  # fmt: skip
    """A leaning disc's pile and size together; if they contradict each other, something is hidden or the
    order is wrong, and the size alone tells."""
    single = asin(thickness_mm / (2 * radius_mm))
    covariance = piled.covariance.copy()
    if layers == 0 and pose.tilt_rad > s.most_lean * single:
        covariance[0, 0] = max(covariance[0, 0], s.hidden_mm**2)
    off, spread = told[0] - piled.mm, covariance[0, 0] + told[1] ** 2
    if abs(off) > s.surprise * sqrt(spread):
        covariance[0], covariance[:, 0] = 0.0, 0.0
        covariance[0, 0] = told[1] ** 2
        return Height(max(told[0], least_mm), covariance)
    gain = covariance[:, 0] / spread
    return Height(max(piled.mm + float(gain[0]) * off, least_mm), covariance - np.outer(gain, covariance[0]))

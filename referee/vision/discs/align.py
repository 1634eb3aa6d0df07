"""Fit the pose of a disc whose face is known: every pixel of its print counts.

Gauss-Newton on the difference between the picture and the painted face, weighted by Tukey's function so that
what lies on top doesn't pull. The face is blurred once per stage as the camera blurs it where it lies; each
step then only looks up the seen pixels' places on it (Lucas and Kanade's registration, with the gradient
taken on the print, as in the inverse compositional form).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.discs.disc import Pose, on_face, window_of
from referee.vision.discs.gallery import FaceArt
from referee.vision.discs.likeness import Likeness
from referee.vision.discs.picture import Picture

Array = NDArray[np.float64]
Image = NDArray[np.float32]

INFLATE = 4.0
"""Texture, JPEG and print make a fit's errors this much larger than its covariance, for white noise, says."""


@dataclass(frozen=True)
class Settings:
    steps: tuple[tuple[float, int], ...] = ((2.0, 3), (0.0, 5))
    """Stages, coarse to fine: extra blur in px and most steps."""
    inner: float = 0.96
    """Pixels beyond this share of the radius belong to the rim and don't count."""
    noise: float = 0.02
    """Grain of print and sensor (1 = white); the least scale of the weights."""
    coarsest: float = 0.12
    finest: float = 0.06
    """The most that the scale may be, in a blurred stage and in a sharp one: where most of a face is hidden,
    what hides it mustn't set the scale."""
    hopeless: float = np.inf
    """A blurred stage that ends with so large a scale has met nothing like the face: no sharp one follows."""
    tilt_prior_deg: float = 12.0
    """The most, about, that one step may change the lean."""
    level_deg: float = 0.8
    """How far discs lean, in the sigmas of pixels that all err on their own: seen from straight above, half a
    face tells nearly nothing of its lean."""
    steep: float = 10.0
    """From about so many times that lean, a disc is known to lean, and isn't drawn to the level."""
    scale_prior: float = 0.004
    """How far the print may be larger or smaller than the set says, as a share. Left out, it becomes tilt."""
    most_pixels: int = 3500
    """A larger face is read on every second pixel, and so on."""
    fine: bool = False
    """Paint the finer print, however small the face is seen, and as sharp as the markers' steps are: for a
    disc that is found, of which it is settled which pixels show it."""
    edge_px: float = 0.0
    """In a sharp stage, edges of the print may be so far beside, or so much sharper or softer, without being
    taken for something that lies on top: lenses and cameras' sharpening are never known exactly."""
    blurred_still: float = 4.0
    still: float = 0.25
    """A step of which nothing is larger than this many of its own sigmas is the last of its stage."""


PRECISE = Settings(steps=((0.0, 5),), most_pixels=14000, fine=True, edge_px=0.5)
"""For what lies where it was found to lie, and shows where it was found to show."""


@dataclass(frozen=True, eq=False)
class Fit:
    pose: Pose
    gain: Array
    """(3,) brightness of the face, per channel."""
    offset: Array
    """(3,)."""
    size: float
    """Print seen over print expected."""
    covariance: Array
    """(6, 6) of x, y (mm), turn about the table's x and y axes, turn about the normal (rad), size."""
    scale: float
    """Robust size of a pixel's misfit (1 = white)."""
    support: float
    """Share of the allowed face pixels that agree."""
    leant: bool = True
    """Whether the lean was fitted too."""


def align(
    picture: Picture,
    pose: Pose,
    face: FaceArt,
    radius_mm: float,
    settings: Settings,
    allowed: NDArray[np.bool_] | None = None,
    steps: tuple[tuple[float, int], ...] | None = None,
    tilt: bool = True,
    gain: Array | None = None,
    offset: Array | None = None,
) -> Fit | None:
    """The pose near `pose` that explains the picture best; the height of the face's middle stays.

    allowed: (H, W) pixels that aren't known to belong to something else; steps: other stages than those of
    the settings. None when the disc leaves the picture, too little of it is allowed, or the
    fit is hopeless.
    """
    gains = np.ones(3) if gain is None else gain.copy()
    offsets = np.zeros(3) if offset is None else offset.copy()
    covariance, scale, support, size = np.eye(6), 1.0, 0.0, 1.0
    for extra, count in steps or settings.steps:
        pixels = _pixels(picture, pose, radius_mm, settings, extra, allowed)
        if pixels is None:
            return None
        blur_px = float(np.hypot(picture.steps_px if settings.fine else picture.blur_px, extra))
        print_ = Likeness.of(face, pose, radius_mm, picture, blur_px, gains, offsets, settings.fine)
        edge_mm = 0.0 if extra else settings.edge_px / print_.px_per_mm
        # the baked colours are the starting ones; the steps correct them by a factor and a shift
        factor, shift = np.ones(3), np.zeros(3)
        for _ in range(count):
            system = _system(pixels, print_, pose, size * radius_mm, picture, settings, factor, shift)
            if system is None:
                return None
            basis, residual, worst, moves = system
            near = np.partition(worst, int(0.3 * len(worst)))[int(0.3 * len(worst))]
            scale = min(
                max(1.9 * float(near), settings.noise), settings.coarsest if extra else settings.finest
            )
            allowance = _changes(basis) * np.float32(edge_mm) if edge_mm else np.float32(0)
            weight = np.square(np.clip(1 - np.square(worst / (4.0 * scale + allowance)), 0, None))
            support = float(np.mean(worst < 3 * scale))
            step, covariance = _solve(
                basis, residual, moves, weight, scale, settings, _lean(pose) if tilt else None, size
            )
            factor = np.clip(factor + step[6:9], 0.5, 2.0)
            shift = np.clip(shift + step[9:12], -0.25, 0.25)
            size += float(np.clip(step[5], -0.01, 0.01))
            move = np.clip(step[:2], -4, 4)
            turn = np.array([step[2], step[3], 0]) + pose.normal * step[4]
            turn *= min(1.0, 0.25 / max(float(np.abs(turn).max()), 1e-9))
            pose = pose.moved(np.array([*move, 0.0]), turn)
            still = settings.blurred_still if extra else settings.still
            if (np.square(step[:6]) < still**2 * np.diag(covariance)).all():
                break
        if extra and scale >= settings.hopeless:
            return None
        gains, offsets = np.clip(gains * factor, 0.4, 1.8), np.clip(offsets * factor + shift, -0.5, 0.5)
    return Fit(pose, gains, offsets, size, covariance, scale, support, tilt)


@dataclass(frozen=True, eq=False)
class _Pixels:
    """The pixels that are compared, fixed for a stage."""

    directions: Image
    """(3, N) rays in the table frame, z = 1 along the optical axis."""
    seen: Image
    """(3, N)."""


def _pixels(
    picture: Picture,
    pose: Pose,
    radius_mm: float,
    settings: Settings,
    extra_px: float,
    allowed: NDArray[np.bool_] | None,
) -> _Pixels | None:
    window = window_of(pose, radius_mm, picture.view)
    if window is None:
        return None
    seen = picture.colours(*window)
    stride = max(1, int(np.sqrt(0.7 * seen[..., 0].size / settings.most_pixels)))
    rays = np.ascontiguousarray(picture.rays.xy[window][::stride, ::stride])
    u, v = on_face(pose, rays, picture.view)
    mask = u * u + v * v < np.float32((settings.inner * radius_mm) ** 2)
    if allowed is not None:
        mask &= allowed[window][::stride, ::stride]
    which = np.flatnonzero(mask)
    if len(which) < 60:
        return None
    if extra_px:
        seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), extra_px), np.float32)
    seen = seen[::stride, ::stride].reshape(-1, 3).take(which, axis=0)
    turn = picture.view.rotation.astype(np.float32)
    directions = turn[:2].T @ rays.reshape(-1, 2).take(which, axis=0).T + turn[2][:, None]
    return _Pixels(np.asarray(directions, np.float32), np.ascontiguousarray(seen.T))


def _system(
    pixels: _Pixels,
    print_: Likeness,
    pose: Pose,
    radius_mm: float,
    picture: Picture,
    settings: Settings,
    factor: Array,
    shift: Array,
) -> tuple[Image, Image, Image, Array] | None:
    """The linear system of a step.

    Basis (3, 8, N), per colour: its change along u and v, times 1, u and v; the painted colour before factor
    and shift; and 1. A motion of the disc moves what a fixed pixel sees by a linear field on the face, so
    that the pose's Jacobian is `moves` (6, 6) applied to the first six. Also the residual (3, N), and the
    worst of each pixel (N,).
    """
    along = pose.axes.T.astype(np.float32) @ pixels.directions
    start = ((picture.view.eye_mm - pose.centre_mm) @ pose.axes).astype(np.float32)
    s = -start[2] / along[2]
    u, v = start[0] + s * along[0], start[1] + s * along[1]
    gone = u * u + v * v > np.float32((min(settings.inner + 0.02, 0.985) * radius_mm) ** 2)
    if len(gone) - np.count_nonzero(gone) < 60:
        return None
    factors, shifts = factor.astype(np.float32)[:, None], shift.astype(np.float32)[:, None]
    colour, du, dv = print_.look_up(u, v, radius_mm)
    basis = np.empty((3, 8, len(u)), np.float32)
    for first, change in ((0, du), (3, dv)):
        np.multiply(change, factors, out=basis[:, first])
        np.multiply(basis[:, first], u, out=basis[:, first + 1])
        np.multiply(basis[:, first], v, out=basis[:, first + 2])
    basis[:, 6], basis[:, 7] = colour, 1.0
    residual = pixels.seen - (basis[:, 6] * factors + shifts)
    worst = np.abs(residual).max(axis=0)
    worst[gone] = 9.0
    return basis, residual, worst, _moves(pose, picture)


def _changes(basis: Image) -> Image:
    """(N,) the most that the painted colour changes per mm, of its channels and along either axis."""
    return np.asarray(np.maximum(np.abs(basis[:, 0]), np.abs(basis[:, 3])).max(axis=0), np.float32)


def _moves(pose: Pose, picture: Picture) -> Array:
    """(6, 6): how x, y, tilt x, tilt y, turn and size move what a fixed pixel sees on the face.

    A point that moves by dX carries the print along; a fixed pixel then sees the print at a place moved by
    -(a . dX), a being the face's axis freed of what lies along the line of sight.
    """
    sight = pose.centre_mm - picture.view.eye_mm
    u, v, n = pose.axes.T
    moves = np.zeros((6, 6))
    for row, axis in ((0, u), (3, v)):
        a = axis - n * float(axis @ sight) / float(n @ sight)
        moves[row, :2] = -a[:2]
        for step, arm in ((1, u), (2, v)):
            twist = _cross(arm, a)  # a . (spin x arm) = spin . (arm x a)
            moves[row + step, 2:6] = -twist[0], -twist[1], -float(n @ twist), -float(a @ arm)
    return moves


def _lean(pose: Pose) -> Array:
    """(2,) rad: the turn about the table's x and y axes that would make a level disc lean so."""
    x, y = pose.normal[:2]
    return np.array([-y, x]) * pose.tilt_rad / max(float(np.hypot(x, y)), 1e-9)


def _cross(a: Array, b: Array) -> Array:
    """np.cross for two single vectors, which it is slow at."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _solve(
    basis: Image,
    residual: Image,
    moves: Array,
    weight: Image,
    scale: float,
    settings: Settings,
    lean: Array | None,
    size: float,
) -> tuple[Array, Array]:
    """One weighted step of (x, y, tilt x, tilt y, turn, size, factors, shifts), and its covariance.

    lean: (2,) rad about the table's x and y axes, None where it is not to change. A weak prior holds the
    colours near where they are, so that a face of one colour can't run away, and another the lean near level.
    """
    free = 12
    weighted = basis * (weight / np.float32(scale**2))
    squares = (weighted @ basis.transpose(0, 2, 1)).astype(float)
    slopes = (weighted @ residual[..., None]).astype(float)
    turns = np.zeros((3, 8, free))  # from the basis to what is free, per colour
    turns[:, :6, :6] = moves
    turns[range(3), 6, range(6, 9)] = turns[range(3), 7, range(9, 12)] = 1.0
    back = turns.transpose(0, 2, 1)
    normal = (back @ squares @ turns).sum(axis=0)
    gradient = (back @ slopes).sum(axis=0)[:, 0]
    tilts = [np.radians(settings.tilt_prior_deg)] * 2
    steady = np.array([0.2, 0.2, *tilts, 0.5, settings.scale_prior, *[0.3] * 3, *[0.05] * 3])
    normal[np.diag_indices(free)] += 1 / steady**2
    gradient[5] += (1.0 - size) / steady[5] ** 2
    if lean is not None:
        level = np.radians(settings.level_deg)
        pull = 1 / (1 + lean @ lean / (settings.steep * level) ** 2) ** 2 / level**2
        normal[[2, 3], [2, 3]] += pull
        gradient[2:4] -= pull * lean
    else:
        normal[2:4], normal[:, 2:4] = 0, 0
        normal[2, 2] = normal[3, 3] = 1.0
        gradient[2:4] = 0
    covariance = np.linalg.inv(normal)
    return np.asarray(covariance @ gradient), np.asarray(covariance[:6, :6])

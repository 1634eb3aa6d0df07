"""How well many poses at once look like some face by its rings: a quick first look before any fit.

A face's rings keep their colours however it is turned, so that a pose is told from nothing by a few samples
on each ring. That is the same judgement as `identify.rank_kinds`, made on a fifth of the samples for hundreds
of poses together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.discs.disc import Pose
from referee.vision.discs.gallery import RINGS, Gallery, ring_radii
from referee.vision.discs.misfit import mean_square, worst
from referee.vision.discs.picture import Picture

Array = NDArray[np.float64]
Image = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Settings:
    every: int = 3
    """Every third ring is looked at."""
    sectors: int = 16
    noise: float = 0.05
    """Expected misfit of a sample (1 = white)."""
    cap: float = 4.0
    """A misfit beyond this many squared sigmas says no more."""
    dimmest: float = 0.55
    brightest: float = 1.35
    turns_deg: tuple[float, ...] = (5.0, 2.5)
    shifts_mm: tuple[float, ...] = (3.0, 1.5)
    """How far poses are moved about to see what looks better, round after round."""
    directions: int = 6


def ring_scores(
    picture: Picture, poses: Sequence[Pose], free: Mask, gallery: Gallery, settings: Settings
) -> Array:
    """(N,) share of each pose's face that the best kind explains, 0 to 1; what isn't free is unexplained."""
    if not poses:
        return np.zeros(0)
    rings = np.arange(settings.every // 2, RINGS, settings.every)
    radius = gallery.radius_mm * ring_radii()[rings][:, None]
    angle = 2 * np.pi * np.arange(settings.sectors) / settings.sectors
    places = np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=-1).reshape(-1, 2)
    axes = np.stack([p.axes[:, :2] for p in poses])
    middles = np.stack([p.centre_mm for p in poses])
    points = middles[:, None] + np.einsum("sk,nck->nsc", places, axes)
    x, y = picture.view.to_px(points.reshape(-1, 3)).astype(np.float32).T.reshape(2, len(poses), -1)
    seen = picture.of_white(cv2.remap(picture.bgr, x, y, cv2.INTER_LINEAR))
    open_ = cv2.remap(free.view(np.uint8), x, y, cv2.INTER_NEAREST)
    area = np.repeat(radius[:, 0] / radius.sum(), settings.sectors).astype(np.float32) / settings.sectors
    weight = open_ * area
    best = np.zeros(len(poses))
    for kind in gallery.kinds:
        base = np.repeat(kind.profile[rings], settings.sectors, axis=0)
        sigma = np.sqrt(settings.noise**2 + np.repeat(kind.spread[rings], settings.sectors) ** 2)
        explained = _explained(seen, weight / sigma, base, sigma, settings)
        best = np.maximum(best, explained / (area / sigma).sum())
    return best


def _explained(seen: Image, weight: Image, base: Image, sigma: Image, settings: Settings) -> Array:
    """(N,) weight of the samples that have the kind's colours under the light that suits it best."""
    gain = np.ones((len(seen), 1, 1), np.float32)
    for _ in range(2):
        near = weight * (worst(seen - gain * base) < 2.5 * sigma)
        below = near @ np.square(base).sum(axis=1)
        found = (near * np.einsum("nsc,sc->ns", seen, base)).sum(axis=1) / np.maximum(below, 1e-9)
        found = np.where(below > 0, np.clip(found, settings.dimmest, settings.brightest), 1.0)
        gain = found.astype(np.float32)[:, None, None]
    misfit = mean_square(seen - gain * base) / sigma**2
    return np.asarray((weight * (1 - np.minimum(misfit / settings.cap, 1))).sum(axis=1), np.float64)


def settle(
    picture: Picture, poses: Sequence[Pose], free: Mask, gallery: Gallery, settings: Settings, lean: bool
) -> list[tuple[float, Pose]]:
    """Each pose moved about a little to where its rings look best, and leant too if asked, with its score."""
    best = list(zip(ring_scores(picture, poses, free, gallery, settings), poses, strict=True))
    around = 2 * np.pi * np.arange(settings.directions) / settings.directions
    for turn_deg, shift_mm in zip(settings.turns_deg, settings.shifts_mm, strict=True):
        for turning in (False, True) if lean else (False,):
            tried = [p for _, p in best for p in _about(p, around, turn_deg, shift_mm, turning)]
            scores = ring_scores(picture, tried, free, gallery, settings)
            n = len(around)
            for i, now in enumerate(best):
                one = i * n + int(scores[i * n : (i + 1) * n].argmax())
                best[i] = max(now, (scores[one], tried[one]), key=lambda b: b[0])
    return [(float(score), pose) for score, pose in best]


def _about(pose: Pose, around: Array, turn_deg: float, shift_mm: float, turning: bool) -> list[Pose]:
    steps = np.outer(np.cos(around), pose.axes[:, 0]) + np.outer(np.sin(around), pose.axes[:, 1])
    if turning:
        return [pose.moved(np.zeros(3), np.radians(turn_deg) * step) for step in steps]
    return [pose.moved(shift_mm * step, np.zeros(3)) for step in steps]

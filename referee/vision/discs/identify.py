"""Which face is it: from its rings to its family, from its print to its value."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.discs.align import Fit
from referee.vision.discs.disc import Pose, paint, patch_of
from referee.vision.discs.gallery import RINGS, SECTORS, FaceArt, Gallery, Kind, ring_radii
from referee.vision.discs.picture import Picture

Array = NDArray[np.float64]
Image = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Settings:
    noise: float = 0.05
    """Expected misfit of a polar sample (1 = white)."""
    turn_noise: float = 0.12
    """The same where a face's turn is only known to a sector."""
    cap: float = 4.0
    """A misfit beyond this many squared sigmas says no more: something else lies there."""
    pixel_noise: float = 0.04
    """Expected misfit of a pixel of the right face (1 = white), at least."""
    blur_px: float = 0.75
    """The camera's own blur (one sigma)."""
    blob_px: float = 6.0
    """Neighbouring pixels err together: this many count as one."""
    dimmest: float = 0.55
    brightest: float = 1.35
    """How far a face may be darker or brighter than the markers' paper makes it."""


@dataclass(frozen=True, eq=False)
class KindFit:
    kind: Kind
    score: float
    """Share of the face that this kind explains, 0 to 1; hidden parts count as unexplained."""
    gain: float


SHADE = 0.4
"""Share of a face's width over which light may change."""

RING_SHARE = (ring_radii()[:, None] * np.ones(SECTORS)).astype(np.float32)
RING_SHARE /= RING_SHARE.sum()


def rank_kinds(polar: Image, allowed: Mask, gallery: Gallery, settings: Settings) -> list[KindFit]:
    """Every kind with how much of the polar picture it explains, best first."""
    seen, free, area = polar[:, ::2], allowed[:, ::2], RING_SHARE[:, ::2]  # every other sector is plenty
    base = np.stack([k.profile for k in gallery.kinds])[:, :, None, :]
    sigma = np.sqrt(settings.noise**2 + np.stack([k.spread for k in gallery.kinds]) ** 2)[:, :, None]
    weight = area * free / sigma  # (kinds, RINGS, sectors)
    gain = np.ones((len(base), 1, 1, 1), np.float32)
    for _ in range(3):
        worst = np.abs(seen - gain * base).max(axis=3) / sigma
        w = (weight * (worst < 2.5) / sigma)[..., None]
        below = (w * base * base).sum(axis=(1, 2, 3))
        found = (w * base * seen).sum(axis=(1, 2, 3)) / np.maximum(below, 1e-9)
        found = np.where(below > 0, np.clip(found, settings.dimmest, settings.brightest), 1.0)
        gain = found.astype(np.float32)[:, None, None, None]
    misfit = np.square(seen - gain * base).mean(axis=3) / sigma**2
    explained = (weight * (1 - np.minimum(misfit / settings.cap, 1))).sum(axis=(1, 2))
    score = explained / (area / sigma).sum(axis=(1, 2))
    fits = [
        KindFit(k, float(s), float(g)) for k, s, g in zip(gallery.kinds, score, gain.ravel(), strict=True)
    ]
    return sorted(fits, key=lambda f: -f.score)


def turn_costs(
    polar: Image,
    allowed: Mask,
    art: Image,
    gain: Array,
    offset: Array,
    settings: Settings,
    turns: range = range(SECTORS),
    rings: slice = slice(RINGS),
) -> Image:
    """(turns,) how badly a polar picture of print fits at each turn: mean capped squared misfit.

    Turn s means that the print lies turned by s sectors counter-clockwise against `polar`. The cap is what
    keeps other pieces lying on this one from turning it.
    """
    seen = ((polar[rings] - offset) / gain).astype(np.float32)
    weight = RING_SHARE[rings] * allowed[rings]
    if len(turns) > 1:  # every other sector is plenty to find a turn by
        seen, weight = seen[:, ::2], weight[:, ::2]
    sectors = np.arange(0, SECTORS, 2 if len(turns) > 1 else 1)
    turned = art[rings][
        :, (sectors[None, :] - np.array(turns)[:, None]) % SECTORS
    ]  # (rings, turns, sectors, 3)
    error = seen[:, None] - turned
    misfit = np.einsum("rtsc,rtsc->rts", error, error) / np.float32(3 * settings.turn_noise**2)
    np.minimum(misfit, np.float32(settings.cap), out=misfit)
    costs = np.einsum("rs,rts->t", weight, misfit)
    return np.asarray(costs / max(float(weight.sum()), 1e-9), np.float32)


def face_log_likelihoods(
    picture: Picture, pose: Pose, kind: Kind, fit: Fit, radius_mm: float, shows: Mask, settings: Settings
) -> tuple[Array, list[Pose]]:
    """(faces,) log-likelihoods of the kind's faces, and the pose (turned) at which each fits best.

    shows: (H, W) pixels that may show this disc. Only pixels where two faces differ can tell them apart; a
    misfit is capped, so that a shadow or a finger speaks for nobody.
    """
    polar, mask = picture.polar_and_mask(shows, pose, radius_mm)
    poses = [pose] * len(kind.faces)
    if not kind.patterned and len(kind.faces) > 1:
        inner = slice(RINGS // 4)
        costs = [
            turn_costs(polar, mask, face.polar, fit.gain, fit.offset, settings, rings=inner)
            for face in kind.faces
        ]
        poses = [
            _turn_finely(picture, pose, face, fit, radius_mm, shows, kind.telling, row, settings)
            for face, row in zip(kind.faces, costs, strict=True)
        ]
    scores = np.array(
        [
            -_misfit(picture, p, face, fit, radius_mm, shows, kind.telling, settings)
            for face, p in zip(kind.faces, poses, strict=True)
        ]
    )
    return scores - scores.max(), poses


def _turn_finely(
    picture: Picture,
    pose: Pose,
    face: FaceArt,
    fit: Fit,
    radius_mm: float,
    shows: Mask,
    telling: float,
    misfit: Image,
    settings: Settings,
) -> Pose:
    """The turn at which a face fits best: the best few coarse ones, then half sectors around the best."""
    sector = 2 * np.pi / SECTORS
    peaks = [s for s in range(SECTORS) if misfit[s] <= min(misfit[s - 1], misfit[(s + 1) % SECTORS])]
    coarse = sorted(peaks, key=lambda s: misfit[s])[:2] or [int(misfit.argmin())]

    def cost(turn: float) -> float:
        return _misfit(picture, pose.turned(turn), face, fit, radius_mm, shows, telling, settings)

    best = min((s * sector for s in coarse), key=cost)
    best = min((best + k * sector / 2 for k in (-1, 0, 1)), key=cost)
    return pose.turned(best)


def _misfit(
    picture: Picture,
    pose: Pose,
    face: FaceArt,
    fit: Fit,
    radius_mm: float,
    shows: Mask,
    telling: float,
    settings: Settings,
) -> float:
    """Half the sum of capped squared misfits out to `telling` of the radius, in independent pixels."""
    patch = patch_of(pose, telling * radius_mm, picture.view, picture.rays)
    if patch is None:
        return 0.0
    rows, columns = patch.box
    painted = paint(face, patch, fit.size * radius_mm, settings.blur_px, fit.gain, fit.offset)
    mask = (np.hypot(patch.u_mm, patch.v_mm) < telling * radius_mm) & shows[rows, columns]
    error = _evened(picture.colours(rows, columns) - painted, mask)[mask]
    sigma = max(fit.scale, settings.pixel_noise)
    return (
        float(np.minimum(np.square(error).mean(axis=1) / sigma**2, settings.cap).sum()) / 2 / settings.blob_px
    )


def _evened(error: Image, mask: Mask) -> Image:
    """The misfit without what changes slowly over the face: light that falls unevenly is nobody's print."""
    width = max(3, round(SHADE * max(error.shape[:2])))
    inside = mask.astype(np.float32)
    weight = np.maximum(cv2.blur(inside, (width, width)), 1e-3)
    slow = cv2.blur(np.clip(error, -0.3, 0.3) * inside[..., None], (width, width)) / weight[..., None]
    return np.asarray(error - slow, np.float32)


def probabilities(log_likelihoods: Array, floor: float = 1e-4) -> Array:
    """Softmax with a floor: no face is ever ruled out for good."""
    p = np.exp(log_likelihoods - log_likelihoods.max())
    p = p / p.sum() + floor
    return np.asarray(p / p.sum())

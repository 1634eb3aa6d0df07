"""Which face is it: from its rings to its family, from its print to its value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.vision.align import Fit
from referee.vision.disc import Pose, paint, patch_of
from referee.vision.gallery import RINGS, SECTORS, FaceArt, Gallery, Kind, ring_radii
from referee.vision.picture import Picture

Array = NDArray[np.float64]
Image = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Settings:
    noise: float = 0.05
    """Expected misfit of a polar sample (1 = white)."""
    cap: float = 4.0
    """A misfit beyond this many squared sigmas says no more: something else lies there."""
    pixel_noise: float = 0.04
    """Expected misfit of a pixel of the right face (1 = white), at least."""
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


RING_SHARE = (ring_radii()[:, None] * np.ones(SECTORS)).astype(np.float32)
RING_SHARE /= RING_SHARE.sum()


def rank_kinds(
    polar: Image, allowed: NDArray[np.bool_], gallery: Gallery, settings: Settings
) -> list[KindFit]:
    """Every kind with how much of the polar picture it explains, best first."""
    fits = []
    for kind in gallery.kinds:
        sigma = np.sqrt(settings.noise**2 + kind.spread**2)[:, None]
        base = kind.profile[:, None, :]
        weight = RING_SHARE * allowed / sigma
        total = float((RING_SHARE / sigma).sum())
        gain = 1.0
        for _ in range(3):
            worst = np.abs(polar - gain * base).max(axis=2) / sigma
            w = (weight * (worst < 2.5) / sigma)[..., None]
            below = float((w * base * base).sum())
            if below <= 0:
                break
            gain = float(np.clip((w * base * polar).sum() / below, settings.dimmest, settings.brightest))
        misfit = np.square(polar - gain * base).mean(axis=2) / sigma**2
        score = float((weight * (1 - np.minimum(misfit / settings.cap, 1))).sum()) / total
        fits.append(KindFit(kind, score, gain))
    return sorted(fits, key=lambda f: -f.score)


def best_turns(
    polar: Image,
    allowed: NDArray[np.bool_],
    faces: tuple[FaceArt, ...],
    gain: Array,
    offset: Array,
    rings: slice = slice(0, RINGS),
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """How badly each face fits at each rotation: (faces, SECTORS) mean squared misfit, and its best turn.

    Sector s of the result means that the face is turned by s sectors counter-clockwise against `polar`.
    Worked out for all turns at once as circular correlations along the rings.
    """
    seen = ((polar - offset) / gain).astype(np.float32)[rings]
    weight = (RING_SHARE * allowed)[rings][..., None]
    mass = max(float(weight.sum()), 1e-9) * 3
    f_w = np.fft.rfft(np.broadcast_to(weight, seen.shape), axis=1)
    f_ws = np.fft.rfft(weight * seen, axis=1)
    power = float((weight * seen * seen).sum())
    out = np.empty((len(faces), SECTORS), np.float32)
    for i, face in enumerate(faces):
        art = face.polar[rings]
        # sum_k w[k] art[k - s]^2 and sum_k w[k] seen[k] art[k - s]
        square = np.fft.irfft(f_w * np.conj(np.fft.rfft(art * art, axis=1)), SECTORS, axis=1)
        cross = np.fft.irfft(f_ws * np.conj(np.fft.rfft(art, axis=1)), SECTORS, axis=1)
        out[i] = (power + square.sum(axis=(0, 2)) - 2 * cross.sum(axis=(0, 2))) / mass
    return out, out.argmin(axis=1).astype(np.float32) * np.float32(2 * np.pi / SECTORS)


def face_log_likelihoods(
    picture: Picture, pose: Pose, kind: Kind, fit: Fit, radius_mm: float, shows: Mask, settings: Settings
) -> tuple[Array, list[Pose]]:
    """(faces,) log-likelihoods of the kind's faces, and the pose (turned) at which each fits best.

    shows: (H, W) pixels that may show this disc. Only pixels where two faces differ can tell them apart; a
    misfit is capped, so that a shadow or a finger speaks for nobody.
    """
    polar = picture.polar(pose, radius_mm)
    mask = picture.polar_mask(shows, pose, radius_mm)
    poses = [pose] * len(kind.faces)
    if not kind.patterned and len(kind.faces) > 1:
        inner = slice(0, RINGS // 4)
        misfit, _ = best_turns(polar, mask, kind.faces, fit.gain, fit.offset, inner)
        poses = [
            _turn_finely(picture, pose, face, fit, radius_mm, shows, row, settings)
            for face, row in zip(kind.faces, misfit, strict=True)
        ]
    scores = np.array(
        [
            -_misfit(picture, p, face, fit, radius_mm, shows, settings)
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
    misfit: Image,
    settings: Settings,
) -> Pose:
    """The turn at which a face fits best: the best few coarse ones, then half sectors around the best."""
    sector = 2 * np.pi / SECTORS
    peaks = [s for s in range(SECTORS) if misfit[s] <= min(misfit[s - 1], misfit[(s + 1) % SECTORS])]
    coarse = sorted(peaks, key=lambda s: misfit[s])[:2] or [int(misfit.argmin())]

    def cost(turn: float) -> float:
        return _misfit(picture, pose.turned(turn), face, fit, radius_mm, shows, settings, inner=0.3)

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
    settings: Settings,
    inner: float = 0.97,
) -> float:
    """Half the sum of capped squared misfits over the face, in independent pixels."""
    patch = patch_of(pose, inner * radius_mm, picture.view, picture.rays)
    if patch is None:
        return 0.0
    rows, columns = patch.box
    painted = paint(face, patch, fit.size * radius_mm, 0.75, fit.gain, fit.offset)
    mask = (np.hypot(patch.u_mm, patch.v_mm) < inner * radius_mm) & shows[rows, columns]
    error = picture.colours(rows, columns)[mask] - painted[mask]
    sigma = max(fit.scale, settings.pixel_noise)
    return (
        float(np.minimum(np.square(error).mean(axis=1) / sigma**2, settings.cap).sum()) / 2 / settings.blob_px
    )


def probabilities(log_likelihoods: Array, floor: float = 1e-4) -> Array:
    """Softmax with a floor: no face is ever ruled out for good."""
    p = np.exp(log_likelihoods - log_likelihoods.max())
    p = p / p.sum() + floor
    return np.asarray(p / p.sum())

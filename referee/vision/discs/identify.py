"""Which face is it: from its rings to its family, from its print to its value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.discs.align import Fit
from referee.vision.discs.disc import Patch, Pose, paint, patch_of
from referee.vision.discs.gallery import RINGS, SECTORS, FaceArt, Gallery, Kind, ring_radii
from referee.vision.discs.misfit import mean_square
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
    # every other sector is plenty; (3, rings, sectors) and (kinds, 3, rings, 1)
    seen = np.ascontiguousarray(polar[:, ::2].transpose(2, 0, 1))
    base = np.stack([k.profile.T for k in gallery.kinds])[..., None]
    sigma = np.sqrt(settings.noise**2 + np.stack([k.spread for k in gallery.kinds]) ** 2)[..., None]
    area = RING_SHARE[:, ::2]
    weight = area * allowed[:, ::2] / sigma  # (kinds, rings, sectors)
    bright = np.square(base).sum(axis=1)
    gain = np.ones((len(base), 1, 1, 1), np.float32)
    for _ in range(3):
        worst = np.abs(seen - gain * base).max(axis=1)
        w = weight * (worst < 2.5 * sigma) / sigma
        below = (w * bright).sum(axis=(1, 2))
        # summed over the sectors of each ring first
        along = w.transpose(1, 0, 2) @ seen.transpose(1, 2, 0)  # (rings, kinds, 3)
        above = np.einsum("rkc,kcr->k", along, base[..., 0])
        found = above / np.maximum(below, 1e-9)
        found = np.where(below > 0, np.clip(found, settings.dimmest, settings.brightest), 1.0)
        gain = found.astype(np.float32)[:, None, None, None]
    misfit = np.square(seen - gain * base).mean(axis=1) / sigma**2
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
    every = 2 if len(turns) > 1 else 1  # every other sector is plenty to find a turn by
    seen = ((polar[rings, ::every] - offset) / gain).astype(np.float32)
    weight = (RING_SHARE[rings] * allowed[rings])[:, ::every]
    # per sector one row (3 * rings,), so that a turn is a shift of rows
    seen, print_ = (a.transpose(1, 2, 0).reshape(a.shape[1], -1) for a in (seen, art[rings]))
    sectors = np.arange(0, SECTORS, every)
    error = print_.take(sectors[None, :] - np.array(turns)[:, None], axis=0, mode="wrap")
    error -= seen  # (turns, sectors, 3 * rings)
    np.square(error, out=error)
    blue, green, red = np.split(error, 3, axis=2)
    misfit = (blue + green + red) / np.float32(3 * settings.turn_noise**2)
    np.minimum(misfit, np.float32(settings.cap), out=misfit)
    costs = misfit.reshape(len(turns), -1) @ weight.T.ravel()
    return np.asarray(costs / max(float(weight.sum()), 1e-9), np.float32)


def face_log_likelihoods(
    picture: Picture, pose: Pose, kind: Kind, fit: Fit, radius_mm: float, shows: Mask, settings: Settings
) -> tuple[Array, list[Pose]]:
    """(faces,) log-likelihoods of the kind's faces, and the pose (turned) at which each fits best.

    shows: (H, W) pixels that may show this disc. Only pixels where two faces differ can tell them apart; a
    misfit is capped, so that a shadow or a finger speaks for nobody.
    """
    middle = _Middle.of(picture, pose, kind.telling * radius_mm, shows)
    if middle is None:
        return np.zeros(len(kind.faces)), [pose] * len(kind.faces)

    def misfit(face: FaceArt, turn_rad: float) -> float:
        return middle.misfit(face, turn_rad, fit, radius_mm, settings)

    if kind.patterned or len(kind.faces) == 1:
        best = [(misfit(face, 0.0), 0.0) for face in kind.faces]
    else:
        polar, mask = picture.polar_and_mask(shows, pose, radius_mm)
        inner = slice(RINGS // 4)
        best = []
        for face in kind.faces:
            costs = turn_costs(polar, mask, face.polar, fit.gain, fit.offset, settings, rings=inner)
            best.append(_turned_finely(costs, partial(misfit, face)))
    scores = -np.array([cost for cost, _ in best])
    return scores - scores.max(), [pose.turned(turn) if turn else pose for _, turn in best]


def _turned_finely(costs: Image, misfit: Callable[[float], float]) -> tuple[float, float]:
    """The least misfit and the turn in rad that has it: of the best few coarse turns, then of half sectors
    around the best."""
    sector = 2 * np.pi / SECTORS
    peaks = [s for s in range(SECTORS) if costs[s] <= min(costs[s - 1], costs[(s + 1) % SECTORS])]
    coarse = sorted(peaks, key=lambda s: costs[s])[:2] or [int(costs.argmin())]
    best = min((misfit(s * sector), s * sector) for s in coarse)
    return min(best, *((misfit(turn), turn) for turn in (best[1] - sector / 2, best[1] + sector / 2)))


@dataclass(frozen=True, eq=False)
class _Middle:
    """What a picture shows of a face, out to where its family differs."""

    patch: Patch
    seen: Image
    """(h, w, 3)."""
    shown: Image
    """(h, w, 3) 1 where the face can be seen, else 0."""
    around: Image
    """(h, w, 3) how much of each pixel's surroundings can be."""
    blur_px: float

    @classmethod
    def of(cls, picture: Picture, pose: Pose, reach_mm: float, shows: Mask) -> _Middle | None:
        patch = patch_of(pose, reach_mm, picture.view, picture.rays)
        if patch is None:
            return None
        shown = (patch.within(reach_mm) & shows[patch.box]).astype(np.float32)
        around = np.maximum(cv2.blur(shown, _shade(shown)), np.float32(1e-3))
        seen = picture.colours(*patch.box)
        return cls(patch, seen, np.dstack([shown] * 3), np.dstack([around] * 3), picture.blur_px)

    def misfit(self, face: FaceArt, turn_rad: float, fit: Fit, radius_mm: float, settings: Settings) -> float:
        """Half the sum of capped squared misfits of the face at that turn, in independent pixels.

        What changes slowly over the face doesn't count: light that falls unevenly is nobody's print.
        """
        patch = self.patch.turned(turn_rad)
        painted = paint(face, patch, fit.size * radius_mm, self.blur_px, fit.gain, fit.offset)
        error = self.seen - painted
        slow = cv2.blur(np.clip(error, -0.3, 0.3) * self.shown, _shade(error)) / self.around
        sigma = max(fit.scale, settings.pixel_noise)
        square = np.minimum(mean_square(error - slow) / np.float32(sigma**2), settings.cap)
        return float((square * self.shown[..., 0]).sum()) / 2 / settings.blob_px


def _shade(image: Image) -> tuple[int, int]:
    width = max(3, round(SHADE * max(image.shape[:2])))
    return width, width


def probabilities(log_likelihoods: Array, floor: float = 1e-4) -> Array:
    """Softmax with a floor: no face is ever ruled out for good."""
    p = np.exp(log_likelihoods - log_likelihoods.max())
    p = p / p.sum() + floor
    return np.asarray(p / p.sum())

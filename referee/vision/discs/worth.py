"""What a face is worth as an explanation: how much better its print tells what is seen than a mere wash of
colour does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.vision.discs.disc import Patch, paint
from referee.vision.discs.gallery import FaceArt
from referee.vision.discs.misfit import mean_square
from referee.vision.discs.picture import Picture

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Settings:
    noise: float = 0.05
    """Expected misfit of a pixel (1 = white)."""
    cap: float = 4.0
    """A misfit beyond this many squared sigmas says no more."""
    hidden: float = 0.5
    """A pixel that the wash tells better counts against the face by no more than this: something unknown may
    lie there."""
    blob_px: float = 6.0
    """Neighbouring pixels err together: this many count as one."""
    enough_px: int = 3000
    """A sample of so many pixels tells it well enough."""
    plain: float = 500.0
    """Nats from which a face that fits at all is plain, however alike the rings of another kind are."""
    least: float = 60.0
    """Nats that a face must be worth. Of 10^8 places, turns and prints tried one is worth 18 by chance; each
    of the eleven numbers that are fitted brings half the logarithm of the pixels fitted, about 4."""


def worth(
    picture: Picture,
    face: FaceArt,
    patch: Patch,
    radius_mm: float,
    gain: Array,
    offset: Array,
    shows: Mask,
    settings: Settings,
) -> float:
    """Log-likelihood of the face above that of a wash of colour, in independent pixels.

    shows: (h, w) of the patch, pixels that may show the face. The wash is a polynomial of second order in the
    place, per colour: the table, a shadow, one colour of something else.
    """
    s = settings
    rows, columns = np.nonzero(shows)
    if len(rows) < 2 * 6:
        return 0.0
    every = max(len(rows) // s.enough_px, 1)
    rows, columns = rows[::every], columns[::every]
    seen = picture.colours(*patch.box)[rows, columns]
    painted = paint(face, patch, radius_mm, picture.blur_px, gain, offset)[rows, columns]
    x, y = columns / shows.shape[1] - 0.5, rows / shows.shape[0] - 0.5
    terms = np.stack([np.ones(len(x)), x, y, x * x, x * y, y * y], axis=1)
    flat = _wash_misfit(seen.astype(np.float64), terms, s)
    own = np.minimum(mean_square(seen - painted) / s.noise**2, s.cap)
    return float(np.maximum(flat - own, -s.hidden).sum()) / 2 * every / s.blob_px


def _wash_misfit(seen: Array, terms: Array, settings: Settings) -> Array:
    """(n,) capped squared misfits of colours (n, 3) from the wash that fits most of them."""
    s = settings
    near = np.ones(len(seen))
    for _ in range(3):
        sides = terms.T * near
        ridge = 1e-6 * len(seen) * np.eye(terms.shape[1])
        off = seen - terms @ np.linalg.solve(sides @ terms + ridge, sides @ seen)
        square = np.square(off).mean(axis=1) / s.noise**2
        near = (square < s.cap) + 1e-4
    return np.asarray(np.minimum(square, s.cap))

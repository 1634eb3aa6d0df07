"""The faces of a piece set in linear light, at the sizes asked for, new or worn."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.render.develop import to_linear
from calibration.render.scene import Disc
from calibration.render.solids import BOARD
from calibration.render.view import Image
from referee.errors import ConfigError
from referee.formats import PieceSet


class Faces:
    """The pictures of a piece set in linear light, at the sizes asked for."""

    def __init__(self, pieces: PieceSet) -> None:
        self._files = {(p.id, side): getattr(p, side) for p in pieces.pieces for side in ("front", "back")}
        self._kept: dict[tuple[str, str, int | None, int], Image] = {}

    def at(self, disc: Disc, side: str, size_px: float) -> Image:
        """The face, shrunk by a power of two until it is no larger than needed."""
        piece, worn = disc.piece, disc.worn
        if (piece, side, worn, 0) not in self._kept:
            if (piece, side) not in self._files:
                raise ConfigError(
                    f"no piece {piece!r} in the piece set: the scene names one that isn't there"
                )
            picture = cv2.imread(str(self._files[piece, side]), cv2.IMREAD_COLOR)
            if picture is None:
                raise ConfigError(f"{self._files[piece, side]} is no picture that can be read")
            new = _bled(to_linear(np.asarray(picture, np.uint8)))
            self._kept[piece, side, worn, 0] = new if worn is None else _worn(new, worn)
        full = self._kept[piece, side, worn, 0]
        level = max(0, int(np.log2(max(full.shape[0] / max(size_px, 32), 1.0))))
        key = (piece, side, worn, level)
        if key not in self._kept:
            side_px = max(full.shape[0] >> level, 16)
            self._kept[key] = np.asarray(
                cv2.resize(full, (side_px, side_px), interpolation=cv2.INTER_AREA), np.float32
            )
        return self._kept[key]


def _bled(face: Image) -> Image:
    """The face with its rim's colour carried outwards, so that no paper from outside the disc mixes in."""
    n = face.shape[0]
    x, y = np.meshgrid(*(np.linspace(-1 + 1 / n, 1 - 1 / n, n, dtype=np.float32),) * 2)
    k = np.minimum(1.0, (1 - 2.0 / n) / np.maximum(np.hypot(x, y), 1e-6)).astype(np.float32)
    px, py = ((x * k + 1) * n - 1) / 2, ((y * k + 1) * n - 1) / 2
    return np.asarray(cv2.remap(face, px, py, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)


def _worn(face: Image, seed: int) -> Image:
    """The face with scratches down to the board, a part of the print peeled off, and colours gone pale."""
    rng = np.random.default_rng([seed, face.shape[0]])
    n = face.shape[0]
    off = np.zeros((n, n), np.uint8)
    for _ in range(9):
        cv2.polylines(off, [rng.integers(0, n, (2, 2), np.int32)], False, 255, max(n // 160, 1))
    middle, reach = rng.uniform(0.25 * n, 0.75 * n, 2), rng.uniform(0.08, 0.16) * n
    corners = 9
    around = 2 * np.pi * np.arange(corners) / corners
    patch = middle + (reach * rng.uniform(0.6, 1.4, corners))[:, None] * np.stack(
        (np.cos(around), np.sin(around)), 1
    )
    cv2.fillPoly(off, [np.rint(patch).astype(np.int32)], 255)
    bare = (cv2.GaussianBlur(off, (0, 0), n / 400).astype(np.float32) / 255)[..., None]
    pale = face + np.float32(rng.uniform(0.05, 0.2)) * (np.float32(0.6) - face)
    return np.asarray(pale * (1 - bare) + bare * np.array(BOARD, np.float32), np.float32)

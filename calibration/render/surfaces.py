"""Table tops, made of arithmetic and seeded noise: cloth, wood, checks and patterned stone.

Each is a function of the place on the table, and no two places are alike.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.render.scene import Rgb, Surface
from calibration.render.view import Image

KINDS = ("wood", "cloth", "check", "stone")
"""Those that scenes are dealt on."""
_ALL = (*KINDS, "print")

_TILE = 512
_CLOTHS: tuple[Rgb, ...] = ((0.115, 0.022, 0.025), (0.02, 0.09, 0.05), (0.32, 0.30, 0.26), (0.04, 0.05, 0.11))
_CHECKS: tuple[tuple[Rgb, Rgb], ...] = (
    ((0.62, 0.60, 0.55), (0.05, 0.10, 0.33)),
    ((0.60, 0.57, 0.50), (0.38, 0.05, 0.05)),
    ((0.33, 0.33, 0.32), (0.13, 0.14, 0.15)),
)
_WOODS: tuple[tuple[Rgb, Rgb], ...] = (
    ((0.34, 0.19, 0.09), (0.15, 0.07, 0.030)),
    ((0.15, 0.085, 0.052), (0.07, 0.040, 0.026)),
    ((0.52, 0.36, 0.20), (0.32, 0.20, 0.095)),
)
_STONES: tuple[tuple[Rgb, Rgb], ...] = (
    ((0.09, 0.075, 0.06), (0.20, 0.17, 0.12)),
    ((0.26, 0.25, 0.23), (0.09, 0.09, 0.09)),
)

_BLOSSOMS: tuple[Rgb, ...] = ((0.62, 0.56, 0.44), (0.75, 0.22, 0.03), (0.10, 0.35, 0.08), (0.05, 0.12, 0.36))


class Top:
    """A table top's reflectance at any place. Noise tiles are drawn once from the seed."""

    def __init__(self, surface: Surface) -> None:
        rng = np.random.default_rng([surface.seed, _ALL.index(surface.kind)])
        self._kind = surface.kind
        self._coarse = _noise(rng, octaves=5, first=8)
        self._fine = _noise(rng, octaves=3, first=128)
        self._pick = int(rng.integers(1 << 16))
        self._turn = (
            float(rng.uniform(-0.5, 0.5)) if surface.kind != "check" else float(rng.uniform(-0.2, 0.2))
        )

    def albedo(self, x_mm: Image, y_mm: Image) -> Image:
        """x_mm, y_mm: (h, w). Returns (h, w, 3) linear RGB."""
        c, s = np.float32(np.cos(self._turn)), np.float32(np.sin(self._turn))
        x, y = c * x_mm + s * y_mm, c * y_mm - s * x_mm
        paint = {
            "wood": self._wood,
            "cloth": self._cloth,
            "check": self._check,
            "stone": self._stone,
            "print": self._print,
        }
        return paint[self._kind](x, y)

    def _wood(self, x: Image, y: Image) -> Image:
        light, dark = _WOODS[self._pick % len(_WOODS)]
        across = y * np.float32(1 / 150) + np.float32(0.37)
        board = np.floor(across)
        x = x + board * 377
        bend = _look(self._coarse, x * 0.09, y * 0.35) * 7 + _look(self._coarse, x * 0.6, y * 3) * 0.7
        rings = 0.5 + 0.5 * np.sin((y * np.float32(1 / 11) + bend) * 2.2 + board)
        grain = _look(self._fine, x * 0.12, y * 2.3)
        share = np.clip(0.55 * rings * np.sqrt(rings) + 0.28 + 0.20 * grain, 0, 1)
        seam = 1 - 0.55 * _soft_step(0.7 - 150 * (0.5 - np.abs(across - board - 0.5)))
        return _blend(dark, light, share) * seam[..., None]

    def _cloth(self, x: Image, y: Image) -> Image:
        base = np.array(_CLOTHS[self._pick % len(_CLOTHS)], np.float32)
        weave = 1 + 0.035 * _look(self._fine, x * 1.6, y * 1.6) + 0.05 * _look(self._coarse, x * 0.2, y * 0.2)
        return weave[..., None] * base

    def _check(self, x: Image, y: Image) -> Image:
        a, b = _CHECKS[self._pick % len(_CHECKS)]
        size = 46 + 5 * (self._pick % 6)
        wobble = 0.4 * _look(self._coarse, x * 0.3, y * 0.3)
        odd = 0.5 - 0.5 * _square(x + wobble, size) * _square(y + wobble, size)
        weave = 1 + 0.035 * _look(self._fine, x * 1.5, y * 1.5)
        return _blend(a, b, odd) * weave[..., None]

    def _stone(self, x: Image, y: Image) -> Image:
        face, joint = _STONES[self._pick % len(_STONES)]
        x = x + 1.6 * _look(self._coarse, x * 0.5, y * 0.5)
        y = y + 1.6 * _look(self._coarse, x * 0.5 + 99, y * 0.5)
        long, high = np.float32(78), np.float32(26)
        row = np.floor(y / high)
        across = x / long + 0.5 * (row - 2 * np.floor(row / 2))
        column = np.floor(across)
        px, py = (across - column) * long, y - row * high
        inside = np.minimum(np.minimum(px, long - px), np.minimum(py, high - py))
        tone = _look(self._fine, column * 37 + row * 11, row * 53)
        rough = _look(self._fine, x * 1.2, y * 1.2)
        share = np.clip((inside - 1.4) * 1.25, 0, 1)
        return _blend(joint, face, share) * (1 + 0.16 * tone + 0.08 * rough)[..., None]

    def _print(self, x: Image, y: Image) -> Image:
        """Round blossoms of the coasters' own colours in staggered rows, each a blot within a ring."""
        ground = np.array(_BLOSSOMS[self._pick % len(_BLOSSOMS)], np.float32)
        size = np.float32(62 + 9 * (self._pick % 5))
        row = np.floor(y / size)
        x = x + 0.5 * size * (row - 2 * np.floor(row / 2))
        column = np.floor(x / size)
        away = np.hypot(x - (column + 0.5) * size, y - (row + 0.5) * size)
        which = np.mod(column * 2 + row * 3, len(_BLOSSOMS)).astype(np.intp)
        colour = np.array(_BLOSSOMS, np.float32)[which]
        blot = _soft_step(0.17 * size - away) + _soft_step(0.36 * size - away) * _soft_step(
            away - np.float32(0.27) * size
        )
        weave = 1 + 0.035 * _look(self._fine, x * 1.5, y * 1.5)
        return np.asarray((ground + blot[..., None] * (colour - ground)) * weave[..., None], np.float32)


def _square(x: Image, size: float) -> Image:
    """A wave of +1 and -1, each `size` long, with edges half a millimetre soft."""
    phase = x * np.float32(0.5 / size)
    from_middle = np.abs(phase - np.floor(phase) - np.float32(0.5)) - np.float32(0.25)
    return np.asarray(np.clip(from_middle * np.float32(2 * size / 0.25), -1, 1), np.float32)


def _soft_step(x: Image) -> Image:
    """0 below -0.25, 1 above 0.25, in millimetres."""
    return np.asarray(np.clip(x * 2 + np.float32(0.5), 0, 1), np.float32)


def _blend(a: Rgb, b: Rgb, share: Image) -> Image:
    low, high = np.array(a, np.float32), np.array(b, np.float32)
    return low + np.asarray(share, np.float32)[..., None] * (high - low)


def _noise(rng: np.random.Generator, octaves: int, first: int) -> Image:
    """A tile that repeats without a seam, mean 0, standard deviation 1."""
    total = np.zeros((_TILE, _TILE), np.float32)
    for i in range(octaves):
        n = first << i
        if n > _TILE:
            break
        cells = np.pad(rng.standard_normal((n, n)).astype(np.float32), 2, mode="wrap")
        step = _TILE // n
        big = cv2.resize(cells, None, fx=step, fy=step, interpolation=cv2.INTER_CUBIC)
        total += big[2 * step : 2 * step + _TILE, 2 * step : 2 * step + _TILE] * np.float32(0.55**i)
    total -= total.mean()
    return np.asarray(total / total.std(), np.float32)


def _look(tile: Image, x: Image, y: Image) -> Image:
    mx, my = np.asarray(x, np.float32), np.asarray(y, np.float32)
    return np.asarray(cv2.remap(tile, mx, my, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP), np.float32)

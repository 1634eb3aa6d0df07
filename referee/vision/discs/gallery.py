"""The piece set as the eye knows it: every face as a picture, and what its rings look like from any side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.errors import ConfigError
from referee.facts import Face
from referee.formats import PieceSet

Image = NDArray[np.float32]

ART_PX = 224
"""Side of the stored pictures: about twice what a 1080p webcam sees of a coaster."""

FINE_PX = 2 * ART_PX
"""Side of those for what is seen larger: a face fills 450 pixels of a 4K webcam's picture."""

RINGS, SECTORS = 32, 96
RING_MAX = 0.97
"""Polar pictures reach out to this share of the radius: the last bit belongs to the rim."""


@dataclass(frozen=True, eq=False)
class FaceArt:
    """One face of one piece."""

    piece: str
    face: Face
    kind: str
    """What it shares with its family: (animal and face) as one word, "fox front"."""
    shown: Image
    """(ART_PX, ART_PX, 3) as printed (gamma), 0 to 1; beyond the rim the rim's colour goes on."""
    coarse: Image
    """`shown` at half its size."""
    fine: NDArray[np.uint8]
    """(FINE_PX, FINE_PX, 3) `shown` at twice its size, 255 for 1."""
    polar: Image
    """(RINGS, SECTORS, 3) as a camera would show it (gamma), sector 0 along the picture's x axis, ccw."""
    tag: int | None


@dataclass(frozen=True, eq=False)
class Kind:
    """The faces that differ only in their value: their common rings."""

    name: str
    face: Face
    faces: tuple[FaceArt, ...]
    profile: Image
    """(RINGS, 3) mean colour along each ring."""
    spread: Image
    """(RINGS,) how much the colour varies along the ring and among the faces."""
    polar: Image
    """(RINGS, SECTORS, 3) mean of the faces."""
    telling: float
    """Share of the radius within which the faces differ from each other."""
    patterned: bool
    """Whether the rotation shows beyond the rings (an animal), not in a small numeral only."""


@dataclass(frozen=True, eq=False)
class Gallery:
    radius_mm: float
    thickness_mm: float
    kinds: tuple[Kind, ...]
    marker_family: str
    tag_mm: float
    """Side of the markers on the faces, 0 when they carry none."""
    tag_center: tuple[float, float]
    """Their middle, in radii: x right, y up."""
    radii_mm: tuple[float, ...]
    """Radii of the circles that the faces print, the rim first."""
    circles: tuple[tuple[int, ...], ...]
    """Per distinct kind of print: which of `radii_mm` it shows."""
    prints: tuple[int, ...]
    """Per kind of face: which of `circles` are its own."""

    @property
    def faces(self) -> tuple[FaceArt, ...]:
        return tuple(f for k in self.kinds for f in k.faces)


def ring_radii() -> NDArray[np.float64]:
    """(RINGS,) radii of the polar pictures' rows, in shares of the disc's radius."""
    return (np.arange(RINGS) + 0.5) / RINGS * RING_MAX


def sector_angles() -> NDArray[np.float64]:
    """(SECTORS,) rad, counter-clockwise from the picture's x axis."""
    return 2 * np.pi * np.arange(SECTORS) / SECTORS


def load(pieces: PieceSet) -> Gallery:
    """Read every face of the set. Raises ConfigError for a picture that can't be read."""
    groups: dict[tuple[str, Face], list[FaceArt]] = {}
    for piece in pieces.pieces:
        group = piece.animal or piece.id
        for face, path, tag in (
            (Face.FRONT, piece.front, piece.tags[0]),
            (Face.BACK, piece.back, piece.tags[1]),
        ):
            picture = _read(path)
            linear = _linear(picture, ART_PX)
            fine = np.rint(np.sqrt(_linear(picture, FINE_PX)) * 255).astype(np.uint8)
            kind = f"{group} {face.value}"
            art = FaceArt(piece.id, face, kind, np.sqrt(linear), _half(linear), fine, _polar(linear), tag)
            groups.setdefault((group, face), []).append(art)
    kinds = tuple(_kind(f"{g} {f.value}", f, tuple(faces)) for (g, f), faces in groups.items())
    radii, circles = _circles(kinds, pieces.radius_mm)
    distinct = tuple(dict.fromkeys(circles))
    prints = tuple(distinct.index(c) for c in circles)
    marker = pieces.marker_family, pieces.tag_mm, pieces.tag_center
    return Gallery(pieces.radius_mm, pieces.thickness_mm, kinds, *marker, radii, distinct, prints)


def _read(path: Path) -> NDArray[np.uint8]:
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if picture is None:
        raise ConfigError(f"the picture {path} can't be read: it must be a JPEG or PNG of one face")
    side = min(picture.shape[:2])
    if side < 32:
        raise ConfigError(f"the picture {path} is only {side} pixels wide: 200 or more are needed")
    return np.asarray(picture, np.uint8)


def _linear(picture: NDArray[np.uint8], side: int) -> Image:
    """(side, side, 3) light, 0 to 1, of a picture of any size."""
    # enlarged by areas, edges would come to lie beside their places
    way = cv2.INTER_AREA if min(picture.shape[:2]) > side else cv2.INTER_LINEAR
    values = cv2.resize(picture, (side, side), interpolation=way).astype(np.float32) / 255
    return _extend(np.asarray(values * values, np.float32))


def _extend(art: Image) -> Image:
    """Let the colour just inside the rim go on beyond it, so that blur at the rim meets no stray paper."""
    side = art.shape[0]
    c = (side - 1) / 2
    y, x = np.mgrid[:side, :side].astype(np.float32)
    r = np.hypot(x - c, y - c) / (side / 2)
    shrink = np.where(r > 0.985, 0.985 / np.maximum(r, 1e-6), 1.0).astype(np.float32)
    return np.asarray(
        cv2.remap(art, c + (x - c) * shrink, c + (y - c) * shrink, cv2.INTER_LINEAR), np.float32
    )


def _half(linear: Image) -> Image:
    return np.sqrt(
        np.asarray(cv2.resize(linear, (ART_PX // 2,) * 2, interpolation=cv2.INTER_AREA), np.float32)
    )


def _polar(linear: Image) -> Image:
    soft = cv2.GaussianBlur(linear, (0, 0), 1.8)
    c, half = (ART_PX - 1) / 2, ART_PX / 2
    r, a = ring_radii()[:, None] * half, sector_angles()[None, :]
    x, y = (c + r * np.cos(a)).astype(np.float32), (c - r * np.sin(a)).astype(np.float32)
    return np.sqrt(np.asarray(cv2.remap(soft, x, y, cv2.INTER_LINEAR), np.float32))


def _kind(name: str, face: Face, faces: tuple[FaceArt, ...]) -> Kind:
    polar = np.stack([f.polar for f in faces])
    profile = polar.mean(axis=(0, 2))
    spread = np.asarray(polar.std(axis=(0, 2)).max(axis=-1), np.float32)
    mean = polar.mean(axis=0)
    # The innermost fifth may hold a numeral; only what varies further out turns visibly.
    patterned = bool(spread[RINGS // 5 : RINGS * 3 // 4].max() > 0.1)
    among = polar.std(axis=0).max(axis=(1, 2)) > 0.04  # rings on which the faces differ
    telling = min(RING_MAX, (int(np.flatnonzero(among).max(initial=0)) + 1.5) / RINGS * RING_MAX)
    return Kind(name, face, faces, profile, spread, mean, telling, patterned)


def _circles(
    kinds: tuple[Kind, ...], radius_mm: float
) -> tuple[tuple[float, ...], tuple[tuple[int, ...], ...]]:
    """Radii of all printed circles, merged where two kinds share one, and which of them each kind shows."""
    radii = [1.0]
    per_kind: list[tuple[int, ...]] = []
    for kind in kinds:
        mine = {0}
        for share in _printed(kind):
            near = [i for i, r in enumerate(radii) if abs(r - share) < 0.012]
            if not near:
                radii.append(share)
                near = [len(radii) - 1]
            mine.add(near[0])
        per_kind.append(tuple(sorted(mine)))
    return tuple(r * radius_mm for r in radii), tuple(per_kind)


def _printed(kind: Kind) -> list[float]:
    """Radii (shares) at which every direction sees about the same step of colour."""
    c, half, fine = (ART_PX - 1) / 2, ART_PX / 2, 160
    rows = []
    for face in kind.faces:
        pol = cv2.warpPolar(face.shown, (fine, 180), (c, c), half, cv2.WARP_POLAR_LINEAR)
        rows.append(np.diff(pol, axis=1, n=1))
    steps = np.concatenate(rows)  # (faces * 180, fine - 1, 3)
    wide = steps[:, :-1] + steps[:, 1:]
    mean = wide.mean(axis=0)
    size, noise = np.abs(mean).max(axis=-1), wide.std(axis=0).max(axis=-1)
    found = []
    for i in range(8, len(size) - 4):
        peak = size[i] == size[max(0, i - 4) : i + 5].max()
        if peak and size[i] > 0.08 and size[i] > 1.5 * noise[i] and (i + 1.5) / fine < 0.955:
            found.append((i + 1.5) / fine)
    return found

"""The picture of a pair: both outlines with their doubt, what they share, its measure, the words for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from referee import explained
from referee.facts import Contact, Measure, Placed, Touch
from referee.vision.frames.source import Pixels
from referee.vision.show import ink
from referee.vision.show.canvas import Canvas, Drawn, Outline
from referee.vision.show.ink import FAINT, INK, LOWER, PAPER, UPPER

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Settings:
    panel_px: int = 640
    """Side of each of the two views."""
    zoom_mm: float = 26.0
    zoom_overlaps: float = 1.8
    """What the closer view shows from side to side: so much, less where the picture is finer than that, more
    where the overlap is wider: so many times as much."""
    beyond_mm: float = 5.0
    """Pairs further apart than this get no picture."""
    least_band_px: float = 2.0
    """A band of doubt is drawn no narrower, to each side."""
    plumb_px: float = 1.5
    """The lower outline is drawn a second time, as seen from straight above, where that is so far off."""


@dataclass(frozen=True, eq=False)
class Meeting:
    """Where two pieces meet, straight from above."""

    along: Array
    """(2,) unit direction from the lower to the upper piece."""
    edge_mm: Array
    """(2,) where the upper piece begins, on the line of the centres."""
    height_mm: float
    """Of the upper face there."""
    overlap_mm: float

    @property
    def far_mm(self) -> Array:
        """(2,) where the lower piece ends: past the edge when they overlap."""
        return np.asarray(self.edge_mm + self.along * self.overlap_mm)

    @property
    def middle_mm(self) -> tuple[float, float]:
        x, y = (self.edge_mm + self.far_mm) / 2
        return float(x), float(y)


def pictured(drawn: Drawn, settings: Settings) -> list[Contact]:
    """The contacts that get a picture, the closest calls first."""
    near = [
        c
        for c in drawn.scene.contacts
        if c.overlap_mm.value > -settings.beyond_mm and {c.upper, c.lower} <= drawn.outlines.keys()
    ]
    return sorted(near, key=lambda c: abs(c.overlap_mm.value))


def meeting(upper: Outline, lower: Outline, overlap_mm: float) -> Meeting:
    centre, other = upper.rim_mm.mean(axis=0), lower.rim_mm.mean(axis=0)
    off = centre[:2] - other[:2]
    away = float(np.hypot(*off))
    along = off / away if away > 1e-6 else np.array([1.0, 0.0])
    reach = (upper.rim_mm[:, :2] - centre[:2]) @ along
    nearest = int(reach.argmin())
    edge = centre[:2] + along * reach[nearest]
    return Meeting(along, edge, float(upper.rim_mm[nearest, 2]), overlap_mm)


def drawn(scene: Drawn, contact: Contact, settings: Settings) -> Pixels:
    """(H, 2 panels, 3): both pieces whole, the place where they meet close up, and the words below."""
    upper, lower = scene.outlines[contact.upper], scene.outlines[contact.lower]
    meet = meeting(upper, lower, contact.overlap_mm.value)
    wide, close = _canvases(scene, upper, lower, meet, settings)
    names = [scene.scene.at(t) for t in (contact.upper, contact.lower)]
    views = [_whole(scene, wide, upper, lower, names), _closer(scene, close, contact, meet, settings)]
    return np.asarray(np.vstack((np.hstack(views), _caption(scene, contact, close, settings))), np.uint8)


def _canvases(
    scene: Drawn, upper: Outline, lower: Outline, meet: Meeting, settings: Settings
) -> tuple[Canvas, Canvas]:
    everything = np.concatenate((upper.rim_mm, lower.rim_mm))[:, :2]
    low, high = everything.min(axis=0), everything.max(axis=0)
    whole_mm = float((high - low).max()) + 16.0
    x, y = (low + high) / 2
    wide = Canvas((float(x), float(y)), whole_mm, settings.panel_px, meet.height_mm)
    ray = np.array([*meet.middle_mm, meet.height_mm]) - scene.view.eye_mm
    native = scene.view.camera.matrix[0, 0] / float(np.linalg.norm(ray))
    zoom_mm = min(settings.zoom_mm, settings.panel_px / native)
    zoom_mm = min(max(zoom_mm, settings.zoom_overlaps * meet.overlap_mm), whole_mm)
    return wide, Canvas(meet.middle_mm, zoom_mm, settings.panel_px, meet.height_mm)


def _whole(scene: Drawn, canvas: Canvas, upper: Outline, lower: Outline, names: Sequence[Placed]) -> Pixels:
    image = canvas.cut(scene.picture, scene.view)
    _fill_shared(image, canvas.project(upper.rim_mm, scene.view), canvas.to_px(lower.rim_mm[:, :2]))
    labels = []
    for outline, other, placed, colour in (
        (lower, upper, names[1], LOWER),
        (upper, lower, names[0], UPPER),
    ):
        rim = canvas.project(outline.rim_mm, scene.view)
        ink.parts(image, rim, outline.seen, colour)
        middle, far = rim.mean(axis=0), canvas.project(other.rim_mm, scene.view).mean(axis=0)
        away = (middle - far) / max(float(np.hypot(*(middle - far))), 1e-6)
        labels.append((explained.name(placed), middle + 14.0 * canvas.scale * away, colour))
    ink.tags(image, labels, 0.6)
    _ruler(image, canvas)
    return image


def _closer(scene: Drawn, canvas: Canvas, contact: Contact, meet: Meeting, settings: Settings) -> Pixels:
    image = canvas.cut(scene.picture, scene.view)
    upper, lower = scene.outlines[contact.upper], scene.outlines[contact.lower]
    rims = [canvas.project(o.rim_mm, scene.view) for o in (lower, upper)]
    plumb = canvas.to_px(lower.rim_mm[:, :2])
    _fill_shared(image, rims[1], plumb)
    sigmas = edge_sigmas(contact)
    for rim, sigma, colour in zip(rims, reversed(sigmas), (LOWER, UPPER), strict=True):
        _fill(image, band(rim, _half_px(sigma, canvas, settings), image.shape[:2]), _light(colour), 0.6)
    if _plumb_off_px(lower, canvas, scene) > settings.plumb_px:
        ink.dots(image, plumb, LOWER)
    for outline, rim, colour in ((lower, rims[0], LOWER), (upper, rims[1], UPPER)):
        ink.parts(image, rim, outline.seen, colour, cased=False)
    if not explained.steep(contact):
        _dimension(image, canvas, meet, contact.overlap_mm)
    _ruler(image, canvas)
    return image


def _plumb_off_px(lower: Outline, canvas: Canvas, scene: Drawn) -> float:
    """How far the lower edge looks to lie from where it is straight from above."""
    off = canvas.to_px(lower.rim_mm[:, :2]) - canvas.project(lower.rim_mm, scene.view)
    return float(np.hypot(*off.T).max())


def edge_sigmas(contact: Contact) -> tuple[float, float]:
    """The doubt of the upper and the lower outline where they meet, mm; half each where that wasn't kept."""
    if contact.weights is not None:
        return contact.weights.edge_sigmas_mm
    half = contact.overlap_mm.sigma / sqrt(2)
    return half, half


def _half_px(sigma_mm: float, canvas: Canvas, settings: Settings) -> float:
    return max(sigma_mm * canvas.scale, settings.least_band_px)


def band(rim_px: Array, half_px: float, shape: tuple[int, int]) -> Mask:
    """(H, W) what lies within so many pixels of an outline (N, 2)."""
    tangent = np.roll(rim_px, -1, axis=0) - np.roll(rim_px, 1, axis=0)
    outwards = np.column_stack((tangent[:, 1], -tangent[:, 0]))
    outwards /= np.maximum(np.hypot(*outwards.T), 1e-9)[:, None]
    return _inside(rim_px + half_px * outwards, shape) ^ _inside(rim_px - half_px * outwards, shape)


def _inside(rim_px: Array, shape: tuple[int, int]) -> Mask:
    mask = np.zeros(shape, np.uint8)
    cv2.fillPoly(mask, [np.round(rim_px * 16).astype(np.int32)], 1, shift=4)
    return mask.view(bool)


def _fill(image: Pixels, mask: Mask, colour: ink.Colour, weight: float) -> None:
    image[mask] = (image[mask] * (1 - weight) + np.array(colour) * weight).astype(np.uint8)


def _light(colour: ink.Colour) -> ink.Colour:
    blue, green, red = ((c + 2 * 255) // 3 for c in colour)
    return blue, green, red


def _fill_shared(image: Pixels, upper_px: Array, plumb_px: Array) -> None:
    """What the two share straight from above: lightened and hatched."""
    shared = _inside(upper_px, image.shape[:2]) & _inside(plumb_px, image.shape[:2])
    _fill(image, shared, INK, 0.25)
    rows, columns = np.indices(shared.shape)
    _fill(image, shared & ((rows + columns) % 20 < 2), PAPER, 0.3)


def _dimension(image: Pixels, canvas: Canvas, meet: Meeting, overlap: Measure) -> None:
    """The overlap or gap as a drawing has it: lines out from both edges, arrows and the measure between."""
    near, far = (canvas.to_px(p[None])[0] for p in (meet.edge_mm, meet.far_mm))
    along = meet.along * [1, -1]
    across = np.array([-along[1], along[0]])
    across = across if across[1] > 0 or (across[1] == 0 and across[0] > 0) else -across
    out = 0.2 * canvas.side_px
    for edge in (near, far):
        ink.stroke(image, edge, edge + across * (out + 10), FAINT)
    a, b = near + across * out, far + across * out
    length = float(np.hypot(*(b - a)))
    ahead = (b - a) / length if length > 0 else along
    if length > 60:
        ink.stroke(image, (a + b) / 2, a, arrow=True)
        ink.stroke(image, (a + b) / 2, b, arrow=True)
    else:
        ink.stroke(image, a - 34 * ahead, a, arrow=True)
        ink.stroke(image, b + 34 * ahead, b, arrow=True)
    words = explained.millimetres(Measure(abs(overlap.value), overlap.sigma))
    clear = 16 + float(np.abs(across) @ np.array(ink.size_px(words, 0.7))) / 2
    ink.tags(image, [(words, (a + b) / 2 + across * clear, INK)], 0.7)


def _caption(scene: Drawn, contact: Contact, close: Canvas, settings: Settings) -> Pixels:
    """What is ruled, why, and how to read the lines."""
    width = 2 * settings.panel_px
    upper, lower = scene.scene.at(contact.upper), scene.scene.at(contact.lower)
    reasons = " ".join(str(p) for p in explained.because(contact, upper, lower))
    said = f"{_chances(contact, upper)} {reasons}".strip()
    lines = [(str(explained.ruled(contact, upper, lower)), 0.85, INK)]
    lines += [(part, 0.6, INK) for part in ink.wrapped(said, 0.6, width - 40) if part]
    lines.append((_legend(scene, contact, close, settings), 0.5, FAINT))
    paper = np.full((round(sum(16 + 26 * size for _, size, _ in lines)) + 16, width, 3), PAPER, np.uint8)
    y = 0
    for words, size, colour in lines:
        y += round(16 + 26 * size)
        ink.text(paper, words, (16, y - 8), size, colour)
    return paper


def _chances(contact: Contact, upper: Placed) -> str:
    if contact.touch() is Touch.CLEAR:
        return f"Overlap: {_percent(contact.overlap_chance())}."
    overlap, top = _percent(contact.overlap_chance()), _percent(contact.upper_p)
    return f"Overlap: {overlap}; {explained.name(upper)} on top: {top}."


def _percent(p: float) -> str:
    return "over 99.9 %" if p > 0.999 else "under 0.1 %" if p < 0.001 else f"{100 * p:.1f} %"


def _legend(scene: Drawn, contact: Contact, close: Canvas, settings: Settings) -> str:
    lines = ["strong: edge seen"]
    lower = scene.outlines[contact.lower]
    if not (lower.seen.all() and scene.outlines[contact.upper].seen.all()):
        lines.append("dashed: not seen")
    if _plumb_off_px(lower, close, scene) > settings.plumb_px:
        lines.append("dotted: the lower edge from straight above")
    thin = min(edge_sigmas(contact)) * close.scale < settings.least_band_px
    lines.append("bands: ± one standard deviation" + (", drawn wider than it is" if thin else ""))
    return "; ".join(lines)


def _ruler(image: Pixels, canvas: Canvas) -> None:
    length_mm = 20 if canvas.width_mm > 80 else 5
    end = 16 + round(length_mm * canvas.scale)
    y = canvas.side_px - 16
    for colour, thick in ((PAPER, 5), (INK, 2)):
        cv2.line(image, (16, y), (end, y), colour, thick, cv2.LINE_AA)
    ink.tags(image, [(f"{length_mm} mm", np.array([end + 36.0, float(y)]), INK)])

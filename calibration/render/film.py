"""Films turns frame by frame, with motion blur, and writes down what is true of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.render.develop import Negative, develop, grain, printed, reach_px
from calibration.render.draw import Studio
from calibration.render.motion import Turn
from calibration.render.scene import Disc, Limb, Scene
from calibration.render.truth import box_truth, camera_truth, layout_of, overlaps, placed_truth
from calibration.render.view import Image, Window, covering, whole

_MOMENTS = 8
"""Instants within one exposure at which moving things are drawn."""
_GRAIN_ROOM = 64
_SHUTTER = 0.5
"""Share of a frame's time for which the shutter is open."""


@dataclass(frozen=True, eq=False)
class Reel:
    """A clip to be filmed: a scene without moving things, and the turns in order."""

    scene: Scene
    turns: tuple[Turn, ...]
    fps: int = 30

    @property
    def first_frames(self) -> list[int]:
        """The frame in which each turn starts, and the number of frames at the end."""
        out = [0]
        for turn in self.turns:
            out.append(out[-1] + max(1, round(turn.length_s * self.fps)))
        return out


def frames(reel: Reel, seed: int) -> Iterator[NDArray[np.uint8]]:
    """The pictures (h, w, 3) BGR, in order."""
    camera = _Camera(reel.scene, seed)
    starts = reel.first_frames
    for turn, first, end in zip(reel.turns, starts, starts[1:], strict=False):
        for frame in range(first, end):
            times = [(frame - first + _SHUTTER * k / _MOMENTS) / reel.fps for k in range(_MOMENTS)]
            yield camera.shoot([_moment(reel.scene, turn, t) for t in times])


class _Camera:
    """Keeps the picture of what lies still, and draws anew only what moves."""

    def __init__(self, scene: Scene, seed: int) -> None:
        self._scene = scene
        self._studio = Studio(scene)
        self._whole = whole(scene.view.camera)
        self._rng = np.random.default_rng(seed)
        height, width = self._whole.height + _GRAIN_ROOM, self._whole.width + _GRAIN_ROOM
        self._grain = grain(self._rng, height, width, scene.develop)
        self._still = replace(scene, discs=(), limbs=())
        self._light = self._studio.expose([self._still], self._whole)
        self._negative = self._developed(self._light, self._whole)

    def shoot(self, moments: list[Scene]) -> NDArray[np.uint8]:
        """One frame, exposed at these moments."""
        self._settle(moments)
        fixed = {id(p) for p in _parts(self._still)}
        window = _joined([_reach(self._studio, m, fixed) for m in moments])
        negative = self._negative
        if window is not None:
            light = self._light.copy()
            light[window.slices] = self._studio.expose(moments, window)
            negative = self._redone(light, window)
        x, y = (int(v) for v in self._rng.integers(_GRAIN_ROOM, size=2))
        return printed(negative, self._grain[y : y + self._whole.height, x : x + self._whole.width])

    def _settle(self, moments: list[Scene]) -> None:
        """Brings the picture of what lies still up to date, where that has changed."""
        always = set.intersection(*({id(p) for p in _parts(m)} for m in moments))
        first = moments[0]
        still = replace(
            first,
            discs=tuple(d for d in first.discs if id(d) in always),
            limbs=tuple(p for p in first.limbs if id(p) in always),
        )
        before, now = ({id(p) for p in _parts(s)} for s in (self._still, still))
        window = _joined([_reach(self._studio, self._still, now), _reach(self._studio, still, before)])
        self._still = still
        if window is not None:
            self._light[window.slices] = self._studio.expose([still], window)
            self._negative = self._redone(self._light, window)

    def _redone(self, light: Image, window: Window) -> Negative:
        """The negative of `light`, which differs only in `window` from what the present one was made of."""
        spread = reach_px(self._scene.develop)
        outer, inner = window.grown(2 * spread, self._whole), window.grown(spread, self._whole)
        part = self._developed(light[outer.slices], outer)
        out = Negative(self._negative.tone.copy(), self._negative.noise.copy())
        out.tone[inner.slices] = part.tone[inner.within(outer)]
        out.noise[inner.slices] = part.noise[inner.within(outer)]
        return out

    def _developed(self, light: Image, window: Window) -> Negative:
        return develop(light, self._scene.develop, self._scene.view.camera.size, window)


def _moment(scene: Scene, turn: Turn, t: float) -> Scene:
    discs, limbs = turn.at(t)
    return replace(scene, discs=discs, limbs=limbs)


def _parts(scene: Scene) -> list[Disc | Limb]:
    return [*scene.discs, *scene.limbs]


def _reach(studio: Studio, scene: Scene, known: set[int]) -> Window | None:
    """Where the scene's discs and limbs that aren't among the known ones can be seen, shadows included."""
    parts = [p for p in _parts(scene) if id(p) not in known]
    return studio.reach(scene, parts) if parts else None


def _joined(windows: list[Window | None]) -> Window | None:
    out: Window | None = None
    for window in windows:
        if window is not None:
            out = window if out is None else out.join(window)
    return out


def film_truth(reel: Reel, video: str) -> dict[str, Any]:
    """What is true of the clip: every throw with its frames, and every taking away."""
    scene, starts = reel.scene, reel.first_frames
    turns, takes = [], []
    for turn, first in zip(reel.turns, starts, strict=False):
        seen = list(_in_picture(scene, turn, reel.fps))
        if turn.thrown:
            turns.append(_throw_truth(reel, turn, first, seen))
        elif seen:
            gone = [d.piece for d in turn.before if d.piece not in {a.piece for a in turn.after}]
            takes.append(
                {"coasters": gone, "frame_enter": first + seen[0], "frame_exit": first + seen[-1] + 1}
            )
    return {
        "video": video,
        "fps": reel.fps,
        "units": "mm",
        "camera": camera_truth(scene.view),
        "coaster": {"radius": scene.pieces.radius_mm, "thickness": scene.pieces.thickness_mm},
        "box": box_truth(scene),
        "table": {"surface": scene.surface.kind, **layout_of(scene)},
        "frames": starts[-1],
        "turns": turns,
        "takes": takes,
    }


def _throw_truth(reel: Reel, turn: Turn, first: int, seen: list[int]) -> dict[str, Any]:
    def frame(t_s: float) -> int:
        return first + int(np.ceil(t_s * reel.fps))

    start = turn.at(turn.marks_s["flick"])[0][-1]
    thrown = next(d for d in turn.after if d.piece == turn.thrown)
    return {
        "coaster": turn.thrown,
        "start_face": "front" if start.rotation[2, 2] >= 0 else "back",
        "before": [placed_truth(d) for d in turn.before],
        "frame_enter": first + seen[0],
        "frame_flick": frame(turn.marks_s["flick"]),
        "frame_landed": frame(turn.marks_s["landed"]),
        "frame_settled": frame(turn.marks_s["settled"]),
        "frame_exit": first + seen[-1] + 1,
        "half_turns_in_air": round(turn.half_turns, 2),
        "end_face": "front" if thrown.rotation[2, 2] >= 0 else "back",
        "after": [placed_truth(d) for d in turn.after],
        "overlaps": overlaps(turn.after, reel.scene.pieces),
    }


def _in_picture(scene: Scene, turn: Turn, fps: int) -> Iterator[int]:
    """The turn's frames in which an arm is in the picture."""
    limit = whole(scene.view.camera)
    for frame in range(max(1, round(turn.length_s * fps))):
        if any(_shown(scene, limb, limit) for limb in turn.at(frame / fps)[1]):
            yield frame


def _shown(scene: Scene, limb: Limb, limit: Window) -> bool:
    # A long rod's ends may both be outside while its middle is not: look along it.
    along = limb.start_mm + np.linspace(0, 1, 12)[:, None] * (limb.end_mm - limb.start_mm)
    depth = float(np.linalg.norm(scene.view.translation_mm))
    reach_px = round(limb.radius_mm * scene.view.camera.K[0][0] / depth)
    return any(covering(p[None], reach_px, limit) is not None for p in scene.view.project(along))


def chained(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """The turns, checked: each starts from what the one before left. Raises ValueError where it doesn't."""
    out = tuple(turns)
    for a, b in pairwise(out):
        if [d.piece for d in a.after] != [d.piece for d in b.before]:
            raise ValueError(f"a turn ends with {a.after} and the next starts with {b.before}")
    return out

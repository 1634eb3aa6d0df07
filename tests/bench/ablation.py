"""What each ingredient of the eye is worth: the same pictures read once more with it off.

Where a setting can turn an ingredient off, it does; else the simpler thing that one would do without it
stands in for a function.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import cv2
import numpy as np

from referee import config
from referee.cli.inspect import inspect
from referee.formats import CameraModel, load_pieces
from referee.vision.discs import align as aligning
from referee.vision.discs import disc as painting
from referee.vision.discs import gallery
from referee.vision.discs.gallery import Gallery
from referee.vision.reading import Settings
from referee.vision.table import pose as posing
from referee.vision.table.camera import Camera
from tests.bench import pairs
from tests.bench.pairs import Ruled

Replaced = dict[str, Any]
"""By the name of a function: what stands in for it."""


@dataclass(frozen=True)
class Off:
    """The eye without one of its ingredients."""

    what: str
    settings: Callable[[Settings], Settings] = lambda s: s
    instead: Replaced = field(default_factory=dict)
    pieces: Callable[[Gallery], Gallery] = lambda g: g

    def applied(self) -> ExitStack:
        stack = ExitStack()
        for name, stand_in in self.instead.items():
            stack.enter_context(mock.patch(name, stand_in))
        return stack


def _peel(**changes: Any) -> Callable[[Settings], Settings]:
    return lambda s: replace(s, peel=replace(s.peel, **changes))


def _align(**changes: Any) -> Callable[[Settings], Settings]:
    return lambda s: replace(s, peel=replace(s.peel, align=replace(s.peel.align, **changes)))


def _contact(**changes: Any) -> Callable[[Settings], Settings]:
    return lambda s: replace(s, contact=replace(s.contact, **changes))


def _stack(**changes: Any) -> Callable[[Settings], Settings]:
    return lambda s: replace(s, stack=replace(s.stack, **changes))


def _heights(**changes: Any) -> Callable[[Settings], Settings]:
    return lambda s: replace(s, stack=replace(s.stack, heights=replace(s.stack.heights, **changes)))


def _no_order(s: Settings) -> Settings:
    return _contact(pixel_cap=0.0)(_stack(told=np.inf)(s))


def _white_noise_only(s: Settings) -> Settings:
    bare = _contact(
        place_sigma_mm=0.0, residual_share=0.0, radius_sigma_mm=0.0, lean_sigma_deg=0.01,
        table_sigma_mm=0.0, table_residual=0.0, thickness_sigma_mm=0.0,
    )  # fmt: skip
    return _heights(rest_sigma_mm=0.001, warp_deg=0.01)(bare(s))


def _everywhere(name: str, stand_in: Any, rooms: Sequence[str] = ("peel", "stacking", "leaning")) -> Replaced:
    return {f"referee.vision.discs.{room}.{name}": stand_in for room in rooms}


def _unmoved(picture: Any, pose: Any, *args: Any, **options: Any) -> Any:
    """A disc stays where its votes put it."""
    fit = aligning.align(picture, pose, *args, **options)
    return None if fit is None else replace(fit, pose=pose, size=1.0)


def _level(*args: Any, **options: Any) -> Any:
    return aligning.align(*args, **{**options, "tilt": False})


def _in_grey(
    face: Any, patch: Any, radius_mm: float, blur_px: float, gain: Any, offset: Any
) -> painting.Image:
    sharp = painting.paint(face, patch, radius_mm, 0.01, gain, offset)
    return np.asarray(cv2.GaussianBlur(sharp, (0, 0), blur_px), np.float32)


def _without_lens(model: CameraModel) -> Camera:
    return Camera(model.size, np.array(model.K, float), np.zeros(5))


def _worthless(s: Settings) -> Settings:
    return _peel(worth=replace(s.peel.worth, least=-np.inf))(s)


def _as_it_is(picture: Any, found: Any, *_: Any) -> Any:
    return picture, list(found)


def _nothing(*_: Any, **__: Any) -> None:
    return None


INGREDIENTS = (
    Off("nothing: the eye as it is"),
    Off("faces registered by their whole print", instead=_everywhere("align", _unmoved)),
    Off("pixels weighed by how well they agree (Tukey)", _align(noise=10.0, coarsest=10.0, finest=10.0)),
    Off("lens: distortion undone", instead={"referee.vision.table.camera.Camera.load": _without_lens}),
    Off(
        "markers' bloom estimated",
        instead={"referee.vision.table.pose.Settings": lambda: _BLOOMLESS},
    ),
    Off(
        "print blurred in linear light",
        instead=_everywhere("paint", _in_grey, ("peel", "order", "identify")),
    ),
    Off("thickness: faces lie above the table", pieces=lambda g: replace(g, thickness_mm=0.01)),
    Off("lean fitted", instead=_everywhere("align", _level)),
    Off("size fitted", _align(scale_prior=1e-6)),
    Off("lowered onto what bears it", _stack(certain_mm=np.inf)),
    Off("size tells the height", _heights(size_sigma=1.0)),
    Off("order and heights worked out twice", lambda s: replace(s, passes=1)),
    Off("leans tell who covers whom", _contact(lean_cap=0.0)),
    Off("pixels tell who is on top", _no_order),
    Off("heights tell who is on top", _contact(height_cap=0.0)),
    Off("peeling: what is explained is taken out", instead={"referee.vision.discs.peel.claim": _nothing}),
    Off("a second try around a poor fit", _peel(righted_score=np.inf)),
    Off("finds checked when the order is known", _peel(worst_cost=np.inf, doubtful_cost=np.inf)),
    Off("a face must be worth more than a wash of colour", _worthless),
    Off("uneven light evened", instead={"referee.vision.discs.shade.even": _as_it_is}),
    Off("flat discs fitted once more, finely", _peel(precise=aligning.Settings(steps=((0.0, 4),)))),
    Off("discs that lean are sought", lambda s: replace(s, leaning=replace(s.leaning, rounds=0))),
    Off(
        "the box is found",
        instead={
            "referee.vision.reading.find_box": _nothing,
            "referee.vision.box.measure.unexplained": _nothing,
        },
    ),
    Off(
        "misfits capped when a name is chosen",
        lambda s: _peel(identify=replace(s.peel.identify, cap=1e6))(s),
    ),
    Off("doubts beyond white noise", _white_noise_only),
)

_BLOOMLESS = posing.Settings(bloom_px=0.0, bloom_sigma_px=1e-6)


def of_pairs(pictures: int) -> list[list[Ruled]]:
    """Per ingredient: what is said of the near ties of so many pictures with it off."""
    with ProcessPoolExecutor() as pool:
        told = list(pool.map(_pairs_without, range(pictures)))
    return [[pair for picture in told for pair in picture[k]] for k in range(len(INGREDIENTS))]


def _pairs_without(seed: int) -> list[list[Ruled]]:
    told = []
    for off in INGREDIENTS:
        with off.applied():
            shot = pairs.shot(seed)
            shot = replace(shot, known=off.pieces(shot.known))
            told.append(pairs.ruled(shot, off.settings(Settings())))
    return told


def of_scenes(pictures: Sequence[Path], setup: Path, pieces: Path, out: Path) -> list[Path]:
    """Per ingredient: a folder of readings of these pictures with it off, for the scorer."""
    folders = [out / str(k) for k in range(len(INGREDIENTS))]
    for folder in folders:
        folder.mkdir(parents=True)
    with ProcessPoolExecutor() as pool:
        count = len(pictures)
        done = pool.map(_scene_without, pictures, [setup] * count, [pieces] * count, [folders] * count)
        list(done)
    return folders


def _scene_without(picture: Path, setup: Path, pieces: Path, folders: list[Path]) -> None:
    usual = config.Config()
    for off, folder in zip(INGREDIENTS, folders, strict=True):
        eye = replace(usual.eye, reading=off.settings(usual.eye.reading))
        with off.applied():
            known = off.pieces(_gallery(pieces))
            read, *_ = inspect(picture, setup, setup, known, replace(usual, eye=eye))
        (folder / f"{picture.stem}.json").write_text(json.dumps(read), encoding="utf-8")


@cache
def _gallery(folder: Path) -> Gallery:
    return gallery.load(load_pieces(folder))

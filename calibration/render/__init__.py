"""Draws scenes and clips of coasters with their truth: what the eye is tested with, and the demonstration.

It imports nothing of the eye: a fault in one can't hide in the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.render.arrange import KINDS, Spec, deal
from calibration.render.draw import render
from calibration.render.truth import scene_truth, setup_json

__all__ = ["KINDS", "Spec", "deal", "render", "render_scene", "scene_truth", "setup_json"]


def render_scene(spec: Spec, seed: int) -> tuple[NDArray[np.uint8], dict[str, Any]]:
    """The picture (h, w, 3) BGR and its truth; the same for the same spec and seed."""
    scene = deal(spec, seed)
    return render(scene, seed), scene_truth(scene, f"{spec.kind}_{seed}.jpg", spec.kind)

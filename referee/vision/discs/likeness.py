"""A face as the camera shows it at a pose, with its changes: what a picture is held against."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.vision.discs.disc import Pose, lit
from referee.vision.discs.gallery import ART_PX, FaceArt
from referee.vision.discs.picture import Picture

Array = NDArray[np.float64]
Image = NDArray[np.float32]

GAMMA = 2.2
"""Of the cameras' grey values, about (sRGB): the lens blurs light. Taken as 2, edges seem moved, the more the
brighter one side is than the other."""
FINE_BELOW = 0.8
"""With so little blur, in pixels of the stored print, its own pixels are the coarser: it is kept finer."""
SHARPEST = 0.7
"""Less blur, in pixels of the print, leaves steps between them that its differences don't tell."""


@dataclass(frozen=True, eq=False)
class Likeness:
    """A face, coloured and blurred as the camera sees it at a pose.

    It is kept turned so that its x axis lies across the line of sight: along the other axis the picture is
    foreshortened, and the camera's blur wider.
    """

    layers: tuple[Image, Image, Image]
    """(S, S, 3) each: colour, and its change per pixel of the print along both axes."""
    cos: float
    sin: float
    px_per_mm: float
    """Of the picture, across the line of sight."""

    @classmethod
    def of(
        cls,
        face: FaceArt,
        pose: Pose,
        radius_mm: float,
        picture: Picture,
        blur_px: float,
        gain: Array,
        offset: Array,
        fine: bool,
    ) -> Likeness:
        view = picture.view
        ray = pose.centre_mm - view.eye_mm
        flat = pose.axes[:, :2].T @ ray  # the line of sight along the face
        angle = float(np.arctan2(flat[1], flat[0]) - np.pi / 2)  # turns the sight onto the y axis
        distance = float(np.linalg.norm(ray))
        slant = abs(float(pose.normal @ ray)) / distance
        per_mm = view.camera.matrix[0, 0] / distance
        across = float(blur_px) / per_mm * ART_PX / 2 / radius_mm  # blur in art pixels
        art: Image | NDArray[np.uint8] = face.shown
        if fine:
            art, across = face.fine, across * 2
        elif across > 2.5:  # so much blur needs no fine print
            art, across = face.coarse, across / 2
        elif across < FINE_BELOW:
            art, across = face.fine, across * 2
        across = max(across, SHARPEST)
        along = across / max(slant, 0.15)
        side = art.shape[0]
        c = (side - 1) / 2
        cos, sin = np.cos(angle), np.sin(angle)
        # turned print at (p, q) shows the face at c + R(angle) (p, q), y axes up
        turn = np.array([[cos, sin, c - c * (cos + sin)], [-sin, cos, c - c * (cos - sin)]])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        turned = cv2.warpAffine(art, turn, (side, side), flags=flags, borderMode=cv2.BORDER_REPLICATE)
        if art is face.fine:  # few levels: their light is looked up
            levels = np.repeat(np.arange(256, dtype=np.float32)[:, None, None], 3, axis=2) / np.float32(255)
            light = cv2.LUT(turned, cv2.pow(lit(levels, gain, offset), GAMMA))
        else:
            light = cv2.pow(lit(turned, gain, offset), GAMMA)
        shown = cv2.pow(cv2.GaussianBlur(light, (0, 0), sigmaX=across, sigmaY=along), 1 / GAMMA)
        dx = cv2.Sobel(shown, cv2.CV_32F, 1, 0, ksize=1, scale=0.5)
        dy = cv2.Sobel(shown, cv2.CV_32F, 0, 1, ksize=1, scale=0.5)
        return cls(
            (np.asarray(shown, np.float32), np.asarray(dx, np.float32), np.asarray(dy, np.float32)),
            float(cos),
            float(sin),
            float(per_mm),
        )

    def look_up(self, u: Image, v: Image, radius_mm: float) -> tuple[Image, Image, Image]:
        """Colour (3, N) at places on the face (mm, y up), and its change per mm along the face's x and y."""
        cos, sin = np.float32(self.cos), np.float32(self.sin)
        side = self.layers[0].shape[0]
        c, per_mm = np.float32((side - 1) / 2), np.float32(side / 2 / radius_mm)
        p = c + (u * cos + v * sin) * per_mm
        q = c - (-u * sin + v * cos) * per_mm
        columns = 64
        count = -(-len(p) // columns) * columns
        places = np.zeros((2, count), np.float32)
        places[:, : len(p)] = p, q
        x, y = places.reshape(2, -1, columns)
        colour, dp, dq = (
            np.asarray(cv2.remap(layer, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)
            .reshape(-1, 3)[: len(p)]
            .T
            for layer in self.layers
        )
        cos, sin = cos * per_mm, sin * per_mm
        return colour, dp * cos + dq * sin, dp * sin - dq * cos

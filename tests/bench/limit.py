"""How near to the limit that noise sets a coaster on its own is placed: `make bench-accuracy`.

Coasters that touch nothing, of every family and both faces, at three sizes of picture, from 0 to 50°, in two
settings. *White noise*: a plain table in even light, a lossless picture, white noise of 3 grey levels and
nothing else. *As a camera*: table tops with texture, a lamp that shades, a lens that dims the corners,
sharpening, the renderer's own noise, JPEG 85. The camera, its place and the coaster's radius and thickness
are told exactly: what is measured is the eye's fit, not the set-up.

**The bound** (Cramér and Rao's) on the middle of the seen face, along both axes of the picture, is worked out
from the renderer, of which the eye knows nothing. Every coaster is drawn anew, free of noise, in float and
before sharpening (which is undone by arithmetic and neither adds nor takes information), shifted both ways
along x and y, turned, and made larger and smaller: half the difference is the picture's derivative, with rim,
wall and shadow in it. Gain and offset of the face per channel come as well. All that is divided by the noise
of each pixel and channel, and squared: Fisher's information on ten unknowns, of which all but the place are
nuisances that the eye doesn't know either. Lean and height are taken as known, as the eye takes a flat
coaster's. Noise is the sensor's alone, before the camera sharpens; the rounding to 8 bits and the JPEG file,
which lose information as well, are left out, so that the bound stays below what any method could reach.

*Rim alone* is the formula 1.06 sqrt(blur / r) noise / contrast: what a method can reach that looks at nothing
but the step between coaster and table.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from skimage.measure import CircleModel, ransac

from calibration.render import Spec, deal
from calibration.render.develop import Negative, develop, grain, printed, through_jpeg
from calibration.render.draw import Studio, window_about
from calibration.render.scene import Develop, Disc, Scene, Surface
from calibration.render.view import Window, whole
from referee import demo
from referee.formats import PieceSet, load_pieces
from referee.vision.discs import gallery
from referee.vision.discs.gallery import Gallery
from referee.vision.reading import Reader
from referee.vision.table.camera import Camera
from referee.vision.table.markers import find_markers
from referee.vision.table.pose import TableView

Array = NDArray[np.float64]
Bgr = NDArray[np.uint8]

SIZES = (1280, 720), (1920, 1080), (3840, 2160)
MOST_TILT_DEG = 50.0
FAR_PX = 3.0
"""A place that is off by more is no place: counted as missed, not averaged."""


@dataclass(frozen=True)
class Setting:
    name: str
    noise_levels: float
    """Standard deviation of white noise, 0 for the renderer's own."""
    textured: bool


WHITE = Setting("white noise", 3.0, False)
CAMERA = Setting("as a camera", 0.0, True)


@dataclass(frozen=True, eq=False)
class Shot:
    bgr: Bgr
    scene: Scene
    view: TableView
    true_px: Array
    """(N, 2) where the middles of the discs' seen faces are."""
    bound_px: Array
    """(N, 2, 2) covariance of the bound."""
    rim_px: Array
    """(N,) the formula for the rim alone, per axis."""


Method = Callable[[Shot], Array]
"""From a picture to the (N, 2) px where it takes middles of coasters to be."""


def stage(setting: Setting, pieces: PieceSet, seed: int) -> Scene:
    size, tilt = SIZES[seed % 3], MOST_TILT_DEG * (seed * 0.618034 % 1)  # spread evenly, whatever the count
    scene = deal(Spec("singles", pieces, size, tilt), 4000 + seed)
    if setting.textured:
        return replace(scene, develop=Develop(jpeg_quality=85))
    look = Develop(bloom=0.0, vignette=0.0, noise=0.0, sharpen=0.0)
    plain = Surface("cloth", seed, (0.0, 0.0, 0.0, 0.0))  # nothing but the floor
    return replace(scene, surface=plain, develop=look, light=replace(scene.light, falloff=(0.0, 0.0)))


def shot(setting: Setting, pieces: PieceSet, seed: int) -> Shot:
    scene = stage(setting, pieces, seed)
    window, rng = whole(scene.view.camera), np.random.default_rng([seed, 5])
    negative = _negative(setting, Studio(scene), scene, window)
    bgr = printed(negative, grain(rng, window.height, window.width, scene.develop))
    if setting.textured:
        bgr = through_jpeg(bgr, scene.develop.jpeg_quality)
    view = seen(scene, bgr)
    true_px = scene.view.project(np.array([_middle(d, pieces) for d in scene.discs]))
    bound = np.array([bound_px(setting, scene, d) for d in scene.discs])
    rim = np.array([rim_px(setting, scene, d) for d in scene.discs])
    return Shot(bgr, scene, view, true_px, bound, rim)


def _negative(setting: Setting, studio: Studio, scene: Scene, window: Window) -> Negative:
    light = studio.expose([scene], window)
    negative = develop(light, scene.develop, scene.view.camera.size, window)
    if setting.noise_levels:
        negative = replace(negative, noise=np.full_like(negative.tone, setting.noise_levels / 255))
    return negative


def seen(scene: Scene, bgr: Bgr) -> TableView:
    """The camera's place as it is; the markers only tell white and blur."""
    gray = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    found = find_markers(gray, scene.layout)
    ids = tuple(sorted(found))
    corners = np.stack([found[m] for m in ids])
    v = scene.view
    return TableView(
        Camera.load(v.camera), v.rotation, v.translation_mm, 0.0, ids, np.zeros((6, 6)), 0.0, corners
    )


def _middle(disc: Disc, pieces: PieceSet) -> Array:
    normal = disc.rotation[:, 2] * np.sign(disc.rotation[2, 2])
    return np.asarray(disc.center_mm + normal * pieces.thickness_mm / 2)


SHIFT_MM, TURN_RAD, GROWTH = 0.05, 0.001, 0.001


def bound_px(setting: Setting, scene: Scene, disc: Disc) -> Array:
    """(2, 2) the least covariance of the middle in px."""
    soft = replace(scene, develop=replace(scene.develop, sharpen=0.0))
    window = window_about(soft, [disc], 40)
    assert window is not None
    studio = Studio(soft)

    def tone(other: Disc, radius: float = 1.0) -> Negative:
        pieces = replace(soft.pieces, radius_mm=soft.pieces.radius_mm * radius)
        return _negative(setting, studio, replace(soft, pieces=pieces, discs=(other,)), window)

    def moved(x: float, y: float) -> Disc:
        return replace(disc, center_mm=disc.center_mm + np.array([x, y, 0.0]))

    def turned(a: float) -> Disc:
        c, s = np.cos(a), np.sin(a)
        return replace(disc, rotation=np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]) @ disc.rotation)

    plain = tone(disc)
    changes = [
        (tone(moved(SHIFT_MM, 0)).tone - tone(moved(-SHIFT_MM, 0)).tone) / (2 * SHIFT_MM),
        (tone(moved(0, SHIFT_MM)).tone - tone(moved(0, -SHIFT_MM)).tone) / (2 * SHIFT_MM),
        (tone(turned(TURN_RAD)).tone - tone(turned(-TURN_RAD)).tone) / (2 * TURN_RAD),
        (tone(disc, 1 + GROWTH).tone - tone(disc, 1 - GROWTH).tone) / (2 * GROWTH),
    ]
    face = _face(soft, disc, window)[..., None]
    for channel in range(3):
        only = face * (np.arange(3) == channel)
        changes += [plain.tone * only, only.astype(np.float32)]
    jacobian = np.stack([(c / plain.noise).ravel() for c in changes]).astype(float)
    covariance = np.linalg.inv(jacobian @ jacobian.T)[:2, :2]
    to_px = _plan_to_px(scene, _middle(disc, scene.pieces))
    return np.asarray(to_px @ covariance @ to_px.T)


def _face(scene: Scene, disc: Disc, window: Window) -> NDArray[np.bool_]:
    """(h, w) the pixels whose middles show the face."""
    a = np.linspace(0, 2 * np.pi, 360)
    rim = scene.pieces.radius_mm * np.column_stack([np.cos(a), np.sin(a), 0 * a])
    outline = scene.view.project(_middle(disc, scene.pieces) + rim) - [window.x, window.y]
    mask = np.zeros((window.height, window.width), np.uint8)
    cv2.fillPoly(mask, [np.rint(outline * 16).astype(np.int32)], 1, shift=4)
    return mask.astype(bool)


def _plan_to_px(scene: Scene, at: Array) -> Array:
    """(2, 2) px per mm on a level plane."""
    step = 0.01
    ways = np.array([[step, 0, 0], [-step, 0, 0], [0, step, 0], [0, -step, 0]])
    p = scene.view.project(at + ways)
    return np.column_stack([p[0] - p[1], p[2] - p[3]]) / (2 * step)


def rim_px(setting: Setting, scene: Scene, disc: Disc) -> float:
    """1.06 sqrt(blur / r) noise / contrast, in px.

    Contrast is the root of the three channels' summed squared steps at the face's edge, averaged around it.
    """
    soft = replace(scene, develop=replace(scene.develop, sharpen=0.0))
    window = window_about(soft, [disc], 40)
    assert window is not None
    negative = _negative(setting, Studio(soft), replace(soft, discs=(disc,)), window)
    middle = _middle(disc, scene.pieces)
    a = np.linspace(0, 2 * np.pi, 360, endpoint=False)
    ring = np.column_stack([np.cos(a), np.sin(a), 0 * a]) * scene.pieces.radius_mm
    rim = scene.view.project(middle + ring)
    out = rim - scene.view.project(middle[None])
    radius = float(np.sqrt(np.mean(np.sum(out**2, axis=1))))
    out /= np.linalg.norm(out, axis=1, keepdims=True)

    def look(image: NDArray[np.float32], off_px: float) -> Array:
        x, y = (rim + off_px * out - [window.x, window.y]).astype(np.float32).T
        return np.asarray(cv2.remap(image, x[None], y[None], cv2.INTER_LINEAR)[0], float)

    step = look(negative.tone, 2.5) - look(negative.tone, -2.5)
    noise = float(np.sqrt(np.mean(look(negative.noise, 0.0) ** 2)))
    contrast = float(np.sqrt(np.mean(np.sum(step**2, axis=1))))
    blur = float(np.hypot(scene.develop.blur_px, np.sqrt(1 / 12)))
    return 1.06 * np.sqrt(blur / radius) * noise / contrast


@dataclass(frozen=True, eq=False)
class Plan:
    """The table seen from straight above, at the faces' height, about as large as the camera shows it."""

    bgr: Bgr
    corner_mm: Array
    mm: float
    """Of a pixel's side."""
    height_mm: float

    @classmethod
    def of(cls, shot: Shot) -> Plan:
        x, y = np.array([d.center_mm[:2] for d in shot.scene.discs]).T
        room, z = 1.6 * shot.scene.pieces.radius_mm, shot.scene.pieces.thickness_mm
        corner, size = np.array([x.min() - room, y.min() - room]), np.array([np.ptp(x), np.ptp(y)]) + 2 * room
        per_mm = np.sqrt(abs(np.linalg.det(_plan_to_px(shot.scene, np.array([x.mean(), y.mean(), z])))))
        columns, rows = np.ceil(size * per_mm).astype(int)
        u, v = np.meshgrid(np.arange(columns), np.arange(rows))
        points = np.column_stack(
            [corner + np.column_stack([u.ravel(), v.ravel()]) / per_mm, np.full(u.size, z)]
        )
        px = shot.scene.view.project(points).astype(np.float32).reshape(rows, columns, 2)
        return cls(
            np.asarray(cv2.remap(shot.bgr, px, None, cv2.INTER_LINEAR), np.uint8), corner, 1 / per_mm, z
        )

    def to_px(self, scene: Scene, places: Array) -> Array:
        """(N, 2) pixels of the plan to pixels of the picture."""
        at = self.corner_mm + places.reshape(-1, 2) * self.mm
        return scene.view.project(np.column_stack([at, np.full(len(at), self.height_mm)]))


def by_reader(known: Gallery) -> Method:
    reader = Reader(known)

    def read(shot: Shot) -> Array:
        poses = reader.read(shot.bgr, shot.view).poses
        return shot.view.to_px(np.array([p.centre_mm for p in poses]).reshape(-1, 3))

    return read


def by_hough(shot: Shot) -> Array:
    plan, radius = Plan.of(shot), shot.scene.pieces.radius_mm
    gray = cv2.GaussianBlur(cv2.cvtColor(plan.bgr, cv2.COLOR_BGR2GRAY), (0, 0), 1.0)
    r = radius / plan.mm
    circles = cv2.HoughCircles(
        gray,
        cv2.HOUGH_GRADIENT_ALT,
        1.0,
        r,
        param1=200,
        param2=0.6,
        minRadius=int(0.96 * r),
        maxRadius=int(1.04 * r) + 1,
    )
    places = np.zeros((0, 2)) if circles is None else np.asarray(circles, float).reshape(-1, 3)[:, :2]
    return plan.to_px(shot.scene, places)


def by_ellipse(shot: Shot) -> Array:
    plan = Plan.of(shot)
    places = [cv2.fitEllipse(c)[0] for c in _contours(plan, shot)]
    return plan.to_px(shot.scene, np.array(places, float).reshape(-1, 2))


def by_ransac(shot: Shot) -> Array:
    plan, rng = Plan.of(shot), np.random.default_rng(1)
    places = []
    for contour in _contours(plan, shot):
        points = contour.reshape(-1, 2).astype(float)
        model, _ = ransac(points, CircleModel, min_samples=3, residual_threshold=1.0, max_trials=100, rng=rng)
        places.append(model.center)
    return plan.to_px(shot.scene, np.array(places, float).reshape(-1, 2))


def _contours(plan: Plan, shot: Shot) -> list[NDArray[np.int32]]:
    """Outlines of what differs from the table's middle colour and is about as large as a coaster."""
    colour = np.median(plan.bgr.reshape(-1, 3), axis=0)
    off = np.linalg.norm(cv2.GaussianBlur(plan.bgr, (0, 0), 1.0) - colour, axis=-1)
    levels = np.clip(off, 0, 255).astype(np.uint8)
    _, mask = cv2.threshold(levels, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    area = np.pi * (shot.scene.pieces.radius_mm / plan.mm) ** 2
    return [np.asarray(c, np.int32) for c in outlines if 0.5 < cv2.contourArea(c) / area < 1.6]


Tried = tuple[Shot, Array, float]
"""A shot, each coaster's error in px (N, 2), and the seconds of processor time that it took."""


def rows(count: int) -> list[dict[str, Any]]:
    """What each method makes of `count` pictures of each setting, one row a setting and method."""
    out = []
    with ProcessPoolExecutor() as pool:
        for setting in WHITE, CAMERA:
            each = list(pool.map(_tried, [setting] * count, range(count)))
            out += [_row(setting, name, [tried[name] for tried in each]) for name in each[0]]
    return out


def _tried(setting: Setting, seed: int) -> dict[str, Tried]:
    """What each method makes of the picture number `seed`."""
    pieces, methods = _methods()
    taken = shot(setting, pieces, seed)
    out = dict[str, Tried]()
    for name, method in methods.items():
        begun = time.process_time()
        places = method(taken)
        out[name] = taken, _errors(taken, places), time.process_time() - begun
    return out


@cache
def _methods() -> tuple[PieceSet, dict[str, Method]]:
    pieces = load_pieces(demo.PIECES)
    return pieces, {
        "the eye": by_reader(gallery.load(pieces)),
        "HoughCircles, rectified": by_hough,
        "contour and fitEllipse": by_ellipse,
        "contour and RANSAC circle": by_ransac,
    }


def _errors(shot: Shot, places: Array) -> Array:
    """(N, 2) px, of the nearest place to each coaster; NaN where none is near."""
    if not len(places):
        return np.full_like(shot.true_px, np.nan)
    off = places[None] - shot.true_px[:, None]
    near = np.linalg.norm(off, axis=-1).argmin(axis=1)
    errors = off[np.arange(len(off)), near]
    errors[np.linalg.norm(errors, axis=1) > FAR_PX] = np.nan
    return np.asarray(errors)


def _row(setting: Setting, name: str, done: list[Tried]) -> dict[str, Any]:
    errors = np.concatenate([e for _, e, _ in done])
    bound, rim = (np.concatenate([getattr(s, which) for s, _, _ in done]) for which in ("bound_px", "rim_px"))
    met = np.isfinite(errors).all(axis=1)
    e, b, r = errors[met], bound[met], rim[met]
    axes = np.sqrt(np.trace(bound, axis1=1, axis2=2) / 2)
    none = not met.any()
    return {
        "setting": setting.name,
        "method": name,
        "discs": len(errors),
        "missed": round(1 - float(met.mean()), 3),
        "rms_px": None if none else _digits(_rms(e)),
        "p95_px": None if none else _digits(float(np.percentile(np.abs(e), 95))),
        "bound_px": _digits(_rms(axes)),
        "rim_bound_px": _digits(_rms(rim)),
        "x_bound": None if none else _digits(_whitened(e, b)),
        "x_rim_bound": None if none else _digits(_rms(e / r[:, None])),
        "cpu_ms_a_disc": _digits(1e3 * sum(t for _, _, t in done) / len(errors)),
    }


def _whitened(errors: Array, covariance: Array) -> float:
    """RMS of the errors in units of the covariance's own sigmas: 1 where it is reached."""
    return float(np.sqrt(np.mean(np.einsum("ni,nij,nj->n", errors, np.linalg.inv(covariance), errors) / 2)))


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


def _digits(value: float) -> float:
    return float(f"{value:.3g}")

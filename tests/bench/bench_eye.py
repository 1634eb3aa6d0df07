"""What it takes to watch a frame, to follow what flies, and to understand a throw."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import cv2

from referee.cli.bench import Row, summary
from referee.vision.throw import aloft, flight, silhouette
from referee.vision.throw.aloft import Aloft
from referee.vision.throw.ground import Ground
from referee.vision.throw.spin import Disc, Scope
from referee.vision.watch import motion, settle
from tests import small_world as world
from tests.table_scenes import Bgr


def rows() -> Iterator[Row]:
    view, disc, seeing = world.view(), Disc(world.RADIUS_MM, world.THICKNESS_MM), motion.Settings()
    scope = Scope(view, 2.0)
    width_px = scope.width_px(disc)
    watch, chases, history = None, Aloft(), []
    watching: list[float] = []
    following: list[float] = []
    throws: list[float] = []
    plain: list[float] = []
    before = None
    for i, picture in enumerate(world.film(world.Throw(1.0), view)):
        began = time.perf_counter()
        now = motion.glimpse(i, i / world.FPS, picture, seeing)
        history.append(now)
        if watch is None:
            watch = settle.begin(now)
            continue
        watch = settle.step(watch, now, None, None, settle.Settings(), seeing)
        watched = time.perf_counter()
        chases, thrown = aloft.step(chases, watch, width_px / 2, aloft.Settings())
        followed = time.perf_counter()
        for chase in thrown:
            flight.measure(
                tuple(history),
                chase,
                watch.background,
                width_px,
                scope,
                disc,
                Ground(),
                flight.Settings(),
                silhouette.Settings(),
                seeing,
            )
            throws.append(1000 * (time.perf_counter() - followed))
        watching.append(1000 * (watched - began))
        following.append(1000 * (followed - watched))
        began = time.perf_counter()
        before = _blobs(picture, before)
        plain.append(1000 * (time.perf_counter() - began))
    ratio = (statistics.median(watching) + statistics.median(following)) / statistics.median(plain)
    yield summary("watch a frame", "1280x720, shrink and gate", watching, 5.0)
    yield summary("  plain blobs", f"absdiff, components: ours is {ratio:.1f}x this", plain)
    yield summary("follow what flies", "1280x720", following)
    yield summary("understand a throw", "10 pictures of it", throws)


def _blobs(picture: Bgr, before: Bgr | None) -> Bgr:
    """Plain OpenCV's way to see what moves, at full size: the pieces of what has changed."""
    if before is not None:
        changed = cv2.cvtColor(cv2.absdiff(picture, before), cv2.COLOR_BGR2GRAY) > 25
        cv2.connectedComponents(changed.view("uint8"))
    return picture

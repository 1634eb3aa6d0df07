"""One frame through the eye: watch, follow throws, and read the table when it has come to rest."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from referee.facts import Box, Scene
from referee.formats import CameraModel, Layout, PieceSet
from referee.vision import reading
from referee.vision.clock import Clock
from referee.vision.discs import gallery
from referee.vision.discs.again import Before
from referee.vision.discs.peel import Found
from referee.vision.frames.source import Frame, Pixels
from referee.vision.messages import Gate, Mark
from referee.vision.outcome import Outcome, Shot
from referee.vision.reading import Reader
from referee.vision.show import draw, strip
from referee.vision.show.canvas import Drawn, outlines
from referee.vision.show.strip import Strip
from referee.vision.table import mount
from referee.vision.table import pose as table
from referee.vision.table.camera import Camera
from referee.vision.table.mount import Mount
from referee.vision.throw import aloft, flight, hand, silhouette, throws
from referee.vision.throw.aloft import Aloft
from referee.vision.throw.flight import Flown
from referee.vision.throw.ground import Ground
from referee.vision.throw.spin import Disc, Scope
from referee.vision.watch import motion, settle, steady, track
from referee.vision.watch.motion import Glimpse, Mask
from referee.vision.watch.settle import Watch
from referee.vision.watch.steady import Difference
from referee.vision.watch.track import Book


@dataclass(frozen=True)
class Settings:
    motion: motion.Settings = field(default_factory=motion.Settings)
    settle: settle.Settings = field(default_factory=settle.Settings)
    mount: mount.Settings = field(default_factory=mount.Settings)
    aloft: aloft.Settings = field(default_factory=aloft.Settings)
    silhouette: silhouette.Settings = field(default_factory=silhouette.Settings)
    flight: flight.Settings = field(default_factory=flight.Settings)
    hand: hand.Settings = field(default_factory=hand.Settings)
    throws: throws.Settings = field(default_factory=throws.Settings)
    track: track.Settings = field(default_factory=track.Settings)
    steady: steady.Settings = field(default_factory=steady.Settings)
    draw: draw.Settings = field(default_factory=draw.Settings)
    reading: reading.Settings = field(default_factory=reading.Settings)
    history_s: float = 0.6
    """So long the shrunken pictures are kept, and from so long before until so long after a thing that is
    being followed came free: that is where its flight is measured."""
    run_up_s: float = 0.4
    run_up_apart_s: float = 0.06
    """So long whole frames are kept, to read what lies on a hand that then throws, and so far apart, as a
    hand that aims lies nearly still and frames are large."""
    averaged: int = 4
    """So many quiet pictures are averaged before the table is read."""
    look_again_s: float = 0.5
    """Between two looks for a table that could not be found."""
    restless_s: float = 3.0
    """When nothing has come to rest for so long, the table is looked for all the same: where it is known,
    what moves beside it doesn't count, and where it can't be found, people must know."""


@dataclass(frozen=True)
class Sights:
    """What the eye is to look at. It crosses a process boundary."""

    layout: Layout
    camera: CameraModel | None
    """None: the focal length is estimated from the markers."""
    pieces: PieceSet
    settings: Settings = field(default_factory=Settings)


KNOCKED = "the camera has been moved: its place over the table was measured anew"


@dataclass(frozen=True, eq=False)
class Eye:
    sights: Sights
    reader: Reader
    book: Book
    camera: Camera | None = None
    mount: Mount | None = None
    area: Mask | None = None
    play: Mask | None = None
    watch: Watch | None = None
    history: tuple[Glimpse, ...] = ()
    quiet: tuple[Pixels, ...] = ()
    recent: tuple[Frame, ...] = ()
    run_ups: Mapping[int, tuple[Frame, ...]] = field(default_factory=dict)
    """Whole frames from before each thing that is being followed came free, by its first frame."""
    aloft: Aloft = field(default_factory=Aloft)
    flown: tuple[Flown, ...] = ()
    strips: Mapping[int, Strip] = field(default_factory=dict)
    """Pictures of what has flown, by the frame of its flick."""
    lain: tuple[Found, ...] = ()
    """The discs of the last reading."""
    box: Box | None = None
    """Where the last reading found it."""
    rested: Glimpse | None = None
    """The table when the last scene was told."""
    told: bool = False
    """Whether the scene of the present rest has been told."""
    opened_s: float = 0.0
    """When the first frame came."""
    looked_s: float = float("-inf")
    """When the table was last looked for in vain."""
    checked_s: float = float("-inf")
    """Since when it was quiet when the mount was last checked with something lying in view."""
    marks: tuple[Mark, ...] = ()
    trouble: str = ""


def open_eye(sights: Sights, remembered: Scene | None = None) -> Eye:
    """An eye that knows what it is to look at, and what lay there when it was last open.

    Raises ConfigError when a picture of the piece set can't be read.
    """
    known = Book()
    if remembered is not None:
        last = max((p.track for p in remembered.placed), default=-1)
        known = Book(remembered.placed, remembered.contacts, last + 1)
    return Eye(sights, Reader(gallery.load(sights.pieces), sights.layout, sights.settings.reading), known)


def see(eye: Eye, frame: Frame) -> tuple[Eye, Outcome]:
    """The eye after one more frame, and what it says of it.

    Raises CalibrationError when the frame has a shape that the camera file isn't for.
    """
    clock = Clock()
    eye = _watch(_with_camera(eye, frame), frame)
    clock.lap("watch")
    eye = _check_mount(_search(eye, frame), frame)
    eye = _follow(eye, frame)
    clock.lap("follow")
    watch = eye.watch
    assert watch is not None
    gate = watch.gate
    scene: Scene | None = None
    shots: tuple[Shot, ...] = ()
    if gate is Gate.STILL:
        if not eye.told and frame.t_s - eye.looked_s >= eye.sights.settings.look_again_s:
            calm = _average(eye.quiet)
            eye = _look(eye, calm, frame.t_s)
            clock.lap("locate")
            if eye.mount is not None:
                strips = eye.strips
                eye, drawn, fresh = _read(eye, calm, frame)
                clock.lap("read")
                scene, shots = drawn.scene, draw.evidence(drawn, fresh, strips, eye.sights.settings.draw)
                clock.lap("draw")
        if eye.mount is None:
            gate = Gate.BLIND
    view = None if eye.mount is None else eye.mount.view
    return eye, Outcome(
        gate=gate,
        marks=() if gate is Gate.BLIND else eye.marks,
        markers=() if view is None else view.markers,
        residual_px=None if view is None else view.residual_px,
        trouble=watch.trouble or eye.trouble,
        scene=scene,
        shots=shots,
        stage_ms=clock.laps,
    )


def _with_camera(eye: Eye, frame: Frame) -> Eye:
    """The eye with its camera at the frame's size. At a new size it keeps only what it knows to lie there."""
    height, width = frame.bgr.shape[:2]
    size, model = (width, height), eye.sights.camera
    if eye.camera is not None and eye.camera.size_px == size:
        return eye
    camera = Camera.guess(size) if model is None else Camera.load(model).for_frame(size)
    return Eye(eye.sights, eye.reader, eye.book, camera, opened_s=frame.t_s)


def _watch(eye: Eye, frame: Frame) -> Eye:
    s = eye.sights.settings
    now = motion.glimpse(frame.index, frame.t_s, frame.bgr, s.motion)
    if eye.watch is None:
        watch = settle.begin(now)
    else:
        watch = settle.step(eye.watch, now, eye.area, eye.play, s.settle, s.motion)
    calm = watch.gate in (Gate.SETTLING, Gate.STILL)
    quiet = eye.quiet if eye.told else (*eye.quiet, frame.bgr)[-s.averaged :]
    free_s = [now.t_s, *(c.sights[0].t_s for c in eye.aloft.chases)]
    history = (*(g for g in eye.history if any(abs(g.t_s - t) <= s.history_s for t in free_s)), now)
    return replace(eye, watch=watch, history=history, quiet=quiet if calm else (), told=eye.told and calm)


def _search(eye: Eye, frame: Frame) -> Eye:
    """Look for a table that isn't known yet though nothing comes to rest."""
    s, watch = eye.sights.settings, eye.watch
    if watch is None or eye.mount is not None or watch.gate is not Gate.MOVING:
        return eye
    soon_s = max(eye.opened_s + s.restless_s, eye.looked_s + s.look_again_s)
    return _look(eye, frame.bgr, frame.t_s) if frame.t_s >= soon_s else eye


def _check_mount(eye: Eye, frame: Frame) -> Eye:
    """What lies quietly in view from the edge may be no hand, but a table seen from a camera that was
    knocked: look at the markers, once in each quiet time, and start anew if they have jumped."""
    watch = eye.watch
    if watch is None or eye.mount is None or not watch.held_up:
        return eye
    since_s = watch.anchor.t_s
    if watch.quiet_s < eye.sights.settings.settle.quiet_s or since_s == eye.checked_s:
        return eye
    looked = _look(eye, frame.bgr, frame.t_s)
    if looked.mount is None or not looked.mount.knocked:
        return replace(eye, checked_s=since_s)
    return replace(looked, checked_s=since_s, watch=settle.forget(watch), aloft=Aloft())


def _follow(eye: Eye, frame: Frame) -> Eye:
    """Follow what flies, and measure the throws that have come down."""
    s, watch = eye.sights.settings, eye.watch
    if watch is None or eye.mount is None or watch.background is None:
        return eye
    disc = Disc(eye.reader.gallery.radius_mm, eye.reader.gallery.thickness_mm)
    scope = Scope(eye.mount.view, eye.mount.view.camera.size_px[0] / watch.latest.half.shape[1])
    width_px = scope.width_px(disc)
    following, thrown = aloft.step(eye.aloft, watch, width_px / 2, s.aloft)
    flown, strips = list(eye.flown), dict(eye.strips)
    for chase in thrown:
        measured = flight.measure(
            eye.history,
            chase,
            watch.background,
            width_px,
            scope,
            disc,
            Ground(eye.box),
            s.flight,
            s.silhouette,
            s.motion,
        )
        if chase.last.joined and not measured.understood:
            continue  # a part of the hand moved
        frames = eye.run_ups.get(chase.sights[0].index, ())
        flown.append(hand.recognise(measured, frames, eye.mount.view, eye.reader.gallery, s.hand))
        shown = strip.cut(measured.t_flick_s, chase, eye.history, width_px, s.draw.strip)
        if shown is not None:
            strips[measured.frame_flick] = shown
    recent = tuple(f for f in eye.recent if frame.t_s - f.t_s <= s.run_up_s)
    if not recent or frame.t_s - recent[-1].t_s >= s.run_up_apart_s:
        recent = (*recent, frame)
    firsts = [chase.sights[0].index for chase in following.chases]
    run_ups = {first: eye.run_ups.get(first, recent) for first in firsts}
    return replace(eye, aloft=following, flown=tuple(flown), strips=strips, recent=recent, run_ups=run_ups)


def _average(quiet: tuple[Pixels, ...]) -> Pixels:
    total = np.zeros(quiet[0].shape, np.float32)
    for picture in quiet:
        cv2.accumulate(picture, total)
    return np.asarray(cv2.convertScaleAbs(total, alpha=1 / len(quiet)), np.uint8)


def _look(eye: Eye, calm: Pixels, t_s: float) -> Eye:
    """Find the table in a calm picture, or say that it can't be found."""
    s, layout = eye.sights.settings, eye.sights.layout
    assert eye.watch is not None and eye.camera is not None
    gray = np.asarray(cv2.cvtColor(calm, cv2.COLOR_BGR2GRAY), np.uint8)
    found = mount.look(eye.mount, gray, eye.camera, layout, s.mount)
    if found is None:
        trouble = table.why_lost(gray, layout)
        return replace(eye, mount=None, area=None, play=None, rested=None, looked_s=t_s, trouble=trouble)
    shape = eye.watch.latest.small.shape[:2]
    area, play = (_filled(outline, shape) for outline in mount.areas(found, layout, shape, s.mount))
    trouble = KNOCKED if found.knocked else table.doubts(found.view)
    return replace(eye, mount=found, area=area, play=play, trouble=trouble)


def _filled(outline: np.ndarray, shape: tuple[int, int]) -> Mask:
    mask = np.zeros(shape, np.uint8)
    cv2.fillPoly(mask, [np.clip(np.round(outline), -4000, 4000).astype(np.int32)], 255)
    return mask


def _read(eye: Eye, calm: Pixels, frame: Frame) -> tuple[Eye, Drawn, frozenset[int]]:
    """Read a calm picture into a scene. Returns also what to draw, and which pieces are new or moved."""
    assert eye.mount is not None and eye.watch is not None
    s, known, view = eye.sights.settings, eye.reader.gallery, eye.mount.view
    difference = before = None
    if eye.rested is not None and not eye.mount.knocked:
        difference = Difference.between(eye.rested, eye.watch.latest, view, known.radius_mm, s.motion)
        before = Before(eye.lain, difference.near(known.radius_mm / 2))
    reading = eye.reader.read(calm, view, before)
    if before is not None and reading.fresh < sum(f.understood for f in eye.flown):
        reading = eye.reader.read(calm, view)  # what flew isn't where the picture seems to have changed
    same = steady.untouched(eye.book.placed, difference, s.steady)
    book, numbers = track.follow(eye.book, reading.placed, reading.contacts, same, known.radius_mm, s.track)
    edge_mm = mount.edge(eye.sights.layout, s.mount)
    flights, book = throws.attribute(
        eye.flown, eye.book, book, difference, edge_mm, known.radius_mm, s.throws, s.track
    )
    scene = Scene(
        t_s=frame.t_s,
        frame=frame.index,
        still_s=eye.watch.quiet_s,
        placed=book.placed,
        contacts=book.contacts,
        flights=flights,
        box=reading.box,
        strangers=reading.strangers,
        frame_sha=hashlib.sha256(calm.tobytes()).hexdigest(),
    )
    drawn = Drawn(scene, calm, view, dict(zip(numbers, outlines(reading, view, known), strict=True)))
    fresh = track.fresh(eye.book, book, s.track)
    eye = replace(
        eye,
        book=book,
        lain=reading.found,
        box=reading.box,
        flown=(),
        strips={},
        aloft=Aloft(),
        told=True,
        rested=eye.watch.latest,
        quiet=(),
        marks=draw.marks(drawn),
    )
    return eye, drawn, fresh

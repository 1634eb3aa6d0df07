"""The seeing process: source -> eye -> messages. A crash in here costs frames, never a point."""

from __future__ import annotations

import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from typing import Any

import cv2

from referee.errors import CameraUnavailable, RefereeError
from referee.evidence import Store
from referee.facts import Scene
from referee.vision.frames import source as sources
from referee.vision.frames.opening import open_source
from referee.vision.frames.source import Frame, Losses, Source
from referee.vision.messages import Ended, Gate, Health, Preview, Saw
from referee.vision.outcome import Outcome
from referee.vision.process.outbox import Fault, Outbox


@dataclass(frozen=True)
class Settings:
    previews_per_s: float = 10.0
    preview_px: int = 960
    """Width of the preview at most."""
    preview_quality: int = 80
    health_s: float = 1.0
    """Between two reports."""
    retry_s: float = 1.5
    """Between two looks for a camera that has gone."""


@dataclass(frozen=True)
class Job:
    """Everything that a seeing process needs to know. It crosses a process boundary: functions by name."""

    source: str
    open_eye: Callable[[Scene | None], Any]
    """Makes an eye; the scene is the table as it was last known, if it was."""
    see: Callable[[Any, Frame], tuple[Any, Outcome]]
    store: Store
    paced: bool = True
    expected: bool = False
    """The source was there before: when it isn't, it is looked for and not given up."""
    remembered: Scene | None = None
    sourcing: sources.Settings = field(default_factory=sources.Settings)
    settings: Settings = field(default_factory=Settings)


def work(job: Job, pipe: Connection) -> None:
    """The body of the seeing process. Ends with the source, or when nobody listens any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the main process's business
    cv2.setNumThreads(1)
    outbox = Outbox(pipe)
    try:
        _Watch(job, outbox).follow()
    except RefereeError as error:
        outbox.put(Ended(0, 0, str(error)))
    except Exception as error:
        outbox.put(Fault(f"{type(error).__name__}: {error}", traceback.format_exc()))
    outbox.close()


class _Watch:
    """One run of the seeing process."""

    def __init__(self, job: Job, outbox: Outbox) -> None:
        self._job = job
        self._outbox = outbox
        self._eye = job.open_eye(job.remembered)
        self._frames = 0
        self._next_index = 0
        self._lost = Losses()
        """Over all connections before this one."""
        self._preview_due_s = 0.0
        self._reported_s = time.monotonic()
        self._reported: Frame | None = None
        """The frame of the newest report."""
        self._stage_ms: dict[str, float] = {}
        self._trouble = ""

    def follow(self) -> None:
        """See until the source ends. A camera that was there and has gone is looked for until it is back."""
        while not self._outbox.deaf:
            try:
                self._see_all()
            except CameraUnavailable as error:
                if not (self._frames or self._job.expected):
                    raise
                self._report_lost(str(error))
                time.sleep(self._job.settings.retry_s)
            else:
                self._outbox.put(Ended(self._frames, self._lost.dropped))
                return

    def _see_all(self) -> None:
        job, first_index = self._job, self._next_index
        source = open_source(job.source, job.sourcing, paced=job.paced)
        try:
            for taken in source.frames():
                if self._outbox.deaf:
                    return
                frame = replace(taken, index=first_index + taken.index)
                self._frames, self._next_index = self._frames + 1, frame.index + 1
                self._eye, outcome = job.see(self._eye, frame)
                self._tell(frame, outcome, source)
        finally:
            self._lost += source.losses()
            source.close()

    def _tell(self, frame: Frame, outcome: Outcome, source: Source) -> None:
        now_s = time.monotonic()
        self._stage_ms |= dict(outcome.stage_ms)
        if outcome.scene is not None:
            self._outbox.put(Saw(self._keep_evidence(outcome.scene, outcome)))
        if outcome.scene is not None or now_s >= self._preview_due_s:
            self._preview_due_s = now_s + 1.0 / self._job.settings.previews_per_s
            self._outbox.put(_preview(frame, outcome, self._job.settings))
        if self._frames == 1 or now_s - self._reported_s >= self._job.settings.health_s:
            self._report(frame, outcome, source, now_s)

    def _keep_evidence(self, scene: Scene, outcome: Outcome) -> Scene:
        try:
            pictures = tuple(self._job.store.put(s.content, s.kind, s.tracks) for s in outcome.shots)
        except OSError as error:
            self._trouble = f"evidence pictures can't be kept ({error.strerror}): free some space on the disk"
            return scene
        self._trouble = ""
        return replace(scene, pictures=(*scene.pictures, *pictures))

    def _report(self, frame: Frame, outcome: Outcome, source: Source, now_s: float) -> None:
        height, width = frame.bgr.shape[:2]
        lost = self._lost + source.losses()
        self._outbox.put(
            Health(
                source=source.name,
                t_s=frame.t_s,
                fps=_pace(self._reported, frame),
                frames=self._frames,
                dropped=lost.dropped,
                corrupt=lost.corrupt,
                size_px=(width, height),
                gate=outcome.gate,
                markers=outcome.markers,
                residual_px=outcome.residual_px,
                trouble=outcome.trouble or self._trouble,
                stage_ms=tuple(self._stage_ms.items()),
            )
        )
        self._reported_s, self._reported, self._stage_ms = now_s, frame, {}

    def _report_lost(self, why: str) -> None:
        self._outbox.put(
            Health(
                source=sources.public(self._job.source),
                t_s=time.monotonic(),
                fps=0.0,
                frames=self._frames,
                dropped=self._lost.dropped,
                corrupt=self._lost.corrupt,
                size_px=(0, 0),
                gate=Gate.BLIND,
                markers=(),
                residual_px=None,
                trouble=f"{why}; it is looked for until it is back",
            )
        )


def _pace(before: Frame | None, now: Frame) -> float:
    """Frames a second that the source gave between these two, by its own clock: those that waited while the
    table was read, or were dropped, came all the same."""
    if before is None or now.t_s <= before.t_s:
        return 0.0
    return (now.index - before.index) / (now.t_s - before.t_s)


def _preview(frame: Frame, outcome: Outcome, settings: Settings) -> Preview:
    height, width = frame.bgr.shape[:2]
    scale = min(1.0, settings.preview_px / width)
    small = frame.bgr
    if scale < 1.0:
        size = (round(width * scale), max(1, round(height * scale)))
        small = cv2.resize(frame.bgr, size, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
    _, jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, settings.preview_quality])
    return Preview(frame.index, frame.t_s, outcome.gate, jpeg.tobytes(), outcome.marks)

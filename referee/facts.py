"""What vision tells the rules. Standard library only: no pixels, no numpy, no game.

Lengths are millimetres in the table frame: origin at the mat's middle, x right, y away from the
camera, z up. Angles are degrees, counter-clockwise seen from above. Times are seconds on the
camera's monotonic clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import erf, hypot, sqrt
from typing import NewType

PieceId = NewType("PieceId", str)

NAMED = 0.95
"""A name is claimed from this probability up."""

FLIPPED_FROM = 0.75
"""Half turns from which a throw counts as flipped: between 0.6, plainly not, and 0.9, plainly so."""

ON_TOP = 0.98
"""Who lies on whom is claimed from this probability up."""

OVERLAPS = 0.9985
"""That two pieces overlap, or don't, is claimed from this probability up."""


class Verdict(Enum):
    YES = "yes"
    NO = "no"
    UNSURE = "unsure"


class Face(Enum):
    """The face of a piece that the camera sees."""

    FRONT = "front"
    BACK = "back"
    UNKNOWN = "unknown"


class Rest(Enum):
    """Where a piece has come to rest."""

    TABLE = "table"
    """Flat on the table, or tilted only because it lies on other pieces."""
    IN_BOX = "in_box"
    ON_RIM = "on_rim"
    ON_LID = "on_lid"
    LEANING = "leaning"
    """On the table and against the box."""
    OFF_TABLE = "off_table"


class Touch(Enum):
    """What a pair of pieces is ruled to do."""

    COVERS = "covers"
    CLEAR = "clear"
    TOO_CLOSE = "too_close"


@dataclass(frozen=True)
class Measure:
    """A measured number and its standard deviation, in the unit of the field that holds it."""

    value: float
    sigma: float

    def above(self, limit: float, k: float = 3.0) -> Verdict:
        """Whether the true value exceeds `limit`, or UNSURE within k sigma of it."""
        if abs(self.value - limit) < k * self.sigma:
            return Verdict.UNSURE
        return Verdict.YES if self.value > limit else Verdict.NO

    def chance_above(self, limit: float) -> float:
        """How likely the true value exceeds `limit`, if the doubt is normal: never quite 0 or 1."""
        if self.sigma <= 0.0:
            p = float(self.value > limit)
        else:
            p = 0.5 * (1 + erf((self.value - limit) / (self.sigma * sqrt(2))))
        return min(max(p, 1e-6), 1 - 1e-6)


@dataclass(frozen=True)
class Placed:
    """One piece at rest. `track` stays the same from scene to scene while the piece is followed."""

    track: int
    kind: str
    names: tuple[tuple[PieceId, float], ...]
    """Candidates with their probabilities, likeliest first; they sum to at most 1."""
    x_mm: Measure
    y_mm: Measure
    angle_deg: Measure
    tilt_deg: Measure
    face: Face
    state: Rest
    visible_fraction: float
    in_view: bool = True
    """False for a piece that is only remembered: it lies under others."""

    @property
    def piece(self) -> PieceId | None:
        """The name, where it is sure enough to be said."""
        return self.names[0][0] if self.names and self.names[0][1] >= NAMED else None


@dataclass(frozen=True)
class Says:
    """What one kind of evidence says of a pair: the logarithm of how likely it is, up to a constant, if they
    are apart, if the upper piece lies on the lower one, and if it lies under it."""

    apart: float
    on: float
    under: float

    @property
    def overlap(self) -> float:
        """Log odds that they overlap."""
        return max(self.on, self.under) - self.apart

    @property
    def order(self) -> float:
        """Log odds that the upper piece is on top."""
        return self.on - self.under

    def turned(self) -> Says:
        """The same with the two pieces called the other way round."""
        return Says(self.apart, self.under, self.on)


@dataclass(frozen=True)
class Weights:
    """Which evidence said what of a pair. None: that kind had nothing to go by."""

    distance: Says
    leans: Says | None
    """A rigid disc that lies on another leans; told only of two with nothing else under them."""
    pixels: Says | None
    """Whose edge and print is seen where both faces would be."""
    heights: Says | None
    lean_deg: Measure
    """How far the upper piece leans away from the lower one."""
    lean_on_deg: float
    """How far it would if it lay on that one alone."""
    edge_sigmas_mm: tuple[float, float]
    """Of the upper and the lower outline where they meet; together they make the overlap's."""


@dataclass(frozen=True)
class Contact:
    """Two pieces whose outlines overlap in plan, or nearly do."""

    upper: int
    lower: int
    """Tracks; `upper` is the likelier one to lie on top."""
    overlap_mm: Measure
    """Sum of the radii minus the distance of the centres in plan: positive overlap, negative gap."""
    upper_p: float
    """Probability that `upper` lies on top, given that they overlap: 0.5 to 1."""
    area_mm2: float
    overlap_p: float | None = None
    """Probability that they overlap at all, where the eye has more to go by than the distance: a rigid disc
    that covers another, however slightly, leans. None: the distance is all there is."""
    weights: Weights | None = None
    """What the eye's probabilities come from, where it read this pair."""

    def touch(self, eps_mm: float = 0.0) -> Touch:
        return touch(self.overlap_mm, self.upper_p, eps_mm, self.overlap_p)

    def overlap_chance(self, eps_mm: float = 0.0) -> float:
        """How likely they overlap by more than `eps_mm`, by all that is known."""
        if self.overlap_p is not None and eps_mm == 0.0:
            return self.overlap_p
        return self.overlap_mm.chance_above(eps_mm)


def touch(overlap_mm: Measure, upper_p: float, eps_mm: float = 0.0, overlap_p: float | None = None) -> Touch:
    """The one place where an overlap and a who-is-on-top probability become a word.

    TOO_CLOSE also when it is plain that they overlap, but not who is on top. `overlap_p` speaks only of
    overlap as such, so it is not used when more than that is asked for.
    """
    over = overlap_mm.above(eps_mm)
    if overlap_p is not None and eps_mm == 0.0:
        over = (
            Verdict.YES
            if overlap_p >= OVERLAPS
            else Verdict.NO
            if overlap_p <= 1 - OVERLAPS
            else Verdict.UNSURE
        )
    match over:
        case Verdict.NO:
            return Touch.CLEAR
        case Verdict.YES if upper_p >= ON_TOP:
            return Touch.COVERS
        case _:
            return Touch.TOO_CLOSE


@dataclass(frozen=True)
class Flight:
    """A thrown piece, from the frames of its flight."""

    track: int | None
    """The track that it became when it lay still; None when it left the table, or was `lost`."""
    names: tuple[tuple[PieceId, float], ...]
    half_turns: Measure | None
    """Counted up to the first contact; None when the frames don't show it."""
    flip: Verdict
    """Half a turn or more before the first contact."""
    start_face: Face
    end_face: Face
    t_s: float
    frame_flick: int
    frame_settled: int
    lost: bool = False
    """Whether nobody knows where it lies: it was not seen to leave the table, nor found there."""

    @property
    def piece(self) -> PieceId | None:
        return self.names[0][0] if self.names and self.names[0][1] >= NAMED else None

    @property
    def left(self) -> bool:
        """Whether it was seen to leave the table."""
        return self.track is None and not self.lost

    @property
    def turned_over(self) -> bool | None:
        """Whether it lies with its other face up than it was flicked with; None when one wasn't seen."""
        if Face.UNKNOWN in (self.start_face, self.end_face):
            return None
        return self.start_face is not self.end_face


@dataclass(frozen=True)
class Box:
    """The game's box, standing on the table."""

    x_mm: float
    y_mm: float
    yaw_deg: float
    outer_mm: float
    height_mm: float
    lid: bool
    measured: bool = False
    """True when size was measured from the picture, not given by the layout."""


@dataclass(frozen=True)
class Stranger:
    """A round thing on the table that is no piece of the set, or none that can be told. Nothing is ruled by
    it: people are told where it is."""

    x_mm: float
    y_mm: float
    radius_mm: float
    height_mm: float = 0.0
    """0 also where the picture doesn't tell."""


@dataclass(frozen=True)
class Picture:
    """A stored evidence picture or clip: file name in the evidence store, its hash, what it shows."""

    name: str
    sha256: str
    tracks: tuple[int, ...] = ()
    """The pieces that it was cut for; empty for the whole table."""


@dataclass(frozen=True)
class Scene:
    """The table at rest."""

    t_s: float
    frame: int
    still_s: float
    placed: tuple[Placed, ...]
    contacts: tuple[Contact, ...]
    flights: tuple[Flight, ...] = ()
    """Throws since the scene before, in order."""
    box: Box | None = None
    frame_sha: str = ""
    """SHA-256 of the picture that was read, the mean of the last quiet frames: equal for equal pixels."""
    pictures: tuple[Picture, ...] = ()
    strangers: tuple[Stranger, ...] = ()

    def at(self, track: int) -> Placed:
        """The piece of that track. Raises KeyError."""
        for placed in self.placed:
            if placed.track == track:
                return placed
        raise KeyError(track)


@dataclass(frozen=True)
class Change:
    """What differs between two scenes at rest, by track.

    A piece that moved less than 3 sigma did not move. `vanished` pieces may lie hidden under others.
    """

    before: Scene | None
    after: Scene
    appeared: frozenset[int]
    vanished: frozenset[int]
    moved: frozenset[int]

    def __bool__(self) -> bool:
        return bool(self.appeared or self.vanished or self.moved or self.after.flights)


def compare(before: Scene | None, after: Scene) -> Change:
    """Which tracks came, went and moved from one scene to the next."""
    old = {p.track: p for p in before.placed} if before else {}
    new = {p.track: p for p in after.placed}
    return Change(
        before,
        after,
        appeared=frozenset(new.keys() - old.keys()),
        vanished=frozenset(old.keys() - new.keys()),
        moved=frozenset(t for t in old.keys() & new.keys() if _moved(old[t], new[t])),
    )


def _moved(a: Placed, b: Placed) -> bool:
    return a.state is not b.state or a.face is not b.face or shifted(a, b)


def shifted(a: Placed, b: Placed) -> bool:
    """Whether a piece lies elsewhere in `b` than in `a`, by more than the measures doubt."""
    step = hypot(a.x_mm.value - b.x_mm.value, a.y_mm.value - b.y_mm.value)
    sigma = hypot(a.x_mm.sigma, a.y_mm.sigma, b.x_mm.sigma, b.y_mm.sigma)
    return step > 3.0 * sigma

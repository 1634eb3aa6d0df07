"""Turns in time: an arm comes in, flicks a coaster off the fist, leaves; a hand takes coasters away.

A flight is a parabola with a steady turn about a level axis. Touching down is found, not declared: it is the
first moment at which a point of the rim would be under what lies there. From then on the coaster rocks and
slides into its resting pose, always held clear of what is under it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np

from calibration.render.arms import FIST_TOP_MM, Player, fist, open_hand
from calibration.render.rotation import about, axis_angle, levelled
from calibration.render.scene import Box, Disc, Limb
from calibration.render.view import Array
from referee.formats import PieceSet

GRAVITY = 9810.0
_RISE_MM, _FLAT_RISE_MM = 105.0, 50.0
"""How high a coaster rises over the fist, thrown well and thrown flat."""
_AWAY_MM = 340.0
"""How far a fist draws back to be out of the picture; a hand that reached over the table, twice that."""
_ELBOW_ROOM_MM = 48.0
_COME_S, _AIM_S, _STAY_S, _GO_S = 0.55, 0.30, 0.22, 0.45
_STEP_S = 1 / 960
_QUIET_S = 0.6
"""Nothing moves for so long after a turn."""

State = tuple[tuple[Disc, ...], tuple[Limb, ...]]


@dataclass(frozen=True, eq=False)
class Turn:
    """Something that happens on the table: `at` gives discs and limbs for any time from 0 to `length_s`."""

    length_s: float
    at: Callable[[float], State]
    before: tuple[Disc, ...]
    after: tuple[Disc, ...]
    marks_s: dict[str, float]
    thrown: str = ""
    half_turns: float = 0.0


@dataclass(frozen=True, eq=False)
class Throw:
    """How a coaster is thrown. `landing` is where it comes to rest; half_turns 0 is a flat, failed throw."""

    piece: str
    face: str
    landing: Disc
    half_turns: int
    turned_share: float = 1.0
    """How much of its half turns it has made when it is as low as it will lie."""
    slide_mm: float = 12.0
    spin_deg: float = 40.0


def throw(pieces: PieceSet, player: Player, still: tuple[Disc, ...], box: Box | None, how: Throw) -> Turn:
    """The turn in which `player` throws."""
    hand = np.array([*player.fist_mm, 0.0])
    start = hand + np.array([0.0, 0.0, FIST_TOP_MM])
    flight = _Flight(pieces, start, how, still, box)
    flick = _COME_S + _AIM_S
    landed = flick + flight.contact_s
    settled = landed + flight.rest_s
    leave = flick + flight.contact_s + _STAY_S
    length = max(leave + _GO_S, settled) + _QUIET_S

    @lru_cache(maxsize=32)
    def ready(out: float, flicked: float) -> tuple[Disc, tuple[Limb, ...]]:
        """The coaster on the fist and the fist; the very same while nothing moves."""
        place = hand - player.ahead * (_AWAY_MM * out)
        lying = flight.at(0.0)
        carried = replace(lying, center_mm=lying.center_mm + place - hand)
        return carried, fist(player, place, flicked) if out < 1 else ()

    def at(t: float) -> State:
        out = 1 - _ease(t / _COME_S) if t < leave else _ease((t - leave) / _GO_S)
        carried, limbs = ready(out, _ease((t - flick) / 0.05))
        if t >= settled:
            return (*still, how.landing), limbs
        return (*still, flight.at(t - flick) if t >= flick else carried), limbs

    return Turn(
        length,
        at,
        still,
        (*still, how.landing),
        {"flick": flick, "landed": landed, "settled": settled},
        how.piece,
        flight.half_turns,
    )


def take(
    pieces: PieceSet, player: Player, still: tuple[Disc, ...], names: Sequence[str], box: Box | None
) -> Turn:
    """The turn in which `player`'s hand takes coasters away, in that order."""
    player = _reaching(player, [d for d in still if d.piece in names], box)
    by_name = {d.piece: d for d in still}
    stops: list[tuple[float, Array]] = []
    grabs: list[tuple[float, Disc]] = []
    first = by_name[names[0]].center_mm
    t = _COME_S + 0.1
    stops += [
        (0.0, first - player.ahead * (2 * _AWAY_MM) + _lifted(60)),
        (t, _grip(player, by_name[names[0]], 45)),
    ]
    for name in names:
        disc = by_name[name]
        stops += [(t + 0.22, _grip(player, disc, 45)), (t + 0.40, _grip(player, disc, 0))]
        grabs.append((t + 0.45, disc))
        stops += [(t + 0.50, _grip(player, disc, 0)), (t + 0.70, _grip(player, disc, 55))]
        t += 0.70
    end = t + _GO_S + 0.15
    stops.append((end, stops[-1][1] - player.ahead * (2 * _AWAY_MM) + _lifted(20)))

    def at(t: float) -> State:
        hand = _along(stops, t)
        held = {}
        for i, (since, disc) in enumerate(grabs):
            if t >= since:
                # The coasters in the hand lie on one another: room for the later ones is made below.
                room = (len(grabs) - 1 - i) * pieces.thickness_mm * _ease((t - since) / 0.25)
                offset = hand - _along(stops, since) + _lifted(room)
                held[disc.piece] = replace(
                    disc, rotation=levelled(disc.rotation), center_mm=disc.center_mm + offset, state="moving"
                )
        discs = tuple(held.get(d.piece, d) for d in still)
        return discs, open_hand(player, hand) if t < end else ()

    after = tuple(d for d in still if d.piece not in names)

    def state(t: float) -> State:
        return at(t) if t < end else (after, ())

    return Turn(end + _QUIET_S, state, still, after, {})


def wait(still: tuple[Disc, ...], length_s: float) -> Turn:
    """Nothing happens."""
    return Turn(length_s, lambda t: (still, ()), still, still, {})


class _Flight:
    """The thrown coaster from the flick until it rests."""

    def __init__(
        self, pieces: PieceSet, start: Array, how: Throw, still: tuple[Disc, ...], box: Box | None
    ) -> None:
        self._pieces, self._how, self._still, self._box = pieces, how, still, box
        rest = how.landing.center_mm
        ahead = rest - start
        ahead[2] = 0.0
        distance = float(np.linalg.norm(ahead))
        self._ahead = ahead / max(distance, 1e-6)
        # It touches down short of where it rests and slides on.
        target = rest - self._ahead * how.slide_mm
        rise = _RISE_MM if how.half_turns else _FLAT_RISE_MM
        top = max(start[2], rest[2]) + rise
        up, down = np.sqrt(2 * (top - start[2]) / GRAVITY), np.sqrt(2 * (top - rest[2]) / GRAVITY)
        self._whole_s = float(up + down)
        self._start = start
        self._speed = (target - start) / self._whole_s
        self._speed[2] = GRAVITY * up
        self._axis = np.cross(np.array([0.0, 0.0, 1.0]), self._ahead)
        self.contact_s = self._touch()
        self.half_turns = self._turned(self.contact_s) / 180
        self.rest_s = 0.42 if how.landing.state != "in_box" else 0.30

    def at(self, t: float) -> Disc:
        return self._flying(t) if t < self.contact_s else self._settling(t - self.contact_s)

    def _turned(self, t: float) -> float:
        """Degrees turned about the level axis."""
        share = t / self._whole_s
        if self._how.half_turns == 0:
            return float(24.0 * np.sin(np.pi * min(share, 1.0)))
        return 180.0 * self._how.half_turns * self._how.turned_share * share

    def _flying(self, t: float) -> Disc:
        center = self._start + self._speed * t - np.array([0, 0, GRAVITY / 2 * t * t])
        final = self._how.landing.rotation
        flat = levelled(final)
        left = 180.0 * self._how.half_turns - self._turned(t) if self._how.half_turns else -self._turned(t)
        spin = self._how.spin_deg * (1 - t / self._whole_s)
        turn = about(self._axis, -left) @ about(np.array([0.0, 0.0, 1.0]), -spin)
        return replace(self._how.landing, rotation=turn @ flat, center_mm=center, state="moving")

    def _touch(self) -> float:
        for t in np.arange(self._whole_s * 0.4, self._whole_s * 1.2, _STEP_S):
            if _sunk(self._pieces, self._flying(float(t)), self._still, self._box) > 0:
                return float(t)
        return self._whole_s

    def _settling(self, t: float) -> Disc:
        landing = self._how.landing
        touch = self._flying(self.contact_s)
        share = min(t / self.rest_s, 1.0)
        left = (1 - share) ** 2
        rock = left * np.cos(2.6 * np.pi * share)
        axis, angle = axis_angle(touch.rotation @ landing.rotation.T)
        rotation = about(axis, angle * rock) @ landing.rotation
        fall = (1 - min(share / 0.45, 1.0)) ** 2
        center = landing.center_mm + (touch.center_mm - landing.center_mm) * np.array([left, left, fall])
        moved = replace(landing, rotation=rotation, center_mm=center, state="moving")
        sunk = _sunk(self._pieces, moved, self._still, self._box)
        if sunk > 0:
            moved = replace(moved, center_mm=center + np.array([0, 0, sunk * min(1.0, 4 * (1 - share))]))
        return moved


def _sunk(pieces: PieceSet, disc: Disc, still: Sequence[Disc], box: Box | None) -> float:
    """How far (mm) some point of the disc's faces lies under the table, a coaster, the lid of the box or the
    floor of an open one. Its walls are no obstacle: films throw into the box from above, or past it."""
    a = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    rings = [
        np.stack([r * pieces.radius_mm * np.cos(a), r * pieces.radius_mm * np.sin(a), 0 * a + z], axis=1)
        for r in (1.0, 0.6)
        for z in (-pieces.thickness_mm / 2, pieces.thickness_mm / 2)
    ]
    points = np.concatenate(rings) @ disc.rotation.T + disc.center_mm
    ground = np.zeros(len(points))
    if box is not None and box.size.lid and disc.center_mm[2] > box.size.height_mm - pieces.radius_mm:
        yaw = np.radians(box.yaw_deg)
        off = points[:, :2] - box.center_mm
        sides = np.abs(off @ np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]]))
        ground[sides.max(axis=1) < box.size.outer_mm / 2] = box.size.height_mm
    elif box is not None and disc.center_mm[2] < box.size.height_mm:
        if np.hypot(*(disc.center_mm[:2] - box.center_mm)) < box.size.outer_mm / 2:
            ground += box.wall_mm
    for other in still:
        up = other.rotation[:, 2] * (1 if other.rotation[2, 2] > 0 else -1)
        if up[2] < 0.5:
            continue
        base = other.center_mm + up * pieces.thickness_mm / 2
        over = np.hypot(points[:, 0] - base[0], points[:, 1] - base[1]) < pieces.radius_mm
        height = base[2] - ((points[:, :2] - base[:2]) @ up[:2]) / up[2]
        ground = np.where(over, np.maximum(ground, height), ground)
    return float((ground - points[:, 2]).max()) - 0.02


def _grip(player: Player, disc: Disc, up_mm: float) -> Array:
    """Where the finger tips are to hold the disc by the rim nearest to the player."""
    return np.asarray(disc.center_mm - player.ahead * 34.0 + _lifted(up_mm))


def _reaching(player: Player, discs: Sequence[Disc], box: Box | None) -> Player:
    """The player with the arm turned, no more than needed, so that it doesn't pass over the box."""
    for turn in (0, 20, -20, 40, -40, 60, -60, 80, -80, 100, -100):
        reaching = replace(player, side_deg=player.side_deg + turn)
        if box is None or all(
            _passes(d, reaching, box) > box.size.outer_mm / 2 + _ELBOW_ROOM_MM for d in discs
        ):
            return reaching
    return player


def _passes(disc: Disc, player: Player, box: Box) -> float:
    """How near the arm that holds the disc comes to the middle of the box, in plan."""
    off = np.array(box.center_mm) - disc.center_mm[:2]
    back = -player.ahead[:2]
    along = max(float(off @ back), 0.0)
    return float(np.hypot(*(off - along * back)))


def _lifted(up_mm: float) -> Array:
    return np.array([0.0, 0.0, up_mm])


def _along(stops: list[tuple[float, Array]], t: float) -> Array:
    for (t0, a), (t1, b) in pairwise(stops):
        if t < t1:
            return np.asarray(a + (b - a) * _ease((t - t0) / (t1 - t0)))
    return stops[-1][1]


def _ease(share: float) -> float:
    """0 to 1, starting and ending at rest."""
    s = min(max(share, 0.0), 1.0)
    return s * s * (3 - 2 * s)

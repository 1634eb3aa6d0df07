"""Scenes of Poc! in a few words, for tests."""

from __future__ import annotations

from collections.abc import Iterable

from referee.facts import (
    Contact,
    Face,
    Flight,
    Measure,
    PieceId,
    Placed,
    Rest,
    Scene,
    Verdict,
)

RADIUS_MM = 47.0
SIGMA_MM = 0.2
NO_TURN = Measure(0.0, 1.0)

Spot = tuple[float, float]


def placed(
    name: str,
    at: Spot = (0.0, 0.0),
    rest: Rest = Rest.TABLE,
    *,
    track: int | None = None,
    names: dict[str, float] | None = None,
    in_view: bool = True,
) -> Placed:
    """A coaster, its track by `name`. `names` is what the camera takes it for; else surely `name`."""
    ranked = sorted((names if names is not None else {name: 0.99}).items(), key=lambda item: -item[1])
    return Placed(
        track=track_of(name) if track is None else track,
        kind="disc",
        names=tuple((PieceId(n), p) for n, p in ranked),
        x_mm=Measure(at[0], SIGMA_MM),
        y_mm=Measure(at[1], SIGMA_MM),
        angle_deg=NO_TURN,
        tilt_deg=Measure(0.0, 0.3),
        face=Face.FRONT,
        state=rest,
        visible_fraction=1.0,
        in_view=in_view,
    )


def track_of(name: str) -> int:
    """The same for a name in every scene."""
    return sum(ord(c) * 31**i for i, c in enumerate(name)) % 1_000_003


def touch(
    upper: str, lower: str, overlap_mm: float, sigma_mm: float = 0.3, upper_p: float = 0.999
) -> Contact:
    area = max(0.0, overlap_mm) ** 1.5 * 9
    return Contact(track_of(upper), track_of(lower), Measure(overlap_mm, sigma_mm), upper_p, area)


def flight(
    name: str,
    flip: Verdict = Verdict.YES,
    *,
    lost: bool = False,
    left: bool = False,
    turned_over: bool = False,
    names: dict[str, float] | None = None,
    half_turns: Measure | None = None,
) -> Flight:
    ranked = sorted((names if names is not None else {name: 0.99}).items(), key=lambda item: -item[1])
    turns = {Verdict.YES: Measure(2.0, 0.2), Verdict.NO: Measure(0.0, 0.1), Verdict.UNSURE: Measure(1.0, 0.4)}
    return Flight(
        track=None if lost or left else track_of(name),
        names=tuple((PieceId(n), p) for n, p in ranked),
        half_turns=half_turns or turns[flip],
        flip=flip,
        start_face=Face.FRONT,
        end_face=Face.BACK if turned_over else Face.FRONT,
        t_s=0.0,
        frame_flick=0,
        frame_settled=10,
        lost=lost,
    )


def scene(
    pieces: Iterable[Placed] = (), contacts: Iterable[Contact] = (), flights: Iterable[Flight] = ()
) -> Scene:
    return Scene(
        t_s=0.0, frame=0, still_s=0.5, placed=tuple(pieces), contacts=tuple(contacts), flights=tuple(flights)
    )

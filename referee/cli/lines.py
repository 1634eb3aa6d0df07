"""Facts and rulings as the plain values of the JSON that `inspect` and `replay` print."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, sqrt
from typing import Any

from referee.facts import Contact, Flight, Measure, Placed, Rest, Scene
from referee.rules.game import Standing


def disc(placed: Placed) -> dict[str, Any]:
    return {
        "id": placed.piece,
        "names": [[name, round(p, 4)] for name, p in placed.names],
        "face": placed.face.value,
        "center_mm": [round(placed.x_mm.value, 3), round(placed.y_mm.value, 3)],
        "sigma_mm": round(hypot(placed.x_mm.sigma, placed.y_mm.sigma) / sqrt(2), 3),
        "tilt_deg": round(placed.tilt_deg.value, 2),
        "rotation_deg": round(placed.angle_deg.value, 1),
        "state": placed.state.value,
        "visible_fraction": round(placed.visible_fraction, 3),
    }


def contact(touching: Contact, index: dict[int, int]) -> dict[str, Any]:
    """`index`: where the disc of a track stands in the list of discs."""
    return {
        "top": index[touching.upper],
        "bottom": index[touching.lower],
        "width_mm": round(touching.overlap_mm.value, 3),
        "sigma_mm": round(touching.overlap_mm.sigma, 3),
        "area_mm2": round(touching.area_mm2, 1),
        "verdict": touching.touch().value,
    }


def table(placed: Sequence[Placed], contacts: Sequence[Contact]) -> dict[str, Any]:
    """The `discs` and `contacts` of a reading."""
    index = {p.track: i for i, p in enumerate(placed)}
    return {"discs": [disc(p) for p in placed], "contacts": [contact(c, index) for c in contacts]}


def scene(seen: Scene) -> dict[str, Any]:
    head = {"event": "scene", "t_s": round(seen.t_s, 3), "frame": seen.frame}
    return {**head, **table(seen.placed, seen.contacts)}


def throw(flight: Flight, seen: Scene, frame_ruled: int) -> dict[str, Any]:
    turns = flight.half_turns or Measure(0.0, 0.0)
    rest = next((p.state.value for p in seen.placed if p.track == flight.track), Rest.OFF_TABLE.value)
    return {
        "event": "throw",
        "coaster": flight.piece,
        "frame_flick": flight.frame_flick,
        "frame_settled": flight.frame_settled,
        "frame_ruled": frame_ruled,
        "half_turns": None if flight.half_turns is None else round(turns.value, 2),
        "sigma_half_turns": None if flight.half_turns is None else round(turns.sigma, 2),
        "flip": flight.flip.value,
        "landed": None if flight.lost else rest,
    }


def scores(standing: Standing) -> dict[str, int]:
    return {score.side or score.player: score.points for score in standing.scores}

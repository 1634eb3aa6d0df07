"""How known games are dressed: the only place where the dashboard knows a game by name.

A game that isn't here works as well: its players are typed in, its scores stand on plain ground.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Side:
    """What a player plays with. `icon` is a picture of static/icons; colour and pattern are in pieces.css."""

    name: str
    label: str
    icon: str


SIDES = {
    "poc": (
        Side("fox", "Fox", "fox"),
        Side("gecko", "Gecko", "gecko"),
        Side("panda", "Panda", "panda"),
        Side("penguin", "Penguin", "penguin"),
    ),
}


def sides(game: str) -> tuple[Side, ...]:
    return SIDES.get(game, ())

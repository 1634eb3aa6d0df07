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


@dataclass(frozen=True)
class Wording:
    """An option of a game for people. `choices`: value and what it means."""

    label: str
    choices: tuple[tuple[str, str], ...] = ()
    rare: bool = False
    """A house rule that hardly anybody changes: shown on demand."""


OPTIONS = {
    "poc": {
        "mode": Wording(
            "What stands in the middle",
            (("1", "Open box"), ("2", "Box with its lid on"), ("3", "Trampoline, no box")),
        ),
        "strength_variant": Wording("Strength counts: only an equal or lower animal is won"),
        "starter": Wording("Who begins (empty: player 1)", rare=True),
        "overlap_eps_mm": Wording("Overlaps up to so many mm don't count", rare=True),
        "leaning_can_capture": Wording("An animal that leans on the box may win", rare=True),
        "covered_can_act": Wording("An animal under others may win", rare=True),
        "trampoline_any_turn": Wording("The trampoline gives back on anybody's turn", rare=True),
        "fist_distance_mm": Wording("Distance of the fists from the middle in mm (advice)", rare=True),
    },
}


def sides(game: str) -> tuple[Side, ...]:
    return SIDES.get(game, ())


def wording(game: str, option: str) -> Wording:
    """As the game is dressed, else the option's own name."""
    plain = Wording(option.replace("_", " ").capitalize())
    return OPTIONS.get(game, {}).get(option, plain)

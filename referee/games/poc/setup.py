"""House rules, and how a game begins."""

from __future__ import annotations

from math import isfinite

from referee.errors import ConfigError
from referee.games.poc.moves import Zone
from referee.games.poc.options import Options
from referee.games.poc.pieces import ANIMALS, FAMILIES, FAMILY, TRAMPOLINE
from referee.games.poc.state import State
from referee.rules.game import Player


def setup(players: tuple[Player, ...], options: Options) -> State:
    """The opening state. Raises ConfigError, in one sentence."""
    if not 2 <= len(players) <= 4:
        raise ConfigError(f"Poc! is for two to four players, not {len(players)}: add or leave out players")
    _check_players(players)
    if options.mode not in (1, 2, 3):
        raise ConfigError(
            f"mode {options.mode} is none of 1 (open box), 2 (box with lid), 3 (trampoline): choose one"
        )
    for name in ("overlap_eps_mm", "fist_distance_mm"):
        length = getattr(options, name)
        if not (isfinite(length) and length >= 0):
            raise ConfigError(f"{name} must be a length of 0 mm or more, not {length}")
    taken = {p.side for p in players}
    zones = {p: Zone.STOCK if FAMILY[p] in taken else Zone.ASIDE for p in ANIMALS}
    if options.mode == 3:
        zones[TRAMPOLINE] = Zone.FLAT
    return State(players, options, zones, {}, _starter(players, options.starter))


def _check_players(players: tuple[Player, ...]) -> None:
    families = ", ".join(FAMILIES)
    for i, player in enumerate(players):
        if not player.name.strip():
            raise ConfigError(f"player {i + 1} has no name: give each player one")
        if not player.side:
            raise ConfigError(f"{player.name} has no family: choose one of {families}")
        if player.side not in FAMILIES:
            raise ConfigError(
                f"{player.name}'s family {player.side!r} is not in the game: choose one of {families}"
            )
        for other in players[:i]:
            if other.name == player.name:
                raise ConfigError(f"two players are called {player.name}: give each their own name")
            if other.side == player.side:
                raise ConfigError(
                    f"{other.name} and {player.name} both have the family {player.side}: give each their own"
                )


def _starter(players: tuple[Player, ...], starter: str) -> int:
    for i, player in enumerate(players):
        if starter in ("", player.name, player.side):
            return i
    if starter.isdecimal() and 1 <= int(starter) <= len(players):
        return int(starter) - 1
    raise ConfigError(
        f"starter {starter!r} is no player: give a name, a family or a seat from 1 to {len(players)}"
    )

"""What the scoreboard shows. Poc! has no secrets: every viewer sees the same."""

from __future__ import annotations

from referee.games.poc import words
from referee.games.poc.moves import IN_PLAY, Zone
from referee.games.poc.pieces import ANIMALS, FAMILY, TRAMPOLINE
from referee.games.poc.state import State
from referee.rules.game import Score, Standing, Whereabouts


def standing(state: State) -> Standing:
    pieces = tuple(_whereabouts(state))
    return Standing(
        turn=None if state.over else state.players[state.turn].name,
        phase=_phase(state),
        scores=tuple(_score(state, seat) for seat in range(len(state.players))),
        finished=state.over,
        winners=state.winners(),
        pieces=pieces,
    )


def _phase(state: State) -> str:
    if state.over:
        return words.over()
    if state.clearing:
        return words.take_away(state.clearing)
    if state.thrower is None:
        return words.opening_throw(state.options.fist_distance_mm)
    return words.to_throw(state.final)


def _score(state: State, seat: int) -> Score:
    player = state.players[seat]
    zones = [state.zones[p] for p in ANIMALS if FAMILY[p] == player.side]
    stores = (
        (words.IN_HAND, zones.count(Zone.STOCK)),
        (words.WON, sum(by == seat for by in state.won.values())),
        (words.where(Zone.ON_BOX, None, state.options.mode), zones.count(Zone.ON_BOX)),
        (words.OUT, zones.count(Zone.ELIMINATED)),
    )
    return Score(player.name, player.side, state.points(seat), stores)


def _whereabouts(state: State) -> list[Whereabouts]:
    """The animals, and the trampoline last."""
    holders = {p.side: p.name for p in state.players}
    found = []
    for p in (*ANIMALS, TRAMPOLINE):
        zone = state.zones.get(p, Zone.ASIDE)
        by = state.won.get(p)
        owner = holders.get(FAMILY.get(p, "")) if by is None else state.players[by].name
        found.append(Whereabouts(p, words.where(zone, owner, state.options.mode), zone in IN_PLAY))
    return found

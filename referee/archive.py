"""Every match that a data folder holds: listed, folded, and its evidence kept within bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from referee import evidence, games
from referee.errors import IncoherentLog, RefereeError
from referee.log import Log, Record
from referee.rules.events import Event, Started
from referee.rules.game import Score
from referee.rules.match import Match, replay


@dataclass(frozen=True)
class Summary:
    """One match of the log, for a list. Times are UTC."""

    match_id: str
    started_at: str
    last_at: str
    events: int
    game: str = ""
    title: str = ""
    scores: tuple[Score, ...] = ()
    finished: bool = False
    winners: tuple[str, ...] = ()
    trouble: str = ""
    """Why it can't be read; game, scores and winners are empty then."""

    @property
    def unfinished(self) -> bool:
        """Whether it could go on."""
        return not self.finished and not self.trouble

    @property
    def under_way(self) -> bool:
        """Whether it is worth going on with: unfinished, and something was seen or said since it began."""
        return self.unfinished and self.events > 1


def fold(events: tuple[Event, ...]) -> Match[Any]:
    """The match of these logged events. Raises IncoherentLog, UnknownGame, ConfigError."""
    first = events[0].body
    if not isinstance(first, Started):
        raise IncoherentLog("a match opens with its Started")
    return replay(games.load(first.game), events)


def summarise(log: Log, record: Record) -> Summary:
    plain = Summary(record.match_id, record.started_at, record.last_at, record.events)
    try:
        match_ = fold(log.read(record.match_id))
    except RefereeError as error:
        return replace(plain, trouble=str(error))
    standing = match_.game.standing(match_.state, None)
    return replace(
        plain,
        game=match_.game.name,
        title=match_.game.title,
        scores=standing.scores,
        finished=standing.finished,
        winners=standing.winners,
    )


def bound(log: Log, store: evidence.Store, settings: evidence.Settings) -> int:
    """Bring the evidence under its limit, and say how many files went. Nothing that a match which isn't
    known to be finished points at goes."""
    if store.size_mb() <= settings.limit_mb:
        return 0
    pictures = log.pictures()
    done = {record.match_id for record in log.records() if summarise(log, record).finished}
    needed = {name for match_id, names in pictures.items() if match_id not in done for name in names}
    return evidence.prune(store, needed, set().union(*pictures.values()), settings)

"""From plots with doubts to one explanation or one question.

Each way of telling the doubts is a story; stories that come to the same are one, and need no question.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import islice

from referee.facts import PieceId
from referee.games.poc import questions
from referee.games.poc.doubts import Answers, Doubt
from referee.games.poc.likeliest import combinations
from referee.games.poc.moves import Move, Pair
from referee.rules.game import Explained, Nothing, Unclear

Moves = tuple[Move, ...]

Build = Callable[[Answers, frozenset[Pair]], Moves]
"""From answers to the doubts, and the pairs that stay in doubt."""


@dataclass(frozen=True)
class Settings:
    most_tellings: int = 512
    """Ways of telling the doubts that are played out, over all plots; with more, people are asked."""
    most_options: int = 6
    most_questions: int = 2


SETTINGS = Settings()


@dataclass(frozen=True)
class Plot:
    """One kind of story, but for its doubts."""

    weight: float
    build: Build
    doubts: tuple[Doubt, ...] = ()
    because: tuple[str, ...] = ()
    asks: str = ""
    """Why people are asked even if no other story comes to something else; empty: no reason."""
    thrown: tuple[PieceId, ...] = ()
    which: str = ""
    """What to ask when the stories differ in what was thrown."""


@dataclass(frozen=True)
class Telling:
    plot: Plot
    told: Answers
    weight: float


def decide(
    plots: Sequence[Plot], ends: Callable[[Moves], Hashable], settings: Settings = SETTINGS
) -> Explained[Move] | Unclear[Move] | Nothing:
    """`ends` says what moves come to."""
    groups: dict[Hashable, list[Telling]] = {}
    cut, share = False, settings.most_tellings // max(1, len(plots))
    for plot in plots:
        tellings = combinations([d.answers for d in plot.doubts])
        for answers, weight in islice(tellings, share):
            told = {d: a for d, a in zip(plot.doubts, answers, strict=True)}
            end = ends(plot.build(told, frozenset()))
            groups.setdefault(end, []).append(Telling(plot, told, plot.weight * weight))
        cut = cut or next(tellings, None) is not None
    ranked = sorted(groups.values(), key=lambda group: -sum(t.weight for t in group))
    if not ranked:
        return Nothing()
    best = [max(group, key=lambda t: t.weight) for group in ranked]
    stories = [_story(t, group) for t, group in zip(best, ranked, strict=True)]
    first = best[0].plot
    if len(stories) == 1 and not cut and not first.asks:
        return Explained(stories[0], first.because) if stories[0] else Nothing()
    question = " ".join(_questions(best, cut)[: settings.most_questions])
    return Unclear(question, tuple(stories[: settings.most_options]), first.because)


def _story(telling: Telling, group: list[Telling]) -> Moves:
    """A pair stays in doubt when stories that come to the same tell it differently."""
    alike = [t for t in group if t.plot is telling.plot]
    open_ = {
        d.pair
        for d in telling.plot.doubts
        if d.pair is not None and any(t.told[d] != telling.told[d] for t in alike)
    }
    return telling.plot.build(telling.told, frozenset(open_))


def _questions(best: list[Telling], cut: bool) -> list[str]:
    """The likeliest plot's own reason to ask, then the doubts that the best stories tell differently."""
    asked = [t.plot.asks for t in best if t.plot.asks][:1]
    if not asked and len({t.plot.thrown for t in best if t.plot.which}) > 1:
        asked += [t.plot.which for t in best if t.plot.which]
    for telling in best:
        rivals = [t for t in best if t.plot is telling.plot]
        for d in telling.plot.doubts:
            if any(t.told[d] != telling.told[d] for t in rivals):
                asked.append(d.question)
    asked += [questions.ask_pile()] if cut else []
    return list(dict.fromkeys(asked)) or [questions.ask_any()]

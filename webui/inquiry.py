"""Looking back: one ruling with all that was said of it, the log in words, the effect of a change. Pure."""

from __future__ import annotations

from typing import Any

from referee.rules.events import Amended, Asked, Dismissed, Event, Retracted, Ruled, Upheld, Who
from referee.rules.match import Match, void
from referee.session import Effect
from webui import views, wording
from webui.evidence import called, contacts, pictures, scene_of
from webui.views import View


def ruling(match: Match[Any], seq: int) -> View | None:
    """Everything about one ruling, in force or not; None when event `seq` isn't one."""
    event = match.events[seq] if 0 < seq < len(match.events) else None
    if event is None or not isinstance(event.body, Ruled):
        return None
    body = event.body
    in_list = next((r for r in views.rulings(match) if r["seq"] == seq), None)
    concerned = frozenset().union(*(called(line) for line in match.lines if line.seq == seq))
    answered = _answered(match, event)
    scene = scene_of(match, body)
    return {
        "seq": seq,
        "at": event.at,
        "role": body.by.role.value,
        "name": body.by.name,
        "machine": [match.game.say(m) for m in body.moves],
        "because": list(body.because),
        "question": None if answered is None else answered.question,
        "line": in_list,
        "scores": _named_points(match, seq),
        "pictures": pictures(match, body, concerned),
        "contacts": [] if scene is None else contacts(scene, concerned),
        "people": [e for e in log(match) if e["about"] == seq],
    }


def log(match: Match[Any]) -> list[View]:
    """Every event in words, oldest first."""
    gone = void(match.events)
    return [_entry(match, event, event.seq in gone) for event in match.events]


def _entry(match: Match[Any], event: Event, gone: bool) -> View:
    body = event.body
    by: Who | None = getattr(body, "by", None)
    return {
        "seq": event.seq,
        "at": event.at,
        "kind": type(body).__name__,
        "role": by.role.value if by else "",
        "name": by.name if by else "",
        "text": wording.told(match, body),
        "about": body.seq if isinstance(body, (Amended, Retracted, Upheld)) else None,
        "reason": getattr(body, "reason", ""),
        "void": gone,
        "undoable": isinstance(body, (Ruled, Dismissed, Amended, Retracted)) and not gone,
    }


def effect(now: Match[Any], change: Effect) -> View:
    """What a change would do, to be shown before it is done."""
    will = now.game.standing(change.match.state, None)
    numbers = {line.seq: n for n, line in enumerate(now.lines, 1)}
    return {
        "game": now.game.name,
        "scores": [
            {"player": a.player, "side": a.side, "before": a.points, "after": b.points}
            for a, b in zip(change.before, change.after, strict=True)
        ],
        "turn": will.turn,
        "phase": will.phase,
        "fouls": [{"number": numbers[line.seq], "calls": views.calls(line)} for line in change.fouls],
    }


def _answered(match: Match[Any], event: Event) -> Asked | None:
    """The question that a person's ruling answered: the newest one on the same scene."""
    body = event.body
    if not isinstance(body, Ruled) or body.on is None:
        return None
    for earlier in reversed(match.events[: event.seq]):
        if isinstance(earlier.body, Asked) and earlier.body.on == body.on:
            return earlier.body
    return None


def _named_points(match: Match[Any], seq: int) -> list[View]:
    """Before and after one ruling in force."""
    standing = match.game.standing(match.state, None).scores
    return [
        {"player": s.player, "side": s.side, "before": b, "after": a}
        for line, before in views.steps(match)
        if line.seq == seq
        for s, b, a in zip(standing, before, line.points, strict=True)
    ]

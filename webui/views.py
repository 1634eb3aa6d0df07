"""Pure: a match to plain dicts, ready for JSON and templates. No request, clock, HTML or translation."""

from __future__ import annotations

from math import erf, sqrt
from typing import Any

from referee.facts import Measure, Picture, Placed, Scene
from referee.rules.events import (
    Amended,
    Asked,
    Body,
    Dismissed,
    Event,
    Retracted,
    Ruled,
    Seen,
    Started,
    Upheld,
    Who,
)
from referee.rules.game import Standing
from referee.rules.match import Line, Match, void
from referee.session import Effect, Snapshot

View = dict[str, Any]


def scoreboard(match: Match[Any]) -> View:
    standing = match.game.standing(match.state, None)
    return {
        "game": match.game.name,
        "title": match.game.title,
        "events": len(match.events),
        "rulings": len(match.lines),
        "turn": standing.turn,
        "phase": standing.phase,
        "finished": standing.finished,
        "winners": list(standing.winners),
        "scores": scores(standing),
    }


def scores(standing: Standing) -> list[View]:
    return [
        {
            "player": score.player,
            "side": score.side,
            "points": score.points,
            "stores": [{"name": name, "count": count} for name, count in score.stores],
            "turn": score.player == standing.turn and not standing.finished,
            "wins": standing.finished and score.player in standing.winners,
        }
        for score in standing.scores
    ]


def rulings(match: Match[Any]) -> list[View]:
    """The rulings in force, newest first."""
    amended = {e.body.seq for e in in_force(match) if isinstance(e.body, Amended)}
    upheld = {e.body.seq for e in in_force(match) if isinstance(e.body, Upheld)}
    players = [s.player for s in match.game.standing(match.state, None).scores]
    lines = []
    for number, (line, before) in enumerate(_steps(match), 1):
        event = match.events[line.seq]
        lines.append(
            {
                "seq": line.seq,
                "number": number,
                "at": event.at,
                "calls": _calls(line),
                "foul": any(c.foul for c in line.calls),
                "moves": [match.game.say(m) for m in line.moves],
                "gains": [
                    {"player": p, "points": now - was}
                    for p, now, was in zip(players, line.points, before, strict=True)
                    if now != was
                ],
                "points": list(line.points),
                "pictures": [p.name for p in pictures(match, event.body, _called(line))],
                "amended": line.seq in amended,
                "upheld": line.seq in upheld,
            }
        )
    return lines[::-1]


def question(match: Match[Any]) -> View | None:
    asked = match.question
    if asked is None:
        return None
    return {
        "asked": match.open,
        "text": asked.question,
        "options": [story(match, moves) for moves in asked.options],
        "pictures": [p.name for p in pictures(match, asked)],
    }


def story(match: Match[Any], moves: tuple[Any, ...]) -> str:
    return "; ".join(match.game.say(m) for m in moves) or "nothing of this happened"


def declarations(match: Match[Any]) -> list[str]:
    """What people may say happened: the lawful moves now, in words; the index is what they send back."""
    return [match.game.say(m) for m in match.game.options(match.state, None)]


def ruling(match: Match[Any], seq: int) -> View | None:
    """Everything about one ruling, in force or not; None when event `seq` isn't one."""
    event = match.events[seq] if 0 < seq < len(match.events) else None
    if event is None or not isinstance(event.body, Ruled):
        return None
    body = event.body
    in_list = next((r for r in rulings(match) if r["seq"] == seq), None)
    concerned = frozenset().union(*(_called(line) for line in match.lines if line.seq == seq))
    answered = _answered(match, event)
    scene = _scene(match, body)
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
        "pictures": [p.name for p in pictures(match, body, concerned)],
        "contacts": [] if scene is None else contacts(scene, concerned),
        "people": [entry(match, e) for e in match.events if _speaks_of(e.body, seq)],
    }


def contacts(scene: Scene, pieces: frozenset[str]) -> list[View]:
    """Who lies on whom, by how much, how surely; those that concern `pieces` first, deepest first."""
    rows = []
    for contact in scene.contacts:
        upper, lower = scene.at(contact.upper), scene.at(contact.lower)
        rows.append(
            {
                "upper": _name(upper),
                "lower": _name(lower),
                "overlap_mm": contact.overlap_mm.value,
                "sigma_mm": contact.overlap_mm.sigma,
                "overlap_p": _above_zero(contact.overlap_mm),
                "upper_p": contact.upper_p,
                "touch": contact.touch().value,
                "concerns": bool({upper.piece, lower.piece} & pieces),
            }
        )
    return sorted(rows, key=lambda r: (not r["concerns"], -r["overlap_mm"]))


def log(match: Match[Any]) -> list[View]:
    """Every event in words, oldest first."""
    gone = void(match.events)
    return [entry(match, e) | {"void": e.seq in gone} for e in match.events]


def entry(match: Match[Any], event: Event) -> View:
    """One event in words."""
    by: Who | None = getattr(event.body, "by", None)
    return {
        "seq": event.seq,
        "at": event.at,
        "kind": type(event.body).__name__,
        "role": by.role.value if by else "",
        "name": by.name if by else "",
        "text": _words(match, event.body),
        "about": getattr(event.body, "seq", None),
        "reason": getattr(event.body, "reason", ""),
        "void": event.seq in void(match.events),
        "undoable": undoable(match, event),
    }


def undoable(match: Match[Any], event: Event) -> bool:
    return isinstance(event.body, (Ruled, Dismissed, Amended, Retracted)) and event.seq not in void(
        match.events
    )


def last_undoable(match: Match[Any]) -> int | None:
    """What the undo button takes back: the newest word in force that isn't itself an undo."""
    for event in reversed(match.events):
        if undoable(match, event) and not isinstance(event.body, Retracted):
            return event.seq
    return None


def effect(now: Match[Any], change: Effect) -> View:
    """What a change would do, to be shown before it is done."""
    was, will = (m.game.standing(m.state, None) for m in (now, change.match))
    numbers = {line.seq: n for n, line in enumerate(now.lines, 1)}
    return {
        "game": now.game.name,
        "scores": [
            {"player": a.player, "side": a.side, "before": a.points, "after": b.points}
            for a, b in zip(was.scores, will.scores, strict=True)
        ],
        "turn": {"before": was.turn, "after": will.turn},
        "phase": will.phase,
        "fouls": [{"seq": w.seq, "number": numbers.get(w.seq), "calls": _calls(w)} for w in change.fouls],
    }


def health(snapshot: Snapshot) -> View | None:
    """The eye's condition as plain values; the page finds the words."""
    seen = snapshot.health
    if seen is None:
        return None
    return {
        "source": seen.source,
        "size_px": list(seen.size_px),
        "fps": round(seen.fps),
        "dropped": seen.dropped,
        "corrupt": seen.corrupt,
        "gate": seen.gate.value,
        "markers": len(seen.markers),
        "residual_px": None if seen.residual_px is None else round(seen.residual_px, 2),
        "trouble": seen.trouble,
    }


def sight(snapshot: Snapshot, now_s: float) -> View | None:
    """The outlines over the newest picture, and how old that picture is. Points are shares of its sides."""
    preview = snapshot.preview
    if preview is None:
        return None
    return {
        "frame": preview.frame,
        "gate": preview.gate.value,
        "age_ms": 0 if snapshot.seen_at_s is None else max(0, round(1000 * (now_s - snapshot.seen_at_s))),
        "marks": [
            {
                "track": mark.track,
                "label": mark.label,
                "sure": mark.sure,
                "outline": [[round(x, 4), round(y, 4)] for x, y in mark.outline],
            }
            for mark in preview.marks
        ],
    }


def snapshot(of: Snapshot, now_s: float) -> View:
    """All that a program may want to know, for /api/snapshot."""
    match = of.match
    return {
        "version": of.version,
        "match": of.match_id,
        "notice": of.notice,
        "scoreboard": None if match is None else scoreboard(match),
        "question": None if match is None else question(match),
        "rulings": [] if match is None else rulings(match),
        "health": health(of),
        "sight": sight(of, now_s),
    }


def plot(match: Match[Any], width: int = 480, height: int = 220) -> View:
    """Points after each ruling as lines on a drawing of that size; its right margin holds the names."""
    standing = match.game.standing(match.state, None).scores
    rows = [_opening(match), *(line.points for line in match.lines)]
    low, high = min(min(row) for row in rows), max(1, *(max(row) for row in rows))
    left, right, top, bottom = 36, width - 96, 14, height - 14

    def x(n: int) -> float:
        return round(left + (right - left) * n / max(1, len(rows) - 1), 1)

    def y(points: int) -> float:
        return round(bottom - (bottom - top) * (points - low) / (high - low), 1)

    lines: list[View] = [
        {
            "player": score.player,
            "side": score.side,
            "last": rows[-1][i],
            "points": " ".join(f"{x(n)},{y(row[i])}" for n, row in enumerate(rows)),
            "label_y": y(rows[-1][i]),
        }
        for i, score in enumerate(standing)
    ]
    floor = top - 16.0
    for line in sorted(lines, key=lambda v: v["label_y"]):  # names of equal scores stand below one another
        floor = line["label_y"] = max(line["label_y"], floor + 16)
    step = max(1, round((high - low) / 4))
    ticks = [{"label": v, "y": y(v)} for v in range(low, high + 1, step)]
    return {"width": width, "height": height, "lines": lines if match.lines else [], "ticks": ticks}


def pictures(match: Match[Any], body: Body, pieces: frozenset[str] = frozenset()) -> tuple[Picture, ...]:
    """The evidence of a ruling or question: first the close-ups that show most of `pieces` and of what was
    thrown together, then the whole table, then the rest."""
    scene = _scene(match, body)
    if scene is None:
        return ()
    concerned = {f.track for f in scene.flights} | {p.track for p in scene.placed if p.piece in pieces}

    def rank(picture: Picture) -> tuple[int, int]:
        shown = len(concerned & set(picture.tracks))
        return (0, -shown) if shown and len(picture.tracks) > 1 else (2 if picture.tracks else 1, 0)

    return tuple(sorted(scene.pictures, key=rank))


def corrections(match: Match[Any]) -> int:
    """How often people took something back or put it right."""
    return sum(isinstance(e.body, (Retracted, Amended)) for e in match.events)


def percent(p: float) -> str:
    """A probability for people: nothing measured is ever 0 or 100 %."""
    return "> 99 %" if p > 0.99 else "< 1 %" if p < 0.01 else f"{p:.0%}".replace("%", " %")


def capital(text: str) -> str:
    """Games write their calls and moves in small letters."""
    return text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    return capital(text) + ("" if text[-1:] in ".!?" else ".")


def in_force(match: Match[Any]) -> list[Event]:
    gone = void(match.events)
    return [e for e in match.events if e.seq not in gone]


def _scene(match: Match[Any], body: Body) -> Scene | None:
    on = getattr(body, "on", None)
    seen = None if on is None else match.events[on].body
    return seen.scene if isinstance(seen, Seen) else None


def _called(line: Line) -> frozenset[str]:
    """The pieces that a ruling speaks of."""
    return frozenset(piece for call in line.calls for piece in call.pieces)


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
        for line, before in _steps(match)
        if line.seq == seq
        for s, b, a in zip(standing, before, line.points, strict=True)
    ]


def _steps(match: Match[Any]) -> list[tuple[Line, tuple[int, ...]]]:
    """Each ruling in force with the points before it."""
    return list(zip(match.lines, [_opening(match), *(line.points for line in match.lines)], strict=False))


def _opening(match: Match[Any]) -> tuple[int, ...]:
    body = match.events[0].body
    assert isinstance(body, Started)
    state = match.game.setup(body.players, body.options)
    return tuple(s.points for s in match.game.standing(state, None).scores)


def _speaks_of(body: Body, seq: int) -> bool:
    return isinstance(body, (Amended, Upheld, Retracted)) and body.seq == seq


def _calls(line: Line) -> list[View]:
    return [{"text": c.text, "foul": c.foul} for c in line.calls]


def _name(placed: Placed) -> str:
    if placed.piece is not None or not placed.names:
        return placed.piece or "?"
    name, p = placed.names[0]
    return f"{name}? {p:.0%}"


def _above_zero(measure: Measure) -> float:
    if measure.sigma <= 0:
        return float(measure.value > 0)
    return 0.5 * (1 + erf(measure.value / measure.sigma / sqrt(2)))


def _words(match: Match[Any], body: Body) -> str:
    match body:
        case Started(players=players_):
            return ", ".join(f"{p.name} ({p.side})" if p.side else p.name for p in players_)
        case Seen(scene=scene):
            return ", ".join(sorted(_name(p) for p in scene.placed)) or "an empty table"
        case Asked(question=text):
            return text
        case Ruled(moves=moves) | Amended(moves=moves):
            return story(match, moves)
        case Dismissed() | Retracted() | Upheld():
            return ""

"""Pure: a match to plain dicts, ready for JSON and templates. No request, clock, HTML or translation."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from referee.rules.events import Amended, Dismissed, Retracted, Role, Ruled, Seen, Started, Upheld
from referee.rules.game import Standing
from referee.rules.match import Line, Match, missing, void
from referee.session import Snapshot
from webui import wording
from webui.evidence import called, pictures

View = dict[str, Any]


def scoreboard(match: Match[Any]) -> View:
    standing = match.game.standing(match.state, None)
    return {
        "game": match.game.name,
        "title": match.game.title,
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
    gone = void(match.events)
    standing_words = [e.body for e in match.events if e.seq not in gone]
    amended = {body.seq for body in standing_words if isinstance(body, Amended)}
    upheld = {body.seq for body in standing_words if isinstance(body, Upheld)}
    players = [s.player for s in match.game.standing(match.state, None).scores]
    lines = []
    for number, (line, before) in enumerate(steps(match), 1):
        event = match.events[line.seq]
        assert isinstance(event.body, Ruled)
        lines.append(
            {
                "seq": line.seq,
                "number": number,
                "at": event.at,
                "calls": calls(line),
                "foul": any(c.foul for c in line.calls),
                "moves": [match.game.say(m) for m in line.moves],
                "by": event.body.by.role.value,
                "gains": [
                    {"player": p, "points": now - was}
                    for p, now, was in zip(players, line.points, before, strict=True)
                    if now != was
                ],
                "points": list(line.points),
                "pictures": pictures(match, event.body, called(line)),
                "amended": line.seq in amended,
                "upheld": line.seq in upheld,
            }
        )
    return lines[::-1]


def telling(lines: list[View]) -> list[View]:
    """Those of `rulings` that people said something about, or that say or change something: not that the
    camera saw a pile tidied away as it should be."""
    said = ("calls", "gains", "amended", "upheld")
    return [r for r in lines if r["by"] != Role.CAMERA.value or any(r[word] for word in said)]


def question(match: Match[Any]) -> View | None:
    asked = match.question
    if asked is None:
        return None
    return {
        "asked": match.open,
        "text": asked.question,
        "options": [wording.story(match, moves) for moves in asked.options],
        "pictures": pictures(match, asked),
    }


def sayings(match: Match[Any]) -> list[View]:
    """What people may say happened, in words: the lawful moves now, those of one piece together under what
    all of them begin with. `option`, a move's number, is what is sent back."""
    moves = match.game.options(match.state, None)
    texts = [match.game.say(m) for m in moves]
    groups: dict[object, list[int]] = {}
    for n, move in enumerate(moves):
        groups.setdefault(getattr(move, "piece", n), []).append(n)
    return [_group([(n, texts[n]) for n in numbers]) for numbers in groups.values()]


def _group(said: list[tuple[int, str]]) -> View:
    """What all of it says, then of each what it says beyond that; of two in the same words the first."""
    if len(said) == 1:
        return {"title": said[0][1], "option": said[0][0], "choices": []}
    parts = [text.split("; ") for _, text in said]
    told = set(parts[0]).intersection(*parts)
    texts = ["; ".join(p for n, p in enumerate(ps) if n == 0 or p not in told) for ps in parts]
    same = takewhile(lambda pair: pair[0] == pair[1], zip(min(texts), max(texts), strict=False))
    title = "".join(letter for letter, _ in same).rstrip(" ,")
    options: dict[str, int] = {}
    for (n, _), text in zip(said, texts, strict=True):
        options.setdefault(text[len(title) :].strip(" ,"), n)
    choices = [{"option": n, "text": text} for text, n in options.items()]
    return {"title": title, "option": None, "choices": choices}


def last_undoable(match: Match[Any]) -> int | None:
    """What the undo button takes back: the newest word in force that isn't itself an undo."""
    gone = void(match.events)
    words = (e.seq for e in match.events if isinstance(e.body, (Ruled, Dismissed, Amended)))
    return max((seq for seq in words if seq not in gone), default=None)


def settled(match: Match[Any]) -> int:
    """The length of the log up to the newest event that changed anything: what a button's sender has seen.
    Evidence that comes in the meantime makes no button stale."""
    return max(e.seq for e in match.events if not isinstance(e.body, (Seen, Upheld))) + 1


def missed(match: Match[Any]) -> list[str]:
    """What the score has on the table and the newest scene hasn't, while play goes on."""
    standing = match.game.standing(match.state, None)
    if match.scene is None or match.open is not None or standing.finished:
        return []
    return sorted(missing(standing, match.scene))


def strangers(match: Match[Any]) -> list[View]:
    """Round things that the newest scene has and no set: how wide, and on which side of the table."""
    seen = () if match.scene is None else match.scene.strangers
    return [{"wide_mm": round(2 * s.radius_mm), "side": _side(s.x_mm, s.y_mm)} for s in seen]


def _side(x_mm: float, y_mm: float) -> str:
    """left, right, near or far, beyond half the way to the printed mat's markers; else middle."""
    across, deep = x_mm / 270.0, y_mm / 190.0
    if max(abs(across), abs(deep)) < 0.5:
        return "middle"
    if abs(across) > abs(deep):
        return "right" if across > 0 else "left"
    return "far" if deep > 0 else "near"


def corrections(match: Match[Any]) -> int:
    """How often people took something back or put it right."""
    return sum(isinstance(e.body, (Retracted, Amended)) for e in match.events)


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
        "ended": of.ended is not None,
        "scoreboard": None if match is None else scoreboard(match),
        "question": None if match is None else question(match),
        "rulings": [] if match is None else rulings(match),
        "health": health(of),
        "sight": sight(of, now_s),
    }


def steps(match: Match[Any]) -> list[tuple[Line, tuple[int, ...]]]:
    """Each ruling in force with the points before it."""
    return list(zip(match.lines, [opening(match), *(line.points for line in match.lines)], strict=False))


def opening(match: Match[Any]) -> tuple[int, ...]:
    """The points before any ruling."""
    body = match.events[0].body
    assert isinstance(body, Started)
    state = match.game.setup(body.players, body.options)
    return tuple(s.points for s in match.game.standing(state, None).scores)


def calls(line: Line) -> list[View]:
    return [{"text": c.text, "foul": c.foul} for c in line.calls]

"""The course of a match as lines."""

from __future__ import annotations

from typing import Any

from referee.rules.match import Match
from webui.views import View, opening


def plot(match: Match[Any], width: int = 480, height: int = 220) -> View:
    """Points after each ruling as lines on a drawing of that size; its right margin holds the names."""
    standing = match.game.standing(match.state, None).scores
    rows = [opening(match), *(line.points for line in match.lines)]
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

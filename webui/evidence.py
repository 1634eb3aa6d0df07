"""What a ruling rests on: its pictures and what was measured in them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from referee import explained
from referee.facts import Picture, Scene
from referee.rules.events import Body, Seen
from referee.rules.match import Line, Match


def scene_of(match: Match[Any], body: Body) -> Scene | None:
    """The scene that a ruling or question is about."""
    on = getattr(body, "on", None)
    seen = None if on is None else match.events[on].body
    return seen.scene if isinstance(seen, Seen) else None


def called(line: Line) -> frozenset[str]:
    """The pieces that a ruling speaks of."""
    return frozenset(piece for call in line.calls for piece in call.pieces)


def pictures(match: Match[Any], body: Body, pieces: frozenset[str] = frozenset()) -> list[str]:
    """File names of the evidence of a ruling or question: first the close-ups that show most of `pieces`
    and of what was thrown together, then the whole table, then the rest."""
    scene = scene_of(match, body)
    if scene is None:
        return []
    concerned = {f.track for f in scene.flights} | {p.track for p in scene.placed if p.piece in pieces}

    def rank(picture: Picture) -> tuple[int, int]:
        shown = len(concerned & set(picture.tracks))
        return (0, -shown) if shown and len(picture.tracks) > 1 else (2 if picture.tracks else 1, 0)

    return [picture.name for picture in sorted(scene.pictures, key=rank)]


def contacts(scene: Scene, pieces: frozenset[str]) -> list[dict[str, Any]]:
    """Who lies on whom, by how much, how surely; those that concern `pieces` first, deepest first."""
    rows = []
    for contact in scene.contacts:
        upper, lower = scene.at(contact.upper), scene.at(contact.lower)
        rows.append(
            {
                "said": asdict(explained.ruled(contact, upper, lower)),
                "because": [asdict(why) for why in explained.because(contact, upper, lower)],
                "overlap_mm": contact.overlap_mm.value,
                "sigma_mm": contact.overlap_mm.sigma,
                "overlap_p": contact.overlap_chance(),
                "upper_p": contact.upper_p,
                "touch": contact.touch().value,
                "concerns": bool({upper.piece, lower.piece} & pieces),
            }
        )
    return sorted(rows, key=lambda r: (not r["concerns"], -r["overlap_mm"]))

"""The match of the demonstration clip: Ana (fox) against Ben (gecko), box without a lid, to the end.

The throws, where they land and what the rules make of them are written down here by hand from the rulebook;
the program that referees the clip has no part in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.render.arms import Player
from calibration.render.film import Reel, chained
from calibration.render.motion import Throw, Turn, take, throw, wait
from calibration.render.rest import drop, in_box
from calibration.render.scene import Box, Develop, Disc, Light, Scene, Surface
from calibration.render.view import look_at, pinhole
from calibration.sheets import BOX
from calibration.sheets.table import loose_layout
from referee.formats import PieceSet

ANA = Player("Ana", "fox", 182.0, (-262.0, -50.0), (0.36, 0.08, 0.07), (0.50, 0.28, 0.19))
BEN = Player("Ben", "gecko", -4.0, (262.0, -10.0), (0.06, 0.16, 0.22), (0.34, 0.18, 0.11))
_BOX = Box((0.0, 10.0), 14.0, BOX, (0.55, 0.40, 0.10))


@dataclass(frozen=True)
class Play:
    """One throw as told by the rulebook."""

    player: Player
    piece: str
    where: tuple[float, float] | str
    """A place on the table, "box", or "NAME+MM": so far over that coaster, from its side `from_deg`."""
    says: str
    from_deg: float = 0.0
    half_turns: int = 1
    taken: tuple[str, ...] = ()
    """Taken off the table afterwards, upper ones first."""


PLAYS = (
    Play(ANA, "fox3", (-165.0, 95.0), "fox 3 lies alone and stays"),
    Play(BEN, "gecko2", (160.0, 120.0), "gecko 2 lies alone and stays"),
    Play(ANA, "fox5", "box", "fox 5 is in the box", half_turns=2),
    Play(
        BEN,
        "gecko4",
        "fox3+21",
        "gecko 4 covers fox 3: Ben wins fox 3, gecko 4 comes back",
        25.0,
        1,
        ("gecko4", "fox3"),
    ),
    Play(
        ANA,
        "fox1",
        "gecko2+34",
        "fox 1 covers gecko 2: Ana wins gecko 2, fox 1 comes back",
        200.0,
        2,
        ("fox1", "gecko2"),
    ),
    Play(
        BEN,
        "gecko5",
        (120.0, -125.0),
        "gecko 5 made no half turn: eliminated",
        half_turns=0,
        taken=("gecko5",),
    ),
    Play(ANA, "fox4", (95.0, -125.0), "fox 4 lies alone and stays"),
    Play(BEN, "gecko4", "box", "gecko 4 is in the box", half_turns=2),
    Play(ANA, "fox1", "fox4+9", "fox 1 covers fox 4: both come back", 170.0, 1, ("fox1", "fox4")),
    Play(BEN, "gecko1", (-150.0, 110.0), "gecko 1 lies alone and stays"),
    Play(ANA, "fox2", "gecko1+-5", "fox 2 lies beside gecko 1 and stays", -80.0),
    Play(
        BEN,
        "gecko3",
        (-118.0, 62.0),
        "gecko 3 covers fox 2 and gecko 1: Ben wins fox 2, gecko 1 and gecko 3 come back",
        half_turns=2,
        taken=("gecko3", "fox2", "gecko1"),
    ),
    Play(ANA, "fox4", "box", "fox 4 is in the box", half_turns=2),
    Play(BEN, "gecko3", (150.0, 95.0), "gecko 3 lies alone and stays"),
    Play(
        ANA,
        "fox1",
        "gecko3+14",
        "fox 1 covers gecko 3: Ana wins gecko 3, fox 1 comes back",
        130.0,
        1,
        ("fox1", "gecko3"),
    ),
    Play(
        BEN,
        "gecko1",
        (-60.0, -120.0),
        "gecko 1 lies alone and stays; Ben has none left, so Ana throws once more",
    ),
    Play(
        ANA,
        "fox1",
        "gecko1+28",
        "fox 1 covers gecko 1: Ana wins gecko 1; the match is over",
        -10.0,
        1,
        ("fox1", "gecko1"),
    ),
)
MODE = 1
PLAYERS = ",".join(f"{p.name}={p.animal}" for p in (ANA, BEN))
RESULT = "Ana 24, Ben 13: Ana wins"


def demo_reel(pieces: PieceSet, plays: tuple[Play, ...] = PLAYS, seed: int = 1) -> Reel:
    """The match as turns to be filmed."""
    rng = np.random.default_rng(seed)
    turns: list[Turn] = [wait((), 1.0)]
    face = dict.fromkeys((p.id for p in pieces.pieces), "front")
    for play in plays:
        still = turns[-1].after
        landing = _landing(pieces, play, still, rng, _turned(face[play.piece], play.half_turns))
        boxed = play.where == "box"
        how = Throw(
            play.piece,
            face[play.piece],
            landing,
            play.half_turns,
            turned_share=1.0 if boxed else float(rng.uniform(0.96, 1.08)),
            slide_mm=3.0 if boxed else float(rng.uniform(6, 14)),
            spin_deg=float(rng.uniform(-60, 60)),
        )
        turns.append(throw(pieces, play.player, still, _BOX, how))
        if play.taken:
            turns.append(take(pieces, play.player, turns[-1].after, play.taken, _BOX))
    turns.append(wait(turns[-1].after, 1.0))
    camera = pinhole((1280, 720), 1180.0, (-0.055, 0.012, 0.0, 0.0, 0.0))
    view = look_at(camera, (2.0, 3.0), 815.0, 33.0, azimuth_deg=4.0, roll_deg=0.6)
    scene = Scene(
        view,
        loose_layout(BOX),
        pieces,
        box=_BOX,
        surface=Surface("cloth", 3),
        light=Light(azimuth_deg=118.0, elevation_deg=60.0, softness_deg=8.0, falloff=(-0.15, 0.1)),
        develop=Develop(exposure=1.1, blur_px=0.9, noise=0.3, sharpen=0.35, vignette=0.22),
    )
    return Reel(scene, chained(turns))


def _turned(face: str, half_turns: int) -> str:
    return face if half_turns % 2 == 0 else {"front": "back", "back": "front"}[face]


def _landing(
    pieces: PieceSet, play: Play, still: tuple[Disc, ...], rng: np.random.Generator, face: str
) -> Disc:
    angle = float(rng.uniform(-180, 180))
    if play.where == "box":
        layer = sum(d.state == "in_box" for d in still)
        jitter = float(rng.uniform(-2.5, 2.5)), float(rng.uniform(-2.5, 2.5))
        return in_box(pieces, play.piece, _BOX, jitter, angle, face, layer)
    if isinstance(play.where, str):
        name, width = play.where.split("+")
        under = next(d for d in still if d.piece == name)
        away = 2 * pieces.radius_mm - float(width)
        a = np.radians(play.from_deg)
        x, y = under.center_mm[:2] + away * np.array([np.cos(a), np.sin(a)])
        at = float(x), float(y)
    else:
        at = play.where
    on_table = [d for d in still if d.state in ("flat", "resting")]
    return drop(pieces, play.piece, at, angle, face, on_table)


def expected_text(plays: tuple[Play, ...] = PLAYS) -> str:
    """What a referee should say of the clip, line by line; the result only of the whole match."""
    lines = ["Poc!, mode 1 (box without lid); Ana plays fox, Ben plays gecko"]
    lines += [f"{i}. {p.player.name} throws {p.piece}: {p.says}" for i, p in enumerate(plays, 1)]
    if plays == PLAYS:
        lines.append(RESULT)
    return "\n".join(lines) + "\n"

"""Stand-ins for the eye and for a game, small enough to be read at a glance."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from referee.facts import Change, Face, Measure, Placed, Rest, Scene
from referee.rules.game import Call, Explained, Nothing, Player, Ruling, Score, Standing, Unclear, Whereabouts
from referee.vision.messages import Gate
from referee.vision.outcome import Outcome, Shot

# An eye that takes the grey level of a picture for what lies on the table.

CRASH, HANG, DIE = 200, 210, 220


def piece(track: int, x_mm: float = 0.0, p: float = 1.0) -> Placed:
    sure = Measure(x_mm, 0.1)
    return Placed(track, "disc", ((f"piece{track}", p),), sure, sure, sure, sure, Face.FRONT, Rest.TABLE, 1.0)


def table(*tracks: int, t_s: float = 0.0, p: float = 1.0) -> Scene:
    return Scene(t_s, round(t_s * 30), 0.4, tuple(piece(t, 100.0 * t, p) for t in tracks), ())


def open_eye(remembered: Scene | None) -> int:
    return len(remembered.placed) if remembered else 0


def once(path: str) -> bool:
    """True the first time in the life of a test."""
    try:
        Path(path).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def see(eye: int, frame) -> tuple[int, Outcome]:
    grey = round(float(frame.bgr.mean()))
    if grey in (CRASH, HANG, DIE) and once(os.environ["REFEREE_TEST_ONCE"]):
        if grey == CRASH:
            raise ValueError("a fault of the program")
        if grey == DIE:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(60)
    count = grey // 10
    if count <= eye or grey >= CRASH:
        return eye, Outcome(Gate.STILL)
    shot = Shot(b"\xff\xd8 picture of %d" % count, "jpg", (count,))
    return count, Outcome(Gate.STILL, scene=table(*range(1, count + 1), t_s=frame.t_s), shots=(shot,))


# A game: each new piece on the table is a point for whoever is to move; ten points end it.


@dataclass(frozen=True)
class Point:
    count: int


@dataclass(frozen=True)
class Pass:
    pass


@dataclass(frozen=True)
class Options:
    goal: int = 10


@dataclass(frozen=True)
class State:
    players: tuple[Player, ...]
    goal: int
    points: tuple[int, ...]
    turn: int = 0


class Toy:
    name = "toy"
    title = "Toy"
    version = 3
    moves = (Point, Pass)
    options_type = Options

    def setup(self, players, options):
        return State(players, options.goal, (0,) * len(players))

    def read(self, state, change: Change):
        new = [change.after.at(t) for t in sorted(change.appeared)]
        if not new:
            return Nothing()
        if any(p.piece is None for p in new):
            return Unclear("Was that one?", ((Point(1),), (Pass(),)))
        return Explained((Point(len(new)),), (f"{len(new)} came",))

    def rule(self, state, move):
        if max(state.points) >= state.goal:
            return Ruling(state, (Call("the game is over", foul=True),))
        turn = (state.turn + 1) % len(state.players)
        if isinstance(move, Pass):
            return Ruling(State(state.players, state.goal, state.points, turn), (Call("pass"),))
        points = tuple(p + move.count * (i == state.turn) for i, p in enumerate(state.points))
        return Ruling(State(state.players, state.goal, points, turn), (Call(f"{move.count} more"),))

    def options(self, state, seat):
        return (Pass(),)

    def alternatives(self, state, moves):
        return ((Pass(),), (Point(5),))

    def say(self, move):
        return "a pass" if isinstance(move, Pass) else f"{move.count} points"

    def standing(self, state, viewer):
        scores = tuple(Score(p.name, p.side, n) for p, n in zip(state.players, state.points, strict=True))
        over = max(state.points) >= state.goal
        winners = tuple(s.player for s in scores if s.points == max(state.points)) if over else ()
        turn = None if over else state.players[state.turn].name
        return Standing(turn, "to move", scores, over, winners, tuple[Whereabouts, ...]())


PLAYERS = (Player("Ana"), Player("Ben"))

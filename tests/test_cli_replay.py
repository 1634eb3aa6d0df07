"""What `replay` says of a clip, line by line, whoever does the seeing."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from referee.cli import lines
from referee.cli.replaying import Answers, open_match, replay_lines, tell
from referee.errors import ConfigError
from referee.facts import Face, Flight, Measure, Scene, Verdict
from referee.vision.frames.source import Frame, Losses
from referee.vision.messages import Gate
from referee.vision.outcome import Outcome
from tests.stand_ins import PLAYERS, Options, Toy, table


class Frames:
    """A source of blank frames."""

    name = "blank"

    def __init__(self, count: int) -> None:
        self.count = count

    def frames(self) -> Iterator[Frame]:
        for n in range(self.count):
            yield Frame(n, n / 30, np.zeros((64, 64, 3), np.uint8))

    def losses(self) -> Losses:
        return Losses()

    def close(self) -> None: ...


def replay(scenes: dict[int, Scene], match=None, answers: tuple[int, ...] = ()) -> list[dict]:
    def see(eye: None, frame: Frame) -> tuple[None, Outcome]:
        return None, Outcome(Gate.STILL, scene=scenes.get(frame.index))

    return list(replay_lines(Frames(20), None, see, match, Answers(answers).in_order()))


def thrown(track: int | None) -> Flight:
    turns = Measure(2.0, 0.3)
    return Flight(track, (("piece2", 0.95),), turns, Verdict.YES, Face.FRONT, Face.BACK, 0.4, 5, 9)


def test_without_players_it_observes() -> None:
    said = replay({3: table(1), 12: replace(table(1, 2, t_s=0.4), flights=(thrown(2), thrown(None)))})
    assert [line["event"] for line in said] == ["scene", "scene", "throw", "throw", "end"]
    assert said[2].pop("frame_ruled") >= 12
    assert said[2] == {
        "event": "throw",
        "coaster": "piece2",
        "frame_flick": 5,
        "frame_settled": 9,
        "half_turns": 2.0,
        "sigma_half_turns": 0.3,
        "flip": "yes",
        "landed": "table",
    }
    assert said[3]["landed"] == "off_table"
    assert lines.throw(replace(thrown(None), lost=True), table(1), 12)["landed"] is None
    assert said[-1]["frames"] == 20 and said[-1]["dropped"] == 0


def test_with_players_it_rules_and_keeps_the_score() -> None:
    said = replay({3: table(1), 12: table(1, 2, 3)}, open_match(Toy(), PLAYERS, Options()))
    rulings = [line for line in said if line["event"] == "ruling"]
    assert [r["text"] for r in rulings] == ["1 more", "2 more"]
    assert rulings[-1]["scores"] == {"Ana": 1, "Ben": 2}


def test_a_question_without_an_answer_stays_open_while_scenes_go_on() -> None:
    said = replay({3: table(1, p=0.5), 12: table(1, 2)}, open_match(Toy(), PLAYERS, Options()))
    assert [line["event"] for line in said] == ["scene", "question", "scene", "end"]
    assert said[1]["options"] == ["1 points", "a pass"]


@pytest.mark.parametrize(("answer", "points"), [(1, 1), (2, 0)])
def test_a_question_is_answered_from_the_file(answer: int, points: int) -> None:
    said = replay({3: table(1, p=0.5), 12: table(1, 2)}, open_match(Toy(), PLAYERS, Options()), (answer,))
    rulings = [line for line in said if line["event"] == "ruling"]
    assert rulings[0]["scores"]["Ana"] == points and rulings[1]["scores"]["Ben"] == 1


def test_the_answer_given_is_told_below_its_question(capsys: pytest.CaptureFixture[str]) -> None:
    said = replay({3: table(1, p=0.5), 12: table(1, 2)}, open_match(Toy(), PLAYERS, Options()), (2,))
    tell(said, as_json=False)
    assert "(1 1 points  2 a pass)\n        answered: a pass\n" in capsys.readouterr().out


def test_the_answer_zero_says_that_nothing_happened() -> None:
    said = replay({3: table(1, p=0.5), 12: table(1, 2)}, open_match(Toy(), PLAYERS, Options()), (0,))
    assert [line["event"] for line in said] == ["scene", "question", "scene", "ruling", "end"]
    assert said[3]["scores"] == {"Ana": 1, "Ben": 0}


def test_answers_are_numbers_one_a_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n\n2  # the gecko\n0\n")
    assert Answers.load(tmp_path / "a.txt") == Answers((1, 2, 0))
    (tmp_path / "a.txt").write_text("1\nyes\n")
    with pytest.raises(ConfigError, match="line 2 of"):
        Answers.load(tmp_path / "a.txt")

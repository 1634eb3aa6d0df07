"""What `referee run` says in the terminal while the dashboard is served."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from referee.cli.run import errors_told
from referee.vision.messages import Ended
from tests.test_session import Desk


def test_an_eye_that_fails_for_good_is_told_in_the_terminal_once(
    tmp_path: Path, toy, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = Desk(tmp_path)
    said = ""
    with errors_told(desk.session):
        desk.say(Ended(90, 0, "the picture is too small"))
        desk.say(Ended(90, 0, "the picture is too small"))
        while "small" not in said:
            time.sleep(0.01)
            said += capsys.readouterr().err
    desk.session.close()
    assert (said + capsys.readouterr().err).count("too small") == 1

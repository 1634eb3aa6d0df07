"""What `referee run` says in the terminal while the dashboard is served."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from referee import demo
from referee.cli.eye import job
from referee.cli.run import errors_told
from referee.cli.setup import program_log
from referee.formats import PieceSet
from referee.log import Log
from referee.place import Place
from referee.session import Session, Table
from referee.vision.messages import Ended
from tests.stand_ins import PLAYERS, Options
from tests.test_cli_errors import LAYOUT, SEATS, call, sentence
from tests.test_cli_errors import Desk as Setting
from tests.test_session import Desk, Script
from webui.access import Access
from webui.app import create_app


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


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, object, object, str]]:
    """Source, layout, camera and piece set of every start of `referee run`, which serves nothing here."""
    seen = []

    def noted(source, sights, data, settings):
        seen.append((source, sights.layout.marker_mm, sights.camera, sights.pieces.name))
        return job(source, sights, data, settings)

    monkeypatch.setattr("referee.cli.run.job", noted)
    monkeypatch.setattr("referee.cli.run.show", lambda *args: args[-1]())
    return seen


def test_a_match_is_gone_on_with_at_the_table_that_it_was_played_at(
    tmp_path: Path, looked_at, monkeypatch
) -> None:
    desk = Setting(tmp_path, demo.PIECES)
    monkeypatch.chdir(desk.folder)
    data = ["--data", "data", "--port", "0"]
    call("run", "--source", "clip.mp4", *desk.table(), *SEATS, *data)
    monkeypatch.chdir("/")
    data[1] = str(desk.folder / "data")
    with closing(Log.open(Path(data[1]), writes=False)) as log:
        (record,) = log.records()
    data += ["--resume", record.match_id]
    resumed = call("run", *data)
    assert resumed.exit_code == 0, resumed.output
    (_, *files), again = looked_at
    assert again == (str(desk.clip), *files), "as it was played, whatever folder it is gone on with from"

    other = desk.write("other.json", {**LAYOUT, "marker_mm": 40.0})
    assert call("run", "--layout", str(other), *data).exit_code == 0
    assert call("run", *data).exit_code == 0
    assert looked_at[2:] == [(str(desk.clip), 40.0, *files[1:])] * 2, "what is given anew is kept"

    other.unlink()
    assert "no layout at" in sentence(call("run", *data))


def test_a_password_of_the_camera_is_in_no_list_and_no_file_of_the_match(tmp_path: Path, toy) -> None:
    place = Place("http://me:secret@127.0.0.1:1/video")
    session = Session.open(tmp_path, Script(), table=Table(place, PieceSet("any", "disc", 1.0, 1.0, ())))
    name = session.start("toy", PLAYERS, Options())
    client = create_app(session, Access()).test_client()
    for page in (
        "/",
        "/history/",
        f"/history/{name}",
        f"/history/{name}.json",
        f"/history/{name}.csv",
        "/api/snapshot",
    ):
        answer = client.get(page)
        assert answer.status_code == 200 and "secret" not in answer.text
    session.close()
    listed = call("matches", "--json", "--data", str(tmp_path))
    assert name in listed.stdout and "secret" not in listed.stdout
    log = Log.open(tmp_path, writes=False)
    assert log.place(name) == place
    log.close()


def test_a_fault_of_a_page_goes_to_the_programs_log_and_not_into_the_terminal(
    tmp_path: Path, toy, capsys: pytest.CaptureFixture[str], monkeypatch
) -> None:
    session = Session.open(tmp_path, Script())
    with program_log(tmp_path):
        app = create_app(session, Access())
        monkeypatch.setattr(session, "matches", lambda: 1 / 0)
        answer = app.test_client().get("/history/")
        assert answer.status_code == 500 and "what was logged is safe" in answer.text
    session.close()
    assert "ZeroDivisionError" in (tmp_path / "referee.log").read_text()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("times", [1, 2, 5])
def test_it_ends_however_often_it_is_told_to(tmp_path: Path, times: int) -> None:
    words = [sys.executable, "-c", "from referee.cli import main; main()", "play", "--data", tmp_path]
    with subprocess.Popen(
        [*words, "--players", "Ana=fox,Ben=gecko", "--no-browser", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline().startswith("http://")
        for _ in range(times):
            program.send_signal(signal.SIGTERM)
        assert program.wait(60) in (0, 1, 130)

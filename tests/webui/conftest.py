from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from referee.session import Session
from tests.webui.tabled import ScriptedEye, sitting
from webui import Access, create_app

TOKEN = "the-host's-token"


@dataclass(frozen=True)
class Sitting:
    """A dashboard over a match under way."""

    session: Session
    eye: ScriptedEye
    app: Flask

    def viewer(self) -> FlaskClient:
        return self.app.test_client()

    def host(self) -> Host:
        client = self.app.test_client()
        page = client.get("/host").text
        entered = client.post("/host", data={"token": TOKEN, "csrf_token": csrf_of(page)})
        assert entered.status_code == 303
        return Host(client, self.session)


@dataclass(frozen=True)
class Host:
    """A browser that holds the host's cookie, and sends what its pages would send."""

    client: FlaskClient
    session: Session

    def get(self, path: str, **kwargs: object) -> object:
        return self.client.get(path, **kwargs)

    def post(self, path: str, **form: object) -> object:
        token = csrf_of(self.client.get("/").text)
        headers = {"X-CSRFToken": token, "Accept": "application/json"}
        on = self.session.latest().match_id or ""
        return self.client.post(path, data={"match": on, "on": on, **form}, headers=headers)


def csrf_of(page: str) -> str:
    found = re.search(r'name="csrf[-_]token" (?:content|value)="([^"]+)"', page)
    assert found is not None
    return found.group(1)


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Sitting]:
    """A match in which a question is open."""
    with sitting(tmp_path) as (session, eye):
        yield Sitting(session, eye, create_app(session, Access(TOKEN)))


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sitting]:
    """Like `asked`, shared by tests that change nothing."""
    with sitting(tmp_path_factory.mktemp("untouched")) as (session, eye):
        yield Sitting(session, eye, create_app(session, Access(TOKEN)))


@pytest.fixture
def playing(tmp_path: Path) -> Iterator[Sitting]:
    """A match in which a throw is awaited."""
    with sitting(tmp_path, asks=False) as (session, eye):
        yield Sitting(session, eye, create_app(session, Access(TOKEN)))


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Sitting]:
    """A dashboard before any match."""
    with sitting(tmp_path, match=False) as (session, eye):
        yield Sitting(session, eye, create_app(session, Access(TOKEN)))

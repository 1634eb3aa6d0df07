"""The server: addresses, threads, farewells."""

from __future__ import annotations

import http.client
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from referee.errors import RefereeError
from tests.webui.conftest import TOKEN, Sitting
from webui.serve import Settings, links, serving


def test_a_port_in_use_is_said_in_one_sentence(asked: Sitting):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with (
            pytest.raises(RefereeError, match=f"port {port} is in use"),
            serving(asked.app, "127.0.0.1", port),
        ):
            pass


def test_an_address_of_another_machine_is_refused(asked: Sitting):
    with (
        pytest.raises(RefereeError, match=r"can't be served at 192\.0\.2\.1"),
        serving(asked.app, "192.0.2.1", 0),
    ):
        pass


def test_the_hosts_link_carries_the_token_where_no_server_sees_it(asked: Sitting):
    both = links(asked.app, "127.0.0.1", 8137)
    assert both.viewer == "http://127.0.0.1:8137/"
    assert both.host == f"http://127.0.0.1:8137/host#{TOKEN}"
    assert links(asked.app, "::1", 80).viewer == "http://[::1]:80/"


def test_many_pages_hold_their_streams_and_pages_still_open(asked: Sitting):
    with serving(asked.app, "127.0.0.1", 0, Settings(threads=48)) as port:

        def open_stream(_: int) -> http.client.HTTPConnection:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            connection.request("GET", "/events")
            assert connection.getresponse().read1(20).startswith(b"retry")
            return connection

        with ThreadPoolExecutor(8) as pool:
            held = list(pool.map(open_stream, range(40)))
        page = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        page.request("GET", "/")
        answer = page.getresponse()
        assert answer.status == 200 and b"Cleo" in answer.read()
        for connection in (*held, page):
            connection.close()


@pytest.mark.parametrize("body", ["999999999999", "2000000"])
def test_a_body_that_is_announced_vast_is_refused_unread(asked: Sitting, body: str):
    with serving(asked.app, "127.0.0.1", 0, Settings(threads=4)) as port:
        for method, path in (("GET", "/"), ("POST", "/answer")):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            connection.request(method, path, headers={"Content-Length": body})
            assert connection.getresponse().status == 413
            connection.close()
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", "/")
        assert connection.getresponse().status == 200
        connection.close()

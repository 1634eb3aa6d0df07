"""Serve the dashboard of a session, and tell people where it is."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Callable
from typing import TypeVar

import click
import segno

from referee.session import Session
from webui.access import Access
from webui.app import create_app
from webui.serve import lan_address, links, serve

F = TypeVar("F", bound=Callable[..., object])


def board_options(command: F) -> F:
    """--share, --port and --no-browser."""
    for decorate in (
        click.option("--no-browser", is_flag=True, help="Open no browser window."),
        click.option(
            "--port", type=click.IntRange(0, 65535), default=8137, show_default=True, help="0: any free one."
        ),
        click.option("--share", is_flag=True, help="Let others in this network look."),
    ):
        command = decorate(command)
    return command


def show(
    session: Session, share: bool, port: int, no_browser: bool, begin: Callable[[], object] | None = None
) -> None:
    """Serve until interrupted. `begin` is called once the address is ours, before anybody is told of it.

    Raises RefereeError when the address can't be had, and whatever `begin` raises.
    """
    name = lan_address() if share else "127.0.0.1"
    app = create_app(session, Access(hosts=(name, "127.0.0.1", "localhost", "[::1]")))

    def ready(bound: int) -> None:
        if begin is not None:
            begin()
        to = links(app, name, bound)
        if share:
            click.echo(f"To look, on any phone or computer in this network: {to.viewer}")
            segno.make(to.viewer).terminal(out=sys.stdout, compact=True)
            click.echo(f"To be the host (keep it to yourself): {to.host}")
            segno.make(to.host).terminal(out=sys.stdout, compact=True)
        else:
            click.echo(to.host)
        sys.stdout.flush()
        if not no_browser and has_display():
            webbrowser.open(to.host)

    serve(app, "0.0.0.0" if share else name, port, ready)


def has_display() -> bool:
    return sys.platform in ("win32", "darwin") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )

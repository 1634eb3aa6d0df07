"""The documents say what there is, and their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import click
import pytest

from referee import config, games
from referee.cli import group
from referee.formats import load_camera, load_layout

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    p.relative_to(ROOT)
    for p in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("referee/**/*.md"))
)
COMMANDS = group.list_commands(click.Context(group))


def options(name: str) -> set[str]:
    command = group.get_command(click.Context(group), name)
    assert command is not None
    return {o for p in command.params if isinstance(p, click.Option) for o in p.opts}


def anchors(page: Path) -> set[str]:
    """The fragments that a page's headings make."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_every_picture_is_on_a_page() -> None:
    pages = "".join((ROOT / p).read_text(encoding="utf-8") for p in PAGES)
    assert [p.name for p in ROOT.glob("docs/images/*") if p.name not in pages] == []


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'<img src="([^"]+)"', text)
    for link in links:
        if "://" in link:
            continue
        path, _, fragment = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.exists(), f"{page} links to {link}"
        assert not fragment or fragment in anchors(target), f"{page} links to {link}"


def test_every_command_and_option_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `referee (\w+)[^|]*\|[^|]*\|([^|]*)\|$", readme, re.M))
    assert list(rows) == COMMANDS
    shared = {
        name: set(re.findall(r"--[\w-]+", told))
        for name, told in re.findall(r"\*(match|table|board)\*: ([^.]*)", readme)
    }
    for name, row in rows.items():
        told = set(re.findall(r"--[\w-]+", row)).union(
            *(shared[word] for word in re.findall(r"\*(\w+)\*", row))
        )
        assert told == options(name), f"referee {name}"


def test_every_option_of_a_game_is_on_its_page() -> None:
    for name in games.names():
        page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        for option in games.load(name).options_type.__dataclass_fields__:
            assert f"| `{option}` |" in page, f"{option} of {name}"


def test_every_goal_of_the_makefile_is_told_to_whoever_works_on_it() -> None:
    goals = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)[0].split()
    pages = "".join((ROOT / p).read_text(encoding="utf-8") for p in ("README.md", "CONTRIBUTING.md"))
    assert [goal for goal in goals if f"make {goal}" not in pages] == []


def test_the_settings_of_the_readme_are_settings(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    written = re.findall(r"^ {4}(\[eye[\s\S]+?)\n\n", readme, re.M)
    assert len(written) == 1
    path = tmp_path / "settings.toml"
    path.write_text(dedent(f"    {written[0]}"), encoding="utf-8")
    assert config.load(path).eye.settle.quiet_s == 0.3


def test_the_files_of_the_documents_are_read(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    layout, camera, *_ = re.findall(r"```json\n(.*?)```", page, re.S)
    for name, content in (("layout", layout), ("camera", camera)):
        (tmp_path / name).write_text(content, encoding="utf-8")
    assert load_layout(tmp_path / "layout").box is not None
    assert load_camera(tmp_path / "camera").size == (1920, 1080)

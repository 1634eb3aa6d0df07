"""Whole games, written by hand from the rulebook, replayed line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.poc_playthrough import replayed

FOLDER = Path(__file__).parent.parent / "fixtures" / "playthroughs" / "poc"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda p: p.stem)
def test_the_referee_says_what_the_rulebook_says(path: Path) -> None:
    written, told = replayed(path)
    assert told == written


def test_there_are_playthroughs_of_every_mode() -> None:
    texts = [path.read_text(encoding="utf-8") for path in FOLDER.glob("*.txt")]
    for mode in (1, 2, 3):
        assert any(f"mode={mode}" in text and "the game is over" in text for text in texts)

"""Settings come from a file key by key, and a wrong key is told with the one that was meant."""

from pathlib import Path

import pytest

from referee import config
from referee.errors import ConfigError
from referee.games import load
from referee.rules.game import Player
from referee.seating import parse_options, parse_players


def test_a_setting_of_the_file_takes_the_place_of_its_default(tmp_path: Path) -> None:
    path = tmp_path / "referee.toml"
    path.write_text(
        "[source]\nsize_px = [1920, 1080]\nfps = 25\n[worker]\npreview_px = 640\n[eye.settle]\nquiet_s = 1\n"
    )
    got = config.load(path)
    assert got.source.size_px == (1920, 1080) and got.source.fps == 25.0
    assert got.worker.preview_px == 640 and got.eye.settle.quiet_s == 1.0
    assert got.worker.health_s == config.Config().worker.health_s


def test_an_empty_file_leaves_every_default(tmp_path: Path) -> None:
    (tmp_path / "referee.toml").write_text("")
    assert config.load(tmp_path / "referee.toml") == config.Config()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[wroker]\nretry_s = 1", r"'wroker' is no name in .*did you mean 'worker'\?"),
        ("[worker]\nretry = 1", r"'retry' is no name in \[worker\] of .*did you mean 'retry_s'\?"),
        ("[worker]\nzzz = 1", r"'zzz' is no name in .*there are health_s, "),
        ("[worker]\nretry_s = 'soon'", "retry_s in .*can't be 'soon'"),
        ("[worker]\npreview_px = true", "preview_px in .*can't be True"),
        ("[source]\nsize_px = [1, 2, 3]", "size_px in"),
        ("worker = 3", r"write \[worker\]"),
        ("[worker", "can't be read"),
    ],
)
def test_a_file_that_cant_be_used_is_told_in_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "referee.toml").write_text(text)
    with pytest.raises(ConfigError, match=said):
        config.load(tmp_path / "referee.toml")


def test_a_settings_file_that_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="can't be read"):
        config.load(tmp_path / "none.toml")


def test_players_are_named_in_the_order_of_play() -> None:
    assert parse_players("Ana=fox, Ben = gecko,Cy") == (
        Player("Ana", "fox"),
        Player("Ben", "gecko"),
        Player("Cy", ""),
    )


@pytest.mark.parametrize("text", ["", "Ana=fox,", "=fox", ",,"])
def test_a_seat_without_a_name_is_told(text: str) -> None:
    with pytest.raises(ConfigError, match="seat without a name"):
        parse_players(text)


def test_house_rules_are_given_in_words() -> None:
    options = parse_options(load("poc"), {"mode": "2", "strength": "yes", "overlap-eps": "0.5"})
    assert (options.mode, options.strength_variant, options.overlap_eps_mm) == (2, True, 0.5)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"moed": "2"}, "did you mean 'mode'"),
        ({"mode": "two"}, "option mode can't be 'two'"),
        ({"strength": "perhaps"}, "it is yes or no"),
        ({"": "1"}, "is no option"),
    ],
)
def test_house_rules_that_are_none_are_told(given: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        parse_options(load("poc"), given)

"""Settings come from a file key by key, and a wrong key is told with the one that was meant."""

import datetime
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
import tomli_w

from referee import config
from referee.errors import ConfigError
from referee.games import load
from referee.keys import tidy
from referee.rules.game import Player
from referee.seating import parse_options, parse_players
from tests.test_formats import JARGON


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
        (
            "[worker]\nretry_s = 'soon'",
            r"^\[worker\] of settings .*referee.toml can't be used: retry_s must be a number, not 'soon'$",
        ),
        ("[worker]\npreview_px = true", "preview_px must be a whole number, not true$"),
        ("[source]\nsize_px = [1, 2, 3]", r"size_px must be a list of 2, not \[1, 2, 3\]$"),
        ("[source]\nsize_px = [1, 'a']", r"size_px\[1\] must be a whole number, not 'a'$"),
        ("[source]\nsize_px = {a = 1}", "size_px must be a list of 2, not "),
        ("[source]\nsize_px = [0, 480]", "size_px must be more than 0"),
        ("[source]\nfps = 0", "fps must be more than 0"),
        ("[source]\nfps = nan", "fps must be a finite number, 0 or more, not NaN"),
        ("[worker]\nretry_s = -1", "retry_s must be a finite number, 0 or more, not -1"),
        ("worker = 3", r"write \[worker\]"),
        ("[worker", "can't be read"),
    ],
)
def test_a_file_that_cant_be_used_is_told_in_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "referee.toml").write_text(text)
    with pytest.raises(ConfigError, match=said):
        config.load(tmp_path / "referee.toml")


def leaves(settings: object, way: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The way to every setting."""
    if not is_dataclass(settings):
        return [way]
    return [leaf for f in fields(settings) for leaf in leaves(getattr(settings, f.name), (*way, f.name))]


WRONG = ("soon", {"a": 1}, [[1]], [{}], -1, float("nan"), float("inf"), datetime.date(2020, 1, 1))


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_no_setting_takes_a_value_of_the_wrong_kind(tmp_path: Path, wrong: object) -> None:
    path = tmp_path / "referee.toml"
    for *sections, key in leaves(config.Config()):
        text = tomli_w.dumps({key: wrong})
        path.write_text(
            f"[{'.'.join(sections)}]\n{text}"
            if not isinstance(wrong, dict)
            else f"[{'.'.join(sections)}.{text[1:]}"
        )
        with pytest.raises(ConfigError) as refused:
            config.load(path)
        said = str(refused.value)
        assert key in said and str(path) in said and "\n" not in said
        assert not JARGON.search(said), said


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
        ({"mode": "two"}, "option mode can't be 'two': write a whole number$"),
        ({"mode": "1.5"}, "option mode can't be '1.5': write a whole number$"),
        ({"mode": "9" * 5000}, "option mode can't be '9+…: write a whole number$"),
        ({"overlap": "wide"}, "option overlap_eps_mm can't be 'wide': write a number$"),
        ({"strength": "perhaps"}, "it is yes or no"),
        ({"": "1"}, "is no option"),
    ],
)
def test_house_rules_that_are_none_are_told(given: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        parse_options(load("poc"), given)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  Ana \t Maria\n", "Ana Maria"),
        ("Jose\u0301", "José"),
        ("A\x00n\x1ba\udcff", "Ana"),
        ("\u202eanA", "anA"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("\u200b\ufe0f", ""),
        ("n" * 99, "n" * 40),
    ],
)
def test_a_name_is_kept_as_it_can_be_seen(typed: str, kept: str) -> None:
    assert tidy(typed) == kept


def test_two_ways_to_type_a_name_are_one_name() -> None:
    players = parse_players("José=fox,Jose\u0301=gecko")
    with pytest.raises(ConfigError, match="two players are called José"):
        load("poc").setup(players, parse_options(load("poc"), {}))

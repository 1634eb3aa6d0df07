"""A TOML file to each stage's own frozen Settings. Defaults live there, and only there.

[worker]
previews_per_s = 5
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, fields, is_dataclass
from math import isfinite
from pathlib import Path
from typing import Any, get_type_hints

from referee import evidence
from referee.codec import rebuild
from referee.entry import Misfit, shown
from referee.errors import ConfigError
from referee.keys import require_known
from referee.vision import pipeline
from referee.vision.frames import source
from referee.vision.process import keeper, worker


@dataclass(frozen=True)
class Config:
    """One field for each section that the file may have."""

    source: source.Settings = field(default_factory=source.Settings)
    worker: worker.Settings = field(default_factory=worker.Settings)
    keeper: keeper.Settings = field(default_factory=keeper.Settings)
    eye: pipeline.Settings = field(default_factory=pipeline.Settings)
    evidence: evidence.Settings = field(default_factory=evidence.Settings)


def load(path: Path) -> Config:
    """The settings in the file `path`. Raises ConfigError: which key of which file, and what was meant."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"settings {path} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"settings {path} can't be read: it is no text in UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"settings {path} can't be read: it is no TOML: {error}") from error
    config: Config = _read(Config, data, f"settings {path}")
    return config


def _read(settings: type[Any], table: dict[str, Any], where: str) -> Any:
    hints = get_type_hints(settings)
    values = {}
    for key, value in table.items():
        require_known(key, [f.name for f in fields(settings)], f"name in {where}")
        if is_dataclass(hints[key]):
            if not isinstance(value, dict):
                raise ConfigError(f"{key} in {where} is a section: write [{key}], and its settings below")
            values[key] = _read(hints[key], value, f"[{key}] of {where}")
            continue
        try:
            values[key] = rebuild(value, hints[key])
            _require_usable(values[key], key)
        except Misfit as error:
            raise ConfigError(f"{where} can't be used: {error.inside(key)}") from error
    return settings(**values)


def _require_usable(value: Any, key: str) -> None:
    """No setting is endless or below 0, and no size in pixels and no rate is 0. Raises Misfit."""
    for number in value if isinstance(value, tuple) else (value,):
        if number is not None and not (isfinite(number) and number >= 0):
            raise Misfit(f"must be a finite number, 0 or more, not {shown(number)}")
        if number == 0 and (key.endswith(("_px", "_per_s")) or key == "fps"):
            raise Misfit("must be more than 0")

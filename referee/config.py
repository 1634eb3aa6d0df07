"""A TOML file to each stage's own frozen Settings. Defaults live there, and only there.

[worker]
previews_per_s = 5
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

from referee import evidence
from referee.codec import decode
from referee.errors import ConfigError, IncoherentLog
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
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"settings {path} can't be read: {error}") from error
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
            values[key] = decode(value, hints[key])
        except IncoherentLog as error:
            raise ConfigError(f"{key} in {where} can't be {value!r}: {error}") from error
    return settings(**values)

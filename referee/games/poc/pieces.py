"""The twenty animals and the trampoline, from pieces.toml."""

from __future__ import annotations

import tomllib
from importlib.resources import files

from referee.facts import PieceId

_SET = tomllib.loads(files(__package__).joinpath("pieces.toml").read_text(encoding="utf-8"))

FAMILIES: tuple[str, ...] = tuple(_SET["families"])
TRAMPOLINE = PieceId(_SET["trampoline"])
FAMILY: dict[PieceId, str] = {PieceId(f"{f}{v}"): f for f in FAMILIES for v in _SET["values"]}
VALUE: dict[PieceId, int] = {PieceId(f"{f}{v}"): v for f in FAMILIES for v in _SET["values"]}
ANIMALS: tuple[PieceId, ...] = tuple(FAMILY)

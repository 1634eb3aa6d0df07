"""Frozen dataclasses to JSON and back. A member of a union carries its class name under "is"."""

from __future__ import annotations

import types
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from referee.errors import IncoherentLog


def encode(value: Any) -> Any:
    """A JSON-ready copy of `value`: dataclasses, plain enums, tuples, frozensets and plain values."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        body = {f.name: encode(getattr(value, f.name)) for f in fields(value)}
        return {"is": type(value).__name__, **body}
    if isinstance(value, frozenset):
        return [encode(v) for v in sorted(value)]
    if isinstance(value, (tuple, list)):
        return [encode(v) for v in value]
    return value


def decode(data: Any, hint: Any, any_of: tuple[type, ...] = ()) -> Any:
    """Rebuild a value of type `hint`; `any_of` says which classes a field of type Any may hold.

    Raises IncoherentLog when `data` isn't what `encode` wrote for that type.
    """
    try:
        return _decode(data, hint, any_of)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        name = getattr(hint, "__name__", str(hint))
        raise IncoherentLog(f"not a readable {name}: {type(error).__name__}: {error}") from error


def _decode(data: Any, hint: Any, any_of: tuple[type, ...]) -> Any:
    origin = get_origin(hint)
    if hint is Any or origin in (Union, types.UnionType):
        if data is None:
            return None
        members = any_of if hint is Any else [m for m in get_args(hint) if m is not type(None)]
        if isinstance(data, dict):
            named = [m for m in members if m.__name__ == data["is"]]
            if len(named) != 1:
                raise ValueError(f"{data['is']!r} is none of {[m.__name__ for m in members]}")
            return _decode(data, named[0], any_of)
        (hint,) = [m for m in members if not is_dataclass(m)]
        return _decode(data, hint, any_of)
    if origin in (tuple, frozenset):
        args = get_args(hint)
        if origin is tuple and args[-1] is not Ellipsis:
            return tuple(_decode(v, a, any_of) for v, a in zip(data, args, strict=True))
        return origin(_decode(v, args[0], any_of) for v in data)
    if isinstance(hint, type) and is_dataclass(hint):
        hints = _hints(hint)
        known = {f.name for f in fields(hint)}
        if unknown := data.keys() - known - {"is"}:
            raise ValueError(f"unknown field {sorted(unknown)[0]!r}")
        return hint(**{k: _decode(v, hints[k], any_of) for k, v in data.items() if k != "is"})
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(data)
    if hint is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    plain = getattr(hint, "__supertype__", hint)
    if plain in (str, int, float, bool) and type(data) is not plain:
        raise TypeError(f"{data!r} is not a {plain.__name__}")
    return data


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)

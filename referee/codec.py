"""Frozen dataclasses to JSON and back. A member of a union carries its class name under "is"."""

from __future__ import annotations

import types
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, Union, get_args, get_origin, get_type_hints

from referee.entry import Entry, Misfit
from referee.errors import IncoherentLog

_PLAIN = (str, int, float, bool)


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
        return rebuild(data, hint, any_of)
    except Misfit as error:
        name = getattr(hint, "__name__", str(hint))
        raise IncoherentLog(f"not a readable {name}: {error}") from error


def rebuild(data: Any, hint: Any, any_of: tuple[type, ...] = ()) -> Any:
    """Like `decode`. Raises Misfit, naming the place inside `data`."""
    plain = getattr(hint, "__supertype__", hint)
    if plain in _PLAIN:
        return data if type(data) is plain else _plain(Entry(data), plain)
    origin = get_origin(hint)
    if hint is Any or origin in (Union, types.UnionType):
        return _member(data, (*any_of, NoneType) if hint is Any else get_args(hint), any_of)
    if origin is tuple and (args := get_args(hint))[-1] is not Ellipsis:
        if not isinstance(data, list) or len(data) != len(args):
            raise Entry(data).misfit(f"a list of {len(args)}")
        return tuple(_inner(n, v, a, any_of) for n, (v, a) in enumerate(zip(data, args, strict=True)))
    if origin in (tuple, frozenset):
        (inner, *_) = get_args(hint)
        if not isinstance(data, list):
            raise Entry(data).misfit("a list")
        return origin(_inner(n, v, inner, any_of) for n, v in enumerate(data))
    if isinstance(hint, type) and is_dataclass(hint):
        return _dataclass(data, hint, any_of)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(Entry(data).one_of([member.value for member in hint]))
    raise TypeError(f"{hint!r} is no type that a log can hold")


def _plain(data: Entry, kind: type) -> Any:
    if kind is float:
        return data.number()
    if kind is bool:
        return data.flag()
    raise data.misfit("a whole number" if kind is int else "a text")


def _inner(key: int | str, data: Any, hint: Any, any_of: tuple[type, ...]) -> Any:
    try:
        return rebuild(data, hint, any_of)
    except Misfit as error:
        raise error.inside(key) from error


def _member(data: Any, members: tuple[Any, ...], any_of: tuple[type, ...]) -> Any:
    """One of a union, chosen by what it "is"; a plain one when it is no object."""
    if data is None and NoneType in members:
        return None
    named = {m.__name__: m for m in members if isinstance(m, type) and is_dataclass(m)}
    if isinstance(data, dict) and named:
        return rebuild(data, named[Entry(data).at("is").one_of(named)], any_of)
    plain = [m for m in members if m is not NoneType and not is_dataclass(m)]
    if len(plain) != 1:
        raise Entry(data).misfit("an object, { … }")
    return rebuild(data, plain[0], any_of)


def _dataclass(data: Any, cls: type, any_of: tuple[type, ...]) -> Any:
    if not isinstance(data, dict):
        raise Entry(data).misfit("an object, { … }")
    hints = _hints(cls)
    for key in data:
        if key not in hints and key != "is":
            raise Misfit("is not known", key)
    for key in _needed(cls):
        if key not in data:
            raise Misfit("is missing", key)
    return cls(**{k: _inner(k, v, hints[k], any_of) for k, v in data.items() if k != "is"})


@cache
def _needed(cls: type) -> tuple[str, ...]:
    return tuple(f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING)


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)

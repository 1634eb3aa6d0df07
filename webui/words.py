"""The dashboard's own sentences in its languages. English is written where it is used and is the key."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from flask import Flask, g, request, session

LANGUAGES = {"en": "English", "fr": "Français", "de": "Deutsch"}


@dataclass(frozen=True)
class Words:
    language: str
    table: Mapping[str, str]

    def __call__(self, english: str, **values: object) -> str:
        text = self.table.get(english, english)
        return text.format(**values) if values else text


@cache
def words(language: str) -> Words:
    if language == "en":
        return Words("en", {})
    text = files("webui").joinpath("words", f"{language}.toml").read_text(encoding="utf-8")
    return Words(language, tomllib.loads(text))


def _preferred() -> str:
    """What the browser likes best, whichever country's: fr for fr-CH."""
    tags = (tag.split("-")[0].lower() for tag, _ in request.accept_languages)
    return next((tag for tag in tags if tag in LANGUAGES), "en")


def install(app: Flask) -> None:
    """Each request speaks one language: ?lang= (remembered), else what the browser prefers, else English."""

    @app.before_request
    def choose() -> None:
        wanted = request.args.get("lang", "")
        if wanted in LANGUAGES:
            session["lang"] = wanted
        language = session.get("lang") or _preferred()
        g.words = words(language)

    @app.context_processor
    def speak() -> dict[str, object]:
        spoken = g.get("words") or words("en")
        return {"_": spoken, "language": spoken.language, "languages": LANGUAGES}

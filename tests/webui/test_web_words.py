"""The catalogue: every sentence in every language, no leftovers, the right one chosen."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

import webui
from referee import explained
from referee.facts import Contact, Measure, Says, Weights
from tests.test_track import laid
from tests.webui.conftest import Sitting
from webui import app, decor, words

LAID = laid(4, "panda4", 0.0, 0.0), laid(3, "fox3", 90.0, 0.0)
ROOT = Path(webui.__file__).parent
SPOKEN = re.compile(r"""_\(\s*(?:"([^"]+)"|'([^']+)')""")


def sentences() -> set[str]:
    found = {a or b for path in ROOT.glob("templates/**/*.html") for a, b in SPOKEN.findall(path.read_text())}
    found |= {side.label for sides in decor.SIDES.values() for side in sides}
    for option in (o for options in decor.OPTIONS.values() for o in options.values()):
        found |= {option.label, *(label for _, label in option.choices)}
    found |= {saying.value for saying in explained.Saying}
    return found | set(app.SENTENCES.values()) | {app.STALE, "Undo", "Overrule"}


@pytest.mark.parametrize("language", sorted(set(words.LANGUAGES) - {"en"}))
def test_every_sentence_is_translated_and_none_is_left_over(language: str):
    assert set(words.words(language).table) == sentences()


@pytest.mark.parametrize("language", sorted(set(words.LANGUAGES) - {"en"}))
def test_translations_keep_the_places_of_their_values(language: str):
    for english, other in words.words(language).table.items():
        places = [{name for _, name, _, _ in Formatter().parse(s) if name} for s in (english, other)]
        assert places[0] == places[1], english


def test_the_browsers_language_is_spoken(asked: Sitting):
    viewer = asked.viewer()
    assert "Décisions précédentes" in viewer.get("/", headers={"Accept-Language": "fr-CH,en;q=0.5"}).text
    assert "Earlier rulings" in viewer.get("/", headers={"Accept-Language": "nl"}).text


def test_a_language_once_chosen_is_remembered(asked: Sitting):
    viewer = asked.viewer()
    viewer.get("/?lang=de")
    page = viewer.get("/history/", headers={"Accept-Language": "fr"}).text
    assert '<html lang="de">' in page and "Verlauf" in page
    assert viewer.get("/?lang=xx").status_code == 200


def test_refusals_are_translated_too(asked: Sitting):
    answer = asked.viewer().get("/start?lang=de")
    assert answer.status_code == 403 and "Gastgeber-Link" in answer.text


def test_what_decided_a_pair_is_told_in_every_language():
    said = Weights(*[Says(-9.5, 0.0, -9.5)] * 2, None, None, Measure(1.7, 0.2), 1.8, (0.1, 0.1))
    pair = Contact(4, 3, Measure(0.2, 0.3), 1.0, 0.0, 1.0, said)
    told = [explained.ruled(pair, *LAID), *explained.because(pair, *LAID)]
    assert [words.words("de")(p.text, **p.values) for p in told] == [
        "Panda 4 liegt knapp auf Fox 3 (gemessene Überdeckung 0.2 ± 0.3 mm)",
        "Panda 4 ist um 1.7 ± 0.2° geneigt: Es liegt auf Fox 3.",
    ]
    assert words.words("fr")(told[1].text, **told[1].values).startswith("Panda 4 penche de 1.7 ± 0.2°")

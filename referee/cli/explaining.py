"""`referee inspect --explain`: the pairs of a picture, drawn and told."""

from __future__ import annotations

import re
from pathlib import Path

import cv2

from referee import explained
from referee.errors import ConfigError
from referee.facts import Contact, Touch
from referee.vision.show import pair
from referee.vision.show.canvas import Drawn

_WORD = {Touch.COVERS: "on", Touch.CLEAR: "beside", Touch.TOO_CLOSE: "or"}
NONE = "No two coasters overlap or nearly touch."


def write(folder: Path, image: Path, drawn: Drawn, settings: pair.Settings) -> None:
    """A picture of every pair within a few millimetres of touching, and NAME.txt with all of it in words.

    Raises ConfigError when the folder can't be written.
    """
    told = []
    for contact in pair.pictured(drawn, settings):
        name = file_name(image, contact, drawn)
        shown = cv2.imencode(".png", pair.drawn(drawn, contact, settings))[1]
        whole(folder / name, bytes(shown))
        told.append(f"{sentence(contact, drawn)}\n    {name}")
    whole(folder / f"{image.stem}.txt", ("\n".join(told or [NONE]) + "\n").encode())


def file_name(image: Path, contact: Contact, drawn: Drawn) -> str:
    """knife_3_panda4_on_fox3.png; a coaster that isn't surely named is called by its place in `discs`."""
    one, other = (
        re.sub(r"[^\w.-]", "_", str(placed.piece or f"disc{placed.track}"))
        for placed in (drawn.scene.at(contact.upper), drawn.scene.at(contact.lower))
    )
    return f"{image.stem}_{one}_{_WORD[contact.touch()]}_{other}.png"


def sentences(drawn: Drawn) -> list[str]:
    """Every pair within a few millimetres of touching, the closest calls first."""
    return [sentence(c, drawn) for c in pair.pictured(drawn, pair.Settings())]


def sentence(contact: Contact, drawn: Drawn) -> str:
    pieces = drawn.scene.at(contact.upper), drawn.scene.at(contact.lower)
    ruled = explained.ruled(contact, *pieces)
    return " ".join([f"{ruled}.", *map(str, explained.because(contact, *pieces))])


def whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise ConfigError(f"{path} can't be written: {error.strerror}") from error

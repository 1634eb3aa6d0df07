"""The store of pictures and short clips that rulings rest on.

A file is named after its content and is written whole (temporary file, rename), before the scene that
names it is sent. The worker writes, the session prunes: it alone knows which files a match still needs.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import time
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path

from referee.facts import Picture

_NAME = re.compile(r"[0-9a-f]{32}\.(jpg|mp4|webm)")


@dataclass(frozen=True)
class Settings:
    limit_mb: float = 2000.0
    """Above this, files go: oldest first, those that no ruling names before those of finished matches."""
    young_s: float = 600.0
    """A file younger than this stays: its scene may be on its way to the log."""


@dataclass(frozen=True)
class Store:
    folder: Path

    def put(self, content: bytes, kind: str = "jpg", tracks: tuple[int, ...] = ()) -> Picture:
        """Keep `content`, a file of that kind (jpg, mp4, webm). Raises OSError when the disk refuses it."""
        digest = hashlib.sha256(content).hexdigest()
        path = self.folder / f"{digest[:32]}.{kind}"
        if self.path(path.name) is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            part = tempfile.NamedTemporaryFile(dir=self.folder, suffix=".part", delete=False)
            try:
                with part:
                    part.write(content)
                    part.flush()
                    os.fsync(part.fileno())
                os.replace(part.name, path)
            except BaseException:
                os.unlink(part.name)
                raise
        return Picture(path.name, digest, tracks)

    def path(self, name: str) -> Path | None:
        """Where the file of that name is; None when there is none, when it isn't a name of this store, or
        when the file is no longer what was put there: its name is the beginning of its hash."""
        path = self.folder / name
        if not (_NAME.fullmatch(name) and path.is_file()):
            return None
        return path if hashlib.sha256(path.read_bytes()).hexdigest().startswith(path.stem) else None

    def size_mb(self) -> float:
        return sum(path.stat().st_size for path in self.folder.glob("*.*")) / 1e6


def prune(store: Store, needed: Set[str], useful: Set[str], settings: Settings) -> int:
    """Bring the store under its limit as far as that may be, and say how many files went.

    `needed` names stay whatever happens (rulings of unfinished matches); `useful` ones (finished matches)
    go last. What a killed program left half-written goes too.
    """
    now_s = time.time()
    files = []
    for path in store.folder.glob("*.*"):
        try:
            stat = path.stat()
        except FileNotFoundError:
            continue
        files.append((path.name in useful, stat.st_mtime, stat.st_size, path))
    total = sum(size for _, _, size, _ in files)
    gone = 0
    for _, mtime_s, size, path in sorted(files):
        leftover = path.suffix == ".part"
        if now_s - mtime_s < settings.young_s or path.name in needed:
            continue
        if leftover or total > settings.limit_mb * 1e6:
            path.unlink(missing_ok=True)
            total -= size
            gone += 1
    return gone

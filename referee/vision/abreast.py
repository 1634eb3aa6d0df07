"""Work that doesn't depend on its like, done on both cores: OpenCV and NumPy leave Python while they count.

What comes out is in the order of what went in, so that it doesn't depend on how many cores there are.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

CORES = 2
"""More would mostly wait for Python."""
_HERE = "abreast"


def each(step: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """`step` of every item. A step that itself asks for this does its part alone."""
    todo = list(items)
    if len(todo) < 2 or (os.cpu_count() or 1) < 2 or threading.current_thread().name.startswith(_HERE):
        return [step(item) for item in todo]
    return list(_pool().map(step, todo))


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(CORES, thread_name_prefix=_HERE)

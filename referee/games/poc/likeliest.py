"""The likeliest combinations of independent doubts, best first, without listing them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from math import prod
from typing import TypeVar

T = TypeVar("T")


def combinations(factors: Sequence[Sequence[tuple[T, float]]]) -> Iterator[tuple[tuple[T, ...], float]]:
    """One value of each factor and the product of their weights, in falling order of weight.

    factors: each a list of (value, weight > 0), not empty.
    """
    ranked = [sorted(f, key=lambda item: -item[1]) for f in factors]

    def weigh(at: tuple[int, ...]) -> float:
        return prod(f[i][1] for f, i in zip(ranked, at, strict=True))

    first = (0,) * len(ranked)
    heap, seen = [(-weigh(first), first)], {first}
    while heap:
        weight, at = heappop(heap)
        yield tuple(f[i][0] for f, i in zip(ranked, at, strict=True)), -weight
        for k in range(len(ranked)):
            after = (*at[:k], at[k] + 1, *at[k + 1 :])
            if after[k] < len(ranked[k]) and after not in seen:
                seen.add(after)
                heappush(heap, (-weigh(after), after))

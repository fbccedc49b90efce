"""Random draws with exact proportions."""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


def share_out(rng: np.random.Generator, groups: int, count: int) -> Numbers:
    """`count` numbers below `groups` in random order, each as often as any other
    or once more. No port gets more than its share of the traffic, because at
    line rate it could not send the excess."""
    rest = rng.permutation(groups)[: count % groups]
    all_equal = np.tile(np.arange(groups), count // groups)
    return rng.permutation(np.append(all_equal, rest))


def draw_evenly(rng: np.random.Generator, ports: Numbers, count: int) -> Numbers:
    """`count` random indices of `ports`, each about as often as any other, so
    that every port occurs as often as any other among them."""
    rank = np.zeros(len(ports), dtype=np.int64)
    for port in np.unique(ports):
        which = np.flatnonzero(ports == port)
        rank[which] = rng.permutation(len(which))
    in_turn = np.lexsort((ports, rank))
    taken = (rng.integers(len(ports)) + np.arange(count)) % len(ports)
    return rng.permutation(in_turn[taken])

"""What the tables of the applications hold.

A control file that asks for more ends a run: a control function refuses the call.
"""

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from npftrace.arguments import DEFAULT, between
from npftrace.errors import InputError

#: Next hops that control functions of the routers set (runtime/router/hops.baker).
HOPS_MAX = 256
#: Stations of the L3-Switch (apps/l3-switch/bridge.baker): nine tenths of the slots,
#: which any addresses fill.
STATIONS_MAX = 4096 * 9 // 10

#: A route: prefix, length, and whatever belongs to it.
R = TypeVar("R", bound=tuple[object, ...])


@dataclass(frozen=True)
class Family:
    """A version of IP, and what the L3-Switch has for its routes: a trie whose nodes
    below the root lie in chunks of memory, each with nodes of one level."""

    version: int
    bits: int
    #: Bits of the key that each level takes; the first one is the root's.
    strides: tuple[int, ...]
    #: How many chunks there are; each has the size of the largest node.
    chunks: int
    routes: int

    def levels(self) -> Iterator[tuple[int, int]]:
        """Of each level below the root: the bits before it, and the nodes of a
        chunk."""
        depth = self.strides[0]
        for stride in self.strides[1:]:
            yield depth, 1 << max(self.strides[1:]) - stride
            depth += stride


#: `ipv4_routes` of apps/l3-switch, as the compiler lays it out for the IXP2400 if the
#: profile has fewer than 28,671 routes, without the entries that it starts with.
IPV4 = Family(4, 32, (18, 4, 2, 4, 4), 35_689, (4 << 20) // 256 * 7 - 1 - 3)
#: runtime/router/routes6.baker: nodes of one size, and seven eighths of a hash table.
IPV6 = Family(
    6, 128, (16, *[4] * 28), (4 << 20) - 0xF0000 >> 6, (1 << 18) // 8 * 7
)  # fmt: skip


class Trie:
    """Counts what the program's trie needs."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.routes: set[tuple[int, int]] = set()
        #: Of each level below the root: the bits before it, the nodes of a chunk,
        #: and the nodes.
        self._levels = [(*level, set[int]()) for level in family.levels()]
        #: That the nodes fill.
        self.chunks = 0

    def add(self, prefix: int, length: int) -> None:
        """The nodes on the path of a prefix, and its route."""
        self.chunks += self._more_for(prefix, length)
        self.routes.add((prefix, length))
        for depth, _, nodes in self._levels:
            if depth < length:
                nodes.add(prefix >> self.family.bits - depth)

    def _more_for(self, prefix: int, length: int) -> int:
        """The chunks that the new nodes of a prefix begin."""
        return sum(
            len(nodes) % in_chunk == 0
            and prefix >> self.family.bits - depth not in nodes
            for depth, in_chunk, nodes in self._levels
            if depth < length
        )

    def takes(self, prefix: int, length: int, chunks: int) -> bool:
        """Whether there is room for one more route."""
        count = len(self.routes) + ((prefix, length) not in self.routes)
        more = self._more_for(prefix, length)
        return count <= self.family.routes and self.chunks + more <= chunks


def fitting(routes: Iterable[R], family: Family, chunks: int) -> Iterator[R]:
    """The routes that a trie of so many chunks holds, in their order."""
    trie = Trie(family)
    for route in routes:
        prefix, length = route[:2]
        assert isinstance(prefix, int) and isinstance(length, int)
        if trie.takes(prefix, length, chunks):
            trie.add(prefix, length)
            yield route


def check_fit(routes: Iterable[tuple[int, int]], family: Family) -> None:
    """Refuses prefixes for which the trie of the L3-Switch has too little room."""
    trie = Trie(family)
    fit = count = 0
    for prefix, length in routes:
        fits = fit == count and trie.takes(prefix, length, family.chunks)
        trie.add(prefix, length)
        count += 1
        fit += fits
    if fit < count:
        message = (
            f"{count:,} routes of IPv{family.version} need {trie.chunks:,} chunks "
            f"of nodes, and apps/l3-switch has {family.chunks:,}, and room for "
            f"{family.routes:,} routes; ask for at most --routes={fit}"
        )
        raise InputError("E-traces-114", message)


def add_hops(
    parser: argparse.ArgumentParser, meaning: str = "next hops of the routes"
) -> None:
    """`--hops`, how many next hops the routes have."""
    parser.add_argument(
        "--hops", type=between(1, HOPS_MAX), default=64, help=f"{meaning} {DEFAULT}"
    )

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
#: The tries of runtime/router/routes.baker and routes6.baker: bits of their root, and
#: of each node.
ROOT_BITS, NODE_BITS = 16, 4
#: Stations of the L3-Switch (apps/l3-switch/bridge.baker): nine tenths of the slots,
#: which any addresses fill.
STATIONS_MAX = 4096 * 9 // 10

#: A route: prefix, length, and whatever belongs to it.
R = TypeVar("R", bound=tuple[object, ...])


@dataclass(frozen=True)
class Family:
    """A version of IP, and what the L3-Switch has for its routes."""

    version: int
    bits: int
    #: Nodes of the trie in apps/l3-switch.
    nodes: int


IPV4 = Family(4, 32, (4 << 20) - 0x80000 >> 6)
IPV6 = Family(6, 128, (4 << 20) - 0xF0000 >> 6)


class Trie:
    """Counts the nodes that the program's trie needs."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.nodes: set[tuple[int, int]] = set()

    def new_nodes(self, prefix: int, length: int) -> set[tuple[int, int]]:
        """The nodes on the path of a prefix that the trie does not have yet."""
        bits = self.family.bits
        depths = range(ROOT_BITS, length, NODE_BITS)
        return {(depth, prefix >> bits - depth) for depth in depths} - self.nodes

    def add(self, prefix: int, length: int) -> None:
        self.nodes |= self.new_nodes(prefix, length)


def fitting(routes: Iterable[R], family: Family, nodes: int) -> Iterator[R]:
    """The routes that a trie of so many nodes holds, in their order."""
    trie = Trie(family)
    for route in routes:
        prefix, length = route[:2]
        assert isinstance(prefix, int) and isinstance(length, int)
        new = trie.new_nodes(prefix, length)
        if len(trie.nodes) + len(new) <= nodes:
            trie.nodes |= new
            yield route


def check_fit(routes: Iterable[tuple[int, int]], family: Family) -> None:
    """Refuses prefixes for which the trie of the L3-Switch has too few nodes."""
    trie = Trie(family)
    fit = count = 0
    for prefix, length in routes:
        trie.add(prefix, length)
        count += 1
        fit = count if len(trie.nodes) <= family.nodes else fit
    if fit < count:
        message = (
            f"{count:,} routes of IPv{family.version} need {len(trie.nodes):,} nodes "
            f"of a trie, and apps/l3-switch has {family.nodes:,}; ask for at most "
            f"--routes={fit}"
        )
        raise InputError("E-traces-114", message)


def add_hops(
    parser: argparse.ArgumentParser, meaning: str = "next hops of the routes"
) -> None:
    """`--hops`, how many next hops the routes have."""
    parser.add_argument(
        "--hops", type=between(1, HOPS_MAX), default=64, help=f"{meaning} {DEFAULT}"
    )

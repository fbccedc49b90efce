"""The tables of a router that bridges: next hops, routes, stations.

`Lookup` finds the routes of a whole chunk of addresses at once, by sorted
arrays, one per prefix length. It serves the generator's answers; the oracle of
`npftrace check` has its own.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from npftrace.draws import Numbers, share_out
from npftrace.files import create_text
from npftrace.tables import control
from npftrace.tables.addresses import HOP_MACS, HOST_MACS, router_mac
from npftrace.tables.limits import IPV6, Family
from npftrace.tables.prefixes import make_prefixes

#: A change of a route: the packet before which it happens, the route, and its
#: new next hop.
Update = tuple[int, int, int]


@dataclass
class Tables:
    """The tables that a control file sets up, as columns."""

    ports: int
    hop_ports: Numbers
    hop_macs: Numbers
    prefixes: Numbers
    lengths: Numbers
    hops: Numbers
    host_macs: Numbers
    host_ports: Numbers
    #: Ordered by packet.
    updates: list[Update] = field(default_factory=list)

    def hop_at(self, route: int, packet: int) -> int:
        """The next hop of a route when a packet arrives."""
        if route not in self._changed:
            return int(self.hops[route])
        hops = [hop for at, r, hop in self.updates if r == route and at <= packet]
        return hops[-1] if hops else int(self.hops[route])

    @cached_property
    def _changed(self) -> set[int]:
        return {route for _, route, _ in self.updates}

    def write(self, path: Path) -> None:
        """Writes the control file."""
        with create_text(path) as file:
            file.write(f"# {len(self.prefixes)} routes, {len(self.hop_ports)} hops\n")
            control.write_ports(file, map(router_mac, range(self.ports)))
            hops = zip(self.hop_ports.tolist(), self.hop_macs.tolist(), strict=True)
            control.write_hops(file, hops)
            columns = (self.prefixes, self.lengths, self.hops)
            routes = zip(*(column.tolist() for column in columns), strict=True)
            control.write_routes(file, routes)
            hosts = zip(self.host_macs.tolist(), self.host_ports.tolist(), strict=True)
            control.write_bridge(file, hosts)
            for packet, route, hop in self.updates:
                file.write(f"@packet {packet} ")
                prefix, length = int(self.prefixes[route]), int(self.lengths[route])
                control.write_routes(file, [(prefix, length, hop)])


def write_router(
    path: Path,
    title: str,
    ports: int,
    hops: int,
    routes: Iterable[tuple[int, int, int]],
    family: Family,
) -> None:
    """A control file of ports, next hops, and routes of one family: prefix, length
    and next hop."""
    with create_text(path) as file:
        file.write(f"# {title}\n")
        control.write_ports(file, map(router_mac, range(ports)))
        control.write_hops(file, ((n % ports, HOP_MACS | n) for n in range(hops)))
        write = control.write_routes6 if family is IPV6 else control.write_routes
        write(file, routes)


def make_tables(
    rng: np.random.Generator,
    ports: int,
    routes: int,
    hops: int,
    hosts: int,
    default_route: bool,
) -> Tables:
    """Tables with `hosts` stations per port, and the routes in random order."""
    prefixes = make_prefixes(routes - default_route, rng)
    if default_route:
        prefixes.append((0, 0))
    table = np.array(prefixes, dtype=np.int64).reshape(-1, 2)
    table = rng.permutation(table)
    count = hosts * ports
    return Tables(
        ports=ports,
        hop_ports=np.arange(hops) % ports,
        hop_macs=HOP_MACS | _distinct(rng, hops),
        prefixes=table[:, 0],
        lengths=table[:, 1],
        hops=share_out(rng, hops, len(table)),
        host_macs=HOST_MACS | _distinct(rng, count),
        host_ports=np.arange(count) % ports,
    )


def make_updates(
    rng: np.random.Generator, tables: Tables, count: int, packets: int
) -> list[Update]:
    """`count` routes that get another next hop, evenly over the packets."""
    routes = rng.integers(0, len(tables.prefixes), size=count)
    hops = rng.integers(0, len(tables.hop_ports), size=count)
    at = (np.arange(count) + 1) * packets // (count + 1)
    return list(zip(at.tolist(), routes.tolist(), hops.tolist(), strict=True))


def _distinct(rng: np.random.Generator, count: int) -> Numbers:
    """Different random 32-bit numbers in random order."""
    found = np.unique(rng.integers(0, 1 << 32, size=2 * count + 16))
    return rng.permutation(found)[:count]


class Lookup:
    """Longest-prefix match for many addresses at once."""

    def __init__(self, prefixes: Numbers, lengths: Numbers) -> None:
        #: Per prefix length, longest first: the sorted prefixes and their routes.
        self.levels: list[tuple[int, Numbers, NDArray[np.intp]]] = []
        for length in np.unique(lengths)[::-1].tolist():
            which = np.flatnonzero(lengths == length)
            order = np.argsort(prefixes[which])
            which = which[order]
            self.levels.append((length, prefixes[which], which))

    def routes(self, addresses: Numbers) -> Numbers:
        """The index of each address's route; -1 where there is none."""
        result = np.full(len(addresses), -1, dtype=np.int64)
        unmatched = np.arange(len(addresses))
        for length, prefixes, which in self.levels:
            wanted = addresses[unmatched] >> (32 - length) << (32 - length)
            at = np.searchsorted(prefixes, wanted)
            at[at == len(prefixes)] = 0
            hit = prefixes[at] == wanted
            result[unmatched[hit]] = which[at[hit]]
            unmatched = unmatched[~hit]
        return result

"""A control file from a routing table, as text or as an MRT dump (RFC 6396).

Each line of a text is `PREFIX/LENGTH NEXT_HOP`, or a prefix alone. Routes of the
other family than the one asked for are skipped. A real table names its next hops by
address or AS number, and may have more of them than a program has entries. So the
names are numbered by how many routes they have, and names past the last number share
the numbers evenly. A route that the program's trie has no node for is left out, and
the result says how many are.
"""

import argparse
from collections import Counter
from pathlib import Path

import numpy as np

from npftrace.arguments import (
    COUNT_MAX,
    add_control_output,
    add_ports,
    between,
)
from npftrace.errors import InputError
from npftrace.files import read_bytes
from npftrace.frames.wire import ipv4_value, ipv6_value
from npftrace.tables import mrt
from npftrace.tables.limits import IPV4, IPV6, Family, add_hops, fitting
from npftrace.tables.routers import write_router

#: Next hops of a table that names none.
UNNAMED_HOPS = 64

#: Prefix, length, and the name of the next hop.
Route = tuple[int, int, str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace tables from-rib`."""
    parser.add_argument(
        "rib", type=Path, help="PREFIX NEXT_HOP lines or MRT, may be compressed"
    )
    add_control_output(parser)
    add_hops(parser, "next hops at most")
    add_ports(parser)
    parser.add_argument(
        "--limit", type=between(1, COUNT_MAX), metavar="N", help="only N routes"
    )
    parser.add_argument("--ipv6", action="store_true", help="the routes of IPv6")
    parser.add_argument(
        "--nodes",
        type=between(0, COUNT_MAX),
        metavar="N",
        help="nodes of the program's trie, for IPv4 chunks of nodes (default: those of "
        f"apps/l3-switch, {IPV6.chunks:,} and for IPv4 {IPV4.chunks:,})",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Writes ports, next hops and one route_add for each prefix."""
    family = IPV6 if args.ipv6 else IPV4
    found = read_rib(args.rib, family)[: args.limit]
    nodes = family.chunks if args.nodes is None else args.nodes
    routes = list(fitting(found, family, nodes))
    by_size = Counter(name for _, _, name in routes).most_common()
    index = {name: rank % args.hops for rank, (name, _) in enumerate(by_size)}
    count = min(args.hops, len(by_size))
    numbered = ((prefix, length, index[name]) for prefix, length, name in routes)
    title = f"{len(routes)} routes of {args.rib.name}"
    write_router(args.control, title, args.ports, count, numbered, family)
    names = f"{len(by_size)} next hops in {count} entries"
    print(f"{args.control}: {len(routes)} routes, {names}")
    if len(routes) < len(found):
        left = len(found) - len(routes)
        print(f"left out: {left} routes, for which {nodes} nodes do not suffice")


def read_rib(path: Path, family: Family = IPV4) -> list[Route]:
    """The routes of a family in a text or a dump, in its order."""
    data = read_bytes(path, "E-traces-120", "the table")
    read = _dumped if mrt.is_mrt(data) else _written
    routes = read(data, path, family)
    if not routes:
        message = f"the table holds no IPv{family.version} route"
        raise InputError("E-traces-122", message, path)
    return routes


def _dumped(data: bytes, path: Path, family: Family) -> list[Route]:
    """Each prefix of an MRT dump once."""
    found: dict[tuple[int, int], str] = {}
    try:
        for prefix, length, hop in mrt.routes_of(data, family.version):
            found.setdefault((prefix, length), hop)
    except ValueError as error:
        raise InputError("E-traces-123", f"MRT: {error}", path) from error
    return [(prefix, length, hop) for (prefix, length), hop in found.items()]


def _written(data: bytes, path: Path, family: Family) -> list[Route]:
    """The routes of a text."""
    routes = []
    rng = np.random.Generator(np.random.PCG64(1))
    value = ipv4_value if family is IPV4 else ipv6_value
    for number, line in enumerate(data.decode(errors="replace").splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words or (":" in words[0]) != (family is IPV6):
            continue
        address, slash, length = words[0].partition("/")
        try:
            prefix = value(address)
            bits = int(length) if slash else family.bits
        except ValueError:
            bits = -1
        if not 0 <= bits <= family.bits or len(words) > 2:
            message = f"this is not a route: {line}"
            raise InputError("E-traces-121", message, path, number)
        # A prefix alone gets a random next hop, the same each time.
        name = words[1] if len(words) == 2 else str(rng.integers(0, UNNAMED_HOPS))
        free = family.bits - bits
        routes.append((prefix >> free << free, bits, name))
    return routes

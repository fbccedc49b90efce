"""A control file from a routing table, as text or as an MRT dump (RFC 6396).

Each line of a text is `PREFIX/LENGTH NEXT_HOP`, or a prefix alone; IPv6 lines
are skipped. A real table names its next hops by address or AS number, and may
have more of them than a program has entries. So the names are numbered by how
many routes they have, and names past the last number share the numbers evenly.
"""

import argparse
import bz2
import gzip
from collections import Counter
from pathlib import Path

import numpy as np

from npftrace.arguments import (
    COUNT_MAX,
    DEFAULT,
    add_control_output,
    add_ports,
    between,
)
from npftrace.errors import InputError
from npftrace.frames.capture import GZIP_MAGIC
from npftrace.frames.wire import ipv4_prefix, ipv4_value
from npftrace.tables import control, mrt
from npftrace.tables.addresses import HOP_MACS, router_mac

BZIP2_MAGIC = b"BZh"
#: Next hops of a table that names none.
UNNAMED_HOPS = 64

#: Prefix, length, and the name of the next hop.
Route = tuple[int, int, str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace tables from-rib`."""
    parser.add_argument(
        "rib", type=Path, help="PREFIX NEXT_HOP lines or MRT, may be .gz or .bz2"
    )
    add_control_output(parser)
    parser.add_argument(
        "--hops",
        type=between(1, 65536),
        default=64,
        help=f"next hops at most {DEFAULT}",
    )
    add_ports(parser)
    parser.add_argument(
        "--limit", type=between(1, COUNT_MAX), metavar="N", help="only N routes"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Writes ports, next hops and one route_add for each prefix."""
    routes = read_rib(args.rib)[: args.limit]
    by_size = Counter(name for _, _, name in routes).most_common()
    index = {name: rank % args.hops for rank, (name, _) in enumerate(by_size)}
    count = min(args.hops, len(by_size))
    with open(args.control, "w", encoding="ascii") as file:
        file.write(f"# {len(routes)} routes of {args.rib.name}\n")
        control.write_ports(file, map(router_mac, range(args.ports)))
        control.write_hops(
            file, ((hop % args.ports, HOP_MACS | hop) for hop in range(count))
        )
        control.write_routes(
            file, ((prefix, length, index[name]) for prefix, length, name in routes)
        )
    names = f"{len(by_size)} next hops in {count} entries"
    print(f"{args.control}: {len(routes)} routes, {names}")


def read_rib(path: Path) -> list[Route]:
    """The IPv4 routes of a text or a dump, in its order."""
    try:
        data = path.read_bytes()
        if data[:2] == GZIP_MAGIC:
            data = gzip.decompress(data)
        elif data[:3] == BZIP2_MAGIC:
            data = bz2.decompress(data)
    except (OSError, EOFError) as error:
        message = f"the table cannot be read: {error}"
        raise InputError("E-traces-120", message, path) from error
    routes = _dumped(data, path) if mrt.is_mrt(data) else _written(data, path)
    if not routes:
        raise InputError("E-traces-122", "the table holds no IPv4 route", path)
    return routes


def _dumped(data: bytes, path: Path) -> list[Route]:
    """Each prefix of an MRT dump once."""
    found: dict[tuple[int, int], str] = {}
    try:
        for prefix, length, hop in mrt.routes_of(data):
            found.setdefault((prefix, length), hop)
    except ValueError as error:
        raise InputError("E-traces-123", f"MRT: {error}", path) from error
    return [(prefix, length, hop) for (prefix, length), hop in found.items()]


def _written(data: bytes, path: Path) -> list[Route]:
    """The routes of a text."""
    routes = []
    rng = np.random.Generator(np.random.PCG64(1))
    for number, line in enumerate(data.decode(errors="replace").splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words or ":" in words[0]:
            continue
        address, slash, length = words[0].partition("/")
        try:
            prefix = ipv4_value(address)
            bits = int(length) if slash else 32
        except ValueError:
            bits = -1
        if not 0 <= bits <= 32 or len(words) > 2:
            message = f"this is not a route: {line}"
            raise InputError("E-traces-121", message, path, number)
        # A prefix alone gets a random next hop, the same each time.
        name = words[1] if len(words) == 2 else str(rng.integers(0, UNNAMED_HOPS))
        routes.append((ipv4_prefix(prefix, bits), bits, name))
    return routes

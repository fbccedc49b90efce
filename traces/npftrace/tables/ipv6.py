"""A control file of made IPv6 routes, with the structure of a real table."""

import argparse

import numpy as np

from npftrace.arguments import (
    COUNT_MAX,
    DEFAULT,
    add_control_output,
    add_ports,
    between,
)
from npftrace.draws import share_out
from npftrace.tables.limits import IPV6, add_hops, fitting
from npftrace.tables.prefixes6 import make_prefixes6
from npftrace.tables.routers import write_router

#: More have no node for each even if a node serves a hundred.
ROUTES_MAX = 100_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace tables ipv6`."""
    add_control_output(parser)
    parser.add_argument(
        "--routes",
        type=between(1, ROUTES_MAX),
        default=4000,
        help=f"routes of the table {DEFAULT}",
    )
    add_hops(parser)
    add_ports(parser)
    parser.add_argument(
        "--longest",
        type=between(IPV6.strides[0], IPV6.bits),
        default=IPV6.bits,
        help=f"the longest prefix {DEFAULT}",
    )
    parser.add_argument(
        "--nodes",
        type=between(0, COUNT_MAX),
        default=IPV6.chunks,
        help="nodes of the program's trie (default: those of apps/l3-switch, "
        f"{IPV6.chunks:,})",
    )
    parser.add_argument("--seed", type=between(0, 2**63), default=1, help=DEFAULT)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Writes ports, next hops and one route6_add for each prefix that fits."""
    rng = np.random.Generator(np.random.PCG64(args.seed))
    made = make_prefixes6(args.routes, rng, args.longest)
    hops = share_out(rng, args.hops, len(made)).tolist()
    routes = [(*prefix, hop) for prefix, hop in zip(made, hops, strict=True)]
    kept = list(fitting(routes, IPV6, args.nodes))
    title = f"{len(kept)} made routes of IPv6"
    write_router(args.control, title, args.ports, args.hops, kept, IPV6)
    print(f"{args.control}: {len(kept)} routes")
    if len(kept) < len(made):
        left = len(made) - len(kept)
        print(f"left out: {left} routes, for which {args.nodes} nodes do not suffice")

"""Traffic for a switch: frames between known stations on different ports.

Frames, tables and answers are those of `make ipv4`; what is not asked for as a
share is bridged.
"""

import argparse

from npftrace.errors import InputError
from npftrace.make import ipv4, options, traffic

# The shares that a bridge knows.
SHARES = {
    name: ipv4.SHARES[name]
    for name in ("broadcast", "multicast", "unknown", "arp", "same-port")
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace make l2`."""
    traffic.add_arguments(parser)
    parser.add_argument(
        "--hosts", type=options.between(1, 10**6), default=32, help="a port"
    )
    traffic.add_shares(parser, SHARES)


def run(args: argparse.Namespace) -> None:
    """Writes the trace, the control file and the answers."""
    asked = {name: getattr(args, name.replace("-", "_")) for name in SHARES}
    rest = 1 - sum(asked.values())
    if rest < -1e-9:
        raise InputError("E-traces-110", "the shares sum up to more than 1")
    for name in ipv4.SHARES:
        setattr(args, name.replace("-", "_"), asked.get(name, 0.0))
    args.bridged = max(rest, 0.0)
    args.routes, args.hops, args.updates, args.default_route = 1, 1, 0, False
    ipv4.run(args)

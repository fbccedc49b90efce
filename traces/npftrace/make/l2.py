"""Traffic for a switch: frames between known stations on different ports.

Frames, tables and answers are those of `make ipv4`. Frames that no share claims
are bridged.
"""

import argparse

from npftrace.arguments import between
from npftrace.errors import InputError
from npftrace.make import ipv4, traffic

#: The kinds of packets that a bridge knows.
PACKET_KINDS = {
    name: ipv4.PACKET_KINDS[name]
    for name in ("broadcast", "multicast", "unknown", "arp", "same-port")
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace make l2`."""
    traffic.add_arguments(parser)
    parser.add_argument(
        "--hosts", type=between(1, 10**6), default=32, help="stations per port"
    )
    traffic.add_shares(parser, PACKET_KINDS)


def run(args: argparse.Namespace) -> None:
    """Writes the trace, the control file and the answers."""
    asked = {name: traffic.share_of(args, name) for name in PACKET_KINDS}
    rest = 1 - sum(asked.values())
    if rest < -traffic.SHARE_TOLERANCE:
        raise InputError("E-traces-110", "the shares sum up to more than 1")
    for name in ipv4.PACKET_KINDS:
        setattr(args, name.replace("-", "_"), asked.get(name, 0.0))
    args.bridged = max(rest, 0.0)
    args.routes, args.hops, args.updates, args.default_route = 1, 1, 0, False
    ipv4.run(args)

"""A control file that makes a trace go through all of L3-Switch.

A capture knows nothing of the router's addresses: with tables of their own,
all its frames would be flooded. Here the router's address on each port is the
one that most IPv4 frames of that port go to, other senders are stations of the
port where they first appear, and destinations get routes; every eighth of them
gets none, so that some look-ups fail.
"""

import argparse
from collections import Counter
from pathlib import Path

from npftrace import control
from npftrace.capture import Frame, read_capture
from npftrace.make import options
from npftrace.make.tables import HOP_MACS, router_mac
from npftrace.wire import pad

GROUP_BIT = 1 << 40
HOPS = 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace tables from-trace`."""
    parser.add_argument("trace", type=Path)
    parser.add_argument("--control", type=Path, required=True, help="to be written")
    parser.add_argument("--ports", type=options.between(1, 16), default=4)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Writes ports, next hops, routes and stations."""
    frames = [
        frame._replace(data=pad(frame.data))
        for frame in read_capture(args.trace, args.ports).frames
    ]
    routers = [_router(frames, port) for port in range(args.ports)]
    stations: dict[int, int] = {}
    for frame in frames:
        source = int.from_bytes(frame.data[6:12], "big")
        if not source & GROUP_BIT and source not in routers:
            stations.setdefault(source, frame.port)
    addresses = sorted({f.data[30:34] for f in frames if f.data[12:14] == b"\x08\x00"})
    routes = [
        (int.from_bytes(address, "big"), 32 - index % 2 * 4, index % HOPS)
        for index, address in enumerate(addresses)
        if index % 8 != 7
    ]
    with open(args.control, "w", encoding="ascii") as file:
        file.write(f"# tables that fit {args.trace.name}\n")
        control.write_ports(file, routers)
        control.write_hops(file, ((h % args.ports, HOP_MACS | h) for h in range(HOPS)))
        control.write_routes(
            file,
            (
                (prefix >> (32 - length) << (32 - length), length, hop)
                for prefix, length, hop in routes
            ),
        )
        control.write_bridge(file, stations.items())
    print(f"{args.control}: {len(routes)} routes, {len(stations)} stations")


def _router(frames: list[Frame], port: int) -> int:
    """The unicast address that most IPv4 frames of a port go to."""
    counts = Counter(
        int.from_bytes(frame.data[0:6], "big")
        for frame in frames
        if frame.port == port and frame.data[12:14] == b"\x08\x00"
    )
    unicast = [mac for mac, _ in counts.most_common() if not mac & GROUP_BIT]
    return unicast[0] if unicast else router_mac(port)

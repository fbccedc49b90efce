"""A control file that makes a trace go through all of an application.

A capture knows nothing of the router's addresses: with tables of their own,
all its frames would be flooded. Here the router's address on each port is the
one that most IPv4 frames of that port go to, other senders are stations of the
port where they first appear, and destinations get routes; every eighth of them
gets none, so that some look-ups fail. A firewall gets rules for most of the
addresses, of which every third flow is dropped; a label switching router gets an
entry for most labels, each operation in turn, and FECs for destinations.
"""

import argparse
from collections import Counter
from pathlib import Path

from npftrace import control
from npftrace.capture import Frame, read_capture
from npftrace.make import options
from npftrace.make.lsp import LABEL_FIRST, LABEL_SPACE
from npftrace.make.tables import HOP_MACS, router_mac
from npftrace.rules import (
    ALL_PORTS,
    ANY_PROTOCOL,
    FLOWS,
    TCP,
    UDP,
    Rule,
    cut,
    write_control,
)
from npftrace.wire import pad

GROUP_BIT = 1 << 40
HOPS = 16
IPV4, MPLS = b"\x08\x00", b"\x88\x47"
RULES_MAX = 500
# Label stack entries of a frame that are looked at.
LABELS_READ = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace tables from-trace`."""
    parser.add_argument("trace", type=Path)
    parser.add_argument("--control", type=Path, required=True, help="to be written")
    parser.add_argument("--ports", type=options.between(1, 16), default=4)
    parser.add_argument("--app", choices=list(FITS), default="l3-switch")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Writes the tables of the application."""
    frames = [
        frame._replace(data=pad(frame.data))
        for frame in read_capture(args.trace, args.ports).frames
    ]
    FITS[args.app](args, frames)


def _fit_firewall(args: argparse.Namespace, frames: list[Frame]) -> None:
    """Rules for pairs of addresses, exact or wider, with protocol and ports."""
    headers = sorted({f.data[14:38] for f in frames if f.data[12:14] == IPV4})
    found: dict[Rule, None] = {}
    for index, data in enumerate(headers):
        if index % 8 == 7 or len(found) == RULES_MAX:
            continue
        src, dst = (int.from_bytes(data[at : at + 4], "big") for at in (12, 16))
        src_length, dst_length = 32 - index % 3 * 8, 32 - index % 5 * 4
        ports = int.from_bytes(data[22:24], "big")
        has_ports = data[9] in (TCP, UDP) and index % 2 == 0
        rule = Rule(
            cut(src, src_length),
            src_length,
            cut(dst, dst_length),
            dst_length,
            dports=(ports, ports) if has_ports else ALL_PORTS,
            protocol=data[9] if index % 4 else ANY_PROTOCOL,
        )
        found[rule] = None
    dropped = range(0, min(len(found), FLOWS), 3)
    write_control(args.control, list(found), dropped, drop_unmatched=False)
    print(f"{args.control}: {len(found)} rules")


def _fit_mpls(args: argparse.Namespace, frames: list[Frame]) -> None:
    """Every label popped, swapped, or replaced by up to four, in turn."""
    routers = [_router(frames, port, (IPV4, MPLS)) for port in range(args.ports)]
    labels = set()
    for frame in frames:
        if frame.data[12:14] == MPLS:
            for at in range(14, 14 + 4 * LABELS_READ, 4):
                labels.add(int.from_bytes(frame.data[at : at + 3], "big") >> 4)
    usable = sorted(n for n in labels if LABEL_FIRST <= n < LABEL_SPACE)
    addresses = sorted({f.data[30:34] for f in frames if f.data[12:14] == IPV4})
    with open(args.control, "w", encoding="ascii") as file:
        file.write(f"# tables that fit {args.trace.name}\n")
        control.write_ports(file, routers)
        control.write_hops(file, ((h % args.ports, HOP_MACS | h) for h in range(HOPS)))
        for count in range(5):
            file.write(f"nhlfe_set({count}, {count}, {count}, 100, 200, 300, 400)\n")
        for index, label in enumerate(usable):
            pops = index % 7 > 4
            file.write(
                f"label_pop({label})\n"
                if pops
                else f"label_add({label}, {index % 7})\n"
            )
        fecs = [
            (int.from_bytes(address, "big"), 32, index % 5)
            for index, address in enumerate(addresses)
            if index % 8 != 7
        ]
        control.write_fecs(file, fecs)
    print(f"{args.control}: {len(usable)} labels, {len(fecs)} FECs")


def _fit_switch(args: argparse.Namespace, frames: list[Frame]) -> None:
    """Ports, next hops, routes and stations."""
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


def _router(frames: list[Frame], port: int, types: tuple[bytes, ...] = (IPV4,)) -> int:
    """The unicast address that most frames of a port and these types go to."""
    counts = Counter(
        int.from_bytes(frame.data[0:6], "big")
        for frame in frames
        if frame.port == port and frame.data[12:14] in types
    )
    unicast = [mac for mac, _ in counts.most_common() if not mac & GROUP_BIT]
    return unicast[0] if unicast else router_mac(port)


FITS = {"l3-switch": _fit_switch, "firewall": _fit_firewall, "mpls": _fit_mpls}

"""A control file that makes a trace go through all of an application.

A capture knows nothing of the router's addresses: with unrelated tables all its
frames would be flooded. So the router's address on each port is the one that
most IPv4 frames of that port go to, other senders are stations of the port where
they first appear, and destinations get routes. Every eighth destination gets
none, so that some look-ups fail. A firewall gets rules for most of the
addresses, and every third flow is dropped. A label switching router gets an
entry for most labels, each operation in turn, and FECs for destinations.
"""

import argparse
from collections import Counter
from pathlib import Path

from npftrace.arguments import DEFAULT, add_control_output, add_ports
from npftrace.files import create_text
from npftrace.frames.capture import Frame, read_capture
from npftrace.frames.flows import packet_of
from npftrace.frames.wire import (
    ETH_TYPE_IPV4,
    ETH_TYPE_IPV6,
    ETH_TYPE_MPLS,
    ETHER_BYTES,
    GROUP_BIT,
    LABEL_BYTES,
    TCP,
    UDP,
    ether_type_of,
    ipv4_prefix,
    pad,
)
from npftrace.tables import control
from npftrace.tables.addresses import HOP_MACS, is_host, router_mac
from npftrace.tables.labels import LABEL_FIRST, LABEL_SPACE
from npftrace.tables.limits import IPV4, IPV6, STATIONS_MAX, fitting
from npftrace.tables.rules import ALL_PORTS, ANY_PROTOCOL, FLOWS, Rule, write_control

HOPS = 16
RULES_MAX = 500
#: Label stack entries of a frame that are looked at.
LABELS_READ = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace tables from-trace`."""
    parser.add_argument("trace", type=Path)
    add_control_output(parser)
    add_ports(parser)
    parser.add_argument(
        "--app",
        choices=list(WRITERS),
        default="l3-switch",
        help=f"the application {DEFAULT}",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Writes the tables of the application."""
    frames = [
        frame._replace(data=pad(frame.data))
        for frame in read_capture(args.trace, args.ports).frames
    ]
    WRITERS[args.app](args, frames)


def _write_firewall(args: argparse.Namespace, frames: list[Frame]) -> None:
    """Rules for pairs of addresses, exact or wider, with protocol and ports."""
    headers = sorted({f.data[14:38] for f in frames if _is(f, ETH_TYPE_IPV4)})
    found: dict[Rule, None] = {}
    for index, data in enumerate(headers):
        if _is_left_out(index) or len(found) == RULES_MAX:
            continue
        src, dst = (int.from_bytes(data[at : at + 4], "big") for at in (12, 16))
        src_length, dst_length = 32 - index % 3 * 8, 32 - index % 5 * 4
        ports = int.from_bytes(data[22:24], "big")
        has_ports = data[9] in (TCP, UDP) and index % 2 == 0
        rule = Rule(
            ipv4_prefix(src, src_length),
            src_length,
            ipv4_prefix(dst, dst_length),
            dst_length,
            dports=(ports, ports) if has_ports else ALL_PORTS,
            protocol=data[9] if index % 4 else ANY_PROTOCOL,
        )
        found[rule] = None
    dropped = range(0, min(len(found), FLOWS), 3)
    write_control(args.control, list(found), dropped, drop_unmatched=False)
    print(f"{args.control}: {len(found)} rules")


def _write_mpls(args: argparse.Namespace, frames: list[Frame]) -> None:
    """Every label popped, swapped, or replaced by up to four, in turn."""
    types = (ETH_TYPE_IPV4, ETH_TYPE_MPLS)
    routers = [_router(frames, port, types) for port in range(args.ports)]
    labels = set()
    for frame in frames:
        if _is(frame, ETH_TYPE_MPLS):
            end = ETHER_BYTES + LABEL_BYTES * LABELS_READ
            for at in range(ETHER_BYTES, end, LABEL_BYTES):
                labels.add(int.from_bytes(frame.data[at : at + 3], "big") >> 4)
    usable = sorted(n for n in labels if LABEL_FIRST <= n < LABEL_SPACE)
    fecs = [
        (address, 32, index % 5)
        for index, address in enumerate(_destinations(frames))
        if not _is_left_out(index)
    ]
    with create_text(args.control) as file:
        file.write(f"# tables that fit {args.trace.name}\n")
        control.write_ports(file, routers)
        control.write_hops(file, _hops(args.ports))
        for count in range(5):
            file.write(f"nhlfe_set({count}, {count}, {count}, 100, 200, 300, 400)\n")
        for index, label in enumerate(usable):
            if index % 7 > 4:
                file.write(f"label_pop({label})\n")
            else:
                file.write(f"label_add({label}, {index % 7})\n")
        control.write_fecs(file, fecs)
    print(f"{args.control}: {len(usable)} labels, {len(fecs)} FECs")


def _write_l3_switch(args: argparse.Namespace, frames: list[Frame]) -> None:
    """Ports, next hops, routes and stations."""
    routers = [_router(frames, port) for port in range(args.ports)]
    stations: dict[int, int] = {}
    for frame in frames:
        source = int.from_bytes(frame.data[6:12], "big")
        if not source & GROUP_BIT and source not in routers:
            stations.setdefault(source, frame.port)
    kept_stations = list(stations.items())[:STATIONS_MAX]
    routes = []
    for index, address in enumerate(_destinations(frames)):
        length = 32 - index % 2 * 4
        if not _is_left_out(index):
            routes.append((ipv4_prefix(address, length), length, index % HOPS))
    kept = list(fitting(routes, IPV4, IPV4.chunks))
    routes6 = _routes6(frames)
    kept6 = list(fitting(routes6, IPV6, IPV6.chunks))
    with create_text(args.control) as file:
        file.write(f"# tables that fit {args.trace.name}\n")
        control.write_ports(file, routers)
        control.write_hops(file, _hops(args.ports))
        control.write_routes(file, kept)
        control.write_routes6(file, kept6)
        control.write_bridge(file, kept_stations)
    print(
        f"{args.control}: {len(kept)} routes, {len(kept6)} of IPv6, "
        f"{len(kept_stations)} stations"
    )
    for what, all_of, written in (
        ("routes", routes, kept),
        ("routes of IPv6", routes6, kept6),
        ("stations", stations, kept_stations),
    ):
        if len(written) < len(all_of):
            left = len(all_of) - len(written)
            print(f"left out: {left} {what}, more than apps/l3-switch holds")


def _routes6(frames: list[Frame]) -> list[tuple[int, int, int]]:
    """Routes to the subnets or hosts of IPv6 that frames go to."""
    found = {
        frame.data[38:54]
        for frame in frames
        if _is(frame, ETH_TYPE_IPV6) and packet_of(frame.data).version == 6
    }
    routes: dict[tuple[int, int], int] = {}
    for index, data in enumerate(sorted(found)):
        address, length = int.from_bytes(data, "big"), 128 if index % 2 else 64
        # Neither groups nor addresses of a link.
        if data[0] != 0xFF and data[:2] != b"\xfe\x80" and not _is_left_out(index):
            prefix = address >> 128 - length << 128 - length
            routes.setdefault((prefix, length), index % HOPS)
    return [(*prefix, hop) for prefix, hop in routes.items()]


def _is(frame: Frame, ether_type: int) -> bool:
    return ether_type_of(frame.data) == ether_type


def _is_left_out(index: int) -> bool:
    """Every eighth address gets no entry."""
    return index % 8 == 7


def _destinations(frames: list[Frame]) -> list[int]:
    """The IPv4 destinations of a trace that hosts may have, each once and in
    order."""
    found = {
        int.from_bytes(frame.data[30:34], "big")
        for frame in frames
        if _is(frame, ETH_TYPE_IPV4)
    }
    return sorted(filter(is_host, found))


def _hops(ports: int) -> list[tuple[int, int]]:
    return [(hop % ports, HOP_MACS | hop) for hop in range(HOPS)]


def _router(
    frames: list[Frame], port: int, types: tuple[int, ...] = (ETH_TYPE_IPV4,)
) -> int:
    """The unicast address that most frames of these types on a port go to."""
    counts = Counter(
        int.from_bytes(frame.data[0:6], "big")
        for frame in frames
        if frame.port == port and ether_type_of(frame.data) in types
    )
    unicast = [mac for mac, _ in counts.most_common() if not mac & GROUP_BIT]
    return unicast[0] if unicast else router_mac(port)


#: By the name of the application.
WRITERS = {
    "l3-switch": _write_l3_switch,
    "firewall": _write_firewall,
    "mpls": _write_mpls,
}

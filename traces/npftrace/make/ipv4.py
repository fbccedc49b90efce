"""IPv4 traffic for a router that also bridges.

The trace follows the NPF IPv4 forwarding benchmark as far as it is known: UDP
packets to destinations uniform over the prefixes of the table, or to Zipf
distributed flows, over all ports, with a share of each exception that can be
set and is 0 by default. Shares are exact. The payload holds the packet's number,
so that no two frames of a trace are the same.

The answers say where each frame leaves or why it is dropped. They come from the
making of the frame and from the tables, not from reading the frame.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from npftrace.arguments import between
from npftrace.draws import Numbers, share_out
from npftrace.errors import InputError
from npftrace.frames.wire import (
    ETH_TYPE_ARP,
    ETH_TYPE_IPV4,
    ETHER_BYTES,
    UDP,
    ipv4_text,
    mac_text,
)
from npftrace.make import traffic
from npftrace.make.chunks import SEQUENCE_BYTES, Chunk, header_sums, put
from npftrace.make.traffic import (
    IPV4_BYTES,
    UDP_BYTES,
    Answer,
    Flows,
    PacketKind,
    add_shares,
)
from npftrace.tables.addresses import HOST_MACS, is_host, router_mac
from npftrace.tables.limits import IPV4, add_hops, check_fit
from npftrace.tables.routers import Lookup, Tables, make_tables, make_updates


@dataclass(frozen=True)
class _ToRouter(PacketKind):
    """Packets whose frame goes to the router's own address; others are bridged."""


#: Kinds of packets; those of no kind are "routed".
PACKET_KINDS = {
    "bridged": PacketKind("bridged", "frames to a known station on another port"),
    "broadcast": PacketKind("flooded", "frames to ff:ff:ff:ff:ff:ff"),
    "multicast": PacketKind("flooded", "frames to an IPv4 multicast address"),
    "unknown": PacketKind("flooded", "frames to a station that no port knows"),
    "arp": PacketKind("flooded", "ARP requests, broadcast"),
    "arp-to-router": _ToRouter("arp_done", "ARP replies to the router"),
    "same-port": PacketKind(
        "same_port", "frames to a station on the port they come from"
    ),
    "not-ipv4": _ToRouter("not_ip", "frames to the router of an unknown type"),
    "ttl-expired": _ToRouter("ttl_expired", "TTL 0 or 1"),
    "bad-checksum": _ToRouter("bad_checksum", "a wrong header checksum"),
    "bad-version": _ToRouter("bad_version", "an IP version other than 4"),
    "bad-header-length": _ToRouter(
        "bad_header_length", "a header length below 20 bytes"
    ),
    "bad-length": _ToRouter(
        "bad_length", "a total length beyond the frame or too small"
    ),
    "truncated": _ToRouter("truncated", "a header longer than the frame"),
    "no-route": _ToRouter("no_route", "destinations that no prefix covers"),
    "options": _ToRouter("routed", "IPv4 options, routed like others"),
    "fragments": _ToRouter("routed", "fragments, routed like others"),
}
NAMES = ["routed", *PACKET_KINDS]
TO_ROUTER = [
    name for name in NAMES if isinstance(PACKET_KINDS.get(name), _ToRouter | None)
]

#: An EtherType for experiments (IEEE 802).
ETH_TYPE_EXPERIMENT = 0x88B5
BROADCAST_MAC = 0xFFFFFFFFFFFF
IPV4_MULTICAST_MACS = 0x01005E000000
#: The UDP port of echo, as RFC 2544 has it.
ECHO_PORT = 7
#: The option "router alert" (RFC 2113).
ROUTER_ALERT, OPTION_BYTES = 0x94040000, 4
#: Senders are in 198.18.0.0/15, for benchmarks (RFC 2544).
SOURCES = 0xC6120000
#: Ethernet and IPv4, with hardware and protocol address lengths (RFC 826).
ARP_HEAD = 0x0001_0800_0604_0000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace make ipv4`."""
    traffic.add_arguments(parser)
    parser.add_argument(
        "--routes", type=between(1, 10**6), default=10000, help="in the table"
    )
    add_hops(parser)
    parser.add_argument(
        "--hosts", type=between(1, 10**6), default=32, help="stations per port"
    )
    parser.add_argument(
        "--default-route", action="store_true", help="one of the routes is 0.0.0.0/0"
    )
    parser.add_argument(
        "--updates",
        type=between(0, 10**6),
        default=0,
        help="routes that change while packets flow",
    )
    add_shares(parser, PACKET_KINDS)


def run(args: argparse.Namespace) -> None:
    """Writes the trace, the control file and the answers."""
    rng = np.random.Generator(np.random.PCG64(args.seed))
    kinds = traffic.draw_kinds(args, rng, PACKET_KINDS)
    tables = make_tables(
        rng, args.ports, args.routes, args.hops, args.hosts, args.default_route
    )
    columns = (tables.prefixes.tolist(), tables.lengths.tolist())
    check_fit(zip(*columns, strict=True), IPV4)
    tables.updates = make_updates(rng, tables, args.updates, args.packets)
    tables.write(args.control)
    traffic.write(args, kinds, _Generator(args, rng, tables))


class _Chunk(Chunk):
    """Frames with their route, and the port that bridged ones leave by."""

    def __init__(self, kinds: Numbers, ports: Numbers, lengths: Numbers) -> None:
        super().__init__(NAMES, kinds, ports, lengths)
        self.routes: Numbers = np.full(len(kinds), -1, dtype=np.int64)
        self.out_ports: Numbers = np.full(len(kinds), -1, dtype=np.int64)


class _Generator:
    """Builds chunks of frames."""

    def __init__(
        self, args: argparse.Namespace, rng: np.random.Generator, tables: Tables
    ) -> None:
        self.args = args
        self.rng = rng
        self.tables = tables
        self.lookup = Lookup(tables.prefixes, tables.lengths)
        self.flows = Flows(args, rng)
        self.flow_destinations = self._inside_prefixes(self.flows.count)

    def chunk(self, begin: int, kinds: Numbers) -> _Chunk:
        count = len(kinds)
        ports = (begin + np.arange(count)) % self.args.ports
        chunk = _Chunk(kinds, ports, self.args.size.draw(self.rng, count))
        numbers = begin + np.arange(count)
        chunk.put_payload(ETHER_BYTES + IPV4_BYTES + UDP_BYTES, numbers)
        self._put_ether(chunk)
        self._put_ipv4(chunk)
        self._put_exceptions(chunk)
        self._put_checksums(chunk)
        self._put_arp(chunk, numbers)
        return chunk

    def answers(self, chunk: Chunk, begin: int) -> Iterator[Answer]:
        assert isinstance(chunk, _Chunk)
        columns = zip(
            chunk.kinds.tolist(),
            chunk.ports.tolist(),
            chunk.routes.tolist(),
            chunk.out_ports.tolist(),
            chunk.rows[:, 22].tolist(),
            strict=True,
        )
        for index, (kind, port, route, out_port, ttl) in enumerate(columns, begin):
            outcome = PACKET_KINDS[NAMES[kind]].outcome if kind else "routed"
            answer: Answer = {"packet": index, "port": port}
            if outcome == "routed":
                yield answer | self._routed_answer(index, route, ttl)
            elif outcome == "bridged":
                yield answer | {"outcome": outcome, "out": [out_port]}
            elif outcome == "flooded":
                others = [p for p in range(self.tables.ports) if p != port]
                yield answer | {"outcome": outcome, "out": others}
            else:
                yield answer | {"outcome": "dropped", "reason": outcome}

    def _routed_answer(self, index: int, route: int, ttl: int) -> Answer:
        tables = self.tables
        hop = tables.hop_at(route, index)
        hop_port = int(tables.hop_ports[hop])
        prefix = ipv4_text(int(tables.prefixes[route]))
        return {
            "outcome": "routed",
            "out": [hop_port],
            "route": f"{prefix}/{tables.lengths[route]}",
            "dst": mac_text(int(tables.hop_macs[hop])),
            "src": mac_text(router_mac(hop_port)),
            "ttl": ttl - 1,
        }

    def _inside_prefixes(self, count: int) -> Numbers:
        """Addresses uniform over the prefixes, then uniform inside the prefix."""
        which = share_out(self.rng, len(self.tables.prefixes), count)
        free = 32 - self.tables.lengths[which]
        inside = self.rng.integers(0, 1 << 32, size=count)
        found = self.tables.prefixes[which] | (inside & ((1 << free) - 1))
        # A default route also covers addresses that no packet may have.
        result: Numbers = np.where(is_host(found), found, 1 << 24 | found & 0xFFFFFF)
        return result

    def _destinations(self, count: int) -> Numbers:
        if not self.flows.count:
            return self._inside_prefixes(count)
        return self.flow_destinations[self.flows.draw(count)]

    def _without_route(self, count: int) -> Numbers:
        found = traffic.draw_accepted(
            count,
            lambda n: self.rng.integers(1 << 24, 224 << 24, size=n),
            lambda tried: (self.lookup.routes(tried) < 0) & is_host(tried),
        )
        if len(found) < count:
            message = "the routes cover all addresses: --no-route cannot be met"
            raise InputError("E-traces-111", message)
        return found

    def _put_ether(self, chunk: _Chunk) -> None:
        tables, rng = self.tables, self.rng
        count = len(chunk.kinds)
        # Station s of port p is host s * ports + p.
        stations = rng.integers(0, self.args.hosts, size=count) * tables.ports
        src = tables.host_macs[stations + chunk.ports]
        away = (chunk.ports + rng.integers(1, tables.ports, size=count)) % tables.ports
        chunk.out_ports = away
        dst = tables.host_macs[stations + away]
        put(chunk.rows, 6, 6, src)
        put(chunk.rows, 12, 2, ETH_TYPE_IPV4)
        to_router = chunk.of(*TO_ROUTER)
        dst[to_router] = router_mac(0) | chunk.ports[to_router]
        for name in ("broadcast", "arp"):
            dst[chunk.of(name)] = BROADCAST_MAC
        same = chunk.of("same-port")
        others = (stations[same] + tables.ports) % len(tables.host_macs)
        dst[same] = tables.host_macs[others + chunk.ports[same]]
        unknown = chunk.of("unknown")
        strange = HOST_MACS | 1 << 32 | rng.integers(0, 1 << 32, size=len(unknown))
        dst[unknown] = strange
        multicast = chunk.of("multicast")
        group = rng.integers(0, 1 << 23, size=len(multicast))
        dst[multicast] = IPV4_MULTICAST_MACS | group
        put(chunk.rows, 0, 6, dst)

    def _put_ipv4(self, chunk: _Chunk) -> None:
        """IPv4 and UDP headers, without the IPv4 checksum."""
        rows, rng = chunk.rows, self.rng
        count = len(rows)
        destinations = self._destinations(count)
        no_route = chunk.of("no-route")
        destinations[no_route] = self._without_route(len(no_route))
        chunk.routes = self.lookup.routes(destinations)
        put(rows, 14, 1, 0x45)
        put(rows, 15, 1, 0)
        put(rows, 16, 2, chunk.lengths - ETHER_BYTES)
        put(rows, 18, 2, rng.integers(0, 1 << 16, size=count))
        put(rows, 20, 2, 0)
        put(rows, 22, 1, rng.integers(2, 256, size=count))
        put(rows, 23, 1, UDP)
        put(rows, 26, 4, SOURCES | rng.integers(0, 1 << 17, size=count))
        put(rows, 30, 4, destinations)
        put(rows, 34, 2, rng.integers(1024, 1 << 16, size=count))
        put(rows, 36, 2, ECHO_PORT)
        put(rows, 38, 2, chunk.lengths - ETHER_BYTES - IPV4_BYTES)

    def _put_exceptions(self, chunk: _Chunk) -> None:
        """What is wrong or special in the header, before its checksum."""
        rng = self.rng
        self._set(chunk, "ttl-expired", 22, 1, lambda n: rng.integers(0, 2, n))
        self._set(
            chunk, "bad-version", 14, 1, lambda n: rng.integers(5, 20, n) % 16 << 4 | 5
        )
        self._set(
            chunk, "bad-header-length", 14, 1, lambda n: 0x40 | rng.integers(0, 5, n)
        )
        self._set(chunk, "not-ipv4", 12, 2, lambda _: ETH_TYPE_EXPERIMENT)
        # A header of 60 bytes in a frame with room for 46.
        chunk.lengths[chunk.of("truncated")] = 60
        self._set(chunk, "truncated", 14, 1, lambda _: 0x4F)
        wrong = chunk.of("bad-length")
        beyond = chunk.lengths[wrong] - ETHER_BYTES + rng.integers(1, 1000, len(wrong))
        tiny = rng.integers(0, IPV4_BYTES, size=len(wrong))
        chunk.put_at(wrong, 16, 2, np.where(wrong % 2 == 0, beyond, tiny))
        self._put_options(chunk)
        self._set(
            chunk, "fragments", 20, 2, lambda n: 0x2000 | rng.integers(0, 1 << 13, n)
        )

    def _put_options(self, chunk: _Chunk) -> None:
        """A router alert before the UDP header, which moves back."""
        rows = chunk.rows
        self._set(chunk, "options", 14, 1, lambda _: 0x46)
        marked = chunk.of("options")
        moved = rows[marked, 34:-OPTION_BYTES]
        rows[marked, 34 + OPTION_BYTES :] = moved
        chunk.put_at(marked, 34, 4, ROUTER_ALERT)
        udp_bytes = chunk.lengths[marked] - ETHER_BYTES - IPV4_BYTES - OPTION_BYTES
        chunk.put_at(marked, 38 + OPTION_BYTES, 2, udp_bytes)

    @staticmethod
    def _set(
        chunk: _Chunk, name: str, at: int, size: int, values: Callable[[int], object]
    ) -> None:
        """Writes a field of the frames of a kind; `values` gets their number."""
        which = chunk.of(name)
        chunk.put_at(which, at, size, values(len(which)))

    def _put_checksums(self, chunk: _Chunk) -> None:
        rows = chunk.rows
        put(rows, 24, 2, header_sums(rows, ETHER_BYTES, IPV4_BYTES))
        marked = chunk.of("options")
        with_options = rows[marked]
        put(with_options, 24, 2, 0)
        sums = header_sums(with_options, ETHER_BYTES, IPV4_BYTES + OPTION_BYTES)
        put(with_options, 24, 2, sums)
        rows[marked] = with_options
        wrong = chunk.of("bad-checksum")
        part = rows[wrong]
        # Any flipped bit makes it wrong, except 0x0000 against 0xffff.
        put(part, 24, 1, part[:, 24].astype(np.int64) ^ (1 << (wrong % 8)))
        rows[wrong] = part

    def _put_arp(self, chunk: _Chunk, numbers: Numbers) -> None:
        """Requests and replies of RFC 826 in place of the IPv4 packet."""
        for name, operation in (("arp", 1), ("arp-to-router", 2)):
            which = chunk.of(name)
            chunk.lengths[which] = 60
            part = chunk.rows[which]
            sender = part[:, 6:12].copy()
            addresses = part[:, 26:34].copy()
            part[:, 12:] = 0
            put(part, 12, 2, ETH_TYPE_ARP)
            put(part, 14, 8, ARP_HEAD | operation)
            part[:, 22:28] = sender
            part[:, 28:32] = addresses[:, 0:4]
            part[:, 38:42] = addresses[:, 4:8]
            put(part, 42, SEQUENCE_BYTES, numbers[which])
            chunk.rows[which] = part

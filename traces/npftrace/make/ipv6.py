"""IPv6 traffic for a router.

Prefixes are those of a real table of January 2024 (`tables/prefixes6.py`). Frames are
UDP packets to addresses inside the prefixes, of 78 bytes or more with CRC, as RFC 5180
asks. The control file gives each prefix to `route6_add` in four words.
"""

import argparse
from collections.abc import Iterator

import numpy as np

from npftrace.arguments import between
from npftrace.draws import Numbers, share_out
from npftrace.frames.wire import ETH_TYPE_IPV6, ETHER_BYTES, UDP, mac_text
from npftrace.make import traffic
from npftrace.make.chunks import Chunk, put
from npftrace.make.traffic import UDP_BYTES, Answer, PacketKind
from npftrace.tables.addresses import HOP_MACS, HOST_MACS, router_mac
from npftrace.tables.limits import IPV6, add_hops, check_fit
from npftrace.tables.prefixes6 import make_prefixes6
from npftrace.tables.routers import write_router

#: Kinds of packets; those of no kind are "routed".
PACKET_KINDS = {
    "hop-limit": PacketKind("hop_limit", "hop limit 0 or 1"),
    "bad-version": PacketKind("bad_version6", "an IP version other than 6"),
    "bad-length": PacketKind("bad_length6", "a payload longer than the frame"),
    "no-route": PacketKind("no_route6", "destinations that no prefix covers"),
    "multicast": PacketKind("martian_destination6", "destinations in ff00::/8"),
}
NAMES = ["routed", *PACKET_KINDS]
IPV6_BYTES = 40
#: The shortest frame that holds the headers and the packet's number, without
#: CRC.
FRAME_BYTES_MIN = 74
#: The first 16 bits of the addresses without a route.
UNROUTED_BITS = 0x3FFE
#: Prefixes have at most this length: half of an address is drawn for each packet.
TOP_BITS = 64
#: The UDP port of echo, as RFC 2544 has it.
ECHO_PORT = 7
#: Senders are in 2001:2::/48, for benchmarks (RFC 5180).
SOURCE = 0x2001_0002_0000_0000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace make ipv6`."""
    traffic.add_arguments(parser)
    parser.set_defaults(size="78")
    parser.add_argument(
        "--routes", type=between(1, 10**5), default=800, help="in the table"
    )
    add_hops(parser)
    traffic.add_shares(parser, PACKET_KINDS)


def run(args: argparse.Namespace) -> None:
    """Writes the trace, the control file and the answers."""
    rng = np.random.Generator(np.random.PCG64(args.seed))
    kinds = traffic.draw_kinds(args, rng, PACKET_KINDS)
    generator = _Generator(args, rng)
    generator.write_tables()
    traffic.write(args, kinds, generator)


class _Chunk(Chunk):
    """Frames with the first 64 bits of their destinations."""

    def __init__(self, kinds: Numbers, ports: Numbers, lengths: Numbers) -> None:
        super().__init__(NAMES, kinds, ports, lengths)
        self.tops: list[int] = []


class _Generator:
    """Builds chunks of frames."""

    def __init__(self, args: argparse.Namespace, rng: np.random.Generator) -> None:
        self.args, self.rng = args, rng
        made = make_prefixes6(args.routes, rng, TOP_BITS)
        check_fit(made, IPV6)
        self.prefixes = [(prefix >> TOP_BITS, length) for prefix, length in made]
        self.hops = share_out(rng, args.hops, args.routes)
        self.hop_macs = HOP_MACS | np.arange(args.hops)
        by_length: dict[int, dict[int, int]] = {}
        for route, (top, length) in enumerate(self.prefixes):
            by_length.setdefault(length, {})[top >> 64 - length] = route
        #: Per prefix length, longest first: prefixes as numbers and their routes.
        self.levels = sorted(by_length.items(), reverse=True)
        self.flows = traffic.Flows(args, rng)
        self.flow_routes = rng.integers(0, args.routes, size=self.flows.count)

    def write_tables(self) -> None:
        """Writes the control file."""
        args = self.args
        hops = self.hops.tolist()
        routes = [
            (top << TOP_BITS, length, hop)
            for (top, length), hop in zip(self.prefixes, hops, strict=True)
        ]
        title = f"{args.routes} routes of IPv6"
        write_router(args.control, title, args.ports, args.hops, routes, IPV6)

    def route_of(self, top: int) -> int:
        """The route of an address with these first 64 bits; -1 for none."""
        for length, known in self.levels:
            route = known.get(top >> 64 - length)
            if route is not None:
                return route
        return -1

    def chunk(self, begin: int, kinds: Numbers) -> Chunk:
        count = len(kinds)
        numbers = begin + np.arange(count)
        ports = numbers % self.args.ports
        lengths = np.maximum(self.args.size.draw(self.rng, count), FRAME_BYTES_MIN)
        chunk = _Chunk(kinds, ports, lengths)
        chunk.put_payload(ETHER_BYTES + IPV6_BYTES + UDP_BYTES, numbers)
        rows, rng = chunk.rows, self.rng
        put(rows, 0, 6, router_mac(0) | ports)
        put(rows, 6, 6, HOST_MACS | ports)
        put(rows, 12, 2, ETH_TYPE_IPV6)
        put(rows, 14, 4, 6 << 28 | rng.integers(0, 1 << 20, size=count))
        put(rows, 18, 2, lengths - ETHER_BYTES - IPV6_BYTES)
        put(rows, 20, 1, UDP)
        put(rows, 21, 1, rng.integers(2, 256, size=count))
        put(rows, 22, 8, SOURCE)
        put(rows, 30, 8, rng.integers(1, 1 << 62, size=count))
        self._put_destinations(chunk)
        put(rows, 54, 2, rng.integers(1024, 1 << 16, size=count))
        put(rows, 56, 2, ECHO_PORT)
        put(rows, 58, 2, lengths - ETHER_BYTES - IPV6_BYTES)
        put(rows, 60, 2, 1)
        for name, at, size, value in (
            ("hop-limit", 21, 1, 1),
            ("bad-version", 14, 1, 0x40),
            ("bad-length", 18, 2, 0xFFFF),
            ("multicast", 38, 2, 0xFF0E),
        ):
            which = chunk.of(name)
            chunk.put_at(which, at, size, value)
        return chunk

    def _put_destinations(self, chunk: _Chunk) -> None:
        """Writes destinations and keeps their first 64 bits in the chunk."""
        count = len(chunk.kinds)
        if self.flows.count:
            routes = self.flow_routes[self.flows.draw(count)]
        else:
            routes = self.rng.integers(0, self.args.routes, size=count)
        inside = self.rng.integers(0, 1 << 63, size=count).tolist()
        for route, low in zip(routes.tolist(), inside, strict=True):
            top, length = self.prefixes[route]
            chunk.tops.append(top | low % (1 << 64 - length))
        for i in chunk.of("no-route").tolist():
            chunk.tops[i] = UNROUTED_BITS << 48 | inside[i] >> 16
        high = np.array([top >> 32 for top in chunk.tops], dtype=np.int64)
        low = np.array([top & 0xFFFFFFFF for top in chunk.tops], dtype=np.int64)
        put(chunk.rows, 38, 4, high)
        put(chunk.rows, 42, 4, low)
        put(chunk.rows, 46, 8, self.rng.integers(1, 1 << 62, size=count))

    def answers(self, chunk: Chunk, begin: int) -> Iterator[Answer]:
        assert isinstance(chunk, _Chunk)
        columns = zip(
            chunk.kinds.tolist(), chunk.ports.tolist(), chunk.tops, strict=True
        )
        for index, (kind, port, top) in enumerate(columns, begin):
            answer: Answer = {"packet": index, "port": port}
            if kind == 0:
                hop = int(self.hops[self.route_of(top)])
                out = hop % self.args.ports
                answer |= {"outcome": "routed", "out": [out]}
                answer |= {"dst": mac_text(int(self.hop_macs[hop]))}
                answer |= {"src": mac_text(router_mac(out))}
            else:
                answer |= {
                    "outcome": "dropped",
                    "reason": PACKET_KINDS[NAMES[kind]].outcome,
                }
            yield answer

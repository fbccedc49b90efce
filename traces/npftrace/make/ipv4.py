"""IPv4 traffic for a router that also bridges, with its tables and answers.

The trace follows the NPF IPv4 forwarding benchmark as far as it is known: UDP
packets to destinations uniform over the prefixes of the table, or to Zipf
distributed flows, over all ports, with each exception at a share that can be
set and that is zero by default. Shares are exact: 0.01 of 20,000 packets are
200 packets, at random places. The payload tells the packet's number, so that
no two frames of a trace are alike.

Of each frame, the answers tell where it goes or why it is dropped; they come
from the making of the frame and from the tables, not from reading it.
"""

import argparse
from collections.abc import Iterator

import numpy as np

from npftrace.errors import InputError
from npftrace.make import options, traffic
from npftrace.make.frames import Numbers, header_sums, put, share_out
from npftrace.make.tables import (
    HOST_MACS,
    Lookup,
    Tables,
    make_tables,
    make_updates,
    router_mac,
)
from npftrace.make.traffic import (
    ETHER_BYTES,
    IPV4_BYTES,
    SEQUENCE_BYTES,
    Answer,
    Chunk,
    Flows,
)
from npftrace.wire import ETH_TYPE_ARP, ETH_TYPE_IPV4, ipv4_text, mac_text

# What a share can be asked of: option, what comes of it, and what it is.
SHARES = {
    "bridged": ("bridged", "frames to a known station on another port"),
    "broadcast": ("flooded", "frames to ff:ff:ff:ff:ff:ff"),
    "multicast": ("flooded", "frames to an IPv4 multicast address"),
    "unknown": ("flooded", "frames to a station that no port knows"),
    "arp": ("flooded", "ARP requests, broadcast"),
    "arp-to-router": ("arp_done", "ARP replies to the router"),
    "same-port": ("same_port", "frames to a station on the port they come from"),
    "not-ipv4": ("not_ip", "frames to the router of a type that it does not know"),
    "ttl-expired": ("ttl_expired", "TTL 0 or 1"),
    "bad-checksum": ("bad_checksum", "a wrong header checksum"),
    "bad-version": ("bad_version", "an IP version other than 4"),
    "bad-header-length": ("bad_header_length", "a header length below 20 bytes"),
    "bad-length": ("bad_length", "a total length beyond the frame or too small"),
    "truncated": ("truncated", "a header longer than the frame"),
    "no-route": ("no_route", "destinations that no prefix covers"),
    "options": ("routed", "IPv4 options, routed like others"),
    "fragments": ("routed", "fragments, routed like others"),
}
# The kinds of frames: the first is routed without more ado.
NAMES = ["routed", *SHARES]
TO_ROUTER = [
    "routed", "arp-to-router", "not-ipv4", "ttl-expired", "bad-checksum",
    "bad-version", "bad-header-length", "bad-length", "truncated", "no-route",
    "options", "fragments",
]  # fmt: skip

# For experiments (IEEE 802).
ETH_TYPE_OTHER = 0x88B5
UDP_BYTES = 8
UDP_PROTOCOL = 17
OPTION_BYTES = 4
SOURCES = 0xC6120000  # 198.18.0.0/15, for benchmarks (RFC 2544).


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace make ipv4`."""
    count = options.between
    traffic.add_arguments(parser)
    parser.add_argument("--routes", type=count(1, 10**6), default=10000)
    parser.add_argument("--hops", type=count(1, 65536), default=64)
    parser.add_argument("--hosts", type=count(1, 10**6), default=32, help="a port")
    parser.add_argument(
        "--default-route", action="store_true", help="one of the routes is 0.0.0.0/0"
    )
    parser.add_argument(
        "--updates",
        type=count(0, 10**6),
        default=0,
        help="routes that change while packets flow",
    )
    traffic.add_shares(parser, SHARES)


def run(args: argparse.Namespace) -> None:
    """Writes the trace, the control file and the answers."""
    rng = np.random.Generator(np.random.PCG64(args.seed))
    kinds = traffic.draw_kinds(args, rng, SHARES)
    tables = make_tables(
        rng, args.ports, args.routes, args.hops, args.hosts, args.default_route
    )
    tables.updates = make_updates(rng, tables, args.updates, args.packets)
    tables.write(args.control)
    traffic.write(args, kinds, _Generator(args, rng, tables))


class _Chunk(Chunk):
    """Frames with their route, and their port if they are bridged."""

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
        self.destinations = self._inside_prefixes(self.flows.count)

    def chunk(self, begin: int, kinds: Numbers) -> _Chunk:
        count = len(kinds)
        ports = (begin + np.arange(count)) % self.args.ports
        chunk = _Chunk(kinds, ports, self.args.size.draw(self.rng, count))
        numbers = begin + np.arange(count)
        chunk.put_payload(ETHER_BYTES + IPV4_BYTES + UDP_BYTES, numbers)
        self._ether(chunk)
        self._ipv4(chunk)
        self._exceptions(chunk)
        self._checksums(chunk)
        self._arp(chunk, numbers)
        return chunk

    def answers(self, chunk: Chunk, begin: int) -> Iterator[Answer]:
        assert isinstance(chunk, _Chunk)
        tables = self.tables
        columns = zip(
            chunk.kinds.tolist(),
            chunk.ports.tolist(),
            chunk.routes.tolist(),
            chunk.out_ports.tolist(),
            chunk.rows[:, 22].tolist(),
            strict=True,
        )
        for index, (kind, port, route, out_port, ttl) in enumerate(columns, begin):
            outcome = SHARES.get(NAMES[kind], ("routed", ""))[0]
            answer: Answer = {"packet": index, "port": port}
            if outcome == "routed":
                hop = tables.hop_at(route, index)
                hop_port = int(tables.hop_ports[hop])
                answer |= {
                    "outcome": outcome,
                    "out": [hop_port],
                    "route": f"{ipv4_text(int(tables.prefixes[route]))}"
                    f"/{tables.lengths[route]}",
                    "dst": mac_text(int(tables.hop_macs[hop])),
                    "src": mac_text(router_mac(hop_port)),
                    "ttl": ttl - 1,
                }
            elif outcome == "bridged":
                answer |= {"outcome": outcome, "out": [out_port]}
            elif outcome == "flooded":
                others = [p for p in range(tables.ports) if p != port]
                answer |= {"outcome": outcome, "out": others}
            else:
                answer |= {"outcome": "dropped", "reason": outcome}
            yield answer

    def _inside_prefixes(self, count: int) -> Numbers:
        """Addresses uniform over the prefixes, then uniform inside."""
        which = share_out(self.rng, len(self.tables.prefixes), count)
        free = 32 - self.tables.lengths[which]
        inside = self.rng.integers(0, 1 << 32, size=count)
        found = self.tables.prefixes[which] | (inside & ((1 << free) - 1))
        # A default route covers addresses that no packet may have, too.
        first = found >> 24
        martian = (first == 0) | (first == 127) | (first >= 224)
        result: Numbers = np.where(martian, 1 << 24 | found & 0xFFFFFF, found)
        return result

    def _destinations(self, count: int) -> Numbers:
        if not self.flows.count:
            return self._inside_prefixes(count)
        return self.destinations[self.flows.draw(count)]

    def _without_route(self, count: int) -> Numbers:
        # 1.0.0.0 to 223.255.255.255, where the prefixes lie.
        found = traffic.draw_accepted(
            count,
            lambda n: self.rng.integers(1 << 24, 224 << 24, size=n),
            lambda tried: (self.lookup.routes(tried) < 0) & (tried >> 24 != 127),
        )
        if len(found) < count:
            message = "the routes cover all addresses: --no-route cannot be met"
            raise InputError("E-traces-111", message)
        return found

    def _ether(self, chunk: _Chunk) -> None:
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
            dst[chunk.of(name)] = 0xFFFFFFFFFFFF
        same = chunk.of("same-port")
        others = (stations[same] + tables.ports) % len(tables.host_macs)
        dst[same] = tables.host_macs[others + chunk.ports[same]]
        unknown = chunk.of("unknown")
        strange = HOST_MACS | 1 << 32 | rng.integers(0, 1 << 32, size=len(unknown))
        dst[unknown] = strange
        multicast = chunk.of("multicast")
        group = rng.integers(0, 1 << 23, size=len(multicast))
        dst[multicast] = 0x01005E000000 | group
        put(chunk.rows, 0, 6, dst)

    def _ipv4(self, chunk: _Chunk) -> None:
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
        put(rows, 23, 1, UDP_PROTOCOL)
        put(rows, 26, 4, SOURCES | rng.integers(0, 1 << 17, size=count))
        put(rows, 30, 4, destinations)
        put(rows, 34, 2, rng.integers(1024, 1 << 16, size=count))
        put(rows, 36, 2, 7)  # Echo, as RFC 2544 has it.
        put(rows, 38, 2, chunk.lengths - ETHER_BYTES - IPV4_BYTES)

    def _exceptions(self, chunk: _Chunk) -> None:
        """What is wrong or special in the header, before its checksum."""
        rows, rng = chunk.rows, self.rng
        self._set(chunk, "ttl-expired", 22, 1, lambda n: rng.integers(0, 2, size=n))
        wrong_version = lambda n: (rng.integers(5, 20, size=n) % 16) << 4 | 5  # noqa: E731
        self._set(chunk, "bad-version", 14, 1, wrong_version)
        self._set(
            chunk, "bad-header-length", 14, 1, lambda n: 0x40 | rng.integers(0, 5, n)
        )
        self._set(chunk, "not-ipv4", 12, 2, lambda n: ETH_TYPE_OTHER)
        # A header of 60 bytes in a frame that has room for 46.
        short = chunk.of("truncated")
        chunk.lengths[short] = 60
        self._set(chunk, "truncated", 14, 1, lambda n: 0x4F)
        long = chunk.of("bad-length")
        beyond = chunk.lengths[long] - ETHER_BYTES + rng.integers(1, 1000, len(long))
        tiny = rng.integers(0, IPV4_BYTES, size=len(long))
        chunk.put_at(long, 16, 2, np.where(long % 2 == 0, beyond, tiny))
        self._set(chunk, "options", 14, 1, lambda n: 0x46)
        # Router alert (RFC 2113); the UDP header moves behind it.
        marked = chunk.of("options")
        moved = rows[marked, 34:-OPTION_BYTES]
        rows[marked, 34 + OPTION_BYTES :] = moved
        chunk.put_at(marked, 34, 4, 0x94040000)
        udp_bytes = chunk.lengths[marked] - ETHER_BYTES - IPV4_BYTES - OPTION_BYTES
        chunk.put_at(marked, 38 + OPTION_BYTES, 2, udp_bytes)
        self._set(
            chunk, "fragments", 20, 2, lambda n: 0x2000 | rng.integers(0, 1 << 13, n)
        )

    def _set(self, chunk: _Chunk, name: str, at: int, size: int, values) -> None:  # type: ignore[no-untyped-def]
        which = chunk.of(name)
        chunk.put_at(which, at, size, values(len(which)))

    def _checksums(self, chunk: _Chunk) -> None:
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

    def _arp(self, chunk: _Chunk, numbers: Numbers) -> None:
        """Requests and replies of RFC 826 in place of the IPv4 packet."""
        for name, operation in (("arp", 1), ("arp-to-router", 2)):
            which = chunk.of(name)
            chunk.lengths[which] = 60
            part = chunk.rows[which]
            sender = part[:, 6:12].copy()
            addresses = part[:, 26:34].copy()
            part[:, 12:] = 0
            put(part, 12, 2, ETH_TYPE_ARP)
            put(part, 14, 8, 0x0001_0800_0604_0000 | operation)
            part[:, 22:28] = sender
            part[:, 28:32] = addresses[:, 0:4]
            part[:, 38:42] = addresses[:, 4:8]
            put(part, 42, SEQUENCE_BYTES, numbers[which])
            chunk.rows[which] = part

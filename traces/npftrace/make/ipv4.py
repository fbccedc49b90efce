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
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from npftrace.errors import InputError
from npftrace.make import options
from npftrace.make.frames import (
    CHUNK,
    Bytes,
    FrameWriter,
    Numbers,
    header_sums,
    put,
)
from npftrace.make.tables import (
    HOST_MACS,
    Lookup,
    Tables,
    make_tables,
    make_updates,
    router_mac,
)
from npftrace.progress import progress
from npftrace.wire import ETH_TYPE_ARP, ETH_TYPE_IPV4, ipv4_text, mac_text

# What a share can be asked of: option, what comes of it, and what it is.
SHARES = {
    "bridged": ("bridged", "frames to a known station on another port"),
    "broadcast": ("flooded", "frames to ff:ff:ff:ff:ff:ff"),
    "multicast": ("flooded", "frames to an IPv4 multicast address"),
    "unknown": ("flooded", "frames to a station that no port knows"),
    "arp": ("flooded", "ARP requests, broadcast"),
    "arp-to-router": ("not_ipv4", "ARP replies to the router"),
    "same-port": ("same_port", "frames to a station on the port they come from"),
    "not-ipv4": ("not_ipv4", "IPv6 frames to the router"),
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
# The kind of a frame: 0 is routed without more ado, then SHARES in order.
KIND = {name: number for number, name in enumerate(["routed", *SHARES])}
TO_ROUTER = [
    "routed", "arp-to-router", "not-ipv4", "ttl-expired", "bad-checksum",
    "bad-version", "bad-header-length", "bad-length", "truncated", "no-route",
    "options", "fragments",
]  # fmt: skip

ETH_TYPE_IPV6 = 0x86DD
ETHER_BYTES = 14
IPV4_BYTES = 20
UDP_BYTES = 8
UDP_PROTOCOL = 17
SEQUENCE_BYTES = 8
OPTION_BYTES = 4
SOURCES = 0xC6120000  # 198.18.0.0/15, for benchmarks (RFC 2544).


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace make ipv4`."""
    count = options.between
    parser.add_argument("--out", type=Path, required=True, help="pcap or pcapng")
    parser.add_argument("--control", type=Path, required=True, help="control file")
    parser.add_argument("--answers", type=Path, help="JSON, one line a packet")
    parser.add_argument("--packets", type=count(1, 10**9), default=20000)
    parser.add_argument("--routes", type=count(1, 10**6), default=10000)
    parser.add_argument("--hops", type=count(1, 65536), default=64)
    parser.add_argument("--hosts", type=count(1, 10**6), default=32, help="a port")
    parser.add_argument("--ports", type=count(2, 16), default=4)
    parser.add_argument("--seed", type=count(0, 2**63), default=1)
    parser.add_argument(
        "--size",
        type=options.sizes,
        default=options.sizes("64"),
        help="with CRC: 64, 64,512, 64:7,594:4, 64-1518 or imix",
    )
    parser.add_argument("--locality", choices=("uniform", "zipf"), default="uniform")
    parser.add_argument(
        "--flows",
        type=count(0, 10**7),
        default=0,
        help="destinations in all (0: zipf 65536, uniform a new one each packet)",
    )
    parser.add_argument("--exponent", type=float, default=1.0, help="of zipf")
    parser.add_argument(
        "--default-route", action="store_true", help="one of the routes is 0.0.0.0/0"
    )
    parser.add_argument(
        "--updates",
        type=count(0, 10**6),
        default=0,
        help="routes that change while packets flow",
    )
    shares = parser.add_argument_group("shares of the packets, 0 to 1")
    for name, (_, text) in SHARES.items():
        shares.add_argument(f"--{name}", type=options.share, default=0.0, help=text)


def run(args: argparse.Namespace) -> None:
    """Writes the trace, the control file and the answers."""
    rng = np.random.Generator(np.random.PCG64(args.seed))
    kinds = _kinds(args, rng)
    tables = make_tables(
        rng, args.ports, args.routes, args.hops, args.hosts, args.default_route
    )
    tables.updates = make_updates(rng, tables, args.updates, args.packets)
    tables.write(args.control)
    generator = _Generator(args, rng, tables)
    with ExitStack() as stack:
        writer = stack.enter_context(FrameWriter(args.out, args.ports))
        advance = stack.enter_context(progress(f"making {args.out}", len(kinds)))
        answers = None
        if args.answers:
            answers = stack.enter_context(open(args.answers, "w", encoding="ascii"))
        for begin in range(0, len(kinds), CHUNK):
            chunk = generator.chunk(begin, kinds[begin : begin + CHUNK])
            writer.write(chunk.rows, chunk.lengths)
            if answers:
                answers.writelines(chunk.answers(tables, begin))
            advance(len(chunk.rows))


def _kinds(args: argparse.Namespace, rng: np.random.Generator) -> Numbers:
    """The kind of each packet."""
    counts = {
        name: round(getattr(args, name.replace("-", "_")) * args.packets)
        for name in SHARES
    }
    special = sum(counts.values())
    if special > args.packets:
        raise InputError("E-traces-110", "the shares sum up to more than 1")
    kinds = np.zeros(args.packets, dtype=np.int8)
    kinds[:special] = np.repeat([KIND[name] for name in counts], list(counts.values()))
    return rng.permutation(kinds)


class _Chunk:
    """Some frames, their lengths without CRC, and what becomes of them."""

    def __init__(self, kinds: Numbers, ports: Numbers, lengths: Numbers) -> None:
        self.kinds = kinds
        self.ports = ports
        self.lengths = lengths
        self.rows: Bytes = np.zeros((len(kinds), int(lengths.max())), dtype=np.uint8)
        self.routes: Numbers = np.full(len(kinds), -1, dtype=np.int64)
        self.out_ports: Numbers = np.full(len(kinds), -1, dtype=np.int64)

    def of(self, *names: str) -> Numbers:
        """Indices of the frames of these kinds."""
        return np.flatnonzero(np.isin(self.kinds, [KIND[name] for name in names]))

    def answers(self, tables: Tables, begin: int) -> Iterator[str]:
        """A line of JSON for each frame."""
        names = list(KIND)
        columns = zip(
            self.kinds.tolist(),
            self.ports.tolist(),
            self.routes.tolist(),
            self.out_ports.tolist(),
            self.rows[:, 22].tolist(),
            strict=True,
        )
        for index, (kind, port, route, out_port, ttl) in enumerate(columns, begin):
            outcome = SHARES.get(names[kind], ("routed", ""))[0]
            answer: dict[str, object] = {"packet": index, "port": port}
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
            yield json.dumps(answer) + "\n"


class _Generator:
    """Builds chunks of frames."""

    def __init__(
        self, args: argparse.Namespace, rng: np.random.Generator, tables: Tables
    ) -> None:
        self.args = args
        self.rng = rng
        self.tables = tables
        self.lookup = Lookup(tables)
        self.flows: Numbers | None = None
        self.chances: np.ndarray | None = None
        if args.locality == "zipf":
            count = args.flows or 65536
            weights = 1.0 / np.arange(1, count + 1) ** args.exponent
            self.chances = np.cumsum(weights) / weights.sum()
            self.flows = self._inside_prefixes(count)
        elif args.flows:
            self.flows = self._inside_prefixes(args.flows)

    def chunk(self, begin: int, kinds: Numbers) -> _Chunk:
        count = len(kinds)
        ports = (begin + np.arange(count)) % self.args.ports
        chunk = _Chunk(kinds, ports, self.args.size.draw(self.rng, count))
        numbers = begin + np.arange(count)
        self._payload(chunk, numbers)
        self._ether(chunk)
        self._ipv4(chunk)
        self._exceptions(chunk)
        self._checksums(chunk)
        self._arp(chunk, numbers)
        return chunk

    def _inside_prefixes(self, count: int) -> Numbers:
        """Addresses uniform over the prefixes, then uniform inside."""
        which = self.rng.integers(0, len(self.tables.prefixes), size=count)
        free = 32 - self.tables.lengths[which]
        inside = self.rng.integers(0, 1 << 32, size=count)
        return self.tables.prefixes[which] | (inside & ((1 << free) - 1))

    def _destinations(self, count: int) -> Numbers:
        if self.flows is None:
            return self._inside_prefixes(count)
        if self.chances is None:
            return self.flows[self.rng.integers(0, len(self.flows), size=count)]
        ranks = np.searchsorted(self.chances, self.rng.random(count), side="right")
        return self.flows[np.minimum(ranks, len(self.flows) - 1)]

    def _without_route(self, count: int) -> Numbers:
        found = np.zeros(0, dtype=np.int64)
        for _ in range(64):
            if len(found) >= count:
                break
            # 1.0.0.0 to 223.255.255.255, where the prefixes lie.
            tried = self.rng.integers(1 << 24, 224 << 24, size=2 * count + 256)
            found = np.append(found, tried[self.lookup.routes(tried) < 0])
        if len(found) < count:
            message = "the routes cover all addresses: --no-route cannot be met"
            raise InputError("E-traces-111", message)
        return found[:count]

    def _payload(self, chunk: _Chunk, numbers: Numbers) -> None:
        """The packet's number, then bytes that depend on it and the place."""
        start = ETHER_BYTES + IPV4_BYTES + UDP_BYTES
        width = chunk.rows.shape[1]
        pattern = numbers[:, None] * 31 + np.arange(width - start)
        chunk.rows[:, start:] = (pattern & 0xFF).astype(np.uint8)
        put(chunk.rows, start, SEQUENCE_BYTES, numbers)

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
        self._set(chunk, "not-ipv4", 12, 2, lambda n: ETH_TYPE_IPV6)
        # A header of 60 bytes in a frame that has room for 46.
        short = chunk.of("truncated")
        chunk.lengths[short] = 60
        self._set(chunk, "truncated", 14, 1, lambda n: 0x4F)
        long = chunk.of("bad-length")
        beyond = chunk.lengths[long] - ETHER_BYTES + rng.integers(1, 1000, len(long))
        tiny = rng.integers(0, IPV4_BYTES, size=len(long))
        self._put_at(rows, long, 16, 2, np.where(long % 2 == 0, beyond, tiny))
        self._set(chunk, "options", 14, 1, lambda n: 0x46)
        # Router alert (RFC 2113); the UDP header moves behind it.
        marked = chunk.of("options")
        moved = rows[marked, 34:-OPTION_BYTES]
        rows[marked, 34 + OPTION_BYTES :] = moved
        self._put_at(rows, marked, 34, 4, 0x94040000)
        udp_bytes = chunk.lengths[marked] - ETHER_BYTES - IPV4_BYTES - OPTION_BYTES
        self._put_at(rows, marked, 38 + OPTION_BYTES, 2, udp_bytes)
        self._set(
            chunk, "fragments", 20, 2, lambda n: 0x2000 | rng.integers(0, 1 << 13, n)
        )

    def _set(self, chunk: _Chunk, name: str, at: int, size: int, values) -> None:  # type: ignore[no-untyped-def]
        which = chunk.of(name)
        self._put_at(chunk.rows, which, at, size, values(len(which)))

    @staticmethod
    def _put_at(rows: Bytes, which: Numbers, at: int, size: int, values) -> None:  # type: ignore[no-untyped-def]
        part = rows[which]
        put(part, at, size, values)
        rows[which] = part

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

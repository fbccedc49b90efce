"""MPLS traffic for a label switching router.

As in the NPF MPLS forwarding benchmark, packets are of three configurations:
ingress (IPv4 that gets labels), transit (the top label is swapped), and egress
(the last label is popped and the IPv4 packet forwarded). Each is a third of the
packets unless the shares say otherwise. Transit and other labelled packets have
stacks of up to `--depth` labels. The TTL is that of the uniform model; the EXP
bits are random.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from npftrace.arguments import between
from npftrace.draws import Numbers, draw_evenly
from npftrace.errors import InputError
from npftrace.frames.wire import (
    ETH_TYPE_ARP,
    ETH_TYPE_IPV4,
    ETH_TYPE_MPLS,
    ETHER_BYTES,
    LABEL_BYTES,
    UDP,
)
from npftrace.make import traffic
from npftrace.make.chunks import Chunk, header_sums, put
from npftrace.make.traffic import IPV4_BYTES, UDP_BYTES, Answer, Flows, PacketKind
from npftrace.tables.addresses import HOST_MACS, is_host, router_mac
from npftrace.tables.labels import (
    LABEL_FIRST,
    LABEL_LIMIT,
    LABEL_SPACE,
    POP,
    POP_FORWARD,
    PUSH_MAX,
    SWAP,
    SWAP_PUSH,
    LabelTables,
    make_label_tables,
)


@dataclass(frozen=True)
class _Labelled(PacketKind):
    """Packets with a label stack."""

    #: What the tables may do with the top label; empty if it is not in them.
    operations: tuple[int, ...] = ()
    #: How many labels the stack has; a most of 0 means `--depth`.
    depth_min: int = 1
    depth_max: int = 0


#: Kinds of packets; those of no kind are "ingress".
PACKET_KINDS = {
    "transit": _Labelled("labelled", "top label swapped", 1 / 3, (SWAP,)),
    "egress": _Labelled(
        "routed", "last label popped, forwarded as IPv4", 1 / 3, (POP,), depth_max=1
    ),
    "ip": PacketKind("routed", "IPv4 in, IPv4 out"),
    "swap-push": _Labelled(
        "labelled",
        "top label swapped, one to three pushed",
        operations=(SWAP_PUSH,),
    ),
    "pop-labels": _Labelled(
        "labelled",
        "top label popped, labels left",
        operations=(POP_FORWARD,),
        depth_min=2,
    ),
    "pop-ip": _Labelled(
        "routed",
        "penultimate hop: popped, forwarded without look-up",
        operations=(POP_FORWARD,),
        depth_max=1,
    ),
    "pop-again": _Labelled(
        "labelled",
        "top label popped, the next one swapped",
        operations=(POP,),
        depth_min=2,
    ),
    "explicit-null": _Labelled(
        "routed", "label 0 alone, forwarded as IPv4", depth_max=1
    ),
    "egress-push": _Labelled(
        "labelled",
        "last label popped, IPv4 gets labels again",
        operations=(POP,),
        depth_max=1,
    ),
    "unknown-label": _Labelled("unknown_label", "a label that is not in use"),
    "reserved-label": _Labelled("reserved_label", "labels 3 to 15"),
    "ttl-expired": _Labelled(
        "ttl_expired",
        "TTL 0 or 1 in the top label",
        operations=(SWAP, SWAP_PUSH, POP_FORWARD),
    ),
    "ip-ttl-expired": PacketKind("ttl_expired", "TTL 0 or 1 in an IPv4 packet"),
    "bad-checksum": PacketKind("bad_checksum", "a wrong IPv4 header checksum"),
    "no-route": PacketKind("no_route", "destinations that no FEC covers"),
    "other-type": PacketKind("other_type", "ARP replies to the router"),
    "other-mac": PacketKind("not_for_router", "frames to another station"),
}
NAMES = ["ingress", *PACKET_KINDS]
LABELLED_KINDS = {n: k for n, k in PACKET_KINDS.items() if isinstance(k, _Labelled)}
#: Kinds whose destination has a FEC that begins a path.
TO_PATH = ("ingress", "egress-push")
#: The UDP port of echo, as RFC 2544 has it.
ECHO_PORT = 7
#: Senders are in 198.18.0.0/15, for benchmarks (RFC 2544).
SOURCES = 0xC6120000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace make mpls`."""
    traffic.add_arguments(parser)
    parser.add_argument(
        "--labels", type=between(8, 60000), default=4096, help="incoming labels"
    )
    parser.add_argument(
        "--fecs", type=between(8, 10**6), default=10000, help="prefixes with a FEC"
    )
    parser.add_argument(
        "--hops", type=between(1, 256), default=64, help="next hops of the labels"
    )
    parser.add_argument(
        "--push", type=between(1, PUSH_MAX), default=1, help="labels at the ingress"
    )
    parser.add_argument(
        "--depth", type=between(1, 16), default=1, help="labels of a stack, at most"
    )
    traffic.add_shares(parser, PACKET_KINDS)


def run(args: argparse.Namespace) -> None:
    """Writes the trace, the control file and the answers."""
    rng = np.random.Generator(np.random.PCG64(args.seed))
    kinds = traffic.draw_kinds(args, rng, PACKET_KINDS)
    tables = make_label_tables(
        rng, args.ports, args.hops, args.labels, args.fecs, args.push
    )
    tables.write(args.control)
    traffic.write(args, kinds, _Generator(args, rng, tables))


class _Chunk(Chunk):
    """Frames with their NHLFEs, the depths of their stacks, and their top TTLs."""

    def __init__(self, kinds: Numbers, ports: Numbers, lengths: Numbers) -> None:
        super().__init__(NAMES, kinds, ports, lengths)
        self.nhlfes: Numbers = np.full(len(kinds), -1, dtype=np.int64)
        self.depths: Numbers = np.zeros(len(kinds), dtype=np.int64)
        self.ttls: Numbers = np.zeros(len(kinds), dtype=np.int64)


class _Generator:
    """Builds chunks of frames."""

    def __init__(
        self, args: argparse.Namespace, rng: np.random.Generator, tables: LabelTables
    ) -> None:
        self.args = args
        self.rng = rng
        self.tables = tables
        self.flows = Flows(args, rng)
        # One number per flow, from which its label or destination follows.
        self.flow_seeds = rng.integers(0, 1 << 62, size=max(1, self.flows.count))
        path_begins = tables.nhlfe_counts[tables.fec_nhlfes] > 0
        self.pools = {
            to_path: self._destinations(path_begins, to_path)
            for to_path in (True, False)
        }
        self.pool_ports = {
            to_path: self._ports_of(tables.fec_nhlfes[tables.lookup.routes(pool)])
            for to_path, pool in self.pools.items()
        }

    def _destinations(self, path_begins: NDArray[np.bool_], to_path: bool) -> Numbers:
        """Many destinations, uniform over the FECs that begin a path (or over the
        others), then uniform inside."""
        rng, tables = self.rng, self.tables
        which = np.flatnonzero(path_begins == to_path)

        def draw(count: int) -> Numbers:
            fec = which[rng.integers(0, len(which), size=count)]
            inside = rng.integers(0, 1 << 32, size=count)
            return tables.prefixes[fec] | inside & (
                (1 << (32 - tables.lengths[fec])) - 1
            )

        # A longer prefix of the other sort may be inside.
        return traffic.draw_accepted(
            1 << 16,
            draw,
            lambda tried: (
                (path_begins[tables.lookup.routes(tried)] == to_path) & is_host(tried)
            ),
        )

    def _draw(self, count: int) -> Numbers:
        """A large number for each packet, the same for packets of a flow."""
        if not self.flows.count:
            return self.rng.integers(0, 1 << 62, size=count)
        return self.flow_seeds[self.flows.draw(count)]

    def _pick(self, ports: Numbers, seeds: Numbers, part: int) -> Numbers:
        """The index into `ports` that each packet takes: that of its flow, or
        without flows each index equally often."""
        if self.flows.count:
            result: Numbers = seeds // part % len(ports)
            return result
        return draw_evenly(self.rng, ports, len(seeds))

    def _ports_of(self, nhlfes: Numbers) -> Numbers:
        ports: Numbers = self.tables.hop_ports[self.tables.nhlfe_hops[nhlfes]]
        return ports

    def _label_ports(self, labels: Numbers) -> Numbers:
        return self._ports_of(self.tables.label_nhlfes[labels])

    def _pool(self, to_path: bool, seeds: Numbers) -> Numbers:
        pool = self.pools[to_path]
        result: Numbers = pool[self._pick(self.pool_ports[to_path], seeds, 1)]
        return result

    def chunk(self, begin: int, kinds: Numbers) -> _Chunk:
        numbers = begin + np.arange(len(kinds))
        ports = numbers % self.args.ports
        chunk = _Chunk(kinds, ports, self.args.size.draw(self.rng, len(kinds)))
        seeds = self._draw(len(kinds))
        stacks = self._stacks(chunk, seeds)
        room = chunk.lengths - ETHER_BYTES - LABEL_BYTES * chunk.depths
        if room.min() < IPV4_BYTES + UDP_BYTES:
            message = f"stacks of {self.args.depth} labels do not fit the frames"
            raise InputError("E-traces-113", message)
        self._put_packet(chunk, seeds, room, numbers)
        self._put_stacks(chunk, stacks)
        self._put_ether(chunk, numbers)
        return chunk

    def _stacks(self, chunk: _Chunk, seeds: Numbers) -> Numbers:
        """Label stack entries, one row per packet, the top one first."""
        tables, rng, count = self.tables, self.rng, len(seeds)
        deepest = max(self.args.depth, 2)
        labelled = chunk.of(*LABELLED_KINDS)
        depths = chunk.depths
        depths[labelled] = 1 + seeds[labelled] // 7 % self.args.depth
        for name, kind in LABELLED_KINDS.items():
            which = chunk.of(name)
            depths[which] = np.maximum(depths[which], kind.depth_min)
            if kind.depth_max:
                depths[which] = np.minimum(depths[which], kind.depth_max)
        labels = rng.integers(LABEL_FIRST, LABEL_LIMIT, size=(count, deepest))
        for name, kind in LABELLED_KINDS.items():
            which = chunk.of(name)
            if kind.operations:
                usable = tables.indices_of(*kind.operations)
                at = usable[self._pick(self._label_ports(usable), seeds[which], 11)]
                labels[which, 0] = tables.labels[at]
                chunk.nhlfes[which] = tables.label_nhlfes[at]
        again = chunk.of("pop-again")
        swapped = tables.indices_of(SWAP)
        at = swapped[self._pick(self._label_ports(swapped), seeds[again], 13)]
        labels[again, 1] = tables.labels[at]
        chunk.nhlfes[again] = tables.label_nhlfes[at]
        labels[chunk.of("explicit-null"), 0] = 0
        reserved = chunk.of("reserved-label")
        labels[reserved, 0] = rng.integers(3, LABEL_FIRST, size=len(reserved))
        unknown = chunk.of("unknown-label")
        unused = np.setdiff1d(np.arange(LABEL_FIRST, LABEL_SPACE + 1024), tables.labels)
        labels[unknown, 0] = rng.choice(unused, size=len(unknown))
        exp = rng.integers(0, 8, size=labels.shape)
        ttl = rng.integers(2, 256, size=labels.shape)
        expired = chunk.of("ttl-expired")
        ttl[expired, 0] = rng.integers(0, 2, size=len(expired))
        bottom = np.arange(deepest) == depths[:, None] - 1
        chunk.ttls[labelled] = ttl[labelled, 0]
        stacks: Numbers = labels << 12 | exp << 9 | bottom.astype(np.int64) << 8 | ttl
        return stacks

    def _put_packet(
        self, chunk: _Chunk, seeds: Numbers, room: Numbers, numbers: Numbers
    ) -> None:
        """The IPv4 packet, directly after the Ethernet header."""
        rows, rng, count = chunk.rows, self.rng, len(numbers)
        to_path = np.isin(chunk.kinds, [NAMES.index(name) for name in TO_PATH])
        destinations = np.zeros(count, dtype=np.int64)
        for sort in (True, False):
            which = np.flatnonzero(to_path == sort)
            destinations[which] = self._pool(sort, seeds[which])
        stray = chunk.of("no-route")
        destinations[stray] = self._without_route(len(stray))
        ttls = rng.integers(2, 256, size=count)
        expired = chunk.of("ip-ttl-expired")
        ttls[expired] = rng.integers(0, 2, size=len(expired))
        chunk.ttls[chunk.depths == 0] = ttls[chunk.depths == 0]
        chunk.put_payload(ETHER_BYTES + IPV4_BYTES + UDP_BYTES, numbers)
        put(rows, 14, 1, 0x45)
        put(rows, 15, 1, rng.integers(0, 8, size=count) << 5)
        put(rows, 16, 2, room)
        put(rows, 18, 2, numbers)
        put(rows, 22, 1, ttls)
        put(rows, 23, 1, UDP)
        put(rows, 26, 4, SOURCES | seeds & 0x1FFFF)
        put(rows, 30, 4, destinations)
        put(rows, 34, 2, 1024 + seeds % 60000)
        put(rows, 36, 2, ECHO_PORT)
        put(rows, 38, 2, room - IPV4_BYTES)
        put(rows, 24, 2, header_sums(rows, ETHER_BYTES, IPV4_BYTES))
        wrong = chunk.of("bad-checksum")
        flipped = rows[wrong, 24].astype(np.int64) ^ (1 << (wrong % 8))
        chunk.put_at(wrong, 24, 1, flipped)
        routes = self.tables.lookup.routes(destinations)
        by_fec = chunk.of("ingress", "egress", "ip", "explicit-null", "egress-push")
        chunk.nhlfes[by_fec] = self.tables.fec_nhlfes[routes[by_fec]]

    def _without_route(self, count: int) -> Numbers:
        found = traffic.draw_accepted(
            count,
            lambda n: self.rng.integers(1 << 24, 224 << 24, size=n),
            lambda tried: (self.tables.lookup.routes(tried) < 0) & is_host(tried),
        )
        if len(found) < count:
            message = "the FECs cover all addresses: --no-route cannot be met"
            raise InputError("E-traces-111", message)
        return found

    def _put_stacks(self, chunk: _Chunk, stacks: Numbers) -> None:
        """Inserts the stacks before the packets, which move back."""
        for depth in range(1, stacks.shape[1] + 1):
            which = np.flatnonzero(chunk.depths == depth)
            part = chunk.rows[which]
            size = LABEL_BYTES * depth
            part[:, ETHER_BYTES + size :] = part[:, ETHER_BYTES:-size].copy()
            for index in range(depth):
                at = ETHER_BYTES + LABEL_BYTES * index
                put(part, at, LABEL_BYTES, stacks[which, index])
            chunk.rows[which] = part

    def _put_ether(self, chunk: _Chunk, numbers: Numbers) -> None:
        put(chunk.rows, 0, 6, router_mac(0) | chunk.ports)
        put(chunk.rows, 6, 6, HOST_MACS | 1 << 16 | chunk.ports)
        types = np.where(chunk.depths > 0, ETH_TYPE_MPLS, ETH_TYPE_IPV4)
        put(chunk.rows, 12, 2, types)
        chunk.put_at(chunk.of("other-type"), 12, 2, ETH_TYPE_ARP)
        other = chunk.of("other-mac")
        chunk.put_at(other, 0, 6, HOST_MACS | 2 << 16 | numbers[other] & 0xFFFF)

    def answers(self, chunk: Chunk, begin: int) -> Iterator[Answer]:
        assert isinstance(chunk, _Chunk)
        tables = self.tables
        columns = zip(
            chunk.kinds.tolist(),
            chunk.ports.tolist(),
            chunk.nhlfes.tolist(),
            chunk.ttls.tolist(),
            strict=True,
        )
        for index, (kind, port, nhlfe, ttl) in enumerate(columns, begin):
            outcome = PACKET_KINDS[NAMES[kind]].outcome if kind else "labelled"
            answer: Answer = {"packet": index, "port": port}
            if outcome in ("labelled", "routed"):
                hop = int(tables.nhlfe_hops[nhlfe])
                answer |= {
                    "outcome": outcome,
                    "out": [int(tables.hop_ports[hop])],
                    "pushed": tables.nhlfe_labels[nhlfe][
                        : int(tables.nhlfe_counts[nhlfe])
                    ].tolist(),
                    "ttl": ttl - 1,
                }
            else:
                answer |= {"outcome": "dropped", "reason": outcome}
            yield answer

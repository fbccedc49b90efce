"""MPLS traffic for a label switching router, with its tables and answers.

As in the NPF MPLS forwarding benchmark, packets are of three configurations:
ingress (IPv4 that gets labels), transit (the top label is swapped), and egress
(the last label is popped and the IPv4 packet forwarded), a third each unless
the shares say otherwise. Transit and other labelled packets bear stacks of
`--depth` labels. TTL is that of the uniform model, EXP is random.
"""

import argparse
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from npftrace.errors import InputError
from npftrace.make import options, traffic
from npftrace.make.frames import Numbers, draw_evenly, header_sums, put
from npftrace.make.lsp import (
    LABEL_FIRST,
    LABEL_SPACE,
    POP,
    POP_FORWARD,
    PUSH_MAX,
    SWAP,
    SWAP_PUSH,
    LabelTables,
    make_label_tables,
)
from npftrace.make.tables import HOST_MACS, router_mac
from npftrace.make.traffic import ETHER_BYTES, IPV4_BYTES, Answer, Chunk, Flows
from npftrace.wire import ETH_TYPE_ARP, ETH_TYPE_IPV4, ETH_TYPE_MPLS

SHARES = {
    "transit": ("labelled", "top label swapped"),
    "egress": ("routed", "last label popped, forwarded as IPv4"),
    "ip": ("routed", "IPv4 in, IPv4 out"),
    "swap-push": ("labelled", "top label swapped, one to three pushed"),
    "pop-labels": ("labelled", "top label popped, labels left"),
    "pop-ip": ("routed", "penultimate hop: popped, forwarded without look-up"),
    "pop-again": ("labelled", "top label popped, the next one swapped"),
    "explicit-null": ("routed", "label 0 alone, forwarded as IPv4"),
    "egress-push": ("labelled", "last label popped, IPv4 gets labels again"),
    "unknown-label": ("unknown_label", "a label that is not in use"),
    "reserved-label": ("reserved_label", "labels 3 to 15"),
    "ttl-expired": ("ttl_expired", "TTL 0 or 1 in the top label"),
    "ip-ttl-expired": ("ttl_expired", "TTL 0 or 1 in an IPv4 packet"),
    "bad-checksum": ("bad_checksum", "a wrong IPv4 header checksum"),
    "no-route": ("no_route", "destinations that no FEC covers"),
    "other-type": ("other_type", "ARP replies to the router"),
    "other-mac": ("not_for_router", "frames to another station"),
}
NAMES = ["ingress", *SHARES]
DEFAULTS = {"transit": 1 / 3, "egress": 1 / 3}

# Kinds with labels, by what is done with the top one.
TOP = {
    "transit": (SWAP,),
    "egress": (POP,),
    "swap-push": (SWAP_PUSH,),
    "pop-labels": (POP_FORWARD,),
    "pop-ip": (POP_FORWARD,),
    "pop-again": (POP,),
    "explicit-null": (),
    "egress-push": (POP,),
    "unknown-label": (),
    "reserved-label": (),
    "ttl-expired": (SWAP, SWAP_PUSH, POP_FORWARD),
}
# Kinds whose only label is the top one, and whose stack has at least two.
ONE_LABEL = ("egress", "pop-ip", "explicit-null", "egress-push")
MORE_LABELS = ("pop-labels", "pop-again")
# Kinds whose destination has a FEC that begins a path.
TO_PATH = ("ingress", "egress-push")
LABEL_BYTES = 4
UDP_BYTES = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace make mpls`."""
    count = options.between
    traffic.add_arguments(parser)
    parser.add_argument("--labels", type=count(8, 60000), default=4096)
    parser.add_argument("--fecs", type=count(8, 10**6), default=10000)
    parser.add_argument("--hops", type=count(1, 256), default=64)
    parser.add_argument(
        "--push", type=count(1, PUSH_MAX), default=1, help="labels at the ingress"
    )
    parser.add_argument(
        "--depth", type=count(1, 16), default=1, help="labels of a stack, at most"
    )
    traffic.add_shares(parser, SHARES, DEFAULTS)


def run(args: argparse.Namespace) -> None:
    """Writes the trace, the control file and the answers."""
    rng = np.random.Generator(np.random.PCG64(args.seed))
    kinds = traffic.draw_kinds(args, rng, SHARES)
    tables = make_label_tables(
        rng, args.ports, args.hops, args.labels, args.fecs, args.push
    )
    tables.write(args.control)
    traffic.write(args, kinds, _Generator(args, rng, tables))


class _Chunk(Chunk):
    """Frames with their stacks, as rows of entries, and their NHLFEs."""

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
        # A flow has one number, from which its label or destination follows.
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
        """Many destinations, uniform over the FECs of one sort, then inside."""
        rng, tables = self.rng, self.tables
        which = np.flatnonzero(path_begins == to_path)

        def draw(count: int) -> Numbers:
            fec = which[rng.integers(0, len(which), size=count)]
            inside = rng.integers(0, 1 << 32, size=count)
            return tables.prefixes[fec] | inside & (
                (1 << (32 - tables.lengths[fec])) - 1
            )

        # A longer prefix of the other sort may lie inside.
        return traffic.draw_accepted(
            1 << 16,
            draw,
            lambda tried: path_begins[tables.lookup.routes(tried)] == to_path,
        )

    def _draw(self, count: int) -> Numbers:
        """A large number for each packet, the same for packets of a flow."""
        if not self.flows.count:
            return self.rng.integers(0, 1 << 62, size=count)
        return self.flow_seeds[self.flows.draw(count)]

    def _pick(self, ports: Numbers, seeds: Numbers, part: int) -> Numbers:
        """Which of the entries that lead to `ports` each packet takes: that of
        its flow, or without flows all alike."""
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
        self._packet(chunk, seeds, room, numbers)
        self._shift(chunk, stacks)
        self._ether(chunk, numbers)
        return chunk

    def _stacks(self, chunk: _Chunk, seeds: Numbers) -> Numbers:
        """Label stack entries, a row a packet, the top one first."""
        tables, rng, count = self.tables, self.rng, len(seeds)
        deepest = max(self.args.depth, 2)
        labelled = chunk.of(*TOP)
        depths = chunk.depths
        depths[labelled] = 1 + seeds[labelled] // 7 % self.args.depth
        depths[chunk.of(*ONE_LABEL)] = 1
        more = chunk.of(*MORE_LABELS)
        depths[more] = np.maximum(depths[more], 2)
        labels = rng.integers(LABEL_FIRST, 1 << 20, size=(count, deepest))
        for name, operations in TOP.items():
            which = chunk.of(name)
            if operations:
                usable = tables.labels_for(*operations)
                at = usable[self._pick(self._label_ports(usable), seeds[which], 11)]
                labels[which, 0] = tables.labels[at]
                chunk.nhlfes[which] = tables.label_nhlfes[at]
        again = chunk.of("pop-again")
        swapped = tables.labels_for(SWAP)
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

    def _packet(
        self, chunk: _Chunk, seeds: Numbers, room: Numbers, numbers: Numbers
    ) -> None:
        """The IPv4 packet, as if no labels were before it."""
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
        put(rows, 23, 1, 17)
        put(rows, 26, 4, 0xC6120000 | seeds & 0x1FFFF)
        put(rows, 30, 4, destinations)
        put(rows, 34, 2, 1024 + seeds % 60000)
        put(rows, 36, 2, 7)
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
            lambda tried: self.tables.lookup.routes(tried) < 0,
        )
        if len(found) < count:
            message = "the FECs cover all addresses: --no-route cannot be met"
            raise InputError("E-traces-111", message)
        return found

    def _shift(self, chunk: _Chunk, stacks: Numbers) -> None:
        """Puts the stacks before the packets."""
        for depth in range(1, stacks.shape[1] + 1):
            which = np.flatnonzero(chunk.depths == depth)
            part = chunk.rows[which]
            size = LABEL_BYTES * depth
            part[:, ETHER_BYTES + size :] = part[:, ETHER_BYTES:-size].copy()
            for place in range(depth):
                at = ETHER_BYTES + LABEL_BYTES * place
                put(part, at, LABEL_BYTES, stacks[which, place])
            chunk.rows[which] = part

    def _ether(self, chunk: _Chunk, numbers: Numbers) -> None:
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
            outcome = SHARES.get(NAMES[kind], ("labelled", ""))[0]
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

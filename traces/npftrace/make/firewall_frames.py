"""The frames of firewall traffic, in IPv4."""

import argparse
from collections.abc import Iterator

import numpy as np

from npftrace.draws import Numbers
from npftrace.errors import InputError
from npftrace.frames.wire import (
    ETH_TYPE_ARP,
    ETH_TYPE_IPV4,
    ETH_TYPE_IPV6,
    ETHER_BYTES,
    FRAME_BYTES_MIN,
    ICMP,
    TCP,
    UDP,
)
from npftrace.make import traffic
from npftrace.make.chunks import Chunk, header_sums, put
from npftrace.make.rule_headers import (
    DPORT,
    DST,
    FLAGS,
    NONE,
    PROTOCOL,
    SPORT,
    SRC,
    TOS,
    RuleTable,
)
from npftrace.make.traffic import IPV4_BYTES, UDP_BYTES, Answer, Flows, PacketKind
from npftrace.tables.addresses import HOST_MACS
from npftrace.tables.rules import flows_of

#: Kinds of packets; those of no kind are "matched". The outcomes "matched",
#: "unmatched" and "flow_denied" are decided by the first rule that matches.
PACKET_KINDS = {
    "denied": PacketKind("flow_denied", "packets of flows that are dropped", 0.05),
    "unmatched": PacketKind("unmatched", "packets that no rule matches"),
    "fragments": PacketKind("matched", "fragments after the first, without ports"),
    "options": PacketKind("matched", "IPv4 options, or IPv6 destination options"),
    "arp": PacketKind("passed", "ARP requests"),
    "not-ipv4": PacketKind("not_ipv4", "IPv6 frames, or AppleTalk with --ipv6"),
    "bad-header": PacketKind("bad_header", "a wrong version or length"),
    "tiny-fragment": PacketKind("tiny_fragment", "TCP fragments at offset 1"),
    "short-transport": PacketKind(
        "short_transport", "no room for the TCP or UDP header"
    ),
}
NAMES = ["matched", *PACKET_KINDS]

TCP_BYTES = 20
OPTION_BYTES = 4


class FirewallChunk(Chunk):
    """Frames with the rule that matches each, -1 for none."""

    def __init__(self, kinds: Numbers, ports: Numbers, lengths: Numbers) -> None:
        super().__init__(NAMES, kinds, ports, lengths)
        self.matches: Numbers = np.full(len(kinds), -1, dtype=np.int64)


class FirewallFrames:
    """Builds chunks of frames."""

    #: Where the transport header begins, and the shortest frame without CRC.
    transport = ETHER_BYTES + IPV4_BYTES
    shortest = FRAME_BYTES_MIN

    def __init__(
        self,
        args: argparse.Namespace,
        rng: np.random.Generator,
        table: RuleTable,
        dropped: Numbers,
    ) -> None:
        self.args = args
        self.rng = rng
        self.table = table
        flows = np.array(flows_of(table.count), dtype=np.int64)
        # By rule; the last entry is for packets that no rule matches.
        self.is_dropped = np.append(np.isin(flows, dropped), bool(args.drop_unmatched))
        self.flows = Flows(args, rng)
        # Headers of flows, by whether their packets are dropped.
        self.pools = {
            is_dropped: self._headers(self.flows.count, is_dropped)
            for is_dropped in (False, True)
            if self.flows.count
        }

    def _headers(self, count: int, is_dropped: bool) -> Numbers:
        """`count` headers whose packets are dropped, or whose packets pass."""
        which = np.flatnonzero(self.is_dropped[:-1] == is_dropped)
        if not count:
            return np.zeros((0, 7), dtype=np.int64)
        if not len(which):
            raise self._impossible("dropped" if is_dropped else "passed")

        def draw(number: int) -> Numbers:
            drawn = which[self.rng.integers(0, len(which), size=number)]
            return self.table.headers(drawn, self.rng)

        found = traffic.draw_accepted(
            count,
            draw,
            lambda tried: (
                self.is_dropped[self.table.first_matches(tried)] == is_dropped
            ),
        )
        if len(found) < count:
            raise self._impossible("dropped" if is_dropped else "passed")
        return found

    def _unmatched(self, count: int) -> Numbers:
        def draw(number: int) -> Numbers:
            headers = np.zeros((number, 7), dtype=np.int64)
            headers[:, [SRC, DST]] = self.rng.integers(1 << 24, 224 << 24, (number, 2))
            headers[:, [SPORT, DPORT]] = self.rng.integers(0, 1 << 16, (number, 2))
            headers[:, PROTOCOL] = UDP
            headers[:, FLAGS] = NONE
            return headers

        found = traffic.draw_accepted(
            count, draw, lambda tried: self.table.first_matches(tried) < 0
        )
        if len(found) < count:
            raise self._impossible("matched by no rule")
        return found

    @staticmethod
    def _impossible(what: str) -> InputError:
        message = f"under these rules too few packets are {what}"
        return InputError("E-traces-112", message)

    def chunk(self, begin: int, kinds: Numbers) -> FirewallChunk:
        count = len(kinds)
        numbers = begin + np.arange(count)
        ports = numbers % self.args.ports
        lengths = np.maximum(self.args.size.draw(self.rng, count), self.shortest)
        chunk = FirewallChunk(kinds, ports, lengths)
        for name in ("arp", "tiny-fragment", "short-transport"):
            chunk.lengths[chunk.of(name)] = self.shortest
        chunk.put_payload(self.transport + UDP_BYTES, numbers)
        headers = self._draw(chunk)
        self._put_headers(chunk, headers, numbers)
        self._put_exceptions(chunk, headers)
        chunk.matches = self.table.first_matches(headers)
        self._put_options(chunk)
        self._put_arp(chunk, numbers)
        return chunk

    def _draw(self, chunk: FirewallChunk) -> Numbers:
        """The headers of all frames, one row each."""
        headers = np.zeros((len(chunk.kinds), 7), dtype=np.int64)
        for is_dropped in (False, True):
            denied = chunk.kinds == NAMES.index("denied")
            which = np.flatnonzero(denied == is_dropped)
            if self.flows.count:
                drawn = self.pools[is_dropped][self.flows.draw(len(which))]
            else:
                drawn = self._headers(len(which), is_dropped)
            headers[which] = drawn
        unmatched = chunk.of("unmatched")
        headers[unmatched] = self._unmatched(len(unmatched))
        return headers

    def _put_headers(
        self, chunk: FirewallChunk, headers: Numbers, numbers: Numbers
    ) -> None:
        """Ethernet, IPv4 and transport headers, without the IPv4 checksum."""
        rows, count = chunk.rows, len(headers)
        self._put_ethernet(chunk, ETH_TYPE_IPV4)
        put(rows, 14, 1, 0x45)
        put(rows, 15, 1, headers[:, TOS])
        put(rows, 16, 2, chunk.lengths - ETHER_BYTES)
        put(rows, 18, 2, numbers)
        put(rows, 20, 2, 0)
        put(rows, 22, 1, self.rng.integers(1, 256, size=count))
        put(rows, 23, 1, headers[:, PROTOCOL])
        put(rows, 26, 4, headers[:, SRC])
        put(rows, 30, 4, headers[:, DST])
        self._put_transport(chunk, headers, numbers)

    def _put_ethernet(self, chunk: FirewallChunk, ether_type: int) -> None:
        put(chunk.rows, 0, 6, HOST_MACS | 1 << 16 | (chunk.ports ^ 1))
        put(chunk.rows, 6, 6, HOST_MACS | 1 << 16 | chunk.ports)
        put(chunk.rows, 12, 2, ether_type)

    def _put_transport(
        self, chunk: FirewallChunk, headers: Numbers, numbers: Numbers
    ) -> None:
        """TCP, UDP and ICMP headers; other protocols keep the payload's bytes."""
        protocols = headers[:, PROTOCOL]
        udp = np.flatnonzero(protocols == UDP)
        tcp = np.flatnonzero(protocols == TCP)
        icmp = np.flatnonzero(protocols == ICMP)
        for which in (udp, tcp):
            chunk.put_at(which, self.transport, 2, headers[which, SPORT])
            chunk.put_at(which, self.transport + 2, 2, headers[which, DPORT])
        udp_bytes = chunk.lengths[udp] - self.transport
        chunk.put_at(udp, self.transport + 4, 4, udp_bytes << 16)
        chunk.put_at(tcp, self.transport + 4, 8, numbers[tcp] << 32)
        chunk.put_at(tcp, self.transport + 12, 1, 0x50)
        chunk.put_at(tcp, self.transport + 13, 1, headers[tcp, FLAGS])
        chunk.put_at(tcp, self.transport + 14, 6, 0x2000_0000_0000)
        chunk.put_at(icmp, self.transport, 1, headers[icmp, FLAGS])
        chunk.put_at(icmp, self.transport + 1, 7, numbers[icmp])

    def _put_exceptions(self, chunk: FirewallChunk, headers: Numbers) -> None:
        """Writes what is special about frames, and changes `headers` where the
        rules see it."""
        rng = self.rng
        fragments = chunk.of("fragments")
        offsets = rng.integers(2, 1 << 13, size=len(fragments))
        more = rng.integers(0, 2, size=len(fragments)) << 13
        chunk.put_at(fragments, 20, 2, offsets | more)
        for column in (SPORT, DPORT, FLAGS):
            headers[fragments, column] = NONE
        tiny = chunk.of("tiny-fragment")
        chunk.put_at(tiny, 20, 2, 1)
        chunk.put_at(tiny, 23, 1, TCP)
        short = chunk.of("short-transport")
        is_tcp = rng.integers(0, 2, size=len(short))
        chunk.put_at(short, 23, 1, np.where(is_tcp, TCP, UDP))
        room = rng.integers(0, np.where(is_tcp, TCP_BYTES, UDP_BYTES))
        chunk.put_at(short, 16, 2, IPV4_BYTES + room)
        bad = chunk.of("bad-header")
        wrong = np.array([0x46 ^ 0x10, 0x44, 0x40, 0x65])
        chunk.put_at(bad, 14, 1, wrong[rng.integers(0, len(wrong), size=len(bad))])
        long = bad[::3]
        chunk.put_at(long, 14, 1, 0x45)
        chunk.put_at(long, 16, 2, chunk.lengths[long] - ETHER_BYTES + 1)
        chunk.put_at(chunk.of("not-ipv4"), 12, 2, ETH_TYPE_IPV6)

    def _put_options(self, chunk: FirewallChunk) -> None:
        """Checksums, and a router alert (RFC 2113) before the transport header."""
        put(chunk.rows, 24, 2, 0)
        put(chunk.rows, 24, 2, header_sums(chunk.rows, ETHER_BYTES, IPV4_BYTES))
        marked = chunk.of("options")
        self._move_transport(chunk, marked, OPTION_BYTES)
        chunk.put_at(marked, self.transport, OPTION_BYTES, 0x94040000)
        chunk.put_at(marked, 14, 1, 0x46)
        chunk.put_at(marked, 24, 2, 0)
        rows = chunk.rows[marked]
        sums = header_sums(rows, ETHER_BYTES, IPV4_BYTES + OPTION_BYTES)
        chunk.put_at(marked, 24, 2, sums)

    def _move_transport(self, chunk: Chunk, which: Numbers, size: int) -> None:
        """Moves what follows the network header back; the end of the frame is lost."""
        at = self.transport
        chunk.rows[which, at + size :] = chunk.rows[which, at:-size]

    def _put_arp(self, chunk: FirewallChunk, numbers: Numbers) -> None:
        """ARP requests (RFC 826) in place of the IPv4 packet."""
        which = chunk.of("arp")
        part = chunk.rows[which]
        part[:, 12:] = 0
        put(part, 0, 6, 0xFFFFFFFFFFFF)
        put(part, 12, 2, ETH_TYPE_ARP)
        put(part, 14, 8, 0x0001_0800_0604_0001)
        part[:, 22:28] = part[:, 6:12]
        put(part, 28, 4, 0x0A000000 | numbers[which])
        chunk.rows[which] = part

    def answers(self, chunk: Chunk, begin: int) -> Iterator[Answer]:
        assert isinstance(chunk, FirewallChunk)
        columns = zip(
            chunk.kinds.tolist(),
            chunk.ports.tolist(),
            chunk.matches.tolist(),
            self.is_dropped[chunk.matches].tolist(),
            strict=True,
        )
        for index, (kind, port, match, is_dropped) in enumerate(columns, begin):
            answer: Answer = {"packet": index, "port": port}
            outcome = PACKET_KINDS[NAMES[kind]].outcome if kind else "matched"
            if outcome in ("matched", "unmatched", "flow_denied"):
                answer["rule"] = match
                outcome = "flow_denied" if is_dropped else "passed"
            if outcome == "passed":
                answer |= {"outcome": outcome, "out": [port ^ 1]}
            else:
                answer |= {"outcome": "dropped", "reason": outcome}
            yield answer

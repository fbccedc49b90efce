"""IPv4 traffic for a firewall, with its rules and answers.

Rules are made like ClassBench's fw1 sets, or come from a ClassBench file. Each
rule is a flow of its own; some flows are dropped. Headers are drawn from the
rules, each rule as often as the others (or Zipf-distributed flows of headers),
so that exactly the share `--denied` of the packets is dropped. What becomes of
a packet is decided by the first rule that matches it, which may be another
than the one it was drawn from.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from npftrace.classbench import read_classbench
from npftrace.errors import InputError
from npftrace.make import options, traffic
from npftrace.make.frames import Numbers, header_sums, put
from npftrace.make.tables import HOST_MACS
from npftrace.make.traffic import ETHER_BYTES, IPV4_BYTES, Answer, Chunk, Flows
from npftrace.rules import (
    DPORT,
    DST,
    FLAGS,
    FLOWS,
    ICMP,
    NONE,
    PROTOCOL,
    SPORT,
    SRC,
    TCP,
    TOS,
    UDP,
    RuleTable,
    flows_of,
    make_rules,
    write_control,
)
from npftrace.wire import ETH_TYPE_ARP, ETH_TYPE_IPV4

SHARES = {
    "denied": ("flow_denied", "packets of flows that are dropped"),
    "unmatched": ("unmatched", "packets that no rule matches"),
    "fragments": ("matched", "fragments after the first, without ports"),
    "options": ("matched", "IPv4 options"),
    "arp": ("passed", "ARP requests"),
    "not-ipv4": ("not_ipv4", "IPv6 frames"),
    "bad-header": ("bad_header", "a version, header length or length that is wrong"),
    "tiny-fragment": ("tiny_fragment", "TCP fragments at offset 1"),
    "short-transport": ("short_transport", "no room for the TCP or UDP header"),
}
NAMES = ["matched", *SHARES]

ETH_TYPE_IPV6 = 0x86DD
TRANSPORT = ETHER_BYTES + IPV4_BYTES
TCP_BYTES = 20
OPTION_BYTES = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace make firewall`."""
    traffic.add_arguments(parser)
    parser.add_argument("--rules", type=options.between(1, 10**5), default=100)
    parser.add_argument("--rule-file", type=Path, help="ClassBench rules instead")
    parser.add_argument(
        "--drop-unmatched", action="store_true", help="no rule: dropped"
    )
    parser.add_argument(
        "--dropped-flows", type=options.share, default=0.1, help="share of the flows"
    )
    traffic.add_shares(parser, SHARES, {"denied": 0.05})


def run(args: argparse.Namespace) -> None:
    """Writes the trace, the control file and the answers."""
    rng = np.random.Generator(np.random.PCG64(args.seed))
    kinds = traffic.draw_kinds(args, rng, SHARES)
    if args.rule_file:
        rules = read_classbench(args.rule_file)
    else:
        rules = make_rules(args.rules, rng)
    flow_count = min(len(rules), FLOWS)
    dropped = rng.permutation(flow_count)[
        : max(1, round(args.dropped_flows * flow_count))
    ]
    write_control(args.control, rules, sorted(dropped.tolist()), args.drop_unmatched)
    traffic.write(args, kinds, _Generator(args, rng, RuleTable(rules), dropped))


class _Chunk(Chunk):
    """Frames with the rule that matches each, -1 for none."""

    def __init__(self, kinds: Numbers, ports: Numbers, lengths: Numbers) -> None:
        super().__init__(NAMES, kinds, ports, lengths)
        self.matches: Numbers = np.full(len(kinds), -1, dtype=np.int64)


class _Generator:
    """Builds chunks of frames."""

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
        flows = np.array(flows_of(len(table.rules)), dtype=np.int64)
        # By rule; the last is for packets without one.
        self.is_dropped = np.append(np.isin(flows, dropped), bool(args.drop_unmatched))
        self.flows = Flows(args, rng)
        # Headers of each flow, by whether they are dropped.
        self.pools = {
            is_dropped: self._headers(self.flows.count, is_dropped)
            for is_dropped in (False, True)
            if self.flows.count
        }

    def _headers(self, count: int, is_dropped: bool) -> Numbers:
        """Headers from the rules whose packets are dropped, or from the others."""
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

    def chunk(self, begin: int, kinds: Numbers) -> _Chunk:
        count = len(kinds)
        numbers = begin + np.arange(count)
        ports = numbers % self.args.ports
        chunk = _Chunk(kinds, ports, self.args.size.draw(self.rng, count))
        for name in ("arp", "tiny-fragment", "short-transport"):
            chunk.lengths[chunk.of(name)] = 60
        chunk.put_payload(TRANSPORT + 8, numbers)
        headers = self._draw(chunk)
        self._frames(chunk, headers, numbers)
        self._exceptions(chunk, headers)
        chunk.matches = self.table.first_matches(headers)
        put(chunk.rows, 24, 2, 0)
        put(chunk.rows, 24, 2, header_sums(chunk.rows, ETHER_BYTES, IPV4_BYTES))
        self._with_options(chunk)
        self._arp(chunk, numbers)
        return chunk

    def _draw(self, chunk: _Chunk) -> Numbers:
        """Headers of all frames."""
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

    def _frames(self, chunk: _Chunk, headers: Numbers, numbers: Numbers) -> None:
        rows, count = chunk.rows, len(headers)
        put(rows, 0, 6, HOST_MACS | 1 << 16 | (chunk.ports ^ 1))
        put(rows, 6, 6, HOST_MACS | 1 << 16 | chunk.ports)
        put(rows, 12, 2, ETH_TYPE_IPV4)
        put(rows, 14, 1, 0x45)
        put(rows, 15, 1, headers[:, TOS])
        put(rows, 16, 2, chunk.lengths - ETHER_BYTES)
        put(rows, 18, 2, numbers)
        put(rows, 20, 2, 0)
        put(rows, 22, 1, self.rng.integers(1, 256, size=count))
        put(rows, 23, 1, headers[:, PROTOCOL])
        put(rows, 26, 4, headers[:, SRC])
        put(rows, 30, 4, headers[:, DST])
        self._transport(chunk, headers, numbers)

    def _transport(self, chunk: _Chunk, headers: Numbers, numbers: Numbers) -> None:
        """TCP, UDP and ICMP headers; other protocols have bytes only."""
        protocols = headers[:, PROTOCOL]
        udp = np.flatnonzero(protocols == UDP)
        tcp = np.flatnonzero(protocols == TCP)
        icmp = np.flatnonzero(protocols == ICMP)
        for which in (udp, tcp):
            chunk.put_at(which, TRANSPORT, 2, headers[which, SPORT])
            chunk.put_at(which, TRANSPORT + 2, 2, headers[which, DPORT])
        udp_bytes = chunk.lengths[udp] - TRANSPORT
        chunk.put_at(udp, TRANSPORT + 4, 4, udp_bytes << 16)
        chunk.put_at(tcp, TRANSPORT + 4, 8, numbers[tcp] << 32)
        chunk.put_at(tcp, TRANSPORT + 12, 1, 0x50)
        chunk.put_at(tcp, TRANSPORT + 13, 1, headers[tcp, FLAGS])
        chunk.put_at(tcp, TRANSPORT + 14, 6, 0x2000_0000_0000)
        chunk.put_at(icmp, TRANSPORT, 1, headers[icmp, FLAGS])
        chunk.put_at(icmp, TRANSPORT + 1, 7, numbers[icmp])

    def _exceptions(self, chunk: _Chunk, headers: Numbers) -> None:
        """Changes frames; `headers` follows where matching depends on it."""
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
        room = rng.integers(0, np.where(is_tcp, TCP_BYTES, 8))
        chunk.put_at(short, 16, 2, IPV4_BYTES + room)
        bad = chunk.of("bad-header")
        wrong = np.array([0x46 ^ 0x10, 0x44, 0x40, 0x65])
        chunk.put_at(bad, 14, 1, wrong[rng.integers(0, len(wrong), size=len(bad))])
        long = bad[::3]
        chunk.put_at(long, 14, 1, 0x45)
        chunk.put_at(long, 16, 2, chunk.lengths[long] - ETHER_BYTES + 1)
        chunk.put_at(chunk.of("not-ipv4"), 12, 2, ETH_TYPE_IPV6)

    def _with_options(self, chunk: _Chunk) -> None:
        """Router alert (RFC 2113) before the transport header, which moves."""
        marked = chunk.of("options")
        chunk.rows[marked, TRANSPORT + OPTION_BYTES :] = chunk.rows[
            marked, TRANSPORT:-OPTION_BYTES
        ]
        chunk.put_at(marked, TRANSPORT, OPTION_BYTES, 0x94040000)
        chunk.put_at(marked, 14, 1, 0x46)
        chunk.put_at(marked, 24, 2, 0)
        rows = chunk.rows[marked]
        sums = header_sums(rows, ETHER_BYTES, IPV4_BYTES + OPTION_BYTES)
        chunk.put_at(marked, 24, 2, sums)

    def _arp(self, chunk: _Chunk, numbers: Numbers) -> None:
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
        assert isinstance(chunk, _Chunk)
        columns = zip(
            chunk.kinds.tolist(),
            chunk.ports.tolist(),
            chunk.matches.tolist(),
            self.is_dropped[chunk.matches].tolist(),
            strict=True,
        )
        for index, (kind, port, match, is_dropped) in enumerate(columns, begin):
            answer: Answer = {"packet": index, "port": port}
            outcome = SHARES.get(NAMES[kind], ("matched", ""))[0]
            if outcome in ("matched", "unmatched", "flow_denied"):
                answer["rule"] = match
                outcome = "flow_denied" if is_dropped else "passed"
            if outcome == "passed":
                answer |= {"outcome": outcome, "out": [port ^ 1]}
            else:
                answer |= {"outcome": "dropped", "reason": outcome}
            yield answer

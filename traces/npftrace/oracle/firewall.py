"""The oracle of the firewall: what it must do with each frame.

The first rule that matches a packet gives it its flow. Fragments follow RFC 791,
RFC 3128 and RFC 1858 (sections 2.2 and 3.2.2: a first fragment must hold its
transport header, and no fragment of TCP may begin at offset 1). A frame goes
through these steps:

1. Longer than a port allows: dropped by the port ("oversize").
2. ARP passes; other types than IPv4 are "not_ipv4" unless they may pass.
3. A header that does not fit the packet is "bad_header", a TCP fragment at
   offset 1 "tiny_fragment", a TCP, UDP or ICMP packet without room for its
   header "short_transport".
4. The flow of the first matching rule, or none, is dropped ("flow_denied") or
   passes unchanged to the port paired with its own.

In stateful mode a TCP or UDP packet with ports also passes if it belongs to a
connection: two pairs of address and port, in either direction. A packet that the
rules pass begins a connection; a TCP packet only if it has SYN and not ACK. A
connection without a packet between two ticks of the clock is forgotten.

TCP and UDP have ports, TCP has flags, ICMP has a type. Fragments after the first
have none of them. A rule that asks for a field that a packet lacks does not match.

While rules of IPv6 are in force, IPv6 packets go through the same steps, with the
fields that firewall6 finds; otherwise IPv6 is one of the other types.
"""

from collections.abc import Sequence
from typing import NamedTuple

from npftrace.frames.wire import (
    ETH_TYPE_ARP,
    ETH_TYPE_IPV4,
    ETH_TYPE_IPV6,
    ETHER_BYTES,
    FRAME_BYTES_MAX,
    ICMP,
    TCP,
    UDP,
    ether_type_of,
)
from npftrace.oracle.calls import require, running_order, unknown_call
from npftrace.oracle.firewall6 import header6_of
from npftrace.oracle.firewall_header import Header
from npftrace.oracle.learned import Sightings
from npftrace.oracle.updated import UpdatedTable
from npftrace.oracle.verdict import Verdict
from npftrace.tables.control import Call

TRANSPORT_BYTES = {ICMP: 8, TCP: 20, UDP: 8}
ANY_PROTOCOL = 256
ALL_PORTS = (0, 65535)
NO_FLOW = -1
SYN, ACK = 2, 16
#: Bits of an address, protocol, and address and port of both ends.
Connection = tuple[int, int, tuple[int, int], tuple[int, int]]
#: The most rules of a list, by the bits of an address.
RULE_COUNTS = {32: 10240, 128: 1536}
#: The most headers whose flow is cached.
CACHED_MAX = 1 << 16


class Rule(NamedTuple):
    """The arguments of rule_add."""

    flow: int
    src: int
    src_length: int
    dst: int
    dst_length: int
    sports: tuple[int, int]
    dports: tuple[int, int]
    protocol: int
    tos: int
    tos_mask: int
    flags: int
    flags_mask: int

    def matches(self, header: Header) -> bool:
        return (
            (header.src ^ self.src) >> (header.bits - self.src_length) == 0
            and (header.dst ^ self.dst) >> (header.bits - self.dst_length) == 0
            and self.protocol in (ANY_PROTOCOL, header.protocol)
            and (header.tos ^ self.tos) & self.tos_mask == 0
            and self._matches_ports(header.ports)
            and self._matches_flags(header.flags)
        )

    def _matches_ports(self, ports: tuple[int, int] | None) -> bool:
        if ports is None:
            return self.sports == ALL_PORTS and self.dports == ALL_PORTS
        (sport, dport) = ports
        first, last = self.sports
        return first <= sport <= last and self.dports[0] <= dport <= self.dports[1]

    def _matches_flags(self, flags: int | None) -> bool:
        if flags is None:
            return self.flags_mask == 0
        return (flags ^ self.flags) & self.flags_mask == 0


def header_of(packet: bytes) -> Header | str:
    """The fields of an IPv4 packet, or the reason why it is dropped."""
    header_bytes = 4 * (packet[0] & 15)
    length = int.from_bytes(packet[2:4], "big")
    if packet[0] >> 4 != 4 or not 20 <= header_bytes <= length <= len(packet):
        return "bad_header"
    fragment = int.from_bytes(packet[6:8], "big") & 0x1FFF
    protocol = packet[9]
    if protocol == TCP and fragment == 1:
        return "tiny_fragment"
    transport = b"" if fragment else packet[header_bytes:length]
    if not fragment and len(transport) < TRANSPORT_BYTES.get(protocol, 0):
        return "short_transport"
    ports, flags = None, None
    if transport and protocol in (TCP, UDP):
        ports = (
            int.from_bytes(transport[0:2], "big"),
            int.from_bytes(transport[2:4], "big"),
        )
    if transport and protocol == TCP:
        flags = transport[13]
    elif transport and protocol == ICMP:
        flags = transport[0]
    src, dst = packet[12:16], packet[16:20]
    return Header(
        32,
        int.from_bytes(src, "big"),
        int.from_bytes(dst, "big"),
        protocol,
        packet[1],
        ports,
        flags,
    )


def header_of_frame(data: bytes) -> Header | str:
    """The fields of an IPv4 or IPv6 packet, or the reason why it is dropped."""
    is_ipv6 = ether_type_of(data) == ETH_TYPE_IPV6
    return (header6_of if is_ipv6 else header_of)(data[ETHER_BYTES:])


def connection_of(header: Header) -> Connection | None:
    """The connection of a packet; it is the same in both directions."""
    if header.ports is None:
        return None
    one, other = (header.src, header.ports[0]), (header.dst, header.ports[1])
    return header.bits, header.protocol, min(one, other), max(one, other)


class RuleIndex:
    """Finds the first rule that matches. Rules are grouped by prefix lengths and
    prefixes, and tried one by one within a group."""

    def __init__(self, rules: Sequence[Rule], bits: int) -> None:
        self.rules = rules
        self.bits = bits
        #: Cached flows.
        self.flows: dict[Header, int] = {}
        self.groups: dict[tuple[int, int], dict[tuple[int, int], list[int]]] = {}
        for number, rule in enumerate(rules):
            lengths = rule.src_length, rule.dst_length
            prefixes = self._cut(rule.src, rule.dst, *lengths)
            group = self.groups.setdefault(lengths, {})
            group.setdefault(prefixes, []).append(number)

    def _cut(
        self, src: int, dst: int, src_length: int, dst_length: int
    ) -> tuple[int, int]:
        return src >> self.bits - src_length, dst >> self.bits - dst_length

    def flow(self, header: Header) -> int:
        """The flow of the first rule that matches."""
        flow = self.flows.get(header)
        if flow is None:
            rule = self.first(header)
            flow = rule.flow if rule else NO_FLOW
            if len(self.flows) < CACHED_MAX:
                self.flows[header] = flow
        return flow

    def first(self, header: Header) -> Rule | None:
        best = len(self.rules)
        for lengths, group in self.groups.items():
            for number in group.get(self._cut(header.src, header.dst, *lengths), ()):
                if number >= best:
                    break
                if self.rules[number].matches(header):
                    best = number
                    break
        return self.rules[best] if best < len(self.rules) else None


class Firewall:
    """The rules and actions that the control calls set up."""

    def __init__(self, calls: Sequence[Call], ports: int, window: int) -> None:
        self.ports = ports
        #: The rules of both lists and those in force, by the bits of an address.
        self.added: dict[int, list[Rule]] = {bits: [] for bits in RULE_COUNTS}
        self.rules: UpdatedTable[int, RuleIndex | None] = UpdatedTable(None, window)
        self.dropped: UpdatedTable[int, bool] = UpdatedTable(False, window)
        self.drops_other: UpdatedTable[int, bool] = UpdatedTable(True, window)
        self.peers: UpdatedTable[int, int | None] = UpdatedTable(None, window)
        self.is_stateful = False
        self.connections: Sightings[Connection] = Sightings(window)
        self.ticks: list[int] = []
        for call in sorted(calls, key=running_order):
            self._run(call)

    def _run(self, call: Call) -> None:
        args = call.args
        match call.function, len(args):
            case "rule_add", 14:
                self._add(call, 32)
            case "rule6_add", 14:
                self._add(call, 128)
            case "rules_commit", 0:
                for bits, rules in self.added.items():
                    self.rules.set(bits, RuleIndex(tuple(rules), bits), call)
            case "rules_clear", 0:
                for rules in self.added.values():
                    rules.clear()
            case "flow_action", 2:
                self.dropped.set(args[0], bool(args[1]), call)
            case "default_action", 1:
                self.dropped.set(NO_FLOW, bool(args[0]), call)
            case "other_action", 1:
                self.drops_other.set(0, bool(args[0]), call)
            case "stateful", 1:
                require(call, call.unit == "start", "only before packets flow")
                self.is_stateful = bool(args[0])
            case "connection_add", 5:
                self._connect(call, 32)
            case "connection6_add", 5:
                self._connect(call, 128)
            case "connection_tick", 0:
                self.ticks.append(call.when)
            case "port_pair", 2:
                require(call, max(args) < self.ports, "no such port")
                self.peers.set(args[0], args[1], call)
                self.peers.set(args[1], args[0], call)
            case _:
                raise unknown_call(call)

    def _add(self, call: Call, bits: int) -> None:
        flow, src, src_length, dst, dst_length, *more = call.args
        is_long = max(src_length, dst_length) > bits
        require(call, not is_long, f"a length above {bits}")
        rules = self.added[bits]
        require(call, len(rules) < RULE_COUNTS[bits], "more rules than there can be")
        sports, dports = (more[0], more[1]), (more[2], more[3])
        for first, last in (sports, dports):
            require(call, first <= last, "a range that ends before it begins")
        ends = (src, src_length, dst, dst_length, sports, dports)
        rules.append(Rule(flow, *ends, *more[4:]))

    def _connect(self, call: Call, bits: int) -> None:
        src, dst, sport, dport, protocol = call.args
        require(call, call.unit == "start", "only before packets flow")
        require(call, protocol in (TCP, UDP), "a protocol without ports")
        header = Header(bits, src, dst, protocol, 0, (sport, dport), None)
        connection = connection_of(header)
        assert connection
        self.connections.hear_before_all(connection, 1)

    def _is_judged(self, ether_type: int, index: int) -> tuple[bool, ...]:
        """Whether the rules decide about packets of a type, by all lists in force."""
        if ether_type != ETH_TYPE_IPV6:
            return (ether_type == ETH_TYPE_IPV4,)
        found = (bool(rules and rules.rules) for rules in self.rules.get(128, index))
        return tuple(dict.fromkeys(found))

    def hear(self, index: int, port: int, data: bytes) -> None:
        """Learns that a packet begins a connection or keeps it alive."""
        while self.ticks and self.ticks[0] <= index:
            self.connections.tick(self.ticks.pop(0))
        if not self.is_stateful or len(data) > FRAME_BYTES_MAX:
            return
        if not any(self._is_judged(ether_type_of(data), index)):
            return
        header = header_of_frame(data)
        connection = None if isinstance(header, str) else connection_of(header)
        if connection is None:
            return
        assert isinstance(header, Header)
        begins = header.protocol == UDP or (header.flags or 0) & (SYN | ACK) == SYN
        passing = self._drops(header, index)
        if begins and False in passing:
            self.connections.hear(index, connection, 1, is_sure=True not in passing)
            return
        known = self.connections.values(connection, index)
        if 1 in known:
            self.connections.hear(index, connection, 1, is_sure=None not in known)

    def verdicts(self, index: int, port: int, data: bytes) -> list[Verdict]:
        """All right verdicts on a padded frame."""
        if len(data) > FRAME_BYTES_MAX:
            return [Verdict("oversize")]
        ether_type = ether_type_of(data)
        if ether_type == ETH_TYPE_ARP:
            return self._passed(index, port, data)
        found: list[Verdict] = []
        for is_judged in self._is_judged(ether_type, index):
            if is_judged:
                found += self._judged(index, port, data)
            else:
                drops = self.drops_other.get(0, index)
                found += self._decided(index, port, data, drops, "not_ipv4")
        return found

    def _judged(self, index: int, port: int, data: bytes) -> list[Verdict]:
        """The verdicts of the rules and of the connections."""
        header = header_of_frame(data)
        if isinstance(header, str):
            return [Verdict("dropped", reason=header)]
        drops = self._drops(header, index)
        connection = connection_of(header)
        if self.is_stateful and connection and True in drops:
            known = self.connections.values(connection, index)
            others = (True,) if None in known else ()
            drops = (*others, False) if 1 in known else drops
        return self._decided(index, port, data, drops, "flow_denied")

    def _decided(
        self, index: int, port: int, data: bytes, drops: tuple[bool, ...], reason: str
    ) -> list[Verdict]:
        found: list[Verdict] = []
        for is_dropped in drops:
            if is_dropped:
                found.append(Verdict("dropped", reason=reason))
            else:
                found += self._passed(index, port, data)
        return found

    def _passed(self, index: int, port: int, data: bytes) -> list[Verdict]:
        # By default, ports 0 and 1 are a pair, 2 and 3, and so on.
        peers = (
            port ^ 1 if peer is None else peer for peer in self.peers.get(port, index)
        )
        return [Verdict("passed", ((peer, data),)) for peer in peers]

    def _drops(self, header: Header, index: int) -> tuple[bool, ...]:
        """Whether the flow of a packet is dropped, by all rules and actions that
        it may see."""
        found: list[bool] = []
        for rules in self.rules.get(header.bits, index):
            flow = rules.flow(header) if rules else NO_FLOW
            found += self.dropped.get(flow, index)
        return tuple(dict.fromkeys(found))

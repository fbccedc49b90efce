"""The oracle of the label switching router: what it must do with each frame.

Written from RFC 3031 (architecture: FTN, ILM, NHLFE), RFC 3032 (encoding,
reserved labels, TTL), RFC 3443 (uniform model), RFC 4182 (explicit null above
other labels), and for IPv4 from RFC 1812 and RFC 1624.

A frame goes through these steps:

1. Longer than a port allows: dropped by the port ("oversize").
2. Not to the router's own address of the port: "not_for_router". Neither IPv4
   nor MPLS: "other_type".
3. Labelled packets are processed entry by entry. A router alert is counted; the
   entry below decides, and the alert is pushed again. Other reserved labels are
   "reserved_label", except the two explicit nulls. Labels that the tables do not
   have are "unknown_label". Explicit null and labels to pop are removed, and what
   is below decides: the next entry, or after the last one the IPv4 header (the
   IPv6 header after IPv6 explicit null).
   A stack that continues beyond the frame is "truncated".
   Then a TTL of 0 or 1 in the outermost entry is "ttl_expired".
   A label with an NHLFE is replaced by the NHLFE's labels. EXP and the
   bottom-of-stack bit stay with the first of them. An NHLFE without labels pops.
4. IPv4 packets, received as such or uncovered by a pop: the checks of RFC 1812
   with their reasons ("martian_source" and "martian_destination" unless a label
   gave the NHLFE), then "ttl_expired", then the NHLFE of the popped label or of
   the longest prefix ("no_route"), whose labels are pushed.

The TTL that leaves, in the outermost header and in all pushed labels, is the TTL
of the outermost header received minus 1. Labels pushed on a label have its EXP;
labels pushed on an IPv4 packet have its precedence (RFC 791). A frame that is too
short after a pop is padded, as by any MAC.

A packet longer than the MTU of its port is fragmented below its labels, and each
fragment gets all of them. If that is forbidden ("fragmentation_needed"), its
sender is told the MTU minus the labels (RFC 3032, 3.4). An IPv6 packet, a wrong
IPv4 packet and one with more than 32 labels is "packet_too_big"; the sender of a
right IPv6 packet is told (RFC 3032, 3.5).

Under the pipe model (RFC 3443, 3.2) an NHLFE pushes labels with TTL 255, and the
header that its pop uncovers keeps its TTL. Below an NHLFE's last label may be
IPv6.

The sender of a packet that expires or has no route gets an ICMP message if the
router has an address on the port and RFC 1812 allows it. The message has the
label stack if the packet had one (RFC 4950). Messages are rate-limited, so each
may be missing.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from npftrace.frames.wire import (
    ETH_TYPE_IPV4,
    ETH_TYPE_IPV6,
    ETH_TYPE_MPLS,
    ETHER_BYTES,
    FRAME_BYTES_MAX,
    checksum,
    pad,
)
from npftrace.oracle.calls import require, running_order, unknown_call
from npftrace.oracle.mpls.stack import (
    SLOTS,
    Entry,
    fold_addresses,
    fold_stack,
    pack,
    slot_of,
    stack_bytes,
    unpack,
)
from npftrace.oracle.protocols import icmp, ipv6
from npftrace.oracle.protocols.fragments import cut
from npftrace.oracle.protocols.ipv4 import ether, header_error, with_ttl
from npftrace.oracle.updated import UpdatedPrefixes, UpdatedTable
from npftrace.oracle.verdict import Verdict
from npftrace.tables.control import Call

EXPLICIT_NULL, ROUTER_ALERT, EXPLICIT_NULL_6 = 0, 1, 2
FIRST_FREE_LABEL = 16
LABEL_LIMIT = 1 << 20
PUSH_MAX = 4
#: Bytes that a message about a labelled packet quotes, and the most labels of its
#: stack.
QUOTE_BYTES, STACK_MAX = 128, 32
#: What every host accepts, with four labels.
MTU_MIN = 576 + 4 * PUSH_MAX
#: The most labels of a packet that is fragmented.
FRAGMENT_LABELS_MAX = 32


class Nhlfe(NamedTuple):
    """A next hop and the labels to push, the last of them on top."""

    hop: int
    labels: tuple[int, ...]
    pipe: bool = False
    ipv6: bool = False
    #: The group of equal-cost paths from which a flow's NHLFE is chosen.
    group: int | None = None


#: The entry of the ILM for a label to pop; others are numbers of NHLFEs.
POP = "pop"


def drop(reason: str) -> list[Verdict]:
    return [Verdict("dropped", reason=reason)]


def _address6(words: Sequence[int]) -> int:
    return words[0] << 96 | words[1] << 64 | words[2] << 32 | words[3]


class Mpls:
    """The tables that the control calls set up, and the steps."""

    def __init__(self, calls: Sequence[Call], ports: int, window: int) -> None:
        self.ports = ports
        # Tables are zero before they are set, as the program's memory is.
        self.own: UpdatedTable[int, int] = UpdatedTable(0, window)
        self.hops: UpdatedTable[int, tuple[int, int]] = UpdatedTable((0, 0), window)
        self.nhlfes: UpdatedTable[int, Nhlfe] = UpdatedTable(Nhlfe(0, ()), window)
        #: NHLFEs that have a next hop or a group.
        self.usable: set[int] = set()
        self.groups: UpdatedTable[tuple[int, int], int] = UpdatedTable(0, window)
        self.ilm: UpdatedTable[int, int | str | None] = UpdatedTable(None, window)
        self.ftn = UpdatedPrefixes(window)
        self.ftn6 = UpdatedPrefixes(window, 128)
        #: The router's address on each port.
        self.addresses: dict[int, int] = {}
        self.addresses6: dict[int, int] = {}
        self.mtu: dict[int, int] = {}
        #: The port that received the current frame.
        self.received_by = 0
        for call in sorted(calls, key=running_order):
            self._run(call)

    def _run(self, call: Call) -> None:
        args = call.args
        match call.function, len(args):
            case "port_mac", 2:
                require(call, args[0] < self.ports, "no such port")
                self.own.set(args[0], args[1], call)
            case "next_hop_add", 3:
                require(call, args[1] < self.ports, "no such port")
                require(call, args[2] != 0, "no station has this address")
                self.hops.set(args[0], (args[1], args[2]), call)
            case "nhlfe_set", 7:
                index, hop, count, *labels = args
                require(call, self.hops.is_set(hop), "no such next hop")
                require(call, count <= PUSH_MAX, "more than four labels")
                for label in labels[:count]:
                    free = FIRST_FREE_LABEL <= label < LABEL_LIMIT
                    null = label in (EXPLICIT_NULL, EXPLICIT_NULL_6)
                    require(call, free or null, "a reserved label")
                known = self.nhlfes.get(index, call.when)[0]
                entry = known._replace(
                    hop=hop, labels=tuple(labels[:count]), group=None
                )
                self.nhlfes.set(index, entry, call)
                self.usable.add(index)
            case "nhlfe_group", 2:
                slots = [self.groups.is_set((args[1], n)) for n in range(SLOTS)]
                require(call, all(slots), "a slot without an NHLFE")
                self.nhlfes.set(args[0], Nhlfe(0, (), group=args[1]), call)
                self.usable.add(args[0])
            case "group_slot", 3:
                require(call, args[2] in self.usable, "no such NHLFE")
                self.groups.set((args[0], args[1]), args[2], call)
            case "nhlfe_pipe" | "nhlfe_ipv6" as name, 2:
                known = self.nhlfes.get(args[0], call.when)[0]
                pipe = bool(args[1]) if name == "nhlfe_pipe" else known.pipe
                six = bool(args[1]) if name == "nhlfe_ipv6" else known.ipv6
                self.nhlfes.set(args[0], known._replace(pipe=pipe, ipv6=six), call)
            case "port_address", 2:
                require(call, call.unit == "start", "only before packets flow")
                self.addresses[args[0]] = args[1]
            case "port_address6", 5:
                require(call, call.unit == "start", "only before packets flow")
                self.addresses6[args[0]] = _address6(args[1:])
            case "port_mtu", 2:
                require(call, call.unit == "start", "only before packets flow")
                require(call, not args[1] or args[1] >= MTU_MIN, "too short")
                self.mtu[args[0]] = args[1]
            case "icmp_rate", 2:
                pass  # Any message may be missing.
            case "label_add", 2:
                require(call, args[0] >= FIRST_FREE_LABEL, "a reserved label")
                require(call, args[1] in self.usable, "no such NHLFE")
                self.ilm.set(args[0], args[1], call)
            case "label_pop" | "label_delete" as name, 1:
                require(call, args[0] >= FIRST_FREE_LABEL, "a reserved label")
                self.ilm.set(args[0], POP if name == "label_pop" else None, call)
            case "fec_add", 3:
                require(call, args[1] <= 32, "a prefix length above 32")
                prefix, length, nhlfe = args
                require(call, nhlfe in self.usable, "no such NHLFE")
                self.ftn.set(prefix, length, nhlfe, call)
            case "fec_delete", 2:
                self.ftn.set(args[0], args[1], None, call)
            case "fec6_add", 6:
                require(call, args[4] <= 128, "a prefix length above 128")
                require(call, args[5] in self.usable, "no such NHLFE")
                self.ftn6.set(_address6(args), args[4], args[5], call)
            case _:
                raise unknown_call(call)

    def hear(self, index: int, port: int, data: bytes) -> None:
        """Nothing is learned from frames."""

    def verdicts(self, index: int, port: int, data: bytes) -> list[Verdict]:
        """All right verdicts on a padded frame."""
        if len(data) > FRAME_BYTES_MAX:
            return [Verdict("oversize")]
        self.received_by = port
        ether_type = int.from_bytes(data[12:14], "big")
        packet = data[ETHER_BYTES:]
        found: list[Verdict] = []
        for own in self.own.get(port, index):
            if int.from_bytes(data[0:6], "big") != own:
                found += drop("not_for_router")
            elif ether_type == ETH_TYPE_MPLS:
                found += self._look_up(index, packet, unpack(packet).ttl)
            elif ether_type == ETH_TYPE_IPV4:
                found += self._ipv4(index, packet)
            elif ether_type == ETH_TYPE_IPV6:
                found += self._ipv6(index, packet, packet[7])
            else:
                found += drop("other_type")
        return found if len(found) == 1 else list(dict.fromkeys(found))

    def _look_up(self, index: int, stack: bytes, ttl: int) -> list[Verdict]:
        """The verdicts for a stack whose outermost TTL was `ttl`."""
        if len(stack) < 4:
            return drop("truncated")
        top, below = unpack(stack), stack[4:]
        actions: tuple[int | str | None, ...] = (POP,)
        if top.label >= FIRST_FREE_LABEL:
            actions = self.ilm.get(top.label, index)
        elif top.label == ROUTER_ALERT and not top.bottom:
            return self._alert(index, top, below, ttl)
        elif top.label == EXPLICIT_NULL_6 and top.bottom:
            return self._ipv6(index, below, ttl)
        elif top.label not in (EXPLICIT_NULL, EXPLICIT_NULL_6):
            return drop("reserved_label")
        found: list[Verdict] = []
        for action in actions:
            if action is None:
                found += drop("unknown_label")
            elif isinstance(action, int):
                for nhlfe in self.nhlfes.get(action, index):
                    found += self._replace(index, top, below, ttl, nhlfe)
            elif top.bottom:
                found += self._ipv4(index, below, ttl)
            else:
                found += self._look_up(index, below, ttl)
        return found

    def _members(self, index: int, nhlfe: Nhlfe, folded: int) -> list[Nhlfe]:
        """The NHLFE itself, or those of its group that may be the flow's."""
        if nhlfe.group is None:
            return [nhlfe]
        numbers = self.groups.get((nhlfe.group, slot_of(folded)), index)
        return [entry for n in numbers for entry in self.nhlfes.get(n, index)]

    def _replace(
        self,
        index: int,
        top: Entry,
        below: bytes,
        ttl: int,
        nhlfe: Nhlfe,
        front: bytes = b"",
    ) -> list[Verdict]:
        """Pops the top label and pushes those of an NHLFE, then `front`."""
        if ttl <= 1:
            return self._expired(index, pack(top) + below)
        if nhlfe.group is not None:
            members = self._members(index, nhlfe, fold_stack(pack(top) + below))
            found = [self._replace(index, top, below, ttl, m, front) for m in members]
            return [verdict for each in found for verdict in each]
        if nhlfe.labels:
            stack = pack(top._replace(label=nhlfe.labels[0], ttl=ttl - 1)) + below
            pushed = 255 if nhlfe.pipe else ttl - 1
            stack = self._push(nhlfe.labels[1:], stack, top.exp, pushed)
            return self._send(index, nhlfe.hop, ETH_TYPE_MPLS, front + stack)
        if top.bottom and nhlfe.ipv6:
            own = below[7] if len(below) > 7 else 0
            return self._ipv6(index, below, own if nhlfe.pipe else ttl, nhlfe)
        if top.bottom:
            return self._ipv4(index, below, None if nhlfe.pipe else ttl, nhlfe)
        if len(below) < 4:
            return drop("truncated")
        if nhlfe.pipe:
            return self._send(index, nhlfe.hop, ETH_TYPE_MPLS, front + below)
        stack = pack(unpack(below)._replace(ttl=ttl - 1)) + below[4:]
        return self._send(index, nhlfe.hop, ETH_TYPE_MPLS, front + stack)

    def _alert(self, index: int, alert: Entry, stack: bytes, ttl: int) -> list[Verdict]:
        """A router alert (RFC 3032, 2.1): the router sees the packet, the label
        below decides, and the alert is pushed again."""
        if len(stack) < 4:
            return [v._replace(copies=("router_alert",)) for v in drop("truncated")]
        top, below = unpack(stack), stack[4:]
        actions: tuple[int | str | None, ...] = (None,)
        if top.label >= FIRST_FREE_LABEL:
            actions = self.ilm.get(top.label, index)
        found: list[Verdict] = []
        for action in actions:
            entries = self.nhlfes.get(action, index) if isinstance(action, int) else ()
            if not entries:
                found += drop("unknown_label")
            for entry in entries:
                nhlfe = self._members(index, entry, 0)[0]
                if not nhlfe.labels and top.bottom:
                    found += drop("unknown_label")
                    continue
                front = pack(alert._replace(ttl=max(ttl - 1, 0)))
                found += self._replace(index, top, below, ttl, nhlfe, front)
        return [v._replace(copies=(*v.copies, "router_alert")) for v in found]

    @staticmethod
    def _push(labels: Sequence[int], stack: bytes, exp: int, ttl: int) -> bytes:
        for label in labels:
            stack = pack(Entry(label, exp, 0, ttl)) + stack
        return stack

    def _ipv4(
        self,
        index: int,
        packet: bytes,
        label_ttl: int | None = None,
        nhlfe: Nhlfe | None = None,
    ) -> list[Verdict]:
        if reason := header_error(packet):
            return drop(reason)
        ttl = packet[8] if label_ttl is None else label_ttl
        if ttl <= 1:
            return self._refuse(
                index, packet, "ttl_expired", icmp.TIME_EXCEEDED, icmp.NET
            )
        if nhlfe:
            return self._forward(index, packet, ttl, nhlfe)
        for at, reason in ((12, "martian_source"), (16, "martian_destination")):
            if icmp.is_martian(int.from_bytes(packet[at : at + 4], "big")):
                return drop(reason)
        found: list[Verdict] = []
        for match in self.ftn.matches(int.from_bytes(packet[16:20], "big"), index):
            if match is None:
                found += self._refuse(
                    index, packet, "no_route", icmp.UNREACHABLE, icmp.NET
                )
                continue
            for entry in self.nhlfes.get(match, index):
                found += self._forward(index, packet, ttl, entry)
        return found

    def _forward(
        self, index: int, packet: bytes, ttl: int, nhlfe: Nhlfe
    ) -> list[Verdict]:
        if nhlfe.group is not None:
            members = self._members(index, nhlfe, fold_addresses(packet))
            found = [self._forward(index, packet, ttl, m) for m in members]
            return [verdict for each in found for verdict in each]
        packet = with_ttl(packet, ttl - 1)
        if not nhlfe.labels:
            return self._send(index, nhlfe.hop, ETH_TYPE_IPV4, packet)
        precedence = packet[1] >> 5
        pushed = 255 if nhlfe.pipe else ttl - 1
        stack = pack(Entry(nhlfe.labels[0], precedence, 1, pushed)) + packet
        stack = self._push(nhlfe.labels[1:], stack, precedence, pushed)
        return self._send(index, nhlfe.hop, ETH_TYPE_MPLS, stack)

    def _send(
        self, index: int, hop: int, ether_type: int, packet: bytes
    ) -> list[Verdict]:
        found: list[Verdict] = []
        for port, mac in self.hops.get(hop, index):
            mtu = self.mtu.get(port)
            if mtu and len(packet) > mtu:
                found += self._cut(index, port, mac, ether_type, packet, mtu)
            else:
                found += self._frames(index, port, mac, ether_type, [packet])
        return found

    def _frames(
        self, index: int, port: int, mac: int, ether_type: int, pieces: Sequence[bytes]
    ) -> list[Verdict]:
        """The frames of a packet, or of its fragments."""
        found = []
        for source in self.own.get(port, index):
            head = ether(mac, source, ether_type)
            kind = Verdict("labelled" if ether_type == ETH_TYPE_MPLS else "routed")
            outputs = tuple((port, pad(head + piece)) for piece in pieces)
            found.append(kind._replace(outputs=outputs))
        return found

    def _cut(
        self, index: int, port: int, mac: int, ether_type: int, packet: bytes, mtu: int
    ) -> list[Verdict]:
        """Fragments a packet longer than the MTU (RFC 3032, 3.4); each fragment
        gets all labels."""
        at = stack_bytes(packet) if ether_type == ETH_TYPE_MPLS else 0
        labels, inner, room = packet[:at], packet[at:], mtu - at
        if at > 4 * FRAGMENT_LABELS_MAX:
            return drop("packet_too_big")
        if len(inner) >= ipv6.IPV6_BYTES and inner[0] >> 4 == 6:
            if ipv6.IPV6_BYTES + int.from_bytes(inner[4:6], "big") > len(inner):
                return drop("packet_too_big")
            return self._refuse6(index, inner, "packet_too_big", ipv6.TOO_BIG, room)
        if header_error(inner):
            return drop("packet_too_big")
        if int.from_bytes(inner[2:4], "big") > room and inner[6] & 0x40:
            return self._refuse(
                index, inner, "fragmentation_needed",
                icmp.UNREACHABLE, icmp.TOO_BIG, room,
            )  # fmt: skip
        pieces = [labels + piece for piece in cut(inner, room)]
        return self._frames(index, port, mac, ether_type, pieces)

    def _ipv6(
        self, index: int, packet: bytes, ttl: int, nhlfe: Nhlfe | None = None
    ) -> list[Verdict]:
        if len(packet) < ipv6.IPV6_BYTES:
            return drop("truncated")
        reason = ipv6.header_error(packet)
        if reason and not (nhlfe and reason.startswith("martian")):
            return drop(reason)
        if ttl <= 1:
            return self._refuse6(index, packet, "hop_limit", ipv6.HOP_LIMIT)
        if nhlfe:
            return self._forward6(index, packet, ttl, nhlfe._replace(labels=()))
        found: list[Verdict] = []
        for match in self.ftn6.matches(int.from_bytes(packet[24:40], "big"), index):
            if match is None:
                found += self._refuse6(index, packet, "no_route6", ipv6.NO_ROUTE)
                continue
            entries = [
                member
                for entry in self.nhlfes.get(match, index)
                for member in self._members(index, entry, fold_addresses(packet))
            ]
            for entry in entries:
                found += self._forward6(index, packet, ttl, entry)
        return found

    def _forward6(
        self, index: int, packet: bytes, ttl: int, nhlfe: Nhlfe
    ) -> list[Verdict]:
        sent = packet[:7] + bytes([ttl - 1]) + packet[8:]
        kind = ETH_TYPE_IPV6
        if nhlfe.labels:
            kind = ETH_TYPE_MPLS
            precedence = (packet[0] & 15) >> 1
            pushed = 255 if nhlfe.pipe else ttl - 1
            sent = pack(Entry(nhlfe.labels[0], precedence, 1, pushed)) + sent
            sent = self._push(nhlfe.labels[1:], sent, precedence, pushed)
        found: list[Verdict] = []
        for port, mac in self.hops.get(nhlfe.hop, index):
            mtu = self.mtu.get(port)
            if mtu and len(sent) > mtu:
                room = mtu - 4 * len(nhlfe.labels)
                found += self._refuse6(
                    index, packet, "packet_too_big", ipv6.TOO_BIG, room
                )
            else:
                found += self._frames(index, port, mac, kind, [sent])
        return found

    def _expired(self, index: int, stack: bytes) -> list[Verdict]:
        """The message about an expired packet has the label stack (RFC 4950) after
        128 bytes of the packet (RFC 4884)."""
        packet, entries = stack, b""
        while True:
            if len(packet) < 4:
                return drop("truncated")
            entries, bottom = entries + packet[:4], unpack(packet).bottom
            packet = packet[4:]
            if bottom:
                break
        if len(packet) < 20:
            return drop("truncated")
        is_six = packet[0] >> 4 == 6 and len(packet) >= ipv6.IPV6_BYTES
        length = int.from_bytes(packet[2:4], "big")
        if is_six:
            length = ipv6.IPV6_BYTES + int.from_bytes(packet[4:6], "big")
        if length > len(packet) if is_six else header_error(packet):
            return drop("ttl_expired")
        entries = entries[: 4 * STACK_MAX]
        stack_object = (4 + len(entries)).to_bytes(2, "big") + b"\1\1" + entries
        total = checksum(b"\x20\0\0\0" + stack_object)
        extension = b"\x20\0" + total.to_bytes(2, "big") + stack_object
        quote = packet[: min(length, QUOTE_BYTES)].ljust(QUOTE_BYTES, b"\0")
        if is_six:
            return self._refuse6(
                index, packet, "ttl_expired", ipv6.HOP_LIMIT,
                QUOTE_BYTES // 8 << 24, quote + extension,
            )  # fmt: skip
        return self._refuse(
            index, packet, "ttl_expired", icmp.TIME_EXCEEDED, icmp.NET,
            QUOTE_BYTES // 4 << 16, quote + extension,
        )  # fmt: skip

    def _refuse(
        self,
        index: int,
        packet: bytes,
        reason: str,
        kind: int,
        code: int,
        word: int = 0,
        quote: bytes = b"",
    ) -> list[Verdict]:
        """Drops a packet, with or without a message to its sender."""
        silent = Verdict("dropped", reason=reason)
        if not icmp.may_answer(packet):
            return [silent]
        return self._told(
            index,
            silent,
            False,
            packet[12:16],
            lambda source: icmp.error(packet, kind, code, source, word, quote),
        )

    def _refuse6(
        self,
        index: int,
        packet: bytes,
        reason: str,
        kind: int,
        word: int = 0,
        quote: bytes = b"",
    ) -> list[Verdict]:
        """The same for IPv6."""
        silent = Verdict("dropped", reason=reason)
        if not ipv6.may_answer(packet):
            return [silent]
        return self._told(
            index,
            silent,
            True,
            packet[8:24],
            lambda source: ipv6.error(packet, kind, source, word, quote=quote),
        )

    def _told(
        self,
        index: int,
        silent: Verdict,
        six: bool,
        back: bytes,
        message: Callable[[int], bytes],
    ) -> list[Verdict]:
        """The verdicts on a dropped packet whose sender, at address `back`, may be
        told: `message` makes the packet from the router's own address."""
        fecs, own = (self.ftn6, self.addresses6) if six else (self.ftn, self.addresses)
        if self.received_by not in own:
            return [silent]
        kind = ETH_TYPE_IPV6 if six else ETH_TYPE_IPV4
        lost = silent._replace(copies=("no_way_back6" if six else "no_way_back",))
        found = [silent]
        for match in fecs.matches(int.from_bytes(back, "big"), index):
            entry, port = self._back(index, match)
            source = own.get(port)
            if not entry or not source:
                found.insert(0, lost)
                continue
            found[:0] = self._message(index, silent, entry, kind, message(source))
        return found

    def _back(self, index: int, match: int | None) -> tuple[Nhlfe | None, int]:
        """The NHLFE of a FEC for messages, and its port."""
        if match is None:
            return None, 0
        entry = self._members(index, self.nhlfes.get(match, index)[0], 0)[0]
        return entry, self.hops.get(entry.hop, index)[0][0]

    def _message(
        self, index: int, silent: Verdict, entry: Nhlfe, kind: int, message: bytes
    ) -> list[Verdict]:
        """The verdicts on a dropped packet with a message by an NHLFE."""
        bottom = 1
        for label in entry.labels:
            message = pack(Entry(label, 6, bottom, 64)) + message
            bottom = 0
            kind = ETH_TYPE_MPLS
        found = []
        for sent in self._send(index, entry.hop, kind, message):
            copies = (sent.reason,) if sent.reason else ()
            found.append(silent._replace(outputs=sent.outputs, copies=copies))
        return found

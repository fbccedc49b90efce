"""What the label switching router must do with each frame.

Written from RFC 3031 (architecture: FTN, ILM, NHLFE), RFC 3032 (encoding,
reserved labels, TTL), RFC 3443 (uniform model), RFC 4182 (explicit null above
other labels), and for IPv4 from RFC 1812 and RFC 1624.

A frame goes through these steps:

1. Longer than a port allows: dropped by the port ("oversize").
2. Not to the router's own address of the port: "not_for_router". Neither IPv4
   nor MPLS: "other_type".
3. Labelled: TTL 0 or 1 in the top entry is "ttl_expired". Then, entry by entry:
   reserved labels but explicit null are "reserved_label", labels that nothing
   is known of "unknown_label"; explicit null and labels to pop go off, and what
   is beneath decides: the next entry, or after the last one the IPv4 header.
   A stack that goes on beyond the frame is "truncated".
   A label with an NHLFE is replaced by the NHLFE's labels: EXP and the
   bottom-of-stack bit stay with the first of them. No labels: it is popped.
4. IPv4, received so or laid bare: the checks of RFC 1812 with their reasons,
   then "ttl_expired", then the NHLFE: that of the popped label or that of the
   longest prefix ("no_route"), whose labels are pushed.

Outgoing TTL, in whatever is the outermost header and in all that is pushed, is
the TTL of the outermost header received less one. EXP of labels pushed on a
label is that label's, on an IPv4 packet its precedence (RFC 791). A frame that
popping makes too short leaves padded, as from any MAC.
"""

from collections.abc import Sequence
from typing import NamedTuple

from npftrace.control import Call
from npftrace.oracle.calls import require, running_order, unknown_call
from npftrace.oracle.ipv4 import ETHER_BYTES, ether, header_error, with_ttl
from npftrace.oracle.timed import Timed, TimedPrefixes
from npftrace.oracle.verdict import Verdict
from npftrace.wire import ETH_TYPE_IPV4, ETH_TYPE_MPLS, FRAME_BYTES_MAX, pad

EXPLICIT_NULL = 0
FIRST_FREE_LABEL = 16
LABEL_LIMIT = 1 << 20
PUSH_MAX = 4


class Nhlfe(NamedTuple):
    """A next hop and the labels to push, the last of them on top."""

    hop: int
    labels: tuple[int, ...]


class Entry(NamedTuple):
    """A label stack entry."""

    label: int
    exp: int
    bottom: int
    ttl: int


def unpack(data: bytes) -> Entry:
    word = int.from_bytes(data[:4], "big")
    return Entry(word >> 12, word >> 9 & 7, word >> 8 & 1, word & 255)


def pack(entry: Entry) -> bytes:
    label, exp, bottom, ttl = entry
    return (label << 12 | exp << 9 | bottom << 8 | ttl).to_bytes(4, "big")


# What the ILM says of a label: its NHLFE, or to pop it.
POP = "pop"


def drop(reason: str) -> list[Verdict]:
    return [Verdict("dropped", reason=reason)]


class Mpls:
    """The tables that the control calls set up, and the rules above."""

    def __init__(self, calls: Sequence[Call], ports: int, window: int) -> None:
        self.ports = ports
        # Tables are zero before they are set, as the program's memory is.
        self.own: Timed[int, int] = Timed(0, window)
        self.hops: Timed[int, tuple[int, int]] = Timed((0, 0), window)
        self.nhlfes: Timed[int, Nhlfe] = Timed(Nhlfe(0, ()), window)
        self.ilm: Timed[int, int | str | None] = Timed(None, window)
        self.ftn = TimedPrefixes(window)
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
                self.hops.set(args[0], (args[1], args[2]), call)
            case "nhlfe_set", 7:
                index, hop, count, *labels = args
                require(call, count <= PUSH_MAX, "more than four labels")
                for label in labels[:count]:
                    free = FIRST_FREE_LABEL <= label < LABEL_LIMIT
                    require(call, free or label == EXPLICIT_NULL, "a reserved label")
                self.nhlfes.set(index, Nhlfe(hop, tuple(labels[:count])), call)
            case "label_add", 2:
                require(call, args[0] >= FIRST_FREE_LABEL, "a reserved label")
                self.ilm.set(args[0], args[1], call)
            case "label_pop" | "label_delete" as name, 1:
                require(call, args[0] >= FIRST_FREE_LABEL, "a reserved label")
                self.ilm.set(args[0], POP if name == "label_pop" else None, call)
            case "fec_add", 3:
                require(call, args[1] <= 32, "a prefix length above 32")
                prefix, length, nhlfe = args
                self.ftn.set(prefix, length, nhlfe, call)
            case _:
                raise unknown_call(call)

    def verdicts(self, index: int, port: int, data: bytes) -> list[Verdict]:
        """All that is right for a padded frame."""
        if len(data) > FRAME_BYTES_MAX:
            return [Verdict("oversize")]
        ether_type = int.from_bytes(data[12:14], "big")
        packet = data[ETHER_BYTES:]
        found: list[Verdict] = []
        for own in self.own.get(port, index):
            if int.from_bytes(data[0:6], "big") != own:
                found += drop("not_for_router")
            elif ether_type == ETH_TYPE_MPLS:
                found += self._labelled(index, packet)
            elif ether_type == ETH_TYPE_IPV4:
                found += self._ipv4(index, packet)
            else:
                found += drop("other_type")
        return found if len(found) == 1 else list(dict.fromkeys(found))

    def _labelled(self, index: int, stack: bytes) -> list[Verdict]:
        ttl = unpack(stack).ttl
        if ttl <= 1:
            return drop("ttl_expired")
        return self._look_up(index, stack, ttl)

    def _look_up(self, index: int, stack: bytes, ttl: int) -> list[Verdict]:
        """The verdicts for a stack whose outermost TTL was `ttl`."""
        if len(stack) < 4:
            return drop("truncated")
        top, beneath = unpack(stack), stack[4:]
        actions: tuple[int | str | None, ...] = (POP,)
        if top.label >= FIRST_FREE_LABEL:
            actions = self.ilm.get(top.label, index)
        elif top.label != EXPLICIT_NULL:
            return drop("reserved_label")
        found: list[Verdict] = []
        for action in actions:
            if action is None:
                found += drop("unknown_label")
            elif isinstance(action, int):
                for nhlfe in self.nhlfes.get(action, index):
                    found += self._replace(index, top, beneath, ttl, nhlfe)
            elif top.bottom:
                found += self._ipv4(index, beneath, ttl)
            else:
                found += self._look_up(index, beneath, ttl)
        return found

    def _replace(
        self, index: int, top: Entry, beneath: bytes, ttl: int, nhlfe: Nhlfe
    ) -> list[Verdict]:
        """Pops the top label and pushes those of an NHLFE."""
        if nhlfe.labels:
            stack = pack(top._replace(label=nhlfe.labels[0], ttl=ttl - 1)) + beneath
            stack = self._pushed(nhlfe.labels[1:], stack, top.exp, ttl - 1)
            return self._send(index, nhlfe.hop, ETH_TYPE_MPLS, stack)
        if top.bottom:
            return self._ipv4(index, beneath, ttl, nhlfe)
        if len(beneath) < 4:
            return drop("truncated")
        stack = pack(unpack(beneath)._replace(ttl=ttl - 1)) + beneath[4:]
        return self._send(index, nhlfe.hop, ETH_TYPE_MPLS, stack)

    @staticmethod
    def _pushed(labels: Sequence[int], stack: bytes, exp: int, ttl: int) -> bytes:
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
            return drop("ttl_expired")
        if nhlfe:
            return self._forward(index, packet, ttl, nhlfe)
        found: list[Verdict] = []
        for match in self.ftn.matches(int.from_bytes(packet[16:20], "big"), index):
            if match is None:
                found += drop("no_route")
                continue
            for entry in self.nhlfes.get(match, index):
                found += self._forward(index, packet, ttl, entry)
        return found

    def _forward(
        self, index: int, packet: bytes, ttl: int, nhlfe: Nhlfe
    ) -> list[Verdict]:
        packet = with_ttl(packet, ttl - 1)
        if not nhlfe.labels:
            return self._send(index, nhlfe.hop, ETH_TYPE_IPV4, packet)
        precedence = packet[1] >> 5
        stack = pack(Entry(nhlfe.labels[0], precedence, 1, ttl - 1)) + packet
        stack = self._pushed(nhlfe.labels[1:], stack, precedence, ttl - 1)
        return self._send(index, nhlfe.hop, ETH_TYPE_MPLS, stack)

    def _send(
        self, index: int, hop: int, ether_type: int, packet: bytes
    ) -> list[Verdict]:
        found: list[Verdict] = []
        for port, mac in self.hops.get(hop, index):
            for source in self.own.get(port, index):
                frame = pad(ether(mac, source, ether_type) + packet)
                kind = Verdict("labelled" if ether_type == ETH_TYPE_MPLS else "routed")
                found.append(kind._replace(outputs=((port, frame),)))
        return found

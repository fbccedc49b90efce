"""What L3-Switch must do with each frame.

Written from the standards: IEEE 802.1D for bridging, RFC 826 for ARP, RFC 791
and RFC 1812 (5.2.2, header validation; 5.2.4, next hop; 5.3.1, TTL) for
routing, RFC 1624 for the checksum. Longest-prefix match is a dictionary for
each prefix length, tried from the longest, as unlike a trie as can be.

A frame goes through these steps:

1. Longer than a port allows: dropped by the port ("oversize").
2. Type ARP: a copy goes to the control core and ends there ("arp_done").
3. To the router's own address of the port: routed if IPv4, else "not_ipv4".
4. A group address, or an unknown one: out of all other ports, unchanged.
5. Known: out of its port, or dropped if it came from there ("same_port").

Routing checks, each with its reason, in this order: "truncated" (no room for
20 bytes), "bad_version", "bad_header_length", "truncated" (header beyond the
frame), "bad_length", "bad_checksum", "ttl_expired", "no_route".
"""

from collections.abc import Sequence

from npftrace.control import Call
from npftrace.errors import InputError
from npftrace.oracle.timed import Timed
from npftrace.oracle.verdict import Verdict
from npftrace.wire import ETH_TYPE_ARP, ETH_TYPE_IPV4, FRAME_BYTES_MAX, checksum

ETHER_BYTES = 14
IPV4_BYTES_MIN = 20
GROUP_BIT = 1 << 40


def rfc1624(old_checksum: int, old_word: int, new_word: int) -> int:
    """Equation 3 of RFC 1624: HC' = ~(~HC + ~m + m'), in ones complement."""
    total = (~old_checksum & 0xFFFF) + (~old_word & 0xFFFF) + new_word
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def header_error(packet: bytes) -> str:
    """Why RFC 1812, 5.2.2 has a router drop an IPv4 packet; empty if not.

    `packet` is all that follows the Ethernet header, padding included.
    """
    if len(packet) < IPV4_BYTES_MIN:
        return "truncated"
    version, header_bytes = packet[0] >> 4, 4 * (packet[0] & 15)
    if version != 4:
        return "bad_version"
    if header_bytes < IPV4_BYTES_MIN:
        return "bad_header_length"
    if header_bytes > len(packet):
        return "truncated"
    total_length = int.from_bytes(packet[2:4], "big")
    if total_length < header_bytes or total_length > len(packet):
        return "bad_length"
    if checksum(packet[:header_bytes]) != 0:
        return "bad_checksum"
    return ""


class L3Switch:
    """The tables that the control calls set up, and the rules above."""

    def __init__(self, calls: Sequence[Call], ports: int, window: int) -> None:
        self.ports = ports
        # Tables are zero before they are set, as the program's memory is.
        self.own: Timed[int, int] = Timed(0, window)
        self.hops: Timed[int, tuple[int, int]] = Timed((0, 0), window)
        self.bridge: Timed[int, int | None] = Timed(None, window)
        self.routes: dict[int, Timed[int, int | None]] = {}
        self.window = window
        for call in sorted(calls, key=_running_order):
            self._run(call)
        # Bits below the prefix, least first, and the prefixes of that length.
        self.levels = [(32 - n, self.routes[n]) for n in sorted(self.routes)[::-1]]

    def _run(self, call: Call) -> None:
        args = call.args
        match call.function, len(args):
            case "port_mac", 2:
                self._check(call, args[0] < self.ports, "no such port")
                self.own.set(args[0], args[1], call)
            case "next_hop_add", 3:
                self._check(call, args[1] < self.ports, "no such port")
                self.hops.set(args[0], (args[1], args[2]), call)
            case "route_add", 3:
                prefix, length, hop = args
                self._check(call, length <= 32, "a prefix length above 32")
                if length not in self.routes:
                    self.routes[length] = Timed(None, self.window)
                self.routes[length].set(prefix >> (32 - length), hop, call)
            case "bridge_add", 2:
                self._check(call, args[1] < self.ports, "no such port")
                self.bridge.set(args[0], args[1], call)
            case name, count:
                what = f"no control function {name} with {count} arguments"
                raise InputError("E-traces-102", what, line=call.line)

    @staticmethod
    def _check(call: Call, holds: bool, what: str) -> None:
        if not holds or min(call.args) < 0:
            message = f"{call.function}: {what if not holds else 'a negative number'}"
            raise InputError("E-traces-103", message, line=call.line)

    def verdicts(self, index: int, port: int, data: bytes) -> list[Verdict]:
        """All that is right for a padded frame."""
        if len(data) > FRAME_BYTES_MAX:
            return [Verdict("oversize")]
        ether_type = int.from_bytes(data[12:14], "big")
        copies = ("arp_done",) if ether_type == ETH_TYPE_ARP else ()
        destination = int.from_bytes(data[0:6], "big")
        found: list[Verdict] = []
        for own in self.own.get(port, index):
            if destination != own:
                found += self._bridge(index, port, destination, data)
            elif ether_type == ETH_TYPE_IPV4:
                found += self._route(index, data)
            else:
                found.append(Verdict("dropped", reason="not_ipv4"))
        if copies:
            found = [verdict._replace(copies=copies) for verdict in found]
        return found if len(found) == 1 else list(dict.fromkeys(found))

    def _bridge(
        self, index: int, port: int, destination: int, data: bytes
    ) -> list[Verdict]:
        others = [other for other in range(self.ports) if other != port]
        flood = Verdict("flooded", tuple((other, data) for other in others))
        if destination & GROUP_BIT:
            return [flood]
        found = []
        for known in self.bridge.get(destination, index):
            if known is None:
                found.append(flood)
            elif known == port:
                found.append(Verdict("dropped", reason="same_port"))
            else:
                found.append(Verdict("bridged", ((known, data),)))
        return found

    def _route(self, index: int, data: bytes) -> list[Verdict]:
        packet = data[ETHER_BYTES:]
        if reason := header_error(packet):
            return [Verdict("dropped", reason=reason)]
        ttl = packet[8]
        if ttl <= 1:
            return [Verdict("dropped", reason="ttl_expired")]
        destination = int.from_bytes(packet[16:20], "big")
        found = []
        for hop in self._longest_matches(index, destination):
            if hop is None:
                found.append(Verdict("dropped", reason="no_route"))
                continue
            for port, mac in self.hops.get(hop, index):
                for source in self.own.get(port, index):
                    frame = self._forwarded(packet, mac, source)
                    found.append(Verdict("routed", ((port, frame),)))
        return found

    @staticmethod
    def _forwarded(packet: bytes, mac: int, source: int) -> bytes:
        ttl, protocol = packet[8], packet[9]
        word = ttl << 8 | protocol
        old = int.from_bytes(packet[10:12], "big")
        new = rfc1624(old, word, word - 0x100)
        return b"".join(
            (
                mac.to_bytes(6, "big"),
                source.to_bytes(6, "big"),
                ETH_TYPE_IPV4.to_bytes(2, "big"),
                packet[:8],
                bytes((ttl - 1, protocol)),
                new.to_bytes(2, "big"),
                packet[12:],
            )
        )

    def _longest_matches(self, index: int, address: int) -> list[int | None]:
        """Next hops of the longest prefix; None for no route."""
        found: list[int | None] = []
        for shift, table in self.levels:
            hops = table.get(address >> shift, index)
            if hops is table.absent:
                continue
            found += [hop for hop in hops if hop is not None]
            if None not in hops:
                return found
        return [*found, None]


def _running_order(call: Call) -> tuple[int, int]:
    """Calls at the start, then those of a packet, then those of a cycle. How
    packets and cycles interleave is not known here; calls of cycles may be
    seen by any packet, so their place among the others tells nothing."""
    return ("start", "packet", "cycle").index(call.unit), call.when

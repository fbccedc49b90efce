"""What L3-Switch must do with each frame.

Written from the standards: IEEE 802.1D for bridging, RFC 826 for ARP, RFC 791
and RFC 1812 (5.2.2, header validation; 5.2.4, next hop; 5.3.1, TTL) for
routing, RFC 1624 for the checksum.

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
from npftrace.oracle.calls import require, running_order, unknown_call
from npftrace.oracle.ipv4 import ETHER_BYTES, ether, header_error, with_ttl
from npftrace.oracle.timed import Timed, TimedPrefixes
from npftrace.oracle.verdict import Verdict
from npftrace.wire import ETH_TYPE_ARP, ETH_TYPE_IPV4, FRAME_BYTES_MAX

GROUP_BIT = 1 << 40


class L3Switch:
    """The tables that the control calls set up, and the rules above."""

    def __init__(self, calls: Sequence[Call], ports: int, window: int) -> None:
        self.ports = ports
        # Tables are zero before they are set, as the program's memory is.
        self.own: Timed[int, int] = Timed(0, window)
        self.hops: Timed[int, tuple[int, int]] = Timed((0, 0), window)
        self.bridge: Timed[int, int | None] = Timed(None, window)
        self.routes = TimedPrefixes(window)
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
            case "route_add", 3:
                prefix, length, hop = args
                require(call, length <= 32, "a prefix length above 32")
                self.routes.set(prefix, length, hop, call)
            case "bridge_add", 2:
                require(call, args[1] < self.ports, "no such port")
                self.bridge.set(args[0], args[1], call)
            case _:
                raise unknown_call(call)

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
        for hop in self.routes.matches(destination, index):
            if hop is None:
                found.append(Verdict("dropped", reason="no_route"))
                continue
            for port, mac in self.hops.get(hop, index):
                for source in self.own.get(port, index):
                    frame = ether(mac, source, ETH_TYPE_IPV4) + with_ttl(
                        packet, ttl - 1
                    )
                    found.append(Verdict("routed", ((port, frame),)))
        return found

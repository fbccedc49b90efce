"""The oracle of the L3-Switch: what it must do with each frame.

Written from the standards: IEEE 802.1D and 802.1Q for bridging, RFC 826 for
ARP, RFC 791, 792, 1812, 1191, 2644 and 2992 for IPv4, RFC 1624 for its
checksum, RFC 8200, 4443 and 4861 for IPv6.

A frame goes through these steps:

1. Longer than a port allows: dropped by the port ("oversize").
2. A tag (802.1Q) names the VLAN, which the port must carry ("vlan_filtered").
3. To the router's own address on the port: IPv4 and IPv6 are routed, ARP ends as
   "arp_done", other types as "not_ip".
4. All others are bridged within their VLAN. The router gets a copy of ARP.

An IPv4 packet must have a right header (`ipv4.header_error`), a source that is a
host ("martian_source"), a TTL above 1 ("ttl_expired"), and right options
("bad_option", "source_route"). Then the longest prefix decides ("no_route"). It
has a next hop, a group of eight next hops chosen by flow, the router itself
("for_router"; echo is answered), or no receiver ("martian_destination",
"directed_broadcast"). A packet longer than the MTU is fragmented, or its sender
is told if that is forbidden ("fragmentation_needed"). The MAC address of a next
hop with an IP address is found by ARP, or by solicitations (IPv6). Messages of
neighbours end as "nd_done", other IPv6 packets for the router as "for_router6".

The sender of a dropped packet gets a message if the router has an address on the
port that received the packet and RFC 1812 allows it. Messages are rate-limited,
so each may be missing.
"""

from collections.abc import Sequence

from npftrace.frames.wire import (
    ETH_TYPE_ARP,
    ETH_TYPE_IPV4,
    ETH_TYPE_IPV6,
    ETH_TYPE_VLAN,
    ETHER_BYTES,
    FRAME_BYTES_MAX,
    UDP,
    pad,
)
from npftrace.oracle.l3_switch.ipv6_router import Ipv6Router
from npftrace.oracle.l3_switch.tables import (
    BROADCAST,
    GROUP,
    LOCAL,
    MARTIAN,
    SUBNET,
    drop,
    flow_slot,
)
from npftrace.oracle.protocols import arp, icmp, nd
from npftrace.oracle.protocols import ipv4_options as ip_options
from npftrace.oracle.protocols.fragments import cut
from npftrace.oracle.protocols.ipv4 import ether, header_error, with_ttl
from npftrace.oracle.verdict import Verdict


class L3Switch(Ipv6Router):
    """The steps for frames and IPv4."""

    def hear(self, index: int, port: int, data: bytes) -> None:
        """Learns from frames that are not for the router."""
        while self.bridge_ticks and self.bridge_ticks[0] <= index:
            self.bridge.heard.tick(self.bridge_ticks.pop(0))
        untagged = self._without_tag(port, data)
        if len(data) > FRAME_BYTES_MAX or untagged is None:
            return
        destination = int.from_bytes(data[0:6], "big")
        if (destination,) != self.own.get(port, index):
            self.bridge.hear(index, port, *untagged)

    def _without_tag(self, port: int, data: bytes) -> tuple[int, bytes] | None:
        """The tag of a frame (0 for none) and the frame without it; None if the
        port does not carry its VLAN."""
        if data[12:14] != ETH_TYPE_VLAN.to_bytes(2, "big"):
            return 0, data
        tci = int.from_bytes(data[14:16], "big")
        vlan = tci & 0xFFF or self.bridge.access[port]
        if port not in self.bridge.members[vlan]:
            return None
        return tci & 0xF000 | vlan, data[:12] + data[16:]

    def verdicts(self, index: int, port: int, data: bytes) -> list[Verdict]:
        """All right verdicts on a padded frame."""
        if len(data) > FRAME_BYTES_MAX:
            return [Verdict("oversize")]
        while self.arp_ticks and self.arp_ticks[0] <= index:
            self.arp_ticks.pop(0)
            self.neighbours.tick()
        untagged = self._without_tag(port, data)
        if untagged is None:
            return drop("vlan_filtered")
        tci, data = untagged
        destination = int.from_bytes(data[0:6], "big")
        is_arp = data[12:14] == ETH_TYPE_ARP.to_bytes(2, "big")
        is_nd = data[12:14] == ETH_TYPE_IPV6.to_bytes(2, "big")
        is_nd = is_nd and data[:3] == nd.MULTICAST_MAC
        found: list[Verdict] = []
        for own in self.own.get(port, index):
            if destination == own:
                found += self._to_router(index, port, tci, data)
            else:
                found += self.bridge.verdicts(index, port, tci, data)
        if is_arp:
            answers = self._arp(port, tci, data)
            found = [
                v._replace(
                    outputs=v.outputs + answers,
                    copies=() if v.reason == "arp_done" else ("arp_done",),
                )
                for v in found
            ]
        if is_nd:
            is_plain = tci & 0xFFF == self.bridge.access[port]
            answers = self._hear6(port, 0 if is_plain else tci, data[ETHER_BYTES:])
            found = [
                v._replace(outputs=v.outputs + answers, copies=("nd_done",))
                if v.reason != "vlan_filtered"
                else v
                for v in found
            ]
        return found if len(found) == 1 else list(dict.fromkeys(found))

    def _to_router(self, index: int, port: int, tci: int, data: bytes) -> list[Verdict]:
        packet = data[ETHER_BYTES:]
        match int.from_bytes(data[12:14], "big"):
            case _type if _type == ETH_TYPE_ARP:
                return drop("arp_done")
            case _type if _type == ETH_TYPE_IPV4:
                return self._ipv4(index, port, packet)
            case _type if _type == ETH_TYPE_IPV6:
                return self._ipv6(index, port, tci, packet)
        return drop("not_ip")

    def _arp(self, port: int, tci: int, data: bytes) -> tuple[tuple[int, bytes], ...]:
        """The frames that the router sends because of an ARP packet."""
        packet = data[ETHER_BYTES:]
        operation = int.from_bytes(packet[6:8], "big")
        mac, sender = int.from_bytes(packet[8:14], "big"), packet[14:18]
        sender_ip = int.from_bytes(sender, "big")
        own_ip, length = self.addresses.get(port, (0, 0))
        if packet[0:4] != b"\0\1\x08\0" or mac >> 40 & 1 or not sender_ip:
            return ()
        is_ours = own_ip and int.from_bytes(packet[24:28], "big") == own_ip
        if is_ours and (sender_ip ^ own_ip) >> 32 - length == 0:
            self.neighbours.table.setdefault(
                (port, sender_ip), arp.Neighbour(sender_ip, port)
            )
        sent = []
        own_mac = self.own.get(port, 0)[0]
        if is_ours and operation == arp.REQUEST:
            reply = arp.message(arp.REPLY, (own_mac, own_ip), (mac, sender_ip))
            sent.append(self._frame(0, port, mac, ETH_TYPE_ARP, reply, tci))
        sent += self._frames_of(self.neighbours.learn(sender_ip, port, mac))
        return tuple(sent)

    def _send_to_neighbour(
        self, index: int, received_by: int, hop: int | tuple[int, int], packet: bytes
    ) -> list[Verdict]:
        """Sends a packet to a neighbour with an IP address. If its MAC address is
        unknown, the packet waits and ARP asks for it."""
        table = self.neighbours.table
        if isinstance(hop, tuple) and hop not in table:
            table[hop] = arp.Neighbour(hop[1], hop[0])
        neighbour = table[hop]
        port = neighbour.port
        if neighbour.six and neighbour.mac is None:
            return drop("no_next_hop")
        if neighbour.mac is not None:
            frame = self._frame(index, port, neighbour.mac, ETH_TYPE_IPV4, packet)
            return [Verdict("routed", (frame,))]
        if neighbour.requests == arp.REQUESTS_MAX and not neighbour.asked:
            neighbour.requests = 0
            return self._refuse(
                index,
                received_by,
                packet,
                "host_unreachable",
                icmp.UNREACHABLE,
                icmp.HOST,
            )
        waits = self.neighbours.wait(hop, packet)
        found = drop("arp_waiting" if waits else "arp_no_room")
        if not neighbour.asked:
            neighbour.asked = True
            neighbour.requests += 1
            own = self.own.get(port, index)[0]
            address = self.addresses.get(port, (0, 0))[0]
            request = pad(self.neighbours.request(own, address, neighbour))
            found = [found[0]._replace(outputs=((port, request),))]
        return found

    def _ipv4(self, index: int, port: int, packet: bytes) -> list[Verdict]:
        if reason := header_error(packet):
            return drop(reason)
        if icmp.is_martian(int.from_bytes(packet[12:16], "big")):
            return drop("martian_source")
        found: list[Verdict] = []
        destination = int.from_bytes(packet[16:20], "big")
        for route in self.routes.matches(destination, index):
            if packet[8] <= 1:
                found += self._expired(index, port, packet, route)
            elif route is None:
                found += self._refuse(
                    index, port, packet, "no_route", icmp.UNREACHABLE, icmp.NET
                )
            else:
                for hop in self._hops(index, packet, route):
                    found += self._route(index, port, packet, hop)
        return found

    def _expired(
        self, index: int, port: int, packet: bytes, route: int | None
    ) -> list[Verdict]:
        if route == LOCAL and port in self.addresses:
            return self._local(index, port, packet)
        if route == MARTIAN:
            return drop("ttl_expired")
        return self._refuse(index, port, packet, "ttl_expired", icmp.TIME_EXCEEDED, 0)

    def _hops(self, index: int, packet: bytes, route: int) -> Sequence[int]:
        """The next hops of a route that are right for a packet."""
        if route < GROUP:
            return (route,)
        source, destination = packet[12:16], packet[16:20]
        slot = flow_slot(
            int.from_bytes(source, "big"),
            int.from_bytes(destination, "big"),
            packet[9],
        )
        return self.groups.get((route - GROUP, slot), index)

    def _refuse(
        self,
        index: int,
        port: int,
        packet: bytes,
        reason: str,
        kind: int,
        code: int,
        word: int = 0,
    ) -> list[Verdict]:
        """Drops a packet, with or without a message to its sender."""
        silent = Verdict("dropped", reason=reason)
        if port not in self.addresses or not icmp.may_answer(packet):
            return [silent]
        found = [silent]
        for message in self._messages(index, packet, kind, code, word):
            found.insert(0, message._replace(kind="dropped", reason=reason))
        return found

    def _messages(
        self, index: int, packet: bytes, kind: int, code: int, word: int
    ) -> list[Verdict]:
        """The verdicts on a message to the sender of a packet."""
        back = int.from_bytes(packet[12:16], "big")
        found = []
        for route in self.routes.matches(back, index):
            if route is None:
                found.append(Verdict("dropped", copies=("no_way_back",)))
                continue
            hop = (
                route
                if route < GROUP
                else self.groups.get((route - GROUP, 0), index)[0]
            )
            port = self._port_of(index, hop)
            source = self.addresses.get(port, (0, 0))[0]
            if not source:
                found.append(Verdict("dropped", copies=("no_way_back",)))
                continue
            message = icmp.error(packet, kind, code, source, word)
            for sent in self._send(index, port, hop, message):
                copies = (sent.reason,) if sent.reason else ()
                found.append(Verdict("dropped", sent.outputs, copies=copies))
        return found

    def _port_of(self, index: int, hop: int) -> int:
        if hop <= SUBNET:
            return SUBNET - hop
        known = self.hops.get(hop, index)[0]
        return known.port if known else 0

    def _route(self, index: int, port: int, packet: bytes, hop: int) -> list[Verdict]:
        """The verdicts on a packet with this next hop."""
        header_bytes = 4 * (packet[0] & 15)
        if header_bytes > 20:
            leaves_by = 0
            if hop == LOCAL:
                leaves_by = int.from_bytes(packet[16:20], "big")
            elif hop >= 0 or hop <= SUBNET:
                out = self._port_of(index, hop)
                leaves_by = self.addresses.get(out, (0, 0))[0]
            own = [address for address, _ in self.addresses.values()]
            done = ip_options.process(packet[20:header_bytes], leaves_by, own)
            if done.problem == "bad_option":
                return self._refuse(
                    index, port, packet, "bad_option",
                    icmp.PARAMETER_PROBLEM, 0, done.at << 24,
                )  # fmt: skip
            if done.problem:
                return self._refuse(
                    index, port, packet, done.problem,
                    icmp.UNREACHABLE, icmp.SOURCE_ROUTE,
                )  # fmt: skip
            packet = packet[:20] + done.options + packet[header_bytes:]
            packet = icmp.with_new_checksum(
                packet[:8] + bytes([packet[8] - 1]) + packet[9:]
            )
        else:
            packet = with_ttl(packet, packet[8] - 1)
        if hop == LOCAL:
            return self._local(index, port, packet)
        if hop in (MARTIAN, BROADCAST):
            reason = "martian_destination" if hop == MARTIAN else "directed_broadcast"
            return drop(reason)
        return self._forward(index, port, hop, packet)

    def _forward(self, index: int, port: int, hop: int, packet: bytes) -> list[Verdict]:
        out = self._port_of(index, hop)
        redirects = self._redirect(index, port, out, hop, packet)
        mtu = self.mtu[out]
        if int.from_bytes(packet[2:4], "big") <= mtu:
            sent = self._send(index, port, hop, packet)
        elif packet[6] & 0x40:
            sent = self._refuse(
                index, port, packet, "fragmentation_needed",
                icmp.UNREACHABLE, icmp.TOO_BIG, mtu,
            )  # fmt: skip
        else:
            pieces = [
                self._send(index, port, hop, piece)[0] for piece in cut(packet, mtu)
            ]
            whole = tuple(output for piece in pieces for output in piece.outputs)
            reasons = tuple(piece.reason for piece in pieces if piece.reason)
            sent = [Verdict("routed", whole, copies=reasons)]
        if not redirects:
            return sent
        with_message = [
            v._replace(outputs=v.outputs + t.outputs, copies=v.copies + t.copies)
            for v in sent
            for t in redirects
        ]
        return with_message + sent

    def _redirect(
        self, index: int, port: int, out: int, hop: int, packet: bytes
    ) -> list[Verdict]:
        """A redirect (RFC 1812, 5.2.7.2), if the sender can reach the next hop
        itself."""
        if port != out or port not in self.redirects or port not in self.addresses:
            return []
        own, length = self.addresses[port]
        source = int.from_bytes(packet[12:16], "big")
        to = int.from_bytes(packet[16:20], "big")
        if hop in self.neighbours.table:
            to = self.neighbours.table[hop].ip
        if any((a ^ own) >> 32 - length for a in (source, to)):
            return []
        if not icmp.may_answer(packet):
            return []
        return self._messages(index, packet, icmp.REDIRECT, 1, to)

    def _send(
        self, index: int, received_by: int, hop: int, packet: bytes
    ) -> list[Verdict]:
        """Sends a packet to a next hop."""
        if hop <= SUBNET:
            to = int.from_bytes(packet[16:20], "big")
            return self._send_to_neighbour(
                index, received_by, (SUBNET - hop, to), packet
            )
        found: list[Verdict] = []
        for known in self.hops.get(hop, index):
            if known is None:
                found += drop("no_next_hop")
            elif known.mac is None:
                found += self._send_to_neighbour(index, received_by, hop, packet)
            else:
                for source in self.own.get(known.port, index):
                    data = ether(known.mac, source, ETH_TYPE_IPV4) + packet
                    if known.vlan:
                        tag = ETH_TYPE_VLAN << 16 | known.vlan
                        data = data[:12] + tag.to_bytes(4, "big") + data[12:]
                    found.append(Verdict("routed", ((known.port, pad(data)),)))
        return found

    def _local(self, index: int, port: int, packet: bytes) -> list[Verdict]:
        """The verdicts on a packet to the router itself."""
        if int.from_bytes(packet[6:8], "big") & 0x3FFF:
            return drop("fragment_for_router")
        at = 4 * (packet[0] & 15)
        if packet[9] != icmp.ICMP:
            code = icmp.PORT if packet[9] == UDP else icmp.PROTOCOL
            return self._refuse(
                index, port, packet, "for_router", icmp.UNREACHABLE, code
            )
        length = int.from_bytes(packet[2:4], "big")
        if length < at + 8 or packet[at : at + 2] != bytes((icmp.ECHO, 0)):
            return drop("for_router")
        back = int.from_bytes(packet[12:16], "big")
        found: list[Verdict] = []
        for route in self.routes.matches(back, index):
            if route is None:
                found += drop("for_router")
                continue
            hop = (
                route
                if route < GROUP
                else self.groups.get((route - GROUP, 0), index)[0]
            )
            found += self._send(index, port, hop, icmp.echo_reply(packet))
        return found

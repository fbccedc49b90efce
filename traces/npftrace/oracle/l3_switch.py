"""What L3-Switch must do with each frame.

Written from the standards: IEEE 802.1D and 802.1Q for bridging, RFC 826 for
ARP, RFC 791, 792, 1812, 1191, 2644 and 2992 for IPv4, RFC 1624 for its
checksum, RFC 8200 and 4443 for IPv6.

A frame goes through these steps:

1. Longer than a port allows: dropped by the port ("oversize").
2. A tag (802.1Q) says the VLAN, which the port must carry ("vlan_filtered").
3. To the router's own address of the port: routed if IPv4 or IPv6, ARP for the
   router ("arp_done"), else "not_ip".
4. Else bridged within its VLAN; of type ARP, the router gets a copy.

Of IPv4 packets the header must be right (`ipv4.header_error`), the source an
address of a host ("martian_source"), TTL above 1 ("ttl_expired"), the options
in order ("bad_option", "source_route"); then the longest prefix decides
("no_route"): a next hop, eight slots of next hops by flow, the router itself
("for_router", echo answered), or what gets no packets ("martian_destination",
"directed_broadcast"). A packet over the MTU is cut, or returned if it must not
be ("fragmentation_needed"). A next hop given by its IP address is asked for.

A message about a dropped packet goes to its sender if the router has an address
on the port it came by and RFC 1812 allows it. Messages are limited in rate, so
each may be missing.
"""

from collections.abc import Sequence
from typing import NamedTuple

from npftrace.control import Call
from npftrace.oracle import arp, icmp, ipv6
from npftrace.oracle import options as ip_options
from npftrace.oracle.bridge import Bridge
from npftrace.oracle.calls import require, running_order, unknown_call
from npftrace.oracle.fragments import cut
from npftrace.oracle.ipv4 import ETHER_BYTES, ether, header_error, with_ttl
from npftrace.oracle.timed import Timed, TimedPrefixes
from npftrace.oracle.verdict import Verdict
from npftrace.wire import (
    ETH_TYPE_ARP,
    ETH_TYPE_IPV4,
    ETH_TYPE_IPV6,
    ETH_TYPE_VLAN,
    FRAME_BYTES_MAX,
    pad,
)

MTU_DEFAULT = 1500
SLOTS = 8
UDP = 17
# Values of routes that are no next hop's number.
MARTIAN, LOCAL, BROADCAST = -1, -2, -3
SUBNET = -16  # less the port
GROUP = 1 << 20  # plus the group


class Hop(NamedTuple):
    """A next hop: its MAC address is None if ARP has to find it."""

    port: int
    mac: int | None
    vlan: int = 0


def drop(reason: str) -> list[Verdict]:
    return [Verdict("dropped", reason=reason)]


def flow_slot(source: int, destination: int, protocol: int) -> int:
    """The slot of a flow in a group: its bits folded to three."""
    folded = source ^ destination ^ protocol
    for shift in (16, 8, 4):
        folded ^= folded >> shift
    return folded % SLOTS


class L3Switch:
    """The tables that the control calls set up, and the rules above."""

    def __init__(self, calls: Sequence[Call], ports: int, window: int) -> None:
        self.ports = ports
        self.window = window
        # Tables are zero before they are set, as the program's memory is.
        self.own: Timed[int, int] = Timed(0, window)
        self.hops: Timed[int, Hop | None] = Timed(None, window)
        self.routes = TimedPrefixes(window)
        self.routes6 = TimedPrefixes(window, 128)
        self.groups: Timed[tuple[int, int], int] = Timed(0, window)
        self.bridge = Bridge(ports, window)
        self.neighbours = arp.Neighbours()
        self.mtu = dict.fromkeys(range(ports), MTU_DEFAULT)
        self.redirects: set[int] = set()
        # The router's address and prefix length on each port.
        self.addresses: dict[int, tuple[int, int]] = {}
        self.addresses6: dict[int, int] = {}
        # The packets before which time passes, in order.
        self.arp_ticks: list[int] = []
        self.bridge_ticks: list[int] = []
        start = Call("start", ())
        for prefix, length in ((0, 8), (127 << 24, 8), (7 << 29, 3)):
            self.routes.set(prefix, length, MARTIAN, start)
        for call in sorted(calls, key=running_order):
            self._run(call)

    def _run(self, call: Call) -> None:
        args = call.args
        if args and call.function.startswith(("port_", "trunk_")):
            require(call, args[0] < self.ports, "no such port")
        match call.function, len(args):
            case "port_mac", 2:
                self.own.set(args[0], args[1], call)
            case "next_hop_add", 3:
                require(call, args[1] < self.ports, "no such port")
                self.hops.set(args[0], Hop(args[1], args[2]), call)
            case "next_hop_ip", 3:
                require(call, args[1] < self.ports, "no such port")
                self.hops.set(args[0], Hop(args[1], None), call)
                self.neighbours.table[args[0]] = arp.Neighbour(args[2], args[1])
            case "next_hop_vlan", 2:
                (hop,) = self.hops.get(args[0], 0)
                require(call, hop is not None, "no such next hop")
                if hop:
                    self.hops.set(args[0], hop._replace(vlan=args[1]), call)
            case "route_add" | "route_add_group" as name, 3:
                prefix, length, hop_number = args
                require(call, length <= 32, "a prefix length above 32")
                value = hop_number + (GROUP if name == "route_add_group" else 0)
                self.routes.set(prefix, length, value, call)
            case "route_delete", 2:
                require(call, args[1] <= 32, "a prefix length above 32")
                self.routes.set(args[0], args[1], None, call)
            case "group_slot", 3:
                self.groups.set((args[0], args[1]), args[2], call)
            case "route6_add" | "route6_add_group" as name, 6:
                prefix = self._address6(args)
                require(call, args[4] <= 128, "a prefix length above 128")
                value = args[5] + (GROUP if name == "route6_add_group" else 0)
                self.routes6.set(prefix, args[4], value, call)
            case "route6_delete", 5:
                self.routes6.set(self._address6(args), args[4], None, call)
            case "bridge_add", 2:
                require(call, args[1] < self.ports, "no such port")
                self.bridge.place(1, args[0], args[1], call)
            case "bridge_add_in", 3:
                require(call, args[1] < self.ports, "no such port")
                self.bridge.place(args[2], args[0], args[1], call)
            case "bridge_tick", 0:
                self.bridge_ticks.append(call.when)
            case "arp_tick", 0:
                self.arp_ticks.append(call.when)
            case _:
                self._configure(call)

    def _configure(self, call: Call) -> None:
        """What is set before packets flow."""
        args = call.args
        require(call, call.unit == "start", "only before packets flow")
        match call.function, len(args):
            case "port_address", 3:
                self._own_address(call)
            case "port_address6", 5:
                self.addresses6[args[0]] = self._address6(args[1:])
            case "port_mtu", 2:
                self.mtu[args[0]] = args[1]
            case "port_redirects", 2:
                (self.redirects.add if args[1] else self.redirects.discard)(args[0])
            case "port_access", 2:
                self.bridge.leave_all(args[0])
                self.bridge.members[args[1]][args[0]] = False
                self.bridge.access[args[0]] = args[1]
            case "port_trunk", 2:
                self.bridge.leave_all(args[0])
                self.bridge.access[args[0]] = args[1]
                if args[1]:
                    self.bridge.members[args[1]][args[0]] = False
            case "trunk_allow", 2:
                self.bridge.members[args[1]][args[0]] = True
            case "icmp_rate", 2:
                pass  # any message may be missing
            case "count_packets", 1:
                pass  # no packet is another for it
            case _:
                raise unknown_call(call)

    @staticmethod
    def _address6(words: Sequence[int]) -> int:
        return words[0] << 96 | words[1] << 64 | words[2] << 32 | words[3]

    def _own_address(self, call: Call) -> None:
        port, address, length = call.args
        require(call, 8 <= length <= 30, "no length of a subnet")
        self.addresses[port] = (address, length)
        inside = (1 << 32 - length) - 1
        self.routes.set(address, length, SUBNET - port, call)
        self.routes.set(address, 32, LOCAL, call)
        self.routes.set(address & ~inside, 32, BROADCAST, call)
        self.routes.set(address | inside, 32, BROADCAST, call)

    def hear(self, index: int, port: int, data: bytes) -> None:
        """A bridge learns from frames that are not the router's."""
        while self.bridge_ticks and self.bridge_ticks[0] <= index:
            self.bridge.heard.tick(self.bridge_ticks.pop(0))
        untagged = self._without_tag(port, data)
        if len(data) > FRAME_BYTES_MAX or untagged is None:
            return
        destination = int.from_bytes(data[0:6], "big")
        if (destination,) != self.own.get(port, index):
            self.bridge.hear(index, port, *untagged)

    def _without_tag(self, port: int, data: bytes) -> tuple[int, bytes] | None:
        """Tag and the rest of a frame, 0 if it has none; None if the port does
        not carry its VLAN."""
        if data[12:14] != ETH_TYPE_VLAN.to_bytes(2, "big"):
            return 0, data
        tci = int.from_bytes(data[14:16], "big")
        vlan = tci & 0xFFF or self.bridge.access[port]
        if port not in self.bridge.members[vlan]:
            return None
        return tci & 0xF000 | vlan, data[:12] + data[16:]

    def verdicts(self, index: int, port: int, data: bytes) -> list[Verdict]:
        """All that is right for a padded frame."""
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
        return found if len(found) == 1 else list(dict.fromkeys(found))

    def _to_router(self, index: int, port: int, tci: int, data: bytes) -> list[Verdict]:
        packet = data[ETHER_BYTES:]
        match int.from_bytes(data[12:14], "big"):
            case _type if _type == ETH_TYPE_ARP:
                return drop("arp_done")
            case _type if _type == ETH_TYPE_IPV4:
                return self._ipv4(index, port, packet)
            case _type if _type == ETH_TYPE_IPV6:
                return self._ipv6(index, port, packet)
        return drop("not_ip")

    def _frame(
        self, index: int, port: int, mac: int, kind: int, packet: bytes, tci: int = 0
    ) -> tuple[int, bytes]:
        """The frame in which a packet leaves."""
        data = ether(mac, self.own.get(port, index)[0], kind) + packet
        if tci:
            tag = ETH_TYPE_VLAN.to_bytes(2, "big") + tci.to_bytes(2, "big")
            data = data[:12] + tag + data[12:]
        return port, pad(data)

    #
    # ARP
    #

    def _arp(self, port: int, tci: int, data: bytes) -> tuple[tuple[int, bytes], ...]:
        """What the router sends because of an ARP packet."""
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
        for out, hop_mac, waited in self.neighbours.learn(sender_ip, port, mac):
            sent.append(self._frame(0, out, hop_mac, ETH_TYPE_IPV4, waited))
        return tuple(sent)

    def _by_arp(
        self, index: int, came_by: int, hop: int | tuple[int, int], packet: bytes
    ) -> list[Verdict]:
        """Sends a packet to a neighbour with an IP address, or lets it wait."""
        table = self.neighbours.table
        if isinstance(hop, tuple) and hop not in table:
            table[hop] = arp.Neighbour(hop[1], hop[0])
        neighbour = table[hop]
        port = neighbour.port
        if neighbour.mac is not None:
            frame = self._frame(index, port, neighbour.mac, ETH_TYPE_IPV4, packet)
            return [Verdict("routed", (frame,))]
        if neighbour.requests == arp.REQUESTS_MAX and not neighbour.asked:
            neighbour.requests = 0
            return self._refuse(
                index, came_by, packet, "host_unreachable", icmp.UNREACHABLE, icmp.HOST
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

    #
    # IPv4
    #

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
        """Drops a packet and tells its sender, if that is allowed."""
        silent = Verdict("dropped", reason=reason)
        if port not in self.addresses or not icmp.may_answer(packet):
            return [silent]
        found = [silent]
        for told in self._told(index, packet, kind, code, word):
            found.insert(0, told._replace(kind="dropped", reason=reason))
        return found

    def _told(
        self, index: int, packet: bytes, kind: int, code: int, word: int
    ) -> list[Verdict]:
        """How a message reaches the sender of a packet."""
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
        """A packet whose next hop is found."""
        header_bytes = 4 * (packet[0] & 15)
        if header_bytes > 20:
            leaves_by = 0
            if hop >= 0 or hop <= SUBNET:
                out = self._port_of(index, hop)
                leaves_by = self.addresses.get(out, (0, 0))[0]
            done = ip_options.process(packet[20:header_bytes], leaves_by)
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
            packet = icmp.renewed(packet[:8] + bytes([packet[8] - 1]) + packet[9:])
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
        told = self._redirect(index, port, out, hop, packet)
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
        if not told:
            return sent
        with_message = [
            v._replace(outputs=v.outputs + t.outputs, copies=v.copies + t.copies)
            for v in sent
            for t in told
        ]
        return with_message + sent

    def _redirect(
        self, index: int, port: int, out: int, hop: int, packet: bytes
    ) -> list[Verdict]:
        """RFC 1812, 5.2.7.2: the sender could reach the next hop itself."""
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
        return self._told(index, packet, icmp.REDIRECT, 1, to)

    def _send(self, index: int, came_by: int, hop: int, packet: bytes) -> list[Verdict]:
        """Sends a packet to a next hop."""
        if hop <= SUBNET:
            to = int.from_bytes(packet[16:20], "big")
            return self._by_arp(index, came_by, (SUBNET - hop, to), packet)
        found: list[Verdict] = []
        for known in self.hops.get(hop, index):
            if known is None:
                found += drop("no_next_hop")
            elif known.mac is None:
                found += self._by_arp(index, came_by, hop, packet)
            else:
                for source in self.own.get(known.port, index):
                    data = ether(known.mac, source, ETH_TYPE_IPV4) + packet
                    if known.vlan:
                        tag = ETH_TYPE_VLAN << 16 | known.vlan
                        data = data[:12] + tag.to_bytes(4, "big") + data[12:]
                    found.append(Verdict("routed", ((known.port, pad(data)),)))
        return found

    def _local(self, index: int, port: int, packet: bytes) -> list[Verdict]:
        """A packet to the router itself."""
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

    #
    # IPv6
    #

    def _ipv6(self, index: int, port: int, packet: bytes) -> list[Verdict]:
        if reason := ipv6.header_error(packet):
            return drop(reason)
        if packet[7] <= 1:
            return self._refuse6(index, port, packet, "hop_limit", ipv6.HOP_LIMIT)
        found: list[Verdict] = []
        length = ipv6.IPV6_BYTES + int.from_bytes(packet[4:6], "big")
        for route in self.routes6.matches(int.from_bytes(packet[24:40], "big"), index):
            if route is None:
                found += self._refuse6(index, port, packet, "no_route6", ipv6.NO_ROUTE)
                continue
            for hop in self._hops6(index, packet, route):
                mtu = self.mtu[hop.port] if hop and hop.mac is not None else 0
                if hop is None or hop.mac is None or length > mtu:
                    found += self._refuse6(
                        index, port, packet, "packet_too_big", ipv6.TOO_BIG, mtu
                    )
                    continue
                sent = packet[:7] + bytes([packet[7] - 1]) + packet[8:]
                frame = self._frame(index, hop.port, hop.mac, ETH_TYPE_IPV6, sent)
                found.append(Verdict("routed", (frame,)))
        return found

    def _hops6(self, index: int, packet: bytes, route: int) -> list[Hop | None]:
        """The next hops of a route that are right for a packet; those of a group
        by addresses and flow label (RFC 6438)."""
        numbers: Sequence[int] = (route,)
        if route >= GROUP:
            folded = int.from_bytes(packet[1:4], "big") & 0xFFFFF
            for at in range(8, 40, 4):
                folded ^= int.from_bytes(packet[at : at + 4], "big")
            slot = flow_slot(folded, 0, 0)
            numbers = self.groups.get((route - GROUP, slot), index)
        return [hop for number in numbers for hop in self.hops.get(number, index)]

    def _refuse6(
        self,
        index: int,
        port: int,
        packet: bytes,
        reason: str,
        kind: int,
        word: int = 0,
    ) -> list[Verdict]:
        silent = Verdict("dropped", reason=reason)
        back = self.routes6.matches(int.from_bytes(packet[8:24], "big"), index)[0]
        if back is not None and back >= GROUP:
            back = self.groups.get((back - GROUP, 0), index)[0]
        hop = self.hops.get(back, index)[0] if back is not None else None
        source = self.addresses6.get(hop.port) if hop else None
        if not source or port not in self.addresses6 or not ipv6.may_answer(packet):
            return [silent]
        assert hop is not None and hop.mac is not None
        message = ipv6.error(packet, kind, source, word)
        frame = self._frame(index, hop.port, hop.mac, ETH_TYPE_IPV6, message)
        return [silent._replace(outputs=(frame,)), silent]

"""IPv6 in the L3-Switch: RFC 8200, 4443, 4861 and 6438."""

from collections.abc import Sequence

from npftrace.frames.wire import ETH_TYPE_IPV4, ETH_TYPE_IPV6, UDP
from npftrace.oracle.l3_switch.tables import (
    GROUP,
    LOCAL,
    Hop,
    L3Tables,
    drop,
    flow_slot,
)
from npftrace.oracle.protocols import arp, ipv6, nd
from npftrace.oracle.verdict import Verdict


class Ipv6Router(L3Tables):
    """The steps for IPv6 packets and neighbours."""

    def _frames_of(
        self, released: Sequence[tuple[int, int, bytes]]
    ) -> list[tuple[int, bytes]]:
        """The frames of packets that waited for a MAC address."""
        kinds = {4: ETH_TYPE_IPV4, 6: ETH_TYPE_IPV6}
        return [
            self._frame(0, port, mac, kinds[packet[0] >> 4], packet)
            for port, mac, packet in released
        ]

    def _hear6(
        self, port: int, tci: int, packet: bytes
    ) -> tuple[tuple[int, bytes], ...]:
        """The frames that the router sends because of a neighbour message."""
        heard = nd.read(packet)
        if heard is None:
            return ()
        own, mac = self.addresses6.get(port), self.own.get(port, 0)[0]
        sent, released = [], []
        if heard.kind == nd.SOLICITATION and heard.target == own:
            to, answer = nd.answer(heard, own, mac)
            sent.append(self._frame(0, port, to, ETH_TYPE_IPV6, answer, tci))
            if heard.mac is not None:
                released = self.neighbours.learn(heard.source, port, heard.mac, True)
        elif heard.kind == nd.ADVERTISEMENT and heard.mac is not None:
            overrides = bool(heard.flags & nd.OVERRIDE)
            released = self.neighbours.learn(
                heard.target, port, heard.mac, True, overrides
            )
        return tuple(sent + self._frames_of(released))

    def _await_neighbour(
        self, index: int, port: int, hop: int, packet: bytes
    ) -> list[Verdict]:
        """The verdicts on a packet, with the hop limit that it leaves with, to a
        neighbour whose MAC address is unknown."""
        neighbour = self.neighbours.table[hop]
        if neighbour.requests == arp.REQUESTS_MAX and not neighbour.asked:
            neighbour.requests = 0
            # The message quotes the packet as it was received.
            received = packet[:7] + bytes([packet[7] + 1]) + packet[8:]
            return self._refuse6(
                index, port, received, "address_unreachable", ipv6.NO_ROUTE,
                code=ipv6.ADDRESS,
            )  # fmt: skip
        waits = self.neighbours.wait(hop, packet)
        found = drop("nd_waiting" if waits else "nd_no_room")
        if not neighbour.asked:
            neighbour.asked = True
            neighbour.requests += 1
            out = neighbour.port
            mac = self.own.get(out, index)[0]
            to, request = nd.solicitation(self.addresses6[out], mac, neighbour.ip)
            frame = self._frame(index, out, to, ETH_TYPE_IPV6, request)
            found = [found[0]._replace(outputs=(frame,))]
        return found

    def _ipv6(self, index: int, port: int, tci: int, packet: bytes) -> list[Verdict]:
        if reason := ipv6.header_error(packet):
            if reason == "martian_source6" and nd.is_message(packet):
                return [Verdict("dropped", self._hear6(port, tci, packet), "nd_done")]
            return drop(reason)
        found: list[Verdict] = []
        for route in self.routes6.matches(int.from_bytes(packet[24:40], "big"), index):
            if route == LOCAL:
                found += self._local6(index, port, tci, packet)
            elif packet[7] <= 1:
                found += self._refuse6(index, port, packet, "hop_limit", ipv6.HOP_LIMIT)
            elif route is None:
                found += self._refuse6(index, port, packet, "no_route6", ipv6.NO_ROUTE)
            else:
                for number, hop in self._hops6(index, packet, route):
                    found += self._forward6(index, port, packet, number, hop)
        return found

    def _forward6(
        self, index: int, port: int, packet: bytes, number: int, hop: Hop | None
    ) -> list[Verdict]:
        if not self._is_set6(number, hop):
            return drop("no_next_hop")
        assert hop is not None
        mtu = self.mtu[hop.port]
        if ipv6.IPV6_BYTES + int.from_bytes(packet[4:6], "big") > mtu:
            return self._refuse6(
                index, port, packet, "packet_too_big", ipv6.TOO_BIG, mtu
            )
        sent = packet[:7] + bytes([packet[7] - 1]) + packet[8:]
        return self._send6(index, port, number, hop, sent)

    def _is_set6(self, number: int, hop: Hop | None) -> bool:
        """Whether packets can be sent to a next hop or wait for it."""
        neighbour = self.neighbours.table.get(number)
        if neighbour is not None:
            return neighbour.six or neighbour.mac is not None
        return hop is not None

    def _send6(
        self, index: int, port: int, number: int, hop: Hop | None, packet: bytes
    ) -> list[Verdict]:
        """Sends a packet as it is to a next hop."""
        if not self._is_set6(number, hop):
            return drop("no_next_hop")
        assert hop is not None
        mac = hop.mac
        if number in self.neighbours.table:
            mac = self.neighbours.table[number].mac
        if mac is None:
            return self._await_neighbour(index, port, number, packet)
        frame = self._frame(index, hop.port, mac, ETH_TYPE_IPV6, packet, hop.vlan)
        return [Verdict("routed", (frame,))]

    def _local6(self, index: int, port: int, tci: int, packet: bytes) -> list[Verdict]:
        """The verdicts on a packet to the router itself."""
        length = int.from_bytes(packet[4:6], "big")
        if packet[6] not in (ipv6.ICMPV6, ipv6.NO_NEXT_HEADER):
            kind, code, word = ipv6.PARAMETER_PROBLEM, ipv6.NEXT_HEADER, 6
            if packet[6] == UDP:
                kind, code, word = ipv6.NO_ROUTE, ipv6.PORT, 0
            return self._refuse6(index, port, packet, "for_router6", kind, word, code)
        if packet[6] != ipv6.ICMPV6 or length < 8:
            return drop("for_router6")
        if nd.is_message(packet) and packet[40] in nd.TYPES:
            return [Verdict("dropped", self._hear6(port, tci, packet), "nd_done")]
        number, hop = self._back6(index, packet)
        if packet[40:42] != bytes((ipv6.ECHO, 0)) or number is None:
            return drop("for_router6")
        return self._send6(index, port, number, hop, ipv6.echo_reply(packet))

    def _back6(self, index: int, packet: bytes) -> tuple[int | None, Hop | None]:
        """The number and next hop to the sender of a packet."""
        source = int.from_bytes(packet[8:24], "big")
        back = self.routes6.matches(source, index)[0]
        if back is not None and back >= GROUP:
            back = self.groups.get((back - GROUP, 0), index)[0]
        if back is None or back == LOCAL:
            return None, None
        return back, self.hops.get(back, index)[0]

    def _hops6(
        self, index: int, packet: bytes, route: int
    ) -> list[tuple[int, Hop | None]]:
        """The numbers and next hops of a route that are right for a packet. A
        group chooses by addresses and flow label (RFC 6438)."""
        numbers: Sequence[int] = (route,)
        if route >= GROUP:
            folded = int.from_bytes(packet[1:4], "big") & 0xFFFFF
            for at in range(8, 40, 4):
                folded ^= int.from_bytes(packet[at : at + 4], "big")
            slot = flow_slot(folded, 0, 0)
            numbers = self.groups.get((route - GROUP, slot), index)
        return [(n, hop) for n in numbers for hop in self.hops.get(n, index)]

    def _refuse6(
        self,
        index: int,
        port: int,
        packet: bytes,
        reason: str,
        kind: int,
        word: int = 0,
        code: int = 0,
    ) -> list[Verdict]:
        silent = Verdict("dropped", reason=reason)
        if port not in self.addresses6 or not ipv6.may_answer(packet):
            return [silent]
        number, hop = self._back6(index, packet)
        source = self.addresses6.get(hop.port if hop else 0)
        if number is None or not source:
            return [silent._replace(copies=("no_way_back6",)), silent]
        message = ipv6.error(packet, kind, source, word, code)
        found = [silent]
        for sent in self._send6(index, port, number, hop, message):
            copies = (sent.reason,) if sent.reason else ()
            found.insert(0, silent._replace(outputs=sent.outputs, copies=copies))
        return found

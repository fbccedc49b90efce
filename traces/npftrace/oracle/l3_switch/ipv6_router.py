"""IPv6 in the L3-Switch: RFC 8200, 4443, 4861 and 6438."""

from collections.abc import Sequence

from npftrace.frames.wire import ETH_TYPE_IPV4, ETH_TYPE_IPV6
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
        """The verdicts on a packet to a neighbour whose MAC address is unknown."""
        neighbour = self.neighbours.table[hop]
        if neighbour.requests == arp.REQUESTS_MAX and not neighbour.asked:
            neighbour.requests = 0
            return self._refuse6(
                index, port, packet, "address_unreachable", ipv6.NO_ROUTE,
                code=ipv6.ADDRESS,
            )  # fmt: skip
        later = packet[:7] + bytes([packet[7] - 1]) + packet[8:]
        waits = self.neighbours.wait(hop, later)
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
        if packet[7] <= 1:
            return self._refuse6(index, port, packet, "hop_limit", ipv6.HOP_LIMIT)
        found: list[Verdict] = []
        length = ipv6.IPV6_BYTES + int.from_bytes(packet[4:6], "big")
        for route in self.routes6.matches(int.from_bytes(packet[24:40], "big"), index):
            if route is None:
                found += self._refuse6(index, port, packet, "no_route6", ipv6.NO_ROUTE)
                continue
            if route == LOCAL:
                if nd.is_message(packet):
                    answers = self._hear6(port, tci, packet)
                    found.append(Verdict("dropped", answers, "nd_done"))
                else:
                    found += drop("for_router6")
                continue
            for number, hop in self._hops6(index, packet, route):
                if number in self.neighbours.table and hop:
                    neighbour = self.neighbours.table[number]
                    if neighbour.six and neighbour.mac is None:
                        found += self._await_neighbour(index, port, number, packet)
                        continue
                    hop = hop._replace(mac=neighbour.mac)
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
        back = self.routes6.matches(int.from_bytes(packet[8:24], "big"), index)[0]
        if back is not None and back >= GROUP:
            back = self.groups.get((back - GROUP, 0), index)[0]
        hop = self.hops.get(back, index)[0] if back is not None else None
        if hop and back in self.neighbours.table:
            hop = hop._replace(mac=self.neighbours.table[back].mac)
        source = self.addresses6.get(hop.port) if hop else None
        if not source or port not in self.addresses6 or not ipv6.may_answer(packet):
            return [silent]
        if hop is None or hop.mac is None:
            return [silent]
        message = ipv6.error(packet, kind, source, word, code)
        frame = self._frame(index, hop.port, hop.mac, ETH_TYPE_IPV6, message)
        return [silent._replace(outputs=(frame,)), silent]

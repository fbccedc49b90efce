"""The tables of the L3-Switch as control calls set them up."""

from collections.abc import Sequence
from typing import NamedTuple

from npftrace.frames.wire import ETH_TYPE_VLAN, pad
from npftrace.oracle.calls import require, running_order, unknown_call
from npftrace.oracle.l3_switch.bridge import Bridge
from npftrace.oracle.protocols import arp
from npftrace.oracle.protocols.ipv4 import ether
from npftrace.oracle.updated import UpdatedPrefixes, UpdatedTable
from npftrace.oracle.verdict import Verdict
from npftrace.tables.control import Call

MTU_DEFAULT = 1500
#: Slots of a group of next hops.
SLOTS = 8
#: Values of routes that are not the number of a next hop.
MARTIAN, LOCAL, BROADCAST = -1, -2, -3
#: A connected subnet is SUBNET minus its port, a group GROUP plus its number.
SUBNET = -16
GROUP = 1 << 20


class Hop(NamedTuple):
    """A next hop. Its MAC address is None if ARP or solicitations find it."""

    port: int
    mac: int | None
    vlan: int = 0


def drop(reason: str) -> list[Verdict]:
    return [Verdict("dropped", reason=reason)]


def flow_slot(source: int, destination: int, protocol: int) -> int:
    """The slot of a flow in a group: its bits folded into three."""
    folded = source ^ destination ^ protocol
    for shift in (16, 8, 4):
        folded ^= folded >> shift
    return folded % SLOTS


class L3Tables:
    """The tables, and the frames in which packets leave."""

    def __init__(self, calls: Sequence[Call], ports: int, window: int) -> None:
        self.ports = ports
        self.window = window
        # Tables are zero before they are set, as the program's memory is.
        self.own: UpdatedTable[int, int] = UpdatedTable(0, window)
        self.hops: UpdatedTable[int, Hop | None] = UpdatedTable(None, window)
        self.routes = UpdatedPrefixes(window)
        self.routes6 = UpdatedPrefixes(window, 128)
        self.groups: UpdatedTable[tuple[int, int], int] = UpdatedTable(0, window)
        self.bridge = Bridge(ports, window)
        self.neighbours = arp.Neighbours()
        self.mtu = dict.fromkeys(range(ports), MTU_DEFAULT)
        self.redirects: set[int] = set()
        #: The router's address and prefix length on each port.
        self.addresses: dict[int, tuple[int, int]] = {}
        self.addresses6: dict[int, int] = {}
        #: The packets before which the clocks tick, in order.
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
            case "next_hop_ip6", 6:
                require(call, args[1] < self.ports, "no such port")
                require(call, args[1] in self.addresses6, "no address to ask from")
                self.hops.set(args[0], Hop(args[1], None), call)
                self.neighbours.table[args[0]] = arp.Neighbour(
                    self._address6(args[2:]), args[1], six=True
                )
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
                self.bridge.add_static(1, args[0], args[1], call)
            case "bridge_add_in", 3:
                require(call, args[1] < self.ports, "no such port")
                self.bridge.add_static(args[2], args[0], args[1], call)
            case "bridge_tick", 0:
                self.bridge_ticks.append(call.when)
            case "arp_tick", 0:
                self.arp_ticks.append(call.when)
            case _:
                self._configure(call)

    def _configure(self, call: Call) -> None:
        """Runs a call that is allowed only before packets flow."""
        args = call.args
        require(call, call.unit == "start", "only before packets flow")
        match call.function, len(args):
            case "port_address", 3:
                self._own_address(call)
            case "port_address6", 5:
                self.addresses6[args[0]] = self._address6(args[1:])
                self.routes6.set(self.addresses6[args[0]], 128, LOCAL, call)
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
                pass  # Any message may be missing.
            case "count_packets", 1:
                pass  # Counting changes no packet.
            case _:
                raise unknown_call(call)

    @staticmethod
    def _address6(words: Sequence[int]) -> int:
        return words[0] << 96 | words[1] << 64 | words[2] << 32 | words[3]

    def _own_address(self, call: Call) -> None:
        port, address, length = call.args
        require(call, 8 <= length <= 30, "not a prefix length of a subnet")
        self.addresses[port] = (address, length)
        inside = (1 << 32 - length) - 1
        self.routes.set(address, length, SUBNET - port, call)
        self.routes.set(address, 32, LOCAL, call)
        self.routes.set(address & ~inside, 32, BROADCAST, call)
        self.routes.set(address | inside, 32, BROADCAST, call)

    def _frame(
        self, index: int, port: int, mac: int, kind: int, packet: bytes, tci: int = 0
    ) -> tuple[int, bytes]:
        """The frame in which a packet leaves."""
        data = ether(mac, self.own.get(port, index)[0], kind) + packet
        if tci:
            tag = ETH_TYPE_VLAN.to_bytes(2, "big") + tci.to_bytes(2, "big")
            data = data[:12] + tag + data[12:]
        return port, pad(data)

"""A router's table of neighbours: ARP (RFC 826, RFC 1122 section 2.3.2)."""

from collections.abc import Hashable
from dataclasses import dataclass

from npftrace.frames.wire import ETH_TYPE_ARP, ETH_TYPE_IPV4
from npftrace.oracle.protocols.ipv4 import ether

REQUEST, REPLY = 1, 2
BROADCAST = 0xFFFFFFFFFFFF
#: Ticks until a silent neighbour is forgotten, requests until the router gives up,
#: and packets that may wait, of all neighbours together.
AGE_MAX, REQUESTS_MAX, WAITING_MAX = 4, 3, 16


@dataclass
class Neighbour:
    """A neighbour, and the state of the search for its MAC address."""

    ip: int
    port: int
    mac: int | None = None
    age: int = 0
    requests: int = 0
    asked: bool = False
    #: Whether its address is IPv6, so that RFC 4861 finds it.
    six: bool = False


def message(operation: int, sender: tuple[int, int], target: tuple[int, int]) -> bytes:
    """An ARP packet of 46 bytes; parties are pairs of MAC and IP address."""
    head = b"\0\1\x08\0\6\4" + operation.to_bytes(2, "big")
    for mac, ip in (sender, target):
        head += mac.to_bytes(6, "big") + ip.to_bytes(4, "big")
    return head.ljust(46, b"\0")


class Neighbours:
    """The neighbours by next hop, and the packets that wait for them."""

    def __init__(self) -> None:
        self.table: dict[Hashable, Neighbour] = {}
        self.waiting: list[tuple[Hashable, bytes]] = []

    def request(self, mac: int, ip: int, neighbour: Neighbour) -> bytes:
        asks = message(REQUEST, (mac, ip), (0, neighbour.ip))
        return ether(BROADCAST, mac, ETH_TYPE_ARP) + asks

    def wait(self, hop: Hashable, packet: bytes) -> bool:
        """Queues a packet; false if there is no space."""
        if len(self.waiting) == WAITING_MAX:
            return False
        self.waiting.append((hop, packet))
        return True

    def learn(
        self, ip: int, port: int, mac: int, six: bool = False, override: bool = True
    ) -> list[tuple[int, int, bytes]]:
        """Learns a MAC address; returns the packets that no longer wait, as
        `release`."""
        for neighbour in self.table.values():
            if (neighbour.ip, neighbour.port, neighbour.six) != (ip, port, six):
                continue
            if override or neighbour.mac in (None, mac):
                neighbour.mac, neighbour.age, neighbour.requests = mac, 0, 0
        return self.release()

    def release(self) -> list[tuple[int, int, bytes]]:
        """Port, MAC address and bytes of the packets whose neighbour is known."""
        sent, waiting = [], []
        for hop, packet in self.waiting:
            neighbour = self.table[hop]
            if neighbour.mac is None:
                waiting.append((hop, packet))
            else:
                sent.append((neighbour.port, neighbour.mac, packet))
        self.waiting = waiting
        return sent

    def tick(self) -> None:
        """Ages all entries, and gives up those that do not answer."""
        for hop, neighbour in list(self.table.items()):
            neighbour.asked = False
            if neighbour.mac is None:
                if neighbour.requests == REQUESTS_MAX:
                    self.waiting = [w for w in self.waiting if w[0] != hop]
                continue
            neighbour.age += 1
            if neighbour.age >= AGE_MAX:
                neighbour.mac, neighbour.requests = None, 0
                if isinstance(hop, tuple):
                    del self.table[hop]


def frame(mac: int, own: int, packet: bytes) -> bytes:
    return ether(mac, own, ETH_TYPE_IPV4) + packet

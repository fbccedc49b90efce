"""What a learning bridge with VLANs does: IEEE 802.1D and 802.1Q."""

from collections import defaultdict
from typing import NamedTuple

from npftrace.control import Call
from npftrace.oracle.timed import Timed
from npftrace.oracle.verdict import Verdict
from npftrace.wire import ETH_TYPE_VLAN, pad

GROUP_BIT = 1 << 40
# 01-80-c2-00-00-00 to -0f: no bridge forwards them (802.1D, 7.12.6).
RESERVED = 0x0180C200000
DEFAULT_VLAN = 1


class Station(NamedTuple):
    """Where an address lives, and whether it stays."""

    port: int
    is_static: bool


class Bridge:
    """Ports, VLANs and stations."""

    def __init__(self, ports: int, window: int) -> None:
        self.window = window
        # By VLAN, the ports that carry it, and whether with a tag.
        self.members: dict[int, dict[int, bool]] = defaultdict(dict)
        self.members[DEFAULT_VLAN] = dict.fromkeys(range(ports), False)
        self.access = dict.fromkeys(range(ports), DEFAULT_VLAN)
        self.stations: Timed[tuple[int, int], Station | None] = Timed(None, window)
        self.latest: dict[tuple[int, int], Station] = {}
        self.heard: set[tuple[int, int]] = set()

    def place(self, vlan: int, mac: int, station: Station | None, call: Call) -> None:
        self.stations.set((vlan, mac), station, call)
        if station:
            self.latest[vlan, mac] = station
            self.heard.add((vlan, mac))
        else:
            self.latest.pop((vlan, mac), None)

    def leave_all(self, port: int) -> None:
        for carriers in self.members.values():
            carriers.pop(port, None)

    def tick(self, call: Call) -> None:
        """Forgets stations that were not heard of since the last tick."""
        for (vlan, mac), station in list(self.latest.items()):
            if not station.is_static and (vlan, mac) not in self.heard:
                self.place(vlan, mac, None, call)
        self.heard.clear()

    def learn(self, index: int, vlan: int, mac: int, port: int) -> None:
        if mac & GROUP_BIT:
            return
        known = self.latest.get((vlan, mac))
        self.heard.add((vlan, mac))
        if known is None or (known.port != port and not known.is_static):
            call = Call("learn", (), "packet", index)
            self.place(vlan, mac, Station(port, False), call)

    def out(self, port: int, vlan: int, tci: int, data: bytes) -> tuple[int, bytes]:
        """The frame as it leaves by a port."""
        if self.members[vlan][port]:
            tag = ETH_TYPE_VLAN.to_bytes(2, "big") + tci.to_bytes(2, "big")
            data = data[:12] + tag + data[12:]
        return port, pad(data)

    def verdicts(self, index: int, port: int, tci: int, data: bytes) -> list[Verdict]:
        """For a frame without its tag; `tci` 0 says that it had none."""
        vlan = tci & 0xFFF or self.access[port]
        tci = tci or vlan
        if not vlan:
            return [Verdict("dropped", reason="vlan_filtered")]
        destination = int.from_bytes(data[0:6], "big")
        self.learn(index, vlan, int.from_bytes(data[6:12], "big"), port)
        others = [other for other in sorted(self.members[vlan]) if other != port]
        flood = Verdict(
            "flooded", tuple(self.out(other, vlan, tci, data) for other in others)
        )
        if not others:
            flood = Verdict("dropped", reason="same_port")
        if destination & GROUP_BIT:
            is_reserved = destination >> 4 == RESERVED
            return [
                Verdict("dropped", reason="reserved_address") if is_reserved else flood
            ]
        found = []
        for known in self.stations.get((vlan, destination), index):
            if known is None or known.port not in self.members[vlan]:
                found.append(flood)
            elif known.port == port:
                found.append(Verdict("dropped", reason="same_port"))
            else:
                frame = self.out(known.port, vlan, tci, data)
                found.append(Verdict("bridged", (frame,)))
        return found

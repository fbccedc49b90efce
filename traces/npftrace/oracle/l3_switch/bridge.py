"""A learning bridge with VLANs: IEEE 802.1D and 802.1Q."""

from collections import defaultdict

from npftrace.frames.wire import ETH_TYPE_VLAN, GROUP_BIT, pad
from npftrace.oracle.learned import Sightings
from npftrace.oracle.updated import UpdatedTable
from npftrace.oracle.verdict import Verdict
from npftrace.tables.control import Call

# 01-80-c2-00-00-00 to -0f: no bridge forwards them (802.1D, 7.12.6).
RESERVED = 0x0180C200000
DEFAULT_VLAN = 1


class Bridge:
    """Ports, VLANs and stations."""

    def __init__(self, ports: int, window: int) -> None:
        #: By VLAN, the ports that carry it, and whether with a tag.
        self.members: dict[int, dict[int, bool]] = defaultdict(dict)
        self.members[DEFAULT_VLAN] = dict.fromkeys(range(ports), False)
        self.access = dict.fromkeys(range(ports), DEFAULT_VLAN)
        #: Static stations, and those that are learned.
        self.static: UpdatedTable[tuple[int, int], int | None] = UpdatedTable(
            None, window
        )
        self.heard: Sightings[tuple[int, int]] = Sightings(window)

    def add_static(self, vlan: int, mac: int, port: int, call: Call) -> None:
        """Adds a static station."""
        self.static.set((vlan, mac), port, call)

    def leave_all(self, port: int) -> None:
        for carriers in self.members.values():
            carriers.pop(port, None)

    def hear(self, index: int, port: int, tci: int, data: bytes) -> None:
        """Learns from a frame without its tag; `tci` is 0 if it had none."""
        vlan = tci & 0xFFF or self.access[port]
        source = int.from_bytes(data[6:12], "big")
        if vlan and not source & GROUP_BIT:
            self.heard.hear(index, (vlan, source), port)

    def ports_of(self, vlan: int, mac: int, index: int) -> list[int | None]:
        """The ports at which packet `index` may find a station; None stands for an
        unknown station."""
        found: list[int | None] = []
        for static in self.static.get((vlan, mac), index):
            if static is None:
                found += self.heard.values((vlan, mac), index)
            else:
                found.append(static)
        return list(dict.fromkeys(found))

    def out(self, port: int, vlan: int, tci: int, data: bytes) -> tuple[int, bytes]:
        """The frame as it leaves by a port."""
        if self.members[vlan][port]:
            tag = ETH_TYPE_VLAN.to_bytes(2, "big") + tci.to_bytes(2, "big")
            data = data[:12] + tag + data[12:]
        return port, pad(data)

    def verdicts(self, index: int, port: int, tci: int, data: bytes) -> list[Verdict]:
        """The verdicts on a frame without its tag; `tci` is 0 if it had none."""
        vlan = tci & 0xFFF or self.access[port]
        tci = tci or vlan
        if not vlan:
            return [Verdict("dropped", reason="vlan_filtered")]
        destination = int.from_bytes(data[0:6], "big")
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
        for known in self.ports_of(vlan, destination, index):
            if known is None or known not in self.members[vlan]:
                found.append(flood)
            elif known == port:
                found.append(Verdict("dropped", reason="same_port"))
            else:
                frame = self.out(known, vlan, tci, data)
                found.append(Verdict("bridged", (frame,)))
        return found

"""Whether frames leave in the order in which their packets arrived.

Between ports there is no order but the time of arrival, so a stream is what arrives
at one port and leaves by one port: all of it (*port*), or the packets of one flow
(*flow*, `npftrace.frames.flows`). A frame is late if a frame of its stream that
arrived later has left before it, as RFC 4737 defines reordering; how many packets
lie between the two in the trace says how far it was overtaken. Packets with the same
bytes are taken to be in order.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from npftrace.frames.flows import Flow, flow_of

#: What a check asks for, from nothing to all.
DEMANDS = ("none", "flow", "port")


class Late(NamedTuple):
    """A frame of the output, the packet that it comes from, and the packet of its
    stream, which arrived later, that left before."""

    frame: int
    port: int
    packet: int
    behind: int


@dataclass
class Order:
    """How far packets were overtaken by later ones of their stream."""

    what: str
    packets: int = 0
    late: int = 0
    worst: int = 0
    first: Late | None = None
    #: The highest number that left, by stream.
    newest: dict[Hashable, int] = field(default_factory=dict, repr=False)

    def note(self, stream: Hashable, frame: int, port: int, packet: int) -> None:
        """Counts a frame of the output."""
        self.packets += 1
        newest = self.newest.get(stream, -1)
        if packet >= newest:
            self.newest[stream] = packet
            return
        self.late += 1
        self.worst = max(self.worst, newest - packet)
        self.first = self.first or Late(frame, port, packet, newest)

    def line(self) -> str:
        """The result in a line of the report."""
        if not self.first:
            return f"order: kept within every {self.what} ({self.packets:,} frames)"
        return (
            f"order: {self.late:,} of {self.packets:,} frames left after a later one "
            f"of their {self.what} (by up to {self.worst:,} packets); first: frame "
            f"{self.first.frame} of the output, packet {self.first.packet}, by port "
            f"{self.first.port} after packet {self.first.behind}"
        )

    def as_json(self) -> dict[str, Any]:
        """The counts for other programs."""
        first = self.first._asdict() if self.first else None
        counts = {"packets": self.packets, "late": self.late, "worst": self.worst}
        return {**counts, "first": first}


class Orders:
    """The order within flows and within pairs of ports."""

    def __init__(self) -> None:
        self.flow, self.port = Order("flow"), Order("port")
        self._flows: dict[bytes, Flow] = {}

    def note(self, frame: int, data: bytes, way: tuple[int, int], packet: int) -> None:
        """Counts frame number `frame` of the output: `data` is the packet that
        arrived, `way` the ports by which it arrived and left."""
        flow = self._flows.get(data)
        if flow is None:
            flow = self._flows[data] = flow_of(data)
        self.flow.note((way, flow), frame, way[1], packet)
        self.port.note(way, frame, way[1], packet)

    def violated(self, demand: str) -> list[Order]:
        """The orders that are asked for and were not kept."""
        asked = {"none": (), "flow": (self.flow,), "port": (self.flow, self.port)}
        return [order for order in asked[demand] if order.late]

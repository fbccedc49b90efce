"""The oracle of each application: what it must do with a packet, by the RFCs."""

from collections.abc import Callable, Sequence
from typing import Protocol

from npftrace.oracle.firewall import Firewall
from npftrace.oracle.l3_switch.switch import L3Switch
from npftrace.oracle.mpls.router import Mpls
from npftrace.oracle.verdict import Verdict
from npftrace.tables.control import Call


class Oracle(Protocol):
    """Judges what an application may do with a packet."""

    def hear(self, index: int, port: int, data: bytes) -> None:
        """Learns from a frame. All frames are heard before the first verdict,
        because a packet may see what the XScale core learns from a later frame
        that overtook it, or learns late from an earlier one."""

    def verdicts(self, index: int, port: int, data: bytes) -> Sequence[Verdict]:
        """All right verdicts on frame `data`, packet number `index` of the run,
        received by `port`. There are several only near a change of the tables."""


def make_oracle(app: str, calls: Sequence[Call], ports: int, window: int) -> Oracle:
    """The oracle of an application with the tables of these control calls."""
    # Calls at the end read counters; no packet sees them.
    calls = [call for call in calls if call.unit != "end"]
    return APPS[app](calls, ports, window)


APPS: dict[str, Callable[[Sequence[Call], int, int], Oracle]] = {
    "l3-switch": L3Switch,
    "firewall": Firewall,
    "mpls": Mpls,
}

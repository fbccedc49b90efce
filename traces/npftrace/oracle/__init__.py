"""Oracles: what an application must do with a packet, written from the RFCs."""

from collections.abc import Callable, Sequence
from typing import Protocol

from npftrace.oracle.firewall import Firewall
from npftrace.oracle.l3_switch.switch import L3Switch
from npftrace.oracle.mpls.router import Mpls
from npftrace.oracle.verdict import Verdict
from npftrace.tables.control import Call


class Oracle(Protocol):
    """Tells what may become of a packet."""

    def hear(self, index: int, port: int, data: bytes) -> None:
        """Takes note of what a frame teaches. All frames are heard before the
        first verdict: what is learned on the XScale core late, or from a frame
        that overtook, is right for packets before and behind."""

    def verdicts(self, index: int, port: int, data: bytes) -> Sequence[Verdict]:
        """All that is right for frame `data`, packet number `index` of the run,
        received by `port`. More than one only near a change of the tables."""


def make_oracle(app: str, calls: Sequence[Call], ports: int, window: int) -> Oracle:
    """The oracle of an application after these control calls."""
    # Calls at the end ask for counters; no packet sees what they do.
    calls = [call for call in calls if call.unit != "end"]
    return APPS[app](calls, ports, window)


APPS: dict[str, Callable[[Sequence[Call], int, int], Oracle]] = {
    "l3-switch": L3Switch,
    "firewall": Firewall,
    "mpls": Mpls,
}

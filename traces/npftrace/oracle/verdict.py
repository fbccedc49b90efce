"""The verdict on one packet."""

from typing import Literal, NamedTuple

Kind = Literal[
    "routed", "bridged", "flooded", "labelled", "passed", "dropped", "oversize"
]


class Verdict(NamedTuple):
    """What is done with a packet: port and bytes of the frames that leave, or the
    reason why it is dropped."""

    kind: Kind
    outputs: tuple[tuple[int, bytes], ...] = ()
    reason: str = ""
    #: Reasons for which copies of the packet are dropped.
    copies: tuple[str, ...] = ()

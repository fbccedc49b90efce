"""What becomes of one packet."""

from typing import Literal, NamedTuple

Kind = Literal[
    "routed", "bridged", "flooded", "labelled", "passed", "dropped", "oversize"
]


class Verdict(NamedTuple):
    """The frames that leave, or the reason why none does."""

    kind: Kind
    outputs: tuple[tuple[int, bytes], ...] = ()
    reason: str = ""
    # Reasons counted besides, for copies that end elsewhere.
    copies: tuple[str, ...] = ()

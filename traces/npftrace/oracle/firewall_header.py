"""The fields of a packet that the rules of a firewall match."""

from typing import NamedTuple


class Header(NamedTuple):
    """The fields that rules match; None where a packet has no such field."""

    #: Bits of an address: 32 or 128.
    bits: int
    src: int
    dst: int
    protocol: int
    #: TOS, or the traffic class of IPv6.
    tos: int
    ports: tuple[int, int] | None
    flags: int | None

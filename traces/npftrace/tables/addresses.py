"""MAC addresses of the router, its next hops and the stations around it.

All are locally administered. Those of the router end in its port; the low bits
of the others are drawn at random or count up.
"""

from typing import Any

ROUTER_MACS = 0x020000000000
HOP_MACS = 0x060000000000
HOST_MACS = 0x0A0000000000


def router_mac(port: int) -> int:
    """The router's own address on a port: 02:00:00:00:00:0p."""
    return ROUTER_MACS | port


def is_host(addresses: Any) -> Any:
    """Whether a host may have an address, or each of an array of addresses: those
    outside 0/8, 127/8 and 224/3."""
    first = addresses >> 24
    return (first != 0) & (first != 127) & (first < 224)

"""IPv6 packets, written without the package under test."""

from __future__ import annotations

#: A router and a host on its link, in the documentation prefix (RFC 3849).
ROUTER6 = 0x20010DB8 << 96 | 0x0201
HOST6 = 0x20010DB8 << 96 | 0x0A0B0C


def packet6(
    payload: bytes,
    protocol: int = 17,
    source: int = HOST6,
    destination: int = ROUTER6,
    hop_limit: int = 9,
    length: int | None = None,
) -> bytes:
    """A packet, by default with the right length."""
    size = len(payload) if length is None else length
    head = b"\x60\x00\x00\x01" + size.to_bytes(2, "big") + bytes((protocol, hop_limit))
    ends = source.to_bytes(16, "big") + destination.to_bytes(16, "big")
    return head + ends + payload

"""Fragments of IPv4 packets (RFC 791, 3.2), for all oracles."""

from npftrace.oracle.protocols import icmp
from npftrace.oracle.protocols import ipv4_options as ip_options


def cut(packet: bytes, mtu: int) -> list[bytes]:
    """The fragments of a packet without its padding."""
    at = 4 * (packet[0] & 15)
    length = int.from_bytes(packet[2:4], "big")
    flags = int.from_bytes(packet[6:8], "big")
    share = (mtu - at) // 8 * 8
    payload = packet[at:length]
    pieces = []
    for begin in range(0, max(len(payload), 1), share):
        part = payload[begin : begin + share]
        more = flags & 0xE000 if begin + share >= len(payload) else 0x2000
        offset = (flags & 0x1FFF) + begin // 8 | more
        header = packet[:at]
        if begin:
            header = packet[:20] + ip_options.of_fragments(packet[20:at])
        header = b"".join(
            (
                header[:2],
                (at + len(part)).to_bytes(2, "big"),
                header[4:6],
                offset.to_bytes(2, "big"),
                header[8:],
            )
        )
        pieces.append(icmp.with_new_checksum(header) + part)
    return pieces

"""IPv4 headers by RFC 791, 1812 and 1624, for all oracles."""

from npftrace.frames.wire import checksum

IPV4_BYTES_MIN = 20


def rfc1624(old_checksum: int, old_word: int, new_word: int) -> int:
    """Equation 3 of RFC 1624: HC' = ~(~HC + ~m + m'), in ones complement."""
    total = (~old_checksum & 0xFFFF) + (~old_word & 0xFFFF) + new_word
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def header_error(packet: bytes) -> str:
    """The reason why a router drops an IPv4 packet (RFC 1812, 5.2.2), or an empty
    string. `packet` is all that follows the Ethernet header, with padding."""
    if len(packet) < IPV4_BYTES_MIN:
        return "truncated"
    version, header_bytes = packet[0] >> 4, 4 * (packet[0] & 15)
    if version != 4:
        return "bad_version"
    if header_bytes < IPV4_BYTES_MIN:
        return "bad_header_length"
    if header_bytes > len(packet):
        return "truncated"
    total_length = int.from_bytes(packet[2:4], "big")
    if total_length < header_bytes or total_length > len(packet):
        return "bad_length"
    if checksum(packet[:header_bytes]) != 0:
        return "bad_checksum"
    return ""


def with_ttl(packet: bytes, ttl: int) -> bytes:
    """The packet with another TTL, its checksum updated by RFC 1624."""
    protocol = packet[9]
    old = int.from_bytes(packet[10:12], "big")
    new = rfc1624(old, packet[8] << 8 | protocol, ttl << 8 | protocol)
    return b"".join(
        (packet[:8], bytes((ttl, protocol)), new.to_bytes(2, "big"), packet[12:])
    )


def ether(dst: int, src: int, ether_type: int) -> bytes:
    """An Ethernet header."""
    return b"".join(
        (dst.to_bytes(6, "big"), src.to_bytes(6, "big"), ether_type.to_bytes(2, "big"))
    )

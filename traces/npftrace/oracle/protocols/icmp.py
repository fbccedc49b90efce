"""ICMP messages of a router: RFC 792, RFC 1812 section 4.3, RFC 1191."""

from npftrace.frames.wire import checksum
from npftrace.oracle.protocols.ipv4 import rfc1624

ECHO_REPLY, UNREACHABLE, REDIRECT, ECHO = 0, 3, 5, 8
TIME_EXCEEDED, PARAMETER_PROBLEM = 11, 12
NET, HOST, PROTOCOL, PORT, TOO_BIG, SOURCE_ROUTE = range(6)
ERRORS = (UNREACHABLE, 4, REDIRECT, TIME_EXCEEDED, PARAMETER_PROBLEM)
ICMP = 1
MESSAGE_BYTES_MAX = 576


def is_martian(address: int) -> bool:
    """Whether an address is in 0/8, 127/8 or from 224/8 on (RFC 1812, 5.3.7)."""
    return address >> 24 in (0, 127) or address >> 24 >= 224


def may_answer(packet: bytes) -> bool:
    """Whether an error message about a packet is allowed (RFC 1812, 4.3.2.7)."""
    header_bytes = 4 * (packet[0] & 15)
    fragment = int.from_bytes(packet[6:8], "big") & 0x1FFF
    source = int.from_bytes(packet[12:16], "big")
    destination = int.from_bytes(packet[16:20], "big")
    is_error = packet[9] == ICMP and packet[header_bytes] in ERRORS
    group = destination >> 28 >= 14
    return not (fragment or is_error or is_martian(source) or group)


def ipv4_header(length: int, protocol: int, source: int, destination: int) -> bytes:
    """The header of a packet that the router originates: precedence 6 (RFC 1812,
    4.3.2.5), TTL 64, "don't fragment"."""
    head = bytes((0x45, 0xC0)) + length.to_bytes(2, "big") + b"\0\0\x40\0"
    head += bytes((64, protocol))
    addresses = source.to_bytes(4, "big") + destination.to_bytes(4, "big")
    total = checksum(head + b"\0\0" + addresses)
    return head + total.to_bytes(2, "big") + addresses


def error(
    packet: bytes, kind: int, code: int, source: int, word: int = 0, quote: bytes = b""
) -> bytes:
    """The IPv4 packet with an error message about another packet."""
    if not quote:
        length = int.from_bytes(packet[2:4], "big")
        quote = packet[: min(length, MESSAGE_BYTES_MAX - 28)]
    body = word.to_bytes(4, "big") + quote
    total = checksum(bytes((kind, code, 0, 0)) + body)
    message = bytes((kind, code)) + total.to_bytes(2, "big") + body
    to = int.from_bytes(packet[12:16], "big")
    return ipv4_header(20 + len(message), ICMP, source, to) + message


def echo_reply(packet: bytes) -> bytes:
    """The reply to an echo request (RFC 1812, 4.3.3.6). Bytes of the frame after
    the packet stay."""
    at = 4 * (packet[0] & 15)
    check = rfc1624(int.from_bytes(packet[at + 2 : at + 4], "big"), ECHO << 8, 0)
    message = bytes((ECHO_REPLY, 0)) + check.to_bytes(2, "big") + packet[at + 4 :]
    header = bytearray(packet[:at])
    header[8] = 64
    header[12:16], header[16:20] = header[16:20], header[12:16]
    return with_new_checksum(bytes(header) + message)


def with_new_checksum(packet: bytes) -> bytes:
    """The packet with its header checksum recomputed."""
    at = 4 * (packet[0] & 15)
    total = checksum(packet[:10] + b"\0\0" + packet[12:at])
    return packet[:10] + total.to_bytes(2, "big") + packet[12:]

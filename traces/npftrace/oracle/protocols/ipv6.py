"""IPv6 headers and messages of a router: RFC 8200, RFC 4291, RFC 4443."""

from npftrace.frames.wire import checksum
from npftrace.oracle.protocols.ipv4 import rfc1624

IPV6_BYTES = 40
ICMPV6 = 58
MTU_MIN = 1280
#: The hop limit of packets that a router creates.
ROUTER_HOP_LIMIT = 64
NO_NEXT_HEADER = 59
NO_ROUTE, TOO_BIG, HOP_LIMIT, PARAMETER_PROBLEM = 1, 2, 3, 4
ECHO, ECHO_REPLY = 128, 129
#: The codes of "no route" for an address that does not answer and for a port
#: without a listener.
ADDRESS, PORT = 3, 4
#: The code of a parameter problem for an unknown next header.
NEXT_HEADER = 1


def is_bound_to_a_link(address: int) -> bool:
    """Whether no router forwards packets from or to an address: ::, ::1,
    multicast (ff00::/8) and link-local (fe80::/10)."""
    return address in (0, 1) or address >> 120 == 0xFF or address >> 118 == 0x3FA


def header_error(packet: bytes) -> str:
    """The reason why a packet is dropped, or an empty string."""
    if packet[0] >> 4 != 6:
        return "bad_version6"
    if IPV6_BYTES + int.from_bytes(packet[4:6], "big") > len(packet):
        return "bad_length6"
    if is_bound_to_a_link(int.from_bytes(packet[8:24], "big")):
        return "martian_source6"
    if is_bound_to_a_link(int.from_bytes(packet[24:40], "big")):
        return "martian_destination6"
    return ""


def may_answer(packet: bytes) -> bool:
    """Whether an error message about a packet is allowed: it must not be an ICMPv6
    error message, and must be from one host to another (RFC 4443, 2.4 e)."""
    source, destination = packet[8:24], packet[24]
    if destination == 0xFF or is_bound_to_a_link(int.from_bytes(source, "big")):
        return False
    length = int.from_bytes(packet[4:6], "big")
    is_error = packet[IPV6_BYTES : IPV6_BYTES + length][:1] < b"\x80"
    return not (packet[6] == ICMPV6 and is_error)


def error(
    packet: bytes,
    kind: int,
    source: int,
    word: int = 0,
    code: int = 0,
    quote: bytes = b"",
) -> bytes:
    """The IPv6 packet with an error message about another packet."""
    if not quote:
        length = IPV6_BYTES + int.from_bytes(packet[4:6], "big")
        quote = packet[: min(length, MTU_MIN - IPV6_BYTES - 8)]
    body = word.to_bytes(4, "big") + quote
    addresses = source.to_bytes(16, "big") + packet[8:24]
    size = 8 + len(quote)
    pseudo = addresses + size.to_bytes(4, "big") + ICMPV6.to_bytes(4, "big")
    total = checksum(pseudo + bytes((kind, code, 0, 0)) + body)
    head = 0x6C000000.to_bytes(4, "big") + size.to_bytes(2, "big")
    message = bytes((kind, code)) + total.to_bytes(2, "big") + body
    return head + bytes((ICMPV6, ROUTER_HOP_LIMIT)) + addresses + message


def echo_reply(packet: bytes) -> bytes:
    """The reply to an echo request (RFC 4443, 4.2). Bytes of the frame after the
    packet stay."""
    check = rfc1624(int.from_bytes(packet[42:44], "big"), ECHO << 8, ECHO_REPLY << 8)
    message = bytes((ECHO_REPLY, 0)) + check.to_bytes(2, "big") + packet[44:]
    head = packet[:7] + bytes([ROUTER_HOP_LIMIT])
    return head + packet[24:40] + packet[8:24] + message

"""The fields of an IPv6 packet that the firewall's rules match.

The protocol is what follows the extension headers of RFC 8200 section 4 and the
authentication header of RFC 4302. Hop-by-hop options come first or make the header
bad, as does a header that does not end inside the packet (RFC 8200 sections 4.1 and
4.3). A fragment after the first has the protocol that its fragment header names,
and nothing else of a transport header; one of TCP may not begin at offset 1 (RFC
3128). A first fragment has all headers (RFC 7112). Eight extension headers of 960
bytes are the most.
"""

from npftrace.frames.wire import ICMPV6, TCP, UDP
from npftrace.oracle.firewall_header import Header

FIXED_BYTES = 40
HOP_BY_HOP, ROUTING, FRAGMENT, AUTHENTICATION, DESTINATION = 0, 43, 44, 51, 60
EXTENSIONS = (HOP_BY_HOP, ROUTING, FRAGMENT, AUTHENTICATION, DESTINATION)
EXTENSIONS_MAX = 8
EXTENSION_BYTES_MAX = 960
TRANSPORT_BYTES = {ICMPV6: 8, TCP: 20, UDP: 8}


def header6_of(packet: bytes) -> Header | str:
    """The fields of an IPv6 packet, or the reason why it is dropped."""
    payload_bytes = int.from_bytes(packet[4:6], "big")
    if packet[0] >> 4 != 6 or FIXED_BYTES + payload_bytes > len(packet):
        return "bad_header"
    payload = packet[FIXED_BYTES : FIXED_BYTES + payload_bytes]
    found = _transport(packet[6], payload)
    if isinstance(found, str):
        return found
    protocol, transport = found
    ports, flags = None, None
    if transport and protocol in (TCP, UDP):
        first = int.from_bytes(transport[:4], "big")
        ports = first >> 16, first & 0xFFFF
    if transport and protocol == TCP:
        flags = transport[13]
    elif transport and protocol == ICMPV6:
        flags = transport[0]
    src, dst = (int.from_bytes(packet[n : n + 16], "big") for n in (8, 24))
    traffic_class = int.from_bytes(packet[0:2], "big") >> 4 & 255
    return Header(128, src, dst, protocol, traffic_class, ports, flags)


def _transport(protocol: int, payload: bytes) -> tuple[int, bytes] | str:
    """The protocol, and the bytes of its header: none in a fragment that is not the
    first, nor of a protocol without ports, flags and types."""
    at = 0
    for number in range(EXTENSIONS_MAX + 1):
        if protocol not in EXTENSIONS:
            break
        if number == EXTENSIONS_MAX or at > EXTENSION_BYTES_MAX:
            return "long_headers"
        size = _size(protocol, payload[at:])
        if size is None or (protocol == HOP_BY_HOP and number > 0):
            return "bad_header"
        offset = int.from_bytes(payload[at + 2 : at + 4], "big") >> 3
        is_later = protocol == FRAGMENT and offset > 0
        protocol = payload[at]
        at += size
        if is_later and at <= EXTENSION_BYTES_MAX:
            is_tiny = offset == 1 and protocol == TCP
            return "tiny_fragment" if is_tiny else (protocol, b"")
    if at > EXTENSION_BYTES_MAX:
        return "long_headers"
    needed = TRANSPORT_BYTES.get(protocol, 0)
    if len(payload) - at < needed:
        return "short_transport"
    return protocol, payload[at : at + needed]


def _size(protocol: int, rest: bytes) -> int | None:
    """The bytes of an extension header, None if it is not all there."""
    if len(rest) < 2:
        return None
    if protocol == FRAGMENT:
        size = 8
    elif protocol == AUTHENTICATION:
        size = (rest[1] + 2) * 4
    else:
        size = (rest[1] + 1) * 8
    return size if size <= len(rest) else None

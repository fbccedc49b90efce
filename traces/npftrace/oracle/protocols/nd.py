"""IPv6 neighbour discovery (RFC 4861), as far as a router on Ethernet needs it."""

from typing import NamedTuple

from npftrace.frames.wire import checksum
from npftrace.oracle.protocols import ipv6

SOLICITATION, ADVERTISEMENT = 135, 136
#: All messages of the protocol.
TYPES = range(133, 138)
SOURCE, TARGET = 1, 2
HOP_LIMIT = 255
ROUTER, SOLICITED, OVERRIDE = 0x80, 0x40, 0x20
ALL_NODES = 0xFF02 << 112 | 1
ALL_NODES_MAC = 0x333300000001
#: Bytes of the longest message that the router reads, with its IPv6 header.
BYTES_MAX = 1000
MULTICAST_MAC = b"\x33\x33\xff"


class Message(NamedTuple):
    """A solicitation or an advertisement that is right by RFC 4861, 7.1."""

    kind: int
    flags: int
    source: int
    destination: int
    target: int
    #: The Ethernet address in its option: of the source or of the target.
    mac: int | None


def is_message(packet: bytes) -> bool:
    """Whether a packet may be a message: ICMPv6 that passed no router."""
    return packet[6] == ipv6.ICMPV6 and packet[7] == HOP_LIMIT


def solicited_node(address: int) -> int:
    """The multicast group of the nodes with an address (RFC 4291, 2.7.1)."""
    return 0xFF02 << 112 | 0x1FF << 24 | address & 0xFFFFFF


def is_multicast(address: int) -> bool:
    return address >> 120 == 0xFF


def read(packet: bytes) -> Message | None:
    """The neighbour message in a packet; None if the router ignores it."""
    length = int.from_bytes(packet[4:6], "big")
    end = ipv6.IPV6_BYTES + length
    if packet[0] >> 4 != 6 or not is_message(packet) or length < 24 or length % 8:
        return None
    if end > min(len(packet), BYTES_MAX):
        return None
    pseudo = packet[8:40] + length.to_bytes(4, "big") + ipv6.ICMPV6.to_bytes(4, "big")
    if checksum(pseudo + packet[40:end]):
        return None
    kind, code, flags = packet[40], packet[41], packet[44]
    source, destination, target = (
        int.from_bytes(packet[at : at + 16], "big") for at in (8, 24, 48)
    )
    if code or is_multicast(source) or is_multicast(target):
        return None
    options = _options(packet[64:end])
    if options is None or kind not in (SOLICITATION, ADVERTISEMENT):
        return None
    mac = options.get(SOURCE if kind == SOLICITATION else TARGET)
    if kind == SOLICITATION and not source:
        to_group = destination >> 24 == solicited_node(0) >> 24
        if mac is not None or not to_group:
            return None
    elif mac is None or mac >> 40 & 1:
        return None
    if kind == ADVERTISEMENT and is_multicast(destination) and flags & SOLICITED:
        return None
    return Message(kind, flags, source, destination, target, mac)


def _options(data: bytes) -> dict[int, int] | None:
    """The Ethernet address of each option by its type; None if an option does not
    fit."""
    found: dict[int, int] = {}
    while data:
        size = 8 * data[1]
        if not size or size > len(data):
            return None
        if size == 8:
            found.setdefault(data[0], int.from_bytes(data[2:8], "big"))
        data = data[size:]
    return found


def message(
    kind: int, flags: int, addresses: tuple[int, int], target: int, mac: int
) -> bytes:
    """The IPv6 packet of a message; `addresses` are source and destination."""
    option = SOURCE if kind == SOLICITATION else TARGET
    body = bytes((flags, 0, 0, 0)) + target.to_bytes(16, "big")
    body += bytes((option, 1)) + mac.to_bytes(6, "big")
    both = b"".join(address.to_bytes(16, "big") for address in addresses)
    size = 4 + len(body)
    pseudo = both + size.to_bytes(4, "big") + ipv6.ICMPV6.to_bytes(4, "big")
    total = checksum(pseudo + bytes((kind, 0, 0, 0)) + body)
    head = 0x6C000000.to_bytes(4, "big") + size.to_bytes(2, "big")
    head += bytes((ipv6.ICMPV6, HOP_LIMIT)) + both
    return head + bytes((kind, 0)) + total.to_bytes(2, "big") + body


def answer(heard: Message, own: int, mac: int) -> tuple[int, bytes]:
    """The advertisement of `own` that answers a solicitation: its Ethernet address
    and its packet."""
    if heard.source:
        assert heard.mac is not None
        flags = ROUTER | SOLICITED | OVERRIDE
        to, addresses = heard.mac, (own, heard.source)
    else:
        flags, to, addresses = ROUTER | OVERRIDE, ALL_NODES_MAC, (own, ALL_NODES)
    return to, message(ADVERTISEMENT, flags, addresses, own, mac)


def solicitation(own: int, mac: int, target: int) -> tuple[int, bytes]:
    """A solicitation for a neighbour: its Ethernet address and its packet."""
    group = solicited_node(target)
    packet = message(SOLICITATION, 0, (own, group), target, mac)
    return 0x3333 << 32 | group & 0xFFFFFFFF, packet

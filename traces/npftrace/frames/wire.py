"""Ethernet frames on the wire: sizes, types, padding, checksums, addresses."""

import struct
from ipaddress import IPv6Address

#: Frame lengths without CRC. The longest has two VLAN tags.
FRAME_BYTES_MIN = 60
FRAME_BYTES_MAX = 1522
CRC_BYTES = 4
#: Preamble, start of frame, and the gap between two frames.
GAP_BYTES = 20

ETHER_BYTES = 14
ETH_TYPE_IPV4 = 0x0800
ETH_TYPE_ARP = 0x0806
ETH_TYPE_VLAN = 0x8100
ETH_TYPE_IPV6 = 0x86DD
ETH_TYPE_MPLS = 0x8847
LABEL_BYTES = 4

#: The bit of a MAC address, as a number, that marks a group of stations.
GROUP_BIT = 1 << 40

#: Protocol numbers of IP (IANA).
ICMP, TCP, UDP, GRE, ESP, ICMPV6 = 1, 6, 17, 47, 50, 58


def pad(data: bytes) -> bytes:
    """A frame as a sending MAC pads it (IEEE 802.3, 3.2.8)."""
    return data.ljust(FRAME_BYTES_MIN, b"\0")


def checksum(data: bytes) -> int:
    """The Internet checksum of RFC 1071."""
    if len(data) % 2:
        data += b"\0"
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ether_type_of(data: bytes) -> int:
    """The type field of a frame without a VLAN tag."""
    return int.from_bytes(data[12:14], "big")


def mac_text(mac: int) -> str:
    """A MAC address as `02:00:00:00:00:01`."""
    return mac.to_bytes(6, "big").hex(":")


def ipv4_text(address: int) -> str:
    """An IPv4 address as `192.0.2.1`."""
    return ".".join(map(str, address.to_bytes(4, "big")))


def ipv4_value(text: str) -> int:
    """The number of a dotted IPv4 address; ValueError if `text` is none."""
    parts = text.split(".")
    are_digits = all(part.isascii() and part.isdigit() for part in parts)
    if len(parts) != 4 or not are_digits or max(map(int, parts)) > 255:
        raise ValueError(f"'{text}' is not an IPv4 address")
    return int.from_bytes(bytes(map(int, parts)), "big")


def ipv6_text(address: int) -> str:
    """An IPv6 address as `2001:db8::1`."""
    return str(IPv6Address(address))


def ipv6_value(text: str) -> int:
    """The number of an IPv6 address; ValueError if `text` is none."""
    return int(IPv6Address(text))


def ipv4_prefix(address: int, length: int) -> int:
    """The first `length` bits of an IPv4 address, the rest zero."""
    return address >> (32 - length) << (32 - length)

"""What a port does to a frame, and how addresses and frames are written."""

import struct

FRAME_BYTES_MIN = 60
FRAME_BYTES_MAX = 1522
CRC_BYTES = 4

ETH_TYPE_IPV4 = 0x0800
ETH_TYPE_ARP = 0x0806
ETH_TYPE_VLAN = 0x8100
ETH_TYPE_IPV6 = 0x86DD
ETH_TYPE_MPLS = 0x8847


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


def mac_text(mac: int) -> str:
    return mac.to_bytes(6, "big").hex(":")


def ipv4_text(address: int) -> str:
    return ".".join(map(str, address.to_bytes(4, "big")))


def ipv4_value(text: str) -> int:
    """The number of a dotted address; ValueError if it is none."""
    parts = text.split(".")
    if len(parts) != 4 or not all(p.isascii() and p.isdigit() for p in parts):
        raise ValueError(f"'{text}' is no IPv4 address")
    return int.from_bytes(bytes(int(part) for part in parts), "big")

"""What a frame is about, without scapy: one line about it, and the flow that it
belongs to. Both are asked for every frame of a run."""

import ipaddress
from typing import NamedTuple

from npftrace.frames.wire import (
    ETH_TYPE_ARP,
    ETH_TYPE_IPV4,
    ETH_TYPE_IPV6,
    ETH_TYPE_MPLS,
    ETH_TYPE_VLAN,
    ETHER_BYTES,
    ICMP,
    ICMPV6,
    LABEL_BYTES,
    TCP,
    UDP,
    ipv4_text,
    mac_text,
)

ETH_TYPE_QINQ = 0x88A8
VLAN_BYTES = 4
IPV4_BYTES_MIN, IPV6_BYTES = 20, 40
NAMES = {ICMP: "icmp", TCP: "tcp", UDP: "udp", ICMPV6: "icmpv6"}
#: Extension headers of IPv6 (RFC 8200, section 4) that come before the ports: hop by
#: hop, routing, destination options; and the fragment header.
EXTENSIONS, FRAGMENT6 = (0, 43, 60), 44

#: What the packets of a flow share.
Flow = tuple[bytes, ...]


class Packet(NamedTuple):
    """Where the network layer of a frame lies."""

    #: Identifiers of the VLANs and label stack entries without TTL, outermost first.
    vlans: tuple[int, ...]
    labels: tuple[int, ...]
    ether_type: int
    #: 4, 6, or 0 for a packet that is not of IP or is cut in its header.
    version: int
    at: int


def packet_of(data: bytes) -> Packet:
    """Looks through VLAN tags and a label stack."""
    vlans, labels = [], []
    at = ETHER_BYTES
    ether_type = int.from_bytes(data[12:14], "big")
    while ether_type in (ETH_TYPE_VLAN, ETH_TYPE_QINQ) and at + VLAN_BYTES <= len(data):
        vlans.append(int.from_bytes(data[at : at + 2], "big") & 0xFFF)
        ether_type = int.from_bytes(data[at + 2 : at + 4], "big")
        at += VLAN_BYTES
    bottom = ether_type != ETH_TYPE_MPLS
    while not bottom and at + LABEL_BYTES <= len(data):
        labels.append(int.from_bytes(data[at : at + 3], "big"))
        bottom = bool(labels[-1] & 1)
        at += LABEL_BYTES
    version = data[at] >> 4 if at < len(data) else 0
    header = {4: IPV4_BYTES_MIN, 6: IPV6_BYTES}.get(version, 0)
    allowed = {ETH_TYPE_IPV4: (4,), ETH_TYPE_IPV6: (6,), ETH_TYPE_MPLS: (4, 6)}
    whole = header and at + header <= len(data)
    if not whole or version not in allowed.get(ether_type, ()):
        version = 0
    return Packet(tuple(vlans), tuple(labels), ether_type, version, at)


def flow_of(data: bytes) -> Flow:
    """What the packets of one flow share: VLANs, labels, addresses, protocol, ports;
    of a frame without an IP packet, addresses and type."""
    packet = packet_of(data)
    outside = b"".join(
        number.to_bytes(3, "big") for number in (*packet.vlans, *packet.labels)
    )
    at = packet.at
    if packet.version == 4:
        protocol, begin = data[at + 9], at + 4 * (data[at] & 15)
        # All fragments of a packet are of one flow.
        whole = int.from_bytes(data[at + 6 : at + 8], "big") & 0x3FFF == 0
        addresses = data[at + 12 : at + 20]
    elif packet.version == 6:
        protocol, begin, whole = _transport6(data, at)
        addresses = data[at + 8 : at + 40]
    else:
        return data[0:12], data[12:14], outside
    ports = data[begin : begin + 4] if protocol in (TCP, UDP) and whole else b""
    return outside, addresses, bytes([protocol]), ports


def _transport6(data: bytes, at: int) -> tuple[int, int, bool]:
    """The protocol above IPv6, its first byte, and whether it is no fragment."""
    protocol, begin = data[at + 6], at + IPV6_BYTES
    while protocol in EXTENSIONS and begin + 8 <= len(data):
        protocol, begin = data[begin], begin + 8 * (data[begin + 1] + 1)
    if protocol == FRAGMENT6 and begin < len(data):
        return data[begin], begin, False
    return protocol, begin, True


def summary(data: bytes) -> str:
    """A frame in one line."""
    if len(data) < ETHER_BYTES:
        return f"? > ?, {len(data)} bytes"
    source, target = (int.from_bytes(data[at : at + 6], "big") for at in (6, 0))
    packet = packet_of(data)
    at = packet.at
    words = [f"{mac_text(source)} > {mac_text(target)}"]
    words += [f"vlan {vlan}" for vlan in packet.vlans]
    words += [f"label {label >> 4}" for label in packet.labels]
    if packet.version == 4:
        ends = [int.from_bytes(data[at + n : at + n + 4], "big") for n in (12, 16)]
        words.append(f"IPv4 {ipv4_text(ends[0])} > {ipv4_text(ends[1])}")
        words.append(f"ttl {data[at + 8]} {_name(data[at + 9])}")
    elif packet.version == 6:
        one, other = (
            ipaddress.IPv6Address(data[at + n : at + n + 16]) for n in (8, 24)
        )
        words.append(f"IPv6 {one} > {other}")
        words.append(f"hop limit {data[at + 7]} {_name(_transport6(data, at)[0])}")
    elif packet.ether_type == ETH_TYPE_ARP and at + 8 <= len(data):
        words.append(f"ARP {int.from_bytes(data[at + 6 : at + 8], 'big')}")
    else:
        words.append(f"type 0x{packet.ether_type:04x}")
    return f"{' '.join(words)}, {len(data)} bytes"


def _name(protocol: int) -> str:
    return NAMES.get(protocol, f"protocol {protocol}")

"""Frames as named fields, to show one and to tell two apart.

The headers that are decoded are Ethernet, ARP, MPLS labels, IPv4 with options,
and the ports of UDP and TCP. The rest of a frame is payload.
"""

from collections.abc import Iterator
from typing import NamedTuple

from npftrace.frames.wire import (
    ETH_TYPE_ARP,
    ETH_TYPE_IPV4,
    ETH_TYPE_MPLS,
    ETHER_BYTES,
    LABEL_BYTES,
    TCP,
    UDP,
    ether_type_of,
    ipv4_text,
    mac_text,
)


class Field(NamedTuple):
    """A field: its name, the bytes that it occupies, and its value as text."""

    name: str
    begin: int
    end: int
    text: str


#: A header's fields: name, offset, bytes, form of the text.
Layout = list[tuple[str, int, int, str]]
ETHER: Layout = [("dst", 0, 6, "mac"), ("src", 6, 6, "mac"), ("type", 12, 2, "hex")]
ARP: Layout = [
    ("hardware", 0, 2, "dec"),
    ("protocol", 2, 2, "hex"),
    ("operation", 6, 2, "dec"),
    ("sender_mac", 8, 6, "mac"),
    ("sender_ip", 14, 4, "ip"),
    ("target_mac", 18, 6, "mac"),
    ("target_ip", 24, 4, "ip"),
]
IPV4: Layout = [
    ("version_ihl", 0, 1, "hex"),
    ("tos", 1, 1, "hex"),
    ("length", 2, 2, "dec"),
    ("id", 4, 2, "dec"),
    ("fragment", 6, 2, "hex"),
    ("ttl", 8, 1, "dec"),
    ("protocol", 9, 1, "dec"),
    ("checksum", 10, 2, "hex"),
    ("src", 12, 4, "ip"),
    ("dst", 16, 4, "ip"),
]
IPV4_BYTES_MIN = 20
TRANSPORT_PORTS: Layout = [("src_port", 0, 2, "dec"), ("dst_port", 2, 2, "dec")]
TRANSPORTS: dict[int, tuple[str, Layout]] = {
    TCP: ("tcp", TRANSPORT_PORTS),
    UDP: (
        "udp",
        [*TRANSPORT_PORTS, ("length", 4, 2, "dec"), ("checksum", 6, 2, "hex")],
    ),
}


def _text(value: bytes, form: str) -> str:
    number = int.from_bytes(value, "big")
    if form == "mac":
        return mac_text(number)
    if form == "ip":
        return ipv4_text(number)
    return str(number) if form == "dec" else f"0x{number:0{2 * len(value)}x}"


def _layer(name: str, data: bytes, at: int, layout: Layout) -> Iterator[Field]:
    """The fields of a header at byte `at`, as far as the frame goes."""
    for field, offset, size, form in layout:
        begin, end = at + offset, at + offset + size
        if end <= len(data):
            text = _text(data[begin:end], form)
            yield Field(f"{name}.{field}", begin, end, text)


def _stack_depth(data: bytes) -> int:
    """The entries of the label stack after the Ethernet header."""
    for at in range(ETHER_BYTES, len(data) - LABEL_BYTES + 1, LABEL_BYTES):
        if data[at + 2] & 1:
            return (at - ETHER_BYTES) // LABEL_BYTES + 1
    return (len(data) - ETHER_BYTES) // LABEL_BYTES


def _label(data: bytes, at: int, number: int) -> Iterator[Field]:
    """The fields of a label stack entry. Label, EXP and bottom are one field,
    because their bits share bytes."""
    word = int.from_bytes(data[at : at + LABEL_BYTES], "big")
    name = f"mpls[{number}]"
    text = f"{word >> 12} exp {word >> 9 & 7} bottom {word >> 8 & 1}"
    yield Field(f"{name}.label", at, at + 3, text)
    yield Field(f"{name}.ttl", at + 3, at + 4, str(word & 255))


def _ipv4(data: bytes, at: int) -> Iterator[Field]:
    """The fields of an IPv4 packet at byte `at`; none if there is no packet."""
    if len(data) < at + IPV4_BYTES_MIN or data[at] >> 4 != 4:
        return
    yield from _layer("ipv4", data, at, IPV4)
    header = 4 * (data[at] & 15)
    if IPV4_BYTES_MIN < header <= len(data) - at:
        begin, end = at + IPV4_BYTES_MIN, at + header
        yield Field("ipv4.options", begin, end, data[begin:end].hex())
    is_first_fragment = int.from_bytes(data[at + 6 : at + 8], "big") & 0x1FFF == 0
    if header >= IPV4_BYTES_MIN and data[at + 9] in TRANSPORTS and is_first_fragment:
        name, layout = TRANSPORTS[data[at + 9]]
        yield from _layer(name, data, at + header, layout)


def decode(data: bytes) -> list[Field]:
    """The fields of a frame, in order and without overlaps."""
    fields = list(_layer("ether", data, 0, ETHER))
    ether_type = ether_type_of(data)
    if ether_type == ETH_TYPE_ARP:
        fields += _layer("arp", data, ETHER_BYTES, ARP)
    elif ether_type == ETH_TYPE_IPV4:
        fields += _ipv4(data, ETHER_BYTES)
    elif ether_type == ETH_TYPE_MPLS:
        stack_end = ETHER_BYTES + LABEL_BYTES * _stack_depth(data)
        for number, at in enumerate(range(ETHER_BYTES, stack_end, LABEL_BYTES)):
            fields += _label(data, at, number)
        fields += _ipv4(data, stack_end)
    end = fields[-1].end if fields else 0
    if end < len(data):
        fields.append(Field("payload", end, len(data), data[end:].hex(" ")))
    return fields


def differences(expected: bytes, found: bytes) -> list[str]:
    """What differs, one line per field of the expected frame."""
    lines = []
    if len(expected) != len(found):
        lines.append(f"length: expected {len(expected)} bytes, found {len(found)}")
    found_fields = {field.name: field for field in decode(found)}
    for field in decode(expected):
        part = found[field.begin : field.end]
        if part == expected[field.begin : field.end] or not part:
            continue
        if field.name == "payload":
            lines += _first_byte(expected[field.begin :], part, field.begin)
            continue
        twin = found_fields.get(field.name)
        aligned = twin and (twin.begin, twin.end) == (field.begin, field.end)
        text = twin.text if twin and aligned else part.hex()
        lines.append(f"{field.name}: expected {field.text}, found {text}")
    return lines


def _first_byte(expected: bytes, found: bytes, begin: int) -> list[str]:
    """The first byte that differs, if one does, as a line."""
    for at, (old, new) in enumerate(zip(expected, found, strict=False), begin):
        if old != new:
            return [f"byte {at}: expected 0x{old:02x}, found 0x{new:02x}"]
    return []


def summary(data: bytes) -> str:
    """A frame in one line."""
    fields = {field.name: field.text for field in decode(data)}
    line = f"{fields.get('ether.src', '?')} > {fields.get('ether.dst', '?')}"
    if "ipv4.src" in fields:
        protocol = int(fields["ipv4.protocol"])
        name = TRANSPORTS[protocol][0] if protocol in TRANSPORTS else ""
        line += (
            f" IPv4 {fields['ipv4.src']} > {fields['ipv4.dst']}"
            f" ttl {fields['ipv4.ttl']} {name or f'protocol {protocol}'}"
        )
    elif "arp.operation" in fields:
        line += f" ARP {fields['arp.operation']}"
    else:
        line += f" type {fields.get('ether.type', '?')}"
    return f"{line}, {len(data)} bytes"


def flow_of(data: bytes) -> tuple[bytes, ...]:
    """What the packets of one flow share: labels, addresses, protocol, ports."""
    at, labels = ETHER_BYTES, b""
    ether_type = ether_type_of(data)
    if ether_type == ETH_TYPE_MPLS:
        at += LABEL_BYTES * _stack_depth(data)
        # A label's last byte is its TTL, which tells no flows apart.
        stack = enumerate(data[ETHER_BYTES:at])
        labels = bytes(b for i, b in stack if i % LABEL_BYTES < 3)
    if ether_type in (ETH_TYPE_IPV4, ETH_TYPE_MPLS):
        header = data[at : at + IPV4_BYTES_MIN]
        if len(header) == IPV4_BYTES_MIN and header[0] >> 4 == 4:
            begin = at + 4 * (header[0] & 15)
            ports = data[begin : begin + 4] if header[9] in TRANSPORTS else b""
            if int.from_bytes(header[6:8], "big") & 0x3FFF:
                ports = b""  # All fragments of a packet are of one flow.
            return labels, header[12:20], header[9:10], ports
    return data[0:12], data[12:14], labels

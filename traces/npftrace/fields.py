"""Frames as named fields: for showing them and for telling two apart.

Decoding goes as far as a frame's headers do: Ethernet, ARP, MPLS labels, IPv4
with options, UDP and TCP ports. What follows is payload.
"""

from collections.abc import Iterator
from typing import NamedTuple

from npftrace.wire import (
    ETH_TYPE_ARP,
    ETH_TYPE_IPV4,
    ETH_TYPE_MPLS,
    ipv4_text,
    mac_text,
)


class Field(NamedTuple):
    """A field, the bytes that it lies in, and its value as text."""

    name: str
    begin: int
    end: int
    text: str


ETHER = [("dst", 0, 6, "mac"), ("src", 6, 6, "mac"), ("type", 12, 2, "hex")]
ARP = [
    ("hardware", 0, 2, "dec"),
    ("protocol", 2, 2, "hex"),
    ("operation", 6, 2, "dec"),
    ("sender_mac", 8, 6, "mac"),
    ("sender_ip", 14, 4, "ip"),
    ("target_mac", 18, 6, "mac"),
    ("target_ip", 24, 4, "ip"),
]
IPV4 = [
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
PORTS = [("src_port", 0, 2, "dec"), ("dst_port", 2, 2, "dec")]
UDP = [*PORTS, ("length", 4, 2, "dec"), ("checksum", 6, 2, "hex")]
LABEL_BYTES = 4
LAYER4 = {6: "tcp", 17: "udp"}
LAYOUTS = {"tcp": PORTS, "udp": UDP}


def _text(value: bytes, form: str) -> str:
    number = int.from_bytes(value, "big")
    if form == "mac":
        return mac_text(number)
    if form == "ip":
        return ipv4_text(number)
    return str(number) if form == "dec" else f"0x{number:0{2 * len(value)}x}"


def _layer(
    name: str, data: bytes, at: int, layout: list[tuple[str, int, int, str]]
) -> Iterator[Field]:
    for field, offset, size, form in layout:
        begin, end = at + offset, at + offset + size
        if end <= len(data):
            text = _text(data[begin:end], form)
            yield Field(f"{name}.{field}", begin, end, text)


def _depth(data: bytes) -> int:
    """Entries of the label stack after the Ethernet header."""
    for at in range(14, len(data) - LABEL_BYTES + 1, LABEL_BYTES):
        if data[at + 2] & 1:
            return (at - 14) // LABEL_BYTES + 1
    return (len(data) - 14) // LABEL_BYTES


def _label(data: bytes, at: int, place: int) -> Iterator[Field]:
    """The fields of a label stack entry; those below one byte share it."""
    word = int.from_bytes(data[at : at + LABEL_BYTES], "big")
    name = f"mpls[{place}]"
    text = f"{word >> 12} exp {word >> 9 & 7} bottom {word >> 8 & 1}"
    yield Field(f"{name}.label", at, at + 3, text)
    yield Field(f"{name}.ttl", at + 3, at + 4, str(word & 255))


def _ipv4(data: bytes, at: int) -> Iterator[Field]:
    """The fields of an IPv4 packet, if there is one."""
    if len(data) < at + 20 or data[at] >> 4 != 4:
        return
    yield from _layer("ipv4", data, at, IPV4)
    header = 4 * (data[at] & 15)
    if 20 < header <= len(data) - at:
        options = data[at + 20 : at + header]
        yield Field("ipv4.options", at + 20, at + header, options.hex())
    first_fragment = int.from_bytes(data[at + 6 : at + 8], "big") & 0x1FFF == 0
    if header >= 20 and data[at + 9] in LAYER4 and first_fragment:
        name = LAYER4[data[at + 9]]
        yield from _layer(name, data, at + header, LAYOUTS[name])


def decode(data: bytes) -> list[Field]:
    """The fields of a frame, in order, without overlaps."""
    fields = list(_layer("ether", data, 0, ETHER))
    ether_type = int.from_bytes(data[12:14], "big")
    if ether_type == ETH_TYPE_ARP:
        fields += _layer("arp", data, 14, ARP)
    elif ether_type == ETH_TYPE_IPV4:
        fields += _ipv4(data, 14)
    elif ether_type == ETH_TYPE_MPLS:
        stack_end = 14 + LABEL_BYTES * _depth(data)
        for place, at in enumerate(range(14, stack_end, LABEL_BYTES)):
            fields += _label(data, at, place)
        fields += _ipv4(data, stack_end)
    end = fields[-1].end if fields else 0
    if end < len(data):
        fields.append(Field("payload", end, len(data), data[end:].hex(" ")))
    return fields


def differences(expected: bytes, found: bytes) -> list[str]:
    """What differs, by field of the expected frame."""
    lines = []
    if len(expected) != len(found):
        lines.append(f"length: expected {len(expected)} bytes, found {len(found)}")
    found_fields = {field.name: field for field in decode(found)}
    for field in decode(expected):
        part = found[field.begin : field.end]
        if part == expected[field.begin : field.end] or not part:
            continue
        if field.name == "payload":
            pairs = zip(expected[field.begin :], part, strict=False)
            at, (old, new) = next(
                ((i, p) for i, p in enumerate(pairs, field.begin) if p[0] != p[1]),
                (0, (0, 0)),
            )
            if old != new:
                lines.append(f"byte {at}: expected 0x{old:02x}, found 0x{new:02x}")
            continue
        twin = found_fields.get(field.name)
        aligned = twin and (twin.begin, twin.end) == (field.begin, field.end)
        text = twin.text if twin and aligned else part.hex()
        lines.append(f"{field.name}: expected {field.text}, found {text}")
    return lines


def summary(data: bytes) -> str:
    """A frame in one line."""
    fields = {field.name: field.text for field in decode(data)}
    line = f"{fields.get('ether.src', '?')} > {fields.get('ether.dst', '?')}"
    if "ipv4.src" in fields:
        layer4 = LAYER4.get(data[23], f"protocol {data[23]}")
        line += (
            f" IPv4 {fields['ipv4.src']} > {fields['ipv4.dst']}"
            f" ttl {fields['ipv4.ttl']} {layer4}"
        )
    elif "arp.operation" in fields:
        line += f" ARP {fields['arp.operation']}"
    else:
        line += f" type {fields.get('ether.type', '?')}"
    return f"{line}, {len(data)} bytes"


def flow_of(data: bytes) -> tuple[bytes, ...]:
    """What packets of one flow share: labels, addresses, protocol and ports."""
    at, labels = 14, b""
    if data[12:14] == b"\x88\x47":
        at += LABEL_BYTES * _depth(data)
        labels = bytes(b for i, b in enumerate(data[14:at]) if i % LABEL_BYTES < 3)
    if data[12:14] in (b"\x08\x00", b"\x88\x47"):
        header = data[at : at + 20]
        if len(header) == 20 and header[0] >> 4 == 4:
            begin = at + 4 * (header[0] & 15)
            ports = data[begin : begin + 4] if header[9] in LAYER4 else b""
            if int.from_bytes(header[6:8], "big") & 0x3FFF:
                ports = b""  # Fragments after the first show no ports.
            return labels, header[12:20], header[9:10], ports
    return data[0:12], data[12:14], labels

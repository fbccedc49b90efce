"""Frames as the fields of scapy's layers, to show one and to tell two apart.

A field's name is its layer's and its own, as in `IP.ttl`; the second layer of a kind
is `MPLS:2`, as scapy counts them. Dissected are Ethernet, VLAN tags, ARP, MPLS, IPv4,
IPv6 with its extension headers, GRE, TCP, UDP, ICMP and ICMPv6; what they carry is
`Raw.load`, what follows them `Padding.load`.
"""

import struct
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from itertools import zip_longest
from typing import Any, NamedTuple

#: Scapy's modules whose layers are dissected, whatever else is loaded.
MODULES = ("scapy.layers.l2", "scapy.layers.inet", "scapy.layers.inet6",
           "scapy.contrib.mpls", "scapy.packet")  # fmt: skip
#: Layers of bytes without fields.
BYTES = ("Raw", "Padding")
#: Fields whose names would be those that this computer knows.
PORTS = ("sport", "dport")
#: What a line of a difference shows of a value.
TEXT_MAX = 60


class Field(NamedTuple):
    """A field: its name, the bits of the frame that it occupies, and its value as
    text."""

    name: str
    begin_bit: int
    end_bit: int
    text: str

    @property
    def begin(self) -> int:
        """The byte with the first bit."""
        return self.begin_bit // 8

    @property
    def end(self) -> int:
        """The byte after the last bit."""
        return (self.end_bit + 7) // 8

    def value(self, data: bytes) -> tuple[int, bytes]:
        """What tells the field from one with other bits."""
        size = self.end_bit - self.begin_bit
        bits = int.from_bytes(data[self.begin : self.end], "big")
        bits = bits >> -self.end_bit % 8 & (1 << size) - 1
        return size, bits.to_bytes((size + 7) // 8, "big")


class Layer(NamedTuple):
    """A header, or the bytes after the last one."""

    name: str
    begin: int
    fields: list[Field]


def layers_of(data: bytes) -> list[Layer]:
    """The layers of a frame, without gaps."""
    # Scapy takes half a second to load, and most runs have nothing to explain.
    for module in MODULES:
        import_module(module)
    from scapy.layers.l2 import Ether

    try:
        packet: Any = Ether(data)
    except struct.error:  # cut in the Ethernet header
        return [_bytes_of("Raw", data, 0, len(data))]
    layers: list[Layer] = []
    seen: Counter[str] = Counter()
    at = 0
    while packet:
        name = type(packet).__name__
        header = packet.raw_packet_cache
        if type(packet).__module__ not in MODULES or name in BYTES or not header:
            break
        seen[name] += 1
        title = name if seen[name] == 1 else f"{name}:{seen[name]}"
        layers.append(Layer(title, at, list(_fields(packet, title, header, at))))
        at += len(header)
        packet = packet.payload
    padding = packet.getlayer("Padding") if packet else None
    end = len(data) - (len(padding.load) if padding else 0)
    if at < end:
        layers.append(_bytes_of("Raw", data, at, end))
    if max(at, end) < len(data):
        layers.append(_bytes_of("Padding", data, max(at, end), len(data)))
    return layers


def _bytes_of(name: str, data: bytes, begin: int, end: int) -> Layer:
    text = data[begin:end].hex(" ")
    return Layer(name, begin, [Field(f"{name}.load", 8 * begin, 8 * end, text)])


def _fields(packet: Any, title: str, header: bytes, at: int) -> Iterator[Field]:
    """The fields of a header, which begins at byte `at` of the frame."""
    left: Any = header
    before = 0
    for field in packet.fields_desc:
        try:
            left, value = field.getfield(packet, left)
        except (struct.error, IndexError):
            return
        rest, bits = left[:2] if isinstance(left, tuple) else (left, 0)
        after = 8 * (len(header) - len(rest)) + bits
        if after > before:
            text = _text(packet, field, value)
            yield Field(f"{title}.{field.name}", 8 * at + before, 8 * at + after, text)
        before = after
        if not rest:
            return


def _text(packet: Any, field: Any, value: Any) -> str:
    """A value as scapy shows it; a named number also as number."""
    if field.name in PORTS:
        return str(value)
    text = str(field.i2repr(packet, value))
    form = type(getattr(field, "fld", field)).__name__
    if type(value) is int and text.lower() not in (str(value), f"0x{value:x}"):
        text += f" (0x{value:x})" if form.startswith("X") else f" ({value})"
    return text if len(text) <= TEXT_MAX else text[: TEXT_MAX - 3] + "..."


def dissect(data: bytes) -> list[Field]:
    """The fields of a frame, in order and without gaps."""
    return [field for layer in layers_of(data) for field in layer.fields]


def differences(expected: bytes, found: bytes) -> list[str]:
    """What differs, one line per field: `IP.ttl: 63, expected 64 (byte 22)`. The
    byte is that of the expected frame. The lines end where the frames have different
    layers."""
    lines = []
    if len(expected) != len(found):
        lines.append(f"length: {len(found)} bytes, expected {len(expected)}")
    for want, have in zip_longest(layers_of(expected), layers_of(found)):
        if not want or not have or want.name != have.name:
            names = [layer.name if layer else "nothing" for layer in (have, want)]
            at = (want or have).begin
            lines.append(f"layers: {names[0]}, expected {names[1]} (byte {at})")
            break
        if want.name in BYTES:
            lines += _first_byte(want, expected, have, found)
        else:
            lines += _different_fields(want, expected, have, found)
    return lines


def _different_fields(
    want: Layer, expected: bytes, have: Layer, found: bytes
) -> Iterator[str]:
    twins = {field.name: field for field in have.fields}
    for field in want.fields:
        twin = twins.pop(field.name, None)
        if twin and twin.value(found) == field.value(expected):
            continue
        text = twin.text or "none" if twin else "absent"
        wanted = field.text or "none"
        if text == wanted and twin:
            # What a name stands for, or what was too long to show.
            text, wanted = twin.value(found)[1].hex(), field.value(expected)[1].hex()
        yield f"{field.name}: {text}, expected {wanted} (byte {field.begin})"
    for twin in twins.values():
        yield f"{twin.name}: {twin.text}, expected absent (byte {twin.begin})"


def _first_byte(
    want: Layer, expected: bytes, have: Layer, found: bytes
) -> Iterator[str]:
    """The first byte that differs, if one does."""
    (old,), (new,) = want.fields, have.fields
    pairs = zip(expected[old.begin : old.end], found[new.begin : new.end], strict=False)
    for at, (right, wrong) in enumerate(pairs, old.begin):
        if right != wrong:
            yield f"{old.name}: 0x{wrong:02x}, expected 0x{right:02x} (byte {at})"
            return

"""Reads and writes pcap and pcapng files.

In a pcapng file with more than one interface, a frame's port is its interface.
In any other file it is the frame's index modulo the number of ports. Files may be
compressed.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from npftrace.errors import InputError
from npftrace.files import create, plain_name, read_bytes

LINK_TYPE_ETHERNET = 1
SNAP_BYTES = 262144
NS_PER_SECOND = 1_000_000_000

#: pcap magic numbers as bytes of the file: byte order, ns per time unit.
PCAP_MAGICS = {
    b"\xd4\xc3\xb2\xa1": ("<", 1000),
    b"\xa1\xb2\xc3\xd4": (">", 1000),
    b"\x4d\x3c\xb2\xa1": ("<", 1),
    b"\xa1\xb2\x3c\x4d": (">", 1),
}
#: The header that `file_header` writes: little-endian, times in ns.
PCAP_MAGIC_NS = 0xA1B23C4D
PCAP_HEADER_BYTES, PCAP_RECORD_BYTES = 24, 16

#: pcapng block types (draft-ietf-opsawg-pcapng) and option codes.
SECTION_HEADER, INTERFACE, OLD_PACKET, SIMPLE_PACKET, ENHANCED_PACKET = (
    0x0A0D0D0A, 1, 2, 3, 6,
)  # fmt: skip
#: Bytes of a block's fixed fields, by type.
BLOCK_BYTES_MIN = {INTERFACE: 8, OLD_PACKET: 20, SIMPLE_PACKET: 4, ENHANCED_PACKET: 20}
OPTION_END, OPTION_NAME, OPTION_TIME_UNIT, OPTION_TIME_OFFSET = 0, 2, 9, 14
BYTE_ORDER_MAGICS = (b"\x4d\x3c\x2b\x1a", b"\x1a\x2b\x3c\x4d")
PCAPNG_MAGIC = b"\x0a\x0d\x0d\x0a"

#: Some of tcpdump.org's LINKTYPE_ values, for messages.
LINK_TYPES = {
    0: "NULL",
    8: "SLIP",
    9: "PPP",
    50: "PPP_SERIAL",
    51: "PPP_ETHER",
    101: "RAW",
    104: "C_HDLC",
    105: "IEEE802_11",
    107: "FRELAY",
    108: "LOOP",
    113: "LINUX_SLL",
    127: "IEEE802_11_RADIO",
    228: "IPV4",
    229: "IPV6",
    276: "LINUX_SLL2",
}


class Frame(NamedTuple):
    """One frame, without CRC."""

    time_ns: int
    port: int
    data: bytes


class Capture(NamedTuple):
    """The frames of a file, and whether the file names their ports."""

    frames: list[Frame]
    has_ports: bool


def read_capture(path: Path, ports: int, allow_empty: bool = False) -> Capture:
    """Reads a whole pcap or pcapng file.

    InputError says why a file cannot be read; a file without packets is an
    error too unless `allow_empty`.
    """
    data = read_bytes(path, "E-traces-001", "the trace")
    if data[:4] in PCAP_MAGICS:
        raw = list(_pcap_frames(path, data))
        interfaces = 1
    elif data[:4] == PCAPNG_MAGIC:
        raw, interfaces = _PcapngParser(path, data).parse()
    elif not data:
        raise InputError("E-traces-002", "the file is empty", path)
    else:
        raise InputError("E-traces-005", "neither pcap nor pcapng", path)
    if not raw and not allow_empty:
        raise InputError("E-traces-002", "the trace holds no packet", path)
    if interfaces > 1:
        return Capture([Frame(t, port % ports, data) for t, port, data in raw], True)
    numbered = enumerate(raw)
    return Capture([Frame(t, i % ports, data) for i, (t, _, data) in numbered], False)


def _cut_short(path: Path, count: int) -> InputError:
    message = f"the file is cut short after {count} packets"
    return InputError("E-traces-003", message, path)


def _check_link_type(path: Path, link_type: int) -> None:
    if link_type != LINK_TYPE_ETHERNET:
        name = LINK_TYPES.get(link_type, "unknown")
        message = f"the link type is {link_type} ({name}), not 1 (Ethernet)"
        raise InputError("E-traces-004", message, path)


def _pcap_frames(path: Path, data: bytes) -> Iterator[Frame]:
    order, unit_ns = PCAP_MAGICS[data[:4]]
    if len(data) < PCAP_HEADER_BYTES:
        raise _cut_short(path, 0)
    _check_link_type(path, struct.unpack_from(order + "I", data, 20)[0] & 0x3FFFFFF)
    # As libpcap does: no record gives more than the file's snap length.
    snap_bytes = struct.unpack_from(order + "I", data, 16)[0] or SNAP_BYTES
    record = struct.Struct(order + "IIII")
    at, count = PCAP_HEADER_BYTES, 0
    while at < len(data):
        if at + PCAP_RECORD_BYTES > len(data):
            raise _cut_short(path, count)
        seconds, fraction, captured, _ = record.unpack_from(data, at)
        at += PCAP_RECORD_BYTES
        if at + captured > len(data):
            raise _cut_short(path, count)
        time_ns = seconds * NS_PER_SECOND + fraction * unit_ns
        yield Frame(time_ns, 0, data[at : at + min(captured, snap_bytes)])
        at += captured
        count += 1


class _Interface(NamedTuple):
    link_type: int
    snap_bytes: int
    units_per_second: int
    offset_ns: int


class _PcapngParser:
    """Reads the blocks of a pcapng file: sections, interfaces, packets."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path
        self.data = data
        self.order = "<"
        self.interfaces: list[_Interface] = []
        self.interface_count = 0
        self.frames: list[Frame] = []

    def parse(self) -> tuple[list[Frame], int]:
        """The frames, and the largest number of interfaces of a section."""
        at = 0
        while at < len(self.data):
            if at + 12 > len(self.data):
                raise _cut_short(self.path, len(self.frames))
            if self.data[at : at + 4] == PCAPNG_MAGIC:
                self._start_section(at)
            block_type, length = self._unpack("II", at)
            if length < 12 or length % 4:
                raise self._damaged(at, f"a block length of {length}")
            if at + length > len(self.data):
                raise _cut_short(self.path, len(self.frames))
            if self._unpack("I", at + length - 4)[0] != length:
                raise self._damaged(at, "the two lengths of a block differ")
            self._block(block_type, at, at + 8, at + length - 4)
            at += length
        return self.frames, self.interface_count

    def _unpack(self, layout: str, at: int) -> tuple[int, ...]:
        return struct.unpack_from(self.order + layout, self.data, at)

    def _damaged(self, at: int, what: str) -> InputError:
        message = f"damaged pcapng file at byte {at}: {what}"
        return InputError("E-traces-006", message, self.path)

    def _start_section(self, at: int) -> None:
        magic = self.data[at + 8 : at + 12]
        if magic not in BYTE_ORDER_MAGICS:
            raise self._damaged(at, "a section header without byte-order magic")
        self.order = "<" if magic == BYTE_ORDER_MAGICS[0] else ">"
        self.interfaces = []

    def _block(self, block_type: int, block: int, at: int, end: int) -> None:
        if end - at < BLOCK_BYTES_MIN.get(block_type, 0):
            raise self._damaged(block, "a block too short for its header")
        if block_type == INTERFACE:
            self._interface(at, end)
        elif block_type == ENHANCED_PACKET:
            number, high, low, captured = self._unpack("IIII", at)
            self._packet(block, number, high << 32 | low, at + 20, captured, end)
        elif block_type == OLD_PACKET:
            number, _, high, low, captured = self._unpack("HHIII", at)
            self._packet(block, number, high << 32 | low, at + 20, captured, end)
        elif block_type == SIMPLE_PACKET:
            (captured,) = self._unpack("I", at)
            if self.interfaces and self.interfaces[0].snap_bytes:
                captured = min(captured, self.interfaces[0].snap_bytes)
            self._packet(block, 0, 0, at + 4, captured, end)

    def _interface(self, at: int, end: int) -> None:
        link_type, _, snap_bytes = self._unpack("HHI", at)
        units_per_second, offset_ns = 1_000_000, 0
        at += 8
        while end - at >= 4:
            code, size = self._unpack("HH", at)
            at += 4
            if code == OPTION_END or end - at < size:
                break
            if code == OPTION_TIME_UNIT and size >= 1:
                value = self.data[at]
                base = 2 if value & 0x80 else 10
                units_per_second = base ** (value & 0x7F)
            elif code == OPTION_TIME_OFFSET and size >= 8:
                offset_ns = self._unpack("q", at)[0] * NS_PER_SECOND
            at += size + (-size % 4)
        interface = _Interface(link_type, snap_bytes, units_per_second, offset_ns)
        self.interfaces.append(interface)
        self.interface_count = max(self.interface_count, len(self.interfaces))

    def _packet(
        self, block: int, number: int, time: int, at: int, captured: int, end: int
    ) -> None:
        if number >= len(self.interfaces):
            raise self._damaged(block, f"interface {number} is not described")
        interface = self.interfaces[number]
        _check_link_type(self.path, interface.link_type)
        if end - at < captured:
            raise self._damaged(block, "a packet longer than its block")
        time_ns = time * NS_PER_SECOND // interface.units_per_second
        data = self.data[at : at + captured]
        self.frames.append(Frame(time_ns + interface.offset_ns, number, data))


def is_pcapng(path: Path) -> bool:
    """Whether a file of this name is written as pcapng."""
    return plain_name(path).suffix == ".pcapng"


def file_header(path: Path, ports: int) -> bytes:
    """The bytes before the first frame: times in ns, one interface per port."""
    if not is_pcapng(path):
        return struct.pack(
            "<IHHIIII", PCAP_MAGIC_NS, 2, 4, 0, 0, SNAP_BYTES, LINK_TYPE_ETHERNET
        )
    section = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)
    blocks = [_block(SECTION_HEADER, section)]
    for port in range(ports):
        name = f"port{port}".encode()
        body = struct.pack("<HHI", LINK_TYPE_ETHERNET, 0, SNAP_BYTES)
        body += struct.pack("<HH", OPTION_NAME, len(name))
        body += name + bytes(-len(name) % 4)
        body += struct.pack("<HHII", OPTION_TIME_UNIT, 1, 9, OPTION_END)
        blocks.append(_block(INTERFACE, body))
    return b"".join(blocks)


def _block(block_type: int, body: bytes) -> bytes:
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", block_type) + length + body + length


def write_frame(file: BinaryIO, pcapng: bool, frame: Frame) -> None:
    """Appends one frame."""
    size = len(frame.data)
    if pcapng:
        high, low = frame.time_ns >> 32, frame.time_ns & 0xFFFFFFFF
        body = struct.pack("<IIIII", frame.port, high, low, size, size)
        file.write(_block(ENHANCED_PACKET, body + frame.data + bytes(-size % 4)))
    else:
        seconds, fraction = divmod(frame.time_ns, NS_PER_SECOND)
        file.write(struct.pack("<IIII", seconds, fraction, size, size) + frame.data)


def write_capture(path: Path, frames: list[Frame], ports: int) -> None:
    """Writes a whole file, as pcapng if the name ends so and otherwise as pcap."""
    with create(path) as file:
        file.write(file_header(path, ports))
        for frame in frames:
            write_frame(file, is_pcapng(path), frame)

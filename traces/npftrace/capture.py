"""pcap and pcapng files, in and out.

A frame's port is its interface in a pcapng file with more than one interface,
and otherwise its index modulo the number of ports. Files compressed by gzip
are read as they are.
"""

import gzip
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from npftrace.errors import InputError

LINK_TYPE_ETHERNET = 1
SNAP_BYTES = 262144

# pcap magic numbers as they stand in the file: byte order, ns per time unit.
PCAP_MAGICS = {
    b"\xd4\xc3\xb2\xa1": ("<", 1000),
    b"\xa1\xb2\xc3\xd4": (">", 1000),
    b"\x4d\x3c\xb2\xa1": ("<", 1),
    b"\xa1\xb2\x3c\x4d": (">", 1),
}
PCAPNG_MAGIC = b"\x0a\x0d\x0d\x0a"

# Some of tcpdump.org's LINKTYPE_ values, for messages.
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
    """One frame; without CRC."""

    time_ns: int
    port: int
    data: bytes


class Capture(NamedTuple):
    """The frames of a file, and whether it tells the ports of frames."""

    frames: list[Frame]
    has_ports: bool


def read_capture(path: Path, ports: int, allow_empty: bool = False) -> Capture:
    """Reads a whole pcap or pcapng file."""
    data = _read_bytes(path)
    if data[:4] in PCAP_MAGICS:
        raw = list(_pcap_frames(path, data))
        interfaces = 1
    elif data[:4] == PCAPNG_MAGIC:
        raw, interfaces = _PcapngParser(path, data).run()
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


def _read_bytes(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"the trace cannot be read: {reason}"
        raise InputError("E-traces-001", message, path) from error


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
    if len(data) < 24:
        raise _cut_short(path, 0)
    _check_link_type(path, struct.unpack_from(order + "I", data, 20)[0] & 0x3FFFFFF)
    # As libpcap does: no record gives more than the file's snap length.
    snap_bytes = struct.unpack_from(order + "I", data, 16)[0] or SNAP_BYTES
    header = struct.Struct(order + "IIII")
    at, count = 24, 0
    while at < len(data):
        if at + 16 > len(data):
            raise _cut_short(path, count)
        seconds, fraction, captured, _ = header.unpack_from(data, at)
        at += 16
        if at + captured > len(data):
            raise _cut_short(path, count)
        time_ns = seconds * 1_000_000_000 + fraction * unit_ns
        yield Frame(time_ns, 0, data[at : at + min(captured, snap_bytes)])
        at += captured
        count += 1


class _Interface(NamedTuple):
    link_type: int
    snap_bytes: int
    units_per_second: int
    offset_ns: int


class _PcapngParser:
    """Blocks of draft-ietf-opsawg-pcapng: sections, interfaces, packets."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path
        self.data = data
        self.order = "<"
        self.interfaces: list[_Interface] = []
        self.interface_count = 0
        self.frames: list[Frame] = []

    def run(self) -> tuple[list[Frame], int]:
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
        if magic not in (b"\x4d\x3c\x2b\x1a", b"\x1a\x2b\x3c\x4d"):
            raise self._damaged(at, "a section header without byte-order magic")
        self.order = "<" if magic[0] == 0x4D else ">"
        self.interfaces = []

    def _block(self, block_type: int, block: int, at: int, end: int) -> None:
        minimum = {1: 8, 2: 20, 3: 4, 6: 20}.get(block_type, 0)
        if end - at < minimum:
            raise self._damaged(block, "a block too short for its header")
        if block_type == 1:
            self._interface(at, end)
        elif block_type == 6:
            number, high, low, captured = self._unpack("IIII", at)
            self._packet(block, number, high << 32 | low, at + 20, captured, end)
        elif block_type == 2:
            number, _, high, low, captured = self._unpack("HHIII", at)
            self._packet(block, number, high << 32 | low, at + 20, captured, end)
        elif block_type == 3:
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
            if code == 0 or end - at < size:
                break
            if code == 9 and size >= 1:
                value = self.data[at]
                base = 2 if value & 0x80 else 10
                units_per_second = base ** (value & 0x7F)
            elif code == 14 and size >= 8:
                offset_ns = self._unpack("q", at)[0] * 1_000_000_000
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
        time_ns = time * 1_000_000_000 // interface.units_per_second
        data = self.data[at : at + captured]
        self.frames.append(Frame(time_ns + interface.offset_ns, number, data))


def is_pcapng(path: Path) -> bool:
    """Whether a file of this name is written as pcapng."""
    return path.suffix == ".pcapng"


def file_header(path: Path, ports: int) -> bytes:
    """What stands before the first frame: times in ns, one interface a port."""
    if not is_pcapng(path):
        return struct.pack(
            "<IHHIIII", 0xA1B23C4D, 2, 4, 0, 0, SNAP_BYTES, LINK_TYPE_ETHERNET
        )
    section = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)
    blocks = [_block(0x0A0D0D0A, section)]
    for port in range(ports):
        name = f"port{port}".encode()
        body = struct.pack("<HHI", LINK_TYPE_ETHERNET, 0, SNAP_BYTES)
        body += struct.pack("<HH", 2, len(name)) + name + bytes(-len(name) % 4)
        body += struct.pack("<HHII", 9, 1, 9, 0)
        blocks.append(_block(1, body))
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
        file.write(_block(6, body + frame.data + bytes(-size % 4)))
    else:
        seconds, fraction = divmod(frame.time_ns, 1_000_000_000)
        file.write(struct.pack("<IIII", seconds, fraction, size, size) + frame.data)


def write_capture(path: Path, frames: list[Frame], ports: int) -> None:
    """Writes a whole file, as pcapng if its name ends so and as pcap if not."""
    with open(path, "wb") as file:
        file.write(file_header(path, ports))
        for frame in frames:
            write_frame(file, is_pcapng(path), frame)

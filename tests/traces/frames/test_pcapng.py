"""Blocks of pcapng files and records of pcap files, written by hand."""

import struct
from pathlib import Path

import pytest

from npftrace.errors import InputError
from npftrace.frames.capture import Capture, file_header, read_capture


def block(kind: int, body: bytes, order: str = "<") -> bytes:
    body += bytes(-len(body) % 4)
    length = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + length + body + length


def section(order: str = "<") -> bytes:
    return block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1), order)


def option(code: int, value: bytes, order: str = "<") -> bytes:
    head = struct.pack(order + "HH", code, len(value))
    return head + value + bytes(-len(value) % 4)


def interface(
    options: bytes = b"", snap_bytes: int = 0, link_type: int = 1, order: str = "<"
) -> bytes:
    head = struct.pack(order + "HHI", link_type, 0, snap_bytes)
    return block(1, head + options, order)


def packet(
    data: bytes = b"data", number: int = 0, time: int = 0, order: str = "<"
) -> bytes:
    words = (number, time >> 32, time & 0xFFFFFFFF, len(data), 999)
    return block(6, struct.pack(order + "IIIII", *words) + data, order)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.pcapng"


def read(path: Path, *blocks: bytes, ports: int = 4) -> Capture:
    path.write_bytes(b"".join(blocks))
    return read_capture(path, ports)


def time_of(path: Path, options: bytes, time: int) -> int:
    (frame,) = read(path, section(), interface(options), packet(time=time)).frames
    assert frame.data == b"data"
    return frame.time_ns


UNIT, OFFSET = 9, 14


@pytest.mark.parametrize(
    ("options", "time", "expected"),
    [
        (b"", 5, 5_000),
        (option(UNIT, b"\x09"), 5, 5),
        (option(UNIT, b"\x09"), (3 << 32) + 5, (3 << 32) + 5),
        (option(UNIT, b"\x03"), 5, 5_000_000),
        (option(UNIT, b"\x00"), 5, 5_000_000_000),
        # Powers of two: thirds of a second have no place in them.
        (option(UNIT, b"\x8a"), 512, 500_000_000),
        (option(UNIT, b"\x81"), 5, 2_500_000_000),
        (option(UNIT, b"\xa0"), 1, 0),
        (option(OFFSET, struct.pack("<q", 2)), 5, 2_000_005_000),
        (option(OFFSET, struct.pack("<q", -1)), 5, -999_995_000),
        (option(UNIT, b"\x09") + option(OFFSET, struct.pack("<q", 1)), 5, 10**9 + 5),
        # After options whose values are padded.
        (option(2, b"eth") + option(UNIT, b"\x09"), 5, 5),
        (option(2, b"eth0") + option(UNIT, b"\x09"), 5, 5),
        (option(2, b"lan00") + option(UNIT, b"\x09"), 5, 5),
        # What has too few bytes says nothing.
        (option(UNIT, b""), 5, 5_000),
        (option(OFFSET, struct.pack("<i", 2)), 5, 5_000),
        # Nothing is read after the end of the options.
        (option(0, b"") + option(UNIT, b"\x09"), 5, 5_000),
        (struct.pack("<HH", 2, 9) + option(UNIT, b"\x09"), 5, 5_000),
    ],
)  # fmt: skip
def test_times_have_the_unit_of_their_interface(
    options: bytes, time: int, expected: int, path: Path
) -> None:
    assert time_of(path, options, time) == expected


def test_sections_have_byte_orders_and_interfaces_of_their_own(path: Path) -> None:
    nanoseconds = option(UNIT, b"\x09", ">")
    found = read(
        path, section(), interface(), interface(), packet(b"one", number=1, time=1),
        section(">"), interface(nanoseconds, order=">"),
        packet(b"two", time=2, order=">"),
    )  # fmt: skip
    assert found.has_ports
    assert [tuple(frame) for frame in found.frames] == [
        (1000, 1, b"one"),
        (2, 0, b"two"),
    ]
    with pytest.raises(InputError, match="interface 1 is not described"):
        read(path, section(), interface(), interface(), section(), interface(),
             packet(number=1))  # fmt: skip


def test_interfaces_are_ports_if_there_are_two(path: Path) -> None:
    packets = [packet(number=n) for n in (5, 0, 4, 3)]
    found = read(path, section(), *[interface()] * 6, *packets)
    assert [frame.port for frame in found.frames] == [1, 0, 0, 3]
    found = read(path, section(), interface(), *[packet()] * 5, ports=2)
    assert not found.has_ports
    assert [frame.port for frame in found.frames] == [0, 1, 0, 1, 0]


def test_packets_of_old_and_simple_blocks(path: Path) -> None:
    old = block(2, struct.pack("<HHIIII", 1, 7, 0, 5, 3, 99) + b"old")
    simple = block(3, struct.pack("<I", 6) + b"simple")
    found = read(path, section(), interface(), interface(), old, simple)
    assert [tuple(f) for f in found.frames] == [(5_000, 1, b"old"), (0, 0, b"simple")]


@pytest.mark.parametrize(
    ("snap_bytes", "original", "data"),
    [(0, 6, b"simple"), (4, 6, b"simp"), (6, 6, b"simple"), (9, 6, b"simple")],
)
def test_a_simple_block_has_as_many_bytes_as_were_kept(
    snap_bytes: int, original: int, data: bytes, path: Path
) -> None:
    simple = block(3, struct.pack("<I", original) + data)
    found = read(path, section(), interface(snap_bytes=snap_bytes), simple)
    assert found.frames[0].data == data


def test_other_blocks_are_skipped(path: Path) -> None:
    found = read(path, section(), block(5, b""), interface(), block(99, b"x"), packet())
    assert len(found.frames) == 1


def longer(data: bytes, field: int, by: int) -> bytes:
    """A block with another number at this byte."""
    number = int.from_bytes(data[field : field + 4], "little") + by
    return data[:field] + number.to_bytes(4, "little") + data[field + 4 :]


HEAD = section() + interface()


@pytest.mark.parametrize(
    ("blocks", "at", "message"),
    [
        (HEAD + longer(packet(), 4, -28), len(HEAD), "a block length of 8"),
        (HEAD + longer(packet(), 4, -2), len(HEAD), "a block length of 34"),
        (HEAD + longer(packet(), len(packet()) - 4, 4), len(HEAD), "the two lengths"),
        (HEAD + longer(packet(), 20, 1), len(HEAD), "a packet longer than its block"),
        (HEAD + packet(number=1), len(HEAD), "interface 1 is not described"),
        (HEAD + block(6, bytes(16)), len(HEAD), "a block too short"),
        (HEAD + block(2, bytes(16)), len(HEAD), "a block too short"),
        (HEAD + block(3, b""), len(HEAD), "a block too short"),
        (section() + block(1, bytes(4)), len(section()), "a block too short"),
        (section() + packet(), len(section()), "interface 0 is not described"),
        (HEAD + longer(section(), 8, 1), len(HEAD), "without byte-order magic"),
    ],
)
def test_a_damaged_block_is_placed(
    blocks: bytes, at: int, message: str, path: Path
) -> None:
    with pytest.raises(InputError, match=message) as refusal:
        read(path, blocks)
    assert refusal.value.error_id == "E-traces-006"
    assert f"at byte {at}: " in str(refusal.value)


def test_the_link_type_counts_when_a_packet_comes(path: Path) -> None:
    other = interface(link_type=113)
    assert len(read(path, section(), interface(), other, packet()).frames) == 1
    with pytest.raises(InputError, match=r"113 \(LINUX_SLL\)"):
        read(path, section(), interface(), other, packet(number=1))


def test_a_file_without_packets_may_be_allowed(path: Path) -> None:
    path.write_bytes(HEAD)
    assert read_capture(path, 4, allow_empty=True) == ([], False)
    with pytest.raises(InputError, match="holds no packet"):
        read_capture(path, 4)


def pcap(snap_bytes: int, link_type: int, *records: tuple[int, int, bytes]) -> bytes:
    head = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, snap_bytes, link_type)
    return head + b"".join(
        struct.pack("<IIII", seconds, micros, len(data), 9999) + data
        for seconds, micros, data in records
    )


@pytest.mark.parametrize(("snap_bytes", "kept"), [(0, 9), (4, 4), (9, 9), (10, 9)])
def test_no_record_gives_more_than_the_snap_length(
    snap_bytes: int, kept: int, path: Path
) -> None:
    records = ((1, 2, b"123456789"), (3, 999_999, b"next"))
    found = read(path, pcap(snap_bytes, 1, *records)).frames
    assert [frame.data for frame in found] == [b"123456789"[:kept], b"next"]
    assert [frame.time_ns for frame in found] == [1_000_002_000, 3_999_999_000]


def test_the_upper_bits_of_a_link_type_are_other_things(path: Path) -> None:
    # Bytes of the frame check sequence, as libpcap writes them.
    assert len(read(path, pcap(0, 0x14000001, (0, 0, b"x"))).frames) == 1
    with pytest.raises(InputError, match="33554433"):
        read(path, pcap(0, 0x02000001, (0, 0, b"x")))


def test_the_headers_that_are_written() -> None:
    assert file_header(Path("t.pcap"), 4) == bytes.fromhex(
        "4d3cb2a1 0200 0400 00000000 00000000 00000400 01000000"
    )
    assert file_header(Path("t.pcapng"), 1) == bytes.fromhex(
        "0a0d0d0a 1c000000 4d3c2b1a 0100 0000 ffffffffffffffff 1c000000"
        "01000000 2c000000 0100 0000 00000400"
        "0200 0500 706f727430 000000 0900 0100 09000000 00000000 2c000000"
    )

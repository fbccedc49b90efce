"""The oracle's fragments and options of IPv4, against values worked out by hand."""

import struct

import pytest

from npftrace.frames.wire import checksum
from npftrace.oracle.protocols.fragments import cut
from npftrace.oracle.protocols.ipv4_options import of_fragments, process

ADDRESS = 0xC0000201
NOP, END = 1, 0


def packet(payload_bytes: int, flags: int = 0, options: bytes = b"") -> bytes:
    header_bytes = 20 + len(options)
    header = struct.pack(
        ">BBHHHBBH", 0x40 | header_bytes // 4, 0, header_bytes + payload_bytes,
        0x1234, flags, 64, 17, 0,
    )  # fmt: skip
    header += bytes((198, 18, 0, 1, 10, 1, 2, 3)) + options
    header = header[:10] + struct.pack(">H", checksum(header)) + header[12:]
    return header + bytes(range(payload_bytes))


def fields(fragment: bytes) -> tuple[int, int, bytes]:
    """Total length, flags with offset, and payload."""
    length, _, offset = struct.unpack(">HHH", fragment[2:8])
    return length, offset, fragment[4 * (fragment[0] & 15) :]


def test_payloads_are_cut_at_multiples_of_8_bytes() -> None:
    # An MTU of 50 leaves 30 bytes, of which 24 are used.
    fragments = cut(packet(60), 50)
    assert [fields(f) for f in fragments] == [
        (44, 0x2000, bytes(range(24))),
        (44, 0x2003, bytes(range(24, 48))),
        (32, 0x0006, bytes(range(48, 60))),
    ]
    assert all(checksum(f[:20]) == 0 and f[4:6] == b"\x12\x34" for f in fragments)


def test_a_payload_that_fills_the_last_fragment_needs_no_more() -> None:
    assert [fields(f)[:2] for f in cut(packet(48), 44)] == [(44, 0x2000), (44, 3)]


@pytest.mark.parametrize(
    ("flags", "offsets"),
    [
        # A middle fragment stays one: its last piece has "more fragments", too.
        (0x2000 | 0x1F00, [0x3F00, 0x3F03, 0x3F06]),
        # The last fragment at offset 0x0FFF.
        (0x0FFF, [0x2FFF, 0x3002, 0x1005]),
        # The reserved bit stays with the last piece alone.
        (0x8000, [0x2000, 0x2003, 0x8006]),
    ],
)
def test_a_fragment_is_cut_again(flags: int, offsets: list[int]) -> None:
    assert [fields(f)[1] for f in cut(packet(60, flags), 50)] == offsets


def test_padding_is_not_sent() -> None:
    assert cut(packet(8) + bytes(18), 100) == [packet(8)]


def test_only_copied_options_are_in_later_fragments() -> None:
    router_alert, record = b"\x94\x04\x00\x00", b"\x07\x03\x04" + bytes([END])
    first, second = cut(packet(16, options=router_alert + record), 36)
    assert first[20:28] == router_alert + record
    assert second[20:28] == router_alert + bytes([NOP, NOP, NOP, END])


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (b"\x07\x03\x04\x00", b"\x01\x01\x01\x00"),
        (b"\x01\x94\x04\x00\x00\x01\x01\x00", b"\x01\x94\x04\x00\x00\x01\x01\x00"),
        # What follows the end of the options stays.
        (b"\x00\x07\x03\x04", b"\x00\x07\x03\x04"),
        # A size of 0, and a size beyond the header, end the walk.
        (b"\x07\x00\x44\x00", b"\x07\x00\x44\x00"),
        (b"\x07\x05\x04\x00", b"\x07\x05\x04\x00"),
    ],
)
def test_options_of_later_fragments(options: bytes, found: bytes) -> None:
    assert of_fragments(options) == found


@pytest.mark.parametrize(
    ("options", "found", "problem", "at"),
    [
        # Record route: the address goes where the pointer (from 1) points.
        (b"\x07\x07\x04" + bytes(5), b"\x07\x07\x08\xc0\x00\x02\x01\x00", "", 0),
        # After a no-operation.
        (b"\x01\x07\x07\x04" + bytes(4), b"\x01\x07\x07\x08\xc0\x00\x02\x01", "", 0),
        # A full record stays.
        (b"\x07\x07\x08\x0a\x00\x00\x01\x00", None, "", 0),
        # Room for three bytes is too little.
        (b"\x07\x06\x04" + bytes(5), None, "", 0),
        # A pointer below 4 is wrong; the error points at it.
        (b"\x07\x07\x03" + bytes(5), None, "bad_option", 22),
        (b"\x01\x07\x02\x00", None, "bad_option", 23),
        # A size below 2, or beyond the header; the error points at the size.
        (b"\x44\x01\x00\x00", None, "bad_option", 21),
        (b"\x01\x44\x04\x00", None, "bad_option", 22),
        (b"\x01\x01\x01\x44", None, "bad_option", 24),
        # Loose and strict source routes.
        (b"\x83\x03\x04\x00", None, "source_route", 0),
        (b"\x89\x03\x04\x00", None, "source_route", 0),
        # Nothing is read after the end of the options.
        (b"\x00\x83\x03\x04", None, "", 0),
    ],
)
def test_options_at_a_router(
    options: bytes, found: bytes | None, problem: str, at: int
) -> None:
    assert process(options, ADDRESS) == (found or options, problem, at)


def test_a_port_without_an_address_records_nothing() -> None:
    options = b"\x07\x07\x04" + bytes(5)
    assert process(options, 0).options == options

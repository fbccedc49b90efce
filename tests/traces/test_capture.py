"""Reading and writing pcap and pcapng, and wrong files."""

import struct
from pathlib import Path

import pytest

from npftrace.errors import InputError
from npftrace.frames.capture import Frame, read_capture, write_capture

FRAMES = [
    Frame(1_000_000_007 * i, (5 * i) % 4, bytes([i]) * (60 + i)) for i in range(9)
]


def test_pcapng_keeps_time_port_and_bytes(tmp_path: Path) -> None:
    path = tmp_path / "t.pcapng"
    write_capture(path, FRAMES, 4)
    capture = read_capture(path, 4)
    assert capture.frames == FRAMES
    assert capture.has_ports


def test_frames_of_pcap_go_to_the_ports_in_turn(tmp_path: Path) -> None:
    path = tmp_path / "t.pcap"
    write_capture(path, FRAMES, 4)
    capture = read_capture(path, 3)
    expected = [frame._replace(port=i % 3) for i, frame in enumerate(FRAMES)]
    assert capture.frames == expected
    assert not capture.has_ports


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize(("magic", "unit_ns"), [(0xA1B2C3D4, 1000), (0xA1B23C4D, 1)])
def test_reads_all_kinds_of_pcap(
    tmp_path: Path, order: str, magic: int, unit_ns: int
) -> None:
    path = tmp_path / "t.pcap"
    header = struct.pack(order + "IHHIIII", magic, 2, 4, 0, 0, 65535, 1)
    path.write_bytes(header + struct.pack(order + "IIII", 3, 5, 4, 1500) + b"abcd")
    frames = read_capture(path, 4).frames
    assert frames == [Frame(3_000_000_000 + 5 * unit_ns, 0, b"abcd")]


def test_reads_compressed_files(tmp_path: Path) -> None:
    import gzip

    plain, packed = tmp_path / "t.pcap", tmp_path / "t.pcap.gz"
    write_capture(plain, FRAMES, 4)
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert read_capture(packed, 4) == read_capture(plain, 4)


@pytest.mark.parametrize("suffix", ["pcap", "pcapng"])
def test_every_cut_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t.{suffix}"
    write_capture(path, FRAMES[:1], 1)
    first = path.stat().st_size
    write_capture(path, FRAMES[:2], 1)
    whole = path.read_bytes()
    for size in range(first + 1, len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError, match="after 1 packets") as refusal:
            read_capture(path, 4)
        assert refusal.value.error_id == "E-traces-003"


def pcap_header(link_type: int) -> bytes:
    return struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link_type)


@pytest.mark.parametrize(
    ("content", "error_id"),
    [
        (None, "E-traces-001"),
        (b"", "E-traces-002"),
        (pcap_header(1), "E-traces-002"),
        (pcap_header(1)[:20], "E-traces-003"),
        (pcap_header(9), "E-traces-004"),
        (b"not a trace at all", "E-traces-005"),
        (b"\x0a\x0d\x0d\x0a" + b"\xff" * 40, "E-traces-006"),
    ],
)
def test_a_wrong_file_is_refused(
    tmp_path: Path, content: bytes | None, error_id: str
) -> None:
    path = tmp_path / "t.pcap"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as refusal:
        read_capture(path, 4)
    assert refusal.value.error_id == error_id


def test_names_the_link_type(tmp_path: Path) -> None:
    path = tmp_path / "t.pcap"
    path.write_bytes(pcap_header(9))
    with pytest.raises(InputError, match=r"9 \(PPP\)"):
        read_capture(path, 4)

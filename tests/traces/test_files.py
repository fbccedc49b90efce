"""Compressed files: read by what is in them, written by their name."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from backports import zstd

from npftrace import files
from npftrace.cli import main
from npftrace.errors import InputError
from npftrace.frames.capture import Frame, read_capture, write_capture
from npftrace.tables.control import read_control

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    # As the zstd command does it.
    "zstd": lambda data: zstd.compress(data, options=files.ZSTD_OPTIONS),
}
PADDED = ("gzip", "xz")
TEXT = b"".join(b"f(%d)\n" % (n * 7919) for n in range(200_000))

packed_by = pytest.mark.parametrize("name", PACKERS)


def read(path: Path, data: bytes) -> bytes:
    path.write_bytes(data)
    return files.read_bytes(path, "E-traces-001", "the file")


def refusal(path: Path, data: bytes) -> InputError:
    with pytest.raises(InputError) as error:
        read(path, data)
    assert error.value.error_id == "E-traces-009"
    assert error.value.path == str(path)
    return error.value


@packed_by
@pytest.mark.parametrize("size", [0, 1, files.CHUNK_BYTES + 1])
def test_any_size_is_read(tmp_path: Path, name: str, size: int) -> None:
    assert read(tmp_path / "f", PACKERS[name](TEXT[:size])) == TEXT[:size]


@packed_by
def test_members_follow_each_other(tmp_path: Path, name: str) -> None:
    pack = PACKERS[name]
    data = pack(b"one") + pack(b"") + pack(TEXT) + pack(b"two")
    assert read(tmp_path / "f", data) == b"one" + TEXT + b"two"


@packed_by
def test_zeros_follow_only_where_the_format_allows_them(
    tmp_path: Path, name: str
) -> None:
    data = PACKERS[name](b"abc") + bytes(8)
    if name in PADDED:
        assert read(tmp_path / "f", data) == b"abc"
    else:
        refusal(tmp_path / "f", data)


@packed_by
def test_every_cut_is_refused(tmp_path: Path, name: str) -> None:
    data = PACKERS[name](TEXT[:200])
    for size in range(6, len(data)):
        assert f"{name} data are cut short" in str(refusal(tmp_path / "f", data[:size]))


@packed_by
def test_damage_is_refused(tmp_path: Path, name: str) -> None:
    data = bytearray(PACKERS[name](TEXT[:2000]))
    data[len(data) // 2] ^= 0x55
    refusal(tmp_path / "f", bytes(data))
    follows = PACKERS[name](b"abc") + b"what follows the member"
    assert "damaged: " in str(refusal(tmp_path / "f", follows))


@packed_by
def test_traces_and_control_files_may_have_any_name(tmp_path: Path, name: str) -> None:
    frames = [Frame(0, n % 4, bytes([n]) * 60) for n in range(30)]
    trace, control = tmp_path / "t.pcapng", tmp_path / "c.control"
    write_capture(trace, frames, 4)
    trace.write_bytes(PACKERS[name](trace.read_bytes()))
    control.write_bytes(PACKERS[name](b"f(1)\ng(2)\n"))
    assert read_capture(trace, 4).frames == frames
    assert [call.name for call in read_control(control)] == ["f", "g"]


@pytest.mark.parametrize(
    ("suffix", "magic"),
    [(".gz", b"\x1f\x8b"), (".xz", b"\xfd7zXZ"), (".zst", b"\x28\xb5\x2f\xfd")],
)
def test_made_files_are_compressed_as_their_names_say(
    tmp_path: Path, suffix: str, magic: bytes
) -> None:
    def make(folder: Path, suffix: str) -> tuple[Path, Path, Path]:
        folder.mkdir()
        made = [folder / (n + suffix) for n in ("t.pcapng", "c.control", "a.jsonl")]
        options = ["--packets=300", "--routes=50", "--seed=3", f"--out={made[0]}"]
        options += [f"--control={made[1]}", f"--answers={made[2]}"]
        assert main(["make", "ipv4", *options]) == 0
        return made[0], made[1], made[2]

    plain = make(tmp_path / "plain", "")
    once = make(tmp_path / "once", suffix)
    again = make(tmp_path / "again", suffix)
    for one, packed, other in zip(plain, once, again, strict=True):
        assert packed.read_bytes().startswith(magic)
        assert packed.read_bytes() == other.read_bytes()
        content = files.read_bytes(packed, "", "")
        assert content == one.read_bytes()
    assert read_capture(once[0], 4).has_ports
    assert len(list(tmp_path.glob("*/*"))) == 9, "no partial file is left"

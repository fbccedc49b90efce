"""Files that may be compressed: read by what is in them, written by their name.

gzip, bzip2, xz and zstd are read, whatever the name of the file. A file of several
members is their contents one after the other. A name that ends in `.gz`, `.xz` or
`.zst` is written compressed, the same bytes for the same content.
"""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from backports import zstd

from npftrace.errors import InputError

CHUNK_BYTES = 1 << 20
#: By the first bytes of a file: the format, what unpacks a member of it, and whether
#: zeros may follow a member.
FORMATS: dict[bytes, tuple[str, Callable[[], Any], bool]] = {
    b"\x1f\x8b": ("gzip", lambda: zlib.decompressobj(16 + zlib.MAX_WBITS), True),
    b"BZh": ("bzip2", bz2.BZ2Decompressor, False),
    b"\xfd7zXZ\0": ("xz", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ), True),
    b"\x28\xb5\x2f\xfd": ("zstd", zstd.ZstdDecompressor, False),
}
#: What a decompressor raises for damaged data.
DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError, zstd.ZstdError)
#: As the zstd command writes: damage is found by a checksum.
ZSTD_OPTIONS: dict[int, int] = {zstd.CompressionParameter.checksum_flag: 1}
WRITTEN = (".gz", ".xz", ".zst")


def read_bytes(path: Path, error_id: str, what: str) -> bytes:
    """The content of a file, unpacked.

    InputError: `error_id` and "`what` cannot be read" with the system's reason,
    E-traces-009 for compressed data that are cut short or damaged.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        message = f"{what} cannot be read: {error.strerror}"
        raise InputError(error_id, message, path) from error
    for magic, (name, decompressor, padding) in FORMATS.items():
        if data.startswith(magic):
            return b"".join(_unpacked(data, path, name, decompressor, padding))
    return data


def _unpacked(
    data: bytes, path: Path, name: str, decompressor: Callable[[], Any], padding: bool
) -> Iterator[bytes]:
    """The contents of the members, one after the other."""
    member = None
    for begin in range(0, len(data), CHUNK_BYTES):
        chunk = data[begin : begin + CHUNK_BYTES]
        while chunk:
            if member is None:
                chunk = chunk.lstrip(b"\0") if padding else chunk
                if not chunk:
                    break
                member = decompressor()
            try:
                yield member.decompress(chunk)
            except DAMAGED as error:
                raise _wrong(path, name, f"damaged: {error}") from error
            chunk = b""
            if member.eof:
                chunk, member = member.unused_data, None
    if member is not None:
        raise _wrong(path, name, "cut short")


def _wrong(path: Path, name: str, fault: str) -> InputError:
    message = f"the {name} data are {fault}; fetch or compress the file again"
    return InputError("E-traces-009", message, path)


def plain_name(path: Path) -> Path:
    """The name without the ending that says how the file is compressed."""
    return path.with_suffix("") if path.suffix in WRITTEN else path


@contextmanager
def create(path: Path, named: Path | None = None) -> Iterator[BinaryIO]:
    """A new file of bytes, compressed as the ending of `named` says (default: of
    the path itself)."""
    suffix = (named or path).suffix
    with ExitStack() as stack:
        file: Any = stack.enter_context(open(path, "wb"))
        if suffix == ".gz":
            # Neither the name nor the time: the same bytes for the same content.
            file = gzip.GzipFile("", "wb", fileobj=file, mtime=0)
            stack.enter_context(file)
        elif suffix == ".xz":
            file = stack.enter_context(lzma.LZMAFile(file, "wb"))
        elif suffix == ".zst":
            file = zstd.ZstdFile(file, "wb", options=ZSTD_OPTIONS)
            stack.enter_context(file)
        yield cast(BinaryIO, file)


@contextmanager
def create_text(path: Path) -> Iterator[TextIO]:
    """A new file of ASCII text, compressed as its name says."""
    with create(path) as file, io.TextIOWrapper(file, "ascii") as text:
        yield text

"""IPv4 options at a router: RFC 791 section 3.1, RFC 7126."""

from typing import NamedTuple

END, NOP, RECORD_ROUTE = 0, 1, 7
SOURCE_ROUTES = (131, 137)
COPIED = 128


class Processed(NamedTuple):
    """The options after a router has processed them. A problem is "bad_option", at
    offset `at` of the header, or "source_route"."""

    options: bytes
    problem: str = ""
    at: int = 0


def process(options: bytes, address: int) -> Processed:
    """Processes the options of a packet. `address` is that of the port that it
    leaves by, or 0 if the port has none."""
    out = bytearray(options)
    at = 0
    while at < len(out) and out[at] != END:
        if out[at] == NOP:
            at += 1
            continue
        size = out[at + 1] if at + 1 < len(out) else 0
        if size < 2 or at + size > len(out):
            return Processed(options, "bad_option", 20 + at + 1)
        if out[at] in SOURCE_ROUTES:
            return Processed(options, "source_route")
        if out[at] == RECORD_ROUTE:
            pointer = out[at + 2] if size > 2 else 0
            if pointer < 4:
                return Processed(options, "bad_option", 20 + at + 2)
            # The pointer counts from 1; a full record stays as it is.
            if pointer + 3 <= size and address:
                begin = at + pointer - 1
                out[begin : begin + 4] = address.to_bytes(4, "big")
                out[at + 2] += 4
        at += size
    return Processed(bytes(out))


def of_fragments(options: bytes) -> bytes:
    """The options of all fragments but the first. Those without the copied flag
    become no-operations."""
    out = bytearray(options)
    at = 0
    while at < len(out) and out[at] != END:
        size = 1
        if out[at] != NOP and at + 1 < len(out):
            size = out[at + 1]
        if size == 0 or at + size > len(out):
            break
        if out[at] < COPIED:
            out[at : at + size] = bytes([NOP]) * size
        at += size
    return bytes(out)

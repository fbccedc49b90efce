"""IPv4 options at a router: RFC 791 section 3.1, RFC 7126."""

from collections.abc import Collection
from typing import NamedTuple

END, NOP, RECORD_ROUTE, TIMESTAMP = 0, 1, 7, 68
SOURCE_ROUTES = (131, 137)
COPIED = 128
#: Timestamp options: a time for each router, an address and a time, or a time for
#: the routers whose addresses the sender wrote.
TIMES, ADDRESSES_AND_TIMES, TIMES_OF_ADDRESSES = 0, 1, 3
#: The time of a router whose clock is not set.
TIME_UNKNOWN = bytes([0x80, 0, 0, 0])


class Processed(NamedTuple):
    """The options after a router has processed them. A problem is "bad_option", at
    offset `at` of the header, or "source_route"."""

    options: bytes
    problem: str = ""
    at: int = 0


def _stamp(option: bytearray, address: int, own: Collection[int]) -> int | None:
    """Writes the time into a timestamp option. Returns where the option is wrong,
    or None."""
    if len(option) < 4:
        return 1
    pointer, overflow, flag = option[2], option[3] >> 4, option[3] & 15
    begin = pointer - 1
    if begin < 4:
        return 2
    if begin >= len(option):
        if overflow == 15:
            return 3
        option[3] = (overflow + 1) << 4 | flag
        return None
    entry = {
        TIMES: TIME_UNKNOWN,
        ADDRESSES_AND_TIMES: address.to_bytes(4, "big") + TIME_UNKNOWN,
        TIMES_OF_ADDRESSES: bytes(option[begin : begin + 4]) + TIME_UNKNOWN,
    }.get(flag)
    if entry is None:
        return None
    if begin + len(entry) > len(option):
        return 2
    if flag == ADDRESSES_AND_TIMES and not address:
        return None
    if flag == TIMES_OF_ADDRESSES and int.from_bytes(entry[:4], "big") not in own:
        return None
    option[begin : begin + len(entry)] = entry
    option[2] = pointer + len(entry)
    return None


def process(options: bytes, address: int, own: Collection[int] = ()) -> Processed:
    """Processes the options of a packet. `address` is that of the port that it
    leaves by, or 0 if the port has none; `own` are all addresses of the router."""
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
        if out[at] == TIMESTAMP:
            option = out[at : at + size]
            wrong = _stamp(option, address, own)
            if wrong is not None:
                return Processed(options, "bad_option", 20 + at + wrong)
            out[at : at + size] = option
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

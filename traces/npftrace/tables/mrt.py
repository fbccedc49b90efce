"""Routes of an MRT dump (RFC 6396), as route collectors publish them.

The records that are read are those of type TABLE_DUMP_V2, subtype
RIB_IPV4_UNICAST, and of the older type TABLE_DUMP, subtype AFI_IPv4; for IPv6,
RIB_IPV6_UNICAST. The first entry of a prefix that names a next hop counts: attribute
3 of RFC 4271, or for IPv6 attribute 14 of RFC 4760 as RFC 6396 section 4.3.4 cuts it.
"""

import ipaddress
import struct
from collections.abc import Iterator

from npftrace.frames.wire import ipv4_prefix, ipv4_text

HEADER = struct.Struct(">IHHI")
TABLE_DUMP, TABLE_DUMP_V2 = 12, 13
AFI_IPV4, RIB_IPV4_UNICAST, RIB_IPV6_UNICAST = 1, 2, 4
NEXT_HOP, MP_REACH = 3, 14
EXTENDED_LENGTH = 0x10

#: Prefix, length, and the next hop as text.
Route = tuple[int, int, str]


def is_mrt(data: bytes) -> bool:
    """Whether `data` begins as a dump of a table does."""
    return len(data) >= HEADER.size and HEADER.unpack_from(data)[1] in (
        TABLE_DUMP,
        TABLE_DUMP_V2,
    )


def routes_of(data: bytes, version: int = 4) -> Iterator[Route]:
    """The routes of a dump for a version of IP; ValueError if it is cut or wrong."""
    at = 0
    while at < len(data):
        if at + HEADER.size > len(data):
            raise ValueError(f"a record is cut at byte {at}")
        _, kind, subtype, size = HEADER.unpack_from(data, at)
        begin, at = at + HEADER.size, at + HEADER.size + size
        if at > len(data):
            raise ValueError(f"the record at byte {begin - HEADER.size} is cut")
        body = data[begin:at]
        try:
            wanted = RIB_IPV4_UNICAST if version == 4 else RIB_IPV6_UNICAST
            if (kind, subtype) == (TABLE_DUMP_V2, wanted):
                yield from _rib_entry(body, 32 if version == 4 else 128)
            elif (kind, subtype, version) == (TABLE_DUMP, AFI_IPV4, 4):
                yield from _old_entry(body)
        except (IndexError, struct.error) as error:
            where = begin - HEADER.size
            raise ValueError(f"the record at byte {where} is malformed") from error


def _rib_entry(body: bytes, bits: int) -> Iterator[Route]:
    """RFC 6396, 4.3.2: sequence number, prefix, and the entries of the peers."""
    length = body[4]
    count = (length + 7) // 8
    if length > bits:
        raise IndexError
    prefix = int.from_bytes(body[5 : 5 + count].ljust(bits // 8, b"\0"), "big")
    (entries,) = struct.unpack_from(">H", body, 5 + count)
    at = 7 + count
    for _ in range(entries):
        (size,) = struct.unpack_from(">H", body, at + 6)
        hop = _next_hop(body[at + 8 : at + 8 + size])
        if hop:
            free = bits - length
            yield prefix >> free << free, length, hop
            return
        at += 8 + size


def _old_entry(body: bytes) -> Iterator[Route]:
    """RFC 6396, 4.2: one prefix of one peer."""
    prefix, length = struct.unpack_from(">IB", body, 4)
    (size,) = struct.unpack_from(">H", body, 20)
    if length > 32:
        raise IndexError
    hop = _next_hop(body[22 : 22 + size])
    if hop:
        yield ipv4_prefix(prefix, length), length, hop


def _next_hop(attributes: bytes) -> str:
    """The next hop among BGP path attributes; empty if there is none."""
    at = 0
    while at < len(attributes):
        flags, kind = attributes[at], attributes[at + 1]
        if flags & EXTENDED_LENGTH:
            (size,) = struct.unpack_from(">H", attributes, at + 2)
            at += 4
        else:
            size = attributes[at + 2]
            at += 3
        if kind == NEXT_HOP and size == 4:
            return ipv4_text(int.from_bytes(attributes[at : at + 4], "big"))
        if kind == MP_REACH and size and attributes[at] in (16, 32):
            # The length, the global address, and perhaps a link-local one.
            return str(ipaddress.IPv6Address(attributes[at + 1 : at + 17]))
        at += size
    return ""

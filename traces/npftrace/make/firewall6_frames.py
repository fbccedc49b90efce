"""The same frames in IPv6: addresses, protocols and types become those of IPv6, so
that each packet matches the rule that it matches in IPv4."""

import numpy as np

from npftrace.draws import Numbers
from npftrace.frames.wire import ETH_TYPE_IPV6, ETHER_BYTES, ICMP, ICMPV6, TCP, UDP
from npftrace.make.chunks import Chunk, put
from npftrace.make.firewall_frames import TCP_BYTES, FirewallChunk, FirewallFrames
from npftrace.make.rule_headers import (
    DPORT,
    DST,
    FLAGS,
    NONE,
    PROTOCOL,
    SPORT,
    SRC,
    TOS,
)
from npftrace.make.traffic import UDP_BYTES
from npftrace.tables.rules import HOST6, ICMPV6_TYPES, NET6

IPV6_BYTES = 40
NEXT_HEADER = ETHER_BYTES + 6
#: Extension headers (RFC 8200 section 4), each of eight bytes.
FRAGMENT, DESTINATION_OPTIONS, EXTENSION_BYTES = 44, 60, 8
#: PadN (RFC 8200 section 4.2), which fills the options.
PADDING = 0x0104_0000_0000
#: A type of other frames: AppleTalk.
ETH_TYPE_OTHER = 0x809B


def _types6() -> Numbers:
    """The ICMPv6 type of each ICMP type: types that take each other's place."""
    types = np.arange(256)
    for old, new in ICMPV6_TYPES.items():
        types[[old, new]] = new, old
    return types


class FirewallFrames6(FirewallFrames):
    """Builds chunks of frames of IPv6."""

    transport = ETHER_BYTES + IPV6_BYTES
    shortest = transport + EXTENSION_BYTES + TCP_BYTES

    def _put_headers(
        self, chunk: FirewallChunk, headers: Numbers, numbers: Numbers
    ) -> None:
        rows, count = chunk.rows, len(headers)
        self._put_ethernet(chunk, ETH_TYPE_IPV6)
        put(rows, 14, 4, 6 << 28 | headers[:, TOS] << 20 | numbers & 0xFFFFF)
        put(rows, 18, 2, chunk.lengths - self.transport)
        is_icmp = headers[:, PROTOCOL] == ICMP
        put(rows, NEXT_HEADER, 1, np.where(is_icmp, ICMPV6, headers[:, PROTOCOL]))
        put(rows, 21, 1, self.rng.integers(1, 256, size=count))
        for at, column in ((22, SRC), (38, DST)):
            put(rows, at, 4, NET6 >> 96)
            put(rows, at + 4, 4, headers[:, column])
            put(rows, at + 8, 8, HOST6)
        changed = headers.copy()
        changed[is_icmp, FLAGS] = _types6()[headers[is_icmp, FLAGS]]
        self._put_transport(chunk, changed, numbers)

    def _put_exceptions(self, chunk: FirewallChunk, headers: Numbers) -> None:
        rng = self.rng
        for column in (SPORT, DPORT, FLAGS):
            headers[chunk.of("fragments"), column] = NONE
        chunk.put_at(chunk.of("tiny-fragment"), NEXT_HEADER, 1, TCP)
        short = chunk.of("short-transport")
        is_tcp = rng.integers(0, 2, size=len(short))
        chunk.put_at(short, NEXT_HEADER, 1, np.where(is_tcp, TCP, UDP))
        room = rng.integers(0, np.where(is_tcp, TCP_BYTES, UDP_BYTES))
        chunk.put_at(short, 18, 2, room)
        bad = chunk.of("bad-header")
        wrong = np.array([0x00, 0x40, 0x50, 0x70])
        chunk.put_at(bad, 14, 1, wrong[rng.integers(0, len(wrong), size=len(bad))])
        long = bad[::3]
        chunk.put_at(long, 14, 1, 0x60)
        chunk.put_at(long, 18, 2, chunk.lengths[long] - self.transport + 1)
        chunk.put_at(chunk.of("not-ipv4"), 12, 2, ETH_TYPE_OTHER)

    def _put_options(self, chunk: FirewallChunk) -> None:
        """Extension headers before the transport header."""
        rng = self.rng
        self._extend(chunk, chunk.of("options"), DESTINATION_OPTIONS, PADDING)
        fragments = chunk.of("fragments")
        offsets = rng.integers(2, 1 << 13, size=len(fragments))
        more = rng.integers(0, 2, size=len(fragments))
        words = (offsets << 3 | more) << 32 | fragments
        self._extend(chunk, fragments, FRAGMENT, words)
        self._extend(chunk, chunk.of("tiny-fragment"), FRAGMENT, 1 << 35)

    def _extend(
        self, chunk: Chunk, which: Numbers, kind: int, words: Numbers | int
    ) -> None:
        """Puts an extension header of eight bytes that ends with `words`."""
        self._move_transport(chunk, which, EXTENSION_BYTES)
        chunk.put_at(which, self.transport, 1, chunk.rows[which, NEXT_HEADER])
        chunk.put_at(which, self.transport + 1, 1, 0)
        chunk.put_at(which, self.transport + 2, 6, words)
        chunk.put_at(which, NEXT_HEADER, 1, kind)

"""IPv4 routing tables of any size with the structure of a real one.

Random prefixes make too easy a table: tries stay shallow, no prefix contains
another, neighbours share nothing. The numbers here are counted from the full
feed of AS1853 at the RIPE RIS collector rrc05 on 2002-07-22, the time of the
IXP2400 (112,986 prefixes, from RIPE-NCC/bgpdump
`test_expect/bview.20020722.2337.gz.bgp.gz`). A table of any size keeps

* the proportions of the prefix lengths,
* the share of prefixes of each length that lie inside a shorter one, and the
  length of that one,
* how long prefixes crowd into few /16 and /20 blocks,
* the first bytes in use.
"""

from bisect import bisect_right
from collections import defaultdict
from itertools import accumulate

import numpy as np

from npftrace.frames.wire import ipv4_prefix
from npftrace.tables.prefix_counts import read_prefix_counts

#: Prefixes per length, and the blocks of a length that contain a longer prefix.
COUNTS = read_prefix_counts("ipv4")
LENGTHS = {length: row.prefixes for length, row in COUNTS.items() if row.prefixes}

#: The share of the prefixes of a length that lie inside a shorter prefix.
NESTED = {
    8: 0.0, 9: 0.33, 10: 0.0, 11: 0.0, 12: 0.06, 13: 0.13, 14: 0.02, 15: 0.06,
    16: 0.05, 17: 0.28, 18: 0.26, 19: 0.22, 20: 0.34, 21: 0.62, 22: 0.68,
    23: 0.68, 24: 0.59, 25: 0.97, 26: 0.97, 27: 0.97, 28: 0.97, 29: 1.0,
    30: 0.97, 32: 1.0,
}  # fmt: skip

#: How often each length occurs as the parent of a nested prefix: the longest
#: prefix that contains it.
PARENTS = {
    8: 807, 9: 1250, 10: 1067, 11: 2309, 12: 1504, 13: 2950, 14: 4187,
    15: 3680, 16: 16533, 17: 3855, 18: 4237, 19: 6803, 20: 4547, 21: 2040,
    22: 1483, 23: 929, 24: 138,
}  # fmt: skip

#: A prefix longer than /20 shares the /20 of an earlier one with probability
#: SHARE_20. One longer than /16 that shares none shares a /16 with probability
#: SHARE_16.
SHARE_20 = 1 - COUNTS[20].nodes / sum(n for length, n in LENGTHS.items() if length > 20)
SHARE_16 = 1 - COUNTS[16].nodes / (
    COUNTS[20].nodes + sum(n for length, n in LENGTHS.items() if 16 < length <= 20)
)

#: Prefixes per first byte.
FIRST_BYTES = {
    3: 1, 4: 1, 6: 9, 9: 3, 12: 758, 13: 17, 15: 29, 16: 1, 17: 20, 18: 1,
    20: 37, 24: 2009, 25: 4, 32: 58, 33: 1, 34: 1, 35: 1, 38: 9, 40: 15,
    43: 48, 44: 9, 47: 37, 52: 4, 53: 4, 55: 1, 56: 4, 57: 17, 61: 1105,
    62: 920, 63: 2849, 64: 3262, 65: 2507, 66: 3459, 67: 613, 68: 674, 80: 819,
    81: 226, 88: 4, 128: 270, 129: 431, 130: 251, 131: 217, 132: 159, 133: 160,
    134: 393, 135: 72, 136: 390, 137: 319, 138: 320, 139: 272, 140: 384,
    141: 269, 142: 293, 143: 240, 144: 346, 145: 122, 146: 436, 147: 341,
    148: 509, 149: 262, 150: 221, 151: 288, 152: 713, 153: 96, 154: 30,
    155: 347, 156: 159, 157: 322, 158: 253, 159: 333, 160: 211, 161: 346,
    162: 414, 163: 292, 164: 461, 165: 460, 166: 405, 167: 349, 168: 535,
    169: 144, 170: 569, 171: 41, 172: 14, 192: 6637, 193: 3630, 194: 3196,
    195: 1796, 196: 634, 198: 4694, 199: 4201, 200: 4067, 202: 5505, 203: 6596,
    204: 4494, 205: 2949, 206: 3980, 207: 3906, 208: 4389, 209: 4526,
    210: 1986, 211: 1284, 212: 2414, 213: 1706, 214: 12, 215: 20, 216: 5603,
    217: 1128, 218: 438, 219: 175, 220: 24,
}  # fmt: skip

#: The share of the /16 prefixes that is drawn from the old class B; the rest, and
#: prefixes of other lengths, come from anywhere.
CLASS_B_SHARE = 0.7
_FIRST_BYTES_ALL = (list(FIRST_BYTES), list(accumulate(FIRST_BYTES.values())))
_FIRST_BYTES_B = (
    [byte for byte in FIRST_BYTES if 128 <= byte < 192],
    list(accumulate(n for byte, n in FIRST_BYTES.items() if 128 <= byte < 192)),
)

#: Attempts to draw a prefix by the proportions, before it is drawn from anywhere.
TRIES = 24

#: Address and length.
Prefix = tuple[int, int]


def lengths_of(count: int, lengths: dict[int, int] = LENGTHS) -> dict[int, int]:
    """Prefixes per length for a table of `count`, by the largest remainders."""
    total = sum(lengths.values())
    shares = {length: n * count / total for length, n in lengths.items()}
    result = {length: int(share) for length, share in shares.items()}
    by_remainder = sorted(shares, key=lambda length: result[length] - shares[length])
    for length in by_remainder[: count - sum(result.values())]:
        result[length] += 1
    return result


class _UniformDraws:
    """Random numbers, drawn in blocks because single draws of numpy are slow."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._block: list[float] = []

    def fraction(self) -> float:
        """Uniform in [0, 1), a multiple of 2^-53."""
        if not self._block:
            self._block = self._rng.random(4096).tolist()
        return self._block.pop()

    def below(self, bound: int) -> int:
        """A whole number, uniform in [0, bound)."""
        return int(self.fraction() * bound)


class _GrowingTable:
    """A table to which prefixes are added from short to long.

    The parent of a prefix is the longest prefix of the table that contains it.
    A parent is given by its length, 0 if there is none.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.draws = _UniformDraws(rng)
        self.prefixes: list[Prefix] = []
        self.members: set[Prefix] = set()
        self.by_length: dict[int, list[int]] = defaultdict(list)
        # Prefixes in a /16 or /20 block, by block and parent. Later prefixes
        # share their blocks.
        self.in_blocks: dict[tuple[int, int], list[int]] = defaultdict(list)

    def add(self, length: int) -> None:
        """Adds a random prefix of a length."""
        for attempt in range(TRIES):
            parent = self._draw_parent(length)
            # Blocks fill up, so later attempts open new ones.
            crowded = attempt < TRIES // 2
            prefix = self._candidate(length, parent, crowded)
            if (prefix, length) in self.members:
                continue
            if self._parent_of(prefix, length) == parent:
                break
        while (prefix, length) in self.members:
            prefix = ipv4_prefix(self._anywhere(), length)
        parent = self._parent_of(prefix, length)
        self.prefixes.append((prefix, length))
        self.members.add((prefix, length))
        self.by_length[length].append(prefix)
        for block in (16, 20):
            if length > block:
                self.in_blocks[block, parent].append(prefix)

    def _draw_parent(self, length: int) -> int:
        if self.draws.fraction() >= NESTED[length]:
            return 0
        lengths = [n for n in PARENTS if n < length and self.by_length[n]]
        at = self.draws.below(sum(PARENTS[n] for n in lengths))
        for parent in lengths:
            at -= PARENTS[parent]
            if at < 0:
                return parent
        return 0

    def _candidate(self, length: int, parent: int, crowded: bool) -> int:
        """A prefix that may have this parent, in a block of an earlier prefix if
        `crowded` and the draw says so."""
        for block, share in ((20, SHARE_20), (16, SHARE_16)):
            near = self.in_blocks[block, parent]
            if crowded and length > block and near and self.draws.fraction() < share:
                fixed = max(block, parent)
                return self._fill(near[self.draws.below(len(near))], fixed, length)
        if parent:
            parents = self.by_length[parent]
            return self._fill(parents[self.draws.below(len(parents))], parent, length)
        class_b = length == 16 and self.draws.fraction() < CLASS_B_SHARE
        first_bytes, sums = _FIRST_BYTES_B if class_b else _FIRST_BYTES_ALL
        index = bisect_right(sums, self.draws.below(sums[-1]))
        return self._fill(first_bytes[index] << 24, 8, length)

    def _fill(self, start: int, fixed: int, length: int) -> int:
        """The first `fixed` bits of `start`, then random bits up to `length`."""
        return ipv4_prefix(
            ipv4_prefix(start, fixed) | self.draws.below(1 << (32 - fixed)), length
        )

    def _anywhere(self) -> int:
        """A unicast address outside 0/8 and 127/8."""
        first = 127
        while first == 127:
            first = 1 + self.draws.below(223)
        return first << 24 | self.draws.below(1 << 24)

    def _parent_of(self, prefix: int, length: int) -> int:
        for shorter in range(length - 1, 7, -1):
            if (ipv4_prefix(prefix, shorter), shorter) in self.members:
                return shorter
        return 0


def make_prefixes(count: int, rng: np.random.Generator) -> list[Prefix]:
    """`count` different prefixes, short ones first; at most a million."""
    table = _GrowingTable(rng)
    for length, number in sorted(lengths_of(count).items()):
        for _ in range(number):
            table.add(length)
    return table.prefixes

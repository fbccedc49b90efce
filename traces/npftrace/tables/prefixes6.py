"""IPv6 routing tables of any size with the structure of a real one.

The numbers are counted from the table of January 2024 that `prefix_counts.txt` names.
A table of any size keeps

* the proportions of the prefix lengths,
* the share of prefixes of each length that lie inside a shorter one, and the length
  of that one,
* the first 16 bits in use,
* roughly how prefixes crowd: 1,000 need 2,900 nodes of a trie with strides of four
  bits, 5,000 need 13,900, 10,000 need 27,200; of prefixes drawn from the real table
  3,600, 12,400 and 20,100.
"""

from collections import defaultdict

import numpy as np

from npftrace.tables.prefix_counts import read_prefix_counts
from npftrace.tables.prefixes import lengths_of

#: Prefixes per length, and the blocks of a length that contain a longer prefix.
COUNTS = read_prefix_counts("ipv6")
LENGTHS = {length: row.prefixes for length, row in COUNTS.items() if row.prefixes}

#: The share of the prefixes of a length that lie inside a shorter prefix.
NESTED = {
    16: 0.0, 19: 0.0, 20: 0.0, 21: 0.0, 22: 0.0, 23: 0.0, 24: 0.1, 25: 0.12, 26: 0.0,
    27: 0.1, 28: 0.44, 29: 0.01, 30: 0.44, 31: 0.46, 32: 0.25, 33: 0.81, 34: 0.72,
    35: 0.62, 36: 0.57, 37: 0.75, 38: 0.52, 39: 0.82, 40: 0.76, 41: 0.53, 42: 0.8,
    43: 0.43, 44: 0.72, 45: 0.82, 46: 0.53, 47: 0.79, 48: 0.59, 49: 1.0, 50: 1.0,
    52: 1.0, 55: 1.0, 56: 0.96, 58: 1.0, 60: 0.0, 64: 0.97, 112: 1.0, 122: 1.0,
    124: 1.0, 125: 1.0, 126: 1.0, 127: 1.0, 128: 1.0,
}  # fmt: skip

#: How often each length occurs as the parent of a nested prefix: the longest prefix
#: that contains it.
PARENTS = {
    19: 1, 20: 6048, 21: 3, 22: 120, 23: 13, 24: 1270, 25: 5, 26: 16, 27: 243, 28: 834,
    29: 10001, 30: 1775, 31: 494, 32: 40130, 33: 3588, 34: 2260, 35: 878, 36: 4836,
    37: 565, 38: 1481, 39: 478, 40: 7382, 41: 210, 42: 2191, 43: 1027, 44: 2800,
    45: 385, 46: 601, 47: 1410, 48: 44, 64: 2,
}  # fmt: skip

#: Prefixes per first 16 bits, those with at least 2,209; they are two thirds of all.
FIRST_BITS = {
    0x2001: 20151, 0x2804: 18064, 0x2409: 10038, 0x2A02: 7663, 0x2402: 7519,
    0x2408: 7256, 0x2600: 5894, 0x2401: 5270, 0x240A: 4494, 0x2400: 3646, 0x2806: 3301,
    0x2A00: 3247, 0x2800: 3171, 0x2604: 3163, 0x240E: 3149, 0x2803: 2989, 0x2620: 2886,
    0x2A01: 2761, 0x2407: 2728, 0x2607: 2542, 0x2A03: 2524, 0x2605: 2471, 0x2404: 2451,
    0x2602: 2354, 0x2405: 2314, 0x2606: 2209,
}  # fmt: skip

BITS = 128
#: A prefix inside no other that is longer than this shares its first bits with an
#: earlier one with probability SHARE: 34,317 blocks of /32 hold all prefixes, of which
#: 66,000 lie in no shorter one.
BLOCK_BITS, SHARE = 32, 1 - 34317 / 66000
#: Attempts to draw a new prefix inside others, before it is drawn from anywhere.
TRIES = 24

#: Address and length.
Prefix = tuple[int, int]


def make_prefixes6(count: int, rng: np.random.Generator, longest: int) -> list[Prefix]:
    """`count` different prefixes of at most `longest` bits, in random order."""
    lengths = {n: share for n, share in LENGTHS.items() if n <= longest}
    found: dict[Prefix, None] = {}
    by_length: dict[int, list[int]] = defaultdict(list)
    blocks: list[int] = []
    for length, number in lengths_of(count, lengths).items():
        for _ in range(number):
            prefix = _new_prefix(length, found, by_length, blocks, rng)
            found[prefix, length] = None
            by_length[length].append(prefix)
            if length > BLOCK_BITS:
                block = prefix >> BITS - BLOCK_BITS
                if (block << BITS - BLOCK_BITS, BLOCK_BITS) not in found:
                    blocks.append(block)
    prefixes = list(found)
    return [prefixes[i] for i in rng.permutation(len(prefixes)).tolist()]


def _new_prefix(
    length: int,
    found: dict[Prefix, None],
    by_length: dict[int, list[int]],
    blocks: list[int],
    rng: np.random.Generator,
) -> int:
    """A prefix of a length that is not among those found."""
    nested = rng.random() < NESTED[length]
    for attempt in range(100 * TRIES):
        if nested and attempt < TRIES:
            outer, bits = _outer(length, by_length, rng)
        elif length > BLOCK_BITS and blocks and rng.random() < SHARE:
            block = blocks[int(rng.integers(0, len(blocks)))]
            outer, bits = block << BITS - BLOCK_BITS, BLOCK_BITS
        else:
            outer, bits = _anywhere(rng) << BITS - 16, 16
        inside = int.from_bytes(rng.bytes(BITS // 8), "big") >> bits
        prefix = (outer | inside) >> BITS - length << BITS - length
        if (prefix, length) not in found:
            return prefix
    raise AssertionError("the address space is full")


def _outer(
    length: int, by_length: dict[int, list[int]], rng: np.random.Generator
) -> Prefix:
    """A shorter prefix, of the lengths that parents have; the first 16 bits if there
    is none."""
    bits = [n for n in PARENTS if n < length and by_length[n]]
    if not bits:
        return _anywhere(rng) << BITS - 16, 16
    weights = np.array([PARENTS[n] for n in bits], dtype=float)
    chosen = int(rng.choice(bits, p=weights / weights.sum()))
    known = by_length[chosen]
    return known[int(rng.integers(0, len(known)))], chosen


def _anywhere(rng: np.random.Generator) -> int:
    """The first 16 bits of a prefix."""
    weights = np.array(list(FIRST_BITS.values()), dtype=float)
    return int(rng.choice(list(FIRST_BITS), p=weights / weights.sum()))

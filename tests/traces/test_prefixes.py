"""Tables of prefixes: proportions, nesting, crowding, determinism."""

import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from npftrace.tables import prefixes6
from npftrace.tables.limits import IPV6
from npftrace.tables.prefixes import (
    FIRST_BYTES,
    LENGTHS,
    NESTED,
    PARENTS,
    lengths_of,
    make_prefixes,
)
from npftrace.tables.rib import read_rib

REAL = 112_986


def table(count: int, seed: int = 1) -> list[tuple[int, int]]:
    return make_prefixes(count, np.random.default_rng(seed))


def test_the_tables_of_proportions_are_those_of_2002() -> None:
    assert sum(LENGTHS.values()) == REAL
    assert sum(n for length, n in LENGTHS.items() if length < 16) == 810
    assert LENGTHS[16] == 7_256
    assert sum(LENGTHS[n] for n in (17, 18, 19)) == 11_694
    assert sum(LENGTHS[n] for n in (20, 21, 22)) == 20_526
    assert sum(n for length, n in LENGTHS.items() if length > 24) == 576
    # Each prefix has one first byte, each nested one has a parent.
    assert sum(FIRST_BYTES.values()) == REAL
    nested = sum(LENGTHS[length] * share for length, share in NESTED.items())
    assert abs(sum(PARENTS.values()) - nested) < 0.01 * REAL


def test_first_bytes_are_those_in_use() -> None:
    assert {prefix >> 24 for prefix, _ in table(20_000)} <= set(FIRST_BYTES)


@pytest.mark.parametrize("count", [1, 2, 10, 1_000, 10_000, REAL, 1_000_000])
def test_lengths_sum_up(count: int) -> None:
    lengths = lengths_of(count)
    assert sum(lengths.values()) == count
    for length, number in lengths.items():
        assert abs(number - LENGTHS[length] * count / REAL) < 1


def test_the_real_size_has_the_real_lengths() -> None:
    assert lengths_of(REAL) == LENGTHS


@pytest.mark.parametrize("count", [1, 1_000, 10_000])
def test_prefixes_are_well_formed_and_different(count: int) -> None:
    prefixes = table(count)
    assert len(prefixes) == len(set(prefixes)) == count
    assert Counter(length for _, length in prefixes) == Counter(
        {length: n for length, n in lengths_of(count).items() if n}
    )
    for prefix, length in prefixes:
        assert prefix % (1 << (32 - length)) == 0
        assert 1 <= prefix >> 24 <= 223 and prefix >> 24 != 127


def test_half_of_the_prefixes_are_nested() -> None:
    prefixes = table(10_000)
    members = set(prefixes)
    depths = Counter(
        sum((p >> (32 - n) << (32 - n), n) in members for n in range(8, length))
        for p, length in prefixes
    )
    nested = 1 - depths[0] / len(prefixes)
    assert 0.42 < nested < 0.60  # 0.52 in the real table
    assert depths[2] > 100
    assert max(depths) <= 6  # 5 in the real table


def test_long_prefixes_are_crowded() -> None:
    beyond_16 = {p >> 16 for p, length in table(10_000) if length > 16}
    share = len(beyond_16) / sum(n for m, n in lengths_of(10_000).items() if m > 16)
    assert 0.05 < share < 0.15  # 0.065 in the real table, 0.9 at random


def test_the_seed_determines_the_table() -> None:
    assert table(2_000, seed=7) == table(2_000, seed=7)
    assert table(2_000, seed=7) != table(2_000, seed=8)


def table6(count: int, longest: int = 128) -> list[tuple[int, int]]:
    return prefixes6.make_prefixes6(count, np.random.default_rng(1), longest)


def test_prefixes_of_ipv6_have_the_real_lengths() -> None:
    made = table6(2_000)
    assert len(set(made)) == 2_000
    expected = lengths_of(2_000, prefixes6.LENGTHS)
    assert Counter(length for _, length in made) == Counter(
        {length: n for length, n in expected.items() if n}
    )
    assert {prefix >> 112 for prefix, _ in made} <= set(prefixes6.FIRST_BITS)
    assert all(prefix % (1 << 128 - length) == 0 for prefix, length in made)
    assert max(length for _, length in table6(5_000, 64)) <= 64


def test_prefixes_of_ipv6_lie_inside_others_as_real_ones_do() -> None:
    made = set(table6(3_000))
    inside = sum(
        any((prefix >> 128 - n << 128 - n, n) in made for n in range(16, length))
        for prefix, length in made
    )
    shares = prefixes6.NESTED.items()
    expected = sum(prefixes6.LENGTHS[n] * share for n, share in shares)
    real = expected / sum(prefixes6.LENGTHS.values())
    assert inside / len(made) == pytest.approx(real, abs=0.1)


def test_the_numbers_of_ipv6_are_those_of_the_table_of_2024() -> None:
    data = os.environ.get("KARAKAL_TEST_DATA")
    if not data:
        pytest.skip("KARAKAL_TEST_DATA is not set: no routing table to read")
    path = Path(data) / "rib/ipv4+ipv6-2024-bart-prefixes.txt.gz"
    routes = read_rib(path, IPV6)
    assert Counter(length for _, length, _ in routes) == prefixes6.LENGTHS
    firsts = Counter(prefix >> 112 for prefix, _, _ in routes)
    often = {bits: n for bits, n in firsts.items() if n >= 2_209}
    assert often == prefixes6.FIRST_BITS

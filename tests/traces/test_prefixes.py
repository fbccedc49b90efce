"""Tables of prefixes: proportions, nesting, crowding, determinism."""

from collections import Counter

import numpy as np
import pytest

from npftrace.tables.prefixes import (
    FIRST_BYTES,
    LENGTHS,
    NESTED,
    PARENTS,
    lengths_of,
    make_prefixes,
)

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

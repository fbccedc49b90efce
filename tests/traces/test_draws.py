"""Random draws with exact proportions, and the sizes of a command line."""

import argparse

import numpy as np
import pytest

from npftrace.arguments import between, share
from npftrace.draws import draw_evenly, share_out
from npftrace.make.sizes import sizes


def rng() -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(1))


@pytest.mark.parametrize(
    ("groups", "count", "counts"),
    [(4, 12, [3, 3, 3, 3]), (4, 14, [3, 3, 4, 4]), (3, 2, [0, 1, 1]), (5, 0, [0] * 5)],
)
def test_groups_get_equal_shares_or_one_more(
    groups: int, count: int, counts: list[int]
) -> None:
    found = share_out(rng(), groups, count)
    assert sorted(np.bincount(found, minlength=groups).tolist()) == counts


def test_ports_occur_equally_often_however_many_entries_they_have() -> None:
    # One entry leads to port 7, three lead to port 8: two draws are of each.
    ports = np.array([8, 7, 8, 8])
    found = ports[draw_evenly(rng(), ports, 4)]
    assert sorted(found.tolist()) == [7, 8, 8, 8]
    assert set(ports[draw_evenly(rng(), ports[:2], 2)].tolist()) == {7, 8}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("64", [60]),
        ("64-66", [60, 61, 62]),
        ("64,512", [60, 508]),
        ("imix", [60, 590, 1514]),
    ],
)
def test_sizes_have_a_crc_that_frames_do_not(text: str, found: list[int]) -> None:
    drawn = sizes(text).draw(rng(), 2000)
    assert sorted(set(drawn.tolist())) == found


def test_weights_are_proportions() -> None:
    # 7 : 4 : 1 of 12,000 are 7,000, 4,000 and 1,000; five deviations are 273.
    counts = np.bincount(sizes("imix").draw(rng(), 12000))
    assert abs(int(counts[60]) - 7000) < 273
    assert abs(int(counts[590]) - 4000) < 273
    assert abs(int(counts[1514]) - 1000) < 273


@pytest.mark.parametrize(
    "text", ["63", "1527", "", "64:0", "64:-1", "66-64", "64-2000", "big", "64:x"]
)
def test_wrong_sizes_are_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        sizes(text)


@pytest.mark.parametrize("text", ["64", "1526"])
def test_the_shortest_and_the_longest_size_are_allowed(text: str) -> None:
    assert sizes(text).sizes == (int(text),)


@pytest.mark.parametrize("text", ["-0.01", "1.01", "x", "nan"])
def test_a_share_is_between_0_and_1(text: str) -> None:
    assert (share("0"), share("1")) == (0, 1)
    with pytest.raises(argparse.ArgumentTypeError):
        share(text)


@pytest.mark.parametrize("text", ["0", "6", "2.5", "x"])
def test_a_number_is_within_its_bounds(text: str) -> None:
    assert (between(1, 5)("1"), between(1, 5)("5")) == (1, 5)
    with pytest.raises(argparse.ArgumentTypeError):
        between(1, 5)(text)

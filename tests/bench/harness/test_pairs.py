"""Pairs of runs: ratios, and programs that share a processor."""

from __future__ import annotations

import sys

import pytest

from bench.harness.bench import Failed
from bench.harness.pairs import Pairs, seconds_of_both

#: Does so many additions. Fails if it may run on more than one processor.
SPIN = """
import os, sys
sum(range({additions}))
sys.exit({status} if len(os.sched_getaffinity(0)) == 1 else 1)
"""


def spin(additions: int, status: int = 0) -> list[str]:
    code = SPIN.format(additions=additions, status=status)
    return [sys.executable, "-c", code]


def test_the_ratio_is_that_of_rounds_not_of_medians() -> None:
    pairs = Pairs(((1.0, 2.0), (10.0, 10.0), (2.0, 6.0)))
    assert (pairs.first, pairs.second) == (2.0, 6.0)
    assert pairs.ratio == 2.0


def test_both_have_processor_time_on_one_processor() -> None:
    short, long = seconds_of_both((spin(10), spin(1_000_000)), 0)
    assert short > 0 and long > 0


@pytest.mark.parametrize("turn", range(4))
def test_a_program_that_fails_ends_the_measurement(turn: int) -> None:
    with pytest.raises(Failed, match=r"exit status 3: [^|]*range\(11\)"):
        seconds_of_both((spin(10), spin(11, status=3)), turn)

"""Which branch counts are kept."""

from __future__ import annotations

import pytest

from bench.simulator.train import COUNT_MIN, frequent


def counts_of(name: str, *counters: int) -> str:
    """The text of a function, as llvm-profdata writes it."""
    numbers = "\n".join(map(str, counters))
    return (
        f"{name}\n# Func Hash:\n7\n# Num Counters:\n{len(counters)}\n"
        f"# Counter Values:\n{numbers}\n"
    )


HEAD = "# IR level Instrumentation Flag\n:ir\n"
SERVE = counts_of("_ZN7karakal3sim4Sram5serveEv", 3, COUNT_MIN)


def test_a_frequent_function_keeps_its_counts() -> None:
    assert frequent(f"{HEAD}{SERVE}\n") == f":ir\n{SERVE}"


@pytest.mark.parametrize(
    "name",
    [
        "Dram.cpp;_ZN7karakal3sim12_GLOBAL__N_16maskOfEv",
        "_ZZN7karakal3sim6Engine3runEvENKUlvE_clEv",
        "_ZThn8_N7karakal3sim4Sram7onEventEv",
    ],
)
def test_our_functions_have_many_forms(name: str) -> None:
    block = counts_of(name, COUNT_MIN, 0)
    assert block in frequent(f"{HEAD}{SERVE}\n{block}\n")


@pytest.mark.parametrize(
    "block",
    [
        counts_of("_ZN7karakal3sim4Dram5resetEv", 1, COUNT_MIN - 1),
        counts_of("_ZN7karakal3sim4Dram4sizeEv", COUNT_MIN),
        counts_of("_ZNSt6vectorIN7karakal3sim4DramEE9push_backEv", 1, COUNT_MIN),
    ],
    ids=["rare", "no branch", "standard library"],
)
def test_others_are_left_out(block: str) -> None:
    assert frequent(f"{HEAD}{block}\n{SERVE}\n") == f":ir\n{SERVE}"

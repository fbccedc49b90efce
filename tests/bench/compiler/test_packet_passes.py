"""The claims about the packet passes hold."""

from __future__ import annotations

from typing import Any

import pytest

from bench.compiler.packet_passes import least_commands, optimality_of
from bench.harness.bench import Bench
from testkit.paths import BUILD, ROOT
from testkit.tools import read_json, requires, run_python

BENCH = ROOT / "tests/bench/bench.py"
built = requires("bakerc", "ixpsim")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Any:
    file = tmp_path_factory.mktemp("bench") / "bench.json"
    run_python(BENCH, f"--build={BUILD}", f"--json={file}", "access", "passes")
    return read_json(file)


def test_the_document_has_the_least_commands() -> None:
    assert least_commands() == {"l3-switch": 2, "firewall": 1, "mpls": 2}


@built
def test_the_least_commands_are_reached() -> None:
    bench = Bench(BUILD, packets=500, engines=(6,), all_sets=False)
    found = optimality_of(bench, {"mpls": 2}, ("pac", "phr"))["mpls"]
    for commands in found["reached"].values():
        assert 2 <= commands < 2.1


@built
def test_a_known_offset_removes_more_than_half(found: Any) -> None:
    for kind in found["access"].values():
        for forms in kind.values():
            assert forms["removed_by_soar"] > 0.5


@built
def test_the_time_of_all_passes_is_given_by_application(found: Any) -> None:
    assert found["passes"].keys() == least_commands().keys()
    assert all(seconds > 0 for seconds in found["passes"].values())

"""Library tables stay quick, whatever was added to and removed from them."""

from pathlib import Path
from typing import Any

import pytest

from testkit.runs import compile_app, run_on_x86, simulate
from testkit.workloads import Workload, make_workload

CHURN = Path(__file__).parent / "Inputs/churn.baker"


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    """Packets whose destination is in no table."""
    folder = tmp_path_factory.mktemp("churn")
    return make_workload("l3-switch", folder, "--packets", "500", "--size", "64")


def values(stats: dict[str, Any]) -> list[int]:
    return [each["value"] for each in stats["control"]["values"]]


def test_a_million_operations(load: Workload, tmp_path: Path) -> None:
    load.control.write_text(
        "churn(1000000)\nlongest()\nkeys_held()\nclear()\nchurn(1000)\n"
    )
    _, stats = run_on_x86(CHURN, load, tmp_path)
    wrong, longest, held, cleared, later = values(stats)
    assert wrong == later == 0
    assert 400 < held <= 512
    # A half full table of 1,024 slots: runs of 20 to 40 taken slots.
    assert 4 < longest < 64
    assert cleared == 0


def test_a_miss_costs_one_access_after_many_changes(
    load: Workload, tmp_path: Path
) -> None:
    image = compile_app(CHURN, tmp_path / "churn.ixp", "--level=phr")
    accesses = []
    for operations in (0, 12000):
        load.control.write_text(f"churn({operations})\nclear()\n")
        _, stats = simulate(image, load, tmp_path)
        assert values(stats) == [0, 0]
        accesses.append(stats["per_packet"]["application"]["sram"])
    assert accesses[0] == pytest.approx(1, abs=0.05)
    assert accesses[1] == pytest.approx(1, abs=0.05)

"""Library tables stay quick and right, whatever was added to and removed from them."""

from pathlib import Path
from typing import Any

import pytest

from testkit.applications import FIREWALL, L3_SWITCH
from testkit.paths import ROOT
from testkit.runs import compile_app, run_on_x86, simulate
from testkit.workloads import Workload, make_workload

INPUTS = Path(__file__).parent / "Inputs"
CHURN, RACES = INPUTS / "churn.baker", INPUTS / "exact_races.baker"
EXACT = ROOT / "runtime/net/exact.baker"


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
    assert held > 900  # of 1,024 slots
    # A home has 0.9 keys on average.
    assert 3 < longest < 10
    assert cleared == 1


#: Base and stride of keys as networks have them: stations of a maker, hosts and
#: networks in a row, ports in a row, VLANs, multiples of large numbers.
ROWS = [
    (0x020000000000, 1), (0x0A000001, 1), (0x0A000000, 256), (0x0A000000, 1 << 16),
    (7, 1 << 48), (3, 1 << 40), (0, 10007), (0x1234567, 0x9E3779B1), (5, 4096),
    (1, 0x10001), (0, 0x100000001), (0x0800, 3), (1 << 63, 1 << 32), (12345, 0),
]  # fmt: skip


def test_nine_tenths_of_the_slots_take_keys(load: Workload, tmp_path: Path) -> None:
    load.control.write_text("".join(f"fill({b}, {s})\n" for b, s in ROWS))
    _, stats = run_on_x86(CHURN, load, tmp_path)
    assert values(stats) == [0] * len(ROWS)


def test_a_miss_costs_one_access_after_many_changes(
    load: Workload, tmp_path: Path
) -> None:
    image = compile_app(CHURN, tmp_path / "churn.ixp", "--level=phr")
    accesses = []
    for operations in (0, 4000):
        load.control.write_text(f"churn({operations})\nclear()\n")
        _, stats = simulate(image, load, tmp_path)
        assert values(stats) == [0, 1]
        accesses.append(stats["per_packet"]["application"]["sram"])
    assert accesses[0] == pytest.approx(1, abs=0.05)
    assert accesses[1] == pytest.approx(1, abs=0.05)


#: What `remove` does after it has taken an entry out of its chain.
RAISE_VERSION = """    entries[home].links = entries[home].links & ~VERSION |
        entries[home].links + VERSION_STEP & VERSION;
"""


@pytest.mark.parametrize(
    ("has_version", "level"), [(True, "o1"), (True, "phr"), (False, "phr")]
)
def test_no_search_misses_a_key_while_others_change(
    has_version: bool, level: str, load: Workload, tmp_path: Path
) -> None:
    """On engines whose reads take long, so that the core changes much between two.
    Without the version the test finds keys missing."""
    library = EXACT.read_text()
    assert RAISE_VERSION in library
    (tmp_path / "net").mkdir()
    changed = library if has_version else library.replace(RAISE_VERSION, "")
    (tmp_path / "net/exact.baker").write_text(changed)
    program = tmp_path / RACES.name
    program.write_text(RACES.read_text())
    image = compile_app(program, tmp_path / "races.ixp", f"--level={level}", "--mes=4")
    load.control.write_text(
        "@packet 10 churn(1500)\n@end searches_missed()\n@end values_wrong()\n"
    )
    _, stats = simulate(
        image,
        load,
        tmp_path,
        "--packets=6000",
        "--set=sram.latency=9000",
        "--set=scratch.latency=9000",
    )
    _, missed, wrong = values(stats)
    assert wrong == 0
    assert (missed == 0) == has_version


SCANS = {
    "hosts": "connection_add(10.9.9.9, {}, 40000, 80, 6)",
    "ports": "connection_add(10.9.9.9, 172.16.0.1, 40000, {}, 6)",
    "sources": "connection_add(10.9.9.9, 172.16.0.1, {}, 443, 17)",
}


@pytest.mark.parametrize("scan", SCANS)
def test_a_scan_loses_no_connection(scan: str, load: Workload, tmp_path: Path) -> None:
    """Nine tenths of the slots of the firewall, one after the other. A refused call
    would end the run."""
    calls = (SCANS[scan].format(1000 + n) for n in range(8192 * 9 // 10))
    load.control.write_text("\n".join(("stateful(1)", *calls, "")))
    _, stats = run_on_x86(FIREWALL, load, tmp_path)
    assert stats["control"]["calls"] == 8192 * 9 // 10 + 1


def test_stations_of_one_maker_fill_the_bridge(load: Workload, tmp_path: Path) -> None:
    count = 4096 * 9 // 10
    stations = (f"bridge_add({2**41 + n}, {n % 4})" for n in range(count))
    load.control.write_text("\n".join((*stations, "")))
    _, stats = run_on_x86(L3_SWITCH, load, tmp_path)
    assert stats["control"]["calls"] == count

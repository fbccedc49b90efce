"""How many rules of each kind of ClassBench the firewall holds.

The sets are drawn from ClassBench's parameter files by testkit.classbench. The counts
are those of the table in docs/applications.md; `pytest -k KIND` tries one kind."""

import re
from pathlib import Path

import pytest

from testkit.applications import FIREWALL
from testkit.classbench import make_rules
from testkit.paths import ROOT
from testkit.runs import check_packets, compile_app, run_on_x86, simulate
from testkit.tools import run
from testkit.workloads import Workload, make_workload

#: Rules that were asked for, and that load.
HELD = {
    "acl1": 10_000, "acl2": 10_000, "acl3": 7_000, "acl4": 6_000, "acl5": 10_000,
    "fw1": 10_000, "fw2": 10_000, "fw3": 10_000, "fw4": 10_000, "fw5": 10_000,
    "ipc1": 1_000, "ipc2": 10_000,
}  # fmt: skip
#: Those that do not, and why.
REFUSED = {
    "acl3": (8_000, "the rules have too many pairs of addresses"),
    "acl4": (10_000, "the rules have too many pairs of addresses"),
    "ipc1": (2_000, "the rules have too many pairs of addresses"),
}


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_app(
        FIREWALL, tmp_path_factory.mktemp("kinds") / "o1.ixp", "--level=o1"
    )


def load_of(kind: str, count: int, data: Path, folder: Path) -> Workload:
    rules = folder / "rules"
    lines = make_rules(data / f"rules/seeds/{kind}_seed", count)
    # The parameter files of fw2 and others have few different ports and lengths, so
    # that draws repeat.
    assert len(lines) > count * 0.6
    rules.write_text("\n".join(lines) + "\n")
    return make_workload(
        "firewall", folder, "--rule-file", str(rules), "--packets", "300"
    )


@pytest.mark.parametrize("kind", HELD)
def test_rules_of_a_kind_load_and_decide(
    kind: str, test_data: Path, tmp_path: Path
) -> None:
    load = load_of(kind, HELD[kind], test_data, tmp_path)
    out, _ = run_on_x86(FIREWALL, load, tmp_path)
    check_packets(load, out)


@pytest.mark.parametrize("kind", ["acl4", "fw4"])
def test_both_engines_hold_the_same(
    kind: str, image: Path, test_data: Path, tmp_path: Path
) -> None:
    load = load_of(kind, HELD[kind], test_data, tmp_path)
    out, _ = simulate(image, load, tmp_path)
    check_packets(load, out)


@pytest.mark.parametrize("kind", REFUSED)
def test_both_engines_refuse_the_same(
    kind: str, image: Path, test_data: Path, tmp_path: Path
) -> None:
    count, reason = REFUSED[kind]
    load = load_of(kind, count, test_data, tmp_path)
    for command in (["bakerc", FIREWALL, "--run"], ["ixpsim", image]):
        refused = run(*command, *load.inputs(), status=1)
        assert f"rules_commit' refused the call: {reason}" in refused.stderr


def test_the_page_states_these_limits() -> None:
    page = (ROOT / "docs/applications.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", page, re.MULTILINE)
    assert {kind: int(count.replace(",", "")) for kind, count in rows} == HELD

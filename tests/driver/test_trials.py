"""What the compiler tries before it decides is not compiled without need."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path

import pytest

from differential.generator import make_program
from testkit.applications import MPLS
from testkit.tools import output_of, requires, run
from testkit.workloads import make_workload

pytestmark = requires("bakerc")


def test_a_plan_with_too_many_aggregates_is_not_compiled(tmp_path: Path) -> None:
    """The plan with all rare PPFs on the engines needs more aggregates than that with
    none, which is the first that is compiled. Other plans that need more are refused
    before they are compiled."""
    load = make_workload(
        "mpls", tmp_path, "--packets", "200", "--labels", "64", "--fecs", "100"
    )
    said = output_of(
        "bakerc", MPLS, "--level=phr", "--time-passes", "--threads=1",
        *load.profile(), "-o", tmp_path / "mpls.ixp",
    )  # fmt: skip
    said, _, _ = said.partition("engines:")
    marks = [
        "compile" if "llvm-codegen" in line else "plan"
        for line in said.splitlines()
        if "llvm-codegen" in line or "baker-aggregation" in line
    ]
    compiled = [len(list(run)) for kind, run in groupby(marks) if kind == "compile"]
    # The passes ahead of split-cores run once for each size that is assumed.
    starts = said.count("baker-split-ppfs")
    assert starts < said.count("baker-aggregation")
    # The true size without rare PPFs tells which numbers of them have no room.
    assert len(compiled) <= 2, "the plan without, one trial"
    without_rare, *later = compiled
    assert later, "some rare PPFs are tried"
    assert max(later) <= without_rare


def test_remarks_are_those_of_the_image(tmp_path: Path) -> None:
    """Several plans are tried, each with remarks of its own."""
    load = make_workload(
        "mpls", tmp_path, "--packets", "200", "--labels", "64", "--fecs", "100"
    )
    image = tmp_path / "mpls.ixp"
    said = output_of(
        "bakerc", MPLS, "--level=phr", "--explain=all", "--time-passes",
        *load.profile(), "-o", image,
    )  # fmt: skip
    assert said.count("llvm-codegen") > 1
    remarks = [line for line in said.splitlines() if "remark: [" in line]
    assert len(remarks) == len(set(remarks))
    mapped = [line for line in remarks if "[aggregation] map " in line]
    manifest = json.loads(output_of("ixpsim", "--describe=json", image))
    assert len(mapped) == len(manifest["aggregates"])


@pytest.mark.parametrize("seed, words", [(63, 500), (69, 700)])
def test_cuts_that_leave_as_much_as_before_end(
    seed: int, words: int, tmp_path: Path
) -> None:
    """The values that cross these cuts take more words than the cuts save."""
    source = tmp_path / "program.baker"
    source.write_text(make_program(seed).text())
    done = run(
        "bakerc", source, "--level=o1", f"--set=me.control_store={words}",
        "-o", tmp_path / "program.ixp", status=1, timeout=100,
    )  # fmt: skip
    assert "E-aggregation-002" in done.stderr or "does not fit" in done.stderr

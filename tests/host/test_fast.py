"""`bakerc --run --fast`: the same packets as with all checks."""

from __future__ import annotations

from pathlib import Path

import pytest

from testkit.applications import SOURCES
from testkit.captures import write_pcap
from testkit.runs import run_on_x86
from testkit.tools import requires, run
from testkit.workloads import exceptional_workload

pytestmark = requires("bakerc")


@pytest.mark.parametrize("app", SOURCES)
def test_fast_runs_agree_with_guarded_runs(app: str, tmp_path: Path) -> None:
    load = exceptional_workload(app, tmp_path, 5000)
    folders = {name: tmp_path / name for name in ("guarded", "fast", "stages")}
    for folder in folders.values():
        folder.mkdir()
    out, stats = run_on_x86(SOURCES[app], load, folders["guarded"])
    fast_out, fast = run_on_x86(
        SOURCES[app], load, folders["fast"], "--fast", "--burst=17"
    )
    assert out.read_bytes() == fast_out.read_bytes()
    stages_out, stages = run_on_x86(
        SOURCES[app],
        load,
        folders["stages"],
        "--fast",
        "--burst=77",
        "--sub-batch=33",
        "--cut-seed=5",
    )
    assert out.read_bytes() == stages_out.read_bytes()
    for key in ("packets", "drops", "control"):
        assert fast[key] == stats[key]
        assert stages[key] == stats[key]


def test_options_that_do_not_fit_are_errors(tmp_path: Path) -> None:
    trace = tmp_path / "t.pcap"
    write_pcap(trace, [bytes(60)])
    source = SOURCES["firewall"]
    for options, message in (
        (["--fast", "-o", str(tmp_path / "x.ixp")], "--fast and --packets need --run"),
        (
            ["--run", f"--trace={trace}", "--burst=4"],
            "--burst and --sub-batch need --fast",
        ),
        (["--run", f"--trace={trace}", "--fast", "--burst=257"], "--burst"),
        (["--run", f"--trace={trace}", "--packets=0"], "--packets"),
        (
            ["--run", f"--trace={trace}", "--fast", "--burst=8", "--sub-batch=9"],
            "--sub-batch is at most --burst",
        ),
    ):
        assert message in run("bakerc", source, *options, status=2).stderr

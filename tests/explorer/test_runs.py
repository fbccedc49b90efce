"""What a run writes for the explorer, and what the explorer exports."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from baker_explorer.listings import microcode
from baker_explorer.runs import Run, Settings
from baker_explorer.workspace import Workspace
from explorer.serving import make_workspace, tool_environment
from testkit.tools import output_of, requires, run

pytestmark = requires("bakerc", "ixpsim")

SMALL = Path(__file__).parents[1] / "driver/Inputs/small.baker"
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("run")
    make_workspace(made)
    run(
        "bakerc", made / "l3-switch/l3_switch.baker",
        f"--profile-trace={made}/t.pcap", f"--control={made}/t.control",
        "-o", made / "l3.ixp",
    )  # fmt: skip
    return made


def simulate(folder: Path, *results: str) -> None:
    run(
        "ixpsim", folder / "l3.ixp", f"--trace={folder}/t.pcap",
        f"--control={folder}/t.control", *results, "--quiet",
    )  # fmt: skip


def data_of(page: Path) -> Any:
    found = re.search(r'id="run">(.*?)</script>', page.read_text(), re.S)
    assert found
    return json.loads(found[1])


def test_the_microcode_comes_with_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page shows it after each run: another compilation would take as long."""
    (tmp_path / SMALL.name).write_text(SMALL.read_text())
    made = Run(0, Settings((SMALL.name,)), tmp_path / "0", Workspace(tmp_path))
    asyncio.run(made.build())
    assert not made.problem
    monkeypatch.setattr("baker_explorer.runs.run_tool", None)
    listing = asyncio.run(made.form("asm"))
    wanted = tmp_path / "wanted.uc"
    run("bakerc", SMALL, "--emit=asm", "-o", wanted)
    assert listing.text == microcode(wanted.read_text()).text
    assert (SMALL.name, 13) in listing.sources


def test_the_page_needs_nothing_and_agrees_with_the_statistics(folder: Path) -> None:
    simulate(folder, f"--html={folder}/a.html", f"--stats={folder}/s.json")
    text = (folder / "a.html").read_text()
    assert "src=" not in text and 'href="data:,"' in text
    assert "://" not in text.replace("http://www.w3.org", "")
    run_data, stats = (
        data_of(folder / "a.html"),
        json.loads((folder / "s.json").read_text()),
    )
    assert run_data["stats"] == stats
    windows = len(run_data["packets"]["received"])
    assert 50 < windows <= 400
    assert run_data["packets"]["received"][-1] == stats["packets"]["received"]
    for engine, text in zip(stats["microengines"], run_data["contexts"], strict=True):
        assert len(text) == windows * 8 * 6
        runs = sum(DIGITS.index(c) for c in text[::6]) / 63 * run_data["window_cycles"]
        # What is issued or aborted, rounded once a window and context.
        busy = engine["issue_cycles"] + engine["aborted_cycles"]
        assert runs == pytest.approx(busy, rel=0.1, abs=2000), engine["id"]
    dram = run_data["units"]["dram"]["busy"]
    assert sum(dram) / windows / 1000 >= 0.5 * stats["units"]["dram"]["utilization"]
    for kind, count in (("command", 2), ("pull", 3), ("push", 3)):
        shares = stats["units"]["bus"][f"{kind}_utilization"]
        assert len(shares) == count
        for bus, share in enumerate(shares):
            busy = run_data["units"][f"bus.{kind}{bus}"]["busy"]
            # The windows also have the run's begin and end, which are not measured.
            assert sum(busy) / windows / 1000 == pytest.approx(share, rel=0.2, abs=0.02)
    assert max(stats["units"]["bus"]["push_utilization"]) > 0.05


def test_the_same_run_gives_the_same_page_and_statistics(folder: Path) -> None:
    simulate(folder, f"--html={folder}/b.html")
    first = (folder / "b.html").read_bytes()
    simulate(folder, f"--html={folder}/b.html")
    assert (folder / "b.html").read_bytes() == first
    simulate(folder, f"--stats={folder}/plain.json")
    simulate(folder, f"--stats={folder}/with.json", f"--record={folder}/r")
    plain, recorded = ((folder / n).read_bytes() for n in ("plain.json", "with.json"))
    assert plain == recorded


def test_the_record_has_every_packet(folder: Path) -> None:
    simulate(folder, f"--record={folder}/r", f"--stats={folder}/s.json")
    packets = json.loads((folder / "s.json").read_text())["packets"]
    lines = (folder / "r.packets.csv").read_text().splitlines()
    assert lines[0] == "number,fate,received,taken,left,latency,port"
    fates = [line.split(",")[1] for line in lines[1:]]
    assert len(fates) == packets["received"]
    for fate in ("forwarded", "dropped", "consumed"):
        assert fates.count(fate) == packets[fate]
    spans = (folder / "r.spans.csv").read_text().splitlines()
    assert spans[0] == "engine,context,begin,cycles,state,pc,wait"
    assert any("sram[read]" in line for line in spans)


def test_a_journey_has_the_instructions_and_the_bytes(folder: Path) -> None:
    simulate(folder, f"--html={folder}/a.html")
    number = data_of(folder / "a.html")["listed_packets"][0]["number"]
    simulate(folder, f"--trace-packet={number}", f"--journey={folder}/j.json")
    events = json.loads((folder / "j.json").read_text())
    instructions = [event for event in events if "text" in event]
    assert len(instructions) > 50
    assert any("l3_switch.baker" in event["location"] for event in instructions)
    (sent,) = (event["bytes"] for event in events if "bytes" in event)
    assert len(sent) >= 60 and all(0 <= byte < 256 for byte in sent)
    reads = [e for e in events if "dram[read]" in e.get("what", "")]
    # The command and the instruction that issues it are in the same context.
    holder = {(e["engine"], e["context"]) for e in instructions}
    assert any((e["engine"], e["context"]) in holder for e in reads)


def test_a_journey_needs_a_packet(folder: Path) -> None:
    printed = output_of(
        "ixpsim", folder / "l3.ixp", f"--trace={folder}/t.pcap",
        f"--journey={folder}/x.json", status=2,
    )  # fmt: skip
    assert "--trace-packet" in printed


def export(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "baker_explorer", *arguments],
        cwd=folder,
        env=tool_environment(),
        capture_output=True,
        text=True,
    )


def test_the_export_is_the_page_of_the_commands_that_it_prints(folder: Path) -> None:
    done = export(
        folder, "l3-switch/l3_switch.baker", "--trace=t.pcap", "--control=t.control",
        "--export=out.html",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    compiled, simulated = done.stdout.splitlines()
    assert compiled.startswith("bakerc ") and simulated.startswith("ixpsim ")
    exported = data_of(folder / "out.html")
    subprocess.run(
        done.stdout, shell=True, check=True, cwd=folder, env=tool_environment()
    )
    again = data_of(folder / "run.html")
    exported.pop("command"), again.pop("command")
    assert exported == again


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["../x.baker"], "E-explorer-001"),
        (["none.baker"], "E-explorer-002"),
        (["l3-switch/l3_switch.baker", "--export=x.html"], "E-explorer-007"),
        (["l3-switch/l3_switch.baker", "--port=70000"], "E-explorer-006"),
    ],
)
def test_wrong_inputs(folder: Path, arguments: list[str], error: str) -> None:
    done = export(folder, *arguments)
    assert done.returncode == 1 and error in done.stderr
    assert not (folder / "x.html").exists()


def test_a_program_with_an_error_is_not_exported(folder: Path) -> None:
    (folder / "bad.baker").write_text("module m {\n")
    done = export(folder, "bad.baker", "--trace=t.pcap", "--export=x.html")
    assert done.returncode == 1 and "E-baker-" in done.stderr
    assert not (folder / "x.html").exists()


def test_settings_become_a_command_line() -> None:
    settings = Settings(
        ("a b.baker",), "t.pcap", "c", "pac", 3, 100, 1.5, ("sram.latency=120",)
    )
    assert settings.commands().splitlines() == [
        "bakerc 'a b.baker' --level=pac --profile-trace=t.pcap --control=c --mes=3 "
        "-o run.ixp",
        "ixpsim run.ixp --trace=t.pcap --control=c --packets=100 --rate=1.5 "
        "--set=sram.latency=120 --html=run.html",
    ]

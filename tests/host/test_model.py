"""Bursts, sub-batches and cuts that the model of rates chooses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from testkit.applications import SOURCES
from testkit.captures import write_pcap
from testkit.runs import run_on_x86
from testkit.tools import read_json, requires, run
from testkit.workloads import Workload, make_workload

pytestmark = requires("bakerc")

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
#: A table of 4 MiB with look-ups that depend on each other.
LOOK_UPS = """
protocol words { w : 32[15]; demux { 60 }; }
module m {
  u32 chain[1048576];
  u32 small[64];
  ppf f { in words_pkt * in_cc; out words_pkt * out_cc; }
  wiring { rx -> f.in_cc; f.out_cc -> tx; }
  control int set(u32 index, u32 value) {
    chain[index & 1048575] = value;
    small[index & 63] = value;
    return 0;
  }
}
m.f.ppf(words_pkt * ph) {
  u32 a = chain[ph->w[4] & 1048575];
  u32 b = chain[(ph->w[5] ^ a) & 1048575];
  ph->w[6] = b + small[ph->w[7] & 63];
  ph->metadata.tx.port = 1;
  channel_put(out_cc, ph);
}
"""


def machine(miss_ns: float, cut_ns: float = 4) -> dict[str, Any]:
    """A machine whose misses and cuts cost what is asked."""
    return {
        "schema": 1,
        "processor": f"a machine of {miss_ns} ns",
        "window_instructions": 320,
        "instruction_ns": 0.1,
        "misprediction_ns": 4,
        "memory": [
            {"bytes": 32768, "latency_ns": 1, "parallel_ns": 1},
            {"bytes": 262144, "latency_ns": 1 + miss_ns, "parallel_ns": 2},
        ],
        "burst_ns": [{"packets": 1, "ns": 40}, {"packets": 32, "ns": 20}],
        "cut_ns": [{"packets": 2, "ns": 2 * cut_ns}, {"packets": 32, "ns": cut_ns}],
    }


def write_machine(path: Path, **figures: float) -> Path:
    path.write_text(json.dumps(machine(**figures)))
    return path


@pytest.fixture
def look_ups(tmp_path: Path) -> tuple[Path, Workload]:
    source = tmp_path / "look_ups.baker"
    source.write_text(LOOK_UPS)
    load = Workload(tmp_path / "t.pcap", tmp_path / "t.control", "m")
    load.control.write_text("".join(f"set({i * 977}, {i * 31})\n" for i in range(50)))
    # A multiplicative generator: each frame other indices.
    frames, x = [], 1
    for _ in range(6000):
        words = []
        for _ in range(15):
            x = x * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
            words.append((x >> 32).to_bytes(4, "big"))
        frames.append(b"".join(words))
    write_pcap(load.trace, frames)
    return source, load


def chosen(said: str) -> tuple[int, int]:
    found = re.search(
        r"the model chooses bursts of (\d+)(?:, packet by packet| in stages of (\d+))",
        said,
    )
    assert found, said
    return int(found[1]), int(found[2] or 1)


AUTO = ("--fast", "--burst=auto", "--sub-batch=auto", "--explain=batching")


def test_misses_get_stages_and_hits_none(
    look_ups: tuple[Path, Workload], tmp_path: Path
) -> None:
    source, load = look_ups
    said = {}
    for miss_ns in (0.5, 150):
        file = write_machine(tmp_path / f"{miss_ns}.json", miss_ns=miss_ns)
        run_options = ("--run", *load.inputs(), *AUTO, f"--machine={file}")
        said[miss_ns] = run("bakerc", source, *run_options).stderr
    assert chosen(said[0.5]) == (32, 1)
    assert "no stages: no load is worth waiting for" in said[0.5]
    burst, sub_batch = chosen(said[150])
    assert 8 <= sub_batch <= burst
    assert re.search(r"@m\.chain: packets wait [0-9.]+ ns .*: cut\n", said[150])
    assert "@m.small" not in said[150]
    assert "packet by packet would take" in said[150]
    assert "packets wait at the load of @m.chain, stage 1" in said[150]
    rows = re.findall(r"^ +(\d+)((?: +[0-9.]+)+)$", said[150], re.MULTILINE)
    assert [int(row[0]) for row in rows[-9:]] == list(SIZES)
    assert [len(row[1].split()) for row in rows[-9:]] == list(range(1, 10))


def test_frames_and_choice_stay_the_same(
    look_ups: tuple[Path, Workload], tmp_path: Path
) -> None:
    source, load = look_ups
    file = write_machine(tmp_path / "m.json", miss_ns=150)
    outs, choices = [], []
    for name, options in (
        ("one", ("--fast", "--burst=1")),
        ("model", (*AUTO, f"--machine={file}")),
        ("again", (*AUTO, f"--machine={file}")),
    ):
        folder = tmp_path / name
        folder.mkdir()
        out, _ = run_on_x86(source, load, folder, *options)
        outs.append(out.read_bytes())
        choices.append(run("bakerc", source, "--run", *load.inputs(), *options).stderr)
    assert outs[0] == outs[1] == outs[2]
    assert choices[1] == choices[2]


def test_what_is_asked_for_is_kept(
    look_ups: tuple[Path, Workload], tmp_path: Path
) -> None:
    source, load = look_ups
    file = write_machine(tmp_path / "m.json", miss_ns=150)

    def choice(*options: str) -> tuple[int, int]:
        said = run(
            "bakerc",
            source,
            "--run",
            *load.inputs(),
            "--fast",
            f"--machine={file}",
            "--explain=batching",
            *options,
        ).stderr
        return chosen(said)

    assert choice("--burst=8", "--sub-batch=auto") == (8, 1)
    assert choice("--burst=64", "--sub-batch=auto") == (64, 64)
    assert choice("--burst=auto", "--sub-batch=48") == (48, 48)
    assert choice("--burst=auto", "--sub-batch=1") == (32, 1)
    # Without the cut that gains nothing is left to wait for.
    few = choice("--burst=auto", "--sub-batch=auto", "--cuts=m.small")
    assert few[1] == 1


def test_small_tables_of_an_application_run_packet_by_packet(tmp_path: Path) -> None:
    load = make_workload(
        "l3-switch", tmp_path, "--seed=2", "--packets=2000", "--routes=500"
    )
    file = write_machine(tmp_path / "m.json", miss_ns=2)
    said = run(
        "bakerc",
        SOURCES["l3-switch"],
        "--run",
        *load.inputs(),
        *AUTO,
        f"--machine={file}",
    ).stderr
    assert chosen(said)[1] == 1


def test_a_sweep_measures_the_grid(
    look_ups: tuple[Path, Workload], tmp_path: Path
) -> None:
    source, load = look_ups
    file = write_machine(tmp_path / "m.json", miss_ns=150)
    sweep = tmp_path / "sweep.json"
    options = (*AUTO, f"--machine={file}", f"--sweep={sweep}", "--packets=300")
    run("bakerc", source, "--run", *load.inputs(), *options)
    found = read_json(sweep)
    points = found["points"]
    pairs = [(point["burst"], point["sub_batch"]) for point in points]
    assert pairs == [(burst, sub) for burst in SIZES for sub in SIZES if sub <= burst]
    assert all(point["measured_mpps"] > 0 for point in points)
    assert found["cuts"] == ["m.chain"]
    assert found["machine"] == "a machine of 150 ns"
    best = max(point["model_mpps"] for point in points)
    of = found["chosen"]
    model = points[pairs.index((of["burst"], of["sub_batch"]))]["model_mpps"]
    assert model >= best / 1.011


def test_calibration_writes_a_machine_that_can_be_used(
    look_ups: tuple[Path, Workload], tmp_path: Path
) -> None:
    source, load = look_ups
    file = tmp_path / "folder" / "m.json"
    said = run("bakerc", "--calibrate", f"--machine={file}").stdout
    assert str(file) in said
    figures = read_json(file)
    assert figures["instruction_ns"] > 0
    assert [point["packets"] for point in figures["burst_ns"]] == list(SIZES)
    assert [point["packets"] for point in figures["cut_ns"]] == list(SIZES)
    run("bakerc", source, "--run", *load.inputs(), *AUTO, f"--machine={file}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "do not exist; measure them with 'bakerc --calibrate'"),
        ("{", "it is not JSON"),
        ("{}", "'schema' is missing"),
        (json.dumps({**machine(1), "memory": []}), "'memory' must be a list"),
        (json.dumps({**machine(1), "burst_ns": 3}), "'burst_ns' must be a list"),
    ],
)
def test_a_machine_file_that_is_wrong(
    look_ups: tuple[Path, Workload], tmp_path: Path, text: str | None, message: str
) -> None:
    source, load = look_ups
    file = tmp_path / "m.json"
    if text is not None:
        file.write_text(text)
    options = ("--run", *load.inputs(), *AUTO, f"--machine={file}")
    said = run("bakerc", source, *options, status=1).stderr
    assert f"{file}: error: " in said
    assert message in said


def test_options_that_do_not_fit_are_errors(
    look_ups: tuple[Path, Workload], tmp_path: Path
) -> None:
    source, load = look_ups
    fast = ("--run", *load.inputs(), "--fast")
    file = write_machine(tmp_path / "m.json", miss_ns=1)
    for options, status, message in (
        ((source, "--calibrate"), 2, "--calibrate takes no FILE"),
        ((), 2, "FILE is required"),
        ((source, *fast, f"--machine={file}"), 2, "--machine needs a value auto"),
        ((source, *fast, "--burst=some"), 2, "--burst"),
        ((source, *fast, "--burst=0"), 2, "--burst"),
        (
            (source, *fast, "--sub-batch=4", "--cuts=m.chian"),
            1,
            "the program has no global 'm.chian'; is 'm.chain' meant?",
        ),
        (
            (source, *fast, "--sub-batch=auto", "--specialize"),
            2,
            "--specialize makes no code for --sub-batch",
        ),
    ):
        assert message in run("bakerc", *options, status=status).stderr

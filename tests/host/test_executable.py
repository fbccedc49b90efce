"""`bakerc --target=x86 --emit=exe`: the executable sends the frames of `bakerc --run`,
whose own agree with the simulator's and with the oracles."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from npftrace.frames.capture import Frame, write_capture
from npftrace.runs.packet_file import read_test
from npftrace.runs.packet_tests import run_test
from testkit.applications import SOURCES
from testkit.captures import write_pcap
from testkit.paths import BUILD, ROOT
from testkit.runs import run_on_x86
from testkit.tools import read_json, requires, run, run_command
from testkit.workloads import PORTS, Workload, exceptional_workload

pytestmark = requires("bakerc")
STAGES = ("--sub-batch=33", "--burst=77", "--cut-seed=5")


def make(source: Path, made: Path, *options: str) -> Path:
    run("bakerc", "--target=x86", "--emit=exe", source, "-o", made, *options)
    return made


@pytest.mark.parametrize("app", SOURCES)
def test_the_executable_agrees_with_a_run(app: str, tmp_path: Path) -> None:
    load = exceptional_workload(app, tmp_path, 2000)
    expected, stats = run_on_x86(SOURCES[app], load, tmp_path)
    made = make(SOURCES[app], tmp_path / "app", *STAGES)
    for batch in ("--batch=1", "--batch=17,4", "--packets=2000"):
        out, counts = tmp_path / "out.pcapng", tmp_path / "counts.json"
        done = run_command(
            made, load.trace, f"--control={load.control}", f"--out={out}",
            f"--stats={counts}", batch,
        )  # fmt: skip
        assert out.read_bytes() == expected.read_bytes(), batch
        found = read_json(counts)
        for key in ("program", "packets", "drops", "control"):
            assert found[key] == stats[key], (batch, key)
        assert f"{stats['packets']['received']} received" in done.stdout


def test_timers_and_their_packets(tmp_path: Path) -> None:
    source = ROOT / "apps/examples/neighbours/neighbours.baker"
    control, trace = tmp_path / "c.control", tmp_path / "t.pcapng"
    control.write_text(
        "use(0, 1, 02:00:00:00:00:01)\nuse(1, 2, 02:00:00:00:00:02)\n"
        "@end neighbour(1)\n@end deaths_seen()\n"
    )
    header = bytes.fromhex("01005e900001020000000009")
    hello = header + b"\x88\xb5" + bytes([0, 0, 0, 7]) + bytes(42)
    data = header + b"\x08\x00" + bytes(46)
    # Many frames between two hellos, none for a while, and silence of port 1.
    times = [*range(0, 25000, 500), 61000, *range(61500, 70000, 700)]
    frames = [
        Frame(at * 1000, n % 2, hello if at in (500, 21500) else data)
        for n, at in enumerate(times)
    ]
    write_capture(trace, frames, PORTS)
    expected, stats = run_on_x86(source, Workload(trace, control), tmp_path)
    made = make(source, tmp_path / "app")
    assert stats["control"]["timers"][0]["calls"] == 6
    for batch in ("--batch=1", "--batch=17"):
        out, counts = tmp_path / "out.pcapng", tmp_path / "counts.json"
        run_command(
            made, trace, f"--control={control}", f"--out={out}", f"--stats={counts}",
            batch,
        )  # fmt: skip
        assert out.read_bytes() == expected.read_bytes(), batch
        found = read_json(counts)
        for key in ("packets", "drops", "control"):
            assert found[key] == stats[key], (batch, key)


# Tables of every kind and calls between packets; batches; entries that are read.
@pytest.mark.parametrize("name", ["tables", "multicast", "ports"])
def test_packet_tests_hold(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(BUILD / "bin"), prepend=":")
    test = read_test(ROOT / f"tests/packets/language/{name}.packets")
    assert run_test(test, "exe", tmp_path) == []


PROGRAM = """
protocol ether { dst : 48; src : 48; type : 16; demux { 14 }; }
module m {
  const u32 FULL = 3;
  u32 sum;
  control int add(u8 value) {
    if (value == FULL) { return FULL; }
    sum += value;
    return 0;
  }
  control u32 total() { return sum; }
  ppf p { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> p.in_cc; p.out_cc -> tx; }
}
m.p.ppf(ether_pkt * ph) {
  if (ph->type == 0xdead) {
    for (u32 i = 0; i < 5000; i++) {
      ether_pkt * copy = packet_copy(ph);
      channel_put(out_cc, copy);
    }
  }
  channel_put(out_cc, ph);
}
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An executable, with traces good.pcap and bad.pcap beside it."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.baker").write_text(PROGRAM)
    write_pcap(folder / "good.pcap", [bytes(60)] * 5)
    bad = bytes(12) + b"\xde\xad" + bytes(46)
    write_pcap(folder / "bad.pcap", [bytes(60)] * 3 + [bad])
    return make(folder / "small.baker", folder / "small")


def test_calls_are_made_and_refused(small: Path, tmp_path: Path) -> None:
    control = tmp_path / "c.control"
    control.write_text("add(1)\n@packet 2 add(3)\n@packet 4 add(4)\n@end total()\n")
    trace = small.with_name("good.pcap")
    refused = run_command(small, trace, f"--control={control}", status=1)
    assert (
        f"{control}:2: error: 'm.add' refused the call: it returned 3 [E-host-002]"
        in (refused.stderr)
    )
    assert refused.stdout == ""
    stats = tmp_path / "s.json"
    gone_on = run_command(
        small, trace, f"--control={control}", f"--stats={stats}", "--keep-going",
        status=1,
    )  # fmt: skip
    assert "E-host-002" in gone_on.stderr
    assert "total() = 5" in gone_on.stdout
    assert read_json(stats)["control"]["values"] == [
        {"line": 4, "call": "total()", "value": 5}
    ]


@pytest.mark.parametrize(
    ("call", "error"),
    [("add(256)", "E-traces-025"), ("sub(1)", "E-traces-023"),
     ("@cycle 5 add(1)", "E-host-003")],
)  # fmt: skip
def test_calls_that_do_not_fit_are_errors(
    call: str, error: str, small: Path, tmp_path: Path
) -> None:
    control = tmp_path / "c.control"
    control.write_text(f"{call}\n")
    trace = small.with_name("good.pcap")
    done = run_command(small, trace, f"--control={control}", status=1)
    assert error in done.stderr
    assert f"{control}:1" in done.stderr


def test_a_fault_names_the_packet(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "o.pcapng"
    done = run_command(small, small.with_name("bad.pcap"), f"--out={out}", status=1)
    assert "packet 3: packet_copy finds no free buffer [E-host-004]" in done.stderr
    assert not out.exists()


def test_wrong_command_lines_and_files(small: Path, tmp_path: Path) -> None:
    trace = small.with_name("good.pcap")
    for options, message in (
        ([], "TRACE is required"),
        ([trace, "--batch=0"], "B is 1 to 256"),
        ([trace, "--batch=4,5"], "b is 1 to B"),
        ([trace, "--batch=4,x"], "not B or B,b: 4,x"),
        ([trace, "--batch=8,8"], "compiled without stages: bakerc --sub-batch=8"),
        ([trace, "--out="], "has an empty value"),
    ):
        done = run_command(small, *options, status=2)
        assert message in done.stderr
        assert done.stderr.startswith("small: error: ")
    missing = run_command(small, tmp_path / "none.pcap", status=1)
    assert "E-traces-001" in missing.stderr
    unwritable = tmp_path / "none/out.pcap"
    done = run_command(small, trace, f"--out={unwritable}", status=1)
    assert "E-traces-008" in done.stderr


def test_the_help_lists_options_and_control_functions(small: Path) -> None:
    text = run_command(small, "--help").stdout
    assert "Runs the packet program small over a capture." in text
    for shown in ("--out", "--control", "--batch", "m.add(u8 value)", "m.total()"):
        assert shown in text
    assert "small (Karakal)" in run_command(small, "--version").stdout


def compile_with(
    environment: dict[str, str], source: Path, made: Path
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BUILD / "bin/bakerc", "--target=x86", "--emit=exe", source, "-o", made],
        env=environment, capture_output=True, text=True,
    )  # fmt: skip


def test_without_a_c_compiler_the_error_names_packages(
    small: Path, tmp_path: Path
) -> None:
    source, made = small.with_suffix(".baker"), tmp_path / "small"
    rest = {name: value for name, value in os.environ.items() if name != "CC"}
    for environment, id, message in (
        ({**rest, "PATH": str(tmp_path)}, "E-driver-046", "packages gcc and libc6-dev"),
        ({**rest, "CC": "no-such-cc"}, "E-driver-046", "'no-such-cc'"),
        ({**rest, "CC": "false"}, "E-driver-047", "cannot link the program"),
    ):
        done = compile_with(environment, source, made)
        assert done.returncode == 1
        assert id in done.stderr
        assert message in done.stderr
        assert list(tmp_path.iterdir()) == []


def test_clang_links_too(small: Path, tmp_path: Path) -> None:
    made = tmp_path / "small"
    environment = {**os.environ, "CC": "clang-19"}
    done = compile_with(environment, small.with_suffix(".baker"), made)
    assert done.returncode == 0, done.stderr
    assert "5 received" in run_command(made, small.with_name("good.pcap")).stdout


def test_options_that_do_not_fit_are_errors() -> None:
    source = SOURCES["mpls"]
    for options, message in (
        (["--emit=exe"], "--emit=obj, header and exe need --target=x86"),
        (["--target=x86", "--emit=exe", "-o", "-"], "--emit=exe writes a file"),
        (["--target=x86", "--sub-batch=auto"], "auto needs --run"),
    ):
        assert message in run("bakerc", source, *options, status=2).stderr

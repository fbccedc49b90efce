"""What ixpsim shows of a packet, a breakpoint, a profile and a long run: a wrong
packet is explained from the program's own lines and names."""

from __future__ import annotations

import gzip
import json
import re
import struct
from pathlib import Path
from typing import Any

import pytest

from testkit.applications import LEVELS
from testkit.captures import write_pcap
from testkit.tools import output_of, read_json, requires, run

pytestmark = requires("bakerc", "ixpsim")

SOURCE = Path(__file__).parent / "Inputs/inside.baker"
LINES = SOURCE.read_text().splitlines()
COUNT = 400
LOCAL_FLAGS = ("-Wno-unlocked-update", "-Wno-unused-variable")
TWICE = "    u32 result = n * 2;"


def line_of(text: str) -> int:
    (number,) = [n for n, line in enumerate(LINES, 1) if text in line]
    return number


DROP = line_of("packet_drop(ph, odd_type)")
CRITICAL = line_of("critical (guard)")
PUT = line_of("channel_put(out_cc, ph)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("inside")
    frames = [
        struct.pack(">HIHIH", 2, number, 2, number, number).ljust(60, b"\xaa")
        for number in range(COUNT)
    ]
    write_pcap(path / "in.pcap", frames)
    mapping = path / "mapping.txt"
    mapping.write_text("aggregate all 1\n  m.sort\n")
    for level in ("o1", "swc"):
        run(
            "bakerc", SOURCE, f"--level={level}", f"--mapping={mapping}",
            f"--profile-trace={path}/in.pcap", "-o", path / f"{level}.ixp",
        )  # fmt: skip
    return path


def simulate(folder: Path, *arguments: str, level: str = "swc", status: int = 0) -> str:
    return output_of(
        "ixpsim", folder / f"{level}.ixp", f"--trace={folder}/in.pcap", *arguments,
        status=status,
    )  # fmt: skip


@pytest.mark.parametrize("level", ["o1", "swc"])
def test_a_drop_has_its_reason_and_its_line(folder: Path, level: str) -> None:
    said = simulate(folder, "--trace-packet=33", "--quiet", level=level)
    (drop,) = [line for line in said.splitlines() if "drops it" in line]
    assert "drops it: odd_type" in drop
    assert re.search(r"engine 1 context \d PC \d+.* drops it", drop)
    assert drop.endswith(f", after inside.baker:{DROP}")
    assert "frees the buffer" in said
    assert "has left port" not in said
    said = simulate(
        folder,
        "--trace-packet=33",
        "--quiet",
        f"--sources={SOURCE.parent}",
        level=level,
    )
    assert f"| {LINES[DROP - 1].strip()}\n" in said


@pytest.mark.parametrize("level", ["o1", "swc"])
def test_a_packet_is_followed_through_the_lines_that_run(
    folder: Path, level: str
) -> None:
    said = simulate(folder, "--trace-packet=32", "--quiet", level=level)
    runs = [line for line in said.splitlines() if " runs " in line]
    assert runs, said
    numbers = {
        int(n)
        for n in re.findall(
            r"\b(\d+)\b", " ".join(line.split(" runs ")[1] for line in runs)
        )
    }
    assert CRITICAL + 1 in numbers, said
    assert DROP not in numbers
    assert re.search(r"PC \d+ \(\S+\) puts it on ring 1 \(tx\)", said)
    assert "has left port" in said
    assert "drops it" not in said


def test_sources_lie_elsewhere(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "inside.baker").write_text(
        SOURCE.read_text().replace("// the reason", "// moved here")
    )
    said = simulate(folder, "--trace-packet=33", "--quiet", f"--sources={tmp_path}")
    assert "// moved here" in said
    simulate(folder, "--trace-packet=33", "--sources=/none", status=2)


def test_a_breakpoint_shows_packet_and_globals(folder: Path) -> None:
    said = simulate(
        folder, f"--break=inside.baker:{PUT}", "--trace-packet=34",
        f"--sources={SOURCE.parent}", level="o1",
    )  # fmt: skip
    assert f"\n  {LINES[PUT - 1].strip()}\n" in said
    assert re.search(r"^packet 34: head 128, length 60, rx.port \d", said, re.M)
    # The frame: destination, source, number.
    assert "0: 00 02 00 00 00 22 00 02 00 00 00 22 00 22 aa aa" in said
    seen = re.search(r"^  m\.seen +\S.* (\S+) 0x[0-9a-f]+ +(\d+) \(0x", said, re.M)
    assert seen, said
    # About half of the packets before this one were counted.
    assert 10 <= int(seen[2]) <= 30
    assert re.search(r"^  m\.by_port +\S.* \S+ 0x[0-9a-f]+ +0x", said, re.M)
    assert "lm_addr0" in said


#: At LOCALS_END all but `negative` are used again, or are constants.
LOCALS = """\
protocol ether { dst : 48; src : 48; type : 16; demux { 14 }; }
module m {
  u32 total;
  ppf p { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> p.in_cc; p.out_cc -> tx; }
  struct pair { s16 first; u64 second; }
  u32 twice(u32 n) {
    u32 result = n * 2;
    total = result;
    return result;
  }
}
m.p.ppf(ether_pkt * ph) {
  u32 low = (u32)ph->dst;
  u64 wide = (u64)ph->src << 20;
  s8 negative = (s8)ph->type;
  u32 a[2] = { low + 1, 7 };
  pair both = { 3 - 5, wide + 1 };
  u32 sum = 0;
  for (u32 i = 0; i < 3; i++) {
    sum = sum + twice(low + i) + a[i & 1];
    total = total + i;
  }
  if (sum > 40)
    wide = wide + 1;
  trace("low={} wide={} a[0]={} a[1]={} both.second={} sum={}",
        low, wide, a[0], a[1], both.second, sum);
  total = total + sum;
  ph->src = (u48)wide + low + a[0] + (u48)both.second + (u8)negative;
  ph->metadata.tx.port = ph->metadata.rx.port;
  channel_put(out_cc, ph);
}
"""
LOCALS_END = LOCALS.splitlines().index("  total = total + sum;") + 1


def locals_of(said: str) -> dict[str, tuple[str, str, str]]:
    """Type, place and value of each variable that a breakpoint shows."""
    part = said.partition("\nlocals\n")[2].partition("\npacket")[0]
    rows = [line.split(maxsplit=3) for line in part.splitlines()]
    return {name: (type_, place, value) for name, type_, place, value in rows}


@pytest.fixture(scope="module")
def with_locals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("locals")
    (path / "v.baker").write_text(LOCALS)
    frame = struct.pack(">HIHIH", 0x200, 5, 0x200, 9, 0xFE)
    write_pcap(path / "in.pcap", [frame.ljust(60, b"\xaa")])
    for level in LEVELS:
        command = ("bakerc", path / "v.baker", f"--level={level}", *LOCAL_FLAGS)
        run(*command, "-g", "-o", path / f"{level}.ixp")
        run(*command, "-o", path / f"{level}.plain.ixp")
    return path


def stopped(path: Path, image: str, line: int) -> dict[str, tuple[str, str, str]]:
    return locals_of(
        output_of(
            "ixpsim", path / f"{image}.ixp", f"--trace={path}/in.pcap", "--quiet",
            f"--break=v.baker:{line}",
        )
    )  # fmt: skip


def test_a_breakpoint_shows_local_variables(with_locals: Path) -> None:
    said = output_of(
        "bakerc", with_locals / "v.baker", "--run", "--print-traces",
        f"--trace={with_locals}/in.pcap", *LOCAL_FLAGS,
    )  # fmt: skip
    traced = dict(re.findall(r"(\S+)=(\d+)", said))
    assert len(traced) == 6, said
    shown = stopped(with_locals, "base", LOCALS_END)
    assert {name: shown[name][2].split()[0] for name in traced} == traced
    assert shown["negative"][2] in ("-2 (0xfe)", "not kept here")
    assert shown["both.first"] == ("s16", "0xfffe", "-2 (0xfffe)")
    assert "n" not in shown and "result" not in shown


@pytest.mark.parametrize("level", LEVELS)
def test_what_is_shown_is_right_at_every_level(with_locals: Path, level: str) -> None:
    right = stopped(with_locals, "base", LOCALS_END)
    shown = stopped(with_locals, level, LOCALS_END)
    kept = {name: each for name, each in shown.items() if each[1] != "nowhere"}
    assert kept, shown
    for name, (type_, _, value) in kept.items():
        if right[name][1] != "nowhere":
            assert (type_, value) == (right[name][0], right[name][2]), name
    first = stopped(with_locals, level, LOCALS.splitlines().index(TWICE) + 1)
    assert set(first) == {"n", "result"}
    assert first["n"][1] == "nowhere" or first["n"][2] == "5 (0x5)"


@pytest.mark.parametrize("level", LEVELS)
def test_variables_cost_no_word(with_locals: Path, level: str) -> None:
    kept, plain = (
        output_of("ixp-dis", with_locals / f"{level}{form}.ixp")
        for form in ("", ".plain")
    )
    assert kept == plain


def test_an_image_without_variables_says_so(with_locals: Path) -> None:
    said = output_of(
        "ixpsim", with_locals / "base.plain.ixp", f"--trace={with_locals}/in.pcap",
        "--quiet", f"--break=v.baker:{LOCALS_END}",
    )  # fmt: skip
    assert "\nlocals: not kept; compile the program with bakerc -g\n" in said
    said = output_of(
        "ixpsim", with_locals / "base.ixp", f"--trace={with_locals}/in.pcap",
        "--quiet", "--break=rx:3",
    )  # fmt: skip
    assert "\nlocals: none; this is code of the runtime\n" in said


def test_a_breakpoint_without_a_packet_says_so(folder: Path) -> None:
    said = simulate(folder, "--break=0")
    assert "packet: none" in said
    said = simulate(folder, f"--break=inside.baker:{DROP}", "--trace-packet=32")
    assert "400 received" in said, "a packet that never comes there stops nothing"


def test_the_profile_is_a_table_and_on_demand_json(folder: Path) -> None:
    said = simulate(folder, "--profile")
    assert re.search(r"^app \S+, engines 1: \d+ busy cycles$", said, re.M), said
    lines = re.findall(r"^ *([\d.]+)% +\d+ .*?(\S+\.baker:\d+)", said, re.M)
    assert lines and float(lines[0][0]) > 1
    shares = [float(share) for share, _ in lines]
    assert shares == sorted(shares, reverse=True)
    assert re.search(r"^ +[\d.]+% +\d+ +(?:[\d.]+ +)?\d+  \w+\[", said, re.M)
    file = folder / "p.json"
    simulate(folder, f"--profile={file}", "--quiet")
    (code,) = [
        code for code in read_json(file)["microcode"].values() if code["role"] == "app"
    ]
    assert code["instructions"] and code["lines"]
    assert file.with_name("p.json.folded").exists()


def test_a_breakpoint_names_types_and_metadata(folder: Path) -> None:
    said = simulate(
        folder, f"--break=inside.baker:{PUT}", "--trace-packet=34", level="o1"
    )
    assert re.search(r"^  \S*mark +7 \(0x7\)$", said, re.M), said
    assert re.search(r"^  m\.seen +u32 +\S+ 0x[0-9a-f]+ +\d+ \(0x", said, re.M), said
    assert re.search(r"^  m\.by_port +u32\[4\] +\S+ 0x[0-9a-f]+ +0x", said, re.M)


def test_the_profile_says_where_contexts_wait_for_locks(folder: Path) -> None:
    said = simulate(folder, "--profile")
    wait = re.search(r"waits for a lock: (\d+) cycles in (\d+) waits at (\S+)", said)
    assert wait and wait[3].endswith(f"inside.baker:{CRITICAL}"), said
    file = folder / "p.json"
    simulate(folder, f"--profile={file}", "--quiet")
    (code,) = [
        code for code in read_json(file)["microcode"].values() if code["role"] == "app"
    ]
    (lock,) = code["locks"]
    assert lock["waited"] == int(wait[1]) and lock["waits"] == int(wait[2])


def test_waiting_for_a_lock_is_a_row_of_the_summary(folder: Path) -> None:
    stats = folder / "s.json"
    said = simulate(folder, f"--stats={stats}")
    share = re.search(r"^locks +([\d.]+)% .* waiting at (\S+)$", said, re.M)
    assert share and share[2].endswith(f"inside.baker:{CRITICAL}"), said
    found: dict[str, Any] = read_json(stats)
    assert found["locks"]["places"] == [share[2]]
    waited = sum(each["lock_wait_cycles"] for each in found["microengines"])
    cycles = found["measured"]["cycles"]
    assert found["locks"]["wait_share"] == pytest.approx(waited / (8 * cycles))
    assert f"{100 * found['locks']['wait_share']:.1f}" == share[1]


def test_a_lock_has_a_line_where_it_is_polled(folder: Path) -> None:
    """The functions of the runtime that wait for locks are in the line table."""
    file = folder / "p.json"
    simulate(folder, f"--profile={file}", "--quiet")
    places = {
        row["location"].rpartition(":")[0]
        for code in read_json(file)["microcode"].values()
        for row in code["instructions"]
    }
    assert places & {"locks.ll", "services.ll"}


def events_of(file: Path) -> list[dict[str, Any]]:
    raw = file.read_bytes()
    if file.suffix == ".gz":
        raw = gzip.decompress(raw)
    events: list[dict[str, Any]] = json.loads(raw)["traceEvents"]
    return events


def test_a_timeline_is_compressed_and_has_a_window(folder: Path) -> None:
    whole, packed = folder / "t.json", folder / "t.json.gz"
    simulate(folder, f"--timeline={whole}", "--quiet")
    simulate(folder, f"--timeline={packed}", "--quiet")
    assert gzip.decompress(packed.read_bytes()) == whole.read_bytes()
    assert packed.stat().st_size * 10 < whole.stat().st_size
    first = packed.read_bytes()
    simulate(folder, f"--timeline={packed}", "--quiet")
    assert packed.read_bytes() == first

    clock = 600.0  # cycles a microsecond
    times = sorted(e["ts"] for e in events_of(whole) if e["ph"] == "b")
    middle = int(times[len(times) // 2] * clock)
    window = folder / "w.json"
    simulate(
        folder, f"--timeline={window}", f"--timeline-window={middle}:{middle + 5000}",
        "--quiet",
    )  # fmt: skip
    events = [e for e in events_of(window) if "ts" in e]
    assert 100 < len(events) < len(events_of(whole)) / 3
    for event in events:
        begin, end = event["ts"], event["ts"] + event.get("dur", 0)
        assert end * clock >= middle - 1 and begin * clock <= middle + 5001
    # A packet that was inside when the window began is in it.
    begun = [e for e in events if e["ph"] == "b"]
    assert begun

    # Counters are those of the whole run.
    def levels(events: list[dict[str, Any]]) -> set[tuple[float, str, int]]:
        return {
            (e["ts"], e["name"], e["args"]["commands"])
            for e in events
            if e["ph"] == "C" and e["ts"] * clock > middle + 1
        }

    assert levels(events) <= levels(events_of(whole))


@pytest.mark.parametrize("window", ["", "5", "7:7", "9:3", "-1:5", "1:2x", "a:b"])
def test_a_wrong_window_is_refused(folder: Path, window: str) -> None:
    said = simulate(
        folder, f"--timeline={folder}/x.json", f"--timeline-window={window}", status=2
    )
    assert "FROM:TO" in said or "timeline-window" in said


def test_help_names_the_profile_as_it_is_typed() -> None:
    said = output_of("ixpsim", "--help")
    assert "--profile[=FILE]" in said
    assert "{" not in said.split("--profile", 1)[1].split("--sources")[0]

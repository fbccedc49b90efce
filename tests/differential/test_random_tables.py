"""Random tables find what a model of them finds, on x86 and on the simulator."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from differential.table_cases import LENGTH, TableCase, random_case
from testkit.captures import read_pcapng, write_pcap
from testkit.tools import output_of, read_json, requires, run

pytestmark = requires("bakerc", "ixpsim")
#: Cases at whose end an entry of a hash table, tuples or prefixes is compared first.
HOT_SEEDS = (451, 453, 454)
QUIET = ("-Wno-unused-variable",)


def write(case: TableCase, folder: Path, timed: bool = True) -> tuple[Path, list[str]]:
    source, control, trace = (
        folder / name for name in ("t.baker", "t.control", "t.pcap")
    )
    source.write_text(case.source())
    control.write_text(case.control(timed))
    write_pcap(trace, case.frames())
    return source, [f"--trace={trace}", f"--control={control}"]


def check(case: TableCase, out: Path, timed: bool = True) -> None:
    expected = Counter((1, frame) for frame in case.expected(timed))
    assert read_pcapng(out) == expected, case.source() + case.control(timed)


@pytest.mark.parametrize("seed", range(24))
def test_on_x86(seed: int, tmp_path: Path) -> None:
    case = random_case(seed)
    source, inputs = write(case, tmp_path)
    out = tmp_path / "out.pcapng"
    run("bakerc", source, "--run", *inputs, f"--out={out}", *QUIET)
    check(case, out)
    stages = ("--fast", "--sub-batch=13", f"--cut-seed={seed + 1}")
    run("bakerc", source, "--run", *stages, *inputs, f"--out={out}", *QUIET)
    check(case, out)


@pytest.mark.parametrize("seed", range(24, 48))
def test_specialized_at_every_step(seed: int, tmp_path: Path) -> None:
    """Code made for each state that the calls between packets leave."""
    case = random_case(seed, calls=10 if seed % 2 else 80)
    source, inputs = write(case, tmp_path)
    out = tmp_path / "out.pcapng"
    said = output_of(
        "bakerc",
        source,
        "--run",
        "--fast",
        "--specialize=at-once",
        *inputs,
        f"--out={out}",
        *QUIET,
    )
    assert re.search(r" [1-9]\d* builds, .* 0 out of date, 0 failed", said)
    check(case, out)


@pytest.mark.parametrize(
    ("seed", "level"),
    [
        (100, "base"),
        (101, "o2"),
        (102, "pac"),
        (103, "soar"),
        (104, "swc"),
        (105, "swc"),
    ],
)
def test_on_the_simulator(seed: int, level: str, tmp_path: Path) -> None:
    """Without calls between packets, which a packet in flight may miss."""
    case = random_case(seed)
    source, inputs = write(case, tmp_path, timed=False)
    image, out = tmp_path / "t.ixp", tmp_path / "out.pcapng"
    profile = (f"--profile-{inputs[0][2:]}", inputs[1]) if level == "swc" else ()
    run("bakerc", source, f"--level={level}", *profile, "-o", image, *QUIET)
    run("ixpsim", image, *inputs, f"--out={out}", "--quiet")
    check(case, out, timed=False)


def check_counters(case: TableCase, stats: Path, timed: bool) -> None:
    """What look-ups have written in the entries, as `dump` tells it."""
    _, states = case.outcome(timed)
    values = [v for v in read_json(stats)["control"]["values"] if "entries" in v]
    for table, value in zip(case.tables, values, strict=True):
        told = Counter(line.partition("  # ")[2] for line in value["entries"])
        assert told == Counter(
            table.told(entry, LENGTH) for entry in states[table.name].entries.values()
        ), case.source() + case.control(timed)


def dumps_at_end(case: TableCase, folder: Path) -> None:
    with (folder / "t.control").open("a") as control:
        control.writelines(f"@end {table.name}.dump()\n" for table in case.tables)


@pytest.mark.parametrize("seed", range(400, 412))
def test_counters_on_x86(seed: int, tmp_path: Path) -> None:
    case = random_case(seed, counters=True)
    source, inputs = write(case, tmp_path)
    dumps_at_end(case, tmp_path)
    out, stats = tmp_path / "out.pcapng", tmp_path / "s.json"
    files = (f"--out={out}", f"--stats={stats}")
    for mode in ((), ("--fast", "--specialize=at-once"), ("--fast", "--sub-batch=9")):
        run("bakerc", source, "--run", *mode, *inputs, *files, *QUIET)
        check(case, out)
        check_counters(case, stats, timed=True)


@pytest.mark.parametrize(
    ("seed", "level"), [(420, "base"), (421, "pac"), (422, "swc"), (423, "swc")]
)
def test_counters_on_the_simulator(seed: int, level: str, tmp_path: Path) -> None:
    case = random_case(seed, counters=True)
    source, inputs = write(case, tmp_path, timed=False)
    dumps_at_end(case, tmp_path)
    image, out, stats = (tmp_path / name for name in ("t.ixp", "o.pcapng", "s.json"))
    run("bakerc", source, f"--level={level}", "-o", image, *QUIET)
    run("ixpsim", image, *inputs, f"--out={out}", f"--stats={stats}", "--quiet")
    check(case, out, timed=False)
    check_counters(case, stats, timed=False)


@pytest.mark.parametrize("seed", HOT_SEEDS)
def test_hot_entries(seed: int, tmp_path: Path) -> None:
    """Most packets find one entry of each table, which calls change and remove."""
    case = random_case(seed, packets=360, calls=120, counters=True, skewed=True)
    source, inputs = write(case, tmp_path)
    dumps_at_end(case, tmp_path)
    out, stats = tmp_path / "out.pcapng", tmp_path / "s.json"
    for mode in ("--specialize=at-once", "--specialize"):
        said = output_of(
            *("bakerc", source, "--run", "--fast", "--burst=8", mode, "--observe=2,8"),
            *("--explain=specialization", *inputs, *QUIET),
            *(f"--out={out}", f"--stats={stats}"),
        )
        check(case, out)
        check_counters(case, stats, timed=True)
        if mode == "--specialize=at-once":
            assert "compared first" in said

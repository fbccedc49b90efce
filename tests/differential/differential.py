"""Runs random Baker programs everywhere and compares the packets.

    python tests/differential/differential.py --seeds 1-1000 [--build DIR]
        [--keep DIR] [--packets N] [--levels L,…] [--checked N] [--jobs N]
        [--in-turn] [--timeout S] [--host-only] [--tables] [--store WORDS]
    python tests/differential/differential.py --ppfs 5000 …

Each seed is a program of a few PPFs, its control calls and a trace; `--ppfs`
takes seeds from 1 on until their programs have this many PPFs. Three engines
run each program: the generator's interpreter (which gives the expected frames),
x86 (`bakerc --run`, with and without `--fast`, and in stages that begin at random
loads), and the simulator at every level with one and three microengines. Frames are
compared as multisets of (port, bytes), because contexts may overtake each other; those
of the two fast runs on x86 are the same bytes. A program that does not fit the control
store is counted, but is not a failure. The files of failures are stored in --keep.

With --tables the programs look up declared tables, too. On x86 control calls change
these between packets, and every fourth program runs with code that is specialized
after each change; the simulator gets the tables as they are before the first packet,
because packets in flight may see a change or miss it.

With a small control store (`--store=1000`) most programs take several aggregates.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from differential.generator import make_frames, make_program
from differential.model import Outcome, Program
from testkit.applications import LEVELS
from testkit.captures import read_pcapng, write_pcap
from testkit.paths import BUILD

ENGINES = (1, 3)
#: Every third program is profiled with this many packets. PPFs that they do not
#: reach are cold and run on the XScale core.
PROFILED = 3
DOES_NOT_FIT = re.compile("does not fit|no mapping: .* need as many engines")
AGGREGATES = re.compile(r"the image has (\d+) aggregates and each needs an engine")
BUILT_FOR = re.compile(r"the image is built for (\d+) engine")


class Different(Exception):
    """An engine refused the program or sent other packets."""


@dataclass
class Tools:
    """The folder of the tools, and how long each may run."""

    build: Path
    timeout: float = 60
    frames: int = 60
    host_only: bool = False
    tables: bool = False
    levels: tuple[str, ...] = LEVELS
    #: A seed takes the first level, the last, and one of the others in rotation.
    in_turn: bool = False
    #: Packets on which each pass is checked at the highest level; 0: none.
    checked: int = 20
    #: Words of each engine's control store, if they are not the chip's.
    store: int | None = None
    skipped: Counter[str] = field(default_factory=Counter)

    def levels_of(self, seed: int) -> tuple[str, ...]:
        if not self.in_turn or len(self.levels) < 4:
            return self.levels
        first, *others, last = self.levels
        return first, others[seed % len(others)], last

    def run(self, name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        command = [str(self.build / "bin" / name), *map(str, arguments)]
        try:
            return subprocess.run(
                command, capture_output=True, text=True, timeout=self.timeout
            )
        except subprocess.TimeoutExpired:
            raise Different(f"{name} hangs: {' '.join(command)}") from None

    def program(self, seed: int) -> Program:
        return make_program(seed, self.frames if self.tables else None)


def must(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode != 0:
        output = (done.stdout + done.stderr)[-2000:]
        command = " ".join(done.args)
        raise Different(f"exit status {done.returncode} of {command}\n{output}")


def counts_of(outcome: Outcome) -> list[tuple[str, int]]:
    """Calls that read the sizes of tables and what packets added to entries."""
    calls = []
    for name, state in outcome.tables.items():
        calls.append((f"{name}.count()", len(state.entries)))
        for key, entry in list(state.entries.items())[:20] * state.table.has_count:
            arguments = ", ".join(state.table.key_literals(key))
            calls.append((f"{name}.n({arguments})", entry.count))
    return calls


def compare(who: str, expected: Outcome, out: Path, stats: Path) -> None:
    found = read_pcapng(out)
    for what, more, less in (
        ("lacks", expected.frames, found),
        ("has unexpected", found, expected.frames),
    ):
        for (port, frame), count in sorted((more - less).items()):
            raise Different(f"{who} {what} {count} of port {port}: {frame.hex()}")
    found_stats = json.loads(stats.read_text())
    packets = found_stats["packets"]
    ended = {"forwarded": expected.forwarded}
    ended["dropped+consumed"] = expected.dropped
    packets["dropped+consumed"] = packets["dropped"] + packets["consumed"]
    for key, count in ended.items():
        if packets[key] != count:
            raise Different(f"{who}: {packets[key]} packets {key}, not {count}")
    drops = found_stats["drops"]
    if {k: v for k, v in drops.items() if v} != dict(expected.drops):
        raise Different(f"{who}: drops {drops}, not {dict(expected.drops)}")
    counts = [(v["call"], v["value"]) for v in found_stats["control"]["values"]]
    for got, wanted in zip(counts, counts_of(expected), strict=True):
        if got != wanted:
            raise Different(f"{who}: {got[0]} is {got[1]}, not {wanted[1]}")


def stages_of(seed: int) -> list[str]:
    """A burst, a sub-batch and cuts at random loads."""
    random = Random(seed)
    burst = random.choice((2, 3, 8, 32, 64, 100, 256))
    sub_batch = random.randint(2, burst)
    cuts = f"--cut-seed={random.randrange(1, 1 << 32)}"
    return ["--fast", f"--burst={burst}", f"--sub-batch={sub_batch}", cuts]


@dataclass
class Case:
    """One program with its inputs, in a folder."""

    seed: int
    tools: Tools
    folder: Path
    program: Program
    frames: list[bytes]

    @property
    def source(self) -> Path:
        return self.folder / "program.baker"

    def inputs(self, name: str, timed: bool) -> tuple[Outcome, list[str]]:
        """What is expected of a control file, and options that name the inputs."""
        expected = self.program.run(self.frames, timed)
        calls = self.program.control_calls(timed)
        calls += [f"@end {call}" for call, _ in counts_of(expected)]
        control = self.folder / name
        control.write_text("\n".join(calls) + "\n")
        trace = self.folder / "trace.pcap"
        return expected, [f"--trace={trace}", f"--control={control}"]

    def compare(self, who: str, file: str, expected: Outcome, *command: object) -> Path:
        """Runs a command, which gets the names of its results."""
        out, stats = self.folder / f"{file}.pcapng", self.folder / f"{file}.json"
        name, *arguments = command
        results = (f"--out={out}", f"--stats={stats}")
        done = self.tools.run(str(name), *arguments, *results)
        # A pipeline needs an engine for each aggregate, and an image may be built
        # for fewer engines than asked for.
        said = done.stderr
        if engines := AGGREGATES.search(said) or BUILT_FOR.search(said):
            arguments = [each for each in arguments if "--mes=" not in str(each)]
            arguments.append(f"--mes={engines[1]}")
            done = self.tools.run(str(name), *arguments, *results)
        must(done)
        compare(who, expected, out, stats)
        return out


def check_on_x86(case: Case) -> None:
    expected, inputs = case.inputs("control.txt", timed=True)
    run = ("bakerc", case.source, "--run", *inputs)
    case.compare("x86", "x86", expected, *run)
    fast = case.compare("x86-fast", "x86-fast", expected, *run, "--fast", "--burst=5")
    stages = stages_of(case.seed)
    who = f"x86, {' '.join(stages)}"
    out = case.compare(who, "x86-stages", expected, *run, *stages)
    if out.read_bytes() != fast.read_bytes():
        raise Different(f"{who}: another order of packets")
    # Code for each state takes long to make.
    if case.program.tables and case.seed % 4 == 0:
        special = ("--fast", "--specialize=at-once")
        case.compare("x86, specialized", "x86-special", expected, *run, *special)


def check_seed(seed: int, tools: Tools, folder: Path) -> None:
    """Raises Different with the first difference."""
    frames = make_frames(seed, tools.frames)
    case = Case(seed, tools, folder, tools.program(seed), frames)
    case.source.write_text(case.program.text())
    write_pcap(folder / "trace.pcap", case.frames)
    check_on_x86(case)
    if tools.host_only:
        return
    expected, inputs = case.inputs("loaded.txt", timed=False)
    profile: list[str] = []
    if seed % 3 == 0:
        write_pcap(folder / "profile.pcap", case.frames[:PROFILED])
        profile = [f"--profile-trace={folder / 'profile.pcap'}", inputs[1]]
    # No packet is lost to the limits of the XScale core.
    free = "--punt-rate=none"
    # Most levels make the same code for the core.
    kept = f"--cache-dir={folder / 'core'}"
    builds = [(level, [free]) for level in tools.levels_of(seed)]
    # With a profile something may be cached. An exchange needs the limits.
    if profile and "@cold" not in case.source.read_text():
        builds.append((tools.levels[-1], ["--updates=exchange"]))
    for level, options in builds:
        image = folder / f"{level}.ixp"
        more = [f"--level={level}", kept, *options, *profile]
        if tools.store:
            more.append(f"--set=me.control_store={tools.store}")
        if level == tools.levels[-1] and tools.checked:
            more.append(f"--check-passes={tools.checked}")
        done = tools.run("bakerc", case.source, *more, "-o", image)
        if done.returncode == 1 and DOES_NOT_FIT.search(done.stderr):
            tools.skipped[level] += 1
            continue
        must(done)
        for engines in ENGINES:
            who = f"ixpsim, level {level}, {options[0]}, {engines} engines"
            run = ("ixpsim", image, *inputs, "--quiet", f"--mes={engines}")
            case.compare(who, f"{level}-{engines}", expected, *run)


def check(seed: int, tools: Tools, keep: Path | None) -> str:
    """The first difference of a seed, whose files are then stored; or nothing."""
    folder = Path(tempfile.mkdtemp(prefix=f"differential-{seed}-"))
    try:
        check_seed(seed, tools, folder)
        return ""
    except Different as difference:
        if keep:
            shutil.rmtree(keep / str(seed), ignore_errors=True)
            shutil.copytree(folder, keep / str(seed))
        return str(difference)
    except RecursionError:  # a packet goes round a cycle of channels for ever
        tools.skipped["endless"] += 1
        return ""
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def seeds_of(text: str) -> Iterator[int]:
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def seeds_with(ppfs: int, tools: Tools) -> Iterator[int]:
    """Seeds from 1 on whose programs have this many PPFs together."""
    seed = 0
    while ppfs > 0:
        seed += 1
        ppfs -= len(tools.program(seed).ppfs)
        yield seed


@dataclass
class Report:
    """The result of one seed, as a process returns it."""

    seed: int
    ppfs: int
    difference: str
    skipped: Counter[str]


def report(seed: int, tools: Tools, keep: Path) -> Report:
    tools.skipped.clear()
    difference = check(seed, tools, keep)
    ppfs = len(tools.program(seed).ppfs)
    return Report(seed, ppfs, difference, Counter(tools.skipped))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--seeds", default="1-30")
    which.add_argument("--ppfs", type=int)
    parser.add_argument("--build", type=Path, default=BUILD)
    parser.add_argument("--keep", type=Path, default=Path("out/differential"))
    parser.add_argument("--packets", type=int, default=60)
    parser.add_argument("--levels", default=",".join(LEVELS))
    parser.add_argument("--in-turn", action="store_true", help="3 levels a seed")
    parser.add_argument("--checked", type=int, default=Tools.checked)
    parser.add_argument("--timeout", type=float, default=Tools.timeout)
    parser.add_argument("--jobs", type=int, default=1, help="seeds at a time")
    parser.add_argument("--host-only", action="store_true")
    parser.add_argument("--tables", action="store_true", help="programs with tables")
    parser.add_argument("--store", type=int, help="words of a control store")
    options = parser.parse_args()
    tools = Tools(
        Path(options.build),
        frames=options.packets,
        host_only=options.host_only,
        tables=options.tables,
        store=options.store,
        in_turn=options.in_turn,
        checked=options.checked,
        timeout=options.timeout,
        levels=tuple(options.levels.split(",")),
    )
    seeds = seeds_with(options.ppfs, tools) if options.ppfs else seeds_of(options.seeds)
    start, failed, total, ppfs = time.monotonic(), 0, 0, 0
    skipped: Counter[str] = Counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        one = partial(report, tools=tools, keep=options.keep)
        for done in pool.map(one, seeds):
            total += 1
            ppfs += done.ppfs
            skipped += done.skipped
            if done.difference:
                failed += 1
                print(f"seed {done.seed}: {done.difference}", flush=True)
    seconds = time.monotonic() - start
    print(
        f"{total} programs, {ppfs} PPFs: {failed} differ, "
        f"not compared: {dict(skipped) or 'none'}, {seconds:.1f} s"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs random Baker programs everywhere and compares the packets.

    python tests/differential/differential.py --seeds 1-1000 [--build DIR]
        [--keep DIR] [--packets N] [--levels L,…] [--checked N] [--jobs N]
        [--in-turn] [--timeout S] [--host-only]
    python tests/differential/differential.py --ppfs 5000 …

Each seed is a program of a few PPFs, its control calls and a trace; `--ppfs`
takes seeds from 1 on until their programs have this many PPFs. Three engines
run each program: the generator's interpreter (which gives the expected frames),
x86 (`bakerc --run`, with and without `--fast`, and in stages that begin at random
loads), and the simulator at every level with one and three microengines. Frames are
compared as multisets of (port, bytes), because contexts may overtake each other; those
of the two fast runs on x86 are the same bytes. A program that does not fit the control
store is counted, but is not a failure. The files of failures are stored in --keep.
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
from differential.model import Outcome
from testkit.applications import LEVELS
from testkit.captures import read_pcapng, write_pcap
from testkit.paths import BUILD

ENGINES = (1, 3)
#: Every third program is profiled with this many packets. PPFs that they do not
#: reach are cold and run on the XScale core.
PROFILED = 3
DOES_NOT_FIT = "does not fit"
AGGREGATES = re.compile(r"the image has (\d+) aggregates and each needs an engine")


class Different(Exception):
    """An engine refused the program or sent other packets."""


@dataclass
class Tools:
    """The folder of the tools, and how long each may run."""

    build: Path
    timeout: float = 60
    frames: int = 60
    host_only: bool = False
    levels: tuple[str, ...] = LEVELS
    #: A seed takes the first level, the last, and one of the others in rotation.
    in_turn: bool = False
    #: Packets on which each pass is checked at the highest level; 0: none.
    checked: int = 20
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


def must(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode != 0:
        output = (done.stdout + done.stderr)[-2000:]
        command = " ".join(done.args)
        raise Different(f"exit status {done.returncode} of {command}\n{output}")


def compare(who: str, expected: Outcome, out: Path, stats: Path) -> None:
    found = read_pcapng(out)
    for what, more, less in (
        ("lacks", expected.frames, found),
        ("has unexpected", found, expected.frames),
    ):
        for (port, frame), count in sorted((more - less).items()):
            raise Different(f"{who} {what} {count} of port {port}: {frame.hex()}")
    packets = json.loads(stats.read_text())["packets"]
    ended = {"forwarded": expected.forwarded}
    ended["dropped+consumed"] = expected.dropped
    packets["dropped+consumed"] = packets["dropped"] + packets["consumed"]
    for key, count in ended.items():
        if packets[key] != count:
            raise Different(f"{who}: {packets[key]} packets {key}, not {count}")
    drops = json.loads(stats.read_text())["drops"]
    if {k: v for k, v in drops.items() if v} != dict(expected.drops):
        raise Different(f"{who}: drops {drops}, not {dict(expected.drops)}")


def stages_of(seed: int) -> list[str]:
    """A burst, a sub-batch and cuts at random loads."""
    random = Random(seed)
    burst = random.choice((2, 3, 8, 32, 64, 100, 256))
    sub_batch = random.randint(2, burst)
    cuts = f"--cut-seed={random.randrange(1, 1 << 32)}"
    return ["--fast", f"--burst={burst}", f"--sub-batch={sub_batch}", cuts]


def check_seed(seed: int, tools: Tools, folder: Path) -> None:
    """Raises Different with the first difference."""
    program, frames = make_program(seed), make_frames(seed, tools.frames)
    source, trace, control = (
        folder / name for name in ("program.baker", "trace.pcap", "control.txt")
    )
    source.write_text(program.text())
    write_pcap(trace, frames)
    control.write_text("\n".join(program.control_calls()) + "\n")
    expected = program.run(frames)
    inputs = [f"--trace={trace}", f"--control={control}"]

    def outputs(who: str) -> tuple[Path, Path, list[str]]:
        out, stats = folder / f"{who}.pcapng", folder / f"{who}.json"
        return out, stats, [f"--out={out}", f"--stats={stats}"]

    out, stats, options = outputs("x86")
    must(tools.run("bakerc", source, "--run", *inputs, *options))
    compare("x86", expected, out, stats)
    out, stats, options = outputs("x86-fast")
    must(tools.run("bakerc", source, "--run", "--fast", "--burst=5", *inputs, *options))
    compare("x86-fast", expected, out, stats)
    one_by_one = out.read_bytes()
    out, stats, options = outputs("x86-stages")
    stages = stages_of(seed)
    must(tools.run("bakerc", source, "--run", *stages, *inputs, *options))
    compare(f"x86, {' '.join(stages)}", expected, out, stats)
    if out.read_bytes() != one_by_one:
        raise Different(f"x86, {' '.join(stages)}: another order of packets")
    if tools.host_only:
        return
    profile: list[str] = []
    if seed % 3 == 0:
        write_pcap(folder / "profile.pcap", frames[:PROFILED])
        profile = [f"--profile-trace={folder / 'profile.pcap'}", inputs[1]]
    for level in tools.levels_of(seed):
        image = folder / f"{level}.ixp"
        more = [f"--level={level}", *profile]
        if level == tools.levels[-1] and tools.checked:
            more.append(f"--check-passes={tools.checked}")
        done = tools.run("bakerc", source, *more, "-o", image)
        if done.returncode == 1 and DOES_NOT_FIT in done.stderr:
            tools.skipped[level] += 1
            continue
        must(done)
        for engines in ENGINES:
            who = f"{level}-{engines}"
            out, stats, options = outputs(who)
            more = [*inputs, *options, "--quiet"]
            done = tools.run("ixpsim", image, *more, f"--mes={engines}")
            # A pipeline needs an engine for each aggregate.
            if least := AGGREGATES.search(done.stderr):
                done = tools.run("ixpsim", image, *more, f"--mes={least[1]}")
            must(done)
            compare(f"ixpsim, level {level}, {engines} engines", expected, out, stats)


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
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def seeds_of(text: str) -> Iterator[int]:
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def seeds_with(ppfs: int) -> Iterator[int]:
    """Seeds from 1 on whose programs have this many PPFs together."""
    seed = 0
    while ppfs > 0:
        seed += 1
        ppfs -= len(make_program(seed).ppfs)
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
    return Report(seed, len(make_program(seed).ppfs), difference, tools.skipped)


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
    options = parser.parse_args()
    tools = Tools(
        Path(options.build),
        frames=options.packets,
        host_only=options.host_only,
        in_turn=options.in_turn,
        checked=options.checked,
        timeout=options.timeout,
        levels=tuple(options.levels.split(",")),
    )
    seeds = seeds_with(options.ppfs) if options.ppfs else seeds_of(options.seeds)
    start, failed, total, ppfs = time.monotonic(), 0, 0, 0
    skipped: Counter[str] = Counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        one = partial(report, tools=tools, keep=options.keep)
        for done in pool.map(one, seeds, chunksize=4):
            total += 1
            ppfs += done.ppfs
            skipped += done.skipped
            if done.difference:
                failed += 1
                print(f"seed {done.seed}: {done.difference}", flush=True)
    seconds = time.monotonic() - start
    print(
        f"{total} programs, {ppfs} PPFs: {failed} differ, "
        f"too large: {dict(skipped) or 'none'}, {seconds:.1f} s"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

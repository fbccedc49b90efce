"""Counts the branches of ixpsim while it does its work, for cmake/BranchCounts.cmake.

./dev train
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from testkit.applications import SOURCES
from testkit.paths import ROOT
from testkit.tools import run
from testkit.workloads import Workload, make_workload

COUNTS = ROOT / "sim-ixp/branch-counts.proftext"
#: Levels of the images: engines that compute much, and engines that wait much.
LEVELS = ("o1", "swc")
PACKETS = 6000
#: Seeds of the traffic of the runs and of the images' profiles. No benchmark has
#: one of them.
RUN_SEED, PROFILE_SEED = 611, 612
#: Functions with fewer counts are left out: they take no time.
COUNT_MIN = 100_000
#: Our functions: those of the standard library differ between its versions.
OWN = re.compile(r"(?:\w+\.cpp;)?_Z(?:Thn\d+_|Z|N|K)*7karakal")
COUNTERS = re.compile(r"# Num Counters:\n(\d+)\n# Counter Values:\n((?:\d+\n)+)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulator", type=Path, required=True, help="it counts")
    parser.add_argument("--profdata", required=True, help="LLVM's llvm-profdata")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for app in SOURCES:
            count(arguments.simulator, app, Path(folder))
        raw = Path(folder).glob("*.profraw")
        command = [arguments.profdata, "merge", "-text", *raw, "-o", "-"]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    COUNTS.write_text(frequent(text.stdout))
    print(f"written: {COUNTS.relative_to(ROOT)}", file=sys.stderr)


def count(simulator: Path, app: str, folder: Path) -> None:
    """Runs an application at each level, and leaves the counts in `folder`."""
    loads = {seed: made(app, folder, seed) for seed in (RUN_SEED, PROFILE_SEED)}
    for level in LEVELS:
        print(f"counting: {app}, {level}", file=sys.stderr)
        image = folder / "app.ixp"
        profile = loads[PROFILE_SEED].profile()
        run("bakerc", SOURCES[app], f"--level={level}", "-o", image, *profile)
        load = loads[RUN_SEED]
        environment = {
            **os.environ,
            "LLVM_PROFILE_FILE": f"{folder}/{app}-{level}.profraw",
        }
        subprocess.run(
            [
                simulator, image, f"--trace={load.trace}", f"--control={load.control}",
                f"--packets={PACKETS}", "--stats", folder / "stats.json",
            ],
            check=True, env=environment, stdout=subprocess.DEVNULL,
        )  # fmt: skip


def made(app: str, folder: Path, seed: int) -> Workload:
    """Traffic of an application."""
    own = folder / f"{app}-{seed}"
    own.mkdir()
    return make_workload(app, own, f"--seed={seed}", f"--packets={PACKETS}")


def frequent(text: str) -> str:
    """The counts of our functions that branch, and that are called often or loop
    much; `text` is of llvm-profdata."""
    head, _, functions = text.partition("\n:ir\n")
    assert functions, head
    kept = [block for block in functions.split("\n\n") if is_kept(block)]
    return ":ir\n" + "\n\n".join(kept) + "\n"


def is_kept(block: str) -> bool:
    """Whether a function's counts are kept; what values it has follows its
    counters."""
    found = COUNTERS.search(block + "\n")
    if not found:
        assert not block.strip(), block
        return False
    counters = [int(value) for value in found[2].split()[: int(found[1])]]
    return len(counters) > 1 and max(counters) >= COUNT_MIN and bool(OWN.match(block))


if __name__ == "__main__":
    main()

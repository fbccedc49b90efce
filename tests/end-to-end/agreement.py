"""Runs the applications everywhere and compares every packet with the oracle.

    python tests/end-to-end/agreement.py [--packets N] [--apps A,…]
        [--inputs I,…] [--levels L,…] [--mes N,…] [--jobs N] [--json FILE]

Inputs: `generated` (every exception), `captures` (of KARAKAL_TEST_DATA), for
the L3-Switch `rib` (its routing table of 2002), for the firewall the four sets
of ClassBench rules there. Each input runs on x86, and on the simulator at every
level and number of microengines that fits the aggregates. The oracle checks each
run, unless an earlier checked run sent the same frames by the same ports. Exit
status: 0 if all packets are right, else 1.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from npftrace.frames.capture import read_capture
from testkit.applications import ENGINE_COUNTS, LEVELS, SOURCES
from testkit.runs import (
    assert_packets_add_up,
    check_packets,
    compile_app,
    run_on_x86,
    simulate,
)
from testkit.tools import run_npftrace
from testkit.workloads import (
    Workload,
    captured_workload,
    exceptional_workload,
    make_workload,
)

RULE_SETS = ("fw1_1k", "acl1_1k", "ipc1_1k", "acl1_10k")
RIB = "rib/ipv4-20020722-rrc05-as1853.txt.gz"
#: What the simulator says of an image with more aggregates than engines.
NEEDS_MORE = "each needs an engine"
#: Packets within which the simulator's core learns a station.
LEARNED_WITHIN = 1024


def data() -> Path:
    return Path(os.environ["KARAKAL_TEST_DATA"])


def generated(app: str, folder: Path, packets: int) -> Workload:
    return exceptional_workload(app, folder, packets)


def captures(app: str, folder: Path, _: int) -> Workload:
    return captured_workload(app, data(), folder)


def rules(name: str) -> Callable[[str, Path, int], Workload]:
    def make(app: str, folder: Path, packets: int) -> Workload:
        options = f"--rule-file {data() / 'rules' / name}.gz --packets {packets}"
        options += " --fragments 0.05 --options 0.02 --arp 0.01"
        return make_workload(app, folder, *options.split())

    return make


def rib(app: str, folder: Path, packets: int) -> Workload:
    """The table with packets to uniformly distributed destinations."""
    load = make_workload(app, folder, "--packets", str(packets))
    run_npftrace("tables", "from-rib", data() / RIB, "--control", load.control)
    return load


#: By application and name: what makes an input.
INPUTS: dict[str, dict[str, Callable[[str, Path, int], Workload]]] = {
    "l3-switch": {"generated": generated, "captures": captures, "rib": rib},
    "firewall": {
        "generated": generated,
        "captures": captures,
        **{name: rules(name) for name in RULE_SETS},
    },
    "mpls": {"generated": generated, "captures": captures},
}


@dataclass(frozen=True)
class Run:
    """One run; level x86 is `bakerc --run`."""

    load: Workload
    level: str
    engines: int
    image: Path | None


def frames_digest(out: Path) -> str:
    """A digest of the frames and their ports, in any order."""
    frames = sorted((f.port, f.data) for f in read_capture(out, 4).frames)
    return hashlib.sha256(repr(frames).encode()).hexdigest()


def execute(run: Run) -> tuple[str, str]:
    """The frames' digest, empty if the image needs more engines, and the oracle's
    message if it does not agree."""
    app = run.load.app
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            if run.image is None:
                out, stats = run_on_x86(SOURCES[app], run.load, folder)
                file = folder / "x86.json"
            else:
                mes = f"--mes={run.engines}"
                out, stats = simulate(run.image, run.load, folder, mes)
                file = folder / "stats.json"
            assert_packets_add_up(stats)
            digest = frames_digest(out)
            judged = run.load.trace.parent / "judged" / digest
            if not judged.exists():
                window = LEARNED_WITHIN if app == "l3-switch" else None
                check_packets(run.load, out, file, window=window)
                judged.parent.mkdir(exist_ok=True)
                judged.touch()
        except AssertionError as error:
            return "", "" if NEEDS_MORE in str(error) else str(error)
    return digest, ""


def image_of(app: str, level: str, load: Workload, folder: Path) -> Path:
    return compile_app(
        SOURCES[app], folder / f"{level}.ixp", f"--level={level}",
        *load.profile(),
    )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--packets", type=int, default=100_000)
    parser.add_argument("--apps", default=",".join(SOURCES))
    parser.add_argument("--inputs", default="", help="all unless named")
    parser.add_argument("--levels", default=",".join(LEVELS))
    parser.add_argument("--mes", default=",".join(map(str, ENGINE_COUNTS)))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results, wrong = [], 0
    with tempfile.TemporaryDirectory() as name:
        for app in options.apps.split(","):
            chosen = options.inputs.split(",") if options.inputs else INPUTS[app]
            for input_name in (i for i in INPUTS[app] if i in chosen):
                if input_name != "generated" and "KARAKAL_TEST_DATA" not in os.environ:
                    print(f"{app} {input_name}: left out, KARAKAL_TEST_DATA is unset")
                    continue
                start = time.monotonic()
                folder = Path(name) / app / input_name
                folder.mkdir(parents=True)
                load = INPUTS[app][input_name](app, folder, options.packets)
                runs = [Run(load, "x86", 0, None)]
                for level in options.levels.split(","):
                    image = image_of(app, level, load, folder)
                    counts = map(int, options.mes.split(","))
                    runs += [Run(load, level, count, image) for count in counts]
                with ProcessPoolExecutor(options.jobs) as pool:
                    found = list(pool.map(execute, runs))
                for run, (digest, error) in zip(runs, found, strict=True):
                    wrong += bool(error)
                    if error:
                        print(f"{app} {input_name} {run.level} {run.engines}: {error}")
                    results.append(
                        [app, input_name, run.level, run.engines, digest, error]
                    )
                bad = sum(bool(error) for _, error in found)
                seconds = time.monotonic() - start
                different = len({digest for digest, _ in found if digest})
                few = sum(not digest and not error for digest, error in found)
                print(
                    f"{app:10} {input_name:10} {len(runs)} runs, {bad} wrong,"
                    f" {few} with too few engines, {different} different sets of"
                    f" frames, {seconds:.0f} s",
                    flush=True,
                )
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

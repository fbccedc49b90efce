"""Runs benchmarks and prints their results.

    bench.py [NAME…] [--json=FILE] [--build=DIR] [--packets=N] [--mes=LIST]
    bench.py mutants [--seed=N] [--sample=N] [--only=FOLDER]… [--limit=SECONDS]

Without a name, all benchmarks run except `mutants`, which takes hours. `--json`
writes the results under the benchmark's name. A missing program or level is
skipped with a message. Exit status: 0 done, 1 a tool failed, 2 the
command line is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.applications.headroom import headroom
from bench.applications.rates import rates, table1
from bench.applications.staleness import staleness
from bench.applications.tables import tables
from bench.applications.transfer import transfer
from bench.compiler.compile_speed import compile_time, frontend
from bench.compiler.diagnostics import diagnostics
from bench.compiler.kernels import kernels
from bench.compiler.never_slower import never_slower
from bench.compiler.packet_passes import PACKET_BENCHMARKS
from bench.explorer.page import page
from bench.harness.bench import Bench, Failed, Missing
from bench.mapping.mappings import mappings
from bench.mapping.throughput_model import model, profile_speed
from bench.mutants import command as mutation
from bench.simulator.fig6 import fig6
from bench.simulator.loaded_latency import latency
from bench.simulator.sensitivity import sensitivity
from bench.simulator.speed import speed
from bench.x86.batching import batching
from bench.x86.programs import x86
from bench.x86.specialization import specialization
from bench.x86.switch_updates import switch_updates
from testkit.paths import BUILD

#: Each prints its results and returns them for the JSON file.
BENCHMARKS: dict[str, Callable[[Bench], Any]] = {
    "speed": speed,
    "fig6": fig6,
    "sensitivity": sensitivity,
    "latency": latency,
    "compile": compile_time,
    "frontend": frontend,
    "diagnostics": diagnostics,
    "table1": table1,
    "rates": rates,
    "headroom": headroom,
    "model": model,
    "mappings": mappings,
    "profile": profile_speed,
    "kernels": kernels,
    **PACKET_BENCHMARKS,
    "staleness": staleness,
    "transfer": transfer,
    "never-slower": never_slower,
    "tables": tables,
    "x86": x86,
    "batching": batching,
    "specialization": specialization,
    "switch-updates": switch_updates,
    "explorer": page,
}


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=f"benchmarks: {', '.join(BENCHMARKS)}; only when named: mutants",
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--json", type=Path, help="file to write the results to")
    parser.add_argument("--build", type=Path, default=BUILD)
    parser.add_argument(
        "--packets", type=int, default=4000, help="simulated packets per run"
    )
    parser.add_argument("--mes", default="1,2,3,4,5,6", help="engine counts of rates")
    parser.add_argument(
        "--all-sets",
        action="store_true",
        help="also bridged and Zipf traffic, and mappings that a bound excludes",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="batching, explorer: fewer programs and packets",
    )
    mutation.add_options(parser)
    options = parser.parse_args(arguments)
    known = [*BENCHMARKS, "mutants"]
    for name in options.names:
        if name not in known:
            parser.error(f"no benchmark '{name}': there are {', '.join(known)}")
    return options


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    engines = tuple(int(n) for n in options.mes.split(","))
    bench = Bench(
        options.build,
        options.packets,
        engines,
        options.all_sets,
        quick=options.quick,
    )
    named = {"mutants": partial(mutation.mutants, options=mutation.options_of(options))}
    benchmarks = BENCHMARKS | named
    results: dict[str, Any] = {}
    status = 0
    for name in options.names or BENCHMARKS:
        try:
            results[name] = benchmarks[name](bench)
        except Missing as missing:
            bench.leave_out(f"{name}: {missing}")
        except Failed as failed:
            print(f"bench {name}: {failed}", file=sys.stderr)
            status = 1
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`npftrace sweep SPEC`: programs at every point of a grid.

Compiles and simulates what SPEC describes and writes SPEC.json and SPEC.parquet
into the current folder, or where --out says. Steps that any sweep ran before are
not run again. After an interrupt, the same command continues where it stopped.
"""

from __future__ import annotations

import argparse
import signal
import sys
from contextlib import ExitStack
from pathlib import Path

from npftrace.arguments import between
from npftrace.sweep.results import write_json, write_parquet
from npftrace.sweep.runner import StepRunner
from npftrace.sweep.spec import read_spec
from npftrace.sweep.store import Store, default_folder
from npftrace.sweep.sweep import PointResult, Sweep, Tools
from npftrace.sweep.workers import DaskPool, LocalPool, Pool

INTERRUPTED = 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace sweep`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = __doc__
    parser.add_argument("spec", type=Path, metavar="SPEC", help="YAML, TOML or JSON")
    parser.add_argument(
        "--out", type=Path, help="where to write: OUT.json and OUT.parquet"
    )
    parser.add_argument(
        "--dask", metavar="tcp://HOST:PORT", help="simulate on this Dask cluster"
    )
    parser.add_argument(
        "--workers",
        type=between(1, 1024),
        help="local processes (default: one per core)",
    )
    parser.add_argument(
        "--cache", type=Path, default=default_folder(), help="folder of stored steps"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Runs the sweep and writes its results; returns 1 if a point failed."""
    points = read_spec(args.spec)
    runner = StepRunner(Store(args.cache))
    sweep = Sweep(runner, Tools())

    # Python loses an exception raised in a callback of its garbage collector;
    # the event survives.
    def interrupt(*_: object) -> None:
        runner.stop.set()
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    try:
        with ExitStack() as stack:
            local = LocalPool(args.workers)
            pool: Pool = DaskPool(args.dask) if args.dask else local
            results = sweep.run(points, stack.enter_context(pool))
    except KeyboardInterrupt:
        print(
            f"interrupted; {runner.ran} steps are done and stored: "
            "the same command continues from there",
            file=sys.stderr,
        )
        return INTERRUPTED
    stem = args.out or Path(args.spec.stem)
    paths = [stem.with_name(f"{stem.name}.{kind}") for kind in ("json", "parquet")]
    write_json(paths[0], results)
    write_parquet(paths[1], results)
    return _report(results, runner, paths)


def _report(results: list[PointResult], runner: StepRunner, paths: list[Path]) -> int:
    failed = [result for result in results if result.error]
    for result in failed:
        names = ", ".join(f"{k}={v}" for k, v in result.point.parameters().items())
        print(f"failed: {names}\n  {result.error}", file=sys.stderr)
    print(
        f"{len(results):,} points, {len(failed):,} failed; {runner.ran:,} steps ran, "
        f"{runner.known:,} were stored: {paths[0]}, {paths[1]}"
    )
    return 1 if failed else 0

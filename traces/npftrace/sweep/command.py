"""`npftrace sweep SPEC`: programs at every point of a grid.

Compiles and simulates what SPEC describes and writes SPEC.json and SPEC.parquet
into the current folder, or where --out says. What was done before, by any sweep,
is not done again. Interrupted, the same command goes on where it was.
"""

from __future__ import annotations

import argparse
import signal
import sys
from contextlib import ExitStack
from pathlib import Path

from npftrace.arguments import between
from npftrace.sweep.results import write_json, write_parquet
from npftrace.sweep.runner import Engine
from npftrace.sweep.spec import read_spec
from npftrace.sweep.store import Store, default_folder
from npftrace.sweep.sweep import PointResult, Sweep, Tools
from npftrace.sweep.workers import DaskPool, LocalPool, Pool

INTERRUPTED = 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
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
        "--workers", type=between(1, 1024), help="processes here (default: one a core)"
    )
    parser.add_argument(
        "--cache", type=Path, default=default_folder(), help="folder of what was done"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    points = read_spec(args.spec)
    engine = Engine(Store(args.cache))
    sweep = Sweep(engine, Tools())

    # Python loses an exception raised in a callback of its collector: the event
    # stays.
    def interrupt(*_: object) -> None:
        engine.stop.set()
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    try:
        with ExitStack() as stack:
            local = LocalPool(args.workers)
            pool: Pool = DaskPool(args.dask) if args.dask else local
            results = sweep.run(points, stack.enter_context(pool))
    except KeyboardInterrupt:
        print(
            f"interrupted; {engine.ran} steps are done and kept: "
            "the same command goes on from there",
            file=sys.stderr,
        )
        return INTERRUPTED
    stem = args.out or Path(args.spec.stem)
    paths = [stem.with_name(f"{stem.name}.{kind}") for kind in ("json", "parquet")]
    write_json(paths[0], results)
    write_parquet(paths[1], results)
    return _report(results, engine, paths)


def _report(results: list[PointResult], engine: Engine, paths: list[Path]) -> int:
    failed = [result for result in results if result.error]
    for result in failed:
        names = ", ".join(f"{k}={v}" for k, v in result.point.parameters().items())
        print(f"failed: {names}\n  {result.error}", file=sys.stderr)
    print(
        f"{len(results):,} points, {len(failed):,} failed; {engine.ran:,} steps ran, "
        f"{engine.known:,} were known: {paths[0]}, {paths[1]}"
    )
    return 1 if failed else 0

"""Reproduces the paper's evaluation and writes the report.

    reproduce.py [--quick] [--out=DIR] [--only=NAME]… [--packets=N]

Three programs at seven levels on one to six microengines, with experiments that
explain the results. Finished simulations are not run again. Exit status:
0 done, 1 a tool failed, 2 the command line is wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.evaluation import page
from bench.evaluation.results import ENGINES, Results
from bench.evaluation.sections import SECTIONS
from bench.harness.bench import Bench, Failed, Missing
from bench.harness.workloads import points
from npftrace.errors import InputError
from testkit.paths import BUILD


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./dev reproduce",
        description=(__doc__ or "").partition("\n")[0],
        epilog=f"sections: {', '.join(SECTIONS)}",
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the packets")
    parser.add_argument(
        "--only", action="append", choices=SECTIONS, metavar="NAME",
        help="make only this section (repeatable)",
    )  # fmt: skip
    parser.add_argument("--packets", type=int, help="packets per run (20,000)")
    parser.add_argument("--out", type=Path, default=Path("report"))
    parser.add_argument("--build", type=Path, default=BUILD)
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    packets = options.packets or points()[0].simulate["packets"]
    if options.quick:
        packets //= 10
    bench = Bench(options.build, packets, ENGINES, False)
    begin = time.monotonic()
    called = " ".join(["./dev reproduce", *arguments])
    try:
        names = [name for name in SECTIONS if name in (options.only or SECTIONS)]
        written = page.write(Results(bench), names, options.out, called)
    except (Failed, Missing, InputError) as error:
        print(f"reproduce: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; the same command continues from there", file=sys.stderr)
        return 130
    engine = bench.engine
    print(
        f"{written}: {engine.ran:,} steps ran, {engine.known:,} were known, "
        f"{time.monotonic() - begin:.0f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

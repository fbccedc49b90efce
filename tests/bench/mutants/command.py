"""The benchmark `mutants`: builds, records, judges, reports."""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass
from typing import Any

from bench.harness.bench import Bench, Failed, progress
from bench.harness.text_table import table
from testkit.paths import ROOT

from .judge import Judge, Verdicts
from .record import record_all
from .report import HEADINGS, Judged, row, summary, survivors
from .sample import Mutant, folders
from .suites import KINDS, Suites, Unguarded, Workplace, guard, spread
from .tree import BuildFailed, Tree

#: Processors that this process may use; `taskset` makes them fewer.
WORKERS = len(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Options:
    """What the command line says about mutants."""

    seed: int = 1
    #: Mutants a folder.
    sample: int = 200
    #: The folders that get mutants; all if there are none.
    only: tuple[str, ...] = ()
    #: The kinds of tests that run.
    tests: tuple[str, ...] = KINDS
    #: Longest to run tests for one mutant, in seconds of recorded time.
    limit: float = float("inf")


def add_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("mutants (runs only when named, for hours)")
    group.add_argument("--seed", type=int, default=1, help="of the sample")
    group.add_argument(
        "--sample", type=int, default=200, metavar="N", help="mutants a folder"
    )
    group.add_argument(
        "--only", action="append", default=[], metavar="FOLDER", help="may be repeated"
    )
    group.add_argument(
        "--tests",
        action="append",
        default=[],
        choices=KINDS,
        help="the tests to run (all); may be repeated",
    )
    group.add_argument(
        "--limit",
        type=float,
        default=float("inf"),
        metavar="SECONDS",
        help="test time a mutant; one that is not killed in it survives",
    )


def options_of(parsed: argparse.Namespace) -> Options:
    only = tuple(parsed.only)
    tests = tuple(parsed.tests) or KINDS
    return Options(parsed.seed, parsed.sample, only, tests, parsed.limit)


def mutants(bench: Bench, options: Options) -> dict[str, Any]:
    """The benchmark."""
    known = folders(ROOT)
    unknown = [folder for folder in options.only if folder not in known]
    if unknown:
        raise Failed(f"no folder '{unknown[0]}': there are {', '.join(known)}")
    try:
        guard()
    except Unguarded as why:
        raise Failed(str(why)) from why
    home = bench.build.resolve() / "mutants"
    tree = Tree(ROOT, home, options.seed, WORKERS, _say)
    places = [Workplace(tree, home / f"worker-{n}") for n in range(WORKERS)]
    try:
        of_number = tree.make(options.sample, options.only)
    except BuildFailed as failed:
        raise Failed(str(failed)) from failed
    suites = Suites(tree, options.tests)
    records = record_all(suites, places, progress)
    progress("")
    for record in records:
        if not record.passed:
            bench.leave_out(f"{record.test}, which fails without a mutant")
    judge = Judge(suites, records, Verdicts(home / "verdicts.jsonl"), options.limit)
    judged = _judge_all(judge, places, of_number)
    return _report(judged, [f for f in known if not options.only or f in options.only])


def _say(text: str) -> None:
    progress("")
    print(text, flush=True)


def _judge_all(
    judge: Judge,
    places: list[Workplace],
    of_number: dict[int, Mutant],
) -> list[Judged]:
    """The verdicts on all mutants."""
    judged: list[Judged] = []
    left: list[int] = []
    for number, mutant in of_number.items():
        verdict = judge.known(number, mutant)
        if verdict is None:
            left.append(number)
        else:
            judged.append((mutant, verdict))
    start = time.monotonic()
    done: list[Judged] = []

    def work(number: int, place: Workplace) -> None:
        verdict = judge.judge(number, of_number[number], place)
        done.append((of_number[number], verdict))
        seconds = (time.monotonic() - start) / len(done) * (len(left) - len(done))
        killed = sum(v.killed for _, v in done)
        progress(
            f"{len(done)} of {len(left)} mutants, {killed} killed, "
            f"about {seconds / 60:.0f} minutes left"
        )

    spread(work, left, places)
    progress("")
    return judged + done


def _report(judged: list[Judged], shown: list[str]) -> dict[str, Any]:
    results = {
        folder: summary([(m, v) for m, v in judged if m.folder == folder])
        for folder in shown
    }
    rows = [row(folder, results[folder]) for folder in shown]
    table("Mutants that a test kills", HEADINGS, rows)
    for folder in shown:
        lines = survivors([(m, v) for m, v in judged if m.folder == folder])
        if lines:
            print(f"\n{folder}: survivors")
            print("\n".join(lines))
    return results

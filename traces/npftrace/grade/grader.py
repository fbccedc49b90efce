"""Grades one submission: each line of the rubric with its points and evidence."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from npftrace.errors import InputError
from npftrace.grade.expectations import check
from npftrace.grade.lab import Lab, RubricLine
from npftrace.grade.sandbox import Sandbox
from npftrace.grade.workbench import Workbench, submitted, why_failed
from npftrace.runs.packet_file import PacketTest, read_test
from npftrace.runs.packet_tests import ON_X86, find_races, run_test

#: How much evidence a line shows.
EVIDENCE_LINES = 30
#: Of the orders in which frames arrive together.
SEED = 1


@dataclass(frozen=True)
class GradedLine:
    """A line of the rubric with the points that a submission gets for it."""

    line: RubricLine
    points: float
    evidence: list[str]


@dataclass(frozen=True)
class Grade:
    """All lines of a submission."""

    submission: str
    lab: Lab
    lines: list[GradedLine]
    #: What is wrong with the files that were handed in.
    problems: list[str]

    @property
    def points(self) -> float:
        return round(sum(line.points for line in self.lines), 2)


@cache
def _packet_test(path: Path) -> PacketTest:
    return read_test(path)


def grade(
    lab: Lab,
    folder: Path,
    sandbox: Sandbox,
    advance: Callable[[int], object] = lambda _: None,
) -> Grade:
    """Grades the files in `folder`. `advance` is called with 1 after each line."""
    files, problems = submitted(lab, folder)
    bench = Workbench(files, lab, sandbox)
    lines = []
    for line in lab.lines:
        lines.append(_graded(line, lab, bench))
        advance(1)
    return Grade(folder.resolve().name, lab, lines, problems)


def _graded(line: RubricLine, lab: Lab, bench: Workbench) -> GradedLine:
    share, evidence = (
        _run_packets(line, lab, bench) if line.packets else _run_commands(line, bench)
    )
    if len(evidence) > EVIDENCE_LINES:
        left_out = len(evidence) - EVIDENCE_LINES
        evidence = [*evidence[:EVIDENCE_LINES], f"… {left_out} more lines"]
    if share < 1 and line.says:
        evidence.append(line.says)
    return GradedLine(line, round(line.points * share, 2), evidence)


def _run_packets(
    line: RubricLine, lab: Lab, bench: Workbench
) -> tuple[float, list[str]]:
    """The share of packet tests that are right."""
    right, evidence = 0, []
    runs = [(name, place) for name in line.packets for place in line.places]
    for name, place in runs:
        problems = _run_packet_test(lab.tests[name], place, line.orders, bench)
        right += not problems
        evidence += [f"{name} on {place}: {'wrong' if problems else 'right'}"]
        evidence += [f"  {problem}" for problem in problems]
    return right / len(runs), evidence


def _run_packet_test(
    path: Path, place: str, orders: int, bench: Workbench
) -> list[str]:
    test = copy(_packet_test(path))
    program = test.program.name
    if program not in bench.files:
        return [f"{program} is missing"]
    with tempfile.TemporaryDirectory(prefix="npftrace-grade-") as name:
        folder = Path(name)
        test.program = folder / program
        test.program.write_bytes(bench.files[program])
        try:
            problems = run_test(test, place, folder, bench.call)
            if orders and place not in ON_X86 and not problems:
                found = find_races(test, place, folder, orders, SEED, bench.call)
                if found.races:
                    problems = [f"wrong in {found.races} of {orders} orders of arrival"]
                    problems += found.problems
        except InputError as error:
            problems = str(error.args[0]).splitlines()
    return [problem.replace(f"{path.parent}/", "") for problem in problems]


def _run_commands(line: RubricLine, bench: Workbench) -> tuple[float, list[str]]:
    """The share of expectations that are met after all commands have succeeded. Those
    that must be met only decide whether the others count."""
    for command in line.commands:
        outcome = bench.run(command)
        if outcome.status != 0:
            return 0.0, [f"$ {command}", why_failed(command.split()[0], outcome)]
    shares: list[float] = []
    evidence: list[str] = []
    is_void = False
    for expected in line.expectations:
        if is_void and not expected.get("must"):
            continue
        met = check(expected, bench.files)
        word = "right" if met.share == 1 else "partly" if met.share else "wrong"
        evidence += [f"{word}: {met.evidence[0]}"]
        evidence += [f"  {text}" for text in met.evidence[1:]]
        if expected.get("must"):
            is_void = is_void or met.share < 1
        else:
            shares.append(met.share)
    share = sum(shares) / len(shares) if shares else 1.0
    return 0.0 if is_void else share, evidence

"""Runs the tests that may notice a mutant until one of them fails.

Quick tests come first. Tests of one program or file that take about as long run
in one process, which ends with the first that fails.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock

from .record import Record
from .sample import Mutant
from .suites import Ran, Suites, Test, Workplace, by_group

#: Upper bounds of the time of tests that run together, quick ones first.
STAGES = (0.2, 1.0, 5.0, 30.0, float("inf"))
#: Longest that tests of a file run in one process.
TOGETHER_SECONDS = 30.0
#: A test that takes so many times as long as when it was recorded has failed.
TIMES = 10
#: Seconds to start the process of a kind of test.
START = {"gtest": 0.05, "lit": 0.3, "pytest": 2.0}

#: How the output names a test that failed or began.
NAMED = {
    "gtest": re.compile(r"^\[(?:  FAILED  | RUN      )\] ([^\s,]+)", re.M),
    "lit": re.compile(r"^[A-Z]+: karakal :: (\S+)", re.M),
}


@dataclass
class Verdict:
    """What became of a mutant."""

    key: str
    #: The test that failed; none if the mutant survived.
    killer: str = ""
    #: Tests that passed, by their stamps.
    passed: list[str] = field(default_factory=list)
    #: Tests that may notice it and did not run for want of time.
    left: int = 0
    #: Whether any test executes it, and any in which it makes a difference.
    executed: bool = False
    differed: bool = False
    #: The stamp of the test that failed.
    stamp: str = ""

    @property
    def killed(self) -> bool:
        return bool(self.killer)

    @property
    def why(self) -> str:
        """Why it survived."""
        if not self.executed:
            return "no test executes it"
        if not self.differed:
            return "the value is the same in all tests"
        if self.left:
            return f"no test fails, {self.left} tests were not run"
        return "no test fails"


class Verdicts:
    """The verdicts of earlier calls, in a file that only grows."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.known: dict[str, Verdict] = {}
        self.lock = Lock()
        if file.exists():
            for line in file.read_text().splitlines():
                try:
                    verdict = Verdict(**json.loads(line))
                except ValueError:
                    continue  # the call was interrupted
                self.known[verdict.key] = verdict

    def add(self, verdict: Verdict) -> None:
        with self.lock:
            self.known[verdict.key] = verdict
            with self.file.open("a") as file:
                file.write(json.dumps(verdict.__dict__) + "\n")


@dataclass
class Judge:
    """Finds the verdicts on mutants."""

    suites: Suites
    records: list[Record]
    verdicts: Verdicts
    #: Longest to run tests for one mutant, by their recorded times.
    seconds_max: float = float("inf")
    #: A test may take so much longer in any case.
    more_seconds: float = 10.0

    @cached_property
    def stamps(self) -> dict[Test, str]:
        """A test and all that its outcome depends on, but for the mutant."""
        stamps = {}
        for record in self.records:
            test = record.test
            text = f"{test} {self.suites.fingerprint(test.group)}"
            stamps[test] = hashlib.sha256(text.encode()).hexdigest()[:12]
        return stamps

    @cached_property
    def by_number(self) -> dict[int, tuple[list[Record], list[Record]]]:
        """The tests that may notice a mutant: those that reach it, and those
        that only an earlier test of the same file reaches it for."""
        found: dict[int, tuple[list[Record], list[Record]]] = {}
        for record in self.records:
            if not record.passed:
                continue
            for number in record.noticed:
                found.setdefault(number, ([], []))[0].append(record)
            for number in record.noticed_before:
                found.setdefault(number, ([], []))[1].append(record)
        return found

    @cached_property
    def executed(self) -> set[int]:
        return set().union(*(r.executed for r in self.records))

    def known(self, number: int, mutant: Mutant) -> Verdict | None:
        """The verdict, if nothing is left to run for it."""
        old = self.verdicts.known.get(mutant.key)
        if old is not None and old.stamp and old.stamp in self.stamps.values():
            return old
        if number not in self.by_number:
            return Verdict(mutant.key, executed=number in self.executed)
        if old is None or old.killed:
            return None
        wanted = [r for records in self.by_number[number] for r in records]
        left = [r for r in wanted if self.stamps[r.test] not in set(old.passed)]
        return None if left else old

    def judge(self, number: int, mutant: Mutant, place: Workplace) -> Verdict:
        """Runs tests until one fails or the time is over."""
        old = self.verdicts.known.get(mutant.key, Verdict(mutant.key))
        passed = set(old.passed) & set(self.stamps.values())
        verdict = Verdict(mutant.key, executed=True, differed=True)
        place.reset()
        seconds = 0.0
        for batch in self.batches(number, passed, old.killer):
            if seconds >= self.seconds_max:
                verdict.left += len(batch)
                continue
            expected = seconds_of(batch)
            seconds += expected
            ran = self._run(number, batch, place, expected)
            if not ran.passed:
                self._blame(verdict, batch, ran, place)
                break
            passed |= {self.stamps[record.test] for record in batch}
        if not verdict.killed:
            verdict.passed = sorted(passed)
        self.verdicts.add(verdict)
        return verdict

    def batches(
        self, number: int, passed: set[str], killer: str
    ) -> Iterator[list[Record]]:
        """The tests to run, in processes: first what killed the mutant before."""
        reached, before = (
            [r for r in records if self.stamps[r.test] not in passed]
            for records in self.by_number[number]
        )
        first = [r for r in (*reached, *before) if str(r.test) == killer]
        yield from ([record] for record in first)
        for records in (reached, before):
            yield from in_stages([r for r in records if r not in first])

    def _run(
        self, number: int, batch: list[Record], place: Workplace, expected: float
    ) -> Ran:
        tests = [record.test for record in batch]
        command, where = self.suites.command(place, tests[0].group, tests)
        return place.run(
            command,
            where,
            TIMES * expected + self.more_seconds,
            **{"": str(number)},
            _CHOSEN=str(place.folder / "chosen"),
            _RUNNING=str(place.folder / "running"),
        )

    def _blame(
        self, verdict: Verdict, batch: list[Record], ran: Ran, place: Workplace
    ) -> None:
        tests = [record.test for record in batch]
        failed = failed_test(tests, ran, place.folder / "running")
        verdict.killer = str(failed)
        verdict.stamp = self.stamps[failed]


def seconds_of(batch: list[Record]) -> float:
    """How long tests take in one process."""
    shared: dict[str, float] = {}
    for record in batch:
        shared |= record.shared
    own = sum(record.seconds for record in batch)
    start = START["pytest"] if batch[0].test.kind == "pytest" else 0.0
    return start + own + sum(shared.values())


def in_stages(records: list[Record]) -> Iterator[list[Record]]:
    """Tests that run together, in the order to run them."""
    low = 0.0
    for high in STAGES:
        stage = [r for r in records if low <= r.seconds_alone < high]
        low = high
        of = {record.test: record for record in stage}
        for tests in by_group(of).values():
            batch: list[Record] = []
            ordered = sorted((of[t] for t in tests), key=lambda r: r.seconds_alone)
            for record in ordered:
                if batch and seconds_of([*batch, record]) > TOGETHER_SECONDS:
                    yield batch
                    batch = []
                batch.append(record)
            yield batch


def failed_test(tests: list[Test], ran: Ran, running: Path) -> Test:
    """Which of the tests failed, or ran when the process ended."""
    pattern = NAMED.get(tests[0].kind)
    if pattern is not None:
        names = pattern.findall(ran.output)
    else:
        names = [running.read_text()] if running.exists() else []
    of_name = {test.name: test for test in tests}
    return next((of_name[n] for n in reversed(names) if n in of_name), tests[0])

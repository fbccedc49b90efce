"""Records which tests reach which mutants.

Each test runs once with no mutant on. It *notices* a mutant, possibly, if the
change made a difference in it. A pytest file may keep something from one test
to the next, such as a compiled program: a test of it may also notice what only
an earlier test reached.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .sample import COUNT_MAX
from .suites import Suites, Test, Workplace, spread

DIFFERED = 2
#: Longest a test program may take while it is recorded.
SECONDS_MAX = 1800.0


@dataclass
class Record:
    """What one test did with no mutant on."""

    test: Test
    passed: bool
    #: Of the test alone.
    seconds: float
    #: Of what it shares with other tests of its file, by name.
    shared: dict[str, float] = field(default_factory=dict)
    #: Mutants that made a difference in this test.
    noticed: set[int] = field(default_factory=set)
    #: Mutants that made one in an earlier test of the file.
    noticed_before: set[int] = field(default_factory=set)
    #: Mutants that were executed.
    executed: set[int] = field(default_factory=set)

    @property
    def seconds_alone(self) -> float:
        return self.seconds + sum(self.shared.values())


def record_all(
    suites: Suites, places: list[Workplace], tell: Callable[[str], None]
) -> list[Record]:
    """Records of all tests; only what has changed is run again."""
    recorder = _Recorder(suites)
    done = 0

    def work(job: Test, place: Workplace) -> None:
        nonlocal done
        place.reset()
        recorder.run(place, job)
        done += 1
        tell(f"recording {done} of {len(jobs)}: {job}")

    jobs = recorder.missing()
    spread(work, jobs, places)
    return recorder.records()


@dataclass
class _Recorder:
    suites: Suites

    @property
    def folder(self) -> Path:
        return self.suites.tree.home / "records"

    def file(self, job: Test) -> Path:
        name = re.sub(r"[^\w.-]+", "_", f"{job.group} {job.name}")[:180]
        return self.folder / f"{name}.json"

    @property
    def jobs(self) -> list[Test]:
        """What is recorded in one process: a pytest file (the name is empty) or one
        other test. Files come first, because they take long."""
        suites = self.suites
        files = [Test("pytest", file, "") for file in suites.pytest_files]
        tests = [*files, *suites.lit, *suites.gtest_folders]
        return [test for test in tests if test.kind in suites.kinds]

    def missing(self) -> list[Test]:
        return [job for job in self.jobs if self._read(job) is None]

    def _read(self, job: Test) -> list[dict[str, Any]] | None:
        file = self.file(job)
        if not file.exists():
            return None
        print_of, lines = json.loads(file.read_text())
        current = self.suites.fingerprint(job.group)
        return lines if print_of == current else None

    def run(self, place: Workplace, test: Test) -> None:
        log, out = place.folder / "log", place.folder / "record"
        with log.open("wb") as file:
            file.truncate(COUNT_MAX)
        if test.kind == "pytest":
            command = self.suites.pytest(test.group)
            where = self.suites.tree.source
            out.unlink(missing_ok=True)
            place.run(command, where, SECONDS_MAX, _LOG=str(log), _RECORD=str(out))
            text = out.read_text() if out.exists() else ""
            lines = [json.loads(line) for line in text.splitlines()]
        else:
            command, where = self.suites.command(place, test.group, [test])
            ran = place.run(command, where, SECONDS_MAX, _LOG=str(log))
            reached = {
                match.start(): match[0][0]
                for match in re.finditer(rb"[^\0]", log.read_bytes())
            }
            lines = [
                {
                    "test": test.name,
                    "reached": reached,
                    "seconds": ran.seconds,
                    "fixtures": [],
                    "outcomes": ["passed" if ran.passed else "failed"],
                }
            ]
        self.folder.mkdir(parents=True, exist_ok=True)
        content = [self.suites.fingerprint(test.group), lines]
        self.file(test).write_text(json.dumps(content))

    def records(self) -> list[Record]:
        found: list[Record] = []
        for job in self.jobs:
            found += _records(job, self._read(job) or [])
        return found


def _records(job: Test, lines: Iterable[dict[str, Any]]) -> list[Record]:
    """The records of tests that ran in one process, in their order."""
    executed: defaultdict[str, set[int]] = defaultdict(set)
    noticed: defaultdict[str, set[int]] = defaultdict(set)
    seconds: dict[str, float] = {}
    records = []
    before: set[int] = set()
    for line in lines:
        reached = {int(number): what for number, what in line["reached"].items()}
        differed = {number for number, what in reached.items() if what & DIFFERED}
        if "test" not in line:  # a fixture, or what importing the file reached
            name = line.get("fixture", "")
            executed[name] |= reached.keys()
            noticed[name] |= differed
            seconds[name] = max(line.get("seconds", 0.0), seconds.get(name, 0.0))
            continue
        shared = ["", *line["fixtures"]]
        differed = differed.union(*(noticed[name] for name in shared))
        record = Record(
            Test(job.kind, job.group, line["test"]),
            line["outcomes"] == ["passed"],
            line["seconds"],
            {name: seconds[name] for name in shared if name in seconds},
            differed,
            before - differed,
            set(reached).union(*(executed[name] for name in shared)),
        )
        before = before | differed
        if "skipped" not in line["outcomes"]:
            records.append(record)
    return records

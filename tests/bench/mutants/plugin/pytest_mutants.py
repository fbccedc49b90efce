"""Runs chosen tests of a file, and records which mutants each test reaches.

KARAKAL_MUTANT_CHOSEN=FILE names the tests to run, in that order.
KARAKAL_MUTANT_RUNNING=FILE gets the name of the test that runs.
KARAKAL_MUTANT_RECORD=FILE gets a JSON object a line: what was reached by
importing the file, by each fixture that tests share, and by each test.
"""

from __future__ import annotations

import json
import mmap
import os
import re
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

#: What became of mutants, by number; see MutantSwitch.h.
Reached = dict[int, int]


def pytest_configure(config: pytest.Config) -> None:
    if "KARAKAL_MUTANT_RECORD" in os.environ:
        config.pluginmanager.register(Recorder())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if "KARAKAL_MUTANT_CHOSEN" not in os.environ:
        return
    chosen = Path(os.environ["KARAKAL_MUTANT_CHOSEN"]).read_text().split("\n")
    order = {name: index for index, name in enumerate(chosen)}
    items[:] = [item for item in items if name_of(item) in order]
    items.sort(key=lambda item: order[name_of(item)])


def pytest_runtest_logstart(nodeid: str) -> None:
    if "KARAKAL_MUTANT_RUNNING" in os.environ:
        Path(os.environ["KARAKAL_MUTANT_RUNNING"]).write_text(on_a_line(nodeid))


def name_of(item: pytest.Item) -> str:
    return on_a_line(item.nodeid)


def on_a_line(name: str) -> str:
    return name.replace("\n", "\\n")


class Recorder:
    """The log of mutants that were reached, which all processes of a test share,
    is read and cleared wherever another test or fixture begins."""

    def __init__(self) -> None:
        path = os.environ["KARAKAL_MUTANT_LOG"]
        with open(path, "r+b") as log:
            self.log = mmap.mmap(log.fileno(), 0)
        self.out = open(os.environ["KARAKAL_MUTANT_RECORD"], "w")  # noqa: SIM115
        #: What the running fixtures and the test around them reached.
        self.open: list[Reached] = [{}]
        self.shared_seconds = 0.0
        self.outcomes: set[str] = set()

    def take(self) -> None:
        """Gives what was reached to the innermost that runs."""
        for match in re.finditer(rb"[^\0]", self.log):
            reached = self.open[-1]
            number = match.start()
            reached[number] = reached.get(number, 0) | match[0][0]
            self.log[number] = 0

    def begin(self) -> None:
        self.take()
        self.open.append({})

    def end(self) -> Reached:
        self.take()
        return self.open.pop()

    def write(self, **what: Any) -> None:
        print(json.dumps(what), file=self.out, flush=True)

    def pytest_collection_finish(self) -> None:
        self.take()
        self.write(reached=self.open[0])

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, object, object]:
        self.begin()
        start = time.monotonic()
        try:
            return (yield)
        finally:
            reached = self.end()
            seconds = time.monotonic() - start
            if fixturedef.scope == "function":
                for number, what in reached.items():
                    self.open[-1][number] = self.open[-1].get(number, 0) | what
            else:
                self.shared_seconds += seconds
                name = fixture_name(fixturedef)
                self.write(fixture=name, reached=reached, seconds=seconds)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item
    ) -> Generator[None, object, object]:
        self.begin()
        self.shared_seconds = 0.0
        self.outcomes = set()
        start = time.monotonic()
        result = yield
        seconds = time.monotonic() - start - self.shared_seconds
        self.write(
            test=name_of(item),
            reached=self.end(),
            seconds=seconds,
            fixtures=fixtures_of(item),
            outcomes=sorted(self.outcomes),
        )
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.outcomes.add(report.outcome)


def fixture_name(fixturedef: Any) -> str:
    return f"{fixturedef.baseid}::{fixturedef.argname}"


def fixtures_of(item: pytest.Item) -> list[str]:
    """The fixtures that a test uses, directly or through others."""
    known = item._fixtureinfo.name2fixturedefs  # type: ignore[attr-defined]
    return [fixture_name(known[n][-1]) for n in known]

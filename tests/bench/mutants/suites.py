"""The tests of the copy: GoogleTest programs, lit files, pytest files.

A worker has a view of the build tree of its own: what tests write there
(lit's outputs, caches of the benchmarks) is separate and is gone before the
next mutant, for what one mutant made must not be found by another.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from .tree import Tree

HERE = Path(__file__).parent
#: The kinds of tests, quick ones first.
KINDS = ("gtest", "lit", "pytest")
LIT = "/usr/lib/llvm-19/build/utils/lit/lit.py"
#: What tests write into the build tree.
WRITTEN = ("tests-lit", "cache", "bench", "demo")
#: Tests that look at the form of the sources, and this benchmark's own.
NOT_RUN = ("tests/repository/", "tests/bench/mutants/")
#: A mutant may run away; a test needs far less than this.
LIMITS = ["prlimit", "--data=6442450944", "--fsize=4294967296", "--core=0"]
#: Root may replace devices, and a mutant of code that writes files does so: it
#: renames a file over /dev/null. Root's tests see device files that cannot change.
GUARD = [
    "unshare", "--mount", "sh", "-c",
    'mount --rbind /dev /dev && mount -o remount,bind,ro /dev && exec "$@"', "sh",
]  # fmt: skip
#: A busy machine makes a test wait; one that only waits ends after so many times
#: the processor time that it may take.
WAITS = 5
OUTPUT_BYTES = 20_000


@dataclass(frozen=True)
class Test:
    """A test that can be run alone."""

    __test__ = False  # pytest collects no tests from it

    kind: str
    #: The program or file it belongs to; tests of a group run in one process.
    group: str
    name: str

    def __str__(self) -> str:
        return self.name if self.kind == "pytest" else f"{self.group} {self.name}"


@dataclass
class Ran:
    """A process that ended."""

    status: int
    seconds: float
    output: str

    @property
    def passed(self) -> bool:
        return self.status == 0


class Unguarded(Exception):
    """Root cannot be kept from changing devices."""


@cache
def guard() -> list[str]:
    """The command before each test that keeps mutants from changing devices."""
    if os.geteuid() != 0:
        return []
    if subprocess.run([*GUARD, "true"]).returncode != 0:
        raise Unguarded("mutants could replace devices: run as another user")
    return GUARD


class Stopped(Exception):
    """The benchmark was interrupted while a test ran."""


@dataclass
class Workplace:
    """Where a worker runs tests."""

    tree: Tree
    folder: Path
    process: subprocess.Popen[bytes] | None = None
    stopped: bool = False

    @property
    def view(self) -> Path:
        return self.folder / "build"

    def reset(self) -> None:
        """Nothing of an earlier mutant is left."""
        shutil.rmtree(self.folder, ignore_errors=True)
        for name in ("build", "tmp", "home"):
            (self.folder / name).mkdir(parents=True)
        for entry in self.tree.build.iterdir():
            if entry.name not in WRITTEN:
                (self.view / entry.name).symlink_to(entry)

    def environment(self, **more: str) -> dict[str, str]:
        source = self.tree.source
        outside = {k: v for k, v in os.environ.items() if not k.startswith("KARAKAL_")}
        python = [source / "traces", self.view / "python", HERE / "plugin"]
        paths = [self.view / "bin", Path(sys.executable).parent, os.environ["PATH"]]
        return {
            **outside,
            "KARAKAL_BUILD": str(self.view),
            "PYTHONPATH": os.pathsep.join(map(str, python)),
            "PATH": os.pathsep.join(map(str, paths)),
            "TMPDIR": str(self.folder / "tmp"),
            "HOME": str(self.folder / "home"),
            "XDG_CACHE_HOME": str(self.folder / "home/cache"),
            **{f"KARAKAL_MUTANT{name}": value for name, value in more.items()},
        }

    def run(
        self, command: list[str], where: Path, seconds: float, **environment: str
    ) -> Ran:
        """Runs a process and ends all that it started. Each may take so many
        seconds of processor time."""
        output = self.folder / "output"
        start = time.monotonic()
        with output.open("wb") as file:
            process = subprocess.Popen(
                [*guard(), *LIMITS, f"--cpu={math.ceil(seconds)}", "--", *command],
                cwd=where,
                env=self.environment(**environment),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self.process = process
            try:
                status = process.wait(WAITS * seconds)
            except subprocess.TimeoutExpired:
                status = -signal.SIGKILL
            finally:
                _end_session(process)
        if self.stopped:
            raise Stopped
        text = output.read_bytes()[-OUTPUT_BYTES:].decode(errors="replace")
        return Ran(status, time.monotonic() - start, text)

    def stop(self) -> None:
        """Ends what runs, from another thread."""
        self.stopped = True
        if self.process is not None:
            _end_session(self.process)


def _end_session(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


Job = TypeVar("Job")


def spread(
    work: Callable[[Job, Workplace], None], jobs: list[Job], places: list[Workplace]
) -> None:
    """Does the work for all jobs, one at a time in each place."""
    free: SimpleQueue[Workplace] = SimpleQueue()
    for place in places:
        free.put(place)

    def at_a_place(job: Job) -> None:
        place = free.get()
        try:
            work(job, place)
        finally:
            free.put(place)

    with ThreadPoolExecutor(len(places)) as workers:
        try:
            list(workers.map(at_a_place, jobs))
        except BaseException:
            for place in places:
                place.stop()
            workers.shutdown(cancel_futures=True)
            raise


@dataclass(eq=False)
class Suites:
    """All tests of the copy."""

    tree: Tree
    kinds: Sequence[str] = KINDS

    # Which tests there are.

    @cached_property
    def gtest_folders(self) -> dict[Test, str]:
        """The GoogleTest cases, each with the folder that it runs in."""
        listed = subprocess.run(
            ["ctest", "--test-dir", str(self.tree.build), "--show-only=json-v1"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        found = {}
        for test in json.loads(listed)["tests"]:
            program, *options = test.get("command", [""])
            cases = [o for o in options if o.startswith("--gtest_filter=")]
            if not cases:
                continue
            properties = {p["name"]: p["value"] for p in test["properties"]}
            group = os.path.relpath(program, self.tree.build)
            name = cases[0].partition("=")[2]
            found[Test("gtest", group, name)] = properties["WORKING_DIRECTORY"]
        return found

    @cached_property
    def lit(self) -> list[Test]:
        """The lit tests, by their path below tests/."""
        listed = subprocess.run(
            [sys.executable, LIT, "--show-tests", str(self.tree.source / "tests")],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "KARAKAL_BUILD": str(self.tree.build)},
        ).stdout
        names = [line.split(" :: ")[1].strip() for line in listed.splitlines()
                 if " :: " in line]  # fmt: skip
        return [Test("lit", "lit", name) for name in names]

    @cached_property
    def pytest_files(self) -> list[str]:
        found = []
        for top in ("tests", "traces"):
            for path in sorted((self.tree.source / top).rglob("test_*.py")):
                name = str(path.relative_to(self.tree.source))
                if not name.startswith(NOT_RUN):
                    found.append(name)
        return found

    # How they run.

    def command(
        self, place: Workplace, group: str, tests: list[Test]
    ) -> tuple[list[str], Path]:
        """The command that runs tests of one group up to the first that fails,
        and the folder to run it in."""
        kind = tests[0].kind
        if kind == "gtest":
            names = ":".join(test.name for test in tests)
            program = str(self.tree.build / group)
            options = [f"--gtest_filter={names}", "--gtest_fail_fast"]
            return [program, *options], Path(self.gtest_folders[tests[0]])
        if kind == "lit":
            files = [str(self.tree.source / "tests" / test.name) for test in tests]
            options = ["-q", "-j1", "--max-failures=1"]
            return [sys.executable, LIT, *options, *files], self.tree.source
        chosen = place.folder / "chosen"
        chosen.write_text("\n".join(test.name for test in tests))
        return self.pytest(group, "-x"), self.tree.source

    def pytest(self, file: str, *options: str) -> list[str]:
        plugins = ["-p", "pytest_mutants", "-p", "no:cacheprovider"]
        return [sys.executable, "-m", "pytest", "-q", *plugins, *options, file]

    # What they depend on.

    @cached_property
    def _tools(self) -> str:
        """A hash of what any test may run."""
        build, source = self.tree.build, self.tree.source
        folders = (build / "bin", build / "python", source / "traces/npftrace")
        return hash_of(_files(*folders, source / "runtime", source / "apps"))

    @cache  # noqa: B019 (as long as the benchmark)
    def fingerprint(self, group: str) -> str:
        """A hash of all that the outcome of the group's tests depends on."""
        source = self.tree.source / "tests"
        if group == "lit":
            return self._tools + hash_of(
                p for p in _files(source) if p.suffix != ".cpp" and p.suffix != ".py"
            )
        if not group.endswith(".py"):
            return self._tools + hash_of([self.tree.build / group])
        own = self.tree.source / group
        shared = (
            p
            for p in _files(source)
            if p.suffix not in (".cpp", ".h") and not p.name.startswith("test_")
        )
        return self._tools + hash_of([own, *shared])


def _files(*folders: Path) -> Iterable[Path]:
    for folder in folders:
        if not folder.exists():
            continue
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path


def hash_of(files: Iterable[Path]) -> str:
    hashed = hashlib.blake2b(digest_size=8)
    for path in files:
        hashed.update(str(path).encode() + b"\0")
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                hashed.update(block)
    return hashed.hexdigest()


def by_group(tests: Iterable[Test]) -> dict[str, list[Test]]:
    groups = defaultdict(list)
    for test in tests:
        groups[test.group].append(test)
    return dict(groups)

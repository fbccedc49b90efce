"""The copy of the checkout that holds all sampled mutants, and its build.

The copy lies in the build tree. An unchanged file compiles by the same command
as in the checkout, so ccache has it. Mutants that do not compile are dropped,
and the next of their folder take their place.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .python_sites import with_import
from .sample import PACKAGE_FOLDER, Mutant, candidates, folders, numbered, tracked
from .sites import Lines, Span, render

HERE = Path(__file__).parent
#: So many more mutants than asked for are tried at once, since some do not compile.
SPARE = 1.25
INCLUDE = b'#include "MutantSwitch.h"\n'
#: `file:line:column: error: message` of the compiler, and the notes below it.
SAID = re.compile(r"^(\S+?):(\d+):(\d+): (fatal error|error|note): ", re.M)
#: The object file that ninja could not make.
FAILED = re.compile(r"^FAILED: .*?(\S+)/CMakeFiles/[^/]+\.dir/(\S+)\.o\b", re.M)


class BuildFailed(Exception):
    """The copy does not build, and no mutant is to blame."""


@dataclass
class Instrumented:
    """A file with switches."""

    lines: Lines
    spans: list[Span]

    def mutants_at(self, line: int, column: int) -> set[int]:
        """The innermost switch there, else all that share the line."""
        if line > len(self.lines.starts):
            return set()
        offset = self.lines.offset(line, column)
        around = [s for s in self.spans if s.start <= offset < s.end]
        if around:
            return {min(around, key=lambda span: span.end - span.start).number}
        start, ends = self.lines.starts[line - 1], [*self.lines.starts, 1 << 60]
        return {s.number for s in self.spans if s.start < ends[line] and start < s.end}


@dataclass
class Tree:
    """The copy of a checkout, in a folder of its build tree."""

    root: Path
    home: Path
    seed: int
    jobs: int = 2
    say: Callable[[str], None] = print
    files: dict[str, Instrumented] = field(default_factory=dict)

    @property
    def source(self) -> Path:
        return self.home / "src"

    @property
    def build(self) -> Path:
        return self.source / "build"

    def make(self, count: int, only: Collection[str] = ()) -> dict[int, Mutant]:
        """Builds the copy with so many mutants in each of these folders, or of
        all; fewer where a folder has no more. Returns them by number."""
        files = tracked(self.root)
        order = {
            folder: candidates(self.root, folder, files, self.seed)
            for folder in only or folders(self.root)
        }
        built = max(count, self._built(order))
        dropped = self._dropped()
        while True:
            tried = numbered(
                [
                    mutant
                    for mutants in order.values()
                    for mutant in mutants[: self.tries(mutants, built, dropped)]
                    if mutant.key not in dropped
                ]
            )
            self.say(f"building {len(tried)} mutants in {self.source}")
            self._write(files, tried)
            bad = self._compile()
            if not bad:
                break
            dropped |= {tried[number].key for number in bad}
            self.say(f"{len(bad)} of them do not compile")
            self._remember("dropped", sorted(dropped))
        self._remember("built", [built, _state(order)])
        sampled = set[str]()
        for mutants in order.values():
            good = [m.key for m in mutants if m.key not in dropped]
            sampled |= set(good[:count])
        return {n: m for n, m in tried.items() if m.key in sampled}

    @staticmethod
    def tries(mutants: list[Mutant], count: int, dropped: set[str]) -> int:
        """How many of a folder's first mutants are compiled, those that were
        dropped included. The same for the same arguments, so that a second call
        finds everything built."""
        tries = round(count * SPARE)
        while tries < len(mutants):
            if sum(m.key not in dropped for m in mutants[:tries]) >= count:
                break
            tries += 1 + count // 8
        return tries

    # What is remembered from call to call.

    def _remember(self, name: str, value: object) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        (self.home / f"{name}.json").write_text(json.dumps(value))

    def _dropped(self) -> set[str]:
        file = self.home / "dropped.json"
        return set(json.loads(file.read_text())) if file.exists() else set()

    def _built(self, order: dict[str, list[Mutant]]) -> int:
        """How many of these mutants a folder the copy holds."""
        file = self.home / "built.json"
        if not file.exists():
            return 0
        count, state = json.loads(file.read_text())
        return int(count) if state == _state(order) else 0

    # The copy.

    def _write(self, files: list[str], mutants: dict[int, Mutant]) -> None:
        of_file: dict[str, dict[int, Mutant]] = {}
        for number, mutant in mutants.items():
            of_file.setdefault(mutant.file, {})[number] = mutant
        self.files = {}
        written = {
            "MutantSwitch.h": HERE / "MutantSwitch.h",
            f"{PACKAGE_FOLDER}/mutant_switch.py": HERE / "mutant_switch.py",
        }
        for name, path in written.items():
            _put(self.source / name, path.read_bytes(), path)
        for file in files:
            path = self.root / file
            if path.is_dir():
                continue
            text = path.read_bytes()
            if file in of_file:
                text = self._instrument(file, text, of_file[file])
            _put(self.source / file, text, path)
        for path in _all_files(self.source):
            name = str(path.relative_to(self.source))
            if name not in written and name not in files:
                path.unlink()

    def _instrument(
        self, file: str, source: bytes, mutants: dict[int, Mutant]
    ) -> bytes:
        text, spans = render(source, {n: m.site for n, m in mutants.items()})
        if file.endswith(".py"):
            return with_import(source, text)
        moved = [
            Span(s.number, s.start + len(INCLUDE), s.end + len(INCLUDE)) for s in spans
        ]
        self.files[file] = Instrumented(Lines(INCLUDE + text), moved)
        return INCLUDE + text

    # The build.

    def _compile(self) -> set[int]:
        """Builds; returns the mutants that do not compile."""
        if not (self.build / "build.ninja").exists():
            configure = ["cmake", "--preset", "default"]
            done = subprocess.run(
                configure, cwd=self.source, capture_output=True, text=True
            )
            if done.returncode != 0:
                raise BuildFailed(done.stdout[-2000:] + done.stderr[-2000:])
        command = ["ninja", "-C", str(self.build), "-k", "0", "-j", str(self.jobs)]
        done = subprocess.run(command, capture_output=True, text=True)
        (self.home / "last-build.log").write_text(done.stdout)
        if done.returncode == 0:
            return set()
        bad = self.to_blame(done.stdout)
        if not bad:
            raise BuildFailed(f"no mutant is to blame for\n{done.stdout[-4000:]}")
        return bad

    def to_blame(self, said: str) -> set[int]:
        """The mutants that the compiler's errors are about. An error and its
        notes blame the first place among them that holds a switch."""
        bad: set[int] = set()
        found = True
        for match in SAID.finditer(said):
            if match[4] != "note":
                found = False
            if found:
                continue
            file = os.path.relpath(
                os.path.realpath(self.build / match[1]), os.path.realpath(self.source)
            )
            if file in self.files:
                at = self.files[file].mutants_at(int(match[2]), int(match[3]))
                found = bool(at)
                bad |= at
        if not bad:  # all those of the files that do not compile
            for match in FAILED.finditer(said):
                file = f"{match[1]}/{match[2]}"
                if file in self.files:
                    bad |= {span.number for span in self.files[file].spans}
        return bad


def _state(order: dict[str, list[Mutant]]) -> str:
    keys = [mutant.key for mutants in order.values() for mutant in mutants]
    return hashlib.sha256(" ".join(keys).encode()).hexdigest()


def _put(target: Path, text: bytes, source: Path) -> None:
    """Writes a file unless it is there already, which keeps its time."""
    if target.exists() and target.read_bytes() == text:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text)
    shutil.copymode(source, target)


def _all_files(source: Path) -> Iterator[Path]:
    """The files of the copy, without its build tree."""
    for folder, inside, names in os.walk(source):
        inside[:] = [
            name
            for name in inside
            if name != "__pycache__" and Path(folder, name) != source / "build"
        ]
        yield from (Path(folder, name) for name in names)

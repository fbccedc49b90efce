"""The files of one submission, and the commands that read and write them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from npftrace.errors import InputError
from npftrace.grade.isolation import build_and_source
from npftrace.grade.lab import Lab
from npftrace.grade.limits import Limits, Outcome
from npftrace.grade.sandbox import Sandbox

#: A file that is handed in is at most this large.
FILE_BYTES_MAX = 1 << 20
#: How a file names another that it needs.
NEEDS = re.compile(rb'^\s*(?:import\s+(\w+)\s*;|#include\s+"([\w.-]+)")', re.M)
#: What may stand around a file's name in a word of a command.
AROUND = re.compile(r"[=:,]")
#: What is shown of a complaint: its beginning, where compilers name the first error,
#: and its end, where Python does.
COMPLAINT_BEGIN, COMPLAINT_END = 9, 3


def submitted(lab: Lab, folder: Path) -> tuple[dict[str, bytes], list[str]]:
    """The files of a submission by name, and what is wrong with those that cannot
    be taken. Links are not followed: they could lead to another's work."""
    files: dict[str, bytes] = {}
    problems = []
    for name in lab.files:
        path = folder / name
        if path.is_symlink() or not path.is_file():
            problems.append(f"{name} is missing")
        elif path.stat().st_size > FILE_BYTES_MAX:
            problems.append(f"{name} is larger than {FILE_BYTES_MAX >> 20} MiB")
        else:
            try:
                files[name] = path.read_bytes()
            except OSError as error:
                problems.append(f"{name} cannot be read: {error.strerror}")
    return files, problems


def why_failed(tool: str, outcome: Outcome) -> str:
    """One text about a command that did not end with status 0."""
    why = outcome.ended or f"exit status {outcome.status}"
    said = (outcome.complained or outcome.printed).strip().splitlines()
    left_out = len(said) - COMPLAINT_BEGIN - COMPLAINT_END
    if left_out > 1:
        more = f"… {left_out} more lines"
        said = [*said[:COMPLAINT_BEGIN], more, *said[-COMPLAINT_END:]]
    return "\n".join([f"{tool}: {why}", *(f"  {line}" for line in said)])


def _words(command: str) -> list[str]:
    """The words of a command. `{build}` and `{source}` are Karakal's folders."""
    build, source = build_and_source() or ("", "")
    named = command.replace("{build}", str(build)).replace("{source}", str(source))
    return shlex.split(named)


class Workbench:
    """Files by name: handed in, of the lab, and made by commands."""

    def __init__(self, files: Mapping[str, bytes], lab: Lab, sandbox: Sandbox) -> None:
        self.files = dict(files)
        self.files |= {name: path.read_bytes() for name, path in lab.tests.items()}
        self._fixed = set(lab.tests)
        self._sandbox = sandbox
        self._limits: Limits = lab.limits
        self._done: dict[str, Outcome] = {}

    def needed(self, names: set[str]) -> dict[str, bytes]:
        """The named files, and those that they import or include."""
        found: dict[str, bytes] = {}
        waiting = sorted(names)
        while waiting:
            name = waiting.pop()
            if name in found or name not in self.files:
                continue
            found[name] = self.files[name]
            if not name.endswith((".baker", ".uc", ".cpp", ".c", ".h")):
                continue
            for module, header in NEEDS.findall(found[name]):
                waiting.append((module + b".baker" if module else header).decode())
        return found

    def run(self, command: str) -> Outcome:
        """Runs a command of a rubric, once. `> NAME` at its end keeps what it
        prints. What it writes is kept if it succeeds, but never replaces a file."""
        if command in self._done:
            return self._done[command]
        words = _words(command)
        printed = words.pop() if len(words) > 2 and words[-2] == ">" else ""
        words = words[:-1] if printed else words
        parts = (part for word in words for part in AROUND.split(word))
        named = {part.removeprefix("./") for part in parts}
        inputs = self.needed(named & set(self.files))
        outcome = self._sandbox.run(words, inputs, self._limits)
        if outcome.status == 0:
            made = dict(outcome.files)
            if printed:
                made[printed] = outcome.printed.encode()
            self.files |= {n: d for n, d in made.items() if n not in self.files}
        self._done[command] = outcome
        return outcome

    def call(self, *command: str | Path) -> None:
        """Runs a tool whose command names files of the computer by absolute paths;
        InputError if it fails."""
        words: list[str] = []
        inputs: dict[str, bytes] = {}
        outputs: dict[str, Path] = {}
        for word in map(str, command):
            head, equals, tail = word.rpartition("=")
            path = Path(tail)
            if not path.is_absolute():
                words.append(word)
                continue
            words.append(head + equals + path.name)
            if path.exists():
                inputs[path.name] = path.read_bytes()
            else:
                outputs[path.name] = path
        inputs = {**self.needed(set(inputs)), **inputs}
        outcome = self._sandbox.run(words, inputs, self._limits)
        if outcome.status != 0:
            raise InputError("E-traces-152", why_failed(words[0], outcome))
        for name, path in outputs.items():
            path.write_bytes(outcome.files.get(name, b""))

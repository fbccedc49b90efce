"""Runs one command of a submission, apart and within limits."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from npftrace.grade.isolation import (
    COMPLAINED,
    PRINTED,
    PRINTED_KIB,
    Isolation,
    no_isolation,
    said_folder,
    usable_methods,
)
from npftrace.grade.limits import (
    Limits,
    Outcome,
    excess_of,
    reason_of,
    wrote_too_much,
)
from npftrace.grade.usage import usage

#: What is kept of the text that a command prints, each stream.
PRINTED_BYTES = PRINTED_KIB << 10
#: How a program begins, which a command may run.
ELF = b"\x7fELF"
#: A folder is full when it has no space for another page.
PAGE_BYTES = 4096
#: An archive is a little larger than the folder that it holds.
ARCHIVE_SLACK = 4 << 20
#: How often the use of a running command is looked at.
WATCH_SECONDS = 0.1
#: A command that leaves more is run again for the next submission that asks, so that
#: a hundred full folders are not kept in memory.
KEPT_BYTES = 8 << 20


class Sandbox:
    """Runs commands with the same inputs once, however many submissions ask."""

    def __init__(self, method: str = "auto", limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._jobs = itertools.count()
        self._lock = threading.Lock()
        self._known: dict[str, Future[Outcome]] = {}
        self._isolation = self._find(method)

    @property
    def method(self) -> str:
        return self._isolation.method

    def _find(self, method: str) -> Isolation:
        if method != "auto":
            return Isolation(method)
        # The tools must run there, or everybody would get no points.
        probe = ["bakerc", "--help"] if shutil.which("bakerc") else ["true"]
        tried: dict[str, str] = {}
        for name in usable_methods():
            found = self._start(Isolation(name), probe, {}, Limits())
            if found.status == 0:
                return Isolation(name)
            tried[name] = (found.ended or found.complained).strip()
        raise no_isolation(tried)

    def run(
        self,
        command: Sequence[str],
        inputs: Mapping[str, bytes],
        limits: Limits | None = None,
    ) -> Outcome:
        """Runs `command` in a folder with these files."""
        bounds = limits or self.limits
        digests = {n: hashlib.sha256(data).hexdigest() for n, data in inputs.items()}
        key = json.dumps([list(command), digests, repr(bounds)], sort_keys=True)
        with self._lock:
            is_new = key not in self._known
            future = self._known.setdefault(key, Future())
        if is_new:
            try:
                found = self._start(self._isolation, command, inputs, bounds)
            except BaseException as error:
                future.set_exception(error)
                raise
            if sum(map(len, found.files.values())) > KEPT_BYTES:
                del self._known[key]
            future.set_result(found)
        return future.result()

    def _start(
        self,
        isolation: Isolation,
        command: Sequence[str],
        inputs: Mapping[str, bytes],
        limits: Limits,
    ) -> Outcome:
        with tempfile.TemporaryDirectory(prefix="npftrace-grade-") as name:
            base = Path(name)
            base.chmod(0o755)
            work = base / "work"
            for part in (base / "in", base / "root", work, said_folder(work)):
                part.mkdir(mode=0o755)
            for file, data in inputs.items():
                (base / "in" / file).write_bytes(data)
                (base / "in" / file).chmod(0o755 if data[:4] == ELF else 0o644)
            words, environment = isolation.command(
                command, base / "in", work, limits, next(self._jobs)
            )
            run = _stream(words, environment, limits)
        files = _files(run.archive, limits)
        texts = [files.pop(name, b"") for name in (PRINTED, COMPLAINED)]
        ended = run.ended or reason_of(run.status, limits)
        if not run.ended and max(map(len, texts)) >= PRINTED_BYTES:
            ended = f"it printed more than {PRINTED_KIB} KiB"
        elif run.status and _pages(files) > (limits.disk_mib << 20) - PAGE_BYTES:
            ended = wrote_too_much(limits)
        # The folder's name is another at each run; a grade is the same twice.
        printed, complained = (_text(text).replace(f"{work}/", "") for text in texts)
        is_kept = run.status == 0
        new = {n: data for n, data in files.items() if is_kept and n not in inputs}
        return Outcome(run.status, printed, complained or run.said, new, ended)


def _pages(files: Mapping[str, bytes]) -> int:
    """The bytes that files take in memory."""
    return sum(-(-len(data) // PAGE_BYTES) * PAGE_BYTES for data in files.values())


def _archive_bytes(limits: Limits) -> int:
    return (limits.disk_mib << 20) + ARCHIVE_SLACK


@dataclass(frozen=True)
class _Run:
    """How a process ended, what it printed up to the limit, what it complained of,
    and why it was ended, or an empty text."""

    status: int
    archive: bytes
    said: str
    ended: str


class _Watch:
    """Ends a process that lasts too long or uses too much with its descendants."""

    def __init__(self, process: subprocess.Popen[bytes], limits: Limits) -> None:
        self.ended = ""
        self._process, self._limits = process, limits
        self._is_done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        end = time.monotonic() + self._limits.wall_seconds
        while not self._is_done.wait(WATCH_SECONDS):
            if time.monotonic() > end:
                return self.end(f"it did not end within {self._limits.wall_seconds} s")
            why = excess_of(usage(self._process.pid), self._limits)
            if why:
                return self.end(why)

    def end(self, why: str) -> None:
        self.ended = why
        _kill(self._process)

    def stop(self) -> None:
        self._is_done.set()
        self._thread.join()


def _stream(words: list[str], environment: dict[str, str], limits: Limits) -> _Run:
    """Runs a process to its end, which may be forced."""
    process = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    )
    watch = _Watch(process, limits)
    try:
        assert process.stdout and process.stderr
        archive = process.stdout.read(_archive_bytes(limits) + 1)
        if len(archive) > _archive_bytes(limits):
            watch.end(wrote_too_much(limits))
        said = process.stderr.read(PRINTED_BYTES)
        process.stdout.close()
        process.stderr.close()
        status = process.wait()
    finally:
        watch.stop()
        _kill(process)
    status = 128 - status if status < 0 else status
    return _Run(status, archive, _text(said), watch.ended)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Ends the process and, as `unshare` and `bwrap` do, all that it started."""
    if process.poll() is None:
        os.killpg(process.pid, 9)


def _text(data: bytes) -> str:
    cut = data[:PRINTED_BYTES].decode(errors="replace")
    return "".join(c if c.isprintable() or c in "\n\t" else "�" for c in cut)


def _files(archive: bytes, limits: Limits) -> dict[str, bytes]:
    """The regular files at the top of an archive; what is damaged is left out."""
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as tar:
            for member in tar:
                name = member.name.removeprefix("./")
                body = tar.extractfile(member) if member.isfile() else None
                if body and "/" not in name and name not in (".", ".."):
                    found[name] = body.read(_archive_bytes(limits))
    except (tarfile.TarError, EOFError, ValueError, OSError):
        pass
    return found

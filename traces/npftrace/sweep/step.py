"""One call of a tool in an empty folder.

This module uses only the standard library, because it is sent to Dask workers
that have no npftrace.
"""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

#: How often a program that is still open is started again, and the wait between.
BUSY_TRIES, BUSY_SECONDS = 500, 0.02


@dataclass(frozen=True)
class Step:
    """A command with its inputs and outputs, which are named as in the command: by
    file names in its working folder. A program that begins with `./` is one of
    the inputs, and is sent to the worker."""

    command: tuple[str, ...]
    #: The name and digest of each input.
    inputs: tuple[tuple[str, str], ...]
    outputs: tuple[str, ...]
    #: A digest of all else that the step depends on: the tool and its library.
    reads: str = ""

    @property
    def tool(self) -> str:
        return Path(self.command[0]).name

    @property
    def key(self) -> str:
        """A digest that is the same for the same work, wherever the tool is."""
        what = [self.tool, self.command[1:], self.inputs, self.outputs, self.reads]
        return hashlib.sha256(json.dumps(what).encode()).hexdigest()


@dataclass(frozen=True)
class Result:
    """The result of a step. `outputs` is empty if the tool failed."""

    status: int
    said: str
    outputs: dict[str, bytes]
    seconds: float


def run_step(step: Step, *inputs: bytes | Path) -> Result:
    """Runs a step. The inputs are in the step's order, as bytes or as files."""
    with tempfile.TemporaryDirectory(prefix="npftrace-") as name:
        folder = Path(name)
        for (file, _), data in zip(step.inputs, inputs, strict=True):
            _place(folder / file, data, step.command[0] == f"./{file}")
        start = time.monotonic()
        done = _call(step.command, folder)
        seconds = time.monotonic() - start
        outputs = {}
        if done.returncode == 0:
            outputs = {file: (folder / file).read_bytes() for file in step.outputs}
    said = (done.stdout + done.stderr).strip()
    return Result(done.returncode, said, outputs, seconds)


def _call(command: tuple[str, ...], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a command. The system refuses to start a program that is open for
    writing. A new program may still be open in a child process that another
    thread is about to start, so this waits and tries again."""
    for _ in range(BUSY_TRIES):
        try:
            return subprocess.run(
                command, cwd=folder, capture_output=True, text=True, errors="replace"
            )
        except OSError as error:
            if error.errno != errno.ETXTBSY:
                raise
            time.sleep(BUSY_SECONDS)
    raise OSError(errno.ETXTBSY, f"{command[0]} stays busy in {folder}")


def _place(path: Path, data: bytes | Path, is_program: bool) -> None:
    if isinstance(data, bytes):
        path.write_bytes(data)
    elif is_program:
        shutil.copyfile(data, path)
    else:
        path.symlink_to(data)
    if is_program:
        path.chmod(0o755)

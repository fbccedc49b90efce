"""One call of a tool in an empty folder.

Only the standard library is used here: this module travels to Dask workers that
have no npftrace.
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

#: How often, and after how long, a program that is still open is tried again.
BUSY_TRIES, BUSY_SECONDS = 500, 0.02


@dataclass(frozen=True)
class Step:
    """What is called. Inputs and outputs are named as the command names them:
    by file names in the folder in which it runs. A command that begins with
    `./` is an input as well, and travels."""

    command: tuple[str, ...]
    #: Names and digests.
    inputs: tuple[tuple[str, str], ...]
    outputs: tuple[str, ...]
    #: Digest of all else that the tool reads: itself, its library.
    reads: str = ""

    @property
    def tool(self) -> str:
        return Path(self.command[0]).name

    @property
    def key(self) -> str:
        """The same for the same work, wherever the tool stands."""
        what = [self.tool, self.command[1:], self.inputs, self.outputs, self.reads]
        return hashlib.sha256(json.dumps(what).encode()).hexdigest()


@dataclass(frozen=True)
class Result:
    """What came of it. `outputs` is empty if the tool failed."""

    status: int
    said: str
    outputs: dict[str, bytes]
    seconds: float


def run_step(step: Step, *inputs: bytes | Path) -> Result:
    """Runs a step; the inputs stand in the step's order, as bytes or as files."""
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
    """A program that was just written may still be open in a child that another
    thread is about to start; the system refuses to run it for that moment."""
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

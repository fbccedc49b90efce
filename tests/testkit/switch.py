"""A running bakersw and its control socket."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from testkit.paths import BUILD


class Refused(Exception):
    """The switch refused a request."""


class Control:
    """A connection to the control socket."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(str(path))
        self.answers = self.socket.makefile("rb")

    def ask(self, request: str) -> str:
        self.socket.sendall(request.encode() + b"\n")
        return self.answer()

    def answer(self) -> str:
        status, size = self.answers.readline().split()
        text = self.answers.read(int(size)).decode()
        if status != b"ok":
            raise Refused(text)
        return text

    def stats(self) -> Any:
        return json.loads(self.ask("stats json"))


class RunningSwitch:
    def __init__(self, process: subprocess.Popen[str], path: Path) -> None:
        self.process = process
        self.path = path
        self.control = self.connect()

    def connect(self) -> Control:
        for _ in range(600):
            with contextlib.suppress(OSError):
                return Control(self.path)
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.05)
        raise AssertionError("the switch does not start")

    def wait_for(self, *path: str | int, least: int) -> Any:
        """The statistics once a count has reached `least`."""
        for _ in range(400):
            value = stats = self.control.stats()
            for key in path:
                value = value[key]
            if value >= least:
                return stats
            time.sleep(0.05)
        raise AssertionError(f"{path} is {value}, not {least}: {stats}")

    def end(self) -> str:
        """Ends the switch as a service manager does; returns its output."""
        self.process.terminate()
        out, _ = self.process.communicate(timeout=30)
        assert self.process.returncode == 0, out
        return out


@contextlib.contextmanager
def running_switch(
    program: Path, folder: Path, *options: object, prefix: tuple[str, ...] = ()
) -> Iterator[RunningSwitch]:
    """A switch with `--socket` in `folder`, which is ended with the block."""
    path = folder / "switch.sock"
    words = [*prefix, BUILD / "bin/bakersw", program, f"--socket={path}", *options]
    process = subprocess.Popen(
        [str(word) for word in words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield RunningSwitch(process, path)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()

"""Runs the tools of the build by their command lines."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from testkit.paths import BUILD

Done = subprocess.CompletedProcess[str]


def requires(*tools: str) -> pytest.MarkDecorator:
    """Skips a test, or with `pytestmark` a file, unless these tools are built."""
    missing = [tool for tool in tools if not (BUILD / "bin" / tool).exists()]
    return pytest.mark.skipif(
        bool(missing), reason=f"no {', '.join(missing)}: run ./dev build first"
    )


def run(tool: str, *arguments: object, status: int = 0, timeout: float = 300) -> Done:
    """Runs a tool of the build and checks its exit status."""
    return run_command(BUILD / "bin" / tool, *arguments, status=status, timeout=timeout)


def run_python(script: Path, *arguments: object, status: int = 0) -> Done:
    """Runs a Python script of the checkout and checks its exit status."""
    return run_command(sys.executable, script, *arguments, status=status)


def run_npftrace(*arguments: object, status: int = 0) -> Done:
    """Runs `npftrace` in a process of its own and checks its exit status."""
    return run_command(sys.executable, "-m", "npftrace", *arguments, status=status)


def run_command(
    *command: object, status: int = 0, timeout: float | None = None
) -> Done:
    """Runs a command, and fails with its output unless it ends with `status`."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == status, (
        f"{' '.join(words)}\nexit status {done.returncode}, not {status}\n"
        f"{done.stdout[-3000:]}{done.stderr[-3000:]}"
    )
    return done


def output_of(tool: str, *arguments: object, status: int = 0) -> str:
    """The output of a tool of the build, standard output before standard error."""
    done = run(tool, *arguments, status=status)
    return done.stdout + done.stderr


def read_json(path: Path) -> Any:
    return json.loads(path.read_text())

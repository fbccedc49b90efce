"""The tools of the build, as the tests of this folder run them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("KARAKAL_BUILD", ROOT / "build"))

sys.path.insert(0, str(ROOT / "tests" / "differential"))
from captures import read_pcapng  # noqa: E402

__all__ = ["BUILD", "ROOT", "needs_build", "read_pcapng", "run"]

needs_build = pytest.mark.skipif(
    not (BUILD / "bin/ixpsim").exists(), reason="nothing is built"
)


def run(tool: str, *arguments: object, status: int = 0) -> str:
    """What a tool says; it must end with this exit status."""
    command = [str(BUILD / "bin" / tool), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr

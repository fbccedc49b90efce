"""Every header compiles alone: the target check-headers builds each of them as
the only include of a source file."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from repository import ROOT

BUILD = Path(os.environ.get("KARAKAL_BUILD", ROOT / "build"))


def test_every_header_compiles_alone() -> None:
    if not (BUILD / "build.ninja").exists():
        pytest.skip("no build tree: run ./dev build first")
    if "ASAN_OPTIONS" in os.environ:
        pytest.skip("nothing runs: headers compile alike without sanitizers")
    run = subprocess.run(
        ["ninja", "-C", str(BUILD), "check-headers"], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout[-4000:]

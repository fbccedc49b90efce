"""Every header compiles alone: the target check-headers builds each of them as
the only include of a source file."""

import os

import pytest

from testkit.paths import BUILD
from testkit.tools import run_command


def test_every_header_compiles_alone() -> None:
    if not (BUILD / "build.ninja").exists():
        pytest.skip("no build tree: run ./dev build first")
    if "ASAN_OPTIONS" in os.environ:
        pytest.skip("nothing runs: headers compile alike without sanitizers")
    run_command("ninja", "-C", BUILD, "check-headers")

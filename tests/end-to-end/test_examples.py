"""The example programs pass their packet tests on x86 and on the simulator."""

from __future__ import annotations

from pathlib import Path

import pytest

from npftrace.runs.packet_file import read_test
from npftrace.runs.packet_tests import run_test
from testkit.applications import END_LEVELS
from testkit.paths import BUILD, ROOT
from testkit.tools import run

EXAMPLES = sorted((ROOT / "apps/examples").glob("*/*.packets"))


@pytest.fixture(autouse=True)
def tools_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(BUILD / "bin"), prepend=":")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("where", ["x86", *END_LEVELS])
def test_an_example_passes_its_packet_test(
    path: Path, where: str, packet_images: Path
) -> None:
    assert run_test(read_test(path), where, packet_images) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_compiles_without_warnings(path: Path) -> None:
    run("bakerc", read_test(path).program, "--emit=baker", "-Werror", "-o", "-")

"""The packet tests of the applications: one file per rule, named by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from npftrace.runs.packet_file import read_test
from npftrace.runs.packet_tests import run_test
from testkit.paths import BUILD, ROOT

TESTS = sorted((ROOT / "tests/packets").glob("*/*.packets"))


def test_there_are_tests() -> None:
    assert len(TESTS) > 50


@pytest.mark.parametrize(
    "path", TESTS, ids=lambda path: f"{path.parent.name}/{path.stem}"
)
@pytest.mark.parametrize("where", ["x86", "swc"])
def test_packets(
    path: Path, where: str, packet_images: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(BUILD / "bin"), prepend=":")
    assert run_test(read_test(path), where, packet_images) == []

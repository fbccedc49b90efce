"""packet_insert and packet_remove at every level: the passes that combine accesses
and resolve heads see the bytes that move as fields."""

from __future__ import annotations

from pathlib import Path

import pytest

from npftrace.runs.packet_file import read_test
from npftrace.runs.packet_tests import run_test
from testkit.paths import BUILD, ROOT
from testkit.tools import requires

pytestmark = requires("bakerc", "ixpsim")


@pytest.mark.parametrize("level", ["base", "o1", "o2", "pac", "soar", "phr"])
def test_a_tag_goes_in_and_out(
    level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(BUILD / "bin"), prepend=":")
    test = read_test(ROOT / "tests/packets/language/tags.packets")
    assert run_test(test, level, tmp_path) == []


@pytest.mark.parametrize("level", ["base", "o2", "soar", "phr"])
def test_any_bytes_move(
    level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(BUILD / "bin"), prepend=":")
    test = read_test(ROOT / "tests/packets/language/moves.packets")
    assert run_test(test, level, tmp_path) == []

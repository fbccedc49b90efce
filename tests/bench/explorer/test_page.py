"""The benchmark of the explorer: its results have their keys, and a large run is read
without being held in memory."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.explorer import page as measured
from bench.harness.bench import Bench
from testkit.paths import BUILD, ROOT
from testkit.tools import requires

pytestmark = requires("bakerc", "baker-lsp", "ixpsim")


LAB = ROOT / "labs/01-first-packets/teacher/solution"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small program in place of the L3-Switch, with its trace."""
    for name, value in (("ROUTES", 20), ("PACKETS", 50), ("EDITS", 3)):
        monkeypatch.setattr(measured, name, value)
    monkeypatch.setattr(measured, "PROGRAM", "reflector.baker")
    measured.make_trace(tmp_path)
    (tmp_path / "t.control").write_text("")
    shutil.copy(LAB / "reflector.baker", tmp_path)
    return tmp_path


def test_a_large_run_is_paged(folder: Path) -> None:
    found = measured.many_packets(Bench(BUILD, 1, (1,), False), folder, 3_000)
    assert sorted(found) == [
        "database_mib", "first_page_s", "html_mib", "memory_mib", "packets", "read_s",
        "simulate_s", "slowest_page_s", "spans_s",
    ]  # fmt: skip
    assert found["packets"] == 3_000
    # 400 windows at most, however many packets.
    assert 0 < found["html_mib"] < 4


def test_the_page_is_timed(folder: Path) -> None:
    before = (folder / measured.PROGRAM).read_text()
    found = measured.page_times(folder)
    assert sorted(found) == ["edit_to_result_s", "first_paint_s"]
    assert all(seconds > 0 for seconds in found.values())
    edits = "".join(f"// edit {number}\n" for number in (2, 1, 0))
    assert (folder / measured.PROGRAM).read_text() == edits + before

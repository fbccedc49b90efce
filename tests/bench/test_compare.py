"""The comparison of two builds: which metrics changed, and how they are shown."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from bench.compare import Change, moved, moved_times, show
from bench.harness.pairs import Pairs
from testkit.paths import BUILD, ROOT
from testkit.tools import read_json, requires, run_python

INSTRUCTIONS = ("mpls", "swc", "instructions")
RATE = ("mpls", "swc", "gbps_6")
SECONDS = ("mpls", "swc", "compile_seconds")


def test_equal_metrics_have_not_changed() -> None:
    both = {INSTRUCTIONS: 320.5, RATE: 2.9}
    assert moved(both, dict(both)) == []


def test_a_count_changes_by_any_and_a_time_by_a_fiftieth() -> None:
    found = moved({INSTRUCTIONS: 320.5}, {INSTRUCTIONS: 320.4})
    assert [change.kind for change in found] == ["instructions"]
    noise = Pairs(((1.0, 1.01), (2.0, 2.1), (3.0, 3.03)))
    assert moved_times({SECONDS: noise}) == []
    (change,) = moved_times({SECONDS: Pairs(((1.0, 1.2), (2.0, 2.4)))})
    assert (change.kind, change.before, change.is_better) == (SECONDS[2], 1.5, False)
    assert change.ratio == pytest.approx(1.2)


@pytest.mark.parametrize(
    ("key", "after", "is_better"),
    [(INSTRUCTIONS, 50, True), (INSTRUCTIONS, 200, False), (RATE, 200, True)],
)
def test_which_way_is_better(
    key: tuple[str, str, str], after: float, is_better: bool
) -> None:
    assert moved({key: 100}, {key: after})[0].is_better == is_better


def test_a_metric_of_one_build_alone_has_changed() -> None:
    assert moved({RATE: 2.0}, {}) == [Change(*RATE, 2.0, None, None)]
    assert moved({}, {RATE: 2.0}) == [Change(*RATE, None, 2.0, None)]
    assert moved({RATE: 0.0}, {RATE: 1.0}) == [Change(*RATE, 0.0, 1.0, None)]


def shown(changes: list[Change], is_terminal: bool) -> str:
    text = io.StringIO()
    console = Console(file=text, force_terminal=is_terminal, width=100)
    show(console, changes, "v1", 9)
    return text.getvalue()


def test_colour_is_only_for_terminals() -> None:
    changes = moved({RATE: 2.0, INSTRUCTIONS: 100}, {RATE: 3.0, INSTRUCTIONS: 110})
    plain, coloured = shown(changes, False), shown(changes, True)
    assert "\x1b" not in plain and "\x1b[32m1.500" in coloured
    assert "\x1b[31m1.100" in coloured
    assert "of 9 metrics 2 moved, 0 times aside" in plain
    assert "nothing moved, 0 times aside" in shown([], False)


@requires("bakerc", "ixpsim")
def test_a_build_agrees_with_itself(tmp_path: Path) -> None:
    """Only times change, and only a little."""
    out = tmp_path / "changes.json"
    (tmp_path / "apps").symlink_to(ROOT / "apps")
    (tmp_path / "build").mkdir()
    (tmp_path / "build/bin").symlink_to(BUILD / "bin")
    done = run_python(
        ROOT / "tests/bench/compare.py", "--only=firewall", "--level=swc",
        "--packets=300", f"--against={tmp_path}", f"--build={BUILD}", f"--json={out}",
    )  # fmt: skip
    assert "metrics nothing moved" in done.stdout
    kinds = {change["kind"] for change in read_json(out)}
    assert kinds <= {"compile_seconds", "chip_cycles_per_s"}

"""The same input gives the same bytes: image, packets, statistics."""

from pathlib import Path

import pytest

from testkit.applications import L3_SWITCH, LEVELS
from testkit.runs import compile_app, simulate
from testkit.workloads import Workload


@pytest.mark.parametrize("level", LEVELS)
def test_two_compilations_are_equal(
    level: str, images: dict[str, Path], mixed_load: Workload, tmp_path: Path
) -> None:
    again = compile_app(
        L3_SWITCH,
        tmp_path / "again.ixp",
        f"--level={level}",
        *mixed_load.profile(),
    )
    assert again.read_bytes() == images[level].read_bytes()


def test_two_simulations_are_equal(
    images: dict[str, Path], mixed_load: Workload, tmp_path: Path
) -> None:
    results = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        out, _ = simulate(images["o1"], mixed_load, folder, "--mes=3")
        results.append((out.read_bytes(), (folder / "stats.json").read_bytes()))
    assert results[0] == results[1]

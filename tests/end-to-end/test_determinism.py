"""The same input gives the same bytes: image, packets, statistics."""

from pathlib import Path

import pytest
import toolchain
from toolchain import L3_SWITCH, LEVELS, Workload


@pytest.mark.parametrize("level", LEVELS)
def test_two_compilations_are_equal(
    level: str, images: dict[str, Path], mixed_load: Workload, tmp_path: Path
) -> None:
    again = toolchain.compile_app(
        L3_SWITCH,
        tmp_path / "again.ixp",
        f"--level={level}",
        f"--profile-trace={mixed_load.trace}",
        f"--control={mixed_load.control}",
    )
    assert again.read_bytes() == images[level].read_bytes()


def test_two_simulations_are_equal(
    images: dict[str, Path], mixed_load: Workload, tmp_path: Path
) -> None:
    results = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        out, _ = toolchain.simulate(images["o1"], mixed_load, folder, "--mes=3")
        results.append((out.read_bytes(), (folder / "stats.json").read_bytes()))
    assert results[0] == results[1]

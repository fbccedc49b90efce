"""L3-Switch: x86, microcode at each level and engine count, and the oracle
agree on every packet."""

from pathlib import Path

import pytest
import toolchain
from toolchain import ENGINE_COUNTS, L3_SWITCH, LEVELS, Workload


def test_x86_equals_the_oracle(mixed_load: Workload, tmp_path: Path) -> None:
    out, stats = toolchain.run_on_x86(L3_SWITCH, mixed_load, tmp_path)
    toolchain.check(mixed_load, out, tmp_path / "x86.json")
    toolchain.assert_packets_add_up(stats)


@pytest.mark.parametrize("engines", ENGINE_COUNTS)
@pytest.mark.parametrize("level", LEVELS)
def test_microcode_equals_the_oracle(
    level: str,
    engines: int,
    images: dict[str, Path],
    mixed_load: Workload,
    tmp_path: Path,
) -> None:
    out, stats = toolchain.simulate(
        images[level], mixed_load, tmp_path, f"--mes={engines}"
    )
    toolchain.check(mixed_load, out, tmp_path / "stats.json")
    toolchain.assert_packets_add_up(stats)
    assert stats["packets"]["received"] == 20000


@pytest.mark.parametrize("level", LEVELS)
def test_every_cycle_of_an_engine_is_accounted_for(
    level: str, images: dict[str, Path], mixed_load: Workload, tmp_path: Path
) -> None:
    _, stats = toolchain.simulate(images[level], mixed_load, tmp_path)
    for engine in stats["microengines"]:
        kinds = ("issue", "stall", "idle", "aborted")
        spent = sum(engine[f"{kind}_cycles"] for kind in kinds)
        assert spent == stats["cycles"], engine

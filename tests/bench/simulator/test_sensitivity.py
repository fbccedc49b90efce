"""Every number without a source is varied, within its limits, and rates get the bracket
of all of them."""

from __future__ import annotations

import re

import pytest

from bench.simulator.sensitivity import (
    AT_THE_LIMITS,
    LEFT_OUT,
    PARAMETERS,
    ROW,
    UNSOURCED,
    Setting,
    bracket_of,
    settings,
)
from testkit.tools import output_of, requires


def test_every_number_without_a_source_is_varied_or_left_out() -> None:
    text = PARAMETERS.read_text()
    rows = ROW.findall(text)
    assert len(rows) == len(
        re.findall(r"^KARAKAL_CHIP_PARAMETER\(", text, re.MULTILINE)
    )
    unsourced = {name for name, *_, source in rows if source in UNSOURCED}
    assert {setting.name for setting in settings()} | set(LEFT_OUT) == unsourced
    assert set(AT_THE_LIMITS) <= unsourced


def test_settings_lie_beside_the_default_and_within_the_limits() -> None:
    limits = {
        name: (int(value), int(least), int(most))
        for name, value, least, most, *_ in ROW.findall(PARAMETERS.read_text())
    }
    for setting in settings():
        value, least, most = limits[setting.name]
        assert setting.value != value and least <= setting.value <= most
    found = set(map(str, settings()))
    assert {"dram.latency=96", "dram.latency=144", "dram.bank_hash=0"} <= found
    assert {"me.command_fifo=2", "me.command_fifo=8", "bus.cycles=3"} <= found
    assert "scratch.word_cycles=0" not in found


def test_a_bracket_holds_the_rate_and_names_what_moves_it() -> None:
    bracket = bracket_of(2.0, {"a=1": 1.5, "a=2": 2.0, "b=1": 1.75})
    assert (bracket.low, bracket.low_at) == (1.5, "a=1")
    assert (bracket.high, bracket.high_at) == (2.0, "")
    assert str(bracket) == "1.50 to 2.00"


@requires("ixpsim")
@pytest.mark.parametrize("setting", settings(), ids=str)
def test_the_simulator_takes_every_setting(setting: Setting) -> None:
    assert f"  {setting} " in output_of("ixpsim", "--describe", f"--set={setting}")

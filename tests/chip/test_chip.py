"""The chip as a Python module."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from testkit.paths import BUILD, ROOT
from testkit.tools import run

HERE = Path(__file__).parent
sys.path.insert(0, str(BUILD / "python"))
ixpchip: Any = pytest.importorskip("ixpchip")

KILL = 0xE000010000


def assembled(name: str, folder: Path) -> Path:
    out = folder / f"{name}.ucode"
    run("ixp-as", HERE / f"{name}.uc", "--format=bytes", "-o", out)
    return out


def test_the_example_passes_every_buffer(
    tmp_path: Path, extension_environment: dict[str, str]
) -> None:
    done = subprocess.run(
        [
            sys.executable,
            HERE / "two_engines.py",
            assembled("producer", tmp_path),
            assembled("consumer", tmp_path),
        ],
        env={**extension_environment, "PYTHONPATH": str(BUILD / "python")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("64 buffers in ")


def test_words_run_and_registers_are_seen() -> None:
    chip = ixpchip.Chip()
    add = 0xA080100000  # alu[a1, a0, +, b0]
    chip.load(3, [add, KILL])
    chip.poke(3, "a", 0, 2, 40)
    chip.poke(3, "b", 0, 2, 2)
    chip.start(3, contexts=1 << 2)
    assert not chip.run_to(1000)
    assert chip.peek(3, "a", 1, 2) == 42
    assert chip.counters(3)["issue_cycles"] == 2
    assert chip.faults == []


def test_memories_are_read_and_written_by_words() -> None:
    chip = ixpchip.Chip()
    for memory in ("scratch", "sram0", "sram1", "dram"):
        chip.write(memory, 64, 0x01020304)
        assert chip.read(memory, 64) == 0x01020304
        assert chip.read(memory, 60) == 0


def test_a_fault_is_kept() -> None:
    chip = ixpchip.Chip()
    chip.load(0, [0xFFFFFFFFFF])
    chip.start(0)
    assert not chip.run_to(100)
    assert "no instruction" in chip.faults[0]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda chip: chip.load(8, [KILL]),
        lambda chip: chip.load(0, []),
        lambda chip: chip.load(0, b"four"),
        lambda chip: chip.start(0),
        lambda chip: chip.read("flash", 0),
        lambda chip: chip.read("scratch", 2),
        lambda chip: chip.configure_ring(0, 4, 128),
        lambda chip: chip.fill_queue(0, 64, 1),
        lambda chip: chip.peek(0, "c", 0),
        lambda chip: chip.raise_signal(0, 0, 16),
        lambda chip: ixpchip.Chip(["sram.latency=x"]),
    ],
)
def test_a_part_that_does_not_exist_is_a_value_error(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        wrong(ixpchip.Chip())


def echo(folder: Path) -> bytes:
    out = folder / "echo.ucode"
    run("ixp-as", ROOT / "tests/runtime/echo.uc", "--format=bytes", "-o", out)
    return out.read_bytes()


def test_packets_arrive_at_ports_and_leave(tmp_path: Path) -> None:
    chip = ixpchip.Chip()
    chip.load(2, echo(tmp_path))
    packets = [(n % 4, bytes([n]) * (60 + 37 * n)) for n in range(40)]
    chip.connect_ports(packets)
    assert not chip.ports_idle
    chip.start(2)
    while not chip.ports_idle:
        assert chip.run_to(chip.cycle + 1000) or chip.ports_idle, chip.faults
    sent = chip.sent()
    for port in range(4):
        assert [data for _, p, data in sent if p == port] == [
            data for p, data in packets if p == port
        ]
    assert [cycle for cycle, _, _ in sent] == sorted(cycle for cycle, _, _ in sent)
    assert chip.faults == []


def test_an_offered_rate_paces_the_packets(tmp_path: Path) -> None:
    ends = []
    for rate in (0.0, 0.1):
        chip = ixpchip.Chip()
        chip.load(0, echo(tmp_path))
        chip.connect_ports([(0, bytes(60))] * 50, rate_gbps=rate)
        chip.start(0)
        while not chip.ports_idle:
            chip.run_to(chip.cycle + 1000)
        assert len(chip.sent()) == 50
        ends.append(chip.sent()[-1][0])
    # 49 frames of 64 bytes at 0.1 Gbit/s take 151,000 cycles of 600 MHz.
    assert ends[0] < 60_000
    assert 140_000 < ends[1] < 170_000


def test_a_program_may_set_the_ports_up_itself(tmp_path: Path) -> None:
    """Without set-up no channel is enabled, so nothing arrives."""
    chip = ixpchip.Chip()
    chip.load(0, echo(tmp_path))
    chip.connect_ports([(0, bytes(60))], ready=False)
    chip.start(0)
    chip.run_to(100_000)
    assert chip.sent() == []


@pytest.mark.parametrize(
    "packets", [[], [(4, b"x")], [(0, b"")]], ids=["none", "port", "empty"]
)
def test_wrong_packets_are_a_value_error(packets: list[tuple[int, bytes]]) -> None:
    with pytest.raises(ValueError, match=r"packet"):
        ixpchip.Chip().connect_ports(packets)
    chip = ixpchip.Chip()
    chip.connect_ports([(0, b"x")])
    with pytest.raises(ValueError, match=r"ports already"):
        chip.connect_ports([(0, b"x")])


def test_other_chips_have_other_sizes() -> None:
    chip = ixpchip.Chip(configuration="ixp2800")
    chip.load(15, [KILL])
    chip.start(15, contexts=1)
    assert not chip.run_to(1000)
    assert chip.counters(15)["issue_cycles"] == 1
    with pytest.raises(ValueError, match="no engine 6"):
        ixpchip.Chip(configuration="ixp1200").load(6, [KILL])


def test_local_csrs_load_an_engine() -> None:
    chip = ixpchip.Chip()
    chip.write_csr(3, 0x000, 0x8000_0000)
    parity = (KILL >> 20).bit_count() % 2 << 41 | (KILL & 0xFFFFF).bit_count() % 2 << 40
    chip.write_csr(3, 0x004, (KILL | parity) & 0xFFFF_FFFF)
    chip.write_csr(3, 0x008, (KILL | parity) >> 32)
    assert chip.read_csr(3, 0x000) == 0x8000_0001
    chip.write_csr(3, 0x018, 1 << 8)
    chip.run_to(100)
    assert chip.counters(3)["issue_cycles"] == 1


def test_time_moves_though_nothing_happens() -> None:
    chip = ixpchip.Chip()
    assert not chip.run_to(500)
    assert chip.cycle == 500


def test_host_sees_the_chip_as_its_core_does() -> None:
    chip = ixpchip.Chip()
    chip.write_physical(0x90000010, 7)  # SRAM channel 1
    assert chip.read("sram1", 0x10) == 7
    assert chip.read_physical(0x90000010) == 7
    for address in (0x70000000, 0x90000011):
        with pytest.raises(ValueError):
            chip.read_physical(address)
        with pytest.raises(ValueError):
            chip.write_physical(address, 1)


def test_interrupts_name_their_thread() -> None:
    chip = ixpchip.Chip()
    chip.load(5, [0x3300012F20, KILL])  # cap[fast_wr, 0, XSCALE_INT_A]
    chip.start(5, contexts=1 << 3)
    chip.run_to(1000)
    thread = 64 + 8 + 3  # hardware number 0x11
    [(cycle, which, by)] = chip.interrupts
    assert (which, by) == (0, thread)
    assert 0 < cycle < 1000
    chip.write_physical(0xD6000168, 1 << thread - 64)
    assert chip.read_physical(0xD60000E8) == 1 << thread - 64

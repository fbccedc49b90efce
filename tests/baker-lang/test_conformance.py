"""The conformance cases give the stated results on x86 and on the simulator.

Cases with calls: each becomes a module of one program. A packet holds the number
of the call and its arguments, and returns with the result. On x86 all cases are
one program; on the simulator as many as fit one engine.

Cases without calls: each is a program of its own. Both engines receive the same
packets and must send the same.

KARAKAL_CONFORMANCE_LEVELS=base,o1,… chooses other levels than the highest;
KARAKAL_CONFORMANCE_PROGRAMS=all runs all programs without calls, not a few.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from testkit.captures import read_pcapng, write_pcap
from testkit.paths import BUILD, ROOT
from testkit.tools import requires, run, run_command

LEVELS = os.environ.get("KARAKAL_CONFORMANCE_LEVELS", "swc").split(",")
CASES_A_PROGRAM = 10
RUNS_ALL = os.environ.get("KARAKAL_CONFORMANCE_PROGRAMS") == "all"
#: By default, one in this many programs without calls runs.
PROGRAMS_EVERY = 12
CALL = re.compile(r"^f\(([^)]*)\) = (\S+)$")
FUNCTION = re.compile(r"^\s*(\w+) f\(([^)]*)\)", re.M)
MASK = (1 << 64) - 1

pytestmark = requires("bakerc", "ixpsim")

FRAME = """
protocol ether { dst : 48; src : 48; type : 16; demux { 14 }; }
protocol call { head : 112; number : 16; a : 64; b : 64; c : 64; result : 64;
  demux { 48 }; }
module run {
  ppf answer { in call_pkt * in_cc; out call_pkt * out_cc; }
  wiring { rx -> answer.in_cc; answer.out_cc -> tx; }
  answer.ppf(call_pkt * ph) {
    u64 a = ph->a; u64 b = ph->b; u64 c = ph->c; u64 r = 0;
    switch (ph->number) {
%s
    }
    ph->result = r + (a ^ a) + (b ^ b) + (c ^ c);
    channel_put(out_cc, ph);
  }
}
"""


@dataclass
class Case:
    title: str
    text: str
    #: Arguments and result of each call.
    calls: list[tuple[list[int], int]] = field(default_factory=list)

    def parameters(self) -> list[str]:
        inside = FUNCTION.search(self.text)
        assert inside, self.title
        return [part.split()[0] for part in inside[2].split(",") if part.strip()]

    def module(self, number: int) -> str:
        """The case as a module, with what must be outside of modules."""
        outside = [
            line
            for line in self.text.splitlines()
            if re.match(r"(import|instance|protocol|module) ", line)
        ]
        inside = [line for line in self.text.splitlines() if line not in outside]
        text = "\n".join(outside)
        # The names of modules and instances must differ between cases.
        inner = "\n".join(inside)
        for name in re.findall(r"^(?:module|instance|protocol) (\w+)", text, re.M):
            text = re.sub(rf"\b{name}\b", f"{name}_{number}", text)
            inner = re.sub(rf"\b{name}\b", f"{name}_{number}", inner)
        return f"{text}\nmodule case_{number} {{\n{inner}\n}}\n"


def cases() -> list[Case]:
    found: list[Case] = []
    for path in sorted((ROOT / "tests/baker-lang/conformance").glob("*.cases")):
        for part in re.split(r"^== ", path.read_text(), flags=re.M)[1:]:
            title, _, text = part.partition("\n")
            case = Case(f"{path.stem}: {title}", "")
            for line in text.splitlines():
                if call := CALL.match(line):
                    arguments = [int(x, 0) for x in call[1].split(",") if x.strip()]
                    case.calls.append((arguments, int(call[2], 0)))
                else:
                    case.text += line.split("//! ")[0] + "\n"
            if case.calls:
                found.append(case)
    return found


def batches(size: int) -> Iterator[list[Case]]:
    everything = cases()
    for first in range(0, len(everything), size):
        yield everything[first : first + size]


def program(batch: list[Case]) -> str:
    lines = []
    for number, case in enumerate(batch):
        arguments = ", ".join(
            f"({kind}){name}"
            for kind, name in zip(case.parameters(), "abc", strict=False)
        )
        lines.append(
            f"    case {number}: r = (u64)case_{number}.f({arguments}); break;"
        )
    modules = "".join(case.module(number) for number, case in enumerate(batch))
    return FRAME % "\n".join(lines) + modules


def calls(batch: list[Case]) -> list[tuple[int, list[int], int]]:
    return [
        (number, arguments, result)
        for number, case in enumerate(batch)
        for arguments, result in case.calls
    ]


def write_trace(path: Path, batch: list[Case]) -> None:
    frames = []
    for stamp, (number, arguments, _) in enumerate(calls(batch)):
        values = [x & MASK for x in arguments] + [0] * (3 - len(arguments))
        frame = struct.pack(">6s6sHHQQQQ", b"", b"", 1, number, *values, 0)
        frames.append(frame + struct.pack(">I", stamp) + bytes(10))
    write_pcap(path, frames)


def results(path: Path) -> dict[int, int]:
    """The result of each call by its number, from the frames of a pcapng file."""
    return {
        int.from_bytes(frame[48:52], "big"): int.from_bytes(frame[40:48], "big")
        for _, frame in read_pcapng(path)
    }


def check(batch: list[Case], out: Path) -> None:
    found = results(out)
    wrong = [
        f"{batch[number].title}: f({arguments}) is {found.get(stamp)}, not {result}"
        for stamp, (number, arguments, result) in enumerate(calls(batch))
        if found.get(stamp) != result & MASK
    ]
    assert not wrong, "\n".join(wrong)


def prepare(folder: Path, batch: list[Case]) -> tuple[Path, Path, Path]:
    source, trace = folder / "calls.baker", folder / "calls.pcap"
    source.write_text(program(batch))
    write_trace(trace, batch)
    return source, trace, folder / "out.pcapng"


def test_there_are_calls() -> None:
    assert len(cases()) > 80


def test_x86(tmp_path: Path) -> None:
    batch = cases()
    source, trace, out = prepare(tmp_path, batch)
    run("bakerc", "--run", source, f"--trace={trace}", f"--out={out}")
    check(batch, out)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("number", range(len(list(batches(CASES_A_PROGRAM)))))
def test_simulator(number: int, level: str, tmp_path: Path) -> None:
    batch = list(batches(CASES_A_PROGRAM))[number]
    source, trace, out = prepare(tmp_path, batch)
    image = tmp_path / "calls.ixp"
    run("bakerc", source, f"--level={level}", "--mes=1", "-o", image)
    # One context, because each case uses global data as if it ran alone.
    run("ixpsim", image, f"--trace={trace}", f"--out={out}", "--threads=1", "--quiet")
    check(batch, out)


# ---- Programs without calls -------------------------------------------------


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The cases without errors and calls, as ConformanceTest.cpp wraps them."""
    folder = tmp_path_factory.mktemp("programs")
    run_command(
        "env", f"KARAKAL_CASES_FOLDER={folder}", BUILD / "tests/baker-lang-tests",
        "--gtest_filter=Conformance.*",
    )  # fmt: skip
    found = sorted(folder.glob("*.baker"))
    assert len(found) > 60
    return found


def write_frames(path: Path) -> None:
    """Frames of all kinds that the cases read."""
    frames = []
    for i in range(16):
        kind = (0, 1, 2, 3, 0x800, 0x806, 0xFFFF, 7)[i % 8]
        inner = bytes([0x45 + i % 3, *range(7), i * 16, 17, *range(60 + 8 * i)])
        frames.append(struct.pack(">6s6sH", b"\2" * 6, bytes([i] * 6), kind) + inner)
    write_pcap(path, frames)


def compile_for_few(source: Path, level: str, image: Path) -> None:
    """The options for one engine; a PPF without input needs another."""
    options = (source, f"--level={level}", "-o", image)
    try:
        run("bakerc", *options, "--mes=1")
    except AssertionError as error:
        assert "need as many engines" in str(error), error
        run("bakerc", *options, "--mes=2")


def engines_differ(source: Path, level: str, folder: Path) -> str:
    """How the engines disagree; empty if they agree."""
    trace, image = folder / "t.pcap", folder / "p.ixp"
    host, chip = folder / "host.pcapng", folder / "chip.pcapng"
    write_frames(trace)
    run("bakerc", "--run", source, f"--trace={trace}", f"--out={host}")
    compile_for_few(source, level, image)
    run("ixpsim", image, f"--trace={trace}", f"--out={chip}", "--threads=1", "--quiet")
    a, b = read_pcapng(host), read_pcapng(chip)
    if a == b:
        return ""
    return (
        f"{source.stem} at {level}: {a.total()} frames on x86, {b.total()} on the chip"
    )


@pytest.mark.parametrize("level", LEVELS)
def test_programs(programs: list[Path], level: str, tmp_path: Path) -> None:
    # Time and random numbers differ between engines.
    same = [
        p for p in programs if not re.search(r"random\(|= timestamp\(", p.read_text())
    ]
    chosen = same if RUNS_ALL else same[::PROGRAMS_EVERY]
    differences = [engines_differ(source, level, tmp_path) for source in chosen]
    assert not any(differences), "\n".join(filter(None, differences))

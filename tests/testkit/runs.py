"""Compiles an application, runs it on x86 or on the simulator, and compares the
packets that leave with the application's oracle."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from npftrace.cli import main as npftrace_main
from testkit.applications import LEVELS
from testkit.captures import write_pcap
from testkit.tools import read_json, run
from testkit.workloads import Workload

#: What a run on x86 writes. Frames leave it in the order of their flows.
X86_OUT = "x86.pcapng"


def compile_app(source: Path, image: Path, *options: str) -> Path:
    """Compiles an image that loses no packet to the limits of the XScale core, with
    worst-case bounds, which ixpsim then enforces."""
    run("bakerc", source, "--wcet", "--punt-rate=none", "-o", image, *options)
    return image


def compile_levels(source: Path, load: Workload, folder: Path) -> dict[str, Path]:
    """Compiles an application, profiled with `load`, at every level."""
    return {
        level: compile_app(
            source, folder / f"{level}.ixp", f"--level={level}", *load.profile()
        )
        for level in LEVELS
    }


def compile_text(text: str, folder: Path, frames: Iterable[bytes] = ()) -> Path:
    """Compiles a program of one file. In `folder` are t.baker, which is returned, t.ixp
    and, with the frames, t.pcap."""
    source = folder / "t.baker"
    source.write_text(text)
    run("bakerc", source, "-o", folder / "t.ixp")
    write_pcap(folder / "t.pcap", frames)
    return source


def commands(program: Path, *options: str) -> list[tuple[object, ...]]:
    """What runs a program of `compile_text`: x86, code specialized for the tables, and
    the simulator with its options."""
    return [
        ("bakerc", program, "--run"),
        ("bakerc", program, "--run", "--fast", "--specialize=at-once"),
        ("ixpsim", program.with_suffix(".ixp"), *options),
    ]


def simulate(
    image: Path, load: Workload, folder: Path, *options: str
) -> tuple[Path, dict[str, Any]]:
    """Runs an image; returns the capture of the sent frames and the statistics."""
    out, stats = folder / "out.pcapng", folder / "stats.json"
    run(
        "ixpsim", image, *load.inputs(), f"--out={out}", f"--stats={stats}", "--quiet",
        *options,
    )  # fmt: skip
    return out, read_json(stats)


def run_on_x86(
    source: Path, load: Workload, folder: Path, *options: str
) -> tuple[Path, dict[str, Any]]:
    """Runs a program by the JIT; returns the capture of the sent frames and
    the statistics."""
    out, stats = folder / X86_OUT, folder / "x86.json"
    files = (f"--out={out}", f"--stats={stats}")
    run("bakerc", source, "--run", *load.inputs(), *files, *options)
    return out, read_json(stats)


def refusal(program: Path, trace: Path, calls: str, folder: Path) -> str:
    """What the runner on x86 says of control.txt, which has these calls and must be
    refused."""
    control = folder / "control.txt"
    control.write_text(calls + "\n")
    return run(
        "bakerc", program, "--run", f"--trace={trace}", f"--control={control}",
        f"--out={folder / 'refused.pcapng'}", status=1,
    ).stderr  # fmt: skip


def check_packets(
    load: Workload,
    out: Path,
    stats: Path | None = None,
    window: int | None = None,
    order: str | None = None,
) -> None:
    """Fails unless every packet is as the application's oracle expects. Runs
    `npftrace check` in this process, which is quicker for small traces."""
    printed = io.StringIO()
    more = [f"--stats={stats}"] if stats else []
    more += [f"--window={window}"] if window is not None else []
    # On the chip, copies (floods) may overtake (docs/language.md).
    order = order or ("flow" if out.name == X86_OUT else "none")
    more += [f"--order={order}"]
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        status = npftrace_main(
            ["check", f"--app={load.app}", *load.inputs(), f"--out={out}", *more]
        )
    assert status == 0, f"{load.trace}\n{printed.getvalue()[-3000:]}"


def assert_packets_add_up(stats: dict[str, Any]) -> None:
    """Every received packet ends in exactly one way, or waits in a queue."""
    packets = stats["packets"]
    ends = ("forwarded", "dropped", "consumed", "waiting")
    ended = sum(packets[end] for end in ends)
    assert packets["received"] == ended, packets

"""The tools as a test runs them: one function a tool, all by their command
lines, as a user would."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npftrace.capture import Frame, read_capture, write_capture
from npftrace.cli import main as npftrace_main
from npftrace.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("KARAKAL_BUILD", ROOT / "build"))
L3_SWITCH = ROOT / "apps/l3-switch/l3_switch.baker"
FIREWALL = ROOT / "apps/firewall/firewall.baker"
MPLS = ROOT / "apps/mpls/mpls.baker"
LEVELS = ("base", "o1", "o2", "pac", "soar", "phr", "swc")
#: The lowest and the highest level, for tests of many inputs.
ENDS = (LEVELS[0], LEVELS[-1])
ENGINE_COUNTS = (1, 2, 3, 4, 5, 6)


@dataclass(frozen=True)
class Workload:
    """A trace with the control file that sets up the tables for it."""

    trace: Path
    control: Path
    #: The application whose oracle judges what comes out.
    app: str = "l3-switch"


def run(
    *command: str | Path, status: int = 0, timeout: float = 300
) -> subprocess.CompletedProcess[str]:
    """Runs a tool of the build and checks its exit status."""
    name, *rest = [str(part) for part in command]
    executable = BUILD / "bin" / name
    done = subprocess.run(
        [executable if executable.exists() else name, *rest],
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == status, (
        f"{' '.join(map(str, command))}\nexit status {done.returncode}, not {status}\n"
        f"{done.stdout[-3000:]}{done.stderr[-3000:]}"
    )
    return done


def npftrace(
    *arguments: str | Path, status: int = 0
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "npftrace", *map(str, arguments)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stdout[-3000:] + done.stderr[-3000:]
    return done


def make_ipv4(folder: Path, *options: str) -> Workload:
    return make("ipv4", "l3-switch", folder, *options)


def make(kind: str, app: str, folder: Path, *options: str) -> Workload:
    """Traffic of a kind, with the tables of an application."""
    load = Workload(folder / "trace.pcap", folder / "control.txt", app)
    npftrace("make", kind, "--out", load.trace, "--control", load.control, *options)
    return load


def captured_frames(test_data: Path) -> list[Frame]:
    """The frames of all Ethernet captures."""
    frames: list[Frame] = []
    for path in sorted((test_data / "pcap").iterdir()):
        try:
            frames += read_capture(path, 4).frames
        except InputError as error:
            assert "link type" in str(error), path
    return frames


def all_captures(app: str, test_data: Path, folder: Path) -> Workload:
    """All Ethernet captures as one trace, with tables that fit it. For MPLS,
    each frame goes to the router's address on its port."""
    frames = captured_frames(test_data)
    if app == "mpls":
        own = bytes.fromhex("0200000000")
        frames = [f._replace(data=own + bytes([f.port]) + f.data[6:]) for f in frames]
    load = Workload(folder / "captures.pcapng", folder / "control.txt", app)
    write_capture(load.trace, frames, 4)
    npftrace(
        "tables", "from-trace", load.trace, "--control", load.control, "--app", app
    )
    return load


def compile_app(source: Path, image: Path, *options: str) -> Path:
    """The image; runs of it are held to the worst case of a message."""
    run("bakerc", source, "--wcet", "-o", image, *options)
    return image


def simulate(
    image: Path, load: Workload, folder: Path, *options: str
) -> tuple[Path, dict[str, Any]]:
    """Runs the simulator; returns the packets out and the statistics."""
    out, stats = folder / "out.pcapng", folder / "stats.json"
    run(
        "ixpsim", image, f"--trace={load.trace}", f"--control={load.control}",
        f"--out={out}", f"--stats={stats}", "--quiet", *options,
    )  # fmt: skip
    return out, json.loads(stats.read_text())


def run_on_x86(
    source: Path, load: Workload, folder: Path
) -> tuple[Path, dict[str, Any]]:
    """Runs the program by the JIT; returns the packets out and statistics."""
    out, stats = folder / "x86.pcapng", folder / "x86.json"
    run(
        "bakerc", source, "--run", f"--trace={load.trace}",
        f"--control={load.control}", f"--out={out}", f"--stats={stats}",
    )  # fmt: skip
    return out, json.loads(stats.read_text())


def check(
    load: Workload, out: Path, stats: Path | None = None, window: int | None = None
) -> None:
    """Every packet is what the application's oracle says. Runs in this process,
    which many small traces need."""
    told = io.StringIO()
    more = [f"--stats={stats}"] if stats else []
    more += [f"--window={window}"] if window is not None else []
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
        status = npftrace_main([
            "check", f"--app={load.app}", f"--trace={load.trace}",
            f"--control={load.control}", f"--out={out}", *more,
        ])  # fmt: skip
    assert status == 0, f"{load.trace}\n{told.getvalue()[-3000:]}"


def assert_packets_add_up(stats: dict[str, Any]) -> None:
    packets = stats["packets"]
    ended = packets["forwarded"] + packets["dropped"] + packets["consumed"]
    assert packets["received"] == ended, packets

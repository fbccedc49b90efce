"""Workloads: a trace with the control file that sets up the tables for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from npftrace.errors import InputError
from npftrace.frames.capture import Frame, read_capture, write_capture
from testkit.applications import TRAFFIC_KINDS
from testkit.tools import run_npftrace

PORTS = 4


@dataclass(frozen=True)
class Workload:
    """A trace, its control file, and the application that they are for."""

    trace: Path
    control: Path
    #: The application whose oracle judges the packets.
    app: str = "l3-switch"

    def inputs(self) -> tuple[str, str]:
        """The options that give both files to bakerc --run or to ixpsim."""
        return f"--trace={self.trace}", f"--control={self.control}"

    def profile(self) -> tuple[str, str]:
        """The options that make bakerc profile a program with both files."""
        return f"--profile-trace={self.trace}", f"--control={self.control}"


def make_workload(
    app: str, folder: Path, *options: str, kind: str | None = None
) -> Workload:
    """Traffic and tables made by `npftrace make`; `kind` is needed for a program
    that is not one of the three applications."""
    load = Workload(folder / "trace.pcap", folder / "control.txt", app)
    run_npftrace(
        "make", kind or TRAFFIC_KINDS[app], "--out", load.trace,
        "--control", load.control, *options,
    )  # fmt: skip
    return load


def captured_frames(test_data: Path) -> list[Frame]:
    """The frames of all Ethernet captures under `test_data`."""
    frames: list[Frame] = []
    for path in sorted((test_data / "pcap").iterdir()):
        try:
            frames += read_capture(path, PORTS).frames
        except InputError as error:
            assert "link type" in str(error), path
    return frames


def captured_workload(app: str, test_data: Path, folder: Path) -> Workload:
    """All Ethernet captures as one trace, with tables that fit it. For MPLS,
    each frame is readdressed to the router's MAC address on its port."""
    frames = captured_frames(test_data)
    if app == "mpls":
        router = bytes.fromhex("0200000000")
        frames = [
            f._replace(data=router + bytes([f.port]) + f.data[6:]) for f in frames
        ]
    load = Workload(folder / "captures.pcapng", folder / "control.txt", app)
    write_capture(load.trace, frames, PORTS)
    run_npftrace(
        "tables", "from-trace", load.trace, "--control", load.control, "--app", app
    )
    return load

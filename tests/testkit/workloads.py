"""Workloads: a trace with the control file that sets up the tables for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from npftrace.errors import InputError
from npftrace.frames.capture import Frame, read_capture, write_capture
from testkit.applications import TRAFFIC_KINDS
from testkit.tools import run_npftrace

PORTS = 4
#: Sizes of all of the benchmarks' mixes and every exception, by application.
EXCEPTIONAL_TRAFFIC = {
    "l3-switch": (
        "--routes 10000 --bridged 0.1 --broadcast 0.01 --multicast 0.005"
        " --arp 0.01 --arp-to-router 0.005 --unknown 0.01 --same-port 0.005"
        " --not-ipv4 0.01 --ttl-expired 0.01 --bad-checksum 0.01 --bad-version 0.01"
        " --bad-header-length 0.01 --bad-length 0.01 --truncated 0.005"
        " --no-route 0.01 --options 0.02 --fragments 0.02"
    ),
    "firewall": (
        "--rules 100 --unmatched 0.02 --fragments 0.05 --options 0.05"
        " --arp 0.01 --not-ipv4 0.01 --bad-header 0.02 --tiny-fragment 0.01"
        " --short-transport 0.02"
    ),
    "mpls": (
        "--push 3 --depth 4 --transit 0.2 --egress 0.1 --ip 0.05"
        " --swap-push 0.1 --pop-labels 0.05 --pop-ip 0.05 --pop-again 0.05"
        " --explicit-null 0.02 --egress-push 0.03 --unknown-label 0.02"
        " --reserved-label 0.02 --ttl-expired 0.02 --ip-ttl-expired 0.02"
        " --bad-checksum 0.02 --no-route 0.02 --other-type 0.02 --other-mac 0.02"
    ),
}
MIXED_SIZES = "--size 64:7,594:4,1518:1 --seed 6"


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


def exceptional_workload(app: str, folder: Path, packets: int) -> Workload:
    """Traffic of an application with every exception and all sizes."""
    options = f"{EXCEPTIONAL_TRAFFIC[app]} {MIXED_SIZES} --packets {packets}"
    return make_workload(app, folder, *options.split())


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

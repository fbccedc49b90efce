"""The tools as a benchmark runs them: by command line, with their time."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LEVELS = ("base", "o1", "o2", "pac", "soar", "phr", "swc")


class Missing(Exception):
    """A program or level that is not there; the benchmark leaves it out."""


class Failed(Exception):
    """A tool did not do what it must."""


@dataclass
class Bench:
    """What the benchmarks of one call share."""

    build: Path
    packets: int
    engines: tuple[int, ...]
    all_sets: bool
    #: Clock of the last chip that ran.
    clock_hz: float = 0
    #: Lines about what was left out, printed once each.
    left_out: list[str] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        folder = self.build / "bench"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def leave_out(self, what: object) -> None:
        line = f"left out: {what}"
        if line not in self.left_out:
            self.left_out.append(line)
            print(line, flush=True)

    def run(self, name: str, *arguments: object) -> tuple[float, str]:
        """Runs a tool of the build; returns wall seconds and what it said."""
        tool = self.build / "bin" / name
        if not tool.exists():
            raise Missing(f"{name} is not built")
        return run([str(tool), *map(str, arguments)])

    def output(self, name: str, *arguments: object) -> str:
        """Runs a tool of the build; returns what it printed."""
        command = [str(self.build / "bin" / name), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"exit status {done.returncode}: {' '.join(command)}")
        return done.stdout

    def npftrace(self, *arguments: object) -> None:
        run([sys.executable, "-m", "npftrace", *map(str, arguments)])


def run(command: list[str]) -> tuple[float, str]:
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = time.monotonic() - start
    if done.returncode != 0:
        said = (done.stdout + done.stderr)[-2000:]
        raise Failed(f"exit status {done.returncode}: {' '.join(command)}\n{said}")
    return seconds, done.stderr


def progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def image_of(bench: Bench, app: str, level: str, load: Workload) -> Path:
    """Compiles an application at a level, profiled with its own traffic."""
    progress(f"compiling {app}, level {level}")
    image = bench.folder / f"{app}-{level}.ixp"
    _, said = bench.run(
        "bakerc", source_of(app), f"--level={level}", f"--profile-trace={load.trace}",
        f"--control={load.control}", "-o", image,
    )  # fmt: skip
    if level in said:
        raise Missing(f"level {level}: {said.strip().splitlines()[0]}")
    return image


def code_words(image: Path) -> int:
    """Control store words of all aggregates of the program."""
    return sum(a["words"] for a in read_manifest(image)["aggregates"])


def read_manifest(image: Path) -> dict[str, Any]:
    """The section .manifest of the image, a 32-bit big-endian ELF file."""
    data = image.read_bytes()
    number = int.from_bytes

    def section(index: int) -> tuple[int, int, int]:
        at = number(data[32:36], "big") + index * number(data[46:48], "big")
        words = [number(data[at + 4 * i : at + 4 * i + 4], "big") for i in range(6)]
        return words[0], words[4], words[5]

    _, names, _ = section(number(data[50:52], "big"))
    for index in range(number(data[48:50], "big")):
        name, offset, size = section(index)
        if data[names + name :].startswith(b".manifest\0"):
            manifest: dict[str, Any] = json.loads(data[offset : offset + size])
            return manifest
    raise Failed(f"{image} has no manifest")


@dataclass(frozen=True)
class Workload:
    """A trace with the control file that sets up the tables for it."""

    trace: Path
    control: Path


def source_of(app: str) -> Path:
    source = ROOT / "apps" / app / f"{app.replace('-', '_')}.baker"
    if not source.exists():
        raise Missing(f"{app}: there is no such program yet")
    return source


ZIPF = ("--locality", "zipf")

#: Options of `npftrace make` by application and set of traffic: 64-byte frames
#: and no exceptions. The first set of an application is the main one.
IPV4 = ("ipv4", "--routes", "10000", "--hops", "64")
MPLS = ("mpls", "--labels", "4096", "--fecs", "10000")
ZIPF = ("--locality", "zipf")
TRAFFIC: dict[str, dict[str, tuple[str, ...]]] = {
    "l3-switch": {
        "": IPV4,
        "bridged": (*IPV4, "--bridged", "0.2"),
        "zipf": (*IPV4, *ZIPF),
    },
    "firewall": {
        "": ("firewall", "--rules", "100", "--denied", "0.05"),
        "rules10": ("firewall", "--rules", "10", "--denied", "0.05"),
        "rules1000": ("firewall", "--rules", "1000", "--denied", "0.05"),
        "rules10000": ("firewall", "--rules", "10000", "--denied", "0.05"),
        "zipf": ("firewall", "--rules", "100", "--denied", "0.05", *ZIPF),
    },
    "mpls": {"": MPLS, "zipf": (*MPLS, *ZIPF)},
}


def sets_of(bench: Bench, app: str) -> list[str]:
    names = list(TRAFFIC[app])
    return names if bench.all_sets else names[:1]


def workload(bench: Bench, app: str, traffic: str = "") -> Workload:
    """Makes the traffic of an application, once."""
    source_of(app)
    if traffic not in TRAFFIC[app]:
        raise Missing(f"{app}: npftrace makes no traffic for it yet")
    stem = f"{app}-{traffic}" if traffic else app
    load = Workload(bench.folder / f"{stem}.pcap", bench.folder / f"{stem}.control")
    if not load.trace.exists() or not load.control.exists():
        progress(f"making traffic for {stem}")
        bench.npftrace(
            "make", *TRAFFIC[app][traffic], "--seed", 1, "--packets", 20000,
            "--size", 64, "--out", load.trace, "--control", load.control,
        )  # fmt: skip
    return load


def simulate(
    bench: Bench, image: Path, load: Workload, engines: int, packets: int
) -> tuple[float, dict[str, Any]]:
    """Full load; returns wall seconds and the statistics."""
    progress(f"simulating {image.stem} on {engines} engines, {packets} packets")
    stats = bench.folder / "stats.json"
    seconds, _ = bench.run(
        "ixpsim", image, f"--trace={load.trace}", f"--control={load.control}",
        f"--packets={packets}", f"--warmup={packets // 10}", f"--mes={engines}",
        f"--stats={stats}", "--quiet",
    )  # fmt: skip
    return seconds, json.loads(stats.read_text())


Cases = Iterator[tuple[str, str, Path, Workload]]


def cases(bench: Bench) -> Cases:
    """(name, level, image, traffic) of every application, set and level."""
    for app in TRAFFIC:
        try:
            loads = {name: workload(bench, app, name) for name in sets_of(bench, app)}
            source_of(app)
        except Missing as missing:
            bench.leave_out(missing)
            continue
        for level in LEVELS:
            try:
                image = image_of(bench, app, level, next(iter(loads.values())))
            except Missing as missing:
                bench.leave_out(missing)
                continue
            for name, load in loads.items():
                yield f"{app}.{name}" if name else app, level, image, load

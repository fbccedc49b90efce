"""The benchmark `batching`: the model of rates against all bursts and sub-batches.

`bakerc --sweep` measures the grid of bursts B and sub-batches b in one process, all
points in turn, and takes medians; beside each stands what the model says. Three
things are told for each program: the largest and the mean error of the model's rates,
and the measured rate of the pair that it chose over that of the best pair.
"""

from __future__ import annotations

import gzip
import os
import random
import statistics
import struct
from pathlib import Path
from typing import Any

from bench.harness.bench import Bench, Failed, Missing, progress
from bench.harness.text_table import table
from bench.harness.workloads import APPS, source_of, workload
from bench.x86.paper_programs import paper_program
from bench.x86.processor import processor
from bench.x86.random_programs import program
from testkit.captures import write_pcap
from testkit.forwarders import FORWARDERS
from testkit.tools import read_json
from testkit.workloads import Workload

#: Packets of a trace, and of each point of the grid in each round.
TRACE_PACKETS = 100_000
POINT_PACKETS = 100_000
RANDOM_PROGRAMS = 20
#: The same with --quick.
QUICK_POINT_PACKETS = 20_000
QUICK_RANDOM_PROGRAMS = 4
PAPER_PROGRAMS = tuple(FORWARDERS)
RIB = "rib/ipv4-20020722-rrc05-as1853.txt.gz"


def ipv4_frame(port: int, destination: int) -> bytes:
    """A UDP frame to the router's own address on `port`."""
    head = bytearray.fromhex("4500002e00000000401100000a010203")
    head += destination.to_bytes(4, "big")
    total = sum(struct.unpack(">10H", head))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    head[10:12] = (~total & 0xFFFF).to_bytes(2, "big")
    ether = bytes([2, 0, 0, 0, 0, port, 2, 9, 9, 9, 9, 9, 8, 0])
    return ether + bytes(head) + bytes.fromhex("00070007001a0000") + bytes(18)


def full_table(bench: Bench) -> tuple[Path, Workload]:
    """L3-Switch with the 112,986 routes of 2002, packets to random ones."""
    data = os.environ.get("KARAKAL_TEST_DATA")
    if not data:
        raise Missing("the routes of 2002 need KARAKAL_TEST_DATA")
    rng = random.Random(2002)
    lines = [f"port_mac({p}, 02:00:00:00:00:0{p})" for p in range(4)]
    lines += [f"next_hop_add({h}, {h % 4}, 02:01:00:00:00:{h:02x})" for h in range(64)]
    routes = []
    text = gzip.decompress((Path(data) / RIB).read_bytes()).decode()
    for line in text.splitlines():
        prefix, length = line.split()[0].split("/")
        address = int.from_bytes(bytes(map(int, prefix.split("."))), "big")
        routes.append((address, int(length)))
        lines.append(f"route_add({prefix}, {length}, {rng.randrange(64)})")
    frames = []
    for i in range(TRACE_PACKETS):
        address, length = rng.choice(routes)
        destination = address | rng.getrandbits(32) & (0xFFFFFFFF >> length)
        frames.append(ipv4_frame(i % 4, destination))
    folder = bench.folder / "batching"
    load = Workload(folder / "full.pcap", folder / "full.control")
    load.control.write_text("\n".join(lines) + "\n")
    write_pcap(load.trace, frames)
    return source_of(bench, "l3-switch"), load


def random_program(bench: Bench, seed: int) -> tuple[Path, Workload]:
    made = program(seed, TRACE_PACKETS)
    source = bench.folder / "batching" / f"{made.name}.baker"
    load = Workload(
        source.with_suffix(".pcap"), source.with_suffix(".control"), made.name
    )
    source.write_text(made.source)
    load.control.write_text(made.control)
    write_pcap(load.trace, made.frames)
    return source, load


def judged(found: dict[str, Any]) -> dict[str, float]:
    """The errors of the model on one grid, and its choice over the best pair."""
    errors = {}
    measured = {}
    for point in found["points"]:
        pair = (point["burst"], point["sub_batch"])
        measured[pair] = point["measured_mpps"]
        errors[pair] = abs(point["model_mpps"] / point["measured_mpps"] - 1)
    chosen = (found["chosen"]["burst"], found["chosen"]["sub_batch"])
    best = max(measured, key=lambda pair: measured[pair])
    return {
        "max_relative_error": max(errors.values()),
        "mean_relative_error": statistics.mean(errors.values()),
        "model_B": chosen[0],
        "model_b": chosen[1],
        "best_B": best[0],
        "best_b": best[1],
        "choice_over_best": measured[chosen] / measured[best],
    }


def print_grid(name: str, found: dict[str, Any]) -> None:
    rows: list[list[object]] = [
        [
            point["burst"],
            point["sub_batch"],
            point["measured_mpps"],
            point["model_mpps"],
            point["model_mpps"] / point["measured_mpps"],
        ]
        for point in found["points"]
    ]
    headings = ["B", "b", "measured", "model", "model over measured"]
    table(f"{name}, million packets/s on {found['processor']}", headings, rows)


def sweep(
    bench: Bench, name: str, source: Path, load: Workload, *options: str
) -> dict[str, Any]:
    """What `--sweep` writes for a program; prints it."""
    progress(f"{name}, all bursts and sub-batches")
    file = bench.folder / "batching" / f"{name.replace(' ', '-')}.json"
    packets = QUICK_POINT_PACKETS if bench.quick else POINT_PACKETS
    bench.output(
        "bakerc",
        source,
        "--run",
        *load.inputs(),
        "--fast",
        "--burst=auto",
        "--sub-batch=auto",
        "-Wno-unlocked-update",
        f"--machine={machine(bench)}",
        f"--sweep={file}",
        f"--packets={packets}",
        *options,
    )
    found: dict[str, Any] = read_json(file)
    print_grid(name, found)
    return found


def machine(bench: Bench) -> Path:
    return bench.folder / "batching" / "machine.json"


def calibrate(bench: Bench) -> None:
    """Measures the machine, for `sweep`."""
    machine(bench).parent.mkdir(exist_ok=True)
    progress("calibration")
    bench.output("bakerc", "--calibrate", f"--machine={machine(bench)}")


def batching(bench: Bench) -> dict[str, Any]:
    """The model of rates against the grid of bursts and sub-batches."""
    calibrate(bench)
    programs: dict[str, dict[str, float]] = {}

    def add(name: str, source: Path, load: Workload, *options: str) -> None:
        programs[name] = judged(sweep(bench, name, source, load, *options))

    for app in APPS:
        try:
            load = workload(bench, app, packets=TRACE_PACKETS)
            add(app, source_of(bench, app), load)
        except Missing as missing:
            bench.leave_out(missing)
    try:
        add("l3-switch of 2002", *full_table(bench))
    except Missing as missing:
        bench.leave_out(missing)
    for name in PAPER_PROGRAMS:
        add(name, *paper_program(bench, name))
    count = QUICK_RANDOM_PROGRAMS if bench.quick else RANDOM_PROGRAMS
    for seed in range(1, count + 1):
        add(f"random-{seed}", *random_program(bench, seed))
    if not programs:
        raise Failed("no program could be run")
    headings = ["program", "largest error", "mean error", "B", "b", "best B", "best b"]
    table(
        f"The model of rates on {processor()}",
        [*headings, "choice over best"],
        [[name, *of.values()] for name, of in programs.items()],
    )
    errors = [of["max_relative_error"] for of in programs.values()]
    means = [of["mean_relative_error"] for of in programs.values()]
    result = {
        "max_relative_error": max(errors),
        "mean_relative_error": statistics.mean(means),
        "worst_choice_over_best": min(
            of["choice_over_best"] for of in programs.values()
        ),
    }
    print(
        f"largest error {result['max_relative_error']:.3f} (asked 0.15), mean "
        f"{result['mean_relative_error']:.3f} (asked 0.05), worst choice over best "
        f"{result['worst_choice_over_best']:.3f} (asked 0.97)"
    )
    return {"cpu": processor(), "programs": programs, "model": result}

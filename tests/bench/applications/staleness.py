"""Stale packets under a stream of updates, against the requested rate."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from bench.harness.bench import Bench, Missing, progress
from bench.harness.text_table import table
from bench.harness.workloads import simulate, source_of, workload
from npftrace.tables.updates import read_times, schedule
from testkit.workloads import Workload

#: Packets of a run, during which the updates happen.
PACKETS = 20000
RATES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
#: With an exchange of code no packet may be stale, whatever is asked.
EXCHANGE = "exchange"
SPEEDS = (1, 100, 10000)
STREAM = "updates/updates-20020722.2238.bgp.gz"

Row = dict[str, Any]


def update_of(app: str, number: int) -> str:
    """The call of update `number`, which changes a value that engines may cache."""
    if app == "firewall":
        return f"flow_action({number % 100}, {number // 100 % 2})"
    mac = 0x020000000000 | (number & 0xFFFFFF) << 8 | number % 64
    text = ":".join(f"{mac >> shift & 255:02x}" for shift in range(40, -1, -8))
    return f"next_hop_add({number % 64}, {number % 4}, {text})"


def with_updates(bench: Bench, app: str, load: Workload, speed: int) -> Workload:
    data = os.environ.get("KARAKAL_TEST_DATA")
    if not data or not (Path(data) / STREAM).exists():
        raise Missing(f"KARAKAL_TEST_DATA holds no {STREAM}")
    packets = schedule(read_times(Path(data) / STREAM), speed, PACKETS)
    control = bench.folder / f"{app}-updates-{speed}.control"
    lines = [f"@packet {at} {update_of(app, i)}" for i, at in enumerate(packets) if at]
    control.write_text(load.control.read_text() + "\n".join(lines) + "\n")
    return Workload(load.trace, control, app)


def profile_of(bench: Bench, app: str, load: Workload, speed: int) -> Path:
    profile = bench.folder / f"{app}-{speed}.profile"
    bench.run(
        "bakerc", source_of(bench, app), *load.profile(), f"--emit-profile={profile}",
        "-o", bench.folder / "profiled.ixp",
    )  # fmt: skip
    return profile


def measure(bench: Bench, app: str, speed: int, load: Workload) -> list[Row]:
    rows = []
    profile = profile_of(bench, app, load, speed)
    kinds = [("delayed", asked) for asked in RATES] + [(EXCHANGE, 0.0)]
    for updates, asked in kinds:
        progress(f"staleness of {app}, {speed} times, {updates}, {asked:g}")
        image = bench.folder / f"{app}-stale.ixp"
        tolerated = () if updates == EXCHANGE else (f"--max-error-rate={asked}",)
        bench.run(
            "bakerc", source_of(bench, app), f"--profile={profile}",
            f"--updates={updates}", *tolerated, "-o", image,
        )  # fmt: skip
        stats = simulate(bench, image, load, 6, PACKETS)
        caches = stats["caches"]
        intervals = [each["check_interval"] for each in caches["globals"]]
        rows.append(
            {
                "app": app,
                "asked_rate": asked,
                "measured_rate": caches["stale_rate"],
                "check_interval": min(intervals, default=0),
                "update_speed": speed,
                "updates": updates,
                "exchanges": caches["exchanges"],
                "holds": caches["stale_rate"] <= asked,
                "cached": [each["global"] for each in caches["globals"]],
                "stale_packets": caches["stale_packets"],
                "version_checks": caches["version_checks"],
            }
        )
    return rows


def staleness(bench: Bench) -> list[Row]:
    """Stale packets per packet, by requested rate and speed of the stream."""
    rows: list[Row] = []
    for app in ("l3-switch", "firewall", "mpls"):
        load = workload(bench, app)
        for speed in SPEEDS:
            rows += measure(bench, app, speed, with_updates(bench, app, load, speed))
    printed: list[list[object]] = [
        [
            row["app"], row["update_speed"], row["updates"], f"{row['asked_rate']:g}",
            f"{row['measured_rate']:.2e}", row["check_interval"], row["version_checks"],
            " ".join(row["cached"]) or "nothing",
        ]
        for row in rows
    ]  # fmt: skip
    headings = [
        "application", "speed", "updates", "asked", "measured", "interval", "checks",
        "cached",
    ]  # fmt: skip
    table(
        "Stale packets per packet (interval: packets, all engines)", headings, printed
    )
    broken = sum(not row["holds"] for row in rows)
    print(f"above the requested rate: {broken} of {len(rows)}", flush=True)
    return rows

"""One image for all traffic: trained on each kind of traffic, tested on each
other. The profile is another draw than the traffic of the run."""

from __future__ import annotations

from typing import Any

from bench.harness.bench import Bench, Failed
from bench.harness.text_table import table
from bench.harness.workloads import run_options, source_of
from npftrace.sweep.spec import Point
from npftrace.sweep.sweep import PointResult, Sweep

TEST_SEED, PROFILE_SEED = 1, 2
COMMON = {"packets": 8000, "size": 64}

ROUTED = {"kind": "ipv4", "routes": 10000, "hops": 64}
FILTERED = {"kind": "firewall", "denied": 0.05}
SWITCHED = {"kind": "mpls", "labels": 4096, "fecs": 10000}
#: Kinds of traffic by application.
KINDS: dict[str, dict[str, dict[str, Any]]] = {
    "l3-switch": {
        "routed": ROUTED,
        "zipf": {**ROUTED, "locality": "zipf"},
        "bridged": {**ROUTED, "bridged": 1},
        "mixed": {**ROUTED, "bridged": 0.2, "fragments": 0.1},
        "other-sizes": {**ROUTED, "size": "imix"},
        "ipv6": {"kind": "ipv6", "size": 78},
    },
    "firewall": {
        "100 rules": {**FILTERED, "rules": 100},
        "10 rules": {**FILTERED, "rules": 10},
        "1000 rules": {**FILTERED, "rules": 1000},
        "zipf": {**FILTERED, "rules": 100, "locality": "zipf"},
        "denied": {**FILTERED, "rules": 100, "denied": 0.5},
        "fragments": {**FILTERED, "rules": 100, "fragments": 0.3},
    },
    "mpls": {
        "mixed": SWITCHED,
        "swap": {**SWITCHED, "transit": 1, "egress": 0},
        "pop": {**SWITCHED, "transit": 0, "egress": 1},
        "push": {**SWITCHED, "transit": 0, "egress": 0},
        "push 2": {**SWITCHED, "transit": 0, "egress": 0, "push": 2},
        "swap-push": {**SWITCHED, "transit": 0, "egress": 0, "swap-push": 1},
        "penultimate": {**SWITCHED, "transit": 0, "egress": 0, "pop-ip": 1},
    },
}


def point(bench: Bench, app: str, train: str, test: str) -> Point:
    kinds = KINDS[app]
    return Point(
        name=f"{app}: {train}, {test}",
        program=source_of(bench, app),
        traffic={**COMMON, **kinds[test], "seed": TEST_SEED},
        profile={**COMMON, **kinds[train], "seed": PROFILE_SEED},
        compile={"level": "swc"},
        simulate=run_options(bench.packets, max(bench.engines)),
    )


def rate_of(found: PointResult) -> float:
    if found.error:
        raise Failed(f"{found.point.name}: {found.error}")
    gbps: float = found.stats["rate"]["forwarded_gbps"]
    return gbps


def transfer(bench: Bench) -> dict[str, Any]:
    """Rates by the kind of traffic in the profile and in the run, and their ratio
    to the rate of the image that was trained on the run's kind. Fewer engines
    (`--mes=2`) show what the ports hide."""
    keys = [
        (app, train, test) for app, kinds in KINDS.items() for train in kinds
        for test in kinds
    ]  # fmt: skip
    found = Sweep(bench.engine, bench.tools).run([point(bench, *key) for key in keys])
    rates = dict(zip(keys, map(rate_of, found), strict=True))
    result: dict[str, Any] = {}
    for (app, train, test), gbps in rates.items():
        own = rates[app, test, test]
        cell = {"gbps": gbps, "own_profile_gbps": own, "ratio": gbps / own}
        result.setdefault(app, {}).setdefault(train, {})[test] = cell
    worst = min(rates[key] / rates[key[0], key[2], key[2]] for key in keys)
    for app, by_train in result.items():
        rows: list[list[object]] = [
            [train, *(float(cell["ratio"]) for cell in cells.values())]
            for train, cells in by_train.items()
        ]
        own_rates = [float(by_train[kind][kind]["gbps"]) for kind in by_train]
        rows.append(["own profile, Gbps", *own_rates])
        title = f"{app}: rate by profile (rows) and traffic (columns), own profile = 1"
        table(title, ["profile", *KINDS[app]], rows)
    print(f"worst cell: {worst:.2f}", flush=True)
    return {**result, "worst_ratio": worst}

"""Compares a model with measurements: fit.py MODEL MEASUREMENTS.

The model is min(c, f_mem(b), f_dma(B)) in million packets a second, with

    f_mem(b) = min(b, parallel) * m
    f_dma(B) = B * 1000 / (fixed_ns + B * packet_ns)

Measurements are a CSV file with the columns B, b and mpps, or what `bakerc --sweep`
writes; of the latter the points with b = 1 are left out, because they ran other code,
packet by packet, whose misses the processor overlaps by itself. Prints as JSON the
number of points, the mean and the largest relative error, and the point of the largest.
"""

import csv
import json
import sys
from pathlib import Path

import yaml


def points(path: Path) -> list[tuple[int, int, float]]:
    """The measured points: B, b and the rate."""
    text = path.read_text()
    if path.suffix == ".json":
        rows = json.loads(text)["points"]
        names = ("burst", "sub_batch", "measured_mpps")
    else:
        rows = list(csv.DictReader(text.splitlines()))
        names = ("B", "b", "mpps")
    found = [tuple(float(row[name]) for name in names) for row in rows]
    first = 2 if path.suffix == ".json" else 1
    return [
        (int(batch), int(sub), rate)
        for batch, sub, rate in found
        if rate > 0 and sub >= first
    ]


model = yaml.safe_load(Path(sys.argv[1]).read_text())
c = float(model["c"])
m, parallel = float(model["mem"]["m"]), float(model["mem"]["parallel"])
fixed_ns = float(model["dma"]["fixed_ns"])
packet_ns = float(model["dma"]["packet_ns"])

measured = points(Path(sys.argv[2]))
if not measured:
    sys.exit(f"{sys.argv[2]} has no measured points: write it with bakerc --sweep")
errors = []
for batch, sub, rate in measured:
    f_mem = min(sub, parallel) * m
    f_dma = batch * 1000 / (fixed_ns + batch * packet_ns)
    errors.append(abs(min(c, f_mem, f_dma) - rate) / rate)
worst = errors.index(max(errors))
print(
    json.dumps(
        {
            "points": len({point[:2] for point in measured}),
            "mean": sum(errors) / len(errors),
            "max": errors[worst],
            "worst": f"B = {measured[worst][0]}, b = {measured[worst][1]}",
        }
    )
)

"""Compares a model with measurements: fit.py MODEL MEASUREMENTS.

The model is min(c, f_mem(b), f_dma(B)) in million packets a second, with

    f_mem(b) = min(b, parallel) * m
    f_dma(B) = B * 1000 / (fixed_ns + B * packet_ns)

Prints the mean and the largest relative error as JSON.
"""

import csv
import json
import sys
from pathlib import Path

import yaml

model = yaml.safe_load(Path(sys.argv[1]).read_text())
c = float(model["c"])
m, parallel = float(model["mem"]["m"]), float(model["mem"]["parallel"])
fixed_ns = float(model["dma"]["fixed_ns"])
packet_ns = float(model["dma"]["packet_ns"])
errors = []
for row in csv.DictReader(Path(sys.argv[2]).read_text().splitlines()):
    batch, sub = int(row["B"]), int(row["b"])
    f_mem = min(sub, parallel) * m
    f_dma = batch * 1000 / (fixed_ns + batch * packet_ns)
    measured = float(row["mpps"])
    errors.append(abs(min(c, f_mem, f_dma) - measured) / measured)
print(json.dumps({"mean": sum(errors) / len(errors), "max": max(errors)}))

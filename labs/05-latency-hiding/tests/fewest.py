"""Judges a number of contexts by the rates of 1, 2, … contexts:
fewest.py ANSWERS KERNEL MPPS STATS…  Prints the verdict as JSON."""

import json
import sys

import yaml


def verdict(contexts, rates, mpps):
    if type(contexts) is not int or not 1 <= contexts <= len(rates):
        return f"not a number from 1 to {len(rates)}"
    if rates[contexts - 1] < mpps:
        return f"{contexts} are too few"
    if any(rate >= mpps for rate in rates[: contexts - 1]):
        return f"fewer than {contexts} suffice"
    return "the fewest"


answers, kernel, mpps, *runs = sys.argv[1:]
try:
    with open(answers) as file:
        contexts = yaml.safe_load(file)["contexts"][kernel]
except (KeyError, TypeError, yaml.YAMLError):
    contexts = None
rates = []
for run in runs:
    with open(run) as file:
        rates.append(json.load(file)["rate"]["forwarded_mpps"])
print(json.dumps({"contexts": verdict(contexts, rates, float(mpps))}))

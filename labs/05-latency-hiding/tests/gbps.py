"""Prints the rate of a run of reads.uc as JSON: gbps.py STATS ACCESSES."""

import json
import sys

BITS = 64 * 8

with open(sys.argv[1]) as file:
    stats = json.load(file)
commands = sum(engine["commands"] for engine in stats["microengines"])
packets = commands / int(sys.argv[2])
print(json.dumps({"gbps": packets * BITS / stats["seconds"] / 1e9}))

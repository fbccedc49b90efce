"""Reads a graph of PPFs and prints a mapping for bakerc.

heuristic.py GRAPH.json

PPFs with a lock have an aggregate with one engine. What lies between them stays
together, and the other engines are shared out by cycles. If that is slower than
everything in one aggregate, whose engines wait for each other's lock, there is one.
"""

import json
import sys

#: What a packet holds a lock that several engines take.
SHARED_LOCK_CYCLES = 400

with open(sys.argv[1]) as file:
    graph = json.load(file)

# Consecutive PPFs without a lock, and single ones with a lock.
groups = []
for ppf in graph["ppfs"]:
    if groups and not ppf["lock"] and not groups[-1][-1]["lock"]:
        groups[-1].append(ppf)
    else:
        groups.append([ppf])

engines = [1] * len(groups)
cycles = [sum(ppf["cycles"] * ppf.get("share", 1) for ppf in group) for group in groups]
for _ in range(graph["engines"] - len(groups)):
    free = [i for i, group in enumerate(groups) if not group[0]["lock"]]
    if free:
        engines[max(free, key=lambda i: cycles[i] / engines[i])] += 1

slowest = max(each / count for each, count in zip(cycles, engines, strict=True))
if max(SHARED_LOCK_CYCLES, sum(cycles) / graph["engines"]) < slowest:
    groups, engines = [graph["ppfs"]], [graph["engines"]]

for number, group in enumerate(groups):
    print(f"aggregate a{number} {engines[number]}")
    for ppf in group:
        print(f"  {ppf['name']}")

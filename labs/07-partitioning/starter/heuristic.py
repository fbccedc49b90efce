"""Part 2: reads a graph of PPFs and prints a mapping for bakerc.

heuristic.py GRAPH.json
"""

import json
import sys

with open(sys.argv[1]) as file:
    graph = json.load(file)

# Your code here: this gives each PPF an aggregate with one engine.
for number, ppf in enumerate(graph["ppfs"]):
    print(f"aggregate a{number} 1")
    print(f"  {ppf['name']}")

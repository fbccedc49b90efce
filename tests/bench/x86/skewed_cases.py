"""Programs that search one table, and traffic that finds some entries most.

Each structure has the table that makes the compiler choose it. The entries are all
found in `even` traffic, by Zipf's law with exponent 1 in `zipf`, and nine packets of
ten find one entry in `one`; in `trains` they follow each other in groups of 64.
"""

from __future__ import annotations

import random

from bench.x86.special_cases import FRAMES, frame, module
from testkit.program import Program

#: Entries, and different masks of rules.
STRUCTURES = {
    "trie": (1000, 1),
    "hash": (1000, 1),
    "sets": (200, 4),
    "vectors": (60, 20),
    "tuples": (2000, 20),
}
TRAFFIC = ("even", "zipf", "one", "trains")
RULES = "ternary u32 dst; ternary u32 src; ternary u8 proto;"
KEYS = {"trie": "lpm u32 dst;", "hash": "u32 dst;"}
#: Declared sizes: up to 1,024 rules have bit vectors, more are searched by tuples.
SIZES = {"trie": 4000, "hash": 4000, "sets": 1000, "vectors": 1000, "tuples": 3000}


def shares(traffic: str, count: int) -> list[float]:
    if traffic == "zipf":
        return [1 / (rank + 1) for rank in range(count)]
    if traffic == "even":
        return [1.0] * count
    return [9.0 * (count - 1)] + [1.0] * (count - 1)


def skewed(structure: str, traffic: str) -> Program:
    """Packets get the values of the entry that they find."""
    entries, masks = STRUCTURES[structure]
    rng = random.Random(f"{structure} {traffic}")
    addresses = sorted({rng.getrandbits(32) for _ in range(entries)})
    calls = []
    for i, address in enumerate(addresses):
        values = f"port: {i % 3}, mac: {rng.getrandbits(40)}"
        mask = 0xFFFFFFFF & -(1 << i % masks)
        if structure == "trie":
            key = f"{address & 0xFFFFFF00}/24"
        elif structure == "hash":
            key = str(address)
        else:
            key = f"{address & mask} & {mask}, any, any, priority: {i + 1}"
        calls.append(f"t.add({key}, {values})")
    if structure == "trie":
        # One entry for each network.
        calls = list({call.partition("/")[0]: call for call in calls}.values())
    key = KEYS.get(structure, RULES)
    arguments = "ph->dst" if structure in KEYS else "ph->dst, ph->src, ph->proto"
    source = module(
        f"  table t {{ key {{ {key} }} value {{ u8 port; u48 mac; }}"
        f" size {SIZES[structure]}; }}\n",
        f"  t * entry = t.find({arguments});\n"
        "  if (!entry) { packet_drop(ph); return; }\n"
        "  ph->mac_dst = entry->mac;\n  ph->ttl = entry->port;\n",
    )
    rng.shuffle(addresses)
    length = 64 if traffic == "trains" else 1
    frames = [
        frame((1, address, 6, 1, 2))
        for address in rng.choices(
            addresses, shares(traffic, len(addresses)), k=FRAMES // length
        )
        for _ in range(length)
    ]
    return Program(
        f"{structure}-{traffic}", source, "\n".join(calls) + "\n", tuple(frames)
    )


def skewed_cases() -> list[Program]:
    return [skewed(structure, each) for structure in STRUCTURES for each in TRAFFIC]

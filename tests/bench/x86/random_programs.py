"""Programs for the model of rates: random tables, chains of look-ups and arithmetic.

A program reads words of the packet, looks up in one to four tables of 4 KiB to
64 MiB, at an index that the packet or the last look-up gives, computes, and
branches on what it found.
"""

from __future__ import annotations

import random

from testkit.program import Program

#: Words of a frame, all random.
WORDS = 15
#: Bits of the indices of the smallest and the largest table of 32-bit words.
SMALLEST, LARGEST = 10, 24
#: And of the smallest whose loads are cut by themselves.
STAGED = 16


def frames(seed: int, count: int) -> tuple[bytes, ...]:
    rng = random.Random(seed)
    return tuple(rng.randbytes(4 * WORDS) for _ in range(count))


def step(rng: random.Random, tables: list[int]) -> str:
    """A statement on `a`, what the last look-up gave, and `b`, the sum."""
    word = f"ph->w[{rng.randrange(3, WORDS)}]"
    table = rng.randrange(len(tables))
    mask = (1 << tables[table]) - 1
    kind = rng.choice(("chain", "chain", "free", "compute", "branch"))
    if kind == "chain":
        return f"  a = t{table}[(a * 0x9e3779b1 ^ {word}) & {mask}];\n"
    if kind == "free":
        return f"  b ^= t{table}[{word} & {mask}];\n"
    if kind == "branch":
        bit = 1 << rng.randrange(32)
        return f"  if ((a ^ {word}) & {bit}) {{ counts[a & 15] += b; }}\n"
    return (
        f"  for (u32 i = 0; i < {rng.randrange(2, 9)}; i++)\n"
        f"    b = (b ^ (b >> 15) ^ {word}) * 0x85ebca6b;\n"
    )


def program(seed: int, packets: int) -> Program:
    rng = random.Random(seed)
    # The first table is large enough for stages, and is looked up first.
    tables = [rng.randint(STAGED, LARGEST)]
    tables += [rng.randint(SMALLEST, LARGEST) for _ in range(rng.randint(0, 3))]
    declared = "".join(f"  u32 t{i}[{1 << bits}];\n" for i, bits in enumerate(tables))
    fills = "".join(
        f"    for (u32 i = 0; i < {1 << bits}; i++) {{\n"
        f"      x = x * 1664525 + 1013904223;\n      t{i}[i] = x ^ (x >> 16);\n    }}\n"
        for i, bits in enumerate(tables)
    )
    steps = f"  a = t0[ph->w[3] & {(1 << tables[0]) - 1}];\n"
    steps += "".join(step(rng, tables) for _ in range(rng.randint(3, 12)))
    source = (
        f"protocol words {{ w : 32[{WORDS}]; demux {{ {4 * WORDS} }}; }}\n"
        f"module m {{\n{declared}  u32 counts[16];\n"
        "  ppf f { in words_pkt * in_cc; out words_pkt * out_cc; }\n"
        "  wiring { rx -> f.in_cc; f.out_cc -> tx; }\n"
        f"  control int fill(u32 seed) {{\n    u32 x = seed;\n{fills}"
        "    return 0;\n  }\n}\n"
        "m.f.ppf(words_pkt * ph) {\n  u32 a = ph->w[2];\n  u32 b = a;\n"
        f"{steps}  ph->w[0] = a;\n  ph->w[1] = b;\n"
        "  ph->metadata.tx.port = 1;\n  channel_put(out_cc, ph);\n}\n"
    )
    return Program(f"random-{seed}", source, f"fill({seed})\n", frames(seed, packets))

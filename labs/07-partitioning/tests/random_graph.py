"""Makes a program of random PPFs: random_graph.py SEED.

Writes gSEED.baker, gSEED.json, which heuristic.py reads, and gSEED.together, a mapping
with everything in one aggregate. The same seed gives the same files.
"""

import json
import random
import sys
from pathlib import Path

#: What one round of a PPF's loop takes, and what a PPF needs besides its loop.
ROUND_CYCLES, PPF_CYCLES, LOCK_CYCLES = 10, 60, 200
ENGINES = 6
BODY = """
g.{name}.ppf(ether_pkt * ph) {{
  u32 x = (u32)ph->src ^ (u32)ph->dst;
{work}  ph->src = (u48)x;
{send}}}
"""
LOOP = "  for (u32 i = 0; i < {rounds}; i++)\n    x = (x ^ x << 3) + i;\n"
SECTION = "  critical (l) {\n    v = (v ^ x) + 1;\n    v = (v ^ x) + 3;\n  }\n"
ONE = "  channel_put(out_cc, ph);\n"
TWO = "  if (x & 1)\n    channel_put(odd, ph);\n  else\n    channel_put(even, ph);\n"


class Graph:
    """PPFs in an order in which packets meet them."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self.ppfs: list[dict] = []
        self.wires: list[tuple[str, str]] = []
        stages = self._draw.randint(3, 4)
        # Of three programs two have a lock.
        locked = self._draw.randrange(stages) if seed % 3 else None
        ends = ["rx"]
        for stage in range(stages):
            if stage == locked:
                ends = self._add(ends, LOCK_CYCLES, lock=True)
            elif stage + 1 < stages and self._draw.random() < 0.5:
                ends = self._fork(ends)
            else:
                ends = self._add(ends, self._cycles())
        self.wires += [(end, "tx") for end in ends]

    def _cycles(self) -> int:
        return ROUND_CYCLES * self._draw.randint(15, 60) + PPF_CYCLES

    def _add(self, ends: list[str], cycles: int, **more: object) -> list[str]:
        """A PPF that gets what leaves `ends`; returns where its packets leave."""
        name = f"p{len(self.ppfs)}"
        ppf = {"name": f"g.{name}", "cycles": cycles, "share": 1.0, "lock": False}
        self.ppfs.append(ppf | more)
        self.wires += [(end, f"{name}.in_cc") for end in ends]
        return [f"{name}.out_cc"]

    def _fork(self, ends: list[str]) -> list[str]:
        """Half of the packets take one way, the others another."""
        (fork,) = self._add(ends, self._cycles())
        name = fork.split(".")[0]
        ways = [[f"{name}.odd"], [f"{name}.even"]]
        return [
            end for way in ways for end in self._add(way, self._cycles(), share=0.5)
        ]

    def text(self) -> str:
        """The program."""
        forks = {end.split(".")[0] for end, _ in self.wires if end.endswith(".odd")}
        out = ["// A random program.\n\nimport net.ether;\n\nmodule g {\n"]
        if any(ppf["lock"] for ppf in self.ppfs):
            out.append("  lock l;\n  u32 v;\n")
        bodies = []
        for ppf in self.ppfs:
            name = ppf["name"][2:]
            outs = ("odd", "even") if name in forks else ("out_cc",)
            ports = " ".join(f"out ether_pkt * {port};" for port in outs)
            out.append(f"  ppf {name} {{ in ether_pkt * in_cc; {ports} }}\n")
            rounds = (ppf["cycles"] - PPF_CYCLES) // ROUND_CYCLES
            work = SECTION if ppf["lock"] else LOOP.format(rounds=rounds)
            send = TWO if name in forks else ONE
            bodies.append(BODY.format(name=name, work=work, send=send))
        wires = "".join(f"    {end} -> {to};\n" for end, to in self.wires)
        return "".join([*out, "  wiring {\n", wires, "  }\n}\n", *bodies])

    def description(self) -> str:
        """What heuristic.py reads."""
        names = [(end.split(".")[0], to.split(".")[0]) for end, to in self.wires]
        channels = [[f"g.{end}", f"g.{to}"] for end, to in names
                    if end != "rx" and to != "tx"]  # fmt: skip
        graph = {"engines": ENGINES, "ppfs": self.ppfs, "channels": channels}
        return json.dumps(graph, indent=2) + "\n"

    def together(self) -> str:
        names = "".join(f"  {ppf['name']}\n" for ppf in self.ppfs)
        return f"aggregate all {ENGINES}\n{names}"


if __name__ == "__main__":
    seed = sys.argv[1]
    graph = Graph(int(seed))
    Path(f"g{seed}.baker").write_text(graph.text())
    Path(f"g{seed}.json").write_text(graph.description())
    Path(f"g{seed}.together").write_text(graph.together())

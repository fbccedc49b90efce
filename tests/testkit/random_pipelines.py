"""Random Baker programs of PPFs that fan out, lie on cycles, or are cold.

Each packet carries the number of PPFs that it has met, and leaves after at most
`STEPS_MAX`. Each PPF mixes its own number into the packet's type, so that what
leaves tells the path.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

#: PPFs that a packet meets at most; it may double at each.
STEPS_MAX = 5
PPFS = range(2, 7)
#: Ways out of a PPF besides the way to Tx.
WAYS = range(1, 4)

HEAD = """
import net.ether;

metadata {
  u16 step;
}

module m {
"""
BODY = """
m.p{number}.ppf(ether_pkt * ph) {{
  u16 step = ph->metadata.step;
  ph->metadata.step = step + 1;
  ph->type = ph->type * 5 + {number};
  if (step >= {last}) {{
    channel_put(end_cc, ph);
    return;
  }}
  u16 way = ph->type & 3;
{choices}  channel_put(end_cc, ph);
}}
"""
CHOICE = """  if (way == {way}) {{
{copies}    channel_put({last}, ph);
    return;
  }}
"""


@dataclass(frozen=True)
class Ppf:
    number: int
    is_cold: bool
    #: The PPFs that a packet goes to, copies included, by the way that it takes.
    ways: tuple[tuple[int, ...], ...]

    def declaration(self) -> str:
        outs = "".join(
            f"    out ether_pkt * {name}_cc;\n" for name in (*self.channels(), "end")
        )
        cold = "@cold " if self.is_cold else ""
        return f"  {cold}ppf p{self.number} {{\n    in ether_pkt * in_cc;\n{outs}  }}\n"

    def channels(self) -> dict[str, int]:
        """The PPFs that the outputs lead to."""
        return {
            f"w{way}_{copy}": to
            for way, targets in enumerate(self.ways)
            for copy, to in enumerate(targets)
        }

    def wiring(self) -> str:
        lines = [
            f"    p{self.number}.{name}_cc -> p{to}.in_cc;\n"
            for name, to in self.channels().items()
        ]
        return "".join([*lines, f"    p{self.number}.end_cc -> tx;\n"])

    def body(self) -> str:
        choices = ""
        for way, targets in enumerate(self.ways):
            names = [f"w{way}_{copy}_cc" for copy in range(len(targets))]
            copies = "".join(
                f"    channel_put({name}, packet_copy(ph));\n" for name in names[:-1]
            )
            choices += CHOICE.format(way=way, copies=copies, last=names[-1])
        return BODY.format(number=self.number, last=STEPS_MAX - 1, choices=choices)


def random_pipeline(seed: int) -> str:
    """A program; the same for the same seed. The first PPF is never cold."""
    draw = random.Random(seed)
    count = draw.choice(PPFS)
    ppfs = []
    for number in range(count):
        ways = tuple(
            tuple(
                draw.randrange(1, count) if draw.random() < 0.7 else number
                for _ in range(draw.choice((1, 1, 2)))
            )
            for _ in range(draw.choice(WAYS))
        )
        ppfs.append(Ppf(number, number > 0 and draw.random() < 0.3, ways))
    declarations = "".join(ppf.declaration() for ppf in ppfs)
    wiring = "".join(ppf.wiring() for ppf in ppfs)
    bodies = "".join(ppf.body() for ppf in ppfs)
    wired = f"  wiring {{\n    rx -> p0.in_cc;\n{wiring}  }}\n}}\n"
    return HEAD + declarations + wired + bodies

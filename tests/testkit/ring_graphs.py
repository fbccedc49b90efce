"""A model checker for rings: all orders in which the contexts of a mapped program
can take and put messages.

The graph of PPFs is abstract: a PPF makes up to two packets of one, for any of its
channels. How each channel is realized (a call, a ring that waits, gives up, or
drops) is read from what the compiler planned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from itertools import combinations, product

#: Messages that a ring holds.
CAPACITY = 1
CORE = "the XScale core"


@dataclass(frozen=True)
class Graph:
    """PPFs p0, p1, ... Packets come to p0; each PPF also has a channel to Tx."""

    ppfs: int
    edges: tuple[tuple[int, int], ...]
    cold: tuple[int, ...]

    def key(self) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...]]:
        return self.edges, self.cold

    def module(self) -> str:
        lines = [
            'baker.protocol @e min_bytes 14 [#baker.protocol_field<"type" at 96 : 16>]',
            'baker.channel @rx : "e" from "rx" to @m.p0.in',
        ]
        for one, other in self.edges:
            name = f"@m.p{one}.to{other}"
            lines.append(
                f'baker.channel {name} : "e" from "m.p{one}" to @m.p{other}.in'
            )
        for number in range(self.ppfs):
            lines.append(
                f'baker.channel @m.p{number}.end : "e" from "m.p{number}" to @tx'
            )
        lines += [self.ppf(number) for number in range(self.ppfs)]
        return "\n".join(lines)

    def ppf(self, number: int) -> str:
        cold = "baker.cold, " if number in self.cold else ""
        body = "".join(
            f'  %c{other} = baker.packet_copy %ph : !baker.packet<"e">\n'
            f'  baker.channel_put @m.p{one}.to{other}, %c{other} : !baker.packet<"e">\n'
            for one, other in self.edges
            if one == number
        )
        return (
            f'func.func @m.p{number}.in(%ph: !baker.packet<"e">) '
            f"attributes {{{cold}baker.kind = #baker.kind<ppf>}} {{\n{body}"
            f'  baker.channel_put @m.p{number}.end, %ph : !baker.packet<"e">\n'
            "  return\n}"
        )

    def is_connected(self) -> bool:
        met = {0}
        for _ in range(self.ppfs):
            met |= {other for one, other in self.edges if one in met}
        return len(met) == self.ppfs

    def mirrored(self) -> Graph:
        """The same with p1 and p2 exchanged."""
        swap = (0, 2, 1)
        edges = tuple(sorted((swap[a], swap[b]) for a, b in self.edges))
        return Graph(self.ppfs, edges, tuple(sorted(swap[a] for a in self.cold)))


def all_graphs(ppfs: int) -> Iterator[Graph]:
    """All graphs of so many PPFs, each on the engines or on the core, that packets
    reach; of two that differ by the names of p1 and p2, one."""
    numbers = range(ppfs)
    pairs = list(product(numbers, numbers))
    for count in range(len(pairs) + 1):
        for edges in combinations(pairs, count):
            for cold in product((False, True), repeat=ppfs):
                which = tuple(n for n in numbers if cold[n])
                graph = Graph(ppfs, edges, which)
                if not graph.is_connected():
                    continue
                if ppfs == 3 and graph.mirrored().key() < graph.key():
                    continue
                yield graph


class Put(Enum):
    """What a put on a channel does."""

    CALL = "runs the receiver"
    WAIT = "waits for space"
    GIVE_UP = "waits, and may drop"
    DROP = "drops without space"
    SEND = "goes to Tx"


@dataclass
class Plan:
    """What the compiler decided for a graph."""

    #: By channel: what a put does, its ring, the receiving PPF.
    channels: dict[str, tuple[Put, int, str]] = field(default_factory=dict)
    #: By PPF: the aggregate, or the core.
    place: dict[str, str] = field(default_factory=dict)

    def outputs(self, ppf: str) -> list[str]:
        return [name for name in self.channels if name.rpartition(".")[0] == ppf]


CHANNEL = re.compile(
    r"baker\.channel @(\S+) : \"e\" from \"(\S+)\" to @(\S+)( \{.*\})?"
)
RING = re.compile(r"baker\.ring = (\d+)")
PPF = re.compile(r"func\.func @(\S+)\.in\(")
AGGREGATE = re.compile(r"baker\.aggregate = \"([^\"]+)\"")


def plan_of(text: str) -> Plan:
    """Reads a module after baker-split-cores and baker-aggregation."""
    plan = Plan()
    for name, _, to, attributes in CHANNEL.findall(text):
        if "#baker.via<call>" in attributes:
            how = Put.CALL
        elif to == "tx":
            how = Put.SEND
        elif "baker.punt" in attributes:
            how = Put.DROP
        elif "baker.cycle" in attributes:
            how = Put.GIVE_UP
        else:
            how = Put.WAIT
        ring = RING.search(attributes)
        number = int(ring.group(1)) if ring else -1
        plan.channels[name] = how, number, to.rpartition(".")[0]
    for line in text.splitlines():
        if found := PPF.search(line):
            aggregate = AGGREGATE.search(line)
            plan.place[found.group(1)] = aggregate.group(1) if aggregate else CORE
    return plan


#: A message: the PPF that receives it, and the PPFs that it may still meet.
Message = tuple[str, int]
#: What a context has yet to put: channels, and the steps of their messages.
Pending = tuple[tuple[str, int], ...]
#: The messages of each ring, the oldest first.
Rings = tuple[tuple[Message, ...], ...]
#: The rings; what the context of each place has to put; packets that Rx has yet to
#: put.
State = tuple[Rings, tuple[Pending, ...], int]


class Model:
    """The states of a plan with one context an aggregate and one on the core, which
    handle so many packets. A packet and its copies meet so many PPFs at most."""

    def __init__(self, plan: Plan, packets: int, steps_max: int) -> None:
        self.plan, self.packets, self.steps_max = plan, packets, steps_max
        self.places = sorted(set(plan.place.values()))
        self.rings = sorted({ring for _, ring, _ in plan.channels.values()})
        self.handled: dict[Message, tuple[Pending, ...]] = {}

    def start(self) -> State:
        empty: tuple[Message, ...] = ()
        return (empty,) * len(self.rings), ((),) * len(self.places), self.packets

    def is_end(self, state: State) -> bool:
        rings, contexts, left = state
        return left == 0 and not any(rings) and not any(contexts)

    def handle(self, message: Message) -> tuple[Pending, ...]:
        """All that a PPF may put for a message: nothing, one packet, or two."""
        if message not in self.handled:
            ppf, steps = message
            outputs = self.plan.outputs(ppf) if steps else [f"{ppf}.end"]
            puts = [(name, steps - 1) for name in outputs]
            self.handled[message] = (
                *(((put,)) for put in puts),
                *((one, other) for one in puts for other in puts if steps),
            )
        return self.handled[message]

    def put(
        self, rings: Rings, name: str, steps: int
    ) -> list[tuple[Rings, tuple[Pending, ...]]]:
        """The ways in which a put can go on: the rings after it, and what the
        context has to put instead of it."""
        how, ring, ppf = self.plan.channels[name]
        nothing: tuple[Pending, ...] = ((),)
        if how is Put.SEND:
            return [(rings, nothing)]
        if how is Put.CALL:
            return [(rings, self.handle((ppf, steps)))]
        at = self.rings.index(ring)
        if len(rings[at]) < CAPACITY:
            longer = (*rings[at], (ppf, steps))
            return [((*rings[:at], longer, *rings[at + 1 :]), nothing)]
        return [] if how is Put.WAIT else [(rings, nothing)]

    def after(self, state: State) -> Iterator[State]:
        rings, contexts, left = state
        if left:
            for changed, _ in self.put(rings, "rx", self.steps_max):
                yield changed, contexts, left - 1
        for number, pending in enumerate(contexts):

            def with_context(now: Pending, number: int = number) -> tuple[Pending, ...]:
                return (*contexts[:number], now, *contexts[number + 1 :])

            if pending:
                for changed, instead in self.put(rings, *pending[0]):
                    for each in instead:
                        yield changed, with_context(each + pending[1:]), left
                continue
            for at, ring in enumerate(rings):
                if ring and self.plan.place[ring[0][0]] == self.places[number]:
                    taken = (*rings[:at], ring[1:], *rings[at + 1 :])
                    for each in self.handle(ring[0]):
                        yield taken, with_context(each), left

    def stuck(self) -> State | None:
        """A state that packets cannot leave, or None. Each step takes a message
        nearer to its end, so there are no endless runs."""
        seen = {self.start()}
        left = [self.start()]
        while left:
            state = left.pop()
            following = set(self.after(state))
            if not following and not self.is_end(state):
                return state
            left += following - seen
            seen |= following
        return None

"""Random Baker packet programs that know what they do to a packet.

A program is a chain of one to four PPFs on a stack of random protocols. Each
PPF reads and writes fields, metadata and globals, computes in odd widths,
branches and loops, and ends its packet on every path: puts it on a channel
(after a decapsulation or encapsulation where the next PPF's protocol asks for
it), also sends a copy, or drops it.

As with expressions, text and meaning are built together: `Program.run` returns
the expected frames, by an interpreter that shares nothing with the compiler.
Programs do not depend on the order of packets, on bytes that are never written,
on metadata before it is set, or on globals that PPFs write, which other contexts
could see in any state.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from differential.expressions import Expr, Type
from differential.tables import Call, Entry, State, Table

PORTS = 4
HEADROOM = 128
FRAME_MIN = 60


class Ended(Exception):
    """The packet's PPF invocation is over."""


class Break(Exception):
    pass


class Continue(Exception):
    pass


@dataclass(frozen=True)
class Field:
    name: str
    offset: int
    width: int
    #: Elements; above 1 it is an array.
    count: int = 1

    @property
    def type(self) -> Type:
        return Type(False, self.width)


@dataclass(frozen=True)
class Protocol:
    name: str
    fields: tuple[Field, ...]
    min_bytes: int
    #: Bytes of the header, from its fields: `demux` as text and meaning.
    demux: str
    size: Callable[[Packet], int]
    constant: bool


@dataclass
class Packet:
    """A packet in a buffer, as Rx leaves it or packet_create makes it."""

    buffer: bytearray
    head: int
    length: int
    rx_port: int
    tx_port: int = 0
    meta: dict[str, int] = field(default_factory=dict)
    original: bool = True

    @classmethod
    def of_zeros(cls, length: int, meta: dict[str, int]) -> Packet:
        buffer = bytearray(HEADROOM + length)
        return cls(buffer, HEADROOM, length, rx_port=0, meta=meta, original=False)

    def read(self, offset: int, width: int) -> int:
        start = self.head * 8 + offset
        whole = int.from_bytes(self.buffer, "big")
        return whole >> (len(self.buffer) * 8 - start - width) & ((1 << width) - 1)

    def write(self, offset: int, width: int, value: int) -> None:
        shift = len(self.buffer) * 8 - (self.head * 8 + offset) - width
        mask = ((1 << width) - 1) << shift
        whole = int.from_bytes(self.buffer, "big")
        whole = whole & ~mask | value << shift & mask
        self.buffer[:] = whole.to_bytes(len(self.buffer), "big")

    def move_head(self, count: int) -> None:
        self.head += count
        self.length -= count

    def add_tail(self, count: int) -> None:
        end = self.head + self.length
        self.buffer[end : end + count] = bytes(count)
        self.length += count

    def copy(self) -> Packet:
        return Packet(
            bytearray(self.buffer),
            self.head,
            self.length,
            self.rx_port,
            self.tx_port,
            dict(self.meta),
            original=False,
        )

    def frame(self) -> bytes:
        data = bytes(self.buffer[self.head : self.head + self.length])
        return data.ljust(FRAME_MIN, b"\0")


@dataclass
class Global:
    """Global data: a scalar with an initializer (one value), or an array of
    one or two dimensions that control calls or an init function fill."""

    name: str
    type: Type
    values: list[int]
    columns: int = 1
    member: str = ""
    by_init: bool = False

    @property
    def is_array(self) -> bool:
        return len(self.values) > 1

    @property
    def rows(self) -> int:
        return len(self.values) // self.columns

    def element(self, index: str) -> str:
        """The element of a flat index, as text."""
        place = f"[{index}]"
        if self.columns > 1:
            place = f"[{index} / {self.columns}][{index} % {self.columns}]"
        return self.name + place + (f".{self.member}" if self.member else "")

    def declaration(self) -> str:
        type_ = f"{self.name}_t" if self.member else str(self.type)
        if not self.is_array:
            return f"{type_} {self.name} = {self.values[0]};"
        columns = f"[{self.columns}]" if self.columns > 1 else ""
        return f"{type_} {self.name}[{self.rows}]{columns};"


@dataclass
class Outcome:
    """The expected result of a run."""

    frames: Counter[tuple[int, bytes]] = field(default_factory=Counter)
    drops: Counter[str] = field(default_factory=Counter)
    forwarded: int = 0
    dropped: int = 0
    tables: dict[str, State] = field(default_factory=dict)


@dataclass
class RunState:
    """Environment of the interpreter: one packet in one PPF."""

    packets: dict[str, Packet]
    locals: dict[str, int]
    program: Program
    outcome: Outcome
    #: The entries that look-ups found, by the names of their pointers.
    found: dict[str, Entry] = field(default_factory=dict)
    #: The elements of local arrays.
    arrays: dict[str, list[int]] = field(default_factory=dict)


Action = Callable[[RunState], None]


@dataclass
class Code:
    """Statements: their lines and their effects."""

    lines: list[str] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)

    def add(self, line: str, action: Action) -> None:
        self.lines.append(line)
        self.actions.append(action)

    def run(self, state: RunState) -> None:
        for action in self.actions:
            action(state)

    def indented(self) -> list[str]:
        return ["  " + line for line in self.lines]


@dataclass
class Ppf:
    name: str
    protocol: Protocol
    cold: bool = False
    #: Output endpoints: (name, protocol, consumer or None for tx).
    outputs: list[tuple[str, Protocol, Ppf | None]] = field(default_factory=list)
    code: Code = field(default_factory=Code)


@dataclass
class Function:
    """A helper that returns an expression of its parameters, one of which may
    be a packet of a protocol, or that writes a field of that packet."""

    name: str
    type: Type
    parameters: list[tuple[str, Type]]
    body: Expr
    protocol: Protocol | None = None
    #: The field that `void name(…)` writes; else the function returns.
    writes: Field | None = None

    def lines(self) -> list[str]:
        parameters = [f"{t} {n}" for n, t in self.parameters]
        if self.protocol:
            parameters.insert(0, f"{self.protocol.name}_pkt * ph")
        type_ = "void" if self.writes else str(self.type)
        what = f"ph->{self.writes.name} =" if self.writes else "return"
        head = f"  {type_} {self.name}({', '.join(parameters)}) {{"
        return [head, f"    {what} {self.body.text};", "  }"]


@dataclass
class Program:
    seed: int
    protocols: list[Protocol]
    reasons: list[str]
    metadata: list[tuple[str, Type]]
    globals: list[Global]
    functions: list[Function]
    ppfs: list[Ppf]
    sinks: list[Global]
    #: The PPF that receives the packets of a port; without entries, the first
    #: PPF receives all.
    by_port: dict[int, Ppf] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)
    #: Calls before the first packet, and those before the packet of a number.
    loaded: list[Call] = field(default_factory=list)
    timed: list[tuple[int, Call]] = field(default_factory=list)
    #: Whether packets pass through queues, and their declarations. Each queue has one
    #: place, where a take follows each put. So no packet stays; on several contexts
    #: another packet may be taken, which then goes on as the first one would.
    passes_queues: bool = False
    queues: list[str] = field(default_factory=list)

    @property
    def receivers(self) -> list[Ppf]:
        return list(self.by_port.values()) or self.ppfs[:1]

    def run(self, frames: list[bytes], timed: bool = True) -> Outcome:
        """`timed`: tables change between packets."""
        outcome = Outcome(tables={table.name: State(table) for table in self.tables})
        calls = [(0, call) for call in self.loaded] + (self.timed if timed else [])
        for index, frame in enumerate(frames):
            while calls and calls[0][0] <= index:
                _, call = calls.pop(0)
                outcome.tables[call.table.name].make(call)
            data = frame.ljust(FRAME_MIN, b"\0")
            buffer = bytearray(HEADROOM) + bytearray(data)
            port = index % PORTS
            packet = Packet(buffer, HEADROOM, len(data), port)
            if ppf := self.by_port.get(port) if self.by_port else self.ppfs[0]:
                self.run_ppf(ppf, packet, outcome)
            else:
                outcome.drops["no_receiver"] += 1
                outcome.dropped += 1
        return outcome

    def run_ppf(self, ppf: Ppf, packet: Packet, outcome: Outcome) -> None:
        state = RunState({"ph": packet}, {}, self, outcome)
        with contextlib.suppress(Ended):
            ppf.code.run(state)

    # ---- text ------------------------------------------------------------

    def control_calls(self, timed: bool = True) -> list[str]:
        calls = [
            f"set_{g.name}({i}, {value})"
            for g in self.globals
            if g.is_array and not g.by_init
            for i, value in enumerate(g.values)
        ]
        calls += [str(call) for call in self.loaded]
        if timed:
            calls += [f"@packet {number} {call}" for number, call in self.timed]
        return calls

    def text(self) -> str:
        lines = [f"// Made by tests/differential from seed {self.seed}."]
        for protocol in self.protocols:
            lines.append(f"protocol {protocol.name} {{")
            for f in protocol.fields:
                count = f"[{f.count}]" if f.count > 1 else ""
                lines.append(f"  {f.name} : {f.width}{count};")
            lines += [f"  demux {{ {protocol.demux} }};", "}"]
        for g in self.globals:
            if g.member:
                lines.append(f"struct {g.name}_t {{ u8 pad; {g.type} {g.member}; }};")
        lines += ["module m {", f"  drop_reason {', '.join(self.reasons)};"]
        lines.append("  metadata {")
        lines += [f"    {type_} {name};" for name, type_ in self.metadata]
        lines.append("  }")
        lines += [f"  {g.declaration()}" for g in self.globals + self.sinks]
        lines += [f"  {queue}" for queue in self.queues]
        for table in self.tables:
            lines += table.declaration()
        lines += self._ppf_lines() + self._wiring_lines()
        for function in self.functions:
            lines += function.lines()
        lines += self._control_lines()
        lines.append("}")
        for ppf in self.ppfs:
            lines.append(f"m.{ppf.name}.ppf({ppf.protocol.name}_pkt * ph) {{")
            lines += [*ppf.code.indented(), "}"]
        return "\n".join(lines) + "\n"

    def _ppf_lines(self) -> list[str]:
        lines = []
        for ppf in self.ppfs:
            lines.append(f"  {'@cold ' if ppf.cold else ''}ppf {ppf.name} {{")
            lines.append(f"    in {ppf.protocol.name}_pkt * in_cc;")
            for name, protocol, _ in ppf.outputs:
                lines.append(f"    out {protocol.name}_pkt * {name};")
            lines.append("  }")
        return lines

    def _wiring_lines(self) -> list[str]:
        lines = ["  wiring {"]
        # If each port has a receiver, the last one takes all other ports.
        rest = None if 0 < len(self.by_port) < PORTS else self.receivers[-1]
        if rest:
            lines.append(f"    rx -> {rest.name}.in_cc;")
        for ppf in self.ppfs:
            ports = [str(p) for p, taker in self.by_port.items() if taker is ppf]
            if ports and ppf is not rest:
                lines.append(f"    rx[{', '.join(ports)}] -> {ppf.name}.in_cc;")
            for name, _, consumer in ppf.outputs:
                to = f"{consumer.name}.in_cc" if consumer else "tx"
                lines.append(f"    {ppf.name}.{name} -> {to};")
        return [*lines, "  }"]

    def _control_lines(self) -> list[str]:
        lines = []
        for g in self.globals:
            if g.is_array and g.by_init:
                lines.append(f"  init void fill_{g.name}() {{")
                for i, value in enumerate(g.values):
                    lines.append(f"    {g.element(str(i))} = {value};")
                lines.append("  }")
            elif g.is_array:
                lines += [
                    f"  control int set_{g.name}(u32 index, {g.type} value) {{",
                    f"    if (index >= {len(g.values)})",
                    "      return 1;",
                    f"    {g.element('index')} = value;",
                    "    return 0;",
                    "  }",
                ]
        return lines

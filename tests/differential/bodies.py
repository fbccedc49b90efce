"""Random bodies of PPFs: statements, and on every path the packet's end."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

from differential.actions import (
    call,
    counting_up,
    cut,
    drop,
    end_invocation,
    local,
    read_field,
    read_global,
    send,
    step_over,
)
from differential.expressions import (
    ARITHMETIC,
    U8,
    U32,
    Expr,
    Type,
    arithmetic,
    cast,
    comparison,
    literal,
    random_expr,
    random_type,
)
from differential.model import (
    Action,
    Break,
    Code,
    Continue,
    Ended,
    Field,
    Function,
    Packet,
    Ppf,
    Program,
    Protocol,
    RunState,
)


class BodyMaker:
    """Makes the body of one PPF."""

    def __init__(
        self,
        rng: random.Random,
        program: Program,
        ppf: Ppf,
        later: list[Ppf],
        earlier: list[Ppf],
    ) -> None:
        self.rng = rng
        self.program = program
        self.ppf = ppf
        self.later = later
        #: PPFs that a packet may return to, this one included.
        self.earlier = earlier
        self.handle = "ph"
        self.protocol = ppf.protocol
        self.locals: list[tuple[str, Type]] = []
        self.counters: list[tuple[str, Type]] = []
        self.names = 0
        self.code = ppf.code
        self.loops = 0
        #: While a new header is filled in, its old bytes are not read.
        self.in_encap = False

    def make(self, first: bool) -> None:
        if first:
            self.first_metadata()
        # Every eighth program is large: many values live, long branches.
        size = 4 if self.program.seed % 8 == 7 else 1
        self.statements(size * self.rng.randint(2, 7), depth=2)
        if self.rng.random() < 0.3:
            self.early_drop()
        if self.rng.random() < 0.5:
            self.tunnel()
            self.statements(self.rng.randint(0, 2), depth=1)
        self.end(depth=2)

    def make_receiver(self, to: Ppf) -> None:
        """Takes received packets for a PPF that reads metadata."""
        self.first_metadata()
        self.put(to)

    def first_metadata(self) -> None:
        for name, type_ in self.program.metadata[1:]:
            self.write_metadata(name, type_, self.literal_of(type_))
        hops, type_ = self.program.metadata[0]
        self.write_metadata(hops, type_, literal(0, type_))

    # ---- scopes ----------------------------------------------------------

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    @contextmanager
    def block(self) -> Iterator[Code]:
        """A block of its own: names and the handle's fate end with it."""
        saved = (self.code, self.handle, self.protocol)
        visible = (len(self.locals), len(self.counters))
        self.code = Code()
        yield self.code
        self.code, self.handle, self.protocol = saved
        del self.locals[visible[0] :]
        del self.counters[visible[1] :]

    # ---- expressions -----------------------------------------------------

    def literal_of(self, type_: Type) -> Expr:
        return literal(self.rng.getrandbits(type_.width), type_)

    def expr(self, depth: int | None = None) -> Expr:
        depth = self.rng.randint(0, 3) if depth is None else depth
        return random_expr(self.rng, self.leaf, depth, divide=self.loops == 0)

    def leaf(self) -> Expr:
        rng, kind = self.rng, self.rng.random()
        variables = self.locals + self.counters
        if kind < 0.4 and variables:
            name, type_ = rng.choice(variables)
            return Expr(name, type_, lambda env: env.locals[name])
        if kind < 0.75:
            return self.field_of(rng.choice(self.protocol.fields))
        if kind < 0.85:
            return self.metadata_or_length()
        if kind < 0.93 or not self.program.functions:
            g = rng.choice(self.program.globals)
            if not g.is_array:
                return read_global(g, None, None)
            column = self.index() if g.columns > 1 else None
            return read_global(g, self.index(), column)
        if function := self.function(writing=False):
            return self.call(function)
        return self.rx_port()

    def function(self, writing: bool) -> Function | None:
        """A function that can be called here: takes this protocol or none."""
        fitting = [
            f
            for f in self.program.functions
            if f.protocol in (None, self.protocol) and (f.writes is not None) == writing
        ]
        return self.rng.choice(fitting) if fitting else None

    def call(self, function: Function) -> Expr:
        arguments = [self.expr(1) for _ in function.parameters]
        return call(function, arguments, self.handle if function.protocol else "")

    def index(self) -> Expr:
        """Never a constant: one that is out of range is an error."""
        mixed = arithmetic("^", self.expr(1), self.rx_port())
        if self.rng.random() < 0.3:
            mixed = arithmetic("&", mixed, literal(3, U8))
        return cast(mixed, self.rng.choice((U8, U32)))

    def field_of(self, chosen: Field) -> Expr:
        index = self.index() if chosen.count > 1 else None
        return read_field(self.handle, chosen, index)

    def metadata_or_length(self) -> Expr:
        handle, kind = self.handle, self.rng.randrange(3)
        if kind == 0:
            return Expr(
                f"packet_length({handle})",
                U32,
                lambda env: env.packets[handle].length,
            )
        if kind == 1:
            return self.rx_port()
        name, type_ = self.rng.choice(self.program.metadata)
        return Expr(
            f"{handle}->metadata.{name}",
            type_,
            lambda env: env.packets[handle].meta[name],
        )

    def rx_port(self) -> Expr:
        handle = self.handle
        return Expr(
            f"{handle}->metadata.rx.port",
            U8,
            lambda env: env.packets[handle].rx_port,
        )

    # ---- statements ------------------------------------------------------

    def statements(self, count: int, depth: int) -> None:
        # Every fourth program changes the sizes of packets.
        resizes = self.program.seed % 4 == 1 and not self.in_encap
        for _ in range(count):
            if resizes and self.rng.random() < 0.15:
                self.resize()
                continue
            kind = self.rng.random()
            if kind < 0.3:
                self.declare()
            elif kind < 0.45 and self.locals:
                self.assign()
            elif kind < 0.7:
                self.write_field(self.rng.choice(self.protocol.fields), self.expr())
            elif kind < 0.77:
                name, type_ = self.rng.choice(self.program.metadata[1:])
                self.write_metadata(name, type_, self.expr())
            elif kind < 0.79:
                self.write_sink()
            elif kind < 0.83:
                self.call_writer()
            elif kind < 0.88:
                self.burst()
            elif depth > 0:
                kinds = [self.branch, self.branch, self.loop, self.while_loop]
                kinds += [self.switch, self.header_stack]
                self.rng.choice(kinds)(depth - 1)

    def resize(self) -> None:
        """Zeros at the end, a shorter end, or the head to and fro."""
        handle, least = self.handle, self.protocol.min_bytes
        count = self.rng.randint(1, 12)

        def add(state: RunState) -> None:
            state.packets[handle].add_tail(count)

        def remove(state: RunState) -> None:
            cut(state, handle, count, least)
            state.packets[handle].length -= count

        def shorten(state: RunState) -> None:
            cut(state, handle, count, least)
            state.packets[handle].move_head(count)

        def extend(state: RunState) -> None:
            state.packets[handle].move_head(-count)

        kind = self.rng.randrange(3)
        if kind == 0:
            self.code.add(f"packet_add_tail({handle}, {count});", add)
        elif kind == 1:
            self.code.add(f"packet_remove_tail({handle}, {count});", remove)
        else:
            self.code.add(f"packet_shorten({handle}, {count});", shorten)
            for _ in range(self.rng.randint(0, 2)):
                self.write_field(self.rng.choice(self.protocol.fields), self.expr(1))
            self.code.add(f"packet_extend({handle}, {count});", extend)

    def burst(self) -> None:
        """Neighbouring fields, written and read back in any order: what
        combining of accesses is made for, and may get wrong."""
        fields = self.protocol.fields
        first = self.rng.randrange(len(fields))
        run = list(fields[first : first + self.rng.randint(2, 5)])
        if self.rng.random() < 0.5:
            self.rng.shuffle(run)
        for chosen in run:
            if self.rng.random() < 0.6:
                self.write_field(chosen, self.expr(1))
            if self.rng.random() < 0.6:
                name, value = self.name("v"), self.field_of(chosen)
                self.keep(name, value)
                self.locals.append((name, value.type))

    def declare(self) -> None:
        name, type_, value = self.name("v"), random_type(self.rng), self.expr()

        def action(state: RunState) -> None:
            state.locals[name] = type_.wrap(value.value(state))

        self.code.add(f"{type_} {name} = {value.text};", action)
        self.locals.append((name, type_))

    def assign(self) -> None:
        name, type_ = self.rng.choice(self.locals)
        value, old = self.expr(), Expr(name, type_, lambda env: env.locals[name])
        kind = self.rng.random()
        if kind < 0.5:
            text, new = f"{name} = {value.text};", value
        elif kind < 0.9:
            op = self.rng.choice([op for op in ARITHMETIC if op not in "/%"])
            text, new = f"{name} {op}= {value.text};", arithmetic(op, old, value)
        else:
            text = self.rng.choice((f"{name}++;", f"++{name};"))
            new = arithmetic("+", old, literal(1, U32))

        def action(state: RunState) -> None:
            state.locals[name] = type_.wrap(new.value(state))

        self.code.add(text, action)

    def write_field(
        self, chosen: Field, value: Expr, index: Expr | None = None
    ) -> None:
        handle = self.handle
        if chosen.count > 1 and index is None:
            index = self.index()
        place = read_field(handle, chosen, index)
        text, new = self.written(place, value)

        def action(state: RunState) -> None:
            at = min(index.value(state), chosen.count - 1) if index else 0
            offset = chosen.offset + at * chosen.width
            bits = chosen.type.wrap(new.value(state))
            state.packets[handle].write(offset, chosen.width, bits)

        self.code.add(text, action)

    def written(self, place: Expr, value: Expr) -> tuple[str, Expr]:
        """An assignment to `place`, plain or compound, and what it stores."""
        if not self.in_encap and self.rng.random() < 0.2:
            op = self.rng.choice([op for op in ARITHMETIC if op not in "/%"])
            return f"{place.text} {op}= {value.text};", arithmetic(op, place, value)
        return f"{place.text} = {value.text};", value

    def write_metadata(self, name: str, type_: Type, value: Expr) -> None:
        handle = self.handle

        def action(state: RunState) -> None:
            state.packets[handle].meta[name] = type_.wrap(value.value(state))

        self.code.add(f"{handle}->metadata.{name} = {value.text};", action)

    def call_writer(self) -> None:
        if function := self.function(writing=True):
            made = self.call(function)

            def action(state: RunState) -> None:
                made.value(state)

            self.code.add(f"{made.text};", action)

    def write_sink(self) -> None:
        """Global data that PPFs write is never read: contexts race on it."""
        value = self.expr()
        self.code.add(f"sink = {value.text};", lambda state: None)

    def branch(self, depth: int) -> None:
        condition = self.expr()
        with self.block() as then:
            self.statements(self.rng.randint(1, 3), depth)
        with self.block() as otherwise:
            if self.rng.random() < 0.6:
                self.statements(self.rng.randint(1, 3), depth)
        self.add_if(condition, then, otherwise)

    def add_if(self, condition: Expr, then: Code, otherwise: Code) -> None:
        lines = [f"if ({condition.text}) {{", *then.indented(), "}"]
        if otherwise.lines:
            lines[-1] = "} else {"
            lines += [*otherwise.indented(), "}"]

        def action(state: RunState) -> None:
            (then if condition.value(state) != 0 else otherwise).run(state)

        self.add_lines(lines, action)

    def add_lines(self, lines: list[str], action: Action) -> None:
        self.code.lines += lines
        self.code.actions.append(action)

    @contextmanager
    def loop_body(self, counter: str, depth: int) -> Iterator[Code]:
        self.loops += 1
        with self.block() as body:
            self.counters.append((counter, U32))
            self.statements(self.rng.randint(1, 3), min(depth, 1))
            if self.rng.random() < 0.3:
                self.jump()
            yield body
        self.loops -= 1

    def jump(self) -> None:
        condition, kind = self.expr(1), self.rng.choice((Break, Continue))

        def action(state: RunState) -> None:
            if condition.value(state) != 0:
                raise kind

        word = "break" if kind is Break else "continue"
        self.add_lines([f"if ({condition.text})", f"  {word};"], action)

    def loop(self, depth: int) -> None:
        counter, limit = self.name("i"), self.limit()
        with self.loop_body(counter, depth) as body:
            pass
        head = f"for (u32 {counter} = 0; {counter} < {limit.text}; {counter}++) {{"

        action = counting_up(counter, limit, body)
        self.add_lines([head, *body.indented(), "}"], action)

    def limit(self) -> Expr:
        if self.rng.random() < 0.5:
            return literal(self.rng.randint(1, 5), U32)
        bits = cast(self.expr(1), U32)
        return arithmetic("&", bits, literal(3, U32))

    def while_loop(self, depth: int) -> None:
        """Counts down first, so that `continue` ends as well."""
        counter, limit = self.name("n"), self.limit()
        is_do = self.rng.random() < 0.4
        with self.loop_body(counter, depth) as body:
            pass
        inner = [f"  {counter} = {counter} - 1;", *body.indented()]
        start = f"u32 {counter} = {limit.text};"
        if is_do:
            start = f"u32 {counter} = {limit.text} + 1;"
            lines = [start, "do {", *inner, f"}} while ({counter} != 0);"]
        else:
            lines = [start, f"while ({counter} != 0) {{", *inner, "}"]

        def action(state: RunState) -> None:
            state.locals[counter] = limit.value(state) + int(is_do)
            while state.locals[counter] != 0:
                state.locals[counter] -= 1
                try:
                    body.run(state)
                except Continue:
                    pass
                except Break:
                    break

        self.add_lines(lines, action)

    def switch(self, depth: int) -> None:
        subject = cast(arithmetic("&", self.expr(1), literal(3, U8)), U8)
        cases: dict[int, Code] = {}
        for value in self.rng.sample(range(4), self.rng.randint(1, 3)):
            with self.block() as cases[value]:
                self.statements(self.rng.randint(1, 2), min(depth, 1))
        with self.block() as default:
            self.statements(1, 0)
        lines = [f"switch ({subject.text}) {{"]
        for value, code in cases.items():
            lines += [f"case {value}: {{", *code.indented(), "  break;", "}"]
        lines += ["default: {", *default.indented(), "  break;", "}", "}"]

        def action(state: RunState) -> None:
            cases.get(subject.value(state), default).run(state)

        self.add_lines(lines, action)

    # ---- headers put on and taken off --------------------------------------

    def header_stack(self, depth: int) -> None:
        """A loop that steps over headers of one protocol, as over labels."""
        counter, limit, handle = self.name("i"), self.limit(), self.handle
        protocol = self.protocol
        with self.loop_body(counter, min(depth, 0)) as body:
            self.code.add(
                f"{handle} = packet_decap({handle});",
                lambda state: step_over(state, handle, handle, protocol, protocol),
            )
        head = f"for (u32 {counter} = 0; {counter} < {limit.text}; {counter}++) {{"
        action = counting_up(counter, limit, body)
        self.add_lines([head, *body.indented(), "}"], action)

    def tunnel(self) -> None:
        """Headers put on and taken off again, or the other way round."""
        start = self.protocol
        for _ in range(self.rng.randint(1, 3)):
            other = self.rng.choice(self.program.protocols)
            steps = [(self.encap, other), (self.decap, start)]
            if self.rng.random() < 0.5:
                steps = [(self.decap, other), (self.encap, start)]
            for step, protocol in steps:
                step(protocol)
                self.statements(self.rng.randint(0, 2), 0)

    # ---- the packet's end ------------------------------------------------

    def early_drop(self) -> None:
        condition = self.expr()
        with self.block() as then:
            self.statements(self.rng.randint(0, 1), 0)
            self.drop()
            self.code.lines.append("return;")
        self.add_if(condition, then, Code())

    def end(self, depth: int) -> None:
        kind = self.rng.random()
        if depth > 0 and kind < 0.35:
            condition = self.expr()
            with self.block() as then:
                self.statements(self.rng.randint(0, 2), 1)
                self.end(depth - 1)
                if is_early := self.rng.random() < 0.5:
                    self.code.lines.append("return;")
            if is_early:
                self.add_if(condition, then, Code())
                self.statements(self.rng.randint(0, 2), 1)
                self.end(depth - 1)
                return
            with self.block() as otherwise:
                self.statements(self.rng.randint(0, 2), 1)
                self.end(depth - 1)
            self.add_if(condition, then, otherwise)
            return
        if kind < 0.45:
            self.send_another()
        if kind > 0.85:
            self.drop()
        else:
            self.send()

    def send_another(self) -> None:
        """A copy of the packet, or a new one, goes its own way."""
        handle, protocol = self.handle, self.protocol
        # Every fourth program makes packets.
        if self.program.seed % 4 == 2 and self.rng.random() < 0.6:
            self.handle = self.create()
        else:
            self.handle = self.copy()
        for _ in range(self.rng.randint(0, 2)):
            self.write_field(self.rng.choice(protocol.fields), self.expr(1))
        same = [p for p in self.later if p.protocol is protocol]
        if protocol.name == "ether" and self.rng.random() < 0.6:
            self.put(None)
        elif same:
            self.put(self.rng.choice(same))
        else:
            self.drop(ends=False)
        self.handle = handle

    def copy(self) -> str:
        handle, copy = self.handle, self.name("c")

        def action(state: RunState) -> None:
            state.packets[copy] = state.packets[handle].copy()

        type_ = f"{self.protocol.name}_pkt"
        self.code.add(f"{type_} * {copy} = packet_copy({handle});", action)
        return copy

    def create(self) -> str:
        protocol, made = self.protocol, self.name("c")
        length = self.rng.randint(protocol.min_bytes, 100)

        def action(state: RunState) -> None:
            meta = dict.fromkeys((name for name, _ in self.program.metadata), 0)
            state.packets[made] = Packet.of_zeros(length, meta)

        type_ = f"{protocol.name}_pkt"
        self.code.add(f"{type_} * {made} = packet_create({length});", action)
        return made

    def drop(self, ends: bool = True) -> None:
        handle = self.handle
        reason = self.rng.choice(["", *self.program.reasons])

        def action(state: RunState) -> None:
            drop(state, handle, reason or "unspecified")
            if ends:
                raise Ended

        more = f", {reason}" if reason else ""
        self.code.add(f"packet_drop({handle}{more});", action)

    def send_back(self) -> None:
        """Once in its life a packet returns to a PPF of its protocol."""
        same = [p for p in self.earlier if p.protocol is self.protocol]
        if not same:
            return
        hops, type_ = self.program.metadata[0]
        handle = self.handle
        old = Expr(
            f"{handle}->metadata.{hops}",
            type_,
            lambda env: env.packets[handle].meta[hops],
        )
        with self.block() as then:
            self.write_metadata(hops, type_, arithmetic("+", old, literal(1, U8)))
            self.put(self.rng.choice(same))
            self.code.add("return;", end_invocation)
        self.add_if(comparison("<", old, literal(1, U8)), then, Code())

    def send(self) -> None:
        if self.rng.random() < 0.5:
            self.send_back()
        consumer = self.rng.choice([*self.later, None])
        wanted = consumer.protocol if consumer else self.program.protocols[0]
        if wanted is not self.protocol:
            if consumer and self.rng.random() < 0.5:
                self.decap(wanted)
            else:
                self.encap(wanted)
            self.statements(self.rng.randint(0, 2), 0)
        self.put(consumer)
        self.code.actions.append(end_invocation)

    def decap(self, inner: Protocol) -> None:
        old, new, outer = self.handle, self.name("h"), self.protocol
        self.code.add(
            f"{inner.name}_pkt * {new} = packet_decap({old});",
            lambda state: step_over(state, old, new, outer, inner),
        )
        self.handle, self.protocol = new, inner

    def encap(self, outer: Protocol) -> None:
        """Every field is written: nobody knows what stood there."""
        old, new, bytes_ = self.handle, self.name("h"), outer.min_bytes
        places = [(f, i) for f in outer.fields for i in range(f.count)]
        names = [self.name("v") for _ in places]
        for name, (chosen, _) in zip(names, places, strict=True):
            self.keep(name, cast(self.expr(1), chosen.type))

        def action(state: RunState) -> None:
            packet = state.packets[old]
            packet.head -= bytes_
            packet.length += bytes_
            assert packet.head >= 0, "the headroom suffices"
            state.packets[new] = packet

        argument = old if outer.constant else f"{old}, {bytes_}"
        self.code.add(f"{outer.name}_pkt * {new} = packet_encap({argument});", action)
        self.handle, self.protocol = new, outer
        self.in_encap = True
        for name, (chosen, i) in zip(names, places, strict=True):
            index = literal(i, U8) if chosen.count > 1 else None
            self.write_field(chosen, local(name, chosen.type), index)
        self.in_encap = False

    def keep(self, name: str, value: Expr) -> None:
        def action(state: RunState) -> None:
            state.locals[name] = value.value(state)

        self.code.add(f"{value.type} {name} = {value.text};", action)

    def put(self, consumer: Ppf | None) -> None:
        handle, endpoint = self.handle, self.endpoint(consumer)
        port = cast(arithmetic("&", self.expr(1), literal(3, U8)), U8)
        if consumer is None:

            def set_port(state: RunState) -> None:
                state.packets[handle].tx_port = port.value(state)

            self.code.add(f"{handle}->metadata.tx.port = {port.text};", set_port)

        def action(state: RunState) -> None:
            send(state, state.packets[handle], consumer)

        self.code.add(f"channel_put({endpoint}, {handle});", action)

    def endpoint(self, consumer: Ppf | None) -> str:
        for name, _, known in self.ppf.outputs:
            if known is consumer:
                return name
        name = f"out{len(self.ppf.outputs)}_cc"
        self.ppf.outputs.append((name, self.protocol, consumer))
        return name

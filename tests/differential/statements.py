"""Random statements: assignments, packet writes, branches and loops."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from differential.actions import (
    counting_up,
    cut,
    read_field,
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
    literal,
    random_type,
)
from differential.model import (
    Action,
    Break,
    Code,
    Continue,
    Field,
    RunState,
)
from differential.scopes import BodyScope


class StatementMaker(BodyScope):
    """Appends statements to the code of a body."""

    def statements(self, count: int, depth: int) -> None:
        # Every fourth program changes the sizes of packets.
        resizes = self.program.seed % 4 == 1 and not self.in_encap
        for _ in range(count):
            if resizes and self.rng.random() < 0.15:
                # Half of them do so in mid-packet too.
                if self.program.seed % 8 == 5 and self.rng.random() < 0.5:
                    self.move()
                else:
                    self.resize()
                continue
            if self.program.tables and self.rng.random() < 0.25:
                self.use_table()
                continue
            # Every sixth program has local arrays.
            if self.program.seed % 6 == 4 and self.rng.random() < 0.25:
                self.use_array()
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
        """Appends zeros, cuts the tail, or moves the head forward and back."""
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

    def move(self) -> None:
        """Inserts bytes in mid-packet and removes them, or others, again."""
        handle, least = self.handle, self.protocol.min_bytes
        count = self.rng.randint(1, 12)
        # So the inserted bytes are old ones of the packet.
        place, other = self.rng.randint(count, 40), self.rng.randint(0, 20)

        def bytes_of(state: RunState, count: int) -> bytes:
            packet = state.packets[handle]
            return bytes(packet.buffer[packet.head : packet.head + count])

        def put(state: RunState, before: bytes) -> None:
            packet = state.packets[handle]
            packet.buffer[packet.head : packet.head + len(before)] = before

        def insert(state: RunState) -> None:
            cut(state, handle, 0, place)
            before = bytes_of(state, place)
            state.packets[handle].move_head(-count)
            put(state, before)

        def remove(state: RunState) -> None:
            cut(state, handle, count, max(least, other))
            before = bytes_of(state, other)
            state.packets[handle].move_head(count)
            put(state, before)

        self.code.add(f"packet_insert({handle}, {place}, {count});", insert)
        for _ in range(self.rng.randint(0, 2)):
            self.write_field(self.rng.choice(self.protocol.fields), self.expr(1))
        self.code.add(f"packet_remove({handle}, {other}, {count});", remove)

    def burst(self) -> None:
        """Writes and reads neighbouring fields in any order, to test the combining
        of accesses."""
        fields = self.protocol.fields
        first = self.rng.randrange(len(fields))
        neighbours = list(fields[first : first + self.rng.randint(2, 5)])
        if self.rng.random() < 0.5:
            self.rng.shuffle(neighbours)
        for chosen in neighbours:
            if self.rng.random() < 0.6:
                self.write_field(chosen, self.expr(1))
            if self.rng.random() < 0.6:
                name, value = self.name("v"), self.field_of(chosen)
                self.declare_local(name, value)
                self.locals.append((name, value.type))

    def declare(self) -> None:
        name, type_, value = self.name("v"), random_type(self.rng), self.expr()

        def action(state: RunState) -> None:
            state.locals[name] = type_.wrap(value.value(state))

        self.code.add(f"{type_} {name} = {value.text};", action)
        self.locals.append((name, type_))

    def use_array(self) -> None:
        if not self.arrays or self.rng.random() < 0.3:
            self.declare_array()
        else:
            self.write_element()

    def declare_array(self) -> None:
        """An array, filled by a loop."""
        name, type_ = self.name("a"), random_type(self.rng)
        counter, count = self.name("i"), self.rng.choice((2, 4, 8, 13, 40))
        number = Expr(counter, U32, lambda env: env.locals[counter])
        value = arithmetic(self.rng.choice("+^*"), self.expr(1), number)
        self.arrays.append((name, type_, count))

        def action(state: RunState) -> None:
            state.arrays[name] = []
            for i in range(count):
                state.locals[counter] = i
                state.arrays[name].append(type_.wrap(value.value(state)))

        self.add_lines(
            [
                f"{type_} {name}[{count}];",
                f"for (u32 {counter} = 0; {counter} < {count}; {counter}++)",
                f"  {name}[{counter}] = {value.text};",
            ],
            action,
        )

    def write_element(self) -> None:
        target, name, index, count = self.element()
        text, new = self.written(target, self.expr())

        def action(state: RunState) -> None:
            at = min(index.value(state), count - 1)
            state.arrays[name][at] = target.type.wrap(new.value(state))

        self.code.add(text, action)

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
        target = read_field(handle, chosen, index)
        text, new = self.written(target, value)

        def action(state: RunState) -> None:
            at = min(index.value(state), chosen.count - 1) if index else 0
            offset = chosen.offset + at * chosen.width
            bits = chosen.type.wrap(new.value(state))
            state.packets[handle].write(offset, chosen.width, bits)

        self.code.add(text, action)

    def written(self, target: Expr, value: Expr) -> tuple[str, Expr]:
        """An assignment to `target`, plain or compound, and the stored value."""
        if not self.in_encap and self.rng.random() < 0.2:
            op = self.rng.choice([op for op in ARITHMETIC if op not in "/%"])
            return f"{target.text} {op}= {value.text};", arithmetic(op, target, value)
        return f"{target.text} = {value.text};", value

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
        """Writes a global that is never read, because contexts race on it."""
        value = self.expr()
        self.code.add(f"sink = {value.text};", lambda state: None)

    def use_table(self) -> None:
        """Looks a table up, or adds to the mutable field of an entry."""
        counted = [name for name, table in self.found if table.has_count]
        if not counted or self.rng.random() < 0.5:
            self.look_up()
            return
        name, amount = counted[-1], cast(self.expr(1), U32)

        def action(state: RunState) -> None:
            entry = state.found[name]
            entry.count = U32.wrap(entry.count + amount.value(state))

        self.code.add(f"atomic_add({name}->n, {amount.text});", action)

    def look_up(self) -> None:
        table, name = self.rng.choice(self.program.tables), self.name("r")
        key = [self.key_value(each) for each in table.key]

        def action(state: RunState) -> None:
            searched = [each.value(state) for each in key]
            tables = state.outcome.tables
            state.found[name] = tables[table.name].entry(searched)

        arguments = ", ".join(each.text for each in key)
        call = f"{table.name}.find({arguments})"
        self.code.add(f"{table.name} * {name} = {call};", action)
        self.found.append((name, table))
        if self.rng.random() < 0.7:
            value = self.entry_value(name, table)
            self.write_field(self.rng.choice(self.protocol.fields), value)

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
        """Counts down at the start of the body, so that `continue` terminates."""
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

    def header_stack(self, depth: int) -> None:
        """A loop that steps over headers of one protocol, as over MPLS labels."""
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

    def declare_local(self, name: str, value: Expr) -> None:
        """Declares a local of the value's type."""

        def action(state: RunState) -> None:
            state.locals[name] = value.value(state)

        self.code.add(f"{value.type} {name} = {value.text};", action)

"""Random expressions of a PPF's body, and the scopes that their names belong to."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from differential.actions import (
    call,
    read_field,
    read_global,
)
from differential.expressions import (
    S32,
    U8,
    U32,
    Env,
    Expr,
    Type,
    arithmetic,
    cast,
    literal,
    random_expr,
    shift,
)
from differential.model import (
    Code,
    Field,
    Function,
    Ppf,
    Program,
)
from differential.tables import Field as KeyField
from differential.tables import Table


class BodyScope:
    """The variables and the packet that code at one point of a body can use."""

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
        #: Pointers to entries of tables.
        self.found: list[tuple[str, Table]] = []
        #: Local arrays, with the number of their elements.
        self.arrays: list[tuple[str, Type, int]] = []
        self.names = 0
        self.code = ppf.code
        self.loops = 0
        #: While a new header is filled in, its old bytes are not read.
        self.in_encap = False

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    @contextmanager
    def block(self) -> Iterator[Code]:
        """A nested block. Its names, and changes of the handle, end with it."""
        saved = (self.code, self.handle, self.protocol)
        named: tuple[list[Any], ...] = (
            self.locals, self.counters, self.found, self.arrays
        )  # fmt: skip
        visible = [len(names) for names in named]
        self.code = Code()
        yield self.code
        self.code, self.handle, self.protocol = saved
        for names, count in zip(named, visible, strict=True):
            del names[count:]

    def literal_of(self, type_: Type) -> Expr:
        return literal(self.rng.getrandbits(type_.width), type_)

    def expr(self, depth: int | None = None) -> Expr:
        depth = self.rng.randint(0, 3) if depth is None else depth
        return random_expr(self.rng, self.leaf, depth, divide=self.loops == 0)

    def element(self) -> tuple[Expr, str, Expr, int]:
        """An element of a local array, with the array's name, the element's index,
        and the number of elements."""
        name, type_, count = self.rng.choice(self.arrays)
        index = self.index()
        if self.rng.random() < 0.5:
            index = literal(self.rng.randrange(count), U32)

        def value(env: Env) -> int:
            elements: list[int] = env.arrays[name]
            return elements[min(index.value(env), count - 1)]

        return Expr(f"{name}[{index.text}]", type_, value), name, index, count

    def leaf(self) -> Expr:
        if self.arrays and self.rng.random() < 0.25:
            return self.element()[0]
        if self.found and self.rng.random() < 0.3:
            return self.entry_value(*self.rng.choice(self.found))
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
        """A function that can be called here: it takes this protocol or no packet."""
        fitting = [
            f
            for f in self.program.functions
            if f.protocol in (None, self.protocol) and (f.writes is not None) == writing
        ]
        return self.rng.choice(fitting) if fitting else None

    def call(self, function: Function) -> Expr:
        arguments = [self.expr(1) for _ in function.parameters]
        return call(function, arguments, self.handle if function.protocol else "")

    def entry_value(self, name: str, table: Table) -> Expr:
        """A value of the entry that a pointer found, or whether there was one."""
        if self.rng.random() < 0.3:
            return Expr(
                f"({name} ? 1 : 0)", S32, lambda env: int(not env.found[name].is_miss)
            )
        i = self.rng.randrange(len(table.values))
        return Expr(
            f"{name}->x{i}", table.values[i], lambda env: env.found[name].values[i]
        )

    def key_value(self, of: KeyField) -> Expr:
        """A value that entries often have."""
        type_ = Type(False, min(of.bits, 64))
        if self.rng.random() < 0.1:
            return cast(self.expr(1), type_)
        few = cast(arithmetic("&", self.expr(1), literal(1, U8)), Type(False, 64))
        return cast(shift("<<", few, literal(of.shift, U8)), type_)

    def index(self) -> Expr:
        """An index that is not constant: a constant one out of range is an error."""
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

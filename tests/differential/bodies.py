"""Random bodies of PPFs: statements, and the packet's end on every path."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cached_property

from differential.actions import (
    drop,
    end_invocation,
    local,
    send,
    step_over,
)
from differential.expressions import (
    U8,
    Expr,
    arithmetic,
    cast,
    comparison,
    literal,
)
from differential.model import (
    Code,
    Ended,
    Packet,
    Ppf,
    Protocol,
    RunState,
)
from differential.statements import StatementMaker


class BodyMaker(StatementMaker):
    """Makes the body of one PPF."""

    @cached_property
    def queue_rng(self) -> random.Random:
        """Of its own, so that queues leave the rest of a program as it is."""
        return random.Random(self.program.seed * 9221 + len(self.ppf.name))

    def make(self, first: bool) -> None:
        if first:
            self.first_metadata()
        if self.program.tables:
            self.look_up()
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
        """Makes a PPF that takes received packets and sets the metadata that `to`
        reads."""
        self.first_metadata()
        self.put(to)

    def first_metadata(self) -> None:
        for name, type_ in self.program.metadata[1:]:
            self.write_metadata(name, type_, self.literal_of(type_))
        hops, type_ = self.program.metadata[0]
        self.write_metadata(hops, type_, literal(0, type_))

    def tunnel(self) -> None:
        """Encapsulates and decapsulates again, or the other way round."""
        start = self.protocol
        for _ in range(self.rng.randint(1, 3)):
            other = self.rng.choice(self.program.protocols)
            steps = [(self.encap, other), (self.decap, start)]
            if self.rng.random() < 0.5:
                steps = [(self.decap, other), (self.encap, start)]
            for step, protocol in steps:
                step(protocol)
                self.statements(self.rng.randint(0, 2), 0)

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
        """Sends or drops a copy of the packet, or a new packet."""
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
        """Returns the packet to an earlier PPF, at most once per packet."""
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
        """Writes every field of the new header, because its bytes are undefined."""
        old, new, bytes_ = self.handle, self.name("h"), outer.min_bytes
        slots = [(f, i) for f in outer.fields for i in range(f.count)]
        names = [self.name("v") for _ in slots]
        for name, (chosen, _) in zip(names, slots, strict=True):
            self.declare_local(name, cast(self.expr(1), chosen.type))

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
        for name, (chosen, i) in zip(names, slots, strict=True):
            index = literal(i, U8) if chosen.count > 1 else None
            self.write_field(chosen, local(name, chosen.type), index)
        self.in_encap = False

    def put(self, consumer: Ppf | None) -> None:
        handle, endpoint = self.handle, self.endpoint(consumer)
        port = cast(arithmetic("&", self.expr(1), literal(3, U8)), U8)
        if consumer is None:

            def set_port(state: RunState) -> None:
                state.packets[handle].tx_port = port.value(state)

            self.code.add(f"{handle}->metadata.tx.port = {port.text};", set_port)

        def action(state: RunState) -> None:
            send(state, state.packets[handle], consumer)

        if self.program.passes_queues and self.queue_rng.random() < 0.6:
            self.pass_queue(endpoint, handle, action)
        else:
            self.code.add(f"channel_put({endpoint}, {handle});", action)

    def pass_queue(
        self, endpoint: str, handle: str, action: Callable[[RunState], None]
    ) -> None:
        """Puts the packet into a queue, and sends the oldest one. Packets that run
        one after the other take themselves."""
        protocol, taken = self.protocol.name, self.name("h")
        queue = f"wait{len(self.program.queues)}"
        self.program.queues.append(f"{protocol}_queue {queue}[64];")
        self.code.add(f"queue_put({queue}, {handle});", action)
        for line in (
            f"{protocol}_pkt * {taken} = queue_take({queue});",
            f"if ({taken}) channel_put({endpoint}, {taken});",
        ):
            self.code.add(line, lambda state: None)

    def endpoint(self, consumer: Ppf | None) -> str:
        for name, _, known in self.ppf.outputs:
            if known is consumer:
                return name
        name = f"out{len(self.ppf.outputs)}_cc"
        self.ppf.outputs.append((name, self.protocol, consumer))
        return name

"""The values that a random body reads, and the effects of its statements on the
model's packets."""

from __future__ import annotations

from differential.expressions import Env, Expr, Type
from differential.model import (
    Action,
    Break,
    Code,
    Continue,
    Ended,
    Field,
    Function,
    Global,
    Packet,
    Ppf,
    Protocol,
    RunState,
)


def read_global(g: Global, row: Expr | None, column: Expr | None) -> Expr:
    if row is None:
        return Expr(g.name, g.type, lambda env: g.values[0])

    def value(env: Env) -> int:
        at = min(row.value(env), g.rows - 1) * g.columns
        if column is not None:
            at += min(column.value(env), g.columns - 1)
        return g.values[at]

    member = f".{g.member}" if g.member else ""
    second = f"[{column.text}]" if column else ""
    return Expr(f"{g.name}[{row.text}]{second}{member}", g.type, value)


def read_field(handle: str, chosen: Field, index: Expr | None) -> Expr:
    """A field, or the element of an array field that `index` names."""

    def value(env: Env) -> int:
        at = min(index.value(env), chosen.count - 1) if index else 0
        packet: Packet = env.packets[handle]
        return packet.read(chosen.offset + at * chosen.width, chosen.width)

    text = f"{handle}->{chosen.name}" + (f"[{index.text}]" if index else "")
    return Expr(text, chosen.type, value)


def call(function: Function, arguments: list[Expr], handle: str = "") -> Expr:
    """A call; `handle` is the packet for a function that takes one."""

    def value(env: Env) -> int:
        values = {
            name: type_.wrap(argument.value(env))
            for (name, type_), argument in zip(
                function.parameters, arguments, strict=True
            )
        }
        packets = {"ph": env.packets[handle]} if handle else {}
        inner = RunState(packets, values, env.program, env.outcome)
        result = function.body.value(inner)
        if function.writes is None:
            return function.type.wrap(result)
        written = function.writes
        packet = env.packets[handle]
        packet.write(written.offset, written.width, written.type.wrap(result))
        return 0

    handles = [handle] if handle else []
    text = f"{function.name}({', '.join(handles + [a.text for a in arguments])})"
    return Expr(text, function.type, value)


def local(name: str, type_: Type) -> Expr:
    return Expr(name, type_, lambda env: env.locals[name])


def cut(state: RunState, handle: str, count: int, least: int) -> None:
    if state.packets[handle].length - count < least:
        drop(state, handle, "truncated")
        raise Ended


def step_over(
    state: RunState, old: str, new: str, outer: Protocol, inner: Protocol
) -> None:
    packet = state.packets[old]
    size = outer.size(packet)
    if size > packet.length or packet.length - size < inner.min_bytes:
        drop(state, old, "truncated")
        raise Ended
    packet.head += size
    packet.length -= size
    state.packets[new] = packet


def counting_up(counter: str, limit: Expr, body: Code) -> Action:
    """`for (u32 counter = 0; counter < limit; counter++) body`"""

    def action(state: RunState) -> None:
        state.locals[counter] = 0
        while state.locals[counter] < limit.value(state):
            try:
                body.run(state)
            except Continue:
                pass
            except Break:
                break
            state.locals[counter] += 1

    return action


def end_invocation(state: RunState) -> None:
    raise Ended


def drop(state: RunState, handle: str, reason: str) -> None:
    state.outcome.drops[reason] += 1
    state.outcome.dropped += int(state.packets[handle].original)


def send(state: RunState, packet: Packet, consumer: Ppf | None) -> None:
    if consumer is not None:
        state.program.run_ppf(consumer, packet, state.outcome)
        return
    state.outcome.frames[packet.tx_port, packet.frame()] += 1
    state.outcome.forwarded += int(packet.original)

"""A model checker for the protocol that keeps packets in order
(target-ixp/chip/Order.h): every order in which Rx, contexts of the program and the
contexts of Tx can take their steps.

Rx gives out numbers while a window of blocks is open. Contexts take packets in
order and put each on the ring to Tx, or give its number up there, at any later time,
perhaps after a packet without a number. Tx follows runtime/tx.uc: baton G for the ring,
baton E for the turn, places for numbers that come early.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Model:
    packets: int = 6
    contexts: int = 2
    tx_contexts: int = 2
    numbers: int = 4
    block: int = 2
    #: Messages that each ring holds.
    ring: int = 2
    #: Whether contexts also make packets without a number.
    makes_packets: bool = False
    #: A seeded mistake: "window", "idle" or "forget".
    fault: str = ""


class Message(NamedTuple):
    """On the ring to Tx; number -1 is a packet without one."""

    number: int
    is_sent: bool


NONE = Message(-2, False)


class TxContext(NamedTuple):
    #: "G" or "E": the baton that it waits for; "idle": it polls and holds G.
    waits: str = "G"
    got: Message = NONE


class State(NamedTuple):
    issued: int
    released: int
    rx: tuple[int, ...]
    #: The number that each context works on, and whether it may make a packet; -1.
    held: tuple[tuple[int, bool], ...]
    tx: tuple[Message, ...]
    places: tuple[Message, ...]
    next: int
    idle: bool
    baton_g: int
    baton_e: int
    engines: tuple[TxContext, ...]
    #: The last number that was sent.
    last: int


class Broken(Exception):
    """The protocol lost a message or sent one out of order."""


def start(model: Model) -> State:
    return State(
        0, 0, (), ((-1, False),) * model.contexts, (), (NONE,) * model.numbers,
        0, False, 0, 0, (TxContext(),) * model.tx_contexts, -1,
    )  # fmt: skip


def is_done(model: Model, state: State) -> bool:
    return (
        state.next == model.packets
        and not state.rx
        and not state.tx
        and all(number < 0 for number, _ in state.held)
        and all(context.got.number != -1 for context in state.engines)
    )


def steps(model: Model, state: State) -> Iterator[State]:
    yield from rx_steps(model, state)
    for index in range(model.contexts):
        yield from context_steps(model, state, index)
    for index in range(model.tx_contexts):
        yield from tx_steps(model, state, index)


def rx_steps(model: Model, state: State) -> Iterator[State]:
    number = state.issued
    if number == model.packets or len(state.rx) == model.ring:
        return
    blocks = model.numbers // model.block + (model.fault == "window")
    is_open = number // model.block - state.released < blocks
    if number % model.block or is_open:
        yield state._replace(issued=number + 1, rx=(*state.rx, number))


def context_steps(model: Model, state: State, index: int) -> Iterator[State]:
    number, may_make = state.held[index]

    def holding(now: tuple[int, bool]) -> tuple[tuple[int, bool], ...]:
        return (*state.held[:index], now, *state.held[index + 1 :])

    if number < 0:
        if state.rx:
            held = holding((state.rx[0], model.makes_packets))
            yield state._replace(rx=state.rx[1:], held=held)
        return
    if len(state.tx) == model.ring:
        return
    if may_make:
        made = (*state.tx, Message(-1, True))
        yield state._replace(held=holding((number, False)), tx=made)
    for is_sent in (True, False):
        put = (*state.tx, Message(number, is_sent))
        if model.fault == "forget" and not is_sent:
            put = state.tx
        yield state._replace(held=holding((-1, False)), tx=put)


def tx_steps(model: Model, state: State, index: int) -> Iterator[State]:
    context = state.engines[index]

    def becomes(now: TxContext) -> tuple[TxContext, ...]:
        return (*state.engines[:index], now, *state.engines[index + 1 :])

    following = (index + 1) % model.tx_contexts
    if context.waits == "G" and state.baton_g == index:
        if state.idle:
            yield state._replace(engines=becomes(TxContext("idle")))
        elif state.tx:
            engines = becomes(TxContext("E", state.tx[0]))
            yield state._replace(tx=state.tx[1:], engines=engines, baton_g=following)
        else:
            engines = becomes(TxContext("E"))
            yield state._replace(idle=True, engines=engines, baton_g=following)
    elif context.waits == "idle":
        if state.tx:
            engines = becomes(TxContext("E", state.tx[0]))
            yield state._replace(
                tx=state.tx[1:], engines=engines, baton_g=following, idle=False
            )
        elif waiting(model, state) != NONE and model.fault != "idle":
            engines = becomes(TxContext("E"))
            yield state._replace(engines=engines, baton_g=following)
    elif context.waits == "E" and state.baton_e == index:
        after = turn(model, state, context.got)
        yield after._replace(engines=becomes(TxContext("G")), baton_e=following)


def waiting(model: Model, state: State) -> Message:
    """What waits at the next number's place."""
    return state.places[state.next % model.numbers]


def turn(model: Model, state: State, got: Message) -> State:
    """What a context does while it holds baton E."""
    if got.number == -1:
        return state
    if got.number == state.next:
        return leave(model, state, got)
    if got != NONE:
        state = store(model, state, got.number, got)
    taken = waiting(model, state)
    if taken == NONE:
        return state
    number = taken.number
    state = state._replace(places=replaced(model, state, number, NONE), idle=False)
    return leave(model, state, taken)


def store(model: Model, state: State, number: int, message: Message) -> State:
    if state.places[number % model.numbers] != NONE:
        raise Broken(f"the place of number {number} is taken")
    return state._replace(places=replaced(model, state, number, message))


def replaced(
    model: Model, state: State, number: int, message: Message
) -> tuple[Message, ...]:
    at = number % model.numbers
    return (*state.places[:at], message, *state.places[at + 1 :])


def leave(model: Model, state: State, message: Message) -> State:
    if message.number != state.next:
        raise Broken(f"number {message.number} leaves instead of {state.next}")
    following = state.next + 1
    released = state.released + (following % model.block == 0)
    return state._replace(next=following, released=released, last=message.number)


def explore(model: Model) -> tuple[int, int]:
    """Visits all states; returns how many there are, and from how many of them no
    way leads to the end. Raises Broken."""
    first = start(model)
    before: dict[State, list[State]] = {first: []}
    unseen = [first]
    ends = []
    while unseen:
        state = unseen.pop()
        if is_done(model, state):
            ends.append(state)
        for after in steps(model, state):
            if after not in before:
                before[after] = []
                unseen.append(after)
            before[after].append(state)
    good = set(ends)
    while ends:
        for earlier in before[ends.pop()]:
            if earlier not in good:
                good.add(earlier)
                ends.append(earlier)
    return len(before), len(before) - len(good)

"""Makes a random program, and frames for it, from a seed."""

from __future__ import annotations

import random

from differential.actions import call, read_field
from differential.bodies import BodyMaker
from differential.expressions import (
    U8,
    U32,
    Expr,
    random_expr,
    random_type,
    random_value,
)
from differential.model import (
    PORTS,
    Field,
    Function,
    Global,
    Packet,
    Ppf,
    Program,
    Protocol,
)
from differential.tables import Field as KeyField
from differential.tables import State, random_table


def make_protocol(rng: random.Random, name: str) -> Protocol:
    """Random fields of 4 to 16 bytes. Some headers have a size field, some end in
    an array."""
    array = Field("list", 0, 0)
    if rng.random() < 0.3:
        width, count = rng.choice(((1, 8), (3, 8), (4, 4), (8, 3), (16, 2), (24, 2)))
        array = Field("list", 0, width, count)
    total = rng.randint(4, 16 - array.width * array.count // 8) * 8
    widths: list[int] = []
    while (left := total - sum(widths)) > 0:
        width = rng.randint(1, 64) if rng.random() < 0.5 else rng.choice((4, 8, 16, 32))
        widths.append(min(width, left))
    offsets = [sum(widths[:i]) for i in range(len(widths))]
    fields = [
        Field(f"f{i}", offset, width)
        for i, (offset, width) in enumerate(zip(offsets, widths, strict=True))
    ]
    if array.width:
        fields.append(Field("list", total, array.width, array.count))
        total += array.width * array.count
    bytes_ = total // 8
    narrow = [f for f in fields if 2 <= f.width <= 4]
    if narrow and not array.width and rng.random() < 0.5:
        chosen = rng.choice(narrow)

        def size(packet: Packet) -> int:
            return bytes_ + (packet.read(chosen.offset, chosen.width) << 1)

        demux = f"{bytes_} + ({chosen.name} << 1)"
        return Protocol(name, tuple(fields), bytes_, demux, size, False)
    constant = str(bytes_)
    return Protocol(name, tuple(fields), bytes_, constant, lambda packet: bytes_, True)


def make_ether() -> Protocol:
    fields = (Field("dst", 0, 48), Field("src", 48, 48), Field("type", 96, 16))
    return Protocol("ether", fields, 14, "14", lambda packet: 14, True)


def make_global(rng: random.Random, name: str) -> Global:
    type_ = random_type(rng)
    rows, columns = rng.choice((1, 1, 2, 4, 5, 8, 11)), rng.choice((1, 1, 1, 2, 3))
    count = rows if rows == 1 else rows * columns
    values = [random_value(rng, type_) for _ in range(count)]
    member = "value" if count > 1 and rng.random() < 0.4 else ""
    columns = columns if count > 1 else 1
    return Global(name, type_, values, columns, member, rng.random() < 0.3)


def make_function(
    rng: random.Random, name: str, earlier: list[Function], protocols: list[Protocol]
) -> Function:
    parameters = [(f"a{i}", random_type(rng)) for i in range(rng.randint(1, 3))]
    callable_ = [f for f in earlier if f.protocol is None]
    protocol = rng.choice(protocols) if rng.random() < 0.4 else None
    scalars = [f for f in protocol.fields if f.count == 1] if protocol else []

    def leaf() -> Expr:
        if scalars and rng.random() < 0.4:
            return read_field("ph", rng.choice(scalars), None)
        if callable_ and rng.random() < 0.15:
            function = rng.choice(callable_)
            return call(function, [leaf() for _ in function.parameters])
        parameter, type_ = rng.choice(parameters)
        return Expr(parameter, type_, lambda env: env.locals[parameter])

    body = random_expr(rng, leaf, rng.randint(1, 4))
    writes = rng.choice(scalars) if scalars and rng.random() < 0.5 else None
    return Function(name, random_type(rng), parameters, body, protocol, writes)


def make_tables(rng: random.Random, program: Program, packets: int) -> None:
    """Tables, and calls that change them before and between packets."""

    def pools(of: KeyField) -> list[int]:
        return [0, 1 << of.shift] * 4 + [rng.getrandbits(of.bits)]

    program.tables = [
        random_table(rng, f"t{i}", pools) for i in range(rng.randint(1, 3))
    ]
    states = [State(table) for table in program.tables]
    program.loaded = [
        rng.choice(states).random_call(rng, pools) for _ in range(rng.randint(0, 80))
    ]
    program.timed = [
        (number, rng.choice(states).random_call(rng, pools))
        for number in range(packets)
        for _ in range(rng.choice((0, 0, 1, 3)))
    ]


def make_program(seed: int, changes: int | None = None) -> Program:
    """With `changes` the program has tables, which change before each of so many
    packets."""
    rng = random.Random(seed)
    protocols = [make_ether()]
    protocols += [make_protocol(rng, f"p{i}") for i in range(rng.randint(1, 3))]
    program = Program(
        seed,
        protocols,
        [f"reason{i}" for i in range(rng.randint(1, 3))],
        [("hops", U8)] + [(f"m{i}", random_type(rng)) for i in range(3)],
        [make_global(rng, f"g{i}") for i in range(rng.randint(1, 4))],
        [],
        [],
        [Global("sink", U32, [0])],
    )
    if changes is not None:
        make_tables(random.Random(seed * 3571 + 11), program, changes)
    program.passes_queues = random.Random(seed * 7727 + 3).random() < 0.25
    for i in range(rng.randint(0, 4)):
        made = make_function(rng, f"fn{i}", program.functions, protocols)
        program.functions.append(made)
    count = rng.randint(1, 4)
    program.ppfs = [
        Ppf(f"ppf{i}", protocols[0] if i == 0 else rng.choice(protocols))
        for i in range(count)
    ]
    for i, ppf in enumerate(program.ppfs):
        ppf.cold = i > 0 and rng.random() < 0.2
        later, earlier = program.ppfs[i + 1 :], program.ppfs[1 : i + 1]
        BodyMaker(rng, program, ppf, later, earlier).make(first=i == 0)
    receive_by_port(random.Random(seed * 6121 + 5), program)
    drop_unreachable(program)
    return program


def receive_by_port(rng: random.Random, program: Program) -> None:
    """In some programs several PPFs receive packets, each from its ports. Packets
    of other ports are dropped."""
    ether = program.protocols[0]
    first, *others = [ppf for ppf in program.ppfs if ppf.protocol is ether]
    if rng.random() < 0.6:
        return
    receivers = [first]
    for i, ppf in enumerate(others):
        receiver = Ppf(f"receive{i}", ether)
        BodyMaker(rng, program, receiver, [], []).make_receiver(ppf)
        receivers.append(receiver)
    ports = rng.sample(range(PORTS), rng.randint(1, PORTS))
    program.by_port = {port: rng.choice(receivers) for port in ports}
    program.ppfs += [ppf for ppf in receivers[1:] if ppf in program.receivers]


def drop_unreachable(program: Program) -> None:
    """Removes PPFs without input, which would be errors."""
    fed = {ppf.name for ppf in program.receivers}
    for _ in program.ppfs:
        for ppf in program.ppfs:
            if ppf.name in fed:
                fed |= {to.name for _, _, to in ppf.outputs if to}
    program.ppfs = [ppf for ppf in program.ppfs if ppf.name in fed]


def make_frames(seed: int, count: int) -> list[bytes]:
    rng = random.Random(seed * 7919 + 1)
    frames = []
    for _ in range(count):
        size = rng.choice((60, 61, 62, 63, 64, 65, rng.randint(60, 200)))
        frames.append(
            bytes(rng.choice((0, 255, rng.getrandbits(8))) for _ in range(size))
        )
    return frames

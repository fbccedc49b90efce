"""Makes a random program, and frames for it, from a seed."""

from __future__ import annotations

import random

from bodies import BodyMaker
from expressions import U32, Expr, Type, random_expr, random_type, random_value
from model import Field, Function, Global, Packet, Ppf, Program, Protocol


def make_protocol(rng: random.Random, name: str) -> Protocol:
    """Random fields of 4 to 20 bytes; some headers say their own size."""
    total = rng.randint(4, 20) * 8
    widths: list[int] = []
    while (left := total - sum(widths)) > 0:
        width = rng.randint(1, 64) if rng.random() < 0.5 else rng.choice((4, 8, 16, 32))
        widths.append(min(width, left))
    offsets = [sum(widths[:i]) for i in range(len(widths))]
    fields = tuple(
        Field(f"f{i}", offset, width)
        for i, (offset, width) in enumerate(zip(offsets, widths, strict=True))
    )
    bytes_ = total // 8
    narrow = [f for f in fields if 2 <= f.width <= 4]
    if narrow and rng.random() < 0.5:
        chosen = rng.choice(narrow)

        def size(packet: Packet) -> int:
            return bytes_ + (packet.read(chosen.offset, chosen.width) << 1)

        demux = f"{bytes_} + ({chosen.name} << 1)"
        return Protocol(name, fields, bytes_, demux, size, False)
    return Protocol(name, fields, bytes_, str(bytes_), lambda packet: bytes_, True)


def make_ether() -> Protocol:
    fields = (Field("dst", 0, 48), Field("src", 48, 48), Field("type", 96, 16))
    return Protocol("ether", fields, 14, "14", lambda packet: 14, True)


def make_global(rng: random.Random, name: str) -> Global:
    type_ = Type(False, random_type(rng).width)
    count = rng.choice((1, 2, 4, 5, 8, 11))
    values = [random_value(rng, type_) for _ in range(count)]
    member = "value" if count > 1 and rng.random() < 0.4 else ""
    return Global(name, type_, count, values, member)


def make_function(rng: random.Random, name: str) -> Function:
    parameters = [(f"a{i}", random_type(rng)) for i in range(rng.randint(1, 3))]

    def leaf() -> Expr:
        parameter, type_ = rng.choice(parameters)
        return Expr(parameter, type_, lambda env: env.locals[parameter])

    body = random_expr(rng, leaf, rng.randint(1, 4))
    return Function(name, random_type(rng), parameters, body)


def make_program(seed: int) -> Program:
    rng = random.Random(seed)
    protocols = [make_ether()]
    protocols += [make_protocol(rng, f"p{i}") for i in range(rng.randint(1, 3))]
    program = Program(
        seed,
        protocols,
        [f"reason{i}" for i in range(rng.randint(1, 3))],
        [(f"m{i}", Type(False, random_type(rng).width)) for i in range(3)],
        [make_global(rng, f"g{i}") for i in range(rng.randint(1, 4))],
        [make_function(rng, f"fn{i}") for i in range(rng.randint(0, 3))],
        [],
        [Global("sink", U32, 1, [0])],
    )
    count = rng.randint(1, 4)
    program.ppfs = [
        Ppf(f"ppf{i}", protocols[0] if i == 0 else rng.choice(protocols))
        for i in range(count)
    ]
    for i, ppf in enumerate(program.ppfs):
        ppf.cold = i > 0 and rng.random() < 0.1
        BodyMaker(rng, program, ppf, program.ppfs[i + 1 :]).make(first=i == 0)
    drop_unreachable(program)
    return program


def drop_unreachable(program: Program) -> None:
    """A PPF that nobody feeds would be an error."""
    fed = {program.ppfs[0].name}
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

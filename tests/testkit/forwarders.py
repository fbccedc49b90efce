"""The programs that the papers about x86 measure, with tables of any size, traffic,
and an oracle of each that knows nothing of Baker.

The examples l2fwd, ipv4-router, ipv6-router and ndn-forwarder have small tables; a
`Forwarder` is one of them with room for as many entries as it is asked for.
"""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from testkit.paths import ROOT
from testkit.program import Program

#: What becomes of a frame: its port and its bytes, or nothing.
Sent = tuple[int, bytes] | None
ROUTER = bytes.fromhex("020000000001")
HOPS = 64
#: The lengths of IPv4 prefixes in a backbone's table, and their shares.
IPV4_LENGTHS = {8: 1, 12: 1, 14: 1, 16: 13, 18: 3, 19: 5, 20: 8, 21: 8, 22: 14,
                23: 10, 24: 110, 28: 1, 32: 1}  # fmt: skip


@dataclass(frozen=True)
class Forwarder(Program):
    #: What the program does to a frame, by the oracle.
    judge: Callable[[bytes], Sent]

    def expected(self) -> Iterator[tuple[int, bytes]]:
        for frame in self.frames:
            if sent := self.judge(frame):
                yield sent


def source(example: str, name: str, size: int) -> str:
    """The text of an example, with another size: where it says `const u32 NAME = N;`,
    or where the table NAME says `size N;`, which may be followed by its limit."""
    path = ROOT / "apps/examples" / example / f"{example.replace('-', '_')}.baker"
    constant = rf"const u32 {name} = \d+;"
    of_table = r"size \d+;(\s+limit \d+;)?"
    text, count = re.subn(constant, f"const u32 {name} = {size};", path.read_text())
    if count == 0:
        head, table, rest = text.partition(f"table {name} {{")
        rest, count = re.subn(of_table, f"size {size};", rest, count=1)
        text = head + table + rest
    assert count == 1, f"{path} has no size of {name}"
    return text


def station(number: int) -> bytes:
    """The address of a station of l2fwd's `learn_many`."""
    return bytes([2, 0]) + (number * 0x9E3779B1 & 0xFFFFFFFF).to_bytes(4, "big")


def l2fwd(stations: int, packets: int, unknown: float = 0, seed: int = 1) -> Forwarder:
    """Frames between stations on different ports, a share of them of stations beyond
    those that are known."""
    rng = random.Random(seed)
    frames = []
    for _ in range(packets):
        ends = [rng.randrange(stations) for _ in range(2)]
        if rng.random() < unknown:
            ends[rng.randrange(2)] += stations
        frames.append(
            station(ends[1]) + station(ends[0]) + b"\x09\x00" + rng.randbytes(46)
        )
    numbers = {station(n): n for n in (range(stations) if stations <= 1 << 16 else ())}

    def judge(frame: bytes) -> Sent:
        to, source_of = numbers.get(frame[:6]), numbers.get(frame[6:12])
        if to is None or source_of is None or to % 4 == source_of % 4:
            return None
        return to % 4, frame

    return Forwarder(
        "l2fwd", source("l2fwd", "STATIONS", stations),
        f"learn_many(0, {stations})\n", tuple(frames), judge,
    )  # fmt: skip


def longest(routes: dict[tuple[int, int], int], bits: int, address: int) -> int | None:
    """What the longest prefix of an address has."""
    for length in range(bits, -1, -1):
        kept = address >> (bits - length) << (bits - length)
        if (kept, length) in routes:
            return routes[kept, length]
    return None


def random_routes(
    rng: random.Random, count: int, bits: int, lengths: dict[int, int]
) -> dict[tuple[int, int], int]:
    """Prefixes, half of those that can be inside others, with the number of a hop."""
    routes: dict[tuple[int, int], int] = {}
    known: list[tuple[int, int]] = []
    choices, weights = list(lengths), list(lengths.values())
    while len(routes) < count:
        (length,) = rng.choices(choices, weights)
        value = rng.getrandbits(bits)
        if known and rng.random() < 0.5:
            outer, kept = rng.choice(known)
            if kept < length:
                value = outer | value & ((1 << bits - kept) - 1)
        route = (value >> (bits - length) << (bits - length), length)
        if route not in routes:
            routes[route] = rng.randrange(HOPS)
            known.append(route)
    return routes


def destinations(
    rng: random.Random, routes: dict[tuple[int, int], int], bits: int, packets: int
) -> Iterator[int]:
    known = list(routes)
    for _ in range(packets):
        value, length = rng.choice(known)
        yield value | rng.getrandbits(bits) & ((1 << bits - length) - 1)


def neighbour(hop: int) -> bytes:
    return bytes.fromhex("0201000000") + bytes([hop])


def ones_complement(header: bytes) -> int:
    total = sum(struct.unpack(f">{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def mac(address: bytes) -> str:
    return address.hex(":")


def ipv4(routes: int, packets: int, faulty: float = 0, seed: int = 1) -> Forwarder:
    """IPv4 packets to addresses of the routes, a share of them with faults."""
    rng = random.Random(seed)
    table = random_routes(rng, routes, 32, IPV4_LENGTHS)
    frames = []
    for address in destinations(rng, table, 32, packets):
        ttl, total, to = rng.randrange(2, 256), 46, address
        fault = rng.randrange(4) if rng.random() < faulty else -1
        if fault == 0:
            ttl = rng.randrange(2)
        elif fault == 1:
            total = 47 + rng.randrange(100)
        elif fault == 2:
            to = rng.getrandbits(32)
        header = struct.pack(
            ">BBHHHBBHII", 0x45, 0, total, 7, 0, ttl, 17, 0, rng.getrandbits(32), to
        )
        check = 0xFFFF - ones_complement(header) ^ (fault == 3)
        header = header[:10] + struct.pack(">H", check) + header[12:]
        frames.append(ROUTER + bytes(6) + b"\x08\x00" + header + rng.randbytes(26))

    def judge(frame: bytes) -> Sent:
        header = bytearray(frame[14:34])
        hop = longest(table, 32, int.from_bytes(header[16:20], "big"))
        length = int.from_bytes(header[2:4], "big")
        if ones_complement(header) != 0xFFFF or header[8] <= 1 or hop is None:
            return None
        if length > len(frame) - 14:
            return None
        header[8] -= 1
        header[10:12] = bytes(2)
        header[10:12] = struct.pack(">H", 0xFFFF - ones_complement(header))
        head = neighbour(hop) + ROUTER + b"\x08\x00"
        return hop % 4, head + bytes(header) + frame[34:]

    lines = [f"router_mac({mac(ROUTER)})"]
    lines += [f"hops.add({n}, {mac(neighbour(n))}, {n % 4})" for n in range(HOPS)]
    lines += [
        f"routes.add({'.'.join(map(str, value.to_bytes(4, 'big')))}/{length}, {hop})"
        for (value, length), hop in table.items()
    ]
    return Forwarder(
        "ipv4", source("ipv4-router", "routes", routes),
        "\n".join(lines) + "\n", tuple(frames), judge,
    )  # fmt: skip


def ipv6(routes: int, packets: int, faulty: float = 0, seed: int = 1) -> Forwarder:
    """IPv6 packets of 78 bytes to addresses of the routes, whose lengths are 48 to
    64, a share of them with faults."""
    rng = random.Random(seed)
    table = random_routes(rng, routes, 128, dict.fromkeys(range(48, 65), 1))
    # A prefix of multicast would never be found.
    table = {key: hop for key, hop in table.items() if key[0] >> 120 != 0xFF}
    frames = []
    for address in destinations(rng, table, 128, packets):
        limit, version, to = rng.randrange(2, 256), 6, address
        fault = rng.randrange(3) if rng.random() < faulty else -1
        if fault == 0:
            limit = rng.randrange(2)
        elif fault == 1:
            version = 5
        elif fault == 2:
            to = rng.getrandbits(128)
        header = struct.pack(">IHBB", version << 28, 24, 59, limit)
        header += rng.randbytes(16) + to.to_bytes(16, "big")
        frames.append(ROUTER + bytes(6) + b"\x86\xdd" + header + rng.randbytes(24))

    def judge(frame: bytes) -> Sent:
        hop = longest(table, 128, int.from_bytes(frame[38:54], "big"))
        if frame[14] >> 4 != 6 or frame[21] <= 1 or frame[38] == 0xFF or hop is None:
            return None
        head = neighbour(hop) + ROUTER + frame[12:21] + bytes([frame[21] - 1])
        return hop % 4, head + frame[22:]

    lines = [f"router_mac({mac(ROUTER)})"]
    for (value, length), hop in table.items():
        words = f"{value:032x}"
        address = ":".join(words[at : at + 4] for at in range(0, 32, 4))
        lines.append(
            f"routes.add({address}/{length}, {mac(neighbour(hop))}, {hop % 4})"
        )
    return Forwarder(
        "ipv6", source("ipv6-router", "routes", routes),
        "\n".join(lines) + "\n", tuple(frames), judge,
    )  # fmt: skip


WORD = (1 << 64) - 1


def mixed(number: int) -> int:
    """As in the program."""
    word = number * 0x9E3779B97F4A7C15 & WORD
    word = (word ^ word >> 29) * 0xBF58476D1CE4E5B9 & WORD
    return word ^ word >> 32


def name(number: int) -> bytes:
    return struct.pack(">4Q", *(mixed(4 * number + i) for i in range(4)))


def ndn(names: int, packets: int, unknown: float = 0, seed: int = 1) -> Forwarder:
    """Interests for names, a share of them for names that are not known or at the
    end of their hops."""
    rng = random.Random(seed)
    frames = []
    for _ in range(packets):
        wanted, limit = name(rng.randrange(names)), rng.randrange(2, 256)
        if rng.random() < unknown:
            if rng.random() < 0.5:
                limit = rng.randrange(2)
            else:
                wanted = wanted[:31] + bytes([wanted[31] ^ 1])
        head = ROUTER + bytes(6) + b"\x86\x24\x05" + bytes([limit]) + rng.randbytes(4)
        frames.append(head + wanted + rng.randbytes(8))
    numbers = {name(n): n for n in (range(names) if names <= 1 << 16 else ())}

    def judge(frame: bytes) -> Sent:
        number = numbers.get(frame[20:52])
        if number is None or frame[15] <= 1:
            return None
        return number % 4, frame[:15] + bytes([frame[15] - 1]) + frame[16:]

    return Forwarder(
        "ndn", source("ndn-forwarder", "NAMES", names),
        f"name_many(0, {names})\n", tuple(frames), judge,
    )  # fmt: skip


#: By the names of the benchmark `x86`, with the sizes of the papers.
FORWARDERS: dict[str, tuple[Callable[..., Forwarder], int]] = {
    "l2fwd": (l2fwd, 1 << 24),
    "ipv4": (ipv4, 527_961),
    "ipv6": (ipv6, 200_000),
    "ndn": (ndn, 10_000_000),
}

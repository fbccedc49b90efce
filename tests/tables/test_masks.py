"""Tables with masks and ranges: bit vectors up to 1,024 entries, then tuples."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from testkit.captures import read_pcapng, write_pcap
from testkit.runs import commands, compile_text
from testkit.tools import output_of, read_json, requires, run

pytestmark = requires("bakerc", "ixpsim")

PROGRAM = """
protocol p { head : 112; src : 32; dst : 32; port : 16; kind : 8; found : 32;
             demux { 29 }; }
module m {
  table rules {
    key { ternary u32 src; lpm u32 dst; range u16 port; ternary u8 kind; }
    value { u16 a; u32 b; mutable u32 n; }
    limit %d;
  }
  ppf f { in p_pkt * in_cc; out p_pkt * out_cc; }
  wiring { rx -> f.in_cc; f.out_cc -> tx; }
}
m.f.ppf(p_pkt * ph) {
  rules * rule = rules.find(ph->src, ph->dst, ph->port, ph->kind);
  ph->found = rule ? (u32)rule->a << 16 | rule->b : 0xffffffff;
  ph->metadata.tx.port = ph->metadata.rx.port;
  channel_put(out_cc, ph);
}
"""
HEAD = bytes(12) + b"\x12\x34"
MISS = 0xFFFFFFFF


class Rule:
    """A rule of few bits, so that rules overlap much and priorities are equal."""

    def __init__(self, rng: random.Random, number: int) -> None:
        self.number = number
        self.mask = rng.choice([0, 0xFF000000, 0xFFFF0000, 0xFF0000FF, 0xFFFFFFFF])
        self.src = rng.choice([0x0A000000, 0x0A010000, 0x0A010001]) & self.mask
        self.length = rng.choice([0, 8, 16, 24, 32])
        self.dst = rng.choice([0x0B000000, 0x0B010100, 0x0B010101])
        self.dst &= 0xFFFFFFFF << (32 - self.length) & 0xFFFFFFFF
        self.first, self.last = sorted(rng.randrange(6) for _ in range(2))
        self.kind_mask = rng.choice([0, 255])
        self.kind = rng.choice([6, 17]) & self.kind_mask
        self.priority = rng.randrange(30)

    def key(self) -> str:
        return (
            f"{self.src} & {self.mask}, {self.dst}/{self.length}, "
            f"{self.first}..{self.last}, {self.kind} & {self.kind_mask}, "
            f"{self.priority}"
        )

    def matches(self, src: int, dst: int, port: int, kind: int) -> bool:
        return (
            src & self.mask == self.src
            and (dst ^ self.dst) >> (32 - self.length) == 0
            and self.first <= port <= self.last
            and kind & self.kind_mask == self.kind
        )


class WideRule(Rule):
    """A rule with any lengths of prefixes: hundreds of combinations."""

    def __init__(self, rng: random.Random, number: int) -> None:
        super().__init__(rng, number)
        self.mask = 0xFFFFFFFF << rng.randrange(33) & 0xFFFFFFFF
        self.src = rng.choice([0x0A000000, 0x0A010000, 0x0A010001]) & self.mask
        self.length = rng.randrange(33)
        self.dst = rng.choice([0x0B000000, 0x0B010100, 0x0B010101])
        self.dst &= 0xFFFFFFFF << (32 - self.length) & 0xFFFFFFFF


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Vectors of one group of words, of three groups, and tuples."""
    return {
        name: compile_text(PROGRAM % limit, tmp_path_factory.mktemp(name))
        for name, limit in [("vectors", 400), ("groups", 1024), ("tuples", 3000)]
    }


@pytest.fixture(scope="module")
def program(programs: dict[str, Path]) -> Path:
    return programs["tuples"]


def histories(
    seed: int, kind: type[Rule], end: int
) -> tuple[list[str], list[tuple[int, ...]], list[int], list[Rule]]:
    """Calls, packets, what each packet finds, and the entries at the end."""
    rng = random.Random(seed)
    lines: list[str] = []
    rules: dict[str, Rule] = {}
    packets: list[tuple[int, ...]] = []
    found: list[int] = []
    for number in range(1, end):
        when = f"@packet {len(packets)} " if number > 150 else ""
        rule = kind(rng, number)
        if rule.key() in rules:
            lines.append(f"{when}rules.change({rule.key()}, a: {number}, b: {number})")
            rules[rule.key()].number = number
        elif number > 150 and rng.random() < 0.5:
            key = rng.choice(list(rules))
            lines.append(f"{when}rules.remove({key})")
            del rules[key]
        else:
            lines.append(f"{when}rules.add({rule.key()}, a: {number}, b: {number})")
            rules[rule.key()] = rule
        for _ in range(2 if number >= 150 else 0):
            packet = (
                rng.choice([0x0A000000, 0x0A010000, 0x0A010001, 0x0A0000FF]),
                rng.choice([0x0B000000, 0x0B010100, 0x0B010101, 0x0C000000]),
                rng.randrange(7), rng.choice([6, 17, 1]),
            )  # fmt: skip
            packets.append(packet)
            matching = [r for r in rules.values() if r.matches(*packet)]
            # Of equal priorities the oldest, which Python's dict has first.
            best = max(matching, key=lambda r: r.priority, default=None)
            found.append(best.number << 16 | best.number if best else MISS)
    return lines, packets, found, list(rules.values())


def frame_of(packet: tuple[int, ...], number: int) -> bytes:
    src, dst, port, kind = packet
    key = src.to_bytes(4) + dst.to_bytes(4) + port.to_bytes(2) + kind.to_bytes(1)
    return HEAD + key + bytes(4) + number.to_bytes(31)


@pytest.mark.parametrize(
    "structure, kind",
    [("vectors", Rule), ("vectors", WideRule), ("groups", Rule),
     ("tuples", Rule), ("tuples", WideRule)],
)  # fmt: skip
@pytest.mark.parametrize("machine", range(3))
def test_the_best_entry_is_found(
    kind: type[Rule],
    machine: int,
    structure: str,
    programs: dict[str, Path],
    tmp_path: Path,
) -> None:
    """And `dump` tells the entries in the order of their priorities and ages."""
    # Bits of many vectors change, and entries move, so that a call takes some ms.
    end, rate = (400, "0.0005") if structure == "tuples" else (200, "0.0001")
    lines, packets, found, rules = histories(7, kind, end)
    combinations = {(r.mask, r.length, r.kind_mask) for r in rules}
    assert (len(combinations) > 64) == (kind is WideRule)
    trace, control, out = (tmp_path / n for n in ("t.pcap", "c.txt", "o.pcapng"))
    stats = tmp_path / "s.json"
    write_pcap(trace, [frame_of(p, i) for i, p in enumerate(packets)])
    control.write_text("\n".join([*lines, "@end rules.dump()"]) + "\n")
    # Each packet leaves before the next comes, and calls are done by then.
    run(
        *commands(programs[structure], "--quiet", f"--rate={rate}")[machine],
        f"--trace={trace}",
        f"--control={control}", f"--out={out}", f"--stats={stats}",
    )  # fmt: skip
    given = {
        int.from_bytes(f[29:60]): int.from_bytes(f[25:29]) for _, f in read_pcapng(out)
    }
    assert [given[i] for i in range(len(packets))] == found
    assert 0 < found.count(MISS) < len(found) / 2
    [value] = read_json(stats)["control"]["values"]
    numbers = [int(line.split("a: ")[1].split(",")[0]) for line in value["entries"]]
    ordered = sorted(rules, key=lambda r: -r.priority)
    assert numbers == [r.number for r in ordered]


def test_the_choice_is_told(program: Path) -> None:
    said = output_of("bakerc", program, "--explain=tables", "-o", "/dev/null")
    assert "m.rules: not list" in said and "the limit 3000 is above 1024" in said
    assert "m.rules: tuples, 1 hash and 2 accesses for each of at most 64" in said


@pytest.mark.parametrize("machine", [0, 2])
def test_what_finds_no_space(machine: int, program: Path, tmp_path: Path) -> None:
    """Tuples are limited; what is removed makes space, and the limit of the table is
    reached with few masks."""
    trace, control, stats = (tmp_path / n for n in ("t.pcap", "c.txt", "s.json"))
    write_pcap(trace, [frame_of((0, 0, 0, 0), 0)])
    command = commands(program, "--quiet")[machine]

    def entry(mask: int, port: int, src: int = 0, last: int = 0) -> str:
        return f"{src} & {mask}, 0/0, {port}..{last or port}, any, 1"

    def refused(lines: list[str]) -> str:
        control.write_text("\n".join(lines) + "\n")
        done = run(
            *command, f"--trace={trace}", f"--control={control}", status=1
        )  # fmt: skip
        assert f"c.txt:{len(lines)}:" in done.stderr, done.stderr
        return done.stderr

    # Eight have their own tuples, 63 more fill a chain of the first, whose mask is 0,
    # 64 the chain of a tuple that has the port, too, and 55 more get tuples.
    count = 8 + 63 + 64 + 55
    masks = [f"rules.add({entry(mask, 1)}, 1, 1)" for mask in range(count)]
    one_more = f"rules.add({entry(len(masks), 1)}, 1, 1)"
    said = refused([*masks, one_more])
    assert "64 tuples of masks, and none has room" in said
    again = [*masks, f"rules.remove({entry(7, 1)})", one_more, "rules.clear()"]
    # Single ports are hashed; ranges share no bits, and fill tuples with one mask.
    again += [f"rules.add({entry(0, port)}, 1, 1)" for port in range(200)]
    again += [f"rules.add({entry(0, n, last=65000)}, 1, 1)" for n in range(200)]
    again += ["rules.clear()"]
    full = [f"rules.add({entry(0xFFFFFFFF, 1, src)}, 1, 1)" for src in range(3000)]
    control.write_text("\n".join([*again, *full, "@end rules.count()"]) + "\n")
    run(
        *command, f"--trace={trace}", f"--control={control}", f"--stats={stats}"
    )  # fmt: skip
    assert read_json(stats)["control"]["values"][0]["value"] == 3000
    said = refused([*full, f"rules.add({entry(0xFFFFFFFF, 1, 3000)}, 1, 1)"])
    assert "its limit is 3000 entries" in said


def test_packets_find_an_entry_while_it_makes_room(
    programs: dict[str, Path], tmp_path: Path
) -> None:
    """Entries that others push to new positions are found at every moment, and those
    that match other packets are never found instead."""
    trace, control, out = (tmp_path / n for n in ("t.pcap", "c.txt", "o.pcapng"))
    frames = [frame_of((0x0A000001, 0x0B000001 + i % 2, 5, 6), i) for i in range(30000)]
    write_pcap(trace, frames)

    last = 5

    def added(dst: int, priority: int, value: int) -> str:
        src = "10.0.0.1"
        nonlocal last
        last += 1
        return f"rules.add({src}, {dst}/32, 5..{last}, 6, {priority}, {value}, 0)"

    # Densely placed, so that each that comes between moves others, theirs, too.
    calls = [added(0x0B000003, 4 * i, 3) for i in range(60, 0, -1)]
    calls += [added(0x0B000001, 161, 1), added(0x0B000002, 81, 2)]
    calls += [f"@packet {900 * i} {added(0x0B000003, 162, 3)}" for i in range(1, 32)]
    control.write_text("\n".join(calls) + "\n")
    run(
        *commands(programs["groups"], "--quiet")[2], f"--trace={trace}",
        f"--control={control}", f"--out={out}",
    )  # fmt: skip
    found = [
        (int.from_bytes(f[29:60]) % 2, int.from_bytes(f[25:29]) >> 16)
        for _, f in read_pcapng(out)
    ]
    assert len(found) > len(frames) / 3  # the others find no room in the ports
    assert set(found) == {(0, 1), (1, 2)}

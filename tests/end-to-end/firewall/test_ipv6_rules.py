"""Rules of IPv6: x86, microcode and the oracle agree on generated packets: prefixes
of 0, 64 and 128 bits, ends of port ranges, extension headers, fragments, and packets
that are malformed or cut short."""

from __future__ import annotations

import random
from ipaddress import IPv6Address
from pathlib import Path

import pytest

from npftrace.frames.capture import Frame, write_capture
from testkit.applications import FIREWALL
from testkit.runs import check_packets, compile_app, refusal, run_on_x86, simulate
from testkit.tools import requires
from testkit.workloads import Workload, make_workload

pytestmark = requires("bakerc", "ixpsim")
PACKETS = 1500
NET = 0x2001_0DB8 << 96
PORTS = ((0, 65535), (0, 65535), (0, 65535), (0, 0), (53, 55), (1024, 65535), (80, 80))
#: Protocol, flags and their mask.
KINDS = ((256, 0, 0), (17, 0, 0), (6, 2, 18), (6, 0, 0), (58, 128, 255))
ANY_RULE = "rule6_add(0, ::, 0, ::, 0, {low}, 65535, 0, 65535, 17, 0, 0, 0, 0)"


def address(draw: random.Random) -> int:
    """One of a few hosts in a few networks, so that prefixes match."""
    return NET | draw.randrange(3) << 64 | draw.choice((0, 1, (1 << 64) - 1))


def rule(draw: random.Random, flow: int) -> str:
    ends = []
    for _ in range(2):
        ends += [str(IPv6Address(address(draw))), str(draw.choice((0, 0, 64, 128)))]
    kind, flags, mask = draw.choice(KINDS)
    ports = [*draw.choice(PORTS), *draw.choice(PORTS)]
    tos = draw.choice(((0, 0), (0, 0), (0xB8, 0xFC)))
    fields = [flow, *ends, *ports, kind, *tos, flags, mask]
    return f"rule6_add({', '.join(map(str, fields))})"


def transport(draw: random.Random, protocol: int) -> bytes:
    ports = (0, 1, 52, 53, 55, 56, 80, 1023, 1024, 65535)
    if protocol == 58:
        return bytes((draw.choice((127, 128, 129)), 0)) + bytes(6)
    head = b"".join(draw.choice(ports).to_bytes(2, "big") for _ in range(2))
    flags = bytes((draw.choice((2, 16, 18)),))
    return head + (bytes(4) if protocol == 17 else bytes(9) + flags + bytes(6))


def packet(draw: random.Random) -> bytes:
    """A packet with up to nine extension headers, sometimes spoilt."""
    protocol = draw.choice((6, 17, 58, 59, 50))
    data, following = transport(draw, protocol), protocol
    for _ in range(draw.choice((0, 0, 0, 1, 2, 8, 9))):
        kind = draw.choice((0, 43, 44, 51, 60, 60, 60))
        words = draw.choice((0, 0, 1, 2))
        body = bytes((following, words)) + bytes(8 * words + 6)
        if kind == 44:
            offset = draw.choice((0, 0, 0, 1, 2, 8191)) << 3
            body = bytes((following, 0)) + (offset | 1).to_bytes(2, "big") + bytes(4)
        elif kind == 51:
            body = bytes((following, 4)) + bytes(22)
        data, following = body + data, kind
    data += draw.randbytes(draw.choice((0, 8, 30)))
    if draw.random() < 0.1:
        data = data[: draw.randrange(len(data) + 1)]
    length = len(data) + (draw.randrange(1, 60) if draw.random() < 0.05 else 0)
    version = 4 if draw.random() < 0.02 else 6
    word = version << 28 | draw.choice((0, 0xB8, 0xBB)) << 20 | draw.randrange(1 << 20)
    fixed = word.to_bytes(4, "big") + length.to_bytes(2, "big")
    ends = address(draw).to_bytes(16, "big") + address(draw).to_bytes(16, "big")
    return fixed + bytes((following, 64)) + ends + data


def load_of(folder: Path, seed: int, *more: str) -> Workload:
    draw = random.Random(seed)
    lines = [rule(draw, flow) for flow in range(30)]
    lines += [f"flow_action({flow}, 1)" for flow in range(0, 30, 2)]
    load = Workload(folder / "six.pcapng", folder / "six.control", "firewall")
    load.control.write_text("\n".join([*lines, "rules_commit()", *more, ""]))
    macs = bytes.fromhex("0200000000aa0200000000bb86dd")
    frames = [Frame(0, n % 4, macs + packet(draw)) for n in range(PACKETS)]
    write_capture(load.trace, frames, 4)
    return load


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Trained on IPv4 alone."""
    folder = tmp_path_factory.mktemp("ipv6-images")
    profile = make_workload("firewall", folder, "--packets", "1000").profile()
    return {
        level: compile_app(
            FIREWALL, folder / f"{level}.ixp", f"--level={level}", *profile
        )
        for level in ("base", "swc")
    }


@pytest.mark.parametrize("seed", range(3))
def test_x86_agrees_with_the_oracle(seed: int, tmp_path: Path) -> None:
    load = load_of(tmp_path, seed)
    out, stats = run_on_x86(FIREWALL, load, tmp_path)
    check_packets(load, out, tmp_path / "x86.json")
    for reason in ("bad_header", "short_transport", "long_headers", "tiny_fragment"):
        assert stats["drops"][reason] > 0
    assert stats["drops"]["flow_denied"] > 20
    assert stats["packets"]["forwarded"] > 100


@pytest.mark.parametrize("engines", (1, 6))
@pytest.mark.parametrize("level", ("base", "swc"))
def test_microcode_agrees_with_the_oracle(
    level: str, engines: int, images: dict[str, Path], tmp_path: Path
) -> None:
    load = load_of(tmp_path, 7)
    out, stats = simulate(images[level], load, tmp_path, f"--mes={engines}")
    check_packets(load, out, tmp_path / "stats.json")
    assert stats["packets"]["received"] == PACKETS
    assert stats["packets"]["to_xscale"] == 0


@pytest.mark.parametrize("engines", (1, 6))
@pytest.mark.parametrize("level", ("base", "swc"))
def test_microcode_agrees_on_made_traffic(
    level: str, engines: int, images: dict[str, Path], tmp_path: Path
) -> None:
    shares = ("denied", "unmatched", "fragments", "options", "bad-header")
    options = [word for name in shares for word in (f"--{name}", "0.05")]
    options += ["--ipv6", "--rules", "200", "--packets", "1000"]
    load = make_workload("firewall", tmp_path, *options)
    out, stats = simulate(images[level], load, tmp_path, f"--mes={engines}")
    check_packets(load, out, tmp_path / "stats.json")
    assert stats["packets"]["received"] == 1000


def test_a_commit_is_seen_whole(images: dict[str, Path], tmp_path: Path) -> None:
    draw = random.Random(11)
    lines = ["rules_clear()", *(rule(draw, flow) for flow in range(30))]
    change = [f"@packet 500 {line}" for line in [*lines, "rules_commit()"]]
    load = load_of(tmp_path, 3, *change)
    out, _ = run_on_x86(FIREWALL, load, tmp_path)
    check_packets(load, out, window=1)
    out, _ = simulate(images["swc"], load, tmp_path, "--rate=0.002", "--mes=1")
    check_packets(load, out, window=8)


def connection(number: int) -> str:
    return f"connection6_add(2001:db8::1, 2001:db8::2, 1, {number}, 17)"


#: The key of connection(0).
KEY = f"2001:db8::1, 2001:db8::2, {1 << 16}, 17"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([ANY_RULE.format(low=0)] * 1537, "there are 1536 rules of IPv6, the most"),
        (
            [
                f"rule6_add(0, ::, {src}, ::, {dst}, 0, 1, 0, 1, 17, 0, 0, 0, 0)"
                for src in range(1, 16)
                for dst in range(1, 16)
            ]
            + ["rules_commit()"],
            "too many combinations of lengths and masks",
        ),
        (
            [connection(n) for n in range(512)]
            + [f"established6.remove({KEY})", connection(512)],
            "there is no room for another connection",
        ),
        (["rule6_add(0, ::, 129, ::, 0, 0, 1, 0, 1, 17, 0, 0, 0, 0)"], "128 bits"),
    ],
)
def test_what_has_no_room_is_refused(
    lines: list[str], words: str, tmp_path: Path
) -> None:
    load = load_of(tmp_path, 1)
    assert words in refusal(FIREWALL, load.trace, "\n".join(lines), tmp_path)

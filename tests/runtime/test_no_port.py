"""A packet for a port that is not there is dropped and counted, on every engine."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from testkit.applications import LEVELS
from testkit.captures import read_pcapng, write_pcap
from testkit.paths import ROOT
from testkit.switch import running_switch
from testkit.tools import read_json, requires, run

pytestmark = requires("bakerc", "ixpsim", "bakersw")

PROGRAM = ROOT / "tests/packets/language/ports.baker"
#: How the program treats a frame, by its destination: it goes to the port of its
#: type; to the next one, through the core; to port 1, and a copy to that of its type.
DIRECT, CORE, COPY = 0, 1, 2
TYPES = [0, 1, 2, 3, 4, 5, 0x7F, 0x80, 0xFD, 0xFE, 0x103, 0x104]
X86 = {
    "run": [],
    "fast": ["--fast"],
    "burst": ["--fast", "--burst=3"],
    "sub-batch": ["--fast", "--sub-batch=4"],
    "specialized": ["--fast", "--specialize=at-once"],
}


def frame(way: int, kind: int) -> bytes:
    return bytes(5) + bytes([way]) + bytes(6) + kind.to_bytes(2, "big") + bytes(46)


FRAMES = [frame(way, kind) for way in (DIRECT, CORE, COPY) for kind in TYPES]


def expected() -> tuple[Counter[tuple[int, bytes]], int, int]:
    """The frames that leave, the drops, and those of them that were received."""
    sent: Counter[tuple[int, bytes]] = Counter()
    drops = received = 0
    for data in FRAMES:
        way, port = data[5], data[13] + (data[5] == CORE)
        if port < 4:
            sent[port, data] += 1
        else:
            drops += 1
            received += way != COPY
        if way == COPY:
            sent[1, data] += 1
    return sent, drops, received


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("no-port") / "t.pcap"
    write_pcap(path, FRAMES)
    return path


def check(folder: Path) -> None:
    sent, drops, received = expected()
    assert drops > 20 and received < drops
    stats = read_json(folder / "s.json")
    assert stats["drops"]["no_port"] == drops
    packets = stats["packets"]
    assert packets["dropped"] == received
    assert packets["received"] == len(FRAMES)
    assert packets["forwarded"] == len(FRAMES) - received
    assert read_pcapng(folder / "o.pcapng") == sent


@pytest.mark.parametrize("form", X86)
def test_x86(form: str, trace: Path, tmp_path: Path) -> None:
    run(
        "bakerc", PROGRAM, "--run", *X86[form], f"--trace={trace}",
        f"--out={tmp_path / 'o.pcapng'}", f"--stats={tmp_path / 's.json'}",
    )  # fmt: skip
    check(tmp_path)


@pytest.mark.parametrize("level", LEVELS)
def test_chip(level: str, trace: Path, tmp_path: Path) -> None:
    image = tmp_path / "ports.ixp"
    run("bakerc", PROGRAM, f"--level={level}", "--punt-rate=none", "-o", image)
    run(
        "ixpsim", image, "--quiet", f"--trace={trace}",
        f"--out={tmp_path / 'o.pcapng'}", f"--stats={tmp_path / 's.json'}",
    )  # fmt: skip
    check(tmp_path)


def test_a_followed_packet_says_so(trace: Path, tmp_path: Path) -> None:
    image = tmp_path / "ports.ixp"
    run("bakerc", PROGRAM, "-o", image)
    number = TYPES.index(4)
    arguments = ["ixpsim", image, "--quiet", f"--trace={trace}"]
    record = tmp_path / "r"
    done = run(*arguments, f"--trace-packet={number}", f"--record={record}")
    assert "Tx drops it: there is no port of its number" in done.stdout + done.stderr
    row = (tmp_path / "r.packets.csv").read_text().splitlines()[number + 1]
    assert "dropped" in row
    done = run(*arguments, "--trace-packet=0")
    assert "Tx drops it" not in done.stdout + done.stderr


def test_switch(trace: Path, tmp_path: Path) -> None:
    sent, drops, received = expected()
    outs = [tmp_path / f"o{port}.pcapng" for port in range(4)]
    ports = [f"--port=pcap,rx={trace},tx={outs[0]}"]
    ports += [f"--port=pcap,tx={out}" for out in outs[1:]]
    with running_switch(PROGRAM, tmp_path, *ports, "--stay") as switch:
        stats = switch.wait_for("packets", "received", least=len(FRAMES))
        assert stats["drops"]["no_port"] == drops
        assert stats["packets"]["dropped"] == received
        assert stats["packets"]["no_port"] == 0
        switch.end()
    left = Counter(
        {(p, f): n for p in range(4) for (_, f), n in read_pcapng(outs[p]).items()}
    )
    assert left == sent

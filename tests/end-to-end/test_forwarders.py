"""The programs of the papers about x86 send what their oracles say, on x86, as
executables in stages, and on the simulator."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from npftrace.frames.capture import read_capture
from testkit.captures import write_pcap
from testkit.forwarders import FORWARDERS, Forwarder
from testkit.tools import requires, run, run_command
from testkit.workloads import PORTS

pytestmark = requires("bakerc", "ixpsim")
ENTRIES, PACKETS, FAULTY = 300, 600, 0.2


@pytest.fixture(scope="module", params=FORWARDERS)
def made(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Forwarder, Path]:
    """A program with small tables, its files in a folder."""
    make, _ = FORWARDERS[request.param]
    forwarder = make(ENTRIES, PACKETS, FAULTY)
    folder = tmp_path_factory.mktemp(forwarder.name)
    (folder / "p.baker").write_text(forwarder.source)
    (folder / "p.control").write_text(forwarder.control)
    write_pcap(folder / "p.pcap", forwarder.frames)
    return forwarder, folder


def check(forwarder: Forwarder, folder: Path, in_order: bool) -> None:
    sent = [(f.port, f.data) for f in read_capture(folder / "o.pcapng", PORTS).frames]
    expected = list(forwarder.expected())
    assert PACKETS // 2 < len(expected) < PACKETS
    if in_order:
        assert sent == expected
    else:
        assert Counter(sent) == Counter(expected)


def files(folder: Path) -> tuple[str, ...]:
    return f"--control={folder / 'p.control'}", f"--out={folder / 'o.pcapng'}"


def test_on_x86(made: tuple[Forwarder, Path]) -> None:
    forwarder, folder = made
    trace = f"--trace={folder / 'p.pcap'}"
    run("bakerc", folder / "p.baker", "--run", trace, *files(folder))
    check(forwarder, folder, in_order=True)


def test_as_an_executable(made: tuple[Forwarder, Path]) -> None:
    forwarder, folder = made
    run(
        "bakerc", "--target=x86", "--emit=exe", folder / "p.baker", "-o", folder / "p",
        "--burst=64", "--sub-batch=32", "--cut-seed=3",
    )  # fmt: skip
    run_command(folder / "p", folder / "p.pcap", *files(folder))
    check(forwarder, folder, in_order=True)


def test_on_the_simulator(made: tuple[Forwarder, Path]) -> None:
    forwarder, folder = made
    run("bakerc", folder / "p.baker", "-o", folder / "p.ixp")
    trace = f"--trace={folder / 'p.pcap'}"
    run("ixpsim", folder / "p.ixp", trace, "--quiet", *files(folder))
    check(forwarder, folder, in_order=False)

"""Control files from routing tables and from traces."""

import gzip
import os
import re
from ipaddress import ip_address
from pathlib import Path

import pytest

from npftrace.cli import main
from npftrace.errors import InputError
from npftrace.tables.control import Call, read_control
from npftrace.tables.limits import (
    HOPS_MAX,
    IPV4,
    IPV6,
    STATIONS_MAX,
    Trie,
    check_fit,
    fitting,
)
from npftrace.tables.prefix_counts import read_prefix_counts
from npftrace.tables.rib import read_rib
from testkit.paths import ROOT

RIB = """
10.0.0.0/8 AS1
10.1.0.0/16 AS2
10.1.2.3/24 AS1
2001:db8::/32 AS1
192.0.2.1 AS3
"""


def test_a_rib_becomes_routes(tmp_path: Path) -> None:
    rib, control = tmp_path / "rib.txt.gz", tmp_path / "c.txt"
    rib.write_bytes(gzip.compress(RIB.encode()))
    files = [str(rib), "--control", str(control)]
    assert main(["tables", "from-rib", *files, "--hops", "2"]) == 0
    calls = read_control(control)
    assert [call.args for call in calls if call.name == "route_add"] == [
        (0x0A000000, 8, 0),
        (0x0A010000, 16, 1),
        (0x0A010200, 24, 0),
        (0xC0000201, 32, 0),
    ]
    assert sum(call.name == "next_hop_add" for call in calls) == 2
    assert sum(call.name == "port_mac" for call in calls) == 4


def test_routes_of_ipv6(tmp_path: Path) -> None:
    rib, control = tmp_path / "rib.txt", tmp_path / "c.txt"
    rib.write_text(RIB + "2001:db8:1::5/47 AS2\n::/0 AS1\n")
    files = [str(rib), "--control", str(control)]
    assert main(["tables", "from-rib", *files, "--ipv6"]) == 0
    calls = read_control(control)
    assert [call.args for call in calls if call.name == "route6_add"] == [
        (0x20010DB8, 0, 0, 0, 32, 0),
        (0x20010DB8, 0, 0, 0, 47, 1),
        (0, 0, 0, 0, 0, 0),
    ]
    assert not any(call.name == "route_add" for call in calls)
    with pytest.raises(InputError, match="no IPv6 route"):
        rib.write_text("10.0.0.0/8 A\n")
        read_rib(rib, IPV6)


def test_routes_without_a_node_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    routes = [
        (0x0A010000, 16, "a"),  # in the root
        (0x0A010200, 24, "a"),  # two chunks of nodes
        (0x0A010300, 24, "a"),  # the same nodes
        (0x0A020000, 32, "a"),  # four nodes, one of them in a chunk that is there
        (0x0B000000, 19, "a"),  # one more
    ]
    kept = [length for _, length, _ in fitting(routes, IPV4, 3)]
    assert kept == [16, 24, 24, 19]
    assert len(list(fitting(routes, IPV4, 6))) == 5
    assert len(list(fitting(routes, IPV4, 0))) == 1
    rib, control = tmp_path / "rib.txt", tmp_path / "c.txt"
    rib.write_text(RIB)
    files = [str(rib), "--control", str(control)]
    assert main(["tables", "from-rib", *files, "--nodes", "2"]) == 0
    assert "left out: 1 routes, for which 2 nodes" in capsys.readouterr().out
    assert sum(call.name == "route_add" for call in read_control(control)) == 3


def test_made_routes_of_ipv6_fit_the_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    control = tmp_path / "c.txt"
    options = ["--routes", "25000", "--hops", "9", "--control", str(control)]
    assert main(["tables", "ipv6", *options]) == 0
    calls = [call.args for call in read_control(control) if call.name == "route6_add"]
    routes = [
        (int.from_bytes(b"".join(n.to_bytes(4, "big") for n in args[:4]), "big"), args)
        for args in calls
    ]
    trie = Trie(IPV6)
    for prefix, args in routes:
        trie.add(prefix, args[4])
    assert IPV6.chunks - 40 < trie.chunks <= IPV6.chunks
    assert 15_000 < len(routes) < 25_000
    assert {args[5] for _, args in routes} == set(range(9))
    left = f"left out: {25000 - len(routes)} routes, for which {IPV6.chunks} nodes"
    assert left in capsys.readouterr().out


def test_no_traffic_is_made_for_more_routes_than_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = ["--out", f"{tmp_path}/t.pcap", "--control", f"{tmp_path}/c.txt"]
    options = ["make", "ipv6", "--packets", "10", *files]
    assert main([*options, "--routes", "25000"]) == 1
    refusal = capsys.readouterr().err
    assert "E-traces-114" in refusal
    assert not list(tmp_path.iterdir())
    at_most = re.search(r"at most --routes=(\d+)", refusal)
    assert at_most and int(at_most[1]) > 15_000


def test_routes_of_ipv4_must_fit_too() -> None:
    """Each /19 takes a chunk of its own."""
    routes = [(n << 14, 19) for n in range(IPV4.chunks)]
    check_fit(routes, IPV4)
    with pytest.raises(InputError, match=f"at most --routes={IPV4.chunks}") as error:
        check_fit([*routes, (0xF000_0000, 20)], IPV4)
    assert error.value.error_id == "E-traces-114"


def test_the_limits_are_those_of_the_programs() -> None:
    hops = (ROOT / "runtime/router/hops.baker").read_text()
    assert f"const u32 HOP_STATIC = {HOPS_MAX};" in hops
    app = ROOT / "apps/l3-switch"
    slots = re.search(r"BRIDGE_SLOTS = (\d+);", (app / "bridge.baker").read_text())
    assert slots and int(slots[1]) * 0.9 >= STATIONS_MAX
    chip = (ROOT / "runtime/net/chip.baker").read_text()
    size = re.search(r"SRAM_SIZE = (\d+);", chip)
    assert size
    program = (app / "ipv6_forwarding.baker").read_text()
    nodes = re.search(r"IPV6_NODES = \(chip.SRAM_SIZE - (\w+)\) / 64;", program)
    assert nodes
    assert IPV6.chunks == (int(size[1]) - int(nodes[1], 16)) // 64
    trie = (ROOT / "runtime/router/routes6.baker").read_text()
    assert f"const u32 ROOT_ENTRIES = {1 << IPV6.strides[0]};" in trie


@pytest.mark.parametrize(
    "text", ["", "10.0.0.0/33 A", "10.0.0/8 A", "x A", "10.0.0.0/8 A B", "1.2.3.256"]
)
def test_wrong_ribs_are_refused(tmp_path: Path, text: str) -> None:
    rib = tmp_path / "rib.txt"
    rib.write_text(text)
    with pytest.raises(InputError):
        read_rib(rib)


def test_the_table_of_2002(tmp_path: Path) -> None:
    data = os.environ.get("KARAKAL_TEST_DATA")
    if not data:
        pytest.skip("KARAKAL_TEST_DATA is not set: no routing table to read")
    rib = Path(data) / "rib/ipv4-20020722-rrc05-as1853.txt.gz"
    control = tmp_path / "c.txt"
    assert main(["tables", "from-rib", str(rib), "--control", str(control)]) == 0
    calls = read_control(control)
    assert sum(call.name == "route_add" for call in calls) == 112_986
    assert max(c.args[2] for c in calls if c.name == "route_add") == 63


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("f()", Call("f", (), line=1)),
        ("m.f(1, -2, 0x1F)", Call("m.f", (1, -2, 31), line=1)),
        (" f ( 10.0.0.1 ) # x", Call("f", (0x0A000001,), line=1)),
        ("f(02:00:00:00:00:ff)", Call("f", (0x0200000000FF,), line=1)),
        ("@packet 7 f(1)", Call("f", (1,), "packet", 7, 1)),
        ("@end f(1)", Call("f", (1,), "end", 0, 1)),
        ("@cycle 9 f(1)", Call("f", (1,), "cycle", 9, 1)),
    ],
)
def test_lines_of_a_control_file(tmp_path: Path, line: str, call: Call) -> None:
    path = tmp_path / "c.txt"
    path.write_text(line)
    assert read_control(path) == [call]


@pytest.mark.parametrize(
    ("line", "error_id"),
    [
        ("f", "E-traces-021"),
        ("f(1) g(2)", "E-traces-021"),
        ("@second 1 f()", "E-traces-021"),
        ("f(1,)", "E-traces-022"),
        ("f(1.2.3)", "E-traces-022"),
        ("f(1.2.3.256)", "E-traces-022"),
        ("f(abc)", "E-traces-022"),
        ("f(1:2:3)", "E-traces-022"),
    ],
)
def test_wrong_lines_are_refused(tmp_path: Path, line: str, error_id: str) -> None:
    path = tmp_path / "c.txt"
    path.write_text(f"# first\n{line}\n")
    with pytest.raises(InputError) as refusal:
        read_control(path)
    assert refusal.value.error_id == error_id
    assert refusal.value.line == 2


def test_a_trace_gives_routes_of_ipv6(tmp_path: Path) -> None:
    trace, made, control = (tmp_path / name for name in ("t.pcap", "m", "c"))
    files = ["--out", str(trace), "--control", str(made)]
    assert main(["make", "ipv6", "--packets", "40", "--routes", "50", *files]) == 0
    options = ["tables", "from-trace", str(trace), "--control", str(control)]
    assert main(options) == 0
    routes = [call.args for call in read_control(control) if call.name == "route6_add"]
    assert {args[4] for args in routes} == {64, 128}
    assert len(routes) == 40 - 40 // 8


@pytest.mark.parametrize(
    ("family", "name", "bits"),
    [
        ("ipv4", "ipv4-20020722-rrc05-as1853.txt.gz", 32),
        ("ipv6", "ipv4+ipv6-2024-bart-prefixes.txt.gz", 128),
    ],
)
def test_the_counts_of_real_tables(family: str, name: str, bits: int) -> None:
    data = os.environ.get("KARAKAL_TEST_DATA")
    if not data:
        pytest.skip("KARAKAL_TEST_DATA is not set: no tables")
    prefixes = set()
    with gzip.open(Path(data, "rib", name), "rt") as file:
        for line in file:
            prefix = line.split()[0]
            if (":" in prefix) == (bits == 128):
                address, length = prefix.split("/")
                prefixes.add((int(ip_address(address)), int(length)))
    counts = read_prefix_counts(family)
    assert list(counts) == list(range(bits + 1))
    by_length: dict[int, set[int]] = {length: set() for length in counts}
    for address, length in prefixes:
        by_length[length].add(address >> (bits - length))
    longer: set[int] = set()
    for length in range(bits, -1, -1):
        assert counts[length] == (len(by_length[length]), len(longer)), length
        longer = {first >> 1 for first in longer | by_length[length]}

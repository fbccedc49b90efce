"""Full routing tables load through route_add and route6_add, and look-ups in them
agree with a plain search: the table of 2002 in the chip's 8 MB of SRAM with the IPv6
routes of 2024 that fit beside it, all routes of 2024 in more."""

import gzip
import random
import socket
from pathlib import Path

import pytest

from npftrace.tables.limits import IPV4, IPV6, Trie
from testkit.applications import L3_SWITCH
from testkit.runs import check_packets, compile_app, run_on_x86, simulate
from testkit.tools import read_json, run
from testkit.workloads import Workload

LOOKUPS = 20_000


#: An SRAM channel for the table of 2024.
LARGE = "--set=sram.size=33554432"


def prefixes(table: Path, count: int) -> list[tuple[int, int]]:
    """(prefix, length) of each line that is IPv4."""
    routes = []
    for line in gzip.decompress(table.read_bytes()).decode().splitlines():
        if ":" in line:
            continue
        prefix, length = line.split()[0].split("/")
        a, b, c, d = map(int, prefix.split("."))
        routes.append((a << 24 | b << 16 | c << 8 | d, int(length)))
    assert len(routes) == count
    return routes


@pytest.fixture(scope="session")
def rib(test_data: Path) -> list[tuple[int, int]]:
    return prefixes(test_data / "rib/ipv4-20020722-rrc05-as1853.txt.gz", 112_986)


@pytest.fixture(scope="session")
def large_rib(test_data: Path) -> list[tuple[int, int]]:
    return prefixes(test_data / "rib/ipv4+ipv6-2024-bart-prefixes.txt.gz", 901_899)


def prefixes6(table: Path, count: int) -> list[tuple[int, int]]:
    """The same for lines that are IPv6, in random order."""
    routes = []
    for line in gzip.decompress(table.read_bytes()).decode().splitlines():
        if ":" in line:
            prefix, length = line.split()[0].split("/")
            packed = socket.inet_pton(socket.AF_INET6, prefix)
            routes.append((int.from_bytes(packed, "big"), int(length)))
    assert len(routes) == count
    random.Random(2024).shuffle(routes)
    return routes


@pytest.fixture(scope="session")
def rib6(test_data: Path) -> list[tuple[int, int]]:
    return prefixes6(test_data / "rib/ipv4+ipv6-2024-bart-prefixes.txt.gz", 160_147)


def checksum(header: bytes) -> int:
    total = sum(int.from_bytes(header[i : i + 2], "big") for i in range(0, 20, 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def frame(port: int, destination: int, number: int) -> bytes:
    """A 60-byte UDP frame to the router's own address on `port`."""
    ether = bytes([2, 0, 0, 0, 0, port, 2, 9, 9, 9, 9, 9, 8, 0])
    head = bytearray.fromhex("4500002e00000000401100000a010203")
    head += destination.to_bytes(4, "big")
    head[10:12] = checksum(bytes(head)).to_bytes(2, "big")
    udp = (7).to_bytes(2, "big") * 2 + (26).to_bytes(2, "big") + b"\0\0"
    return ether + bytes(head) + udp + number.to_bytes(4, "big") + bytes(14)


def frame6(port: int, destination: int, number: int) -> bytes:
    """The same for IPv6."""
    ether = bytes([2, 0, 0, 0, 0, port, 2, 9, 9, 9, 9, 9, 0x86, 0xDD])
    head = bytes.fromhex("60000000000c1140") + (0x2001 << 112 | 7).to_bytes(16, "big")
    udp = (7).to_bytes(2, "big") * 2 + (12).to_bytes(2, "big") + b"\0\0"
    return (
        ether + head + destination.to_bytes(16, "big") + udp + bytes([number % 251] * 4)
    )


def write_pcap(path: Path, frames: list[bytes]) -> None:
    data = bytearray.fromhex("d4c3b2a1020004000000000000000000ffff000001000000")
    for f in frames:
        data += bytes(8) + len(f).to_bytes(4, "little") * 2 + f
    path.write_bytes(data)


def make_load(rib: list[tuple[int, int]], lookups: int, folder: Path) -> Workload:
    """The table with random next hops, and packets. One in ten goes to any
    address, the others to prefixes of the table."""
    rng = random.Random(2002)
    hops = [rng.randrange(64) for _ in rib]
    lines = [f"port_mac({p}, 02:00:00:00:00:0{p})" for p in range(4)]
    lines += [f"next_hop_add({h}, {h % 4}, 02:01:00:00:00:{h:02x})" for h in range(64)]
    for (prefix, length), hop in zip(rib, hops, strict=True):
        dotted = ".".join(str(prefix >> s & 255) for s in (24, 16, 8, 0))
        lines.append(f"route_add({dotted}, {length}, {hop})")
    frames = []
    for number in range(lookups):
        if number % 10 == 0:
            destination = rng.getrandbits(32)
        else:
            prefix, length = rng.choice(rib)
            destination = prefix | rng.getrandbits(32) & (0xFFFFFFFF >> length)
        frames.append(frame(number % 4, destination, number))
    load = Workload(folder / "trace.pcap", folder / "control.txt")
    load.control.write_text("\n".join(lines) + "\n")
    write_pcap(load.trace, frames)
    return load


def words(address: int) -> str:
    return ", ".join(hex(address >> s & 0xFFFFFFFF) for s in (96, 64, 32, 0))


def make_load6(rib: list[tuple[int, int]], lookups: int, folder: Path) -> Workload:
    """As make_load, with IPv6 routes and packets. A quarter of the routes is removed
    and added again."""
    rng = random.Random(2002)
    lines = [f"port_mac({p}, 02:00:00:00:00:0{p})" for p in range(4)]
    lines += [f"next_hop_add({h}, {h % 4}, 02:01:00:00:00:{h:02x})" for h in range(64)]
    add = [
        f"route6_add({words(prefix)}, {length}, {rng.randrange(64)})"
        for prefix, length in rib
    ]
    lines += add
    lines += [f"route6_delete({words(p)}, {length})" for p, length in rib[::4]]
    lines += add[::4]
    frames = []
    for number in range(lookups):
        prefix, length = rng.choice(rib)
        destination = prefix | rng.getrandbits(128) & ((1 << 128) - 1 >> length)
        if number % 10 == 0:
            destination = 0x2 << 124 | rng.getrandbits(124)
        frames.append(frame6(number % 4, destination, number))
    load = Workload(folder / "trace.pcap", folder / "control.txt")
    load.control.write_text("\n".join(lines) + "\n")
    write_pcap(load.trace, frames)
    return load


@pytest.mark.parametrize("engine", ["x86", "o1"])
def test_the_ipv6_routes_that_fit_are_looked_up_right(
    engine: str, rib6: list[tuple[int, int]], images: dict[str, Path], tmp_path: Path
) -> None:
    """The routes up to the first that does not fit, three times what 16,384 nodes
    hold. The program says how many nodes that one needs, and how many there are."""
    trie, count = Trie(IPV6), 0
    while trie.takes(*rib6[count], IPV6.chunks):
        trie.add(*rib6[count])
        count += 1
    routes, (more, bits) = rib6[:count], rib6[count]
    assert count > 40_000
    load = make_load6(routes, 4000, tmp_path)
    if engine == "x86":
        out, _ = run_on_x86(L3_SWITCH, load, tmp_path)
    else:
        out, _ = simulate(images[engine], load, tmp_path)
    check_packets(load, out)
    with load.control.open("a") as control:
        control.write(f"route6_needs({words(more)}, {bits})\nroute6_free()\n")
    command = ["bakerc", L3_SWITCH, "--run"]
    if engine != "x86":
        command = ["ixpsim", images[engine]]
    stats = tmp_path / "control.json"
    once = [*load.inputs(), "--packets=1"]
    run(*command, *once, f"--stats={stats}")
    needed, free = (each["value"] for each in read_json(stats)["control"]["values"])
    assert needed > free
    with load.control.open("a") as control:
        control.write(f"route6_add({words(more)}, {bits}, 0)\n")
    refused = run(*command, *once, status=1)
    assert "there is no room for another route: compare" in refused.stderr


@pytest.mark.parametrize(
    ("lengths", "least"), [((32,), 11_000), ((17, 20, 24), 39_000)]
)
def test_the_ipv4_routes_that_fit(
    lengths: tuple[int, ...], least: int, tmp_path: Path
) -> None:
    """Routes of kinds that no real table has: all nodes share the memory, so it is
    full when npftrace says so."""
    rng, trie, routes = random.Random(4), Trie(IPV4), []
    while True:
        length = rng.choice(lengths)
        prefix = rng.randrange(1 << 24, 127 << 24) >> 32 - length << 32 - length
        if not trie.takes(prefix, length, IPV4.chunks):
            break
        if (prefix, length) not in trie.routes:
            trie.add(prefix, length)
            routes.append((prefix, length))
    assert len(routes) >= least
    load = make_load(routes, 2000, tmp_path)
    out, _ = run_on_x86(L3_SWITCH, load, tmp_path)
    check_packets(load, out)
    with load.control.open("a") as control:
        control.write(f"route_add({prefix}, {length}, 1)\n")
    refused = run("bakerc", L3_SWITCH, "--run", *load.inputs(), "--packets=1", status=1)
    assert "there is no room for another route" in refused.stderr


@pytest.mark.parametrize("engine", ["x86", "o1"])
def test_a_full_table_is_looked_up_right(
    engine: str, rib: list[tuple[int, int]], images: dict[str, Path], tmp_path: Path
) -> None:
    load = make_load(rib, LOOKUPS, tmp_path)
    if engine == "x86":
        out, _ = run_on_x86(L3_SWITCH, load, tmp_path)
    else:
        out, _ = simulate(images[engine], load, tmp_path)
    check_packets(load, out)


def test_a_table_that_is_too_large_needs_more_sram(
    large_rib: list[tuple[int, int]], images: dict[str, Path], tmp_path: Path
) -> None:
    load = make_load(large_rib, 2000, tmp_path)
    arguments = [*load.inputs()]
    refused = run("ixpsim", images["phr"], *arguments, status=1)
    assert "route_add' refused the call: there is no room for another" in refused.stderr
    image = compile_app(L3_SWITCH, tmp_path / "large.ixp", LARGE)
    small = run("ixpsim", image, *arguments, "--chip=ixp2400", status=1)
    assert LARGE in small.stderr
    out, _ = simulate(image, load, tmp_path)
    check_packets(load, out)

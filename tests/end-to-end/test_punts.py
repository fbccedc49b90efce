"""Packets for the XScale core cannot hold up the others: half of the load is
exceptional, the other half is forwarded without loss."""

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from npftrace.frames.capture import read_capture, write_capture
from npftrace.frames.wire import checksum
from testkit.applications import SOURCES
from testkit.runs import assert_packets_add_up, check_packets, run_on_x86, simulate
from testkit.tools import run
from testkit.workloads import Workload, make_workload

PORTS = 4
PACKETS = 6000
RATE_GBPS = 2.5
ETHERNET, MPLS = 14, 4

#: Makes an exceptional frame of a frame; the random numbers are the test's own.
Change = Callable[[bytes, random.Random], bytes]


def with_header(frame: bytes, begin: int, header: bytes) -> bytes:
    """The frame, as long as before, with a new IPv4 header of the right sum."""
    header = header[:10] + b"\0\0" + header[12:]
    header = header[:10] + checksum(header).to_bytes(2, "big") + header[12:]
    old = (frame[begin] & 15) * 4
    return (frame[:begin] + header + frame[begin + old :])[: len(frame)]


def ttl_of_1(frame: bytes, _: random.Random) -> bytes:
    header = frame[ETHERNET : ETHERNET + 20]
    return with_header(frame, ETHERNET, header[:8] + b"\1" + header[9:])


def router_alert(frame: bytes, _: random.Random) -> bytes:
    header = frame[ETHERNET : ETHERNET + 20]
    length = len(frame) - ETHERNET
    longer = b"\x46" + header[1:2] + length.to_bytes(2, "big") + header[4:]
    return with_header(frame, ETHERNET, longer + b"\x94\4\0\0")


def no_route(frame: bytes, draw: random.Random) -> bytes:
    header = frame[ETHERNET : ETHERNET + 20]
    host = draw.randrange(1, 1 << 16).to_bytes(2, "big")
    return with_header(frame, ETHERNET, header[:16] + b"\xc6\x12" + host)


def arp_request(frame: bytes, draw: random.Random) -> bytes:
    """Who has the address of the port? To the router alone: a broadcast would be
    flooded, too."""
    station = b"\2" + draw.randbytes(5)
    port = frame[5]
    body = b"\0\1\x08\0\6\4\0\1" + station + bytes([192, 0, port, 9])
    body += bytes(6) + bytes([192, 0, port, 1])
    return (frame[:6] + station + b"\x08\6" + body).ljust(len(frame), b"\0")


def new_station(frame: bytes, draw: random.Random) -> bytes:
    """A source that the bridge has to learn."""
    return frame[:6] + b"\2" + draw.randbytes(5) + frame[12:]


def label_ttl_of_1(frame: bytes, _: random.Random) -> bytes:
    return frame[: ETHERNET + 3] + b"\1" + frame[ETHERNET + 4 :]


def alert_label(frame: bytes, _: random.Random) -> bytes:
    """RFC 3032's label 1 on top."""
    longer = frame[:ETHERNET] + b"\0\0\x10\x40" + frame[ETHERNET:]
    return longer[: len(frame)]


def new_connection(frame: bytes, draw: random.Random) -> bytes:
    """UDP of ports that were not seen before."""
    header = frame[ETHERNET : ETHERNET + 20]
    header = header[:6] + b"\0\0" + header[8:9] + b"\x11" + header[10:]
    changed = with_header(frame, ETHERNET, header)
    return changed[: ETHERNET + 20] + draw.randbytes(4) + changed[ETHERNET + 24 :]


ADDRESSES = "".join(f"port_address({port}, 192.0.{port}.1, 24)\n" for port in range(4))
MPLS_ADDRESSES = ADDRESSES.replace(", 24)", ")")
#: By name: application, options of the trace, more control calls, the change.
KINDS: dict[str, tuple[str, str, str, Change]] = {
    "ttl": ("l3-switch", "--routes 1000", ADDRESSES, ttl_of_1),
    "options": ("l3-switch", "--routes 1000", ADDRESSES, router_alert),
    "no-route": ("l3-switch", "--routes 1000", ADDRESSES, no_route),
    "arp": ("l3-switch", "--routes 1000", ADDRESSES, arp_request),
    "stations": ("l3-switch", "--bridged 1", "", new_station),
    "label-ttl": ("mpls", "--transit 1 --egress 0", MPLS_ADDRESSES, label_ttl_of_1),
    "alert": ("mpls", "--transit 1 --egress 0", MPLS_ADDRESSES, alert_label),
    "mpls-ttl": ("mpls", "--transit 0 --egress 0", MPLS_ADDRESSES, ttl_of_1),
    "connections": ("firewall", "--flows 64", "stateful(1)\n", new_connection),
}


@pytest.fixture(scope="module")
def default_images(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The applications as bakerc compiles them by default."""
    folder = tmp_path_factory.mktemp("images")
    images = {app: folder / f"{app}.ixp" for app in SOURCES}
    for app, image in images.items():
        run("bakerc", SOURCES[app], "-o", image)
    return images


@pytest.mark.parametrize("kind", KINDS)
def test_exceptions_take_nothing_from_the_others(
    kind: str, default_images: dict[str, Path], tmp_path: Path
) -> None:
    app, options, more, change = KINDS[kind]
    size = ("--packets", str(PACKETS // 2), "--size", "64")
    plain = make_workload(app, tmp_path, *size, *options.split())
    plain.control.write_text(plain.control.read_text() + more)
    frames = read_capture(plain.trace, PORTS).frames
    draw = random.Random(7)
    both = []
    for frame in frames:
        both += [frame, frame._replace(data=change(frame.data, draw))]
    mixed = Workload(tmp_path / "mixed.pcapng", plain.control, app)
    write_capture(mixed.trace, both, PORTS)

    wanted, _ = run_on_x86(SOURCES[app], plain, tmp_path)
    out, stats = simulate(
        default_images[app], mixed, tmp_path, f"--rate={RATE_GBPS}", "--mes=6"
    )
    assert_packets_add_up(stats)
    assert stats["packets"]["rx_overflow"] == 0
    refused = sum(n for name, n in stats["drops"].items() if name.startswith("punt:"))
    assert refused > PACKETS / 4
    lost = sent(wanted) - sent(out)
    assert not lost, f"{lost.total()} of {PACKETS // 2} lost"


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    """Packets with options and nothing else."""
    folder = tmp_path_factory.mktemp("options")
    traffic = f"--packets {PACKETS} --size 64 --routes 100 --options 1"
    return make_workload("l3-switch", folder, *traffic.split())


CHANNEL = "l3_forwarding.l3_fwdr.options_cc"


@pytest.mark.parametrize("rates", ["20000", f"20000,{CHANNEL}=5000"])
def test_the_meter_passes_its_rate(
    rates: str, options: Workload, tmp_path: Path
) -> None:
    image = tmp_path / "l3.ixp"
    run("bakerc", SOURCES["l3-switch"], f"--punt-rate={rates}", "-o", image)
    _, stats = simulate(image, options, tmp_path, "--rate=0.2")
    assert_packets_add_up(stats)
    passed, refused = stats["packets"]["to_xscale"], stats["drops"]
    assert passed + refused[f"punt:{CHANNEL}"] == PACKETS
    rate = float(rates.rpartition("=")[2])
    seconds = stats["cycles"] / 600e6
    window, contexts = 524288 / 600e6, 48
    windows = seconds / window + 1
    assert passed <= (rate * window + contexts) * windows
    # Contexts rarely begin a window at the same time.
    assert 0.7 * rate * seconds < passed < 1.3 * rate * seconds + 8 * windows


def test_engines_wait_without_limits(options: Workload, tmp_path: Path) -> None:
    image = tmp_path / "l3.ixp"
    run("bakerc", SOURCES["l3-switch"], "--punt-rate=none", "-o", image)
    out, stats = simulate(image, options, tmp_path)
    check_packets(options, out, tmp_path / "stats.json")
    assert stats["packets"]["to_xscale"] == PACKETS
    assert not any(name.startswith("punt:") for name in stats["drops"])


def test_a_queue_is_bounded(options: Workload, tmp_path: Path) -> None:
    """The core cannot take what its meter lets pass: packets wait at most as long as
    the core needs for those of the queue."""
    image = tmp_path / "l3.ixp"
    run("bakerc", SOURCES["l3-switch"], "--punt-rate=10e6", "-o", image)
    _, stats = simulate(image, options, tmp_path, "--rate=2")
    assert_packets_add_up(stats)
    passed = stats["packets"]["to_xscale"]
    assert passed < PACKETS / 4
    work = stats["cycles"] / passed
    channels = sum(name.startswith("punt:") for name in stats["drops"])
    assert stats["latency_cycles"]["max"] < 1.5 * work * min(64, 256 // channels)


def sent(capture: Path) -> Counter[tuple[int, bytes]]:
    return Counter((f.port, f.data) for f in read_capture(capture, PORTS).frames)

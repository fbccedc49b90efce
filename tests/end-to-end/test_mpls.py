"""MPLS: x86, microcode at each level, and the oracle agree on every packet."""

import re
from pathlib import Path

import pytest

from npftrace.frames.capture import Frame, read_capture, write_capture
from npftrace.frames.wire import checksum
from testkit.applications import LEVELS, MPLS
from testkit.runs import (
    assert_packets_add_up,
    check_packets,
    compile_levels,
    run_on_x86,
    simulate,
)
from testkit.tools import run
from testkit.workloads import Workload, captured_workload, make_workload

PACKETS = 5000


@pytest.fixture(scope="module")
def mpls_load(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    """Every operation on stacks of one to four labels, and every exception."""
    return make_workload(
        "mpls",
        tmp_path_factory.mktemp("mpls-load"),
        *f"--seed 21 --packets {PACKETS} --push 3 --depth 4 --size 64:3,512:1"
        " --transit 0.2 --egress 0.1 --ip 0.05 --swap-push 0.1 --pop-labels 0.05"
        " --pop-ip 0.05 --pop-again 0.05 --explicit-null 0.02 --egress-push 0.03"
        " --unknown-label 0.02 --reserved-label 0.02 --ttl-expired 0.02"
        " --ip-ttl-expired 0.02 --bad-checksum 0.02 --no-route 0.02"
        " --other-type 0.02 --other-mac 0.02".split(),
    )


@pytest.fixture(scope="module")
def mpls_images(
    tmp_path_factory: pytest.TempPathFactory, mpls_load: Workload
) -> dict[str, Path]:
    """The program at each level."""
    folder = tmp_path_factory.mktemp("mpls-images")
    return compile_levels(MPLS, mpls_load, folder)


def test_x86_agrees_with_the_oracle(mpls_load: Workload, tmp_path: Path) -> None:
    out, stats = run_on_x86(MPLS, mpls_load, tmp_path)
    check_packets(mpls_load, out, tmp_path / "x86.json")
    assert_packets_add_up(stats)


@pytest.mark.parametrize("engines", (1, 3, 6))
@pytest.mark.parametrize("level", LEVELS)
def test_microcode_agrees_with_the_oracle(
    level: str,
    engines: int,
    mpls_images: dict[str, Path],
    mpls_load: Workload,
    tmp_path: Path,
) -> None:
    out, stats = simulate(mpls_images[level], mpls_load, tmp_path, f"--mes={engines}")
    check_packets(mpls_load, out, tmp_path / "stats.json")
    assert_packets_add_up(stats)
    assert stats["packets"]["received"] == PACKETS


# Each configuration of the NPF benchmark alone, and each length of push.
@pytest.mark.parametrize(
    "options",
    [
        *(f"--transit 0 --egress 0 --push {count}" for count in (1, 2, 3, 4)),
        "--transit 1 --egress 0 --depth 4",
        "--transit 0 --egress 1",
        "--size 1518 --depth 4 --push 4",
        "--locality zipf",
    ],
)
def test_each_configuration(
    options: str, mpls_images: dict[str, Path], tmp_path: Path
) -> None:
    size = "--packets 1000 --fecs 500 --labels 256"
    load = make_workload("mpls", tmp_path, *f"{size} {options}".split())
    out, _ = simulate(mpls_images["o1"], load, tmp_path)
    check_packets(load, out, tmp_path / "stats.json")


def test_labels_change_while_packets_flow(
    mpls_images: dict[str, Path], mpls_load: Workload, tmp_path: Path
) -> None:
    """Labels of the trace get another NHLFE, are popped and deleted."""
    lines = mpls_load.control.read_text().splitlines()
    labels = [line.split("(")[1].split(",")[0] for line in lines if "label_add" in line]
    changes = []
    for number, label in enumerate(labels[:600]):
        call = (f"label_add({label}, 70)", f"label_pop({label})")[number % 2]
        if number % 5 == 0:
            call = f"label_delete({label})"
        changes.append(f"@packet {1 + number * 8} {call}")
    control = tmp_path / "control.txt"
    control.write_text("\n".join([*lines, *changes]) + "\n")
    load = Workload(mpls_load.trace, control, "mpls")
    out, _ = simulate(mpls_images["o1"], load, tmp_path)
    check_packets(load, out)


def with_dont_fragment(frame: Frame) -> Frame:
    """An IPv4 packet that arrives without labels, with its DF bit set."""
    if frame.data[12:14] != b"\x08\0":
        return frame
    header = bytearray(frame.data[14:34])
    header[6], header[10:12] = 0x40, b"\0\0"
    header[10:12] = checksum(bytes(header)).to_bytes(2, "big")
    return frame._replace(data=frame.data[:14] + header + frame.data[34:])


@pytest.mark.parametrize("engine", ["x86", "base", "swc"])
def test_ports_with_an_mtu(
    engine: str, mpls_images: dict[str, Path], tmp_path: Path
) -> None:
    """Packets are fragmented below their labels, or their senders get a message."""
    options = (
        "--packets 1000 --fecs 500 --labels 256 --push 3 --depth 4"
        " --size 64,700,1518 --transit 0.3 --egress 0.1 --ip 0.1 --swap-push 0.1"
        " --pop-labels 0.05 --pop-ip 0.05 --egress-push 0.05 --ttl-expired 0.02"
    )
    load = make_workload("mpls", tmp_path, *options.split())
    frames = read_capture(load.trace, 4).frames
    frames[::2] = map(with_dont_fragment, frames[::2])
    write_capture(load.trace, frames, 4)
    extra = ["port_mtu(1, 600)", "port_mtu(2, 1000)", "port_address(0, 192.0.2.1)"]
    load.control.write_text(load.control.read_text() + "\n".join(extra) + "\n")
    if engine == "x86":
        out, stats = run_on_x86(MPLS, load, tmp_path)
    else:
        out, stats = simulate(mpls_images[engine], load, tmp_path, "--rate=0.1")
    check_packets(load, out, tmp_path / f"{'x86' if engine == 'x86' else 'stats'}.json")
    assert_packets_add_up(stats)
    assert stats["drops"]["fragmentation_needed"] > 20
    assert stats["packets"]["transmitted"] > 1000
    assert not stats["packets"]["rx_overflow"]


def test_real_captures(
    mpls_images: dict[str, Path], test_data: Path, tmp_path: Path
) -> None:
    load = captured_workload("mpls", test_data, tmp_path)
    out, _ = run_on_x86(MPLS, load, tmp_path)
    check_packets(load, out, tmp_path / "x86.json")
    out, _ = simulate(mpls_images["o1"], load, tmp_path)
    check_packets(load, out, tmp_path / "stats.json")


@pytest.mark.parametrize(
    "call",
    [
        "port_mac(4, 02:00:00:00:00:04)",
        "next_hop_add(256, 0, 02:00:00:00:00:04)",
        "next_hop_add(0, 4, 02:00:00:00:00:04)",
        "next_hop_add(1, 1, 00:00:00:00:00:00)",
        "nhlfe_set(1, 1, 0, 0, 0, 0, 0)",
        "nhlfe_set(16384, 0, 0, 0, 0, 0, 0)",
        "nhlfe_set(0, 256, 0, 0, 0, 0, 0)",
        "nhlfe_set(0, 0, 5, 16, 16, 16, 16)",
        "nhlfe_set(0, 0, 1, 3, 0, 0, 0)",
        "nhlfe_set(0, 0, 2, 16, 1048576, 0, 0)",
        "label_add(15, 0)",
        "label_add(65536, 0)",
        "label_add(16, 16384)",
        "label_add(16, 1)",
        "label_pop(0)",
        "label_delete(65536)",
        "port_mtu(4, 1500)",
        "port_mtu(0, 591)",
        "fec_add(10.0.0.0, 33, 0)",
        "fec_add(10.0.0.0, 8, 16384)",
        "fec_add(10.0.0.0, 8, 1)",
        "fec_add(127.1.0.0, 16, 0)",
        "fec_add(240.0.0.0, 4, 0)",
        "fec6_add(0x20010db8, 0, 0, 0, 32, 1)",
        "group_slot(0, 0, 1)",
        "nhlfe_group(1, 0)",
    ],
)
def test_wrong_calls_are_refused(
    call: str, mpls_load: Workload, tmp_path: Path
) -> None:
    control = tmp_path / "control.txt"
    control.write_text(
        "next_hop_add(0, 0, 02:00:00:00:00:04)\n"
        f"nhlfe_set(0, 0, 0, 0, 0, 0, 0)\n{call}\n"
    )
    done = run(
        "bakerc", MPLS, "--run", f"--trace={mpls_load.trace}",
        f"--control={control}", f"--out={tmp_path / 'o.pcapng'}", status=1,
    )  # fmt: skip
    assert "control.txt:3" in done.stderr and "refused the call" in done.stderr


@pytest.mark.parametrize("engine", ["x86", "swc"])
def test_equal_cost_paths(
    engine: str, mpls_images: dict[str, Path], mpls_load: Workload, tmp_path: Path
) -> None:
    """All labels and FECs of a path lead to a group of eight paths."""
    control = mpls_load.control.read_text()
    paths = sorted(set(re.findall(r"^nhlfe_set\((\d+), ", control, re.M)), key=int)
    lines = [f"group_slot(5, {n}, {paths[n * len(paths) // 8]})" for n in range(8)]
    lines.append("nhlfe_group(16000, 5)")
    grouped = re.sub(
        r"^((label|fec)_add\(.*), \d+\)", r"\1, 16000)", control, flags=re.M
    )
    load = Workload(mpls_load.trace, tmp_path / "c.txt", "mpls")
    at = re.search(r"^(label|fec)_", grouped, re.M).start()
    load.control.write_text(grouped[:at] + "\n".join([*lines, grouped[at:]]))
    if engine == "x86":
        out, stats = run_on_x86(MPLS, load, tmp_path)
        check_packets(load, out, tmp_path / "x86.json")
    else:
        out, stats = simulate(mpls_images[engine], load, tmp_path)
        check_packets(load, out, tmp_path / "stats.json")
    ports = {frame.port for frame in read_capture(out, 4).frames}
    assert len(ports) > 1
    assert_packets_add_up(stats)

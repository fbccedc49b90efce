"""Wrong input gets a message that names it, and exit status 1."""

from pathlib import Path

import pytest

from testkit.applications import L3_SWITCH
from testkit.tools import run
from testkit.workloads import Workload


def simulate_wrongly(image: Path, trace: Path, control: Path | None = None) -> str:
    more = [f"--control={control}"] if control else []
    return run("ixpsim", image, f"--trace={trace}", "--quiet", *more, status=1).stderr


def test_missing_trace(images: dict[str, Path], tmp_path: Path) -> None:
    assert "nowhere.pcap" in simulate_wrongly(images["o1"], tmp_path / "nowhere.pcap")


def test_empty_trace(images: dict[str, Path], tmp_path: Path) -> None:
    trace = tmp_path / "empty.pcap"
    trace.write_bytes(b"")
    assert "empty" in simulate_wrongly(images["o1"], trace)


def test_trace_without_packets(
    images: dict[str, Path], mixed_load: Workload, tmp_path: Path
) -> None:
    trace = tmp_path / "none.pcap"
    trace.write_bytes(mixed_load.trace.read_bytes()[:24])
    assert "no packet" in simulate_wrongly(images["o1"], trace)


def test_trace_cut_short(
    images: dict[str, Path], mixed_load: Workload, tmp_path: Path
) -> None:
    trace = tmp_path / "cut.pcap"
    trace.write_bytes(mixed_load.trace.read_bytes()[:-7])
    message = simulate_wrongly(images["o1"], trace)
    assert "cut short" in message and "19999" in message.replace(",", "")


@pytest.mark.parametrize("length", [0, 10, 100, 5000])
def test_image_cut_short(
    length: int, images: dict[str, Path], mixed_load: Workload, tmp_path: Path
) -> None:
    image = tmp_path / "cut.ixp"
    image.write_bytes(images["o1"].read_bytes()[:length])
    assert "cut.ixp" in simulate_wrongly(image, mixed_load.trace)


def test_image_of_another_version(
    images: dict[str, Path], mixed_load: Workload, tmp_path: Path
) -> None:
    image = tmp_path / "other.ixp"
    data = images["o1"].read_bytes()
    assert b'"version": 1' in data
    image.write_bytes(data.replace(b'"version": 1', b'"version": 7'))
    message = simulate_wrongly(image, mixed_load.trace)
    assert "version 7" in message


NO_HOST = "no host has an address of this prefix"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("route_ad(10.0.0.0, 8, 1)", "route_ad"),
        ("route_add(10.0.0.0, 8)", "3"),
        ("route_add(10.0.0.0, 300, 1)", "length"),
        ("route_add(10.0.0.0, 33, 1)", "a prefix has at most 32 bits"),
        ("route_add(127.1.0.0, 16, 1)", NO_HOST),
        ("route_add(0.0.0.0, 8, 1)", NO_HOST),
        ("route_add(224.0.0.5, 32, 1)", NO_HOST),
        ("route_add(240.0.0.0, 4, 1)", NO_HOST),
        ("route_add_group(127.0.0.0, 8, 1)", NO_HOST),
        ("route_delete(127.0.0.0, 8)", "there is no such route"),
        ("route_delete(224.0.0.0, 3)", "there is no such route"),
        ("route_add(10.0.0, 8, 1)", "10.0.0"),
        ("route_add 10.0.0.0", "control.txt:2"),
        ("port_mac(1, 02:00:00:00:00)", "02:00"),
    ],
)
def test_wrong_control_line(
    line: str,
    expected: str,
    images: dict[str, Path],
    mixed_load: Workload,
    tmp_path: Path,
) -> None:
    control = tmp_path / "control.txt"
    control.write_text(f"# tables\n{line}\n")
    message = simulate_wrongly(images["o1"], mixed_load.trace, control)
    assert "control.txt:2" in message
    assert expected in message


def test_program_too_large_for_the_control_store(tmp_path: Path) -> None:
    steps = "\n".join(
        f"  x = (x ^ {i * 2654435761 % 2**32}) * {i * 40503 % 65536 + 3} + t[x & 63];"
        for i in range(800)
    )
    source = tmp_path / "large.baker"
    source.write_text(
        "protocol ether { dst : 48; src : 48; type : 16; demux { 14 }; }\n"
        "module m {\n"
        "  u32 t[64];\n"
        "  ppf big { in ether_pkt * in_cc; out ether_pkt * out_cc; }\n"
        "  wiring { rx -> big.in_cc; big.out_cc -> tx; }\n"
        "}\n"
        "m.big.ppf(ether_pkt * ph) {\n"
        "  u32 x = ph->type;\n"
        # A loop is not cut into a pipeline.
        f"  while ((x & 7) != 0) {{\n{steps}\n  }}\n"
        "  ph->type = (u16)x;\n"
        "  channel_put(out_cc, ph);\n"
        "}\n"
    )
    image = tmp_path / "large.ixp"
    message = run("bakerc", source, "--level=o1", "-o", image, status=1).stderr
    assert "4,096" in message or "4096" in message
    assert "too many; largest: m.big" in message
    assert not image.exists()


def test_unknown_option_is_a_usage_error(tmp_path: Path) -> None:
    run("bakerc", L3_SWITCH, "--no-such-option", status=2)
    run("ixpsim", "--no-such-option", status=2)


def test_unknown_level_is_a_usage_error() -> None:
    assert "o9" in run("bakerc", L3_SWITCH, "--level=o9", status=2).stderr

"""Real captures, damaged frames among them: no crash, no hang, every packet
accounted for and equal to the oracle's. Files of another link type are
refused."""

import struct
from pathlib import Path

import pytest
import toolchain
from toolchain import ENDS, L3_SWITCH, Workload

LINKTYPE_ETHERNET = 1


def link_type(capture: Path) -> int | None:
    """The link type of a classic pcap file; None for pcapng."""
    head = capture.read_bytes()[:24]
    for order in "<>":
        if struct.unpack(order + "I", head[:4])[0] in (0xA1B2C3D4, 0xA1B23C4D):
            return struct.unpack(order + "I", head[20:24])[0] & 0xFFFF
    return None


@pytest.fixture(scope="session")
def captures(test_data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """All captures, the compressed ones unpacked."""
    import gzip

    folder = tmp_path_factory.mktemp("captures")
    found = []
    for path in sorted((test_data / "pcap").iterdir()):
        if path.suffix == ".gz":
            plain = folder / path.stem
            plain.write_bytes(gzip.decompress(path.read_bytes()))
            path = plain
        found.append(path)
    assert len(found) == 59
    return found


def tables(folder: Path) -> Path:
    """Ports, a few next hops and a default route, so that some frames of a
    capture are routed and the rest bridged."""
    control = folder / "control.txt"
    lines = [f"port_mac({p}, 02:00:00:00:00:0{p})" for p in range(4)]
    lines += [f"next_hop_add({h}, {h % 4}, 02:01:00:00:00:0{h})" for h in range(4)]
    lines += ["route_add(0.0.0.0, 0, 0)", "route_add(10.0.0.0, 8, 1)"]
    lines += ["route_add(192.168.0.0, 16, 2)"]
    control.write_text("\n".join(lines) + "\n")
    return control


@pytest.mark.parametrize("engine", ["x86", *ENDS])
def test_captures_come_out_right(
    engine: str, captures: list[Path], images: dict[str, Path], tmp_path: Path
) -> None:
    control = tables(tmp_path)
    checked = 0
    for capture in captures:
        load = Workload(capture, control)
        if link_type(capture) not in (None, LINKTYPE_ETHERNET):
            continue
        if engine == "x86":
            out, stats = toolchain.run_on_x86(L3_SWITCH, load, tmp_path)
            stats_file = tmp_path / "x86.json"
        else:
            # Slow enough that stations are learned in the order of their frames.
            out, stats = toolchain.simulate(
                images[engine], load, tmp_path, "--rate=0.02"
            )
            stats_file = tmp_path / "stats.json"
        toolchain.assert_packets_add_up(stats)
        toolchain.check(load, out, stats_file)
        checked += 1
    assert checked >= 50


def test_other_link_types_are_refused(
    captures: list[Path], images: dict[str, Path]
) -> None:
    others = [c for c in captures if link_type(c) not in (None, LINKTYPE_ETHERNET)]
    assert others
    for capture in others:
        done = toolchain.run("ixpsim", images["o1"], f"--trace={capture}", status=1)
        assert "link type" in done.stderr and capture.name in done.stderr

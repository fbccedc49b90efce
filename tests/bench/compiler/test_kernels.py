"""Both versions of each kernel do what its description says, also with frames
that reach the rare paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.compiler.kernel_packets import ORACLES, PORTS, unusual_frames
from bench.compiler.kernels import images, judged, kernel_names, simulate
from bench.harness.bench import Bench, Failed
from npftrace.frames.capture import Frame, write_capture
from testkit.captures import write_pcap
from testkit.paths import BUILD
from testkit.tools import requires

built = requires("bakerc", "ixpsim", "ixp-as")
#: Compiled over hand-written instructions, at most.
RATIO_MAX = 1.03


@pytest.fixture(scope="module")
def unusual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kernels") / "unusual.pcap"
    write_capture(path, unusual_frames(), PORTS)
    return path


def test_every_kernel_has_an_oracle() -> None:
    assert sorted(ORACLES) == kernel_names()


@built
@pytest.mark.parametrize("name", kernel_names())
def test_kernels_send_what_they_should(name: str, unusual: Path) -> None:
    bench = Bench(BUILD, 600, (1,), False)
    counts = {}
    for kind, image in images(bench, name).items():
        stats, capture = simulate(bench, image, unusual, 1)
        judged(name, kind, unusual, capture)
        counts[kind] = stats["per_packet"]["instructions"]
    assert counts["compiled"] <= RATIO_MAX * counts["hand"]


def test_a_borrow_from_a_time_to_live_of_0_is_noticed(tmp_path: Path) -> None:
    trace, sent = tmp_path / "in.pcap", tmp_path / "out.pcap"
    frame = bytes(14) + bytes.fromhex("45000028000100000006b1e6") + bytes(34)
    write_capture(trace, [Frame(0, 0, frame)], PORTS)
    right = ORACLES["ttl_checksum"](frame)
    write_pcap(sent, [right] * 600)
    judged("ttl_checksum", "right", trace, sent.read_bytes())
    borrowed = right[:21] + b"\xff" + right[22:]
    write_pcap(sent, [borrowed] * 600)
    with pytest.raises(Failed, match="kernel ttl_checksum, wrong"):
        judged("ttl_checksum", "wrong", trace, sent.read_bytes())

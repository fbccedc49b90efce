"""bakersw on ports of DPDK.

Most tests take from the switch all rights of root. The others, of interfaces, run as
`python test_ethdev.py SCENE FOLDER` in a network namespace of their own.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from npftrace.frames.capture import Frame, read_capture, write_capture
from testkit.applications import SOURCES
from testkit.ethdev import needs_ethdev
from testkit.namespaces import needs_namespaces, run_scene
from testkit.paths import BUILD, ROOT
from testkit.runs import run_on_x86
from testkit.switch import running_switch
from testkit.tools import output_of, requires
from testkit.wires import (
    add_pair,
    check_vanishing,
    frame,
    frames_of,
    quiet,
    taken,
    wire,
)
from testkit.workloads import PORTS, exceptional_workload

pytestmark = [requires("bakersw"), needs_ethdev()]
#: As many frames as a queue of net_af_packet always holds. Of those that find it
#: three quarters full (384), the kernel gives some to another queue.
AT_ONCE = 256
#: Not even root has rights after this.
WITHOUT_RIGHTS = ("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--")
SHIFT = """
import net.ether;
module shift {
  ppf next { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> next.in_cc; next.out_cc -> tx; }
}
shift.next.ppf(ether_pkt * ph) {
  ph->metadata.tx.port = (u8)(ph->metadata.rx.port + 1);
  channel_put(out_cc, ph);
}
"""


def shift_program(folder: Path) -> Path:
    """Sends what comes from a port to the next one."""
    path = folder / "shift.baker"
    path.write_text(SHIFT)
    return path


def udp_frames(flows: Iterable[int]) -> list[bytes]:
    """Frames that are all different and in order, each of the flow that is named."""
    made = []
    for number, flow in enumerate(flows):
        addresses = bytes.fromhex("0a000001 0a0001") + bytes([flow])
        header = bytes.fromhex("4500 0032 0000 0000 4011 0000") + addresses
        ports = bytes.fromhex("1000 1001 001e 0000")
        made.append(
            bytes(12) + b"\x08\x00" + header + ports + number.to_bytes(22, "big")
        )
    return made


def trace(path: Path, flows: Iterable[int]) -> list[bytes]:
    made = udp_frames(flows)
    write_capture(path, [Frame(i * 1000, 0, data) for i, data in enumerate(made)], 1)
    return made


def keep_order_in_flows(got: list[bytes], sent: list[bytes]) -> None:
    by_flow: dict[bytes, list[bytes]] = defaultdict(list)
    for data in got:
        by_flow[data[26:34]].append(data)
    assert sorted(got) == sorted(sent)
    assert len(by_flow) > 2 and all(f == sorted(f) for f in by_flow.values())


def frames_in(path: Path) -> list[bytes]:
    return [f.data for f in read_capture(path, 1, allow_empty=True).frames]


def free_huge_pages() -> int:
    """Of 2 MiB. A switch says what they would bring where there are none."""
    path = Path("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages")
    return int(path.read_text()) if path.exists() else 0


@pytest.mark.parametrize("app", ["firewall", "mpls"])
def test_net_pcap_gives_what_a_run_gives(app: str, tmp_path: Path) -> None:
    load = exceptional_workload(app, tmp_path, 1500)
    frames = [f for f in read_capture(load.trace, PORTS).frames if f.port == 0]
    only, alone = tmp_path / "only.pcapng", tmp_path / "only.pcap"
    write_capture(only, frames, PORTS)
    write_capture(alone, frames, 1)
    out, stats = run_on_x86(SOURCES[app], replace(load, trace=only), tmp_path)
    ports = [
        f"--port=dpdk:net_pcap0,rx_pcap={alone},tx_pcap={tmp_path}/0.pcap",
        f"--port=dpdk:net_pcap1,tx_pcap={tmp_path}/1.pcap",
        *[f"--port=pcap,tx={tmp_path}/{n}.pcap" for n in range(2, PORTS)],
    ]
    with running_switch(
        SOURCES[app], tmp_path, f"--control={load.control}", *ports,
        prefix=WITHOUT_RIGHTS,
    ) as sw:  # fmt: skip
        made = sw.wait_for("ports", 0, "received", least=len(frames))
        assert ("huge pages" in sw.end()) == (free_huge_pages() == 0)
    for key in ("received", "forwarded", "dropped", "consumed", "transmitted"):
        assert made["packets"][key] == stats["packets"][key], key
    assert made["drops"] == stats["drops"]
    expected = read_capture(out, PORTS).frames
    for n in range(PORTS):
        sent = frames_in(tmp_path / f"{n}.pcap")
        assert sent == [f.data for f in expected if f.port == n], n


@pytest.mark.parametrize("cores", [1, 2])
def test_a_ring_keeps_the_order_of_a_flow(cores: int, tmp_path: Path) -> None:
    sent = trace(tmp_path / "in.pcap", (n * n % 7 for n in range(4000)))
    with running_switch(
        shift_program(tmp_path), tmp_path, f"--cores={cores}", "--stay",
        f"--port=pcap,rx={tmp_path}/in.pcap", "--port=dpdk:net_ring0",
        f"--port=pcap,tx={tmp_path}/out.pcap", prefix=WITHOUT_RIGHTS,
    ) as sw:  # fmt: skip
        stats = sw.wait_for("ports", 2, "sent", least=len(sent))
        sw.end()
    assert stats["ports"][1]["sent"] == stats["ports"][1]["received"] == len(sent)
    keep_order_in_flows(frames_in(tmp_path / "out.pcap"), sent)


def test_an_empty_pool_is_survived_and_counted(tmp_path: Path) -> None:
    """A burst is as large as the pool, and the burst before still has its buffers."""
    sent = trace(tmp_path / "in.pcap", [0] * 4000)
    with running_switch(
        shift_program(tmp_path), tmp_path, "--stay", "--burst=256",
        "--dpdk-buffers=300", f"--port=pcap,rx={tmp_path}/in.pcap",
        "--port=dpdk:net_ring0", f"--port=pcap,tx={tmp_path}/out.pcap",
        prefix=WITHOUT_RIGHTS,
    ) as sw:  # fmt: skip
        stats = sw.wait_for("packets", "received", least=len(sent))
        lost = stats["ports"][1]["no_buffer"]
        sw.end()
    got = frames_in(tmp_path / "out.pcap")
    assert lost > 0 and len(got) + lost == len(sent), stats["ports"]
    assert got == sorted(got)


def test_what_net_null_gives_is_drained_at_the_end(tmp_path: Path) -> None:
    """Frames come without end; SIGTERM ends the switch all the same."""
    file = tmp_path / "stats.json"
    with running_switch(
        shift_program(tmp_path), tmp_path, f"--stats={file}",
        "--port=dpdk:net_null0,size=60", "--port=dpdk:net_null1,no-rx=1",
        prefix=WITHOUT_RIGHTS,
    ) as sw:  # fmt: skip
        sw.wait_for("ports", 1, "sent", least=1000)
        begin = time.monotonic()
        sw.end()
        assert time.monotonic() - begin < 5
    stats = json.loads(file.read_text())
    assert stats["ports"][0]["received"] == stats["ports"][1]["sent"]
    assert stats["ports"][1]["sent_bytes"] == 60 * stats["ports"][1]["sent"]


def back_program(folder: Path) -> Path:
    """Sends what comes from port 0 to port 1, and back."""
    path = folder / "back.baker"
    path.write_text(SHIFT.replace("rx.port + 1", "rx.port ^ 1"))
    return path


def test_two_switches_by_memif_and_the_death_of_one(tmp_path: Path) -> None:
    """Frames come as they were sent, and again from a peer that is started anew."""
    sent = trace(tmp_path / "in.pcap", [0] * 500)
    memif = f"socket={tmp_path}/memif.sock,socket-abstract=no"
    sender, peer = tmp_path / "sender", tmp_path / "peer"
    for folder in (sender, peer):
        folder.mkdir()

    def in_cycle(got: list[bytes]) -> None:
        first = sent.index(got[0])
        cycle = [sent[(first + n) % len(sent)] for n in range(len(got))]
        assert got == cycle

    back = back_program(tmp_path)
    with running_switch(
        back, sender, f"--port=pcap,rx={tmp_path}/in.pcap,repeat=0,rate=2000",
        f"--port=dpdk:net_memif0,role=server,{memif}", prefix=WITHOUT_RIGHTS,
    ) as one:  # fmt: skip
        one.wait_for("ports", 1, "no_link", least=100)
        for turn in range(2):
            out = tmp_path / f"{turn}.pcap"
            with running_switch(
                back, peer, f"--port=dpdk:net_memif0,role=client,{memif}",
                f"--port=pcap,tx={out}", prefix=WITHOUT_RIGHTS,
            ) as other:  # fmt: skip
                one.wait_for("ports", 1, "up", least=True)
                other.wait_for("ports", 1, "sent", least=700)
                if turn == 1:
                    other.end()
            if turn == 0:  # it was killed
                stats = one.wait_for("ports", 1, "downs", least=1)
                lost = stats["ports"][1]["no_link"]
                one.wait_for("ports", 1, "no_link", least=lost + 100)
            else:
                in_cycle(frames_in(out))
        one.end()


def test_a_client_of_memif_waits_for_its_server(tmp_path: Path) -> None:
    """It may start first, and survives a server that dies while frames flow."""
    trace(tmp_path / "in.pcap", [0] * 500)
    path, back = tmp_path / "memif.sock", back_program(tmp_path)
    device = f"dpdk:net_memif0,socket={path},socket-abstract=no,role="
    peer = tmp_path / "peer"
    peer.mkdir()
    with running_switch(
        back, tmp_path, f"--port=pcap,rx={tmp_path}/in.pcap,repeat=0", "--poll",
        f"--port={device}client", prefix=WITHOUT_RIGHTS,
    ) as one:  # fmt: skip
        one.wait_for("ports", 1, "no_link", least=100)
        for _ in range(2):
            with running_switch(
                back, peer, f"--port={device}server", "--port=null",
                prefix=WITHOUT_RIGHTS,
            ) as other:  # fmt: skip
                one.wait_for("ports", 1, "up", least=True)
                other.wait_for("ports", 0, "received", least=1000)
            path.unlink()
            one.wait_for("ports", 1, "downs", least=1)
        one.end()


@pytest.mark.parametrize(
    "words, message",
    [
        (["--port=dpdk:net_nosuch0"], "E-switch-002"),
        (["--port=dpdk:net_pcap0,rx_pcap=/no/such/file"], "/no/such/file"),
        (["--port=dpdk:net_af_packet0,iface=nosuch"], "E-switch-002"),
        (["--port=dpdk:net_null0", "--dpdk=--no-huge -m 1"], "E-switch-002"),
        (["--port=dpdk:net_null0", "--dpdk=-l 9999"], "E-switch-015"),
    ],
)
def test_a_mistake_is_told(words: list[str], message: str, tmp_path: Path) -> None:
    program = shift_program(tmp_path)
    assert message in output_of("bakersw", program, "--socket=none", *words, status=1)


def interfaces_cross(driver: str, folder: Path) -> None:
    ports = [f"--port=dpdk:{driver}{n},iface=port{n}" for n in range(2)]
    with running_switch(shift_program(folder), folder, *ports, "--port=null") as sw:
        one, other = wire(0), wire(1)
        frames = [frame(n, 60 + n % 1400) for n in range(400)]
        for data in frames:
            one.send(data)
        assert taken(other, len(frames)) == frames
        stats = sw.wait_for("ports", 1, "sent", least=len(frames))
        assert stats["ports"][0]["received"] == len(frames)
        sw.end()


def af_packet(folder: Path) -> None:
    interfaces_cross("net_af_packet", folder)


def queues(folder: Path) -> None:
    """The kernel spreads flows over two queues: one for each core, or both for one."""
    sent = udp_frames(n * n % 17 for n in range(3 * AT_ONCE))
    for cores in (2, 1):
        ports = [
            f"--port=dpdk:net_af_packet{n},iface=port{n},qpairs=2" for n in range(2)
        ]
        with running_switch(
            shift_program(folder), folder, *ports, f"--cores={cores}", "--port=null"
        ) as sw:
            one, other = wire(0), wire(1)
            got: list[bytes] = []
            for first in range(0, len(sent), AT_ONCE):
                some = sent[first : first + AT_ONCE]
                for data in some:
                    one.send(data)
                got += taken(other, len(some))
            keep_order_in_flows(got, sent)
            stats = sw.wait_for("packets", "received", least=len(sent))
            took = [core["received"] for core in stats["cores"]]
            assert all(took) and sum(took) == len(sent), stats
            assert stats["packets"]["handed"] == 0, stats
            sw.end()


def af_xdp(folder: Path) -> None:
    interfaces_cross("net_af_xdp", folder)


def tap(folder: Path) -> None:
    ports = [f"--port=dpdk:net_tap{n},iface=tap{n}" for n in range(2)]
    with running_switch(shift_program(folder), folder, *ports, "--port=null") as sw:
        for n in range(2):
            quiet(f"tap{n}")
        sw.wait_for("ports", 1, "up", least=True)
        before = sw.control.stats()["ports"][0]["received"]
        one, other = frames_of("tap0"), frames_of("tap1")
        for n in range(400):
            one.send(frame(n, 60 + n % 1400))
        got = [d for d in taken(other, 400) if d[12:14] == b"\x88\xb5"]
        assert got == [frame(n, 60 + n % 1400) for n in range(400)]
        sw.wait_for("ports", 0, "received", least=before + 400)
        sw.end()


def vanishes(folder: Path) -> None:
    ports = [f"--port=dpdk:net_af_packet{n},iface=port{n}" for n in range(2)]
    with running_switch(shift_program(folder), folder, *ports, "--port=null") as sw:
        check_vanishing(sw, "no_link")


SCENES: dict[str, Callable[[Path], None]] = {
    scene.__name__: scene for scene in (af_packet, queues, af_xdp, tap, vanishes)
}


@needs_namespaces()
@pytest.mark.parametrize("scene", SCENES)
def test_interfaces_of_the_kernel(scene: str, tmp_path: Path) -> None:
    run_scene(Path(__file__), scene, tmp_path)


def test_a_build_without_the_module_says_so(tmp_path: Path) -> None:
    """What it says is tested where there is a module, by a copy that is elsewhere."""
    (tmp_path / "bin").mkdir()
    shutil.copy(BUILD / "bin/bakersw", tmp_path / "bin")
    (tmp_path / "share/karakal").mkdir(parents=True)
    (tmp_path / "share/karakal/runtime").symlink_to(ROOT / "runtime")
    done = subprocess.run(
        [tmp_path / "bin/bakersw", shift_program(tmp_path), "--socket=none",
         "--port=dpdk:net_null0"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "E-switch-014" in done.stderr and "./dev dpdk" in done.stderr


if __name__ == "__main__":
    for pair in range(2):
        add_pair(pair)
    SCENES[sys.argv[1]](Path(sys.argv[2]))

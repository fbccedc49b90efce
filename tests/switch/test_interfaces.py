"""bakersw on Linux interfaces, in network namespaces of the test's own.

This file is also the program that runs there: `python test_interfaces.py TEST FOLDER`
runs one of the functions below on two veth pairs. Each pair has one end for the switch
(`port0`, `port1`) and one for the test (`wire0`, `wire1`).
"""

from __future__ import annotations

import random
import socket
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from testkit.namespaces import needs_namespaces, run_scene
from testkit.paths import ROOT
from testkit.switch import RunningSwitch, running_switch
from testkit.tools import requires
from testkit.wires import add_pair, check_vanishing, frame, ip, taken, wire

PATCH = """
import net.ether;
module patch {
  drop_reason unwanted;
  ppf cross { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> cross.in_cc; cross.out_cc -> tx; }
}
patch.cross.ppf(ether_pkt * ph) {
  if (ph->type == 0xdead) {
    packet_drop(ph, unwanted);
    return;
  }
  ph->metadata.tx.port = (u8)(1 - ph->metadata.rx.port);
  channel_put(out_cc, ph);
}
"""
ROUTER = ROOT / "apps/l3-switch/l3_switch.baker"
PORTS = ("--port=port0", "--port=port1")
FRAMES = 100_000


def patch_program(folder: Path) -> Path:
    path = folder / "patch.baker"
    path.write_text(PATCH)
    return path


def frames_cross_in_order(folder: Path) -> None:
    with running_switch(patch_program(folder), folder, *PORTS) as sw:
        one, other = wire(0), wire(1)
        for n in range(2000):
            one.send(frame(n, 60 + n % 1400))
        assert taken(other, 2000) == [frame(n, 60 + n % 1400) for n in range(2000)]
        # A VLAN tag, which the kernel keeps beside the frame, stays in it.
        tagged = bytes(12) + bytes.fromhex("8100 a005 0800") + bytes(60)
        one.send(tagged)
        with_tag = sw.wait_for("packets", "received", least=2001)
        assert with_tag["ports"][0]["received_bytes"] == (
            sum(60 + n % 1400 for n in range(2000)) + len(tagged)
        )
        sw.end()


def checksums_are_filled_in(folder: Path) -> None:
    """The kernel leaves UDP checksums of a veth to be filled in by a card."""
    ip("address", "add", "10.9.0.1/24", "dev", "wire0")
    ip("neighbour", "add", "10.9.0.2", "lladdr", "02:00:00:00:00:02", "dev", "wire0")
    with running_switch(patch_program(folder), folder, *PORTS) as sw:
        other = wire(1)
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sender.sendto(b"some bytes", ("10.9.0.2", 4000))
        (data,) = taken(other, 1)
        ip_header, udp = data[14:34], data[34:52]
        pseudo = ip_header[12:20] + struct.pack(">BBH", 0, 17, len(udp))
        total = sum(struct.unpack(f">{(len(udp) + 12) // 2}H", pseudo + udp))
        while total >> 16:
            total = (total & 0xFFFF) + (total >> 16)
        assert total == 0xFFFF, data.hex()
        sw.end()


def a_port_that_vanishes_is_used_again(folder: Path) -> None:
    with running_switch(patch_program(folder), folder, *PORTS) as sw:
        check_vanishing(sw, "send_errors")


def damaged_frames_are_survived(folder: Path) -> None:
    """Frames of the router's traffic with random bytes changed, cut or added."""
    control = folder / "router.control"
    control.write_text(
        "port_mac(0, 02:00:00:00:00:10)\nport_mac(1, 02:00:00:00:00:11)\n"
        "port_address(0, 10.0.0.1, 24)\nport_address(1, 10.0.1.1, 24)\n"
    )
    chance = random.Random(5)
    good = bytes.fromhex(
        "020000000010 020000000102 0800 4500 002e 0000 0000 4011 65bd 0a0000020a000102"
    ) + bytes(80)
    arp = bytes.fromhex(
        "ffffffffffff 020000000102 0806 0001 0800 0604 0001 020000000102 0a000002"
        "000000000000 0a000001"
    ) + bytes(18)
    six = bytes.fromhex("020000000010 020000000102 86dd 6000 0000 0020 3a ff")
    seeds = [good, arp, six + bytes(80), good[:12] + b"\x81\x00\x00\x05" + good[12:]]
    sent = 0
    with running_switch(ROUTER, folder, *PORTS, f"--control={control}") as sw:
        side = wire(0)
        while sent < FRAMES:
            for _ in range(500):
                data = bytearray(chance.choice(seeds))
                for _ in range(chance.randrange(4)):
                    data[chance.randrange(len(data))] = chance.randrange(256)
                # The kernel drops a frame without a type after its tag.
                is_tagged = data[12:14] in (b"\x81\x00", b"\x88\xa8")
                least = 20 if is_tagged else 15
                side.send(bytes(data[: chance.randrange(least, len(data) + 1)]))
            sent += 500
            sw.wait_for("ports", 0, "received", least=sent)
        stats = sw.control.stats()
        packets = stats["packets"]
        assert packets["received"] == sent
        ended = ("forwarded", "dropped", "consumed", "waiting", "lost_in_faults")
        assert packets["received"] == sum(packets[key] for key in ended), stats
        assert packets["faults"] == 0, stats
        sw.end()


def resident_kib(sw: RunningSwitch) -> int:
    status = Path(f"/proc/{sw.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def memory_stays_the_same(folder: Path) -> None:
    """Traffic, updates and clients that come and go, and no byte more."""
    with running_switch(ROUTER, folder, *PORTS, "--every=0.01:arp_tick()") as sw:
        side = wire(0)
        sent, sizes = 0, []
        for _ in range(8):
            for n in range(500):
                side.send(frame(n, 60 + n % 1400))
            sent += 500
            sw.wait_for("ports", 0, "received", least=sent)
            for n in range(100):
                sw.control.ask(f"call port_mtu(0, {1000 + n})")
            for _ in range(10):
                sw.connect().ask("stats prometheus")
            sizes.append(resident_kib(sw))
        # The calls are kept for `dump`: 100 a turn, of some hundred bytes.
        assert sizes[-1] - sizes[3] < 512, sizes
        sw.end()


SCENES: dict[str, Callable[[Path], None]] = {
    scene.__name__: scene
    for scene in (
        frames_cross_in_order,
        checksums_are_filled_in,
        a_port_that_vanishes_is_used_again,
        damaged_frames_are_survived,
        memory_stays_the_same,
    )
}


@requires("bakersw")
@needs_namespaces()
@pytest.mark.parametrize("scene", SCENES)
def test_interfaces(scene: str, tmp_path: Path) -> None:
    run_scene(Path(__file__), scene, tmp_path)


if __name__ == "__main__":
    for pair in range(2):
        add_pair(pair)
    SCENES[sys.argv[1]](Path(sys.argv[2]))

"""`bakersw --specialize`: the frames of the program's own code, and explanations."""

from __future__ import annotations

import json
import struct
import time
from pathlib import Path
from typing import Any

import pytest

from bench.x86.special_cases import access_list
from npftrace.frames.capture import Frame, read_capture, write_capture
from testkit.captures import write_pcap
from testkit.paths import ROOT
from testkit.switch import Control, Refused, RunningSwitch, running_switch
from testkit.tools import output_of, requires, run

pytestmark = requires("bakersw")
VLAN = ROOT / "apps/examples/vlan-switch/vlan_switch.baker"

#: Writes two settings that one call changes, and what a table says of the flow.
PAIR = """
import net.ether;
protocol probe { dst : 48; src : 48; type : 16; first : 32; second : 32; mark : 32;
  demux { 26 }; };
module pair {
  u32 first, second;
  table marks { key { u48 src; } value { u32 mark; } size 100; }
  ppf send { in probe_pkt * in_cc; out probe_pkt * out_cc; }
  control void set(u32 value) { first = value; second = value; }
  wiring { rx -> send.in_cc; send.out_cc -> tx; }
}
pair.send.ppf(probe_pkt * ph) {
  ph->first = first;
  ph->second = second;
  ph->mark = marks.find(ph->src)->mark;
  channel_put(out_cc, ph);
}
"""


def specialized(sw: RunningSwitch) -> Any:
    """The statistics once specialized code is in use."""
    for _ in range(600):
        stats = sw.control.stats()
        if stats["specialization"]["in_use"]:
            return stats
        time.sleep(0.02)
    raise AssertionError(f"no specialized code: {stats['specialization']}")


@pytest.mark.parametrize("cores", [1, 2])
def test_no_packet_sees_a_mix(cores: int, tmp_path: Path) -> None:
    """Each frame has both settings of one call, and calls' order on each flow."""
    program, trace = tmp_path / "pair.baker", tmp_path / "flows.pcap"
    program.write_text(PAIR)
    frames = [
        Frame(n, 0, bytes([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, n % 16]) + bytes(48))
        for n in range(640)
    ]
    write_capture(trace, frames, 1)
    out = tmp_path / "out.pcap"
    with running_switch(
        program, tmp_path, "--specialize", f"--cores={cores}",
        f"--port=pcap,rx={trace},tx={out},rate=20000,repeat=0",
    ) as sw:  # fmt: skip
        specialized(sw)
        for value in range(1, 40):
            sw.control.ask(f"call set({value})")
            sw.control.ask(f"call marks.add({value}, mark: {value})")
            if value % 8 == 0:
                specialized(sw)
        stats = specialized(sw)
        time.sleep(0.1)
        last = sw.control.stats()
        sw.end()
    special = last["specialization"]
    assert special["used"] >= 5 and special["failed"] == 0
    assert special["undone"] >= 5 and special["own_bursts"] > 0
    assert special["specialized_bursts"] > stats["specialization"]["specialized_bursts"]
    newest: dict[bytes, int] = {}
    seen = set()
    for frame in read_capture(out, 1).frames:
        first, second, _ = struct.unpack_from(">III", frame.data, 14)
        assert first == second
        flow = frame.data[:12]
        assert first >= newest.get(flow, 0)
        newest[flow] = first
        seen.add(first)
    assert len(newest) == 16 and 39 in seen and len(seen) > 5


def control_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


def load(control: Control, calls: list[str]) -> None:
    """Sends calls without waiting for each answer."""
    control.socket.sendall("".join(f"call {call}\n" for call in calls).encode())
    for _ in calls:
        control.answer()


#: Forty rules that use two of their fields.
RULES = access_list(40, 2)


def write_access_list(folder: Path, frames: int) -> tuple[Path, Path, Path]:
    """The program, the first frames of its traffic, and its control file."""
    program, trace, control = (
        folder / f"p.{end}" for end in ("baker", "pcap", "control")
    )
    program.write_text(RULES.source)
    write_pcap(trace, RULES.frames[:frames])
    control.write_text(RULES.control)
    return program, trace, control


@pytest.mark.parametrize("mode", ["--specialize", "--specialize=at-once"])
def test_frames_of_an_access_list(mode: str, tmp_path: Path) -> None:
    program, trace, control = write_access_list(tmp_path, 600)
    sent = []
    for options in ([], [mode]):
        out = tmp_path / f"out{len(sent)}.pcap"
        run(
            "bakersw", program, *options, f"--control={control}", "--socket=none",
            "--quiet", f"--port=pcap,rx={trace},tx={out}",
        )  # fmt: skip
        sent.append([f.data for f in read_capture(out, 1, allow_empty=True).frames])
    assert sent[0] == sent[1]


def test_what_is_observed_is_settable(tmp_path: Path) -> None:
    program, trace, control = write_access_list(tmp_path, 640)

    def switch(option: str) -> Any:
        return running_switch(
            program, tmp_path, "--specialize", option, "--stay", "--quiet",
            f"--control={control}", f"--port=pcap,rx={trace},repeat=0",
        )  # fmt: skip

    with switch("--observe=4") as sw:
        stats = sw.wait_for("specialization", "observed_bursts", least=2000)
        share = stats["specialization"]["observed_bursts"] / stats["cores"][0]["bursts"]
        assert share < 0.3
        bursts = stats["cores"][0]["bursts"]
        sw.end()
    with switch("--observe=0") as sw:
        stats = sw.wait_for("cores", 0, "bursts", least=bursts)
        specialized(sw)
        assert stats["specialization"]["observed_bursts"] == 0
        sw.end()


def test_explanations_are_those_of_a_run(tmp_path: Path) -> None:
    program, trace, control = write_access_list(tmp_path, 10)
    said = output_of(
        "bakerc", program, "--run", "--fast", "--specialize=at-once",
        "--explain=specialization", f"--trace={trace}", f"--control={control}",
        "-Wno-unused-variable",
    )  # fmt: skip
    remarks = [
        line.partition("[specialization] ")[2]
        for line in said.splitlines()
        if "[specialization] " in line
    ]
    assert any("m.acl: 40 rules" in remark for remark in remarks)
    with running_switch(
        program, tmp_path, "--specialize", "--port=null", "--stay"
    ) as sw:
        specialized(sw)
        assert "m.acl: no entry" in sw.control.ask("explain text")
        load(sw.control, control_of(RULES.control))
        specialized(sw)
        path = f"--socket={sw.path}"
        # A table that changes often is left out until it is calm.
        text = ""
        for _ in range(100):
            text = output_of("bakersw", "ctl", path, "explain")
            if sorted(control_of(text)) == sorted(remarks):
                break
            time.sleep(0.1)
        assert sorted(control_of(text)) == sorted(remarks)
        made = json.loads(output_of("bakersw", "ctl", path, "--format=json", "explain"))
        assert made["in_use"] and made["schema"] == 1
        (acl,) = [one for one in made["assumptions"] if one["name"] == "m.acl"]
        assert acl["what"].startswith("40 rules")
        assert acl["saved_instructions"] > 0 and "m.acl.add" in acl["undone_by"]
        assert "E-switch-007" in output_of(
            "bakersw", "ctl", path, "--format=prometheus", "explain", status=1
        )
        # Requests behind an explanation are answered in their order.
        sw.control.socket.sendall(b"call acl.clear()\nexplain json\nfunctions\n")
        assert sw.control.answer() == ""
        assert "assumptions" in json.loads(sw.control.answer())
        assert "acl.add" in sw.control.answer()
        prometheus = sw.control.ask("stats prometheus")
        assert "bakersw_specialization_builds_total" in prometheus
        assert "specialized code" in sw.control.ask("stats text")
        sw.end()


def test_nothing_to_explain_without_the_option(tmp_path: Path) -> None:
    with running_switch(VLAN, tmp_path, "--port=null", "--stay") as sw:
        with pytest.raises(Refused, match="E-switch-013"):
            sw.control.ask("explain text")
        assert "specialization" not in sw.control.stats()

"""bakersw on files: its frames, its control socket, its end."""

from __future__ import annotations

import json
import re
import socket
import time
from dataclasses import replace
from pathlib import Path

import pytest

from npftrace.frames.capture import Frame, read_capture, write_capture
from testkit.applications import SOURCES
from testkit.paths import ROOT
from testkit.runs import run_on_x86
from testkit.switch import Refused, running_switch
from testkit.tools import output_of, requires, run
from testkit.workloads import PORTS, exceptional_workload

pytestmark = requires("bakersw")
VLAN = ROOT / "apps/examples/vlan-switch/vlan_switch.baker"
COUNTER = ROOT / "apps/examples/flow-counter/flow_counter.baker"
NEIGHBOURS = ROOT / "apps/examples/neighbours/neighbours.baker"


def ctl(path: Path, *words: object, status: int = 0) -> str:
    return output_of("bakersw", "ctl", f"--socket={path}", *words, status=status)


@pytest.mark.parametrize("app", ["firewall", "mpls"])
def test_the_switch_sends_what_a_run_sends(app: str, tmp_path: Path) -> None:
    load = exceptional_workload(app, tmp_path, 1500)
    frames = read_capture(load.trace, PORTS).frames
    # The frames of one port, for a run has those of all ports in one order.
    only = tmp_path / "only.pcapng"
    write_capture(only, [f for f in frames if f.port == 0], PORTS)
    load = replace(load, trace=only)
    out, stats = run_on_x86(SOURCES[app], load, tmp_path)
    json_file = tmp_path / "switch.json"
    done = run(
        "bakersw", SOURCES[app], f"--control={load.control}", "--socket=none",
        f"--stats={json_file}", f"--port=pcap,rx={only},tx={tmp_path}/0.pcap",
        *[f"--port=pcap,tx={tmp_path}/{n}.pcap" for n in range(1, PORTS)],
    )  # fmt: skip
    assert "warning" not in done.stderr
    made = json.loads(json_file.read_text())
    for key in ("received", "forwarded", "dropped", "consumed", "transmitted"):
        assert made["packets"][key] == stats["packets"][key], key
    assert made["drops"] == stats["drops"]
    expected = read_capture(out, PORTS).frames
    for n in range(PORTS):
        sent = read_capture(tmp_path / f"{n}.pcap", 1, allow_empty=True).frames
        assert [f.data for f in sent] == [f.data for f in expected if f.port == n], n


def test_control_over_the_socket(tmp_path: Path) -> None:
    with running_switch(SOURCES["l3-switch"], tmp_path, "--port=null", "--stay") as sw:
        assert sw.path.stat().st_mode & 0o777 == 0o660
        assert ctl(sw.path, "next_hop_add", 3, 0, "02:00:00:00:00:01") == ""
        assert ctl(sw.path, "route_add(10.0.0.0, 8, 3)") == ""
        assert "route_add" in ctl(sw.path, "functions")
        assert "route_add(10.0.0.0, 8, 3)\n" in ctl(sw.path, "dump")
        for words, message in (
            (["nosuch", 1], "E-traces-023"),
            (["route_add", 1], "E-traces-024"),
            (["route_add", "10.0.0.0", 300, 3], "E-traces-025"),
            (["route_add", "10.0.0.0", 33, 3], "E-switch-010"),
            (["@packet 3 route_add(10.0.0.0, 8, 3)"], "E-switch-011"),
            (["stats", "more"], "E-switch-007"),
        ):
            said = ctl(sw.path, *words, status=1)
            assert re.fullmatch(rf"error: (?!error).* \[{message}\]\n", said), said
        assert json.loads(ctl(sw.path, "stats", "--format=json"))["schema"] == 1
        assert "# TYPE" in ctl(sw.path, "stats", "--format=prometheus")
        with pytest.raises(Refused, match="E-switch-012"):
            sw.control.ask("nonsense")
        again = tmp_path / "again.control"
        again.write_text(ctl(sw.path, "dump"))
        assert ctl(sw.path, "load", again) == ""
        again.write_text("route_add(10.0.0.0, 8, 3)\nroute_add(10.0.0.0, 99, 3)\n")
        refused = ctl(sw.path, "load", again, status=1)
        assert refused.startswith(f"{again}:2: error: 'l3_forwarding"), refused
        assert "?[31m" in ctl(sw.path, "route_add(\x1b[31m)", status=1)
        assert ctl(sw.path, "stop") == ""
        sw.process.wait(timeout=30)
        assert not sw.path.exists()
    assert "E-switch-006" in ctl(sw.path, "stats", status=1)


def test_each_sample_for_prometheus_has_a_type(tmp_path: Path) -> None:
    """Prometheus refuses a sample whose name was not declared before it."""
    source = tmp_path / "timed.baker"
    source.write_text(
        "import net.ether;\n"
        "module m {\n"
        "  u32 ticks;\n"
        "  ppf f { in ether_pkt * in_cc; out ether_pkt * out_cc; }\n"
        "  wiring { rx -> f.in_cc; f.out_cc -> tx; }\n"
        "  @every(1ms) control void tick() { ticks++; }\n"
        "}\n"
        "m.f.ppf(ether_pkt * ph) { channel_put(out_cc, ph); }\n"
    )
    with running_switch(source, tmp_path, "--port=null", "--stay") as sw:
        lines = ctl(sw.path, "stats", "--format=prometheus").splitlines()
    declared: set[str] = set()
    samples: set[str] = set()
    for line in filter(None, lines):
        if line.startswith("# TYPE "):
            name = line.split()[2]
            assert name not in declared
            declared.add(name)
        elif not line.startswith("#"):
            samples.add(line.partition("{")[0].split()[0])
            assert samples <= declared, line
    assert any("timer_calls_total" in name for name in samples)


def test_the_switch_says_what_it_runs(tmp_path: Path) -> None:
    trace = tmp_path / "t.pcapng"
    write_capture(trace, [Frame(0, 0, bytes(60))], 1)
    done = run(
        "bakersw", VLAN, "--socket=none", f"--port=pcap,rx={trace}", "--port=null"
    )
    assert "runs on 2 ports and 1 core" in done.stderr


def test_watch_prints_again_and_again(tmp_path: Path) -> None:
    with running_switch(VLAN, tmp_path, "--port=null", "--stay") as sw:
        sw.control.ask("watch json 20")
        times = [json.loads(sw.control.answer())["seconds"] for _ in range(3)]
        assert times == sorted(set(times))


def test_a_client_that_stops_reading_is_dropped(tmp_path: Path) -> None:
    with running_switch(VLAN, tmp_path, "--port=null", "--stay") as sw:
        silent = sw.connect()
        silent.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        silent.socket.sendall(b"watch prometheus 1\n")
        flood = sw.connect()
        flood.socket.sendall(b"x" * 200_000)
        sw.wait_for("control", "clients_dropped", least=2)
        assert sw.control.stats()["schema"] == 1


def test_calls_come_back_by_the_clock(tmp_path: Path) -> None:
    with running_switch(
        SOURCES["l3-switch"], tmp_path, "--port=null", "--stay",
        "--every=0.01:arp_tick()",
    ) as sw:  # fmt: skip
        sw.wait_for("control", "calls", least=5)
        assert "arp_tick" not in sw.control.ask("dump")
        out = sw.end()
    assert "l3_switch" in out


def test_timers_are_called_by_the_clock(tmp_path: Path) -> None:
    sent = tmp_path / "sent.pcap"
    with running_switch(
        NEIGHBOURS, tmp_path, f"--port=pcap,tx={sent}", "--stay"
    ) as sw:  # fmt: skip
        began = sw.wait_for("control", "timers", 0, "calls", least=2)
        assert began["ports"][0]["sent"] == 0
        sw.control.ask("call use(0, 1, 02:00:00:00:00:01)")
        before = sw.control.stats()
        first = before["control"]["timers"][0]
        assert first["name"] == "neighbours.hello"
        assert first["interval_us"] == 10000
        after = sw.wait_for(
            "control", "timers", 0, "calls", least=first["calls"] + 20
        )  # fmt: skip
        last = after["control"]["timers"][0]
        # Never more often than it is due.
        assert last["calls"] + last["missed"] <= after["seconds"] / 0.01
        assert "hello" not in sw.control.ask("dump")
        assert "warning" not in sw.end()
    hellos = read_capture(sent, 1).frames
    assert len(hellos) >= last["calls"] - first["calls"] - 1 > 0
    hello = bytes.fromhex("01005e90000102000000000188b50000000100000000")
    assert {frame.data[:22] for frame in hellos} == {hello}


def test_updates_while_frames_flow(tmp_path: Path) -> None:
    load = exceptional_workload("l3-switch", tmp_path, 200)
    with running_switch(
        SOURCES["l3-switch"], tmp_path, f"--control={load.control}",
        f"--port=pcap,rx={load.trace},repeat=0", *["--port=null"] * 3,
    ) as sw:  # fmt: skip
        sw.wait_for("packets", "received", least=1000)
        for turn in range(300):
            sw.control.ask(f"call route_add(10.{turn % 9}.0.0, 16, {turn % 3})")
        stats = sw.control.stats()
        packets = stats["packets"]
        assert packets["received"] == (
            packets["forwarded"] + packets["dropped"] + packets["consumed"]
        )
        assert stats["control"]["refused"] == 0
        sw.end()


def test_a_socket_that_is_in_use_is_an_error(tmp_path: Path) -> None:
    with running_switch(VLAN, tmp_path, "--port=null", "--stay") as sw:
        text = output_of(
            "bakersw", VLAN, "--port=null", f"--socket={sw.path}", status=1
        )
        assert "E-switch-005" in text and "another switch" in text
        sw.process.kill()
        sw.process.wait()
    # What a killed switch leaves is taken over.
    run("bakersw", VLAN, "--port=null", f"--socket={sw.path}", "--quiet")


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        ([], 2, "no port is given"),
        (["--port=null", "--every=x"], 2, "SECONDS:CALL"),
        (["--port=null", "--socket-mode=9"], 2, "octal"),
        (["--port=null", "--specialize", "--observe=x"], 2, "N or N,K"),
        (["--port=null", "--observe=9"], 2, "requires --specialize"),
        (["--port=null", "--sub-batch=64"], 2, "--sub-batch is at most --burst"),
        (["--port=null", "--sub-batch=0"], 2, "--sub-batch"),
        (
            ["--port=null", "--sub-batch=2", "--specialize"],
            2,
            "--specialize makes no code for --sub-batch",
        ),
        (["--port=null"] * 5, 1, "E-switch-003"),
        (["--port=nosuch,x=1"], 1, "E-switch-001"),
        (["--port=nosuchinterface"], 1, "E-switch-002"),
        (["--port=pcap,tx=/no/such/folder/x.pcap"], 1, "E-traces-008"),
        (["--port=null", "--control=/no/such/file"], 1, "E-traces-020"),
        (["--port=null", "--every=1:nosuch()"], 1, "E-traces-023"),
        (["--port=null", "--socket=/no/such/folder/s"], 1, "E-switch-005"),
    ],
)
def test_mistakes_are_named(options: list[str], status: int, message: str) -> None:
    assert message in output_of("bakersw", COUNTER, *options, status=status)


def test_a_switch_without_frames_sleeps(tmp_path: Path) -> None:
    with running_switch(VLAN, tmp_path, "--port=null", "--stay") as sw:
        first = sw.wait_for("cores", 0, "waits", least=1)
        time.sleep(0.3)
        waits = sw.control.stats()["cores"][0]["waits"]
        assert waits - first["cores"][0]["waits"] < 10


def test_the_unit_names_options_that_exist() -> None:
    unit = (ROOT / "tools/package/bakersw@.service").read_text()
    (command,) = [x for x in unit.splitlines() if x.startswith("ExecStart=")]
    text = run("bakersw", "--help").stdout
    assert "--socket" in command and "--socket" in text


COUNTERS = """
import net.ether;
module counters {
  u32 atomic, guarded, twice, cold_count;
  lock guard;
  control u32 atomic_value() { return atomic; }
  control u32 guarded_value() { return guarded; }
  control u32 twice_value() { return twice; }
  control u32 cold_value() { return cold_count; }
  ppf count { in ether_pkt * in_cc; out ether_pkt * out_cc; out ether_pkt * cold_cc; }
  @cold ppf slow { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring {
    rx -> count.in_cc;
    count.out_cc -> tx;
    count.cold_cc -> slow.in_cc;
    slow.out_cc -> tx;
  }
}
counters.count.ppf(ether_pkt * ph) {
  atomic_add(atomic, 1);
  critical (guard) {
    u32 before = guarded;
    guarded = before + 1;
    twice = twice + 2;
  }
  if ((ph->src & 3) == 0)
    channel_put(cold_cc, ph);
  else
    channel_put(out_cc, ph);
}
counters.slow.ppf(ether_pkt * ph) {
  u32 before = cold_count;
  cold_count = before + 1;
  channel_put(out_cc, ph);
}
"""


def test_two_cores_lose_no_count(tmp_path: Path) -> None:
    """Atomics, critical sections and cold PPFs exclude what they have to."""
    program, trace = tmp_path / "counters.baker", tmp_path / "flows.pcap"
    program.write_text(COUNTERS)
    # 64 flows; the last frame of each is where it is, so order is visible.
    frames = [
        Frame(n, 0, bytes([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, n % 64]) + bytes(48))
        for n in range(6400)
    ]
    write_capture(trace, frames, 1)
    with running_switch(
        program, tmp_path, "--cores=2", "--stay",
        f"--port=pcap,rx={trace},repeat=20", "--port=null",
    ) as sw:  # fmt: skip
        count = 20 * len(frames)
        stats = sw.wait_for("packets", "forwarded", least=count)
        for name, expected in (
            ("atomic", count),
            ("guarded", count),
            ("twice", 2 * count),
            ("cold", count // 4),
        ):
            assert int(sw.control.ask(f"call {name}_value()")) == expected, name
        assert all(core["received"] > 0 for core in stats["cores"])
        sw.end()


@pytest.mark.parametrize("stages", [(), ("--sub-batch=16",)])
def test_two_cores_keep_the_order_of_a_flow(
    stages: tuple[str, ...], tmp_path: Path
) -> None:
    load = exceptional_workload("firewall", tmp_path, 1500)
    sent = {}
    for cores in (1, 2):
        run(
            "bakersw", SOURCES["firewall"], f"--control={load.control}",
            "--socket=none", "--quiet", f"--cores={cores}", *stages,
            f"--port=pcap,rx={load.trace},tx={tmp_path}/0.pcap",
            *[f"--port=pcap,tx={tmp_path}/{n}.pcap" for n in range(1, PORTS)],
        )  # fmt: skip
        flows: dict[tuple[int, bytes], list[bytes]] = {}
        for n in range(PORTS):
            path = tmp_path / f"{n}.pcap"
            for frame in read_capture(path, 1, allow_empty=True).frames:
                flows.setdefault((n, frame.data[:38]), []).append(frame.data)
        sent[cores] = flows
    assert sent[1] == sent[2]

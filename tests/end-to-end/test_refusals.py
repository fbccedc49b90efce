"""Control calls that a program refuses: the same words on both engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from testkit.captures import write_pcap
from testkit.paths import ROOT
from testkit.tools import Done, requires, run

pytestmark = requires("bakerc", "ixpsim")

PROGRAM = """
protocol ether { dst : 48; src : 48; type : 16; demux { 14 }; }
module m {
  u32 limit = 3;
  ppf p { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> p.in_cc; p.out_cc -> tx; }
  int check(u32 value) {
    return value > 100 ? refusal("the limit is at most 100") : 0;
  }
  control int set_limit(u32 value) {
    int wrong = check(value);
    if (wrong != 0)
      return wrong;
    if (value == 0)
      return 7;
    limit = value;
    return 0;
  }
}
m.p.ppf(ether_pkt * ph) {
  ph->type = (u16)m.limit;
  ph->metadata.tx.port = 1;
  channel_put(out_cc, ph);
}
"""
WORDS = "'m.set_limit' refused the call: the limit is at most 100"
NUMBER = "'m.set_limit' refused the call: it returned 7"


class Program:
    """The program in a folder, with a trace and an image."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "p.baker").write_text(PROGRAM)
        write_pcap(folder / "t.pcap", [bytes(60)] * 8)
        run("bakerc", folder / "p.baker", "-o", folder / "p.ixp")

    def run(self, engine: str, control: str, *options: str, status: int) -> Done:
        (self.folder / "c.txt").write_text(control)
        command = {
            "x86": ["bakerc", self.folder / "p.baker", "--run"],
            "fast": ["bakerc", self.folder / "p.baker", "--run", "--fast"],
            "chip": ["ixpsim", self.folder / "p.ixp", "--quiet"],
        }[engine]
        return run(
            *command,
            f"--trace={self.folder / 't.pcap'}",
            f"--control={self.folder / 'c.txt'}",
            f"--out={self.folder / 'o.pcap'}",
            *options,
            status=status,
        )


NO_PORT = "there are ports 0 to 3"
NO_HOP = "there are next hops 0 to 255"
NO_NHLFE = "there are NHLFEs 0 to 16383"
UNSET = "the NHLFE was never set"
LOOPBACK6 = "0, 0, 0, 1"
#: Calls that the applications refuse, and their words.
CALLS: dict[str, list[tuple[str, str]]] = {
    "l3-switch/l3_switch": [
        ("port_mac(4, 02:00:00:00:00:01)", NO_PORT),
        ("port_mtu(1, 575)", "an MTU is at least 576 bytes"),
        ("port_mtu(1, 1505)", "an MTU is at most 1504 bytes"),
        ("port_redirects(4, 1)", NO_PORT),
        ("next_hop_add(256, 0, 02:00:00:00:00:01)", NO_HOP),
        ("next_hop_add(1, 4, 02:00:00:00:00:01)", NO_PORT),
        ("next_hop_vlan(1, 4095)", "there are VLANs 1 to 4094, and 0 is none"),
        ("next_hop_ip(1, 0, 0)", "no host has the address 0.0.0.0"),
        ("next_hop_ip6(1, 0, 0x20010db8, 0, 0, 1)",
         "the port has no IPv6 address to send requests from"),
        (f"next_hop_ip6(1, 0, {LOOPBACK6})", "no host has this address"),
        ("icmp_rate(1, 0)", "a message takes 1 to 100000000 microseconds"),
        ("route_add(10.0.0.0, 8, 256)", NO_HOP),
        ("route_add_group(10.0.0.0, 8, 64)", "there are groups 0 to 63"),
        ("route_delete(10.0.0.0, 8)", "there is no such route"),
        ("group_slot(0, 8, 1)", "a group has slots 0 to 7"),
        ("port_address(0, 10.0.0.1, 31)", "the prefix of a subnet has 8 to 30 bits"),
        ("port_address(0, 127.0.0.1, 8)", "no host has this address"),
        ("route6_add(0x20010db8, 0, 0, 0, 129, 1)", "a prefix has at most 128 bits"),
        ("route6_add_group(0x20010db8, 0, 0, 0, 32, 64)", "there are groups 0 to 63"),
        ("route6_delete(0x20010db8, 0, 0, 0, 32)", "there is no such route"),
        (f"port_address6(0, {LOOPBACK6})", "no host has this address"),
        ("bridge_add(02:00:00:00:00:01, 4)", NO_PORT),
        ("bridge_add_in(02:00:00:00:00:01, 0, 4095)", "there are VLANs 1 to 4094"),
        ("port_access(0, 0)", "there are VLANs 1 to 4094"),
        ("port_trunk(0, 4095)", "there are VLANs 1 to 4094, and 0 is none"),
        ("trunk_allow(0, 4095)", "there are VLANs 1 to 4094"),
        ("clock_set(86400000)", "a day has 86400000 milliseconds"),
    ],
    "firewall/firewall": [
        ("port_pair(0, 4)", NO_PORT),
        ("flow_action(1024, 1)", "there are flows 0 to 1023"),
        ("connection_add(10.0.0.1, 10.0.0.2, 1, 2, 1)",
         "only TCP and UDP have connections"),
    ],
    "mpls/mpls": [
        ("port_mac(4, 02:00:00:00:00:01)", NO_PORT),
        ("port_mtu(1, 591)", "an MTU is at least 592 bytes, and 0 is none"),
        ("port_address(0, 127.0.0.1)", "no host has this address"),
        (f"port_address6(0, {LOOPBACK6})", "no host has this address"),
        ("next_hop_add(256, 0, 02:00:00:00:00:01)", NO_HOP),
        ("next_hop_add(1, 0, 0)", "no station has the address 0"),
        ("nhlfe_set(16384, 0, 0, 0, 0, 0, 0)", NO_NHLFE),
        ("nhlfe_set(0, 9, 0, 0, 0, 0, 0)", "the next hop was never set"),
        ("nhlfe_set(0, 0, 5, 16, 16, 16, 16)", "an NHLFE has at most 4 labels"),
        ("nhlfe_set(0, 0, 1, 3, 0, 0, 0)",
         "a label is 16 to 1048575, or explicit null: 0 or 2"),
        ("nhlfe_pipe(16384, 1)", NO_NHLFE),
        ("nhlfe_group(16384, 1)", NO_NHLFE),
        ("nhlfe_group(1, 64)", "there are groups 0 to 63"),
        ("nhlfe_group(1, 1)", "a slot of the group has no NHLFE"),
        ("group_slot(0, 8, 1)", "a group has slots 0 to 7"),
        ("group_slot(0, 0, 1)", UNSET),
        ("label_add(15, 0)", "the router gives out labels 16 to 65535"),
        ("label_add(16, 1)", UNSET),
        ("label_pop(65536)", "the router gives out labels 16 to 65535"),
        ("fec_add(10.0.0.0, 33, 0)", "a prefix has at most 32 bits"),
        ("fec_add(127.0.0.0, 8, 0)", "no host has an address of this prefix"),
        ("fec_delete(10.0.0.0, 8)", "there is no such FEC"),
        ("fec6_add(0x20010db8, 0, 0, 0, 129, 0)", "a prefix has at most 128 bits"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("app", CALLS)
def test_the_applications_say_why(app: str, tmp_path: Path) -> None:
    set_up = ["next_hop_add(0, 0, 02:00:00:00:00:04)"]
    if app == "mpls/mpls":
        set_up.append("nhlfe_set(0, 0, 0, 0, 0, 0, 0)")
    elif app == "firewall/firewall":
        set_up = []
    lines = [*set_up, *(call for call, _ in CALLS[app])]
    (tmp_path / "c.txt").write_text("\n".join(lines) + "\n")
    write_pcap(tmp_path / "t.pcap", [bytes(60)])
    done = run(
        "bakerc", ROOT / f"apps/{app}.baker", "--run", "--keep-going",
        f"--trace={tmp_path / 't.pcap'}", f"--control={tmp_path / 'c.txt'}", status=1,
    )  # fmt: skip
    said = done.stderr.splitlines()
    assert len(said) == len(CALLS[app])
    for number, (call, words) in enumerate(CALLS[app], len(set_up) + 1):
        line = said[number - len(set_up) - 1]
        assert f"c.txt:{number}: error: " in line, call
        assert f"{call.partition('(')[0]}' refused the call: {words}" in line, call


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return Program(tmp_path_factory.mktemp("refusals"))


@pytest.mark.parametrize("engine", ["x86", "fast", "chip"])
def test_the_program_s_words_are_told(program: Program, engine: str) -> None:
    done = program.run(engine, "set_limit(5)\nset_limit(101)\n", status=1)
    assert f"c.txt:2: error: {WORDS}" in done.stderr
    done = program.run(engine, "set_limit(0)\n", status=1)
    assert f"c.txt:1: error: {NUMBER}" in done.stderr


@pytest.mark.parametrize("engine", ["x86", "fast", "chip"])
def test_keep_going_reports_all_refused_lines(program: Program, engine: str) -> None:
    calls = "set_limit(101)\nset_limit(9)\n@packet 4 set_limit(0)\n@end set_limit(102)"
    done = program.run(engine, calls, "--keep-going", status=1)
    assert f"c.txt:1: error: {WORDS}" in done.stderr
    assert f"c.txt:3: error: {NUMBER}" in done.stderr
    assert f"c.txt:4: error: {WORDS}" in done.stderr
    assert "c.txt:2" not in done.stderr
    assert (program.folder / "o.pcap").read_bytes().count(b"\x00\x09") >= 8
    assert program.run(engine, "set_limit(9)", "--keep-going", status=0)

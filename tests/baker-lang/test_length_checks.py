"""Length checks of packets: one per header, and none where the length is known,
because a received frame has at least 60 bytes."""

from __future__ import annotations

import re
from pathlib import Path

from testkit.tools import requires, run

pytestmark = requires("bakerc")

PROGRAM = """
import net.ether;
import net.ipv4;
import net.udp;
module m {
  ppf p { in ether_pkt * in_cc; out ipv4_pkt * ip_cc; }
  ppf q { in ipv4_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> p.in_cc; p.ip_cc -> q.in_cc; q.out_cc -> tx; }
}
m.p.ppf(ether_pkt * ph) { channel_put(ip_cc, packet_decap(ph)); }
m.q.ppf(ipv4_pkt * iph) {
%s
}
"""
#: Four fields of a header of constant size, with a decapsulation and an
#: encapsulation.
KNOWN = """
  u32 sum = iph->src + iph->dst + iph->ttl + iph->length;
  ether_pkt * ph = packet_encap(iph);
  ph->src = sum;
  channel_put(out_cc, ph);
"""
#: The size of the IPv4 header is in the packet.
VARIABLE = """
  udp_pkt * uh = packet_decap(iph);
  u32 sum = uh->src_port + uh->dst_port + uh->length;
  ipv4_pkt * outer = packet_encap(uh, 20);
  ether_pkt * ph = packet_encap(outer);
  ph->src = sum;
  channel_put(out_cc, ph);
"""


def code(body: str, tmp_path: Path) -> tuple[int, int]:
    """Comparisons of sizes, and drops of packets."""
    source = tmp_path / "p.baker"
    source.write_text(PROGRAM % body)
    done = run("bakerc", source, "--emit=llvm", "-o", "-")
    comparisons = re.findall(r"icmp u[lg][te]", done.stdout)
    return len(comparisons), len(re.findall(r"call .*packet_drop", done.stdout))


def test_a_known_length_costs_nothing(tmp_path: Path) -> None:
    assert code(KNOWN, tmp_path) == (0, 0)


def test_a_header_of_unknown_size_is_checked_once(tmp_path: Path) -> None:
    comparisons, _ = code(VARIABLE, tmp_path)
    assert comparisons == 1

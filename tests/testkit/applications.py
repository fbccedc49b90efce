"""The three applications of the paper, and the levels that they are run at."""

from __future__ import annotations

from testkit.paths import ROOT

#: Optimization levels, as `bakerc --level` names them. Each includes those
#: before it.
LEVELS = ("base", "o1", "o2", "pac", "soar", "phr", "swc")
#: The lowest and the highest level, for tests of many inputs.
END_LEVELS = (LEVELS[0], LEVELS[-1])
#: Microengines that an IXP2400 leaves to a program.
ENGINE_COUNTS = (1, 2, 3, 4, 5, 6)

L3_SWITCH = ROOT / "apps/l3-switch/l3_switch.baker"
FIREWALL = ROOT / "apps/firewall/firewall.baker"
MPLS = ROOT / "apps/mpls/mpls.baker"
#: Sources by the name that `npftrace check --app` takes.
SOURCES = {"l3-switch": L3_SWITCH, "firewall": FIREWALL, "mpls": MPLS}
#: The kind of traffic that `npftrace make` makes for each application.
TRAFFIC_KINDS = {"l3-switch": "ipv4", "firewall": "firewall", "mpls": "mpls"}

"""What the paper says: "Shangri-La: Achieving High Performance from Compiled
Network Applications", PLDI 2005, sections 5 and 6.

Table 1 is given in numbers. Of the curves of Figures 6 and 13 to 15 no points
are printed: what is known of them are the statements in the text, which stand
here with their words.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Table 1: packet (scratch, SRAM, DRAM), application (scratch, SRAM).
TABLE1: dict[str, dict[str, tuple[float, float, float, float, float]]] = {
    "l3-switch": {
        "base": (2.0, 35.0, 29.0, 1.0, 22.0),
        "o1": (2.0, 35.0, 29.0, 1.0, 12.0),
        "pac": (2.0, 9.0, 3.0, 1.0, 11.0),
        "phr": (2.0, 3.0, 2.0, 1.0, 11.0),
        "swc": (2.0, 3.0, 2.0, 0.0, 8.0),
    },
    "firewall": {
        "base": (2.0, 40.6, 25.6, 0.6, 32.5),
        "o1": (2.0, 40.6, 25.6, 0.3, 30.8),
        "pac": (2.0, 5.0, 1.0, 0.3, 14.0),
        "phr": (2.0, 1.0, 1.0, 0.3, 14.0),
        "swc": (2.0, 1.0, 1.0, 0.3, 14.0),
    },
    "mpls": {
        "base": (2.0, 23.0, 16.0, 2.0, 14.0),
        "o1": (2.0, 23.0, 16.0, 2.0, 9.0),
        "pac": (2.0, 14.0, 3.0, 2.0, 8.0),
        "phr": (2.0, 7.0, 2.0, 2.0, 9.0),
        "swc": (2.0, 7.0, 2.0, 0.0, 5.0),
    },
}
COLUMNS = (
    ("packet", "scratch"),
    ("packet", "sram"),
    ("packet", "dram"),
    ("application", "scratch"),
    ("application", "sram"),
)
#: Section 6.2: "-O2 and SOAR only affect dynamic instruction counts and have no
#: effect on memory access counts", so their rows are those of the level before.
SAME_ROW = {"o2": "o1", "soar": "pac"}

NAMES = {"l3-switch": "L3-Switch", "firewall": "Firewall", "mpls": "MPLS"}
LEVEL_NAMES = {
    "base": "BASE",
    "o1": "−O1",
    "o2": "−O2",
    "pac": "PAC",
    "soar": "SOAR",
    "phr": "PHR",
    "swc": "SWC",
}


@dataclass(frozen=True)
class Rate:
    """What the paper's text says about a figure's best configuration."""

    figure: int
    gbps: float
    words: str


#: Section 6.2: "Both L3-Switch and Firewall achieve approximately 2.7Gbps, and
#: MPLS achieves 3Gbps". The packet generator could not send more than 3.
BEST = {
    "l3-switch": Rate(13, 2.7, "approximately 2.7 Gbps"),
    "firewall": Rate(14, 2.7, "approximately 2.7 Gbps"),
    "mpls": Rate(15, 3.0, "3 Gbps"),
}
#: "100% forwarding rates at 2.5Gbps, which is what the IXP2400 designed for".
TARGET_GBPS = 2.5
#: "The PAC, SOAR, PHR and SWC configurations … only saturate memory bandwidth
#: with at least four MEs enabled."
SATURATED_FROM = 4
#: Section 5: "less than 700 instructions can be dedicated to processing a given
#: packet on the IXP2400".
INSTRUCTION_BUDGET = 700
#: Section 5, Figure 6: accesses per packet that leave room for 2.5 Gbps.
FIGURE6_LIMITS = {"dram": 2, "sram": 8, "scratch": 64}
#: "The MPLS O1 pipeline and the L3-Switch and MPLS BASE pipelines had to be
#: mapped to two MEs due to ME code size constraints."
TWO_ENGINES = (("mpls", "o1"), ("l3-switch", "base"), ("mpls", "base"))
CONTROL_STORE_WORDS = 4096

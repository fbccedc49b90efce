"""What the manifest of an image tells about its tables, as JSON and as p4info."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testkit.p4info import parse_p4info
from testkit.tools import output_of, requires, run

pytestmark = requires("bakerc", "ixpsim")

PROGRAM = """
protocol p { head : 112; k : 32; demux { 18 }; }
module m {
  table routes { key { lpm u32 dst; } value { u16 hop; s8 level; } size 20; }
  table routes6 { key { u8 vrf; lpm u128 dst; } value { u64 hop; } size 20; }
  table rules {
    key { ternary u32 src; range u16 port; lpm u32 dst; ternary u128 six; }
    value { bool pass; }
    limit 20;
    entries { { 0x0a000000 & 0xff000000, 53, 0xc0000200/24, six: 0 & 0,
                priority: 3, pass: true } }
  }
  table stations { key { u48 mac; } value { u8 port; } size 2000; }
  table flows {
    key { u128 a; u128 b; u7 c; } value { u32 x; mutable u32 n; } size 20;
  }
  table ports { key { u8 port; } value { u32 to; } size 20; }
  ppf f { in p_pkt * in_cc; out p_pkt * out_cc; }
  wiring { rx -> f.in_cc; f.out_cc -> tx; }
}
m.f.ppf(p_pkt * ph) {
  ph->k = (u32)routes.find(ph->k)->hop + stations.find(ph->k)->port
          + ports.find(3)->to + (u32)routes6.find(1, 2)->hop
          + flows.find(1, 2, 3)->x
          + (rules.find(ph->k, 9, 7, 8)->pass ? 1 : 0);
  channel_put(out_cc, ph);
}
"""

TABLES = ("routes", "routes6", "rules", "stations", "flows", "ports")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("manifest")
    source = folder / "t.baker"
    source.write_text(PROGRAM)
    run("bakerc", source, "-o", folder / "t.ixp")
    return source


def test_p4info(program: Path) -> None:
    image = program.with_suffix(".ixp")
    info = parse_p4info(output_of("ixpsim", "--describe=p4info", image))
    assert info["pkg_info"][0]["name"] == ["t"]
    tables = {t["preamble"][0]["alias"][0]: t for t in info["tables"]}
    assert list(tables) == list(TABLES)
    actions = {a["preamble"][0]["id"][0]: a for a in info["actions"]}
    ids = [t["preamble"][0]["id"][0] for t in info["tables"]]
    assert [each >> 24 for each in ids] == [2] * len(TABLES)
    assert len(set(ids)) == len(ids) and {each >> 24 for each in actions} == {1}
    rules = tables["rules"]
    assert [
        (f["name"][0], f["bitwidth"][0], f["match_type"][0])
        for f in rules["match_fields"]
    ] == [
        ("src", 32, "TERNARY"), ("port", 16, "RANGE"), ("dst", 32, "LPM"),
        ("six", 128, "TERNARY"),
    ]  # fmt: skip
    assert rules["size"] == [20]
    for table in tables.values():
        assert table["action_refs"][0]["id"][0] in actions
    flows = tables["flows"]
    assert flows["preamble"][0]["annotations"] == ["@mutable(n, u32)"]
    set_flow = actions[flows["action_refs"][0]["id"][0]]
    assert [p["name"][0] for p in set_flow["params"]] == ["x"]
    assert set_flow["params"][0]["bitwidth"] == [32]


def test_the_manifest_as_json(program: Path) -> None:
    image = program.with_suffix(".ixp")
    manifest = json.loads(output_of("ixpsim", "--describe=json", image))
    assert [t["name"] for t in manifest["tables"]] == [f"m.{t}" for t in TABLES]
    said = run("ixpsim", "--describe=p4info", status=2).stderr
    assert "--describe=p4info needs an image" in said
    said = run("ixpsim", "--describe=xml", image, status=2).stderr
    assert "--describe" in said

"""What the manifest of an image tells about its tables, as JSON and as p4info."""

from __future__ import annotations

import json
from pathlib import Path

from testkit.p4info import parse_p4info
from testkit.tools import output_of, requires, run

pytestmark = requires("bakerc", "ixpsim")

#: Of every_kind.baker.
TABLES = ("routes", "routes6", "rules", "stations", "flows", "ports")


def test_p4info(every_kind: Path) -> None:
    image = every_kind.with_suffix(".ixp")
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


def test_the_manifest_as_json(every_kind: Path) -> None:
    image = every_kind.with_suffix(".ixp")
    manifest = json.loads(output_of("ixpsim", "--describe=json", image))
    assert [t["name"] for t in manifest["tables"]] == [f"m.{t}" for t in TABLES]
    said = run("ixpsim", "--describe=p4info", status=2).stderr
    assert "--describe=p4info needs an image" in said
    said = run("ixpsim", "--describe=xml", image, status=2).stderr
    assert "--describe" in said

"""The search among mappings: it lists each mapping once, and changes only the
assignment of engines in an image."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.harness.images import read_manifest, share_engines
from bench.mapping.mappings import bound_gbps, cuts, mapping_text, partitions, shares
from bench.mapping.random_graphs import make_graph, ppf_names, source_of
from testkit.tools import requires, run

built = requires("bakerc")


def test_all_mappings_are_listed_once() -> None:
    parts = list(partitions(["a", "b", "c", "d"]))
    assert len(parts) == 15  # Bell's number
    assert len({str(sorted(map(sorted, p))) for p in parts}) == 15
    assert len([s for p in parts for s in shares(len(p), 6)]) == 106
    assert all(sum(s) == 6 and min(s) > 0 for s in shares(3, 6))
    assert len(list(cuts(list("abcdefgh")))) == 2**7 - 7 - 1  # 7 and 8 parts


def test_the_slowest_stage_bounds_a_mapping() -> None:
    def stage(messages: float, issue: float) -> dict[str, dict[str, float]]:
        return {"model": {"messages_per_packet": messages, "issue_cycles": issue}}

    report = {"aggregates": [stage(1, 600), stage(0.5, 4800)]}
    # 600 MHz / 2,400 cycles per packet, 512 bits each, and 5 %.
    assert bound_gbps(report, [5, 1], 1) == pytest.approx(0.128 * 1.05)
    assert bound_gbps(report, [1, 5], 1) == pytest.approx(0.512 * 1.05)
    assert bound_gbps({"aggregates": [stage(1, 1)]}, [6], 0.5) == 2 * 4 * 64 / 84


@built
def test_one_image_serves_all_distributions_of_engines(tmp_path: Path) -> None:
    graph = make_graph(8)
    assert len(graph) == 3
    source, mapping = tmp_path / "g.baker", tmp_path / "g.mapping"
    source.write_text(source_of(graph))
    names = ppf_names(graph)
    mapping.write_text(mapping_text([names[:1], names[1:]]))
    image = tmp_path / "g.ixp"
    run("bakerc", source, f"--mapping={mapping}", "-o", image)
    before = read_manifest(image)
    other = tmp_path / "other.ixp"
    other.write_bytes(share_engines(image.read_bytes(), [4, 2]))
    after = read_manifest(other)
    assert [a["engines"] for a in after["aggregates"]] == [[1, 2, 3, 4], [5, 6]]
    runs = [e["ucode"] for e in after["engines"] if e["role"] == "app"]
    assert runs == ["a0"] * 4 + ["a1"] * 2
    for key in before.keys() - {"aggregates", "engines"}:
        assert json.dumps(before[key]) == json.dumps(after[key])
    with pytest.raises(ValueError, match="engines that it was compiled for"):
        share_engines(image.read_bytes(), [1, 2])

"""Firewall rules: ClassBench files, generated sets, and the bulk match."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from npftrace.cli import main
from npftrace.frames.wire import TCP, UDP
from npftrace.make.rule_headers import NONE, RuleTable
from npftrace.oracle.firewall import Rule as OracleRule
from npftrace.oracle.firewall_header import Header
from npftrace.tables.classbench import read_classbench
from npftrace.tables.control import read_control
from npftrace.tables.fw1_rules import make_rules
from npftrace.tables.rules import ALL_PORTS, ANY_PROTOCOL, Rule, flows_of

LINES = """\
@198.51.100.7/24\t203.0.113.0/32\t0 : 65535\t22 : 22\t0x06/0xFF\t0x0200/0x1200\t
@0.0.0.0/0\t10.0.0.0/8\t1024 : 65535\t53 : 54\t0x11/0xFF\t0x0000/0x0000\t
@0.0.0.0/0\t0.0.0.0/0\t0 : 65535\t0 : 65535\t0x01/0xFF\t0x0800/0xff00\t
@1.2.3.4/31\t0.0.0.0/0\t0 : 65535\t0 : 65535\t0x00/0x00\t0x0000/0x0000\t
"""
RULES = [
    Rule(0xC6336400, 24, 0xCB007100, 32, ALL_PORTS, (22, 22), TCP, flags=(2, 0x12)),
    Rule(0, 0, 0x0A000000, 8, (1024, 65535), (53, 54), UDP),
    Rule(0, 0, 0, 0, protocol=1, flags=(8, 255)),
    Rule(0x01020304, 31, 0, 0, protocol=ANY_PROTOCOL),
]


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


@pytest.mark.parametrize("compress", [False, True])
def test_classbench_files_are_read(tmp_path: Path, compress: bool) -> None:
    path = tmp_path / "rules"
    data = LINES.encode()
    path.write_bytes(gzip.compress(data) if compress else data)
    assert read_classbench(path) == RULES


def test_rules_become_calls(tmp_path: Path) -> None:
    path, control = tmp_path / "rules", tmp_path / "c.txt"
    path.write_text(LINES)
    options = ["--control", str(control), "--drop", "0.5", "--drop-unmatched"]
    assert main(["tables", "from-classbench", str(path), *options]) == 0
    calls = read_control(control)
    names = [call.name for call in calls]
    assert names == ["rule_add"] * 4 + ["flow_action"] * 2 + [
        "default_action",
        "rules_commit",
    ]
    assert calls[0].args == (
        0, 0xC6336400, 24, 0xCB007100, 32, 0, 65535, 22, 22, 6, 0, 0, 2, 0x12,
    )  # fmt: skip
    assert calls[3].args[9] == ANY_PROTOCOL
    assert calls[6].args == (1,)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("", "E-traces-142"),
        ("10.0.0.0/8 10.0.0.0/8", "E-traces-141"),
        ("@1.1.1.1/33 0.0.0.0/0 0 : 1 0 : 1 0x06/0xFF", "E-traces-141"),
        ("@1.1.1.256/32 0.0.0.0/0 0 : 1 0 : 1 0x06/0xFF", "E-traces-141"),
        ("@1.1.1.1/32 0.0.0.0/0 2 : 1 0 : 1 0x06/0xFF", "E-traces-141"),
        ("@1.1.1.1/32 0.0.0.0/0 0 : 65536 0 : 1 0x06/0xFF", "E-traces-141"),
        ("@1.1.1.1/32 0.0.0.0/0 0 : 1 0 : 1 0x06/0x0F", "E-traces-141"),
        ("@1.1.1.1/32 0.0.0.0/0 0 : 1 0 : 1 0x06/0xFF 0x01/0x01", "E-traces-141"),
    ],
)
def test_a_line_that_is_not_a_rule_is_refused(
    tmp_path: Path, line: str, error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rules"
    path.write_text(line)
    arguments = ["tables", "from-classbench", str(path), "--control"]
    assert main([*arguments, str(tmp_path / "c.txt")]) == 1
    assert error in capsys.readouterr().err


def test_the_seed_determines_the_rules() -> None:
    assert make_rules(200, rng()) == make_rules(200, rng())
    assert make_rules(200, rng()) != make_rules(200, rng(2))


@pytest.mark.parametrize("count", [1, 10, 1000, 10000])
def test_made_rules_have_the_proportions_of_fw1(count: int) -> None:
    rules = make_rules(count, rng())
    assert len(set(rules)) == count
    lengths = [rule.src_length + rule.dst_length for rule in rules]
    assert lengths == sorted(lengths, reverse=True)
    if count < 1000:
        return
    # Duplicate rules are discarded, so the shares shift slightly.
    share = sum(rule.protocol == TCP for rule in rules) / count
    assert 0.4 < share < 0.75
    exact = sum(rule.dports[0] == rule.dports[1] for rule in rules) / count
    assert 0.4 < exact < 0.85
    sources = {(rule.src, rule.src_length) for rule in rules}
    assert len(sources) < count / 3


def test_flow_numbers_restart_after_the_last() -> None:
    assert flows_of(3) == [0, 1, 2]
    assert flows_of(1026)[1022:] == [1022, 1023, 0, 1]


def oracle_rule(rule: Rule) -> OracleRule:
    return OracleRule(
        0, rule.src, rule.src_length, rule.dst, rule.dst_length, rule.sports,
        rule.dports, rule.protocol, *rule.tos, *rule.flags,
    )  # fmt: skip


def oracle_header(row: list[int]) -> Header:
    src, dst, sport, dport, protocol, tos, flags = row
    ports = None if sport == NONE else (sport, dport)
    kind = None if flags == NONE else flags
    return Header(32, src, dst, protocol, tos, ports, kind)


def test_headers_match_their_rules_and_the_bulk_match_agrees_with_the_oracle() -> None:
    rules = make_rules(60, rng(3))
    rules += [
        Rule(0, 0, 0, 0, protocol=TCP, tos=(0xB8, 0xFC)),
        Rule(0x0A000000, 8, 0, 0, sports=(0, 0), protocol=ANY_PROTOCOL),
        Rule(0, 0, 0x0A000000, 7, flags=(0x10, 0x10)),
    ]
    table = RuleTable(rules)
    which = np.repeat(np.arange(len(rules)), 20)
    headers = table.headers(which, rng())
    first = table.first_matches(headers)
    oracle = [oracle_rule(rule) for rule in rules]
    for row, origin, found in zip(headers.tolist(), which, first, strict=True):
        header = oracle_header(row)
        assert oracle[origin].matches(header)
        expected = next(i for i, rule in enumerate(oracle) if rule.matches(header))
        assert found == expected

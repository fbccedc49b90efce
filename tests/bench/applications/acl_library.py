"""What DPDK's access-control library (librte_acl) makes of rules of five fields.

It is the packaged classifier that others measure against, and takes sets of
ClassBench's format: multi-bit tries, each of which reads a byte of the key an access
(DPDK Programmer's Guide, "Packet Classification and Access Control"). `dpdk-test-acl`
builds the tries and says how large they are.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.harness.bench import Failed, run
from npftrace.frames.wire import ipv4_text
from npftrace.tables.rules import ANY_PROTOCOL, Rule
from testkit import five_tuples

TOOL = "dpdk-test-acl"
NOT_MEASURED = f"DPDK's access-control library: {TOOL} is not installed (./dev dpdk)"
#: Bytes of the key: a protocol, two addresses, two ports.
KEY_BYTES = 13
#: Memory of its heap for the largest sets.
HEAP_MB = 2048
#: "category: 0": the only one that rules are in.
ANSWER = re.compile(r"^ipv4_5tuple: \d+, category: 0, result: (\d+)$", re.MULTILINE)


def is_installed() -> bool:
    return shutil.which(TOOL) is not None


def of_library(rules: Sequence[Rule]) -> list[Rule]:
    """The rules as the library has them: without TCP's flags."""
    return five_tuples.distinct([replace(rule, flags=(0, 0)) for rule in rules])


def rule_line(rule: Rule) -> str:
    protocol = (
        "0x00/0x00" if rule.protocol == ANY_PROTOCOL else f"0x{rule.protocol:02X}/0xFF"
    )
    return (
        f"@{ipv4_text(rule.src)}/{rule.src_length}\t"
        f"{ipv4_text(rule.dst)}/{rule.dst_length}\t"
        f"{rule.sports[0]} : {rule.sports[1]}\t{rule.dports[0]} : {rule.dports[1]}\t"
        f"{protocol}\t0x0000/0x0000\n"
    )


def classify(
    rules: Sequence[Rule], keys: Sequence[Sequence[int]], folder: Path
) -> tuple[list[int], str]:
    """Returns the number of the rule that each key matches, and what the library
    says of its tries. Each key must match a rule of `of_library`."""
    rule_file, trace = folder / "acl.rules", folder / "acl.trace"
    rule_file.write_text("".join(map(rule_line, rules)))
    trace.write_text(
        "".join("\t".join(map(str, [*key[:5], 0, 0])) + "\n" for key in keys)
    )
    options = ("--no-huge", "-m", HEAP_MB, "--no-pci", "-l", 0, "--log-level=acl,8")
    _, said = run([
        TOOL, *map(str, options), f"--file-prefix=acl{folder.stat().st_ino}", "--",
        f"--rulesf={rule_file}", f"--tracef={trace}", f"--tracenum={len(keys)}",
        "--iter=1", "--alg=scalar",
    ])  # fmt: skip
    return [int(number) for number in ANSWER.findall(said)], said


def measure(rules: Sequence[Rule], folder: Path) -> dict[str, int]:
    """The bytes of the library's tries and their number. A look-up takes at most
    KEY_BYTES accesses in each."""
    of = of_library(rules)
    first = [(rule.src, rule.dst, rule.sports[0], rule.dports[0], 6) for rule in of[:1]]
    _, said = classify(of, first, folder)

    def number(pattern: str) -> int:
        match = re.search(pattern, said)
        if match is None:
            raise Failed(f"{TOOL} does not say {pattern!r}:\n{said[-2000:]}")
        return int(match[1])

    tries = number(r"num_tries=(\d+)")
    return {
        "acl_accesses_max": tries * KEY_BYTES,
        "acl_bytes": number(r"total: (\d+) bytes"),
    }

"""The tables of docs/conformance.md name PPFs and tests that exist."""

import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from repository import ROOT, tracked

DOCUMENT = ROOT / "docs/conformance.md"
CODE = re.compile(r"`([^`]+)`")
NOT_DONE = "not done"
#: The RFCs whose requirements the document lists.
RFCS = (1812, 3031, 3032, 3443, 4443, 8200)


class Row(NamedTuple):
    """A requirement, with its line in the document."""

    line: int
    section: str
    requirement: str
    level: str
    ppf: str
    test: str


def rows() -> list[Row]:
    found = []
    for number, line in enumerate(DOCUMENT.read_text().splitlines(), 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells[0] != "section" and "---" not in line:
            found.append(Row(number, *cells))
    return found


def ppfs() -> set[str]:
    """The PPFs of the applications as `module.ppf` or `instance.ppf`."""
    found: dict[str, set[str]] = {}
    instances: dict[str, str] = {}
    for path in [*tracked("apps/*/*.baker"), *tracked("runtime/*/*.baker")]:
        module = ""
        for line in path.read_text().splitlines():
            if match := re.match(r"module (\w+)", line):
                module = match[1]
            elif match := re.match(r"instance (\w+) = (\w+)", line):
                instances[match[1]] = match[2]
            elif match := re.match(r" +(?:@cold )?ppf (\w+) {", line):
                found.setdefault(module, set()).add(match[1])
    named = {name: found.get(module, set()) for name, module in instances.items()}
    return {f"{name}.{ppf}" for name, of in (found | named).items() for ppf in of}


def packet_tests() -> set[str]:
    folders = (ROOT / "tests/packets/l3-switch", ROOT / "tests/packets/mpls")
    return {path.stem for folder in folders for path in folder.glob("*.packets")}


def functions_of_tests() -> set[str]:
    sources = (path.read_text() for path in tracked("tests/**/test_*.py"))
    return {
        name for text in sources for name in re.findall(r"^def (test_\w+)", text, re.M)
    }


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"line-{row.line}")
def test_a_requirement_has_its_ppf_and_test(row: Row) -> None:
    assert all(row[1:]), "an empty cell"
    assert row.level in ("MUST", "SHOULD", "MAY")
    if row.ppf == NOT_DONE:
        return
    assert set(CODE.findall(row.ppf)) <= ppfs()
    tests = set(CODE.findall(row.test))
    assert tests
    assert tests <= packet_tests() | functions_of_tests()


def test_no_packet_test_is_left_out() -> None:
    named = {name for row in rows() for name in CODE.findall(row.test)}
    prefixes = tuple(f"rfc{number}-" for number in RFCS)
    of_these = {name for name in packet_tests() if name.startswith(prefixes)}
    assert of_these - named == set()

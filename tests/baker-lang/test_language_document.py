"""Every program text in docs/language.md does what the page says.

A `baker` block is declarations, a `baker body` block statements of a function,
a `baker ppf` block the body of a PPF. Declarations that a block needs (`ether`,
`ipv4`, a receiving PPF) are added unless the block has them. `error=ID` after
the kind names the error that the block shows.
"""

import re
from pathlib import Path

import pytest
from grammar import page_with_grammar

from testkit.paths import ROOT
from testkit.tools import requires, run

BLOCK = re.compile(r"^```baker([^\n]*)\n(.*?)^```", re.M | re.S)

PROTOCOLS = {
    "ether": "protocol ether { dst : 48; src : 48; type : 16; demux { 14 }; }\n",
    "ipv4": (
        "protocol ipv4 { version : 4; ihl : 4; rest : 56; ttl : 8; proto : 8;\n"
        "  checksum : 16; src : 32; dst : 32; demux { ihl << 2 }; }\n"
    ),
}
RECEIVER = (
    "module receiver { ppf sink { in ether_pkt * in_cc; }\n"
    "  wiring { rx -> sink.in_cc; } }\n"
    "receiver.sink.ppf(ether_pkt * ph) { packet_drop(ph); }\n"
)
BODY = "u32 counts[16];\nvoid example(u32 x, u32 y, ether_pkt * ph) {\n%s}\n"
PPF = (
    "module m {\n"
    "  drop_reason not_ipv4;\n"
    "  ppf f { in ether_pkt * in_cc; out ether_pkt * out_cc; out ipv4_pkt * ip_cc; }\n"
    "  @cold ppf g { in ipv4_pkt * in_cc; }\n"
    "  wiring { rx -> f.in_cc; f.out_cc -> tx; f.ip_cc -> g.in_cc; }\n"
    "}\n"
    "m.g.ppf(ipv4_pkt * iph) { packet_drop(iph); }\n"
    "m.f.ppf(ether_pkt * ph) {\n%s}\n"
)

# An example shows a part: what the rest would use is not used.
FRAGMENT = [
    f"-Wno-{flag}"
    for flag in (
        "unused-variable",
        "unused-function",
        "unused-output",
        "unused-metadata",
        "unreachable",
    )
]


def blocks() -> list[tuple[str, str]]:
    return BLOCK.findall((ROOT / "docs" / "language.md").read_text())


def whole(kind: str, text: str) -> str:
    if "body" in kind:
        text = BODY % text
    elif "ppf" in kind:
        text = PPF % text
    for name, declaration in PROTOCOLS.items():
        if f"protocol {name} " not in text and f"net.{name};" not in text:
            text = declaration + text
    return text if "rx ->" in text else text + RECEIVER


@requires("bakerc")
@pytest.mark.parametrize("number", range(len(blocks())))
def test_block(number: int, tmp_path: Path) -> None:
    kind, text = blocks()[number]
    source = tmp_path / "block.baker"
    source.write_text(whole(kind, text))
    expected = re.search(r"error=(\S+)", kind)
    options = ("--emit=baker", *FRAGMENT, source, "-o", "-")
    said = run("bakerc", *options, status=1 if expected else 0).stderr
    if expected:
        assert f"[{expected[1]}]" in said, said
    else:
        assert "warning" not in said, said


def test_the_grammar_is_the_parsers() -> None:
    page = (ROOT / "docs/language.md").read_text()
    assert page == page_with_grammar(), "run tests/baker-lang/grammar.py --write"


def test_all_warnings_are_listed() -> None:
    catalogue = (ROOT / "baker-lang/syntax/DiagnosticCatalogue.def").read_text()
    flags = re.findall(r'^WARNING\(\d+, \w+, "([^"]+)"', catalogue, re.M)
    page = (ROOT / "docs/language.md").read_text()
    assert re.findall(r"^\| `-W([\w-]+)` \|", page, re.M) == sorted(flags)


def test_every_id_has_a_test() -> None:
    """What the catalogue knows is shown by a case or an error test."""
    catalogue = (ROOT / "baker-lang/syntax/DiagnosticCatalogue.def").read_text()
    ids = re.findall(r"^(?:DIAGNOSTIC|WARNING)\((\d+),", catalogue, re.M)
    folder = ROOT / "tests/baker-lang"
    tests = [*folder.rglob("*.cases"), *folder.rglob("*.baker"), *folder.glob("*.cpp")]
    text = "".join(path.read_text() for path in tests)
    # A file that cannot be read, or is no text, is made by FrontendTest.
    missing = [n for n in ids if f"E-baker-{int(n):03}" not in text]
    assert missing == []


def rules() -> list[tuple[str, str]]:
    """(phrase of the page, test) of sentences.txt."""
    text = (ROOT / "tests/baker-lang/sentences.txt").read_text()
    lines = [line for line in text.splitlines() if line and line[0] != "#"]
    return [(line.split(" -> ")[0], line.split(" -> ")[1]) for line in lines]


def prose() -> str:
    """The page without programs, tables, and what it says of messages."""
    page = (ROOT / "docs/language.md").read_text()
    page = re.sub(r"^## Errors.*?(?=^## )", "", page, flags=re.M | re.S)
    page = re.sub(r"```.*?```", "", page, flags=re.S)
    page = re.sub(r"^\|.*$", "", page, flags=re.M)
    return re.sub(r"\s+", " ", page)


def test_sentences() -> None:
    text = prose()
    covered = []
    for phrase, _ in rules():
        assert phrase in text, f"the page no longer says: {phrase}"
        covered.append((text.index(phrase), text.index(phrase) + len(phrase)))
    for word in re.finditer(r"(?<![-\w])(must|error|refused|cannot)(?![-\w])", text):
        around = text[max(0, word.start() - 60) : word.end() + 20]
        assert any(a <= word.start() < b for a, b in covered), f"no test for: {around}"


def test_sentences_have_their_tests() -> None:
    folder = ROOT / "tests/baker-lang/conformance"
    titles = {
        f"{path.stem}: {line[3:]}"
        for path in folder.glob("*.cases")
        for line in path.read_text().splitlines()
        if line.startswith("== ")
    }
    for _, test in rules():
        assert test in titles or (ROOT / test).is_file(), test

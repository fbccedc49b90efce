"""baker-format, the VS Code folder, and what baker-lsp must survive."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from testkit.paths import BUILD, ROOT
from testkit.tools import requires, run

#: Every program of the tree, also those with errors.
CORPUS = sorted(
    path
    for folder in ("apps", "runtime", "tests")
    for path in (ROOT / folder).rglob("*.baker")
)
LIBRARY = [path for path in CORPUS if ROOT / "tests" not in path.parents]
#: The longest token first, so that `- -x` and `--x` differ.
TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
    r"|[0-9]+\.[0-9]+|\w+|<<=|>>=|->|<<|>>|[-+*/%&|^<>=!]=|&&|\|\||\+\+|--|[^\s\w]",
    re.DOTALL,
)

pytestmark = requires("baker-format", "baker-lsp")

UGLY = """\
module  m{
private u32 n;


    u32 f( u32 x,u32 y ){
  if(x>1)
return  f2( x,- y );
      else
x=(u8)y+1 ;
switch(x){
case 1: n++; break;
default :
n = x*
2;
}
for(u32 i=0;i<4;i++){ n+=t [i]; }   // a comment
return !x;
}
ppf p { in ether_pkt*in_cc; }
wiring { rx   -> p.in_cc ; }
}
"""
PRETTY = """\
module m {
  private u32 n;

  u32 f(u32 x, u32 y) {
    if (x > 1)
      return f2(x, -y);
    else
      x = (u8)y + 1;
    switch (x) {
    case 1: n++; break;
    default :
      n = x *
          2;
    }
    for (u32 i = 0; i < 4; i++) { n += t[i]; }   // a comment
    return !x;
  }
  ppf p { in ether_pkt * in_cc; }
  wiring { rx -> p.in_cc; }
}
"""


def formatted(text: str) -> str:
    return subprocess.run(
        [BUILD / "bin/baker-format"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_format() -> None:
    assert formatted(UGLY) == PRETTY
    assert formatted(PRETTY) == PRETTY


@pytest.mark.parametrize(
    "line",
    [
        "*p = &table[0];",
        "x = *p * *q & ~y;",
        "f(&x, *p, -(u8)*q, (u16)~sum);",
        "if (x) *p = - -y;",
        "while (x) ++*p;",
        "return *p + +x - -y & &x;",
    ],
)
def test_format_puts_prefixes_at_their_operands(line: str) -> None:
    blanks = re.sub(r"(?<! )([&*~])", r"\1 ", line)
    assert formatted(blanks) == line + "\n"


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("pair p = {1, 2};", "pair p = { 1, 2 };"),
        ("pair p = { 1,2};", "pair p = { 1, 2 };"),
        ("pair p = {};", "pair p = {};"),
        ("pair p = { };", "pair p = { };"),
    ],
)
def test_format_puts_blanks_inside_braces(line: str, wanted: str) -> None:
    assert formatted(line) == wanted + "\n"


def test_format_indents_the_block_of_a_case_once() -> None:
    text = """\
switch (x) {
// the first
case 0: {
  n++;
  break;
}
default:
  @bound(4) for (;;)
    if (n)
      for (u32 i = 0;
          i < 4; i++) {
        n--;
      }
    else
      n = 1 +
          2;
}
"""
    assert formatted(text) == text
    flat = "".join(line.lstrip() for line in text.splitlines(keepends=True))
    assert formatted(flat) == text


def every_token_joined(text: str) -> str:
    """The text with no blanks but those that separate tokens."""
    return re.sub(r"(?<=\w)[ \t]+(?=[^\w\s])|(?<=[^\w\s])[ \t]+(?=\w)", "", text)


def cut_in_half(text: str) -> str:
    return text[: len(text) // 2]


@pytest.mark.parametrize("change", [str, every_token_joined, cut_in_half])
def test_format_keeps_tokens_and_settles(
    change: Callable[[str], str], tmp_path: Path
) -> None:
    """On every program of the tree, as it is and disturbed."""
    texts = [change(path.read_text()) for path in CORPUS]
    copies = [tmp_path / f"{number}.baker" for number in range(len(texts))]
    for copy, text in zip(copies, texts, strict=True):
        copy.write_text(text)
    run("baker-format", "-i", *copies)
    for path, copy, text in zip(CORPUS, copies, texts, strict=True):
        before, after = TOKEN.findall(text), TOKEN.findall(copy.read_text())
        assert [t.rstrip() for t in after] == [t.rstrip() for t in before], path
    run("baker-format", "--check", *copies)


def test_format_refuses_what_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "p.baker"
    file.write_bytes(b"u32 a;\n\xff")
    refused = run("baker-format", "-i", file, status=1)
    assert "byte 7" in refused.stderr and "UTF-8" in refused.stderr
    assert file.read_bytes() == b"u32 a;\n\xff"


def test_the_library_and_the_applications_are_formatted() -> None:
    run("baker-format", "--check", *LIBRARY)


def test_format_in_place_and_check(tmp_path: Path) -> None:
    file = tmp_path / "p.baker"
    file.write_text(UGLY)
    run("baker-format", "--check", file, status=1)
    run("baker-format", "-i", file)
    assert file.read_text() == PRETTY
    run("baker-format", "--check", file)


def test_lsp_survives_nonsense() -> None:
    for body in (b"{", b"[]", b"null", b'{"method": "textDocument/didOpen"}'):
        done = subprocess.run(
            [BUILD / "bin/baker-lsp"],
            input=b"Content-Length: %d\r\n\r\n%s" % (len(body), body),
            capture_output=True,
        )
        assert done.returncode == 1


def test_the_editors_words_are_the_languages() -> None:
    grammar = (ROOT / "baker-lang/syntax/Baker.g4").read_text()
    words = set(re.findall(r"'([a-z_]+)'", grammar))
    folder = ROOT / "editors/vscode"
    colours = (folder / "syntaxes/baker.tmLanguage.json").read_text()
    for file in (folder / "package.json", folder / "language-configuration.json"):
        json.loads(file.read_text())
    json.loads(colours)
    missing = [word for word in sorted(words) if not re.search(rf"\b{word}\b", colours)]
    assert missing == []
    table = (ROOT / "baker-lang/tree/Primitives.cpp").read_text()
    primitives = set(re.findall(r'"(\w+)"', table.split("};")[0]))
    assert "packet_decap" in primitives
    pattern = re.search(r'"match": "(.*packet_\(.*)"', colours)
    assert pattern
    regex = re.compile(json.loads(f'"{pattern[1]}"'))
    assert [word for word in sorted(primitives) if not regex.fullmatch(word)] == []


def test_the_set_up_of_four_editors_is_well_formed() -> None:
    text = (ROOT / "docs/editors.md").read_text()
    for editor in ("Visual Studio Code", "Neovim", "Emacs", "Helix"):
        assert f"## {editor}" in text
    blocks = dict(re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL))
    helix = tomllib.loads(blocks["toml"])
    assert helix["language-server"]["baker-lsp"]["command"] == "baker-lsp"
    assert blocks["elisp"].count("(") == blocks["elisp"].count(")")
    assert blocks["lua"].count("function()") == blocks["lua"].count("end,")

"""baker-format, baker-lsp and the VS Code folder."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


#: What the server analyzes; line and column of a name by the name's text.
SOURCE = """\
import net.ether;
module m {
  @place(scratch) u32 count[4];
  u32 add(u32 amount) { count[1] += amount; return count[1]; }
  ppf p { in ether_pkt * in_cc; }
  wiring { rx -> p.in_cc; }
  p.ppf(ether_pkt * ph) {
    ph->type = add(2) + coutn[0];
    packet_drop(ph);
  }
}
"""


def session(*requests: dict[str, Any], text: str = SOURCE, folder: Path) -> list[Any]:
    """What the server says to the requests, with the document open."""
    uri = f"file://{folder}/p.baker"
    document = {"uri": uri, "languageId": "baker", "version": 1, "text": text}
    messages: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": document}},
    ]
    for number, request in enumerate(requests, 1):
        request["params"]["textDocument"] = {"uri": uri}
        messages.append({"id": number, **request})
    messages += [{"id": 99, "method": "shutdown"}, {"method": "exit"}]
    sent = b""
    for message in messages:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        sent += b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    done = subprocess.run(
        [BUILD / "bin/baker-lsp", ROOT / "runtime"], input=sent, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    answers, rest = [], done.stdout
    while rest:
        head, _, rest = rest.partition(b"\r\n\r\n")
        length = int(head.split(b":")[1])
        answers.append(json.loads(rest[:length]))
        rest = rest[length:]
    return answers


def at(word: str, nth: int = 0, text: str = SOURCE) -> dict[str, int]:
    place = [m.start() for m in re.finditer(rf"\b{word}\b", text)][nth]
    before = text[:place]
    return {"line": before.count("\n"), "character": place - before.rfind("\n") - 1}


def test_lsp_reports_errors(tmp_path: Path) -> None:
    answers = session(folder=tmp_path)
    assert answers[0]["result"]["capabilities"]["renameProvider"]
    published = answers[1]["params"]["diagnostics"]
    assert [item["code"] for item in published] == ["E-baker-020"]
    assert published[0]["range"]["start"] == at("coutn")
    assert "count" in published[0]["relatedInformation"][0]["message"]
    assert list(tmp_path.iterdir()) == []


def test_lsp_answers(tmp_path: Path) -> None:
    def ask(method: str, position: dict[str, int], **more: str) -> dict[str, Any]:
        return {
            "method": f"textDocument/{method}",
            "params": {"position": position, **more},
        }

    answers = session(
        ask("definition", at("add", 1)),
        ask("hover", at("count")),
        ask("hover", at("type")),
        ask("completion", at("coutn")),
        ask("rename", at("count"), newName="total"),
        ask("formatting", at("count")),
        folder=tmp_path,
    )
    results = {item["id"]: item["result"] for item in answers if "id" in item}
    assert results[1]["range"]["start"] == at("add")
    assert "4 words in scratch" in results[2]["contents"]["value"]
    assert "u16" in results[3]["contents"]["value"]
    labels = {item["label"] for item in results[4]}
    assert {"count", "add", "packet_drop", "critical", "type"} <= labels
    edits = next(iter(results[5]["changes"].values()))
    assert [edit["range"]["start"] for edit in edits] == [
        at("count"), at("count", 1), at("count", 2),
    ]  # fmt: skip
    assert results[6] == []


def test_lsp_tells_where_the_compiler_puts_data(tmp_path: Path) -> None:
    text = SOURCE.replace("coutn", "count").replace(
        "  u32 add(", "  u32 table[4096];\n  u32 add("
    )
    text = text.replace("count[0];", "table[ph->type];")
    answers = session(
        {"method": "textDocument/hover", "params": {"position": at("count", 1, text)}},
        {"method": "textDocument/hover", "params": {"position": at("table", 0, text)}},
        text=text,
        folder=tmp_path,
    )
    first, second = (
        item["result"]["contents"]["value"].splitlines()
        for item in answers
        if item.get("id") in (1, 2)
    )
    assert first[0] == "global variable 'count' : u32[4], 4 words in scratch"
    requested = r"placed in scratch at 0x[23]\w{3}: requested in the source"
    assert re.match(requested, first[1])
    assert second[0] == "global variable 'table' : u32[4096], 4096 words"
    assert re.match(r"placed in sram[01] at 0x\w+: .", second[1]), second


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

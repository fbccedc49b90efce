"""Makes docs/reference/library.md from Baker's library.

python tests/repository/library_page.py > docs/reference/library.md
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from repository import ROOT

HEAD = """\
# The library

What the files of `runtime/net/` and `runtime/router/` declare. `python
tests/repository/library_page.py > docs/reference/library.md` makes this page from
them. [language.md](../language.md#the-library) is the overview.
"""
MODULE = re.compile(r"module (\w+)(?:\((.*)\))? \{")
#: A function's declaration up to its brace, on one line or more.
FUNCTION = re.compile(r"  ((?:control |init )?\w+ \*? ?(\w+)\(([^{]*)\)) \{", re.S)
PROTOCOL = re.compile(r"protocol (\w+) \{")
FIELD = re.compile(r"  (\w+) : (.*);")
CONSTANT = re.compile(r"const (\w+) (\w+) = (.*?);(?: *// *(.*))?")


def comment_before(lines: list[str], index: int) -> str:
    """The text of the comment that ends above a line."""
    words: list[str] = []
    index -= 1
    while index >= 0 and lines[index].strip().startswith("//"):
        words.insert(0, lines[index].strip().removeprefix("//").strip())
        index -= 1
    return " ".join(words)


def first_comment(lines: list[str]) -> str:
    """The comment that opens a file, as paragraphs."""
    paragraphs: list[str] = [""]
    for line in lines:
        if not line.startswith("//"):
            break
        text = line[2:]
        if not text.strip():
            paragraphs.append("")
        elif text.startswith("   "):
            paragraphs[-1] += "\n    " + text.strip()
        else:
            paragraphs[-1] += ("\n" if paragraphs[-1] else "") + text.strip()
    # Lines with more blanks are pictures and formulas.
    return "\n\n".join(p.lstrip("\n") for p in paragraphs if p)


def protocol(lines: list[str], start: int) -> str:
    fields = []
    demux = ""
    for line in lines[start + 1 :]:
        if line.startswith("}"):
            break
        if field := FIELD.match(line):
            fields.append(f"`{field[1]}` {field[2].strip()}")
        elif found := re.match(r"  demux \{ (.*) \}", line):
            demux = f"; demux `{found[1].rstrip(';')}`"
    name = PROTOCOL.match(lines[start])
    assert name
    return f"**protocol `{name[1]}`**, bits by field: {', '.join(fields)}{demux}."


def module(lines: list[str], start: int) -> list[str]:
    """A module and its functions, except private ones."""
    found = MODULE.match(lines[start])
    assert found
    parameters = f"({found[2]})" if found[2] else ""
    parts = [f"### module `{found[1]}{parameters}`"]
    text = comment_before(lines, start)
    parts += [text] if text else []
    functions = []
    for index in range(start + 1, len(lines)):
        if lines[index].startswith("}"):
            break
        if constant := CONSTANT.match(lines[index].strip()):
            note = constant[4] or comment_before(lines, index)
            item = f"- `const {constant[1]} {constant[2]}` = {constant[3]}"
            functions.append(item + (f": {note}" if note else ""))
        function = FUNCTION.match("\n".join(lines[index : index + 4]))
        if not function:
            continue
        signature = " ".join(function[1].split())
        meaning = comment_before(lines, index)
        functions.append(f"- `{signature}`" + (f": {meaning}" if meaning else ""))
    return [*parts, "\n".join(functions)] if functions else parts


def section(path: Path) -> str:
    lines = path.read_text().splitlines()
    parts = [f"## `{path.parent.name}.{path.stem}`", first_comment(lines)]
    constants = []
    modules: list[str] = []
    for index, line in enumerate(lines):
        if PROTOCOL.match(line):
            parts.append(protocol(lines, index))
        elif found := CONSTANT.match(line):
            note = f" ({found[4]})" if found[4] else ""
            constants.append(f"`{found[1]} {found[2]}` = {found[3]}{note}")
        elif MODULE.match(line):
            modules += module(lines, index)
    if constants:
        parts.append("Constants: " + ", ".join(constants) + ".")
    return "\n\n".join([*parts, *modules]) + "\n"


def page() -> str:
    files = sorted((ROOT / "runtime/net").glob("*.baker"))
    files += sorted((ROOT / "runtime/router").glob("*.baker"))
    return "\n".join([HEAD, *(section(path) for path in files)])


if __name__ == "__main__":
    print(page(), end="")

"""Copies the parser's grammar into docs/language.md.

python tests/baker-lang/grammar.py --write
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from testkit.paths import ROOT

PAGE = ROOT / "docs/language.md"
BLOCK = re.compile(r"(?<=```antlr\n).*?(?=```)", re.S)


def grammar() -> str:
    """The rules of Baker.g4 without comments, labels and lexer commands."""
    text = (ROOT / "baker-lang/syntax/Baker.g4").read_text()
    text = re.sub(r"^\s*//.*\n", "", text, flags=re.M)
    text = re.sub(r"^grammar Baker;\n", "", text, flags=re.M)
    text = re.sub(r"\s+# \w+[ ]*$", "", text, flags=re.M)
    text = re.sub(r"\b(op|condition|step)=", "", text)
    text = re.sub(r" -> channel\(\w+\)", "", text)
    text = re.sub(r"\n{3,}", "\n\n", text)
    # Tokens after them are errors.
    return text[: text.index("DIRECTIVE :")].strip() + "\n"


def page_with_grammar() -> str:
    return BLOCK.sub(lambda _: grammar(), PAGE.read_text(), count=1)


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    PAGE.write_text(page_with_grammar())

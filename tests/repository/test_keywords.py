"""docs/language.md lists the keywords of the grammar."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from repository import ROOT

LIST = re.compile(r"words are keywords.*?:\n\n(.*?)\n\n", re.S)


def keywords() -> set[str]:
    grammar = (ROOT / "baker-lang/syntax/Baker.g4").read_text()
    return set(re.findall(r"'([a-z][a-z_]+)'", re.sub("//.*", "", grammar)))


def test_the_list_of_keywords_is_complete() -> None:
    listed = LIST.search((ROOT / "docs/language.md").read_text())
    assert listed
    words = re.findall(r"`(\w+)`", listed[1])
    assert words == sorted(keywords())
    assert {"ppf", "while", "critical", "static_assert"} <= set(words)

"""docs/reference/library.md agrees with runtime/net/ and runtime/router/."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from library_page import page

from repository import ROOT


def test_the_library_page_is_current() -> None:
    assert (ROOT / "docs/reference/library.md").read_text() == page(), (
        "run: python tests/repository/library_page.py > docs/reference/library.md"
    )


def test_the_page_has_what_programs_use() -> None:
    text = page()
    for part in (
        "- `u32 sum(ipv4_pkt * iph, u32 option_words)`: The ones-complement sum",
        "**protocol `ether`**, bits by field: `dst` 48, `src` 48, `type` 16",
        "`u16 ETH_TYPE_IPV4` = 0x0800",
        "### module `lpm(u32 NODES)`",
    ):
        assert part in text

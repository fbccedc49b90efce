"""Makes the pictures of docs/explorer.md: python tests/explorer/screenshots.py

Needs a build, `.venv` with the explorer, and Chromium.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from explorer.serving import explorer, make_workspace, open_tab, until  # noqa: E402
from testkit.browser import open_browser, set_screen  # noqa: E402

PICTURES = ROOT / "docs/explorer"
DONE = "return document.querySelector('.head .note').innerText.includes('packets')"
#: What is there when a view has been drawn.
DRAWN = {
    "Source": "return document.querySelector('.code:not(.source) .cm-line.lit')",
    "Chip": "return !!document.querySelector('iframe.page')?.contentDocument"
    "?.querySelector('#plan .engine')",
    "Journey": "return document.querySelector('.bytes mark')",
    "Decisions": "return document.querySelector('.decisions li')",
    "Experiments": "return document.querySelector('.text tbody tr')",
}


def _prepare(browser: Any, name: str) -> None:
    if name == "Source":
        browser.execute_script(
            "document.querySelector('.source .cm-scroller').scrollTop = 1200"
        )
        until(
            browser,
            "return [...document.querySelectorAll('.source .cm-line[data-cost]')]"
            ".some(line => line.innerText.includes('ph->type'))",
        )
        for line in browser.find_elements(
            "css selector", ".source .cm-line[data-cost]"
        ):
            if "ph->type" in line.text:
                line.click()
                break
        browser.execute_script(
            "document.querySelector('.source .cm-scroller').scrollLeft = 0"
        )
    elif name == "Journey":
        until(browser, "return document.querySelector('.packets button')").click()


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_workspace(folder, packets=2000)
        arguments = ("--trace=t.pcap", "--control=t.control")
        with (
            explorer(folder, "l3-switch/l3_switch.baker", *arguments) as address,
            open_browser(folder / "profile") as browser,
        ):
            set_screen(browser, 1280, "light", height=800)
            browser.get(address)
            until(browser, DONE)
            until(
                browser,
                "return document.querySelector('.pane:last-child .note')"
                ".innerText.includes('lines')",
            )
            for view, drawn in DRAWN.items():
                set_screen(browser, 1280, "dark" if view == "Journey" else "light", 800)
                open_tab(browser, view)
                _prepare(browser, view)
                until(browser, drawn)
                browser.execute_async_script("setTimeout(arguments[0], 600)")
                browser.save_screenshot(str(PICTURES / f"{view.lower()}.png"))


if __name__ == "__main__":
    main()

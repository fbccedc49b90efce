"""The pictures of docs/explorer.md: python tests/explorer/screenshots.py makes them.

Needs a build, `.venv` with the explorer, and Chromium. `tests/explorer/test_page.py`
compares the page with them.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from explorer.serving import explorer, make_workspace, open_tab, until  # noqa: E402
from testkit.browser import ENVIRONMENT, open_browser, set_screen  # noqa: E402

PICTURES = ROOT / "docs/explorer"
WIDTH, HEIGHT = 1280, 800
PROGRAM = "l3-switch/l3_switch.baker"
ARGUMENTS = (PROGRAM, "--trace=t.pcap", "--control=t.control")
DONE = "return document.querySelector('.head .note').innerText.includes('packets')"
LISTED = (
    "return document.querySelector('.pane:last-child .note').innerText"
    ".includes('lines')"
)
#: What is there when a view has been drawn.
DRAWN = {
    "Source": "return document.querySelector('.code:not(.source) .cm-line.lit')",
    "Chip": "return !!document.querySelector('iframe.page')?.contentDocument"
    "?.querySelector('#plan .engine')",
    "Journey": "return document.querySelector('.bytes mark')",
    "Decisions": "return document.querySelector('.decisions li')",
    "Experiments": "return document.querySelector('.text tbody tr')",
    "Labs": "return document.querySelector('.lab img')?.naturalWidth > 0",
}
#: Views whose picture is dark.
DARK = ("Journey",)
#: The fonts of the pictures, which come with Debian's fontconfig.
FONTS = {"system-ui": "DejaVu Sans", "monospace": "DejaVu Sans Mono"}
#: Side of the squares whose mean colours are compared, in pixels; how far a mean may
#: be from that of the picture, of 255.
SQUARE, DISTANCE = 40, 20


def _prepare(browser: Any, name: str) -> None:
    if name == "Source":
        until(browser, LISTED)
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


def take(browser: Any, view: str) -> Image.Image:
    """The picture of a view, after the first run."""
    set_screen(browser, WIDTH, "dark" if view in DARK else "light", HEIGHT)
    open_tab(browser, view)
    _prepare(browser, view)
    until(browser, DRAWN[view])
    browser.execute_async_script("setTimeout(arguments[0], 600)")
    return shot(browser)


def shot(browser: Any) -> Image.Image:
    """The page as it is."""
    return Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")


def difference(found: Image.Image, wanted: Image.Image) -> float:
    """The share of squares whose mean colours are far from each other. Another font
    moves letters within their squares, and a number that changed is a part of one;
    what is missing, moved or of another colour fills many."""
    if found.size != wanted.size:
        return 1.0
    size = (found.width // SQUARE, found.height // SQUARE)
    box = Image.Resampling.BOX
    means = ImageChops.difference(found.resize(size, box), wanted.resize(size, box))
    data = means.tobytes()
    far = sum(max(data[at : at + 3]) > DISTANCE for at in range(0, len(data), 3))
    return far / (size[0] * size[1])


def other_font() -> str:
    """A font that the page has here instead of the pictures', or an empty text."""
    for generic, family in FONTS.items():
        words = ["fc-match", "-f", "%{family}", generic]
        done = subprocess.run(
            words, capture_output=True, text=True, check=True, env=ENVIRONMENT
        )
        if done.stdout != family:
            return done.stdout
    return ""


def picture_of(view: str) -> Path:
    return PICTURES / f"{view.lower()}.png"


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_workspace(folder)
        with (
            explorer(folder, *ARGUMENTS) as address,
            open_browser(folder / "profile") as browser,
        ):
            set_screen(browser, WIDTH, "light", HEIGHT)
            browser.get(address)
            until(browser, DONE)
            for view in DRAWN:
                take(browser, view).save(picture_of(view))


if __name__ == "__main__":
    main()

"""The page in a real browser: every view, keys, both colours, a narrow window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from explorer.serving import explorer, make_workspace, serious_findings, until
from testkit.browser import open_browser, set_screen
from testkit.tools import requires

pytestmark = requires("bakerc", "baker-lsp", "ixpsim")

DONE = "return document.querySelector('.head .note').innerText.includes('packets')"
LIT = "return document.querySelectorAll('.code:not(.source) .cm-line.lit').length"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("explorer")
    make_workspace(made)
    return made


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    arguments = ("--trace=t.pcap", "--control=t.control")
    with explorer(folder, "l3-switch/l3_switch.baker", *arguments) as found:
        yield found


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory, address: str) -> Iterator[Any]:
    with open_browser(tmp_path_factory.mktemp("profile")) as found:
        set_screen(found, 1280, "light")
        found.get(address)
        until(found, DONE)
        yield found


def open_tab(browser: Any, name: str) -> None:
    browser.execute_script(
        "[...document.querySelectorAll('[role=tab]')]"
        ".find(tab => tab.innerText.trim() === arguments[0]).click()",
        name,
    )


def test_a_line_is_lit_in_the_microcode(browser: Any) -> None:
    set_screen(browser, 1280, "light")
    open_tab(browser, "Source")
    until(browser, "return document.querySelector('.source .cm-line[data-cost]')")
    until(browser, "return document.body.innerText.includes(' lines')")
    browser.execute_script(
        "[...document.querySelectorAll('.source .cm-line[data-cost]')].pop()"
        ".scrollIntoView()"
    )
    line = browser.find_elements("css selector", ".source .cm-line[data-cost]")[-1]
    line.click()
    until(browser, LIT)


#: Types a mistake, and then a line that has not reached the server yet.
TYPE_TWICE = """
  const source = document.querySelector(".source");
  const element = getElement(Number(source.id.slice(1)));
  const type = (insert) =>
    element.editor.dispatch({changes: {from: 0, insert}});
  element.editor.scrollDOM.scrollTop = 0;
  type("broken(;\\n");
  element.emitting = false;
  type("// on its way\\n");
  element.emitting = true;
"""
TEXT = """
  const source = document.querySelector(".source");
  return getElement(Number(source.id.slice(1))).editor.state.doc.toString();
"""


def test_marks_leave_what_is_being_typed(browser: Any) -> None:
    open_tab(browser, "Source")
    until(browser, "return document.querySelector('.source .cm-line')")
    browser.execute_script(TYPE_TWICE)
    until(browser, "return document.querySelector('.messages li')")
    until(browser, "return document.querySelector('.source .cm-line .error')")
    assert browser.execute_script(TEXT).startswith("// on its way\nbroken(;\n")
    browser.refresh()
    until(browser, DONE)


def test_the_chip_plays(browser: Any) -> None:
    set_screen(browser, 1280, "light")
    open_tab(browser, "Chip")
    until(browser, "return document.querySelector('iframe.page')")
    browser.switch_to.frame(browser.find_element("css selector", "iframe.page"))
    try:
        until(browser, "return document.querySelectorAll('#plan .engine').length === 8")
        slider = browser.find_element("css selector", "#time")
        slider.send_keys("\ue012")  # one step to the left
        assert "cycle" in browser.find_element("css selector", "#now").text
        engine = browser.find_element("css selector", "[data-engine='3']")
        engine.send_keys("\ue007")
        assert "Engine 3" in browser.find_element("css selector", "#engine-title").text
        assert serious_findings(browser) == []
    finally:
        browser.switch_to.default_content()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("name", ["Source", "Chip"])
def test_each_view(browser: Any, name: str, width: int, scheme: str) -> None:
    """Nothing scrolls sideways, axe finds nothing serious, the console is empty."""
    set_screen(browser, width, scheme)
    open_tab(browser, name)
    until(
        browser,
        f"return document.querySelector('[role=tab][aria-selected=true]')"
        f".innerText.trim() === '{name}'",
    )
    dark = "return document.body.classList.contains('body--dark')"
    until(browser, f"{dark} === {str(scheme == 'dark').lower()}")
    assert (
        browser.execute_script("return document.documentElement.scrollWidth") <= width
    )
    assert serious_findings(browser) == []
    messages = browser.get_log("browser")
    assert [m for m in messages if m["level"] != "INFO"] == []

"""The page in a real browser: every view, keys, both colours, a narrow window."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from PIL import Image

from explorer import screenshots
from explorer.serving import (
    EDITABLE,
    click,
    explorer,
    make_workspace,
    open_tab,
    serious_findings,
    until,
)
from testkit.browser import open_browser, set_screen
from testkit.captures import write_pcap
from testkit.tools import requires

pytestmark = requires("bakerc", "baker-lsp", "ixpsim")

VIEWS = ["Source", "Chip", "Journey", "Decisions", "Experiments", "Labs"]
DONE = screenshots.DONE
LISTING = ".code:not(.source)"
LIT = f"return document.querySelectorAll('{LISTING} .cm-line.lit').length"
NOTE = "return document.querySelector('.pane:last-child .note').innerText"
ENTER, LEFT, CONTROL = "\ue007", "\ue012", "\ue009"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("explorer")
    make_workspace(made)
    (made / "more").mkdir()
    write_pcap(made / "more/few.pcap", [bytes(60)] * 7)
    return made


#: The share of a picture that may differ, see `screenshots.difference`.
ALLOWED = 0.045


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with explorer(folder, *screenshots.ARGUMENTS) as found:
        yield found


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory, address: str) -> Iterator[Any]:
    with open_browser(tmp_path_factory.mktemp("profile")) as found:
        set_screen(found, 1280, "light")
        found.get(address)
        until(found, DONE)
        yield found


def find(browser: Any, selector: str) -> Any:
    return browser.find_element("css selector", selector)


def text_of(browser: Any, selector: str) -> str:
    """The text of an element, read in one step: the page may build the element
    again between one command of the browser's driver and the next."""
    return str(until(browser, f"return document.querySelector({selector!r}).innerText"))


def press_right(browser: Any, name: str) -> None:
    """Moves a slider by the keyboard."""
    from selenium.webdriver.common.action_chains import ActionChains

    slider = find(browser, f"[role=slider][aria-label='{name}'] [tabindex]")
    browser.execute_script("arguments[0].focus()", slider)
    ActionChains(browser).send_keys("\ue014").perform()


def choose_form(browser: Any, name: str) -> None:
    click(browser, ".q-btn-toggle button", name)


def click_costly_line(browser: Any) -> int:
    """Puts the cursor on a line that cost cycles, and returns its number."""
    from selenium.common.exceptions import StaleElementReferenceException
    from selenium.webdriver.support.wait import WebDriverWait

    until(browser, "return document.querySelector('.source .cm-line[data-cost]')")
    browser.execute_script(
        "document.querySelector('.source .cm-scroller').scrollTop = 1200"
    )

    def click_line(_: Any) -> tuple[str, str] | None:
        line = browser.execute_script(
            "return [...document.querySelectorAll('.source .cm-line[data-cost]')]"
            ".find(line => line.innerText.includes('ph->type'))"
        )
        if line is None:
            return None
        line.click()
        return line.get_attribute("data-more"), line.get_attribute("data-cost")

    # The editor makes its lines again when it is scrolled.
    again = (StaleElementReferenceException,)
    more, cost = WebDriverWait(browser, 60, 0.1, again).until(click_line)
    # It reads the packet, so it has a memory command, too.
    assert float(more[:6]) > 0
    return int(float(cost))


def distance(browser: Any, name: str) -> float:
    """How far the page is from the picture of a view."""
    with Image.open(screenshots.picture_of(name)) as wanted:
        return screenshots.difference(screenshots.shot(browser), wanted.convert("RGB"))


@pytest.mark.parametrize("name", VIEWS)
def test_each_view_looks_as_in_its_picture(browser: Any, name: str) -> None:
    """First in this file, because the pictures are those of the first run."""
    if other := screenshots.other_font():
        pytest.skip(f"the pictures have letters of DejaVu, this machine {other}")
    screenshots.take(browser, name)
    help = "look at the page, then: python tests/explorer/screenshots.py"
    assert distance(browser, name) <= ALLOWED, help
    # A page without its head would not do.
    hide = "document.querySelector('.head').style.display = arguments[0]"
    browser.execute_script(hide, "none")
    assert distance(browser, name) > ALLOWED
    browser.execute_script(hide, "")


def test_the_line_of_the_cursor_is_lit_in_every_form(browser: Any) -> None:
    set_screen(browser, 1280, "light")
    open_tab(browser, "Source")
    until(browser, NOTE + ".includes('lines')")
    assert click_costly_line(browser) > 0
    for form in ("Microcode", "LLVM IR", "Tree", "Dialect"):
        choose_form(browser, form)
        until(browser, LIT)
    until(browser, "return document.querySelector('.passes .note').innerText")
    assert "program: after" in text_of(browser, ".passes .note")


def test_the_slider_goes_through_the_passes(browser: Any) -> None:
    open_tab(browser, "Source")
    choose_form(browser, "Dialect")
    until(browser, "return document.querySelector('.passes .note').innerText")
    first = text_of(browser, ".passes .note")
    for _ in range(4):
        press_right(browser, "Pass")
    until(
        browser,
        "return document.querySelector('.passes .note').innerText"
        f" !== {first!r} && {NOTE.removeprefix('return ')}.includes('new')",
    )


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
    until(browser, EDITABLE)
    browser.execute_script(TYPE_TWICE)
    until(browser, "return document.querySelector('.messages li')")
    until(browser, "return document.querySelector('.source .cm-line .error')")
    assert browser.execute_script(TEXT).startswith("// on its way\nbroken(;\n")
    browser.refresh()
    until(browser, DONE)


def test_an_error_is_shown_while_one_types(browser: Any) -> None:
    open_tab(browser, "Source")
    editor = find(browser, ".source .cm-content")
    editor.click()
    editor.send_keys(CONTROL + "\ue011")  # to the beginning
    editor.send_keys("x")
    message = until(browser, "return document.querySelector('.messages button')")
    assert "line 1" in message.text
    editor.send_keys("\ue003")  # back
    until(browser, "return !document.querySelector('.messages button')")


def test_the_keyboard_saves_and_runs(browser: Any, folder: Path) -> None:
    open_tab(browser, "Source")
    path = folder / "l3-switch/l3_switch.baker"
    before = path.read_text()
    editor = find(browser, ".source .cm-content")
    editor.click()
    editor.send_keys(CONTROL + "\ue011")
    editor.send_keys("// a comment" + ENTER)
    editor.send_keys(CONTROL + "s")
    until(browser, DONE.replace("'packets'", "'compiling'"))
    until(browser, DONE)
    assert path.read_text() == "// a comment\n" + before


def choose(browser: Any, label: str, option: str) -> None:
    """Takes an option of a list, by the keys that open it and a click."""
    field = f"document.querySelector(\"input[aria-label='{label}']\")"
    until(browser, f"return {field}")
    browser.execute_script(f"{field}.focus()")
    browser.switch_to.active_element.send_keys("\ue015")
    click(browser, ".q-menu .q-item", option)


def press_run(browser: Any) -> None:
    click(browser, ".text button", "Run")


def test_the_trace_is_chosen_in_the_page(browser: Any) -> None:
    open_tab(browser, "Experiments")
    note = "return document.querySelector('.head .note').innerText"
    rows = "[...document.querySelectorAll('.text tbody tr')]"
    choose(browser, "Trace", "more/few.pcap")
    press_run(browser)
    until(browser, f"{note}.startsWith('7 packets')")
    row, commands = f"return {rows}.at(-1).innerText", ".commands"
    assert "few.pcap" in browser.execute_script(row)
    assert "--trace=more/few.pcap" in text_of(browser, commands)
    choose(browser, "Trace", "none")
    press_run(browser)
    until(browser, f"{note}.includes('choose a trace')")
    assert "ixpsim" not in text_of(browser, commands)
    choose(browser, "Trace", "t.pcap")
    press_right(browser, "DRAM latency")
    press_run(browser)
    until(browser, f"{note}.startsWith('200 packets')")
    assert "--set=dram.latency=10" in text_of(browser, commands)


def test_keys_lead_to_every_view_and_into_it(browser: Any) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    set_screen(browser, 1280, "light")
    open_tab(browser, VIEWS[0])
    browser.execute_script("document.querySelector('[role=tab]').focus()")
    chosen = "document.querySelector('[role=tab][aria-selected=true]')"
    for name in VIEWS:
        tab = f"return {chosen}.innerText.trim() === {name!r}"
        until(browser, tab)
        # From the tab into the view, and back.
        ActionChains(browser).send_keys("\ue004").perform()
        until(browser, "return document.activeElement.closest('main') !== null")
        seen = "getComputedStyle(document.activeElement).outlineStyle"
        inside = "document.activeElement.closest('.q-field, .cm-editor, iframe')"
        assert browser.execute_script(f"return {seen} !== 'none' || !!{inside}")
        browser.execute_script(f"{chosen}.focus()")
        ActionChains(browser).send_keys("\ue014", ENTER).perform()


def test_the_chip_plays_and_an_engine_tells_its_contexts(browser: Any) -> None:
    set_screen(browser, 1280, "light")
    open_tab(browser, "Chip")
    until(browser, "return document.querySelector('iframe.page')")
    browser.switch_to.frame(find(browser, "iframe.page"))
    try:
        until(browser, "return document.querySelectorAll('#plan .engine').length === 8")
        find(browser, "#time").send_keys(LEFT)
        assert "cycle" in text_of(browser, "#now")
        find(browser, "[data-engine='3']").send_keys(ENTER)
        assert "Engine 3" in text_of(browser, "#engine-title")
        # What each context does, cycle by cycle, comes from the server.
        until(browser, "return document.querySelectorAll('.gantt rect').length > 8")
        find(browser, "#play").send_keys(ENTER)
        until(browser, "return document.querySelector('#play').innerText === 'Pause'")
        find(browser, "#play").click()
        assert serious_findings(browser) == []
    finally:
        browser.switch_to.default_content()


def test_a_packets_journey(browser: Any) -> None:
    set_screen(browser, 1280, "light")
    open_tab(browser, "Journey")
    until(browser, "return document.querySelectorAll('.packets button').length === 12")
    find(browser, ".packets button").click()
    until(browser, "return document.querySelectorAll('.text tbody tr').length > 40")
    body = browser.execute_script("return document.body.innerText")
    assert "cycles of waiting" in body and "dram[read" in body
    # A router changes at least the addresses and the TTL.
    assert len(browser.find_elements("css selector", ".bytes mark")) >= 3


def test_a_decision_leads_to_its_line(browser: Any) -> None:
    open_tab(browser, "Decisions")
    until(browser, "return document.querySelectorAll('.decisions li').length > 3")
    find(browser, "input[aria-label='Containing']").send_keys("load of @hops.mac")
    items = "[...document.querySelectorAll('.decisions li')]"
    of = "item => item.innerText.includes('load of @hops.mac')"
    until(browser, f"return {items}.length > 0 && {items}.every({of})")
    assert "the engine's copy" in text_of(browser, ".decisions li")
    browser.execute_script("document.querySelector('.decisions li button').click()")
    until(browser, LIT.replace(LISTING, ".source"))
    assert "mac_addr" in text_of(browser, ".source .cm-line.lit")


def test_experiments_stand_side_by_side(browser: Any) -> None:
    open_tab(browser, "Experiments")
    until(browser, "return document.querySelector('.commands')")
    rows = "return document.querySelectorAll('.text tbody tr').length"
    before = browser.execute_script(rows)
    press_right(browser, "Engines")
    press_run(browser)
    until(browser, f"{rows} === {before + 1}")
    commands = text_of(browser, ".commands")
    assert "--mes=1" in commands and "ixpsim run.ixp" in commands


def test_the_labs_open(browser: Any) -> None:
    open_tab(browser, "Labs")
    until(browser, "return document.querySelector('.lab h1, .lab h2')")
    text = text_of(browser, ".lab")
    assert "Open" in text and len(text) > 500


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("name", VIEWS)
def test_each_view(browser: Any, name: str, width: int, scheme: str) -> None:
    """Nothing scrolls sideways, axe finds nothing serious, the console is empty."""
    set_screen(browser, width, scheme)
    open_tab(browser, name)
    until(
        browser,
        "return document.querySelector('[role=tab][aria-selected=true]')"
        f".innerText.trim() === '{name}'",
    )
    dark = "return document.body.classList.contains('body--dark')"
    until(browser, f"{dark} === {str(scheme == 'dark').lower()}")
    if name == "Source":  # the editors take their colours from the server
        text = "getComputedStyle(found).color.match(/\\d+/)[0] > 128"
        editors = "[...document.querySelectorAll('.cm-content')]"
        wanted = str(scheme == "dark").lower()
        until(browser, f"return {editors}.every(found => ({text}) === {wanted})")
    wide = browser.execute_script("return document.documentElement.scrollWidth")
    assert wide <= width
    assert serious_findings(browser) == []
    messages = browser.get_log("browser")
    assert [m for m in messages if m["level"] != "INFO"] == []
    loaded = "return performance.getEntriesByType('resource').map(r => r.name)"
    origin = browser.execute_script("return location.origin")
    for url in browser.execute_script(loaded):
        assert url.startswith((origin, "data:", "blob:")), url


def test_a_stranger_gets_nothing(address: str) -> None:
    parts = urlsplit(address)
    for path in ("/", "/runs/0/page", "/pictures/t.svg", "/_nicegui_ws/socket.io/"):
        connection = http.client.HTTPConnection(parts.netloc, timeout=30)
        connection.request("GET", path)
        assert connection.getresponse().status == 403, path
        connection.close()

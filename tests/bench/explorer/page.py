"""The benchmark `explorer`: how long a person waits for the explorer's page.

A real browser measures the first paint, and the time from an edit and Ctrl-S to the
new result of the L3-Switch over 2,000 packets. A run of a million packets is read as
the page reads it: into SQLite once, and from there a page of packets at a time.
"""

from __future__ import annotations

import resource
import shutil
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from bench.harness.bench import Bench, Failed, Missing, progress
from bench.harness.text_table import table
from explorer.serving import EDITABLE, explorer, open_tab, until
from testkit.browser import open_browser, set_screen
from testkit.tools import run_npftrace

PROGRAM = "l3-switch/l3_switch.baker"
PACKETS, ROUTES = 2_000, 10_000
#: Packets of the large run, and of the one that `--quick` takes.
MANY, MANY_QUICK = 1_000_000, 20_000
#: Packets that the page lists at a time, and how often an edit is measured.
ROWS, EDITS = 12, 3
#: The most seconds that a result may take.
RESULT_S = 600

#: A new first line in the editor; what the page draws meanwhile does not matter.
INSERT = """
  const source = document.querySelector(".source");
  const editor = getElement(Number(source.id.slice(1))).editor;
  editor.dispatch({changes: {from: 0, insert: arguments[0]}});
  editor.focus();
"""
HEAD = "document.querySelector('.head .note').innerText"
PAINT = """
  const found = performance.getEntriesByName("first-contentful-paint");
  return found.length ? found[0].startTime : 0;
"""
#: Presses the key that saves, and tells the milliseconds until the head has said that
#: it compiles, and then something else. The page tells it itself: looks from outside,
#: many a second, would take part of the processors that compile.
SAVED = """
  const [editor, done] = arguments, start = performance.now();
  const note = document.querySelector(".head .note");
  let began = false;
  const observer = new MutationObserver(() => {
    const compiles = note.innerText.includes("compiling");
    began = began || compiles;
    if (!began || compiles) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(
      () => done([performance.now() - start, note.innerText])));
  });
  observer.observe(note, {childList: true, characterData: true, subtree: true});
  editor.dispatchEvent(new KeyboardEvent("keydown",
    {key: "s", code: "KeyS", keyCode: 83, ctrlKey: true, bubbles: true}));
"""
Result = TypeVar("Result")


def seconds_of(work: Callable[[], Result]) -> tuple[float, Result]:
    start = time.monotonic()
    result = work()
    return time.monotonic() - start, result


def _edit(browser: Any, number: int) -> float:
    """Seconds from the key that saves an edit until the new result is drawn."""
    browser.execute_script(INSERT, f"// edit {number}\n")
    editor = browser.find_element("css selector", ".source .cm-content")
    browser.set_script_timeout(RESULT_S)
    milliseconds, note = browser.execute_async_script(SAVED, editor)
    if "packets" not in note:
        raise Failed(f"after edit {number} the page says: {note}")
    return float(milliseconds) / 1000


def page_times(folder: Path) -> dict[str, float]:
    """What a person at the page waits for. The program lies in `folder`."""
    arguments = ("--trace=t.pcap", "--control=t.control")
    with (
        explorer(folder, PROGRAM, *arguments) as address,
        open_browser(folder / "profile") as browser,
    ):
        set_screen(browser, 1280, "light")
        browser.get(address)
        until(browser, f"return {HEAD}.includes('packets')")
        browser.refresh()
        paint = until(browser, PAINT)
        open_tab(browser, "Source")
        until(browser, EDITABLE)
        edits = sorted(_edit(browser, number) for number in range(EDITS))
    return {"first_paint_s": paint / 1000, "edit_to_result_s": edits[EDITS // 2]}


def many_packets(bench: Bench, folder: Path, count: int) -> dict[str, float]:
    """Simulates `count` packets, and reads the run as the page does."""
    from baker_explorer.record import CHOICES, Record

    image, csv = folder / "l3.ixp", folder / "many"
    trace = f"--trace={folder}/t.pcap"
    control = f"--control={folder}/t.control"
    bench.run(
        "bakerc", folder / PROGRAM, f"--profile-trace={folder}/t.pcap", control, "-o",
        image,
    )  # fmt: skip
    simulated, _ = bench.run(
        "ixpsim", image, trace, control, f"--packets={count}", f"--record={csv}",
        f"--html={folder}/many.html", "--quiet",
    )  # fmt: skip
    peak = _peak_mib()
    base = folder / "many.sqlite"
    opened, record = seconds_of(lambda: Record.make(csv, base))
    pages = []
    for choice in CHOICES:
        size = record.count(choice)
        for first in (0, max(0, size - ROWS)):
            seconds, rows = seconds_of(
                lambda c=choice, f=first: record.packets(c, f, ROWS)
            )
            assert len(rows) == min(ROWS, size)
            pages.append(seconds)
    spans_s, _ = seconds_of(lambda: record.spans(1, 0, 100))
    bases = folder.glob("many*.sqlite")
    return {
        "packets": count,
        "simulate_s": simulated,
        "read_s": opened,
        "spans_s": spans_s,
        "first_page_s": pages[0],
        "slowest_page_s": max(pages),
        "memory_mib": _peak_mib() - peak,
        "database_mib": sum(base.stat().st_size for base in bases) / (1 << 20),
        "html_mib": (folder / "many.html").stat().st_size / (1 << 20),
    }


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def page(bench: Bench) -> dict[str, Any]:
    """First paint, edit to result, and a run of a million packets."""
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        raise Missing("chromium is not installed")
    if not find_spec("baker_explorer") or not find_spec("nicegui"):
        raise Missing("baker-explorer is not installed: run ./dev bench explorer")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(bench.root / "apps/l3-switch", folder / "l3-switch")
        make_trace(folder)
        progress("explorer, the page")
        times = page_times(folder)
        count = MANY_QUICK if bench.quick else MANY
        progress(f"explorer, {count:,} packets")
        many = many_packets(bench, folder, count)
    rows: list[list[object]] = [[key, value] for key, value in times.items()]
    table(f"the page, L3-Switch with {PACKETS:,} packets", ["", "value"], rows)
    rows = [[key, value] for key, value in many.items()]
    table("a large run", ["", "value"], rows)
    return {**times, "many": many}


def make_trace(folder: Path) -> None:
    run_npftrace(
        "make", "ipv4", "--seed=7", f"--packets={PACKETS}", f"--routes={ROUTES}",
        f"--out={folder}/t.pcap", f"--control={folder}/t.control",
    )  # fmt: skip

"""Starts baker-explorer, and looks at its page."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from axe_core_python.selenium import Axe

from testkit.paths import BUILD, ROOT
from testkit.tools import run_npftrace

#: Seconds that anything may take, on a busy machine.
SECONDS = 90
#: Wrong findings of axe: it does not see what is drawn behind text.
IMPACTS = ("serious", "critical")


def make_workspace(folder: Path, packets: int = 200) -> None:
    """The L3-Switch, a trace for it, and a lab."""
    lab = "labs/01-first-packets"
    shutil.copytree(ROOT / lab, folder / lab)
    shutil.copytree(ROOT / "apps/l3-switch", folder / "l3-switch")
    run_npftrace(
        "make", "ipv4", "--seed=7", f"--packets={packets}", "--routes=50",
        "--no-route=0.02", f"--out={folder}/t.pcap", f"--control={folder}/t.control",
    )  # fmt: skip


def tool_environment() -> dict[str, str]:
    """The environment with the tools of the build on the path."""
    path = f"{BUILD}/bin:{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path}


@contextmanager
def explorer(folder: Path, *arguments: str) -> Iterator[str]:
    """A running explorer; gives the address that it prints."""
    command = [sys.executable, "-m", "baker_explorer", "--no-browser", *arguments]
    process = subprocess.Popen(
        command, cwd=folder, env=tool_environment(), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    try:
        printed = ""
        while not (found := re.search(r"http://\S+", printed)):
            line = process.stdout.readline()
            assert line, f"baker-explorer ended with {process.wait()}: {printed}"
            printed += line
        yield found[0]
    finally:
        process.terminate()
        process.wait(SECONDS)


def open_tab(browser: Any, name: str) -> None:
    """Opens a view of the page."""
    click(browser, "[role=tab]", name)


def click(browser: Any, selector: str, text: str) -> None:
    """Waits for the element of a selector that shows a text, and clicks on it."""
    element = f"[...document.querySelectorAll({selector!r})]"
    shows = f"element => element.innerText.trim() === {text!r}"
    until(browser, f"{element}.find({shows}).click(); return true")


def until(browser: Any, script: str) -> Any:
    """Waits until a script gives something true, and returns it. While a view is
    built, elements that the script reads may be missing: it is tried again."""
    from selenium.common.exceptions import JavascriptException
    from selenium.webdriver.support.ui import WebDriverWait

    wait = WebDriverWait(browser, SECONDS, ignored_exceptions=[JavascriptException])
    return wait.until(lambda driver: driver.execute_script(script), script)


#: The page is complete, and the user may type.
EDITABLE = "return document.querySelector('.source .cm-content[contenteditable=true]')"


def serious_findings(browser: Any) -> list[str]:
    """What axe finds in the page, except what is minor."""
    found = Axe().run(browser)["violations"]
    return [
        f"{finding['id']}: {node['target']} {node['failureSummary']}"
        for finding in found
        if finding["impact"] in IMPACTS
        for node in finding["nodes"]
    ]

"""A real browser without a window, for tests of pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

#: The environment of the browser: it has the fonts of `fonts.conf` alone.
ENVIRONMENT = {
    **os.environ,
    "FONTCONFIG_FILE": str(Path(__file__).parent / "fonts.conf"),
}
#: Seconds that a script of a test may take, on a busy machine.
SCRIPT_SECONDS = 180


@contextmanager
def open_browser(profile: Path) -> Iterator[Any]:
    """Chromium with an empty profile; skips the test if it is not installed."""
    chromium, driver = (shutil.which(name) for name in ("chromium", "chromedriver"))
    if not chromium or not driver:
        pytest.skip("no chromium: ./dev test installs it")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (
        "headless=new",
        "no-sandbox",
        "disable-gpu",
        f"user-data-dir={profile}",
    ):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    found = webdriver.Chrome(options=options, service=Service(driver, env=ENVIRONMENT))
    found.set_script_timeout(SCRIPT_SECONDS)
    try:
        yield found
    finally:
        found.quit()


def set_screen(browser: Any, width: int, scheme: str, height: int = 900) -> None:
    """Sets the size of the page, and the colours that it is asked for."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
    )
    media = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [media]})

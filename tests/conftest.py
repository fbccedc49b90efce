"""The environment of the programs that tests start.

Under `./dev test --sanitize` the interpreter runs with the sanitizers' runtime
preloaded, for our extension modules are built with it. The tools bring their
own runtime, other programs are not built with it, and both are to be started
without.
"""

import os

import pytest

LEAKS_OFF = ":detect_leaks=0"


def pytest_configure(config: pytest.Config) -> None:
    # Output of programs does not depend on the caller's terminal.
    os.environ["TERM"] = "xterm-256color"
    os.environ.pop("NO_COLOR", None)
    spreads = config.getoption("dist", "no") != "no"
    if spreads and not hasattr(config, "workerinput"):
        return  # the workers are interpreters too
    if "LD_PRELOAD" in os.environ and LEAKS_OFF in os.environ.get("ASAN_OPTIONS", ""):
        os.environ["KARAKAL_PRELOAD"] = os.environ.pop("LD_PRELOAD")
        os.environ["ASAN_OPTIONS"] = os.environ["ASAN_OPTIONS"].replace(LEAKS_OFF, "")


@pytest.fixture(scope="session")
def extension_environment() -> dict[str, str]:
    """The variables that an interpreter needs to load our extension modules."""
    preload = os.environ.get("KARAKAL_PRELOAD")
    if preload is None:
        return dict(os.environ)
    options = os.environ["ASAN_OPTIONS"] + LEAKS_OFF
    return {**os.environ, "LD_PRELOAD": preload, "ASAN_OPTIONS": options}

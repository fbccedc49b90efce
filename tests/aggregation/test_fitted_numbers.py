"""The fitted numbers of the throughput model are those of the documents, and only the
model knows them."""

from __future__ import annotations

import re

import pytest

from testkit.paths import ROOT

#: The files of the model, and the one that may use `modelError` besides.
MODEL = ROOT / "aggregation" / "model"
DEFINITIONS = [
    MODEL / "ThroughputModel.h",
    MODEL / "ThroughputModel.cpp",
    MODEL / "Queueing.h",
    MODEL / "Queueing.cpp",
]
USERS = {"modelError": {ROOT / "driver" / "report" / "MinimumRate.cpp"}}
#: A bound of the arithmetic, not a fit.
OTHERS = {"utilizationMax"}

CONSTANT = re.compile(r"constexpr double ([^;]+);")
#: Those of the fit, which a cross-validation varies.
FIT = re.compile(r"struct Fit \{(.*?)\n\};", re.DOTALL)
FITTED = re.compile(r"^  double (\w+) = ([\d.]+);", re.MULTILINE)
ROW = re.compile(r"^\| `(\w+)` \| ([\d.]+) \|", re.MULTILINE)


def documented() -> dict[str, float]:
    page = (ROOT / "docs" / "aggregation.md").read_text()
    section = page.split("### Fitted numbers")[1].split("\n## ")[0]
    return {name: float(value) for name, value in ROW.findall(section)}


def defined() -> dict[str, float]:
    found: dict[str, float] = {}
    for path in DEFINITIONS:
        for constants in CONSTANT.findall(path.read_text()):
            for constant in constants.split(","):
                name, value = constant.split("=")
                found[name.strip()] = float(value)
    (fit,) = FIT.findall((MODEL / "ThroughputModel.h").read_text())
    found |= {name: float(value) for name, value in FITTED.findall(fit)}
    return {name: value for name, value in found.items() if name not in OTHERS}


def test_the_page_has_the_numbers_of_the_code() -> None:
    assert defined() == documented()
    assert len(documented()) == 2


@pytest.mark.parametrize("name", sorted(documented()))
def test_only_the_model_uses_a_fitted_number(name: str) -> None:
    allowed = {*DEFINITIONS, *USERS.get(name, set())}
    word = re.compile(rf"\b{name}\b")
    users = {
        path
        for folder in ("aggregation", "codegen-me", "driver", "ir", "passes", "swcache")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".cpp", ".h", ".td") and word.search(path.read_text())
    }
    assert users
    assert users <= allowed

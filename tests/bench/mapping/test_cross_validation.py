"""The fitted figures of the throughput model on points that were simulated once: fitted
without an application, they predict that application within the error that a promised
rate allows for."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from bench.mapping.cross_validation import RECORDED, engines_of, fit, residuals
from testkit.paths import ROOT

TOOL = Path(os.environ.get("KARAKAL_BUILD", ROOT / "build")) / "tests" / "model-fits"
APPS = {"l3-switch", "firewall", "mpls"}


def model_error() -> float:
    text = (ROOT / "aggregation/model/ThroughputModel.h").read_text()
    found = re.search(r"modelError = ([\d.]+);", text)
    assert found
    return float(found[1])


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    if not TOOL.exists():
        pytest.skip("model-fits is not built")
    return fit(TOOL, RECORDED)


def test_a_fit_predicts_an_application_that_it_has_not_seen(
    found: dict[str, Any],
) -> None:
    errors = residuals(found["points"], "unseen_gbps")
    assert errors.keys() == APPS
    for app, each in errors.items():
        assert max(each) < model_error(), app
        assert max(map(abs, each)) < 0.10, app
        assert sum(map(abs, each)) / len(each) < 0.04, app


def test_the_compiler_has_the_figures_of_the_fit_to_all(found: dict[str, Any]) -> None:
    # The figures of the code are rounded; they predict as well as those of the fit.
    def squares(key: str) -> float:
        all_errors = residuals(found["points"], key).values()
        return sum(error**2 for errors in all_errors for error in errors)

    assert squares("fitted_gbps") <= squares("default_gbps")
    assert squares("default_gbps") <= 1.2 * squares("fitted_gbps")


def test_a_fit_answers_to_its_points(found: dict[str, Any], tmp_path: Path) -> None:
    # Rates that are lower wherever a unit is the limit must give another fit.
    points = json.loads(RECORDED.read_text())
    for point in points:
        if point["mes"] == 6 and point["level"] in ("base", "pac"):
            point["simulated_gbps"] *= 0.9
    file = tmp_path / "points.json"
    file.write_text(json.dumps(points))
    assert fit(TOOL, file)["fits"][""] != found["fits"][""]


def test_engines_go_to_aggregates_in_order() -> None:
    aggregates = [{"engines": [1, 2, 3]}, {"engines": [4, 5]}]
    assert engines_of(aggregates, 2) == [1, 1]
    assert engines_of(aggregates, 4) == [3, 1]
    assert engines_of(aggregates, 5) == [3, 2]

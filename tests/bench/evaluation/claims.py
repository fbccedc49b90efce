"""All claims in the order of the report: rates, then the cost of a packet."""

from __future__ import annotations

# Each module adds its claims to the list when it is imported.
from bench.evaluation import claims_rates, claims_work
from bench.evaluation.claim import CLAIMS, Claim, Finding
from bench.evaluation.results import Results

MODULES = (claims_rates, claims_work)


def evaluate(results: Results) -> list[tuple[Claim, Finding]]:
    return [(claim, claim.check(results)) for claim in CLAIMS]

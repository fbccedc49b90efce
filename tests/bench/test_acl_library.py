"""DPDK's access-control library and the list of rules that the tests of declared
tables compare with find the same rules."""

from pathlib import Path

import numpy as np
import pytest

from bench.applications import acl_library
from npftrace.tables.fw1_rules import make_rules
from testkit import five_tuples

RULES, KEYS = 200, 300

pytestmark = pytest.mark.skipif(
    not acl_library.is_installed(), reason=acl_library.NOT_MEASURED
)


def test_the_library_finds_the_first_rule_of_the_list(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    rules = acl_library.of_library(make_rules(RULES, rng))
    keys = [
        five_tuples.key_of(rules[i], rng) for i in rng.integers(0, len(rules), KEYS)
    ]
    found, _ = acl_library.classify(rules, keys, tmp_path)
    assert found == [five_tuples.first_match(rules, key) for key in keys]


def test_a_set_of_the_library_has_tries_of_so_many_bytes(tmp_path: Path) -> None:
    rules = make_rules(RULES, np.random.default_rng(8))
    found = acl_library.measure(rules, tmp_path)
    assert found["acl_accesses_max"] % acl_library.KEY_BYTES == 0
    assert found["acl_bytes"] > RULES * 128

"""No order of takes and puts stops the chip, whatever the graph of PPFs."""

import subprocess
from dataclasses import replace

import pytest

from testkit.ring_graphs import CORE, Graph, Model, Plan, Put, all_graphs, plan_of
from testkit.tools import BUILD

SPLIT = "\n// -----\n"
#: With so few words an engine cannot hold two PPFs: all have their own engines.
APART = "words-max=200"


def plans_of(graphs: list[Graph], options: str = "") -> list[Plan]:
    done = subprocess.run(
        [
            BUILD / "bin/baker-opt", "-", "--split-input-file", "--baker-split-cores",
            f"--baker-aggregation={options}" if options else "--baker-aggregation",
        ],
        input=SPLIT.join(graph.module() for graph in graphs),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    plans = [plan_of(text) for text in done.stdout.split(SPLIT)]
    assert len(plans) == len(graphs)
    return plans


#: By PPFs of a graph: packets, and the PPFs that each meets.
BOUNDS = {1: (3, 3), 2: (2, 3), 3: (1, 2)}
DEEP = (2, 3)


@pytest.mark.parametrize("options", ["", APART])
@pytest.mark.parametrize("ppfs", BOUNDS)
def test_no_graph_stops(ppfs: int, options: str) -> None:
    graphs = list(all_graphs(ppfs))
    for graph, plan in zip(graphs, plans_of(graphs, options), strict=True):
        assert Model(plan, *BOUNDS[ppfs]).stuck() is None, graph


def changed(plan: Plan, what: Put) -> Plan:
    """The plan with puts that wait in place of those."""
    channels = {
        name: (Put.WAIT if how is what else how, ring, to)
        for name, (how, ring, to) in plan.channels.items()
    }
    return replace(plan, channels=channels)


ENGINES_LOOP = Graph(2, ((0, 1), (1, 0)), ())
CORE_LOOP = Graph(2, ((0, 1), (1, 0)), (1,))
LONG_LOOP = Graph(3, ((0, 1), (1, 2), (2, 0)), (2,))


@pytest.mark.parametrize(
    ("graph", "what"),
    [(ENGINES_LOOP, Put.GIVE_UP), (CORE_LOOP, Put.DROP), (LONG_LOOP, Put.DROP)],
)
def test_the_model_finds_puts_that_wait_for_ever(graph: Graph, what: Put) -> None:
    (plan,) = plans_of([graph])
    assert what in {how for how, _, _ in plan.channels.values()}
    assert (CORE in plan.place.values()) == (what is Put.DROP)
    assert Model(plan, *DEEP).stuck() is None
    assert Model(changed(plan, what), *DEEP).stuck() is not None

"""The protocol that keeps packets in order, in every interleaving."""

import pytest

from testkit.order_protocol import Broken, Model, explore

MODELS = (
    Model(),
    Model(packets=5, contexts=3),
    Model(packets=5, tx_contexts=3),
    Model(packets=4, makes_packets=True),
    Model(packets=5, numbers=2, block=1),
    Model(packets=4, contexts=4, ring=1),
)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_nothing_waits_for_ever(model: Model) -> None:
    """Numbers leave in order, no place is overwritten, and from each state a way
    leads to the end, whatever contexts do and however long they take."""
    states, stuck = explore(model)
    assert states > 1000
    assert stuck == 0


@pytest.mark.parametrize("fault", ["idle", "forget"])
def test_the_checker_finds_what_would_wait(fault: str) -> None:
    """A poller that does not look at the places, and a drop that keeps its number."""
    _, stuck = explore(Model(fault=fault))
    assert stuck > 0


def test_the_checker_finds_a_window_that_is_too_large() -> None:
    with pytest.raises(Broken, match=r"is taken|leaves instead"):
        explore(Model(packets=7, contexts=3, fault="window"))

"""The assignment of right verdicts to packets that share frames."""

import pytest

from npftrace.check import assignment
from npftrace.check.assignment import assign, groups_of

A, B, C = (0, b"a"), (1, b"b"), (2, b"c")


def test_packets_that_share_a_frame_are_a_group() -> None:
    choices = {3: [[A], []], 5: [[B], []], 8: [[C]], 9: [[A, B]]}
    assert groups_of(choices) == [[3, 5, 9], [8]]


def test_a_packet_without_frames_is_a_group_of_its_own() -> None:
    assert groups_of({1: [[]], 2: [[]]}) == [[1], [2]]


@pytest.mark.parametrize(
    ("group", "sent", "found"),
    [
        # Two packets may each have sent A; one did.
        ([[[A], []], [[A], []]], {A: 1}, [[0, 1], [1, 0]]),
        ([[[A], []], [[A], []]], {A: 2}, [[0, 0]]),
        ([[[A], []], [[A], []]], {}, [[1, 1]]),
        # Only the flood explains B, so the other packet sent A alone.
        ([[[A, B], [A]], [[A]]], {A: 2, B: 1}, [[0, 0]]),
        ([[[A, B], [A]], [[A]]], {A: 2}, [[1, 0]]),
        # A verdict may send the same frame twice.
        ([[[A, A], [A]], [[A], []]], {A: 3}, [[0, 0]]),
    ],
)
def test_every_sent_frame_belongs_to_one_packet(
    group: list[list[list[tuple[int, bytes]]]],
    sent: dict[tuple[int, bytes], int],
    found: list[list[int]],
) -> None:
    assert assign(group, sent) in found


@pytest.mark.parametrize("sent", [{A: 3}, {B: 1}, {A: 1, B: 2}])
def test_frames_that_no_verdicts_explain_have_no_assignment(
    sent: dict[tuple[int, bytes], int],
) -> None:
    assert assign([[[A], []], [[A, B], [B, B, B]]], sent) is None


def test_a_long_search_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    group = [[[A], []], [[A], []]]
    assert assign(group, {A: 1}) is not None
    monkeypatch.setattr(assignment, "STEPS_MAX", 1)
    assert assign(group, {A: 1}) is None

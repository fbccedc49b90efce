"""The operations and the limits of packet tests' expressions."""

from typing import Any

import pytest

from npftrace.runs.expressions import ExpressionError, Expressions


@pytest.fixture(scope="module")
def expressions() -> Expressions:
    return Expressions()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7 + 2", 9), ("7 - 2", 5), ("7 * 2", 14), ("7 / 2", 3.5), ("7 // 2", 3),
        ("7 % 4", 3), ("6 & 3", 2), ("6 | 3", 7), ("6 ^ 3", 5), ("1 << 3", 8),
        ("9 >> 2", 2), ("+5", 5), ("-5", -5), ("~5", -6), ("not 0", True),
        ("2 == 2", True), ("2 != 2", False), ("2 < 2", False), ("2 <= 2", True),
        ("2 > 2", False), ("2 >= 2", True),
        # A chain compares neighbours.
        ("1 < 3 > 2", True), ("1 < 3 < 2", False), ("3 < 1 < 2", False),
        ("4 if 1 else 5", 4), ("4 if 0 else 5", 5),
        ("[1, (2, 3)]", [1, (2, 3)]), ("[1, 2, 3][-1]", 3),
        ("b'abcdefgh'[1:7:2]", b"bdf"), ("b'abc'[1:]", b"bc"), ("b'abc'[:1]", b"a"),
        ("[n * n for n in range(6) if n % 2 if n > 1]", [9, 25]),
        ("sum(n for n in (1, 2, 3))", 6), ("min(3, 2)", 2), ("max(3, 2)", 3),
        ("bytes.fromhex('0aff')", b"\x0a\xff"), ("b'a'.ljust(3, b'-')", b"a--"),
        ("b'a'.rjust(3, b'-')", b"--a"), ("b','.join([b'x', b'y'])", b"x,y"),
        ("(258).to_bytes(2, 'big')", b"\x01\x02"), ("'ab'.encode()", b"ab"),
        ("bytes('ab', 'ascii')", b"ab"), ("bytes(3)", bytes(3)), ("bytes()", b""),
        ("checksum(b'\\x00\\x01')", 0xFFFE),
        ("(lambda a, b=2: a - b)(7)", 5), ("(lambda a, b=2: a - b)(7, b=3)", 4),
        ("(lambda a, b: a - b)(b=7, a=1)", -6),
        ("(lambda **more: (lambda x, y: x - y)(**more))(x=5, y=3)", 2),
        ("(lambda a: (lambda b: a - b))(9)(2)", 7),
        ("IP(ttl=7).ttl", 7), ("len((IP() / Raw(b'abc')).payload)", 3),
        ("'-' * 3", "---"), ("2 * [1]", [1, 1]), ("(1,) * 2", (1, 1)),
    ],
)  # fmt: skip
def test_values(text: str, value: Any, expressions: Expressions) -> None:
    assert expressions.value(text) == value


@pytest.mark.parametrize(
    ("allowed", "refused", "message"),
    [
        ("len(bytes(65536))", "bytes(65537)", "longer than 65,536"),
        ("bytes(0)", "bytes(-1)", "longer than 65,536"),
        ("len(b'x' * 65536)", "b'x' * 65537", "longer than 65,536"),
        ("len(65536 * b'x')", "65537 * b'x'", "longer than 65,536"),
        ("len(b'ab' * 32768)", "b'ab' * 32769", "longer than 65,536"),
        ("len(range(65536))", "range(65537)", "longer than 65,536"),
        ("len(b''.ljust(65536))", "b''.ljust(65537)", "longer than 65,536"),
        ("(b'x' * 65535 + b'x')[0]", "b'x' * 65535 + b'xx'", "longer than 65,536"),
        ("1 << 4095", "1 << 4096", "the number is too large"),
        ("1 << 0", "1 << -1", "is not allowed"),
        ("1 << 4095", "1 << 4097", "is not allowed"),
        ("7 % 2", "'%d' % 2", "is not allowed"),
        ("2 * 2.5 if 0 else 1", "2 * 2.5", "is not allowed"),
        ("b'a' + b'b'", "b'a' @ b'b'", "is not allowed"),
        ("1 == 1", "1 in (1, 2)", "is not allowed"),
        ("(lambda: 1)()", "(lambda: 1)(2)", "more than 0 arguments"),
        ("(lambda a: 1)(2)", "(lambda a: 1)()", "no value for the parameter 'a'"),
        ("(lambda a: 1)(a=2)", "(lambda a: 1)(2, b=2)", "there is no parameter 'b'"),
        ("(lambda a: 1)(2)", "lambda *a: 1", "is not allowed"),
        ("(lambda a: 1)(2)", "lambda *, a: 1", "is not allowed"),
        ("[n for n in (1, 2)]", "[n for n, m in ((1, 2),)]", "is not allowed"),
        ("[n for n in (1, 2)]", "[n for n in (1, 2) for m in (1,)]", "is not allowed"),
        ("Raw(b'x')", "Raw('x')", "a layer takes its fields, or its bytes"),
        ("IP(ttl=1)", "IP(b'', 1)", "fields are given by name"),
        ("IP(ttl=1)", "IP(_pkt=b'')", "a layer takes its fields"),
        ("IP(ttl=1)", "IP(post_transform=1)", "a layer takes its fields"),
        ("IP().ttl", "IP().tt", "IP has no field 'tt'"),
        ("'a'.encode()", "'a'.upper()", "there is no '.upper' here"),
        ("b''.ljust(1)", "(1).ljust(1)", "there is no '.ljust' here"),
        ("IP().ttl", "IP().__class__", "is not allowed"),
        ("len((1, 2))", "(1)(2)", "it is no layer, function or lambda"),
    ],
)
def test_limits(
    allowed: str, refused: str, message: str, expressions: Expressions
) -> None:
    expressions.value(allowed)
    with pytest.raises(ExpressionError) as refusal:
        expressions.value(refused)
    assert message in str(refusal.value)


def test_only_packets_and_bytes_are_frames(expressions: Expressions) -> None:
    assert expressions.frame("b'abc'") == b"abc"
    assert expressions.frame("Raw(b'abc')") == b"abc"
    with pytest.raises(ExpressionError, match="int is not a packet"):
        expressions.frame("3")


def test_steps_are_counted_for_each_expression(expressions: Expressions) -> None:
    # A comprehension takes three steps an item, an element of a list one.
    for _ in range(3):
        expressions.value("[n for n in range(60000)]")
    with pytest.raises(ExpressionError, match="more than 200,000 steps"):
        expressions.value("[[m + m for m in range(300)] for n in range(300)]")


def test_layers_are_counted(expressions: Expressions) -> None:
    expressions.names["many"] = expressions.value("lambda n: Raw(b'') * n")
    nested = "(lambda f: f(f, 90))(lambda f, n: f(f, n - 1) if n else 0)"
    assert expressions.value(nested) == 0
    with pytest.raises(ExpressionError, match="nested too deeply"):
        expressions.value(nested.replace("90", "110"))
    # The depth of the failure does not last.
    assert expressions.value(nested) == 0

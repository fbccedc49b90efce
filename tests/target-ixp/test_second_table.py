"""The project's instruction table against a second one, typed by hand from the
instruction set reference (testkit/mev2). Both read every word, and they must
read the same."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from testkit.applications import LEVELS, SOURCES
from testkit.mev2.decoder import decode
from testkit.mev2.rows import WORD_BITS, Row, table
from testkit.runs import compile_levels
from testkit.tools import output_of, requires, run
from testkit.workloads import make_workload

pytestmark = requires("ixp-as", "ixp-dis", "bakerc")

ALL_BITS = (1 << WORD_BITS) - 1
WORDS_PER_ROW = 400
#: Words that the control store of the assembler's target holds.
PROGRAM_WORDS = 4000


def instructions(listing: str) -> Iterator[tuple[int, str]]:
    """Word and text of each line of `ixp-dis --words`."""
    for line in listing.splitlines():
        if not line.startswith("    "):
            continue  # a label or the name of a program
        text, comment = line.rsplit("//", 1)
        # A label names a word: l_0012# is .12.
        text = re.sub(r"l_(\d+)#", lambda m: f".{int(m[1])}", text.strip())
        yield int(comment.split()[1], 16), text


def disassembled(words: list[int], folder: Path) -> list[tuple[int, str]]:
    listed: list[tuple[int, str]] = []
    for first in range(0, len(words), PROGRAM_WORDS):
        path = folder / "some.words"
        some = words[first : first + PROGRAM_WORDS]
        path.write_text("".join(f"{word:010x}\n" for word in some))
        listed += instructions(run("ixp-dis", path, "--words").stdout)
    assert [word for word, _ in listed] == words
    return listed


def second_reading(word: int) -> str:
    return decode(word) or f".word 0x{word:010x}"


def differences(listed: list[tuple[int, str]]) -> list[str]:
    return [
        f"{word:010x}: ixp-dis {text!r}, second table {second_reading(word)!r}"
        for word, text in listed
        if text != second_reading(word)
    ]


def random_words(row: Row, source: random.Random) -> Iterator[int]:
    """Words of a row. Some fields are legal only with small values, so the bits
    of every other word are sparse in the upper half."""
    for n in range(WORDS_PER_ROW):
        bits = source.getrandbits(WORD_BITS)
        if n % 2:
            sparse = source.getrandbits(WORD_BITS) & source.getrandbits(WORD_BITS)
            bits &= sparse | 0xFFFFF
        if n % 4 == 1:  # a literal in one of the fields, as immed needs
            bits |= 0x300 << 10 * (n // 4 % 2)
        yield row.bits | bits & ~row.mask & ALL_BITS


@pytest.fixture(scope="module")
def words_of_rows() -> list[int]:
    source = random.Random(19)
    return [word for row in table().rows for word in random_words(row, source)]


def test_both_tables_have_the_same_rows() -> None:
    describe = output_of("ixp-as", "--describe").split("## Delays")[0]
    ours = re.findall(r"^\| (\S[^|]*?) \|.*`[01. ]{40,}`", describe, re.M)
    assert sorted(ours) == sorted(row.name for row in table().rows)


def test_both_tables_read_every_row_alike(
    words_of_rows: list[int], tmp_path: Path
) -> None:
    listed = disassembled(words_of_rows, tmp_path)
    assert not differences(listed)[:20]
    read = {
        row.name for word, _ in listed if decode(word) and (row := table().find(word))
    }
    assert read == {row.name for row in table().rows}, "a row was never legal"


def test_both_tables_read_random_words_alike(tmp_path: Path) -> None:
    source = random.Random(20)
    words = [source.getrandbits(WORD_BITS) for _ in range(40_000)]
    assert not differences(disassembled(words, tmp_path))[:20]


def without_order(text: str) -> object:
    """The text, but with the address operands of a command in any order."""
    inside = re.fullmatch(r"(\w+\[\w+, )([^]]*?\S)(\].*)", text)
    return text if inside is None else (inside[1], sorted(inside[2].split(", ")))


def test_the_assembler_writes_what_the_second_table_reads(
    words_of_rows: list[int], tmp_path: Path
) -> None:
    legal = [text for word in words_of_rows if (text := decode(word))]
    for first in range(0, len(legal), PROGRAM_WORDS):
        texts = legal[first : first + PROGRAM_WORDS]
        source, out = tmp_path / "rows.uc", tmp_path / "rows.words"
        source.write_text("\n".join(texts) + "\n")
        run("ixp-as", source, "-o", out)
        read = [second_reading(int(line, 16)) for line in out.read_text().split()]
        wrong = [
            (text, again)
            for text, again in zip(texts, read, strict=True)
            if text != again and without_order(text) != without_order(again)
        ]
        assert not wrong[:20]


@pytest.mark.parametrize("app", SOURCES)
def test_both_tables_read_every_word_of_an_image_alike(
    app: str, tmp_path: Path
) -> None:
    load = make_workload(app, tmp_path, "--seed", "3", "--packets", "300")
    images = compile_levels(SOURCES[app], load, tmp_path)
    assert set(images) == set(LEVELS)
    for level, image in images.items():
        listed = list(instructions(run("ixp-dis", image, "--words").stdout))
        assert len(listed) > 500
        assert not differences(listed)[:20], level
        assert all(decode(word) for word, _ in listed), level


#: Words with their text: the reference's examples (4.2, 4.7 and 13).
EXAMPLES = {
    0x8E02000600: "byte_align_le[--, a0]",
    0xBB80900007: "cam_lookup[b9, a7]",
    0xBB80901407: "cam_lookup[b9, a7], lm_addr0[1]",
    0xBB80902807: "cam_lookup[b9, a7], lm_addr1[2]",
    0xF0000CC005: "immed[a5, 0x30]",
    0xF4440C0005: "immed_w1[a5, 0x4000]",
    0xF000003B00: "immed[b14, 0x0]",
    0xB440F03B1F: "alu[b15, b14, AND, 0x1f]",
    0x8AC0503E05: "alu_shf[a5, a5, OR, b15, <<20]",
    0x848202013B: "alu_shf[--, 0x1b, AND, $0, >>8]",
    0xAC40602600: "alu[a6, b9, XOR, *l$index0[0]]",
    0xB008060000: "alu[@b0, --, B, $0]",
    0xD805C00011: "br!=ctx[0, .23]",
    0xD81B00C214: "br_inp_state[scr_ring1_status, .108]",
    0xFC044C0000: "local_csr_rd[ACTIVE_CTX_STS]",
    0xFC10AE2388: "local_csr_wr[SAME_ME_SIGNAL, 0x88]",
    0xE000000030: "ctx_arb[s4, s5]",
    0x0042108002: "sram[read, $1, a2, 0x0, 2], ctx_swap[s4]",
    0x1940000428: "scratch[get, $0, 0x8, b1, 1], ctx_swap[s4]",
    0x3D00040320: "msf[fast_wr, --, 0x0, b0]",
    0x3D42001C20: "msf[write, $0, 0x0, b7, 2], ctx_swap[s4]",
    0x6A4E001300: "dram[rbuf_rd, --, a0, b4, max_8], indirect_ref, sig_done[s4]",
    0x3300012F20: "cap[fast_wr, 0, 0x4b20]",
}


@pytest.mark.parametrize("word", EXAMPLES)
def test_the_second_table_reads_the_examples_of_the_reference(word: int) -> None:
    assert decode(word) == EXAMPLES[word]


@pytest.mark.parametrize(
    "word",
    [
        0xA1000C0000,  # alu has no operation 2
        0xA0800C0301,  # two literals
        0x2830000320,  # dram read with the odd signal of a pair
        0xE000000000,  # ctx_arb without a signal
        0xFFFFFFFFFF,
    ],
)
def test_the_second_table_knows_what_is_not_an_instruction(word: int) -> None:
    assert decode(word) is None
